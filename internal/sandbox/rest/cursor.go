package rest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// cursorOf is the place of a row in a list that goes by cursors, as the parameters
// "after" and "before" name it.
func cursorOf(id model.ID) string {
	return base64.RawURLEncoding.EncodeToString([]byte("cursor:v2:" + strconv.FormatInt(id, 10)))
}

// listByCursor is [list] for lists that go by cursors instead of pages. A cursor whose row
// is not there, or text that is none, is as if it were not there.
func listByCursor[T, V any](c *call, all []T, id func(T) model.ID, show func(T) V) (reply, error) {
	size, _ := c.pageAsked()
	at := func(parameter string) int {
		row, is := c.cursor(parameter)
		if !is {
			return -1
		}
		return slices.IndexFunc(all, func(one T) bool { return id(one) == row })
	}
	from, to := at("after")+1, at("before")
	switch {
	case to < 0:
		to = len(all)
	case from == 0:
		from = max(0, to-size)
	}
	to = max(from, to)
	to = min(to, from+size)
	var links []string
	if from > 0 && from < to {
		links = append(links, fmt.Sprintf("<%s>; rel=%q", c.elsewhere("before", cursorOf(id(all[from]))), "prev"))
	}
	if from < to && to < len(all) {
		links = append(links, fmt.Sprintf("<%s>; rel=%q", c.elsewhere("after", cursorOf(id(all[to-1]))), "next"))
	}
	header := http.Header{}
	if links != nil {
		header.Set("Link", strings.Join(links, ", "))
	}
	views := make([]V, 0, to-from)
	for _, row := range all[from:to] {
		views = append(views, show(row))
	}
	return reply{status: http.StatusOK, body: views, header: header}, nil
}

// cursor reads the parameter of a query that holds a cursor.
func (c *call) cursor(parameter string) (model.ID, bool) {
	text, err := base64.RawURLEncoding.DecodeString(c.URL.Query().Get(parameter))
	if err != nil {
		return 0, false
	}
	number, is := strings.CutPrefix(string(text), "cursor:v2:")
	id, err := strconv.ParseInt(number, 10, 64)
	return id, is && err == nil
}
