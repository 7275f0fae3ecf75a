package sandbox

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// scoped is an operation that a classic token may do only with a scope beside
// "repo".
type scoped struct {
	// request matches a method and a path, with a space between them.
	request *regexp.Regexp
	// scopes are those of which the token needs one.
	scopes []string
	// refusal is what GitHub answers without.
	refusal rest.Response
}

func scopedOperations() []scoped {
	absent := rest.Failure(http.StatusNotFound, "Not Found")
	return []scoped{
		{regexp.MustCompile(`^(POST|PATCH|DELETE) /gists(/[^/]+)?$`), []string{"gist"}, absent},
		{regexp.MustCompile(`^GET /user/keys(/[^/]+)?$`), []string{"admin:public_key", "read:public_key", "write:public_key"}, absent},
		{regexp.MustCompile(`^POST /user/keys$`), []string{"admin:public_key", "write:public_key"}, absent},
		{regexp.MustCompile(`^DELETE /user/keys/[^/]+$`), []string{"admin:public_key"}, absent},
	}
}

// lackingScope returns the answer to a classic token that lacks the scope for
// what it asks; nil where it lacks none. The header names the scopes, so that
// clients can tell their users.
func lackingScope(operations []scoped, r *http.Request, t credential) *rest.Response {
	if t.Scopes == nil {
		return nil
	}
	for _, o := range operations {
		if !o.request.MatchString(r.Method + " " + r.URL.Path) {
			continue
		}
		if slices.ContainsFunc(o.scopes, func(scope string) bool { return slices.Contains(t.Scopes, scope) }) {
			return nil
		}
		answer := o.refusal
		answer.Header = answer.Header.Clone()
		answer.Header.Set("X-Accepted-OAuth-Scopes", strings.Join(o.scopes, ", "))
		return &answer
	}
	return nil
}
