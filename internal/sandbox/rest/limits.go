package rest

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	limitsDocumentation    = "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"
	secondaryDocumentation = limitsDocumentation + "#about-secondary-rate-limits"
)

// SecondaryLimit is the answer to a client that does too much at once.
func SecondaryLimit(retryAfter time.Duration) Response {
	answer := documented(http.StatusForbidden, secondaryDocumentation,
		"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
	answer.Header.Set("Retry-After", seconds(retryAfter))
	return answer
}

// Quota is how a client stands with a rate limit.
type Quota struct {
	Limit, Used int
	// Reset is when nothing of it is used up again.
	Reset time.Time
}

// RateLimited is the answer to a client that has used up a primary limit.
func RateLimited(message string) Response {
	return documented(http.StatusForbidden, limitsDocumentation, message)
}

// TooManyRequests is the answer to a client that has used up its primary limit,
// with the status that GitHub may use for it besides 403.
func TooManyRequests(retryAfter time.Duration) Response {
	answer := documented(http.StatusTooManyRequests, limitsDocumentation, "API rate limit exceeded. Please wait before you try again.")
	answer.Header.Set("Retry-After", seconds(retryAfter))
	answer.Header.Set("X-RateLimit-Remaining", "0")
	answer.Header.Set("X-RateLimit-Used", strconv.Itoa(CoreLimit))
	answer.Header.Set("X-RateLimit-Limit", strconv.Itoa(CoreLimit))
	return answer
}

// Unavailable is the page that GitHub shows when no server can answer.
func Unavailable(retryAfter time.Duration) Response {
	return Response{
		Status: http.StatusServiceUnavailable,
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}, "Retry-After": {seconds(retryAfter)}},
		Body:   []byte("<p><strong>No server is currently available to service your request.</strong></p>\n"),
	}
}

// Nameless is what GitHub says to a client whose requests have no User-Agent, before
// any part of the API sees them.
func Nameless() Response {
	return Response{
		Status: http.StatusForbidden, Header: http.Header{"Content-Type": {"text/html"}, "Cache-Control": {"no-cache"}},
		Body: []byte("\r\nRequest forbidden by administrative rules. Please make sure your request has a User-Agent header (" +
			"https://docs.github.com/en/rest/overview/resources-in-the-rest-api#user-agent-required). Check https://developer.github.com for other possible causes.\r\n"),
	}
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

// documented is a failure that points at a page of its own.
func documented(status int, page, message string) Response {
	body, err := encode(errorBody{Message: message, DocumentationURL: page, Status: strconv.Itoa(status)})
	if err != nil {
		return Failure(http.StatusInternalServerError, "Server Error")
	}
	return Response{Status: status, Header: http.Header{"Content-Type": {jsonType}}, Body: body}
}

// Lists reports whether a request reads a list: a GET whose path does not end
// with the name of one thing.
func (a *API) Lists(r *http.Request) bool {
	h, _ := a.mux.Handler(r)
	op, served := h.(*operation)
	return served && !op.writes() && !strings.HasSuffix(op.pattern, "}")
}
