package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Explain gives an error of this package's clients its kind and a public text:
// what was being done, what GitHub says to it and, where there is one, the
// mend. Doing begins with a verb: "create check run". What a token or a
// permission would mend is of kind invalid, the rest of kind infrastructure. No
// text has a secret in it, that of the cause included. A nil error stays nil.
func Explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	kind, text := explain(err)
	return fault.Because(kind, scrubbed{err}, doing+": "+text)
}

func explain(err error) (fault.Kind, string) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fault.Infrastructure, "it was stopped before GitHub answered"
	}
	if known, ok := errors.AsType[*fault.Error](err); ok {
		return known.Kind, known.Message
	}
	if graph, ok := errors.AsType[GraphQLErrors](err); ok {
		return explainGraphQL(graph)
	}
	answer, ok := answerOf(err)
	if !ok {
		return fault.Infrastructure, "GitHub cannot be reached, or its answer cannot be read"
	}
	return answer.explain()
}

func explainGraphQL(graph GraphQLErrors) (fault.Kind, string) {
	says := shortened(graph.Error())
	switch {
	case graph.all("NOT_FOUND"):
		return fault.Invalid, "GitHub has no such thing, or the token may not see it: " + says
	case graph.all("FORBIDDEN"):
		return fault.Invalid, "the token may not do this: " + says
	default:
		return fault.Infrastructure, "GitHub says: " + says
	}
}

// answer is what GitHub answered to a request that failed.
type answer struct {
	status  int
	header  http.Header
	message string
}

// StatusOf returns the HTTP status of an answer that was an error, 0 if there
// was no answer.
func StatusOf(err error) int {
	answer, _ := answerOf(err)
	return answer.status
}

// Limited reports whether GitHub turned a request away for a rate limit.
func Limited(err error) bool {
	answer, _ := answerOf(err)
	return answer.limited()
}

func answerOf(err error) (answer, bool) {
	of := func(response *http.Response, message string) (answer, bool) {
		if response == nil {
			return answer{}, false
		}
		return answer{response.StatusCode, response.Header, message}, true
	}
	if e, ok := errors.AsType[*github.ErrorResponse](err); ok {
		return of(e.Response, joined(e))
	}
	if e, ok := errors.AsType[*github.RateLimitError](err); ok {
		return of(e.Response, e.Message)
	}
	if e, ok := errors.AsType[*github.AbuseRateLimitError](err); ok {
		return of(e.Response, e.Message)
	}
	if e, ok := errors.AsType[*refusal](err); ok {
		return of(e.response, e.message)
	}
	return answer{}, false
}

// joined is an answer's message with those of the single errors.
func joined(e *github.ErrorResponse) string {
	parts := []string{e.Message}
	for _, one := range e.Errors {
		switch {
		case one.Message != "":
			parts = append(parts, one.Message)
		case one.Field != "":
			parts = append(parts, fmt.Sprintf("%s is %s", one.Field, strings.ReplaceAll(one.Code, "_", " ")))
		}
	}
	return strings.Join(parts, ": ")
}

// The headers in which GitHub says why it refuses.
const (
	permissionsHeader = "X-Accepted-GitHub-Permissions"
	ssoHeader         = "X-GitHub-SSO"
)

func (a answer) explain() (fault.Kind, string) {
	says := shortened(a.message)
	switch {
	case a.status == http.StatusUnauthorized:
		return fault.Invalid, "GitHub does not accept the token (401): give one that is whole, not revoked and not expired"
	case a.limited():
		return fault.Infrastructure, fmt.Sprintf("GitHub's rate limit is used up (%d): %s", a.status, says)
	case a.status == http.StatusForbidden && a.header.Get(ssoHeader) != "":
		return fault.Invalid, "the organization asks for single sign-on (403): authorize the token for it in the token's settings"
	case a.status == http.StatusForbidden && strings.Contains(a.message, "not accessible by"):
		return fault.Invalid, "the token lacks a permission (403)" + lacking(a.header.Get(permissionsHeader))
	case a.status == http.StatusForbidden:
		return fault.Invalid, "GitHub refuses it (403): " + says
	case a.status == http.StatusNotFound:
		return fault.Invalid, "GitHub has no such thing, or the token may not see it (404): check the name and the token's permissions"
	case a.status == http.StatusGone:
		return fault.Invalid, "it was deleted or is turned off (410): " + says
	case a.status == http.StatusUnprocessableEntity:
		return fault.Invalid, "GitHub does not accept what was sent (422): " + says
	case a.status >= http.StatusInternalServerError:
		return fault.Infrastructure, fmt.Sprintf("GitHub failed (%d): try again later", a.status)
	default:
		return fault.Infrastructure, fmt.Sprintf("GitHub refuses it (%d): %s", a.status, says)
	}
}

func (a answer) limited() bool {
	return a.status == http.StatusTooManyRequests || a.status == http.StatusForbidden &&
		(a.header.Get("X-RateLimit-Remaining") == "0" || a.header.Get("Retry-After") != "" || strings.Contains(a.message, "rate limit"))
}

// lacking names the permissions that an endpoint accepts, in the spelling of
// workflow files. The header separates alternatives with semicolons.
func lacking(accepted string) string {
	var sets []string
	for set := range strings.SplitSeq(accepted, ";") {
		if set = strings.TrimSpace(set); set != "" {
			sets = append(sets, strings.NewReplacer("=", ": ", ",", " and ", "_", "-").Replace(shortened(set)))
		}
	}
	if len(sets) == 0 {
		return ": grant it in the workflow's permissions or in the App's settings; the token of a fork's pull request may only read"
	}
	return ": grant it \"" + strings.Join(sets, "\" or \"") + "\"; the token of a fork's pull request may only read"
}

// maxSaid is how much of GitHub's own words is repeated, in characters.
const maxSaid = 300

// shortened makes text one line that is not too long.
func shortened(text string) string {
	text = scrub(strings.Join(strings.Fields(text), " "))
	if said := []rune(text); len(said) > maxSaid {
		return string(said[:maxSaid]) + "…"
	}
	return text
}

// scrubbed is an error whose text has no addresses with a query or a user in
// them: addresses of downloads are signed in their query.
type scrubbed struct{ error }

// Error returns the text without what may be secret.
func (s scrubbed) Error() string { return scrub(s.error.Error()) }

// Unwrap returns the error itself.
func (s scrubbed) Unwrap() error { return s.error }

// secretParts finds the user and the query of addresses in text.
var secretParts = regexp.MustCompile(`(https?://)(?:[^\s/@"?]*@)?([^\s"?]*)(?:\?[^\s"]*)?`)

func scrub(text string) string { return secretParts.ReplaceAllString(text, "$1$2") }
