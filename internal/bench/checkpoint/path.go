package checkpoint

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// FillPath fills in what a path of the REST API refers to, escaped. A slash in a
// value stays one. A part of the query whose value is null is left out; before
// the query, null and the empty text are errors of kind invalid. Lookup returns
// the value at a reference's path.
func FillPath(path string, lookup func(reference string) (any, error)) (string, error) {
	path, query, _ := strings.Cut(path, "?")
	filled, err := fillText(path, lookup, func(reference, value string) (string, error) {
		if value == "" {
			return "", fault.Invalidf("%s is empty, and the path %s needs it", reference, path)
		}
		if slices.Contains(strings.Split(value, "/"), "..") {
			return "", fault.Invalidf("%s is %q, which leads out of the path %s", reference, value, path)
		}
		return strings.ReplaceAll(url.PathEscape(value), "%2F", "/"), nil
	})
	if err != nil {
		return "", err
	}
	separator := "?"
	for part := range strings.SplitSeq(query, "&") {
		missing := false
		part, err := fillText(part, lookup, func(_, value string) (string, error) {
			missing = missing || value == ""
			return url.QueryEscape(value), nil
		})
		if err != nil {
			return "", err
		}
		if part != "" && !missing {
			filled += separator + part
			separator = "&"
		}
	}
	return filled, nil
}

// fillText puts values, as escape writes them, in the place of references; null
// is the empty text.
func fillText(text string, lookup func(string) (any, error), escape func(reference, value string) (string, error)) (string, error) {
	var failed error
	filled := bench.Reference.ReplaceAllStringFunc(text, func(found string) string {
		reference := bench.Reference.FindStringSubmatch(found)[1]
		value, err := lookup(reference)
		var shown string
		if err == nil {
			shown, err = escape(reference, words(value))
		}
		failed = cmp.Or(failed, err)
		return shown
	})
	return filled, failed
}

// words is a value as a text: null is the empty one, and what is no text is
// written as JSON.
func words(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	default:
		text, _ := json.Marshal(value)
		return string(text)
	}
}
