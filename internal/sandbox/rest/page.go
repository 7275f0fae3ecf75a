package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// The sizes of a page.
const (
	defaultPage = 30
	largestPage = 100
)

// page cuts the page that the query asks for out of all, and returns the
// header that links to the others. A number that makes no sense is as if it
// were not there.
func page[T any](c *call, all []T) ([]T, http.Header) {
	return pageOf(c, all, defaultPage, largestPage)
}

// pageOf is [page] for pages of another size than is usual: the one that they have
// if the query does not say, and the largest, in rows.
func pageOf[T any](c *call, all []T, usual, largest int) ([]T, http.Header) {
	size, number := c.pageAskedOf(usual, largest)
	last := max(1, (len(all)+size-1)/size)
	// All pages after the last one are empty alike.
	number = min(number, last+1)
	header := http.Header{}
	if last > 1 {
		header.Set("Link", c.links(number, last))
	}
	from := min((number-1)*size, len(all))
	return all[from:min(from+size, len(all))], header
}

// pageAsked are the size of a page and the number, from 1, that a query asks for.
func (c *call) pageAsked() (size, number int) { return c.pageAskedOf(defaultPage, largestPage) }

// pageAskedOf is [call.pageAsked] for [pageOf].
func (c *call) pageAskedOf(usual, largest int) (size, number int) {
	query := c.URL.Query()
	size, number = usual, 1
	if n, err := strconv.Atoi(query.Get("per_page")); err == nil && n > 0 {
		size = min(n, largest)
	}
	if n, err := strconv.Atoi(query.Get("page")); err == nil && n > 0 {
		number = n
	}
	return size, number
}

// links writes the Link header in the order in which GitHub does.
func (c *call) links(number, last int) string {
	var links []string
	add := func(rel string, page int) { links = append(links, fmt.Sprintf("<%s>; rel=%q", c.pageURL(page), rel)) }
	if number > 1 {
		add("prev", number-1)
	}
	if number < last {
		add("next", number+1)
		add("last", last)
	}
	if number > 1 {
		add("first", 1)
	}
	return strings.Join(links, ", ")
}

// pageURL is the address of another page of what was asked for.
func (c *call) pageURL(page int) string { return c.elsewhere("page", strconv.Itoa(page)) }

// elsewhere is the address of what was asked for with another place in it: with the
// value of one of the parameters that name places, and without the others. It names the
// repository by its id, as GitHub's links do.
func (c *call) elsewhere(parameter, value string) string {
	path := c.URL.EscapedPath()
	if parts := strings.SplitN(path, "/", 5); c.repository != nil && parts[1] == "repos" {
		path = fmt.Sprintf("/repositories/%d/%s", c.repository.ID, parts[4])
	}
	var query []string
	for part := range strings.SplitSeq(c.URL.RawQuery, "&") {
		if name, _, _ := strings.Cut(part, "="); name != "" && !slices.Contains([]string{"page", "after", "before", parameter}, name) {
			query = append(query, part)
		}
	}
	query = append(query, parameter+"="+value)
	return c.base + path + "?" + strings.Join(query, "&")
}

// same shows what is a view already.
func same[T any](view T) T { return view }

// list answers with a page of views.
func list[T, V any](c *call, all []T, show func(T) V) (reply, error) {
	rows, header := page(c, all)
	views := make([]V, 0, len(rows))
	for _, row := range rows {
		views = append(views, show(row))
	}
	return reply{status: http.StatusOK, body: views, header: header}, nil
}

// wrapped answers with a page of views inside an object that counts them, as
// the routes of Actions and checks do.
func wrapped[T, V any](c *call, key string, all []T, show func(T) V) (reply, error) {
	answer, err := list(c, all, show)
	answer.body = map[string]any{"total_count": len(all), key: answer.body}
	return answer, err
}
