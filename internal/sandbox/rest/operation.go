package rest

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// operation is a row of the table of what the API does: a route, and all that is
// known of it before anybody asks. What GitHub has published of its body is read
// when the first request has one, see [published].
type operation struct {
	route
	// permissions are those of which an App's token needs one.
	permissions []permission
	// forUsers is true for what is about the user who asks, whom an App has not;
	// forJWT for what is for an App as such, which asks with a JSON web token.
	forUsers, forJWT bool
	particulars
}

// particulars are what is so of few operations.
type particulars struct {
	// scopes are those of which a classic token needs one besides "repo", nil for none.
	scopes []string
	// listToo is true if the body may be a list by itself, which GitHub does not
	// tell: go-github sends labels so.
	listToo bool
	// freeing is a field with which the required ones beside it need not be there, as
	// GitHub tells in prose or not at all; empty for none. Dots part objects.
	freeing string
	// ownWords is true if GitHub says itself which values there are, not by what it
	// has published.
	ownWords bool
}

var orgAdmin = []string{"admin:org"}

// particular has them by [unnamed] pattern.
var particular = map[string]particulars{
	"POST /gists":                             {scopes: []string{"gist"}},
	"PUT /gists/{}/star":                      {scopes: []string{"gist"}},
	"DELETE /gists/{}/star":                   {scopes: []string{"gist"}},
	"POST /gists/{}/forks":                    {scopes: []string{"gist"}},
	"POST /gists/{}/comments":                 {scopes: []string{"gist"}},
	"PATCH /gists/{}/comments/{}":             {scopes: []string{"gist"}},
	"DELETE /gists/{}/comments/{}":            {scopes: []string{"gist"}},
	"PATCH /orgs/{}":                          {scopes: orgAdmin},
	"PATCH /user":                             {scopes: []string{"user"}},
	"PUT /user/following/{}":                  {scopes: []string{"user", "user:follow"}},
	"DELETE /user/following/{}":               {scopes: []string{"user", "user:follow"}},
	"PATCH /gists/{}":                         {scopes: []string{"gist"}},
	"DELETE /gists/{}":                        {scopes: []string{"gist"}},
	"GET /user/keys":                          {scopes: []string{"admin:public_key", "read:public_key", "write:public_key"}},
	"GET /user/keys/{}":                       {scopes: []string{"admin:public_key", "read:public_key", "write:public_key"}},
	"POST /user/keys":                         {scopes: []string{"admin:public_key", "write:public_key"}},
	"DELETE /user/keys/{}":                    {scopes: []string{"admin:public_key"}},
	"GET /orgs/{}/actions/secrets/public-key": {scopes: orgAdmin}, "PUT /orgs/{}/actions/secrets/{}": {scopes: orgAdmin}, "DELETE /orgs/{}/actions/secrets/{}": {scopes: orgAdmin},
	"GET /orgs/{}/actions/secrets/{}": {scopes: orgAdmin}, "GET /orgs/{}/actions/secrets/{}/repositories": {scopes: orgAdmin}, "PUT /orgs/{}/actions/secrets/{}/repositories": {scopes: orgAdmin},
	"PUT /orgs/{}/actions/secrets/{}/repositories/{}": {scopes: orgAdmin}, "DELETE /orgs/{}/actions/secrets/{}/repositories/{}": {scopes: orgAdmin},
	"GET /orgs/{}/dependabot/secrets/public-key": {scopes: orgAdmin}, "PUT /orgs/{}/dependabot/secrets/{}": {scopes: orgAdmin}, "DELETE /orgs/{}/dependabot/secrets/{}": {scopes: orgAdmin},
	"GET /orgs/{}/dependabot/secrets/{}": {scopes: orgAdmin}, "GET /orgs/{}/dependabot/secrets/{}/repositories": {scopes: orgAdmin}, "PUT /orgs/{}/dependabot/secrets/{}/repositories": {scopes: orgAdmin},
	"PUT /orgs/{}/dependabot/secrets/{}/repositories/{}": {scopes: orgAdmin}, "DELETE /orgs/{}/dependabot/secrets/{}/repositories/{}": {scopes: orgAdmin},
	"POST /orgs/{}/actions/variables": {scopes: orgAdmin}, "GET /orgs/{}/actions/variables/{}": {scopes: orgAdmin}, "PATCH /orgs/{}/actions/variables/{}": {scopes: orgAdmin}, "DELETE /orgs/{}/actions/variables/{}": {scopes: orgAdmin},
	"GET /orgs/{}/actions/variables/{}/repositories": {scopes: orgAdmin}, "PUT /orgs/{}/actions/variables/{}/repositories": {scopes: orgAdmin},
	"PUT /orgs/{}/actions/variables/{}/repositories/{}": {scopes: orgAdmin}, "DELETE /orgs/{}/actions/variables/{}/repositories/{}": {scopes: orgAdmin},
	"POST /orgs/{}/actions/runners/registration-token": {scopes: orgAdmin}, "POST /orgs/{}/actions/runners/remove-token": {scopes: orgAdmin},
	"GET /orgs/{}/actions/runners/{}": {scopes: orgAdmin}, "GET /orgs/{}/actions/runners/{}/labels": {scopes: orgAdmin}, "DELETE /orgs/{}/actions/runners/{}": {scopes: orgAdmin},
	"POST /repos/{}/{}/issues/{}/labels":  {listToo: true},
	"PUT /repos/{}/{}/issues/{}/labels":   {listToo: true},
	"POST /repos/{}/{}/pulls/{}/comments": {freeing: "in_reply_to"},
	"POST /repos/{}/{}/statuses/{}":       {ownWords: true},
	// So PyGithub sends it, and https://github.com/google/go-github/pull/2276.
	"PUT /repos/{}/{}/branches/{}/protection": {freeing: "required_status_checks.checks"},
}

// operationOf returns the row of a route.
func operationOf(rt route) *operation {
	_, path, _ := strings.Cut(rt.pattern, " ")
	name := unnamed(rt.pattern)
	if name == "POST /gists/{}" {
		name = "PATCH /gists/{}"
	}
	particulars := particular[name]
	// Who may push, and what is required, are lists by themselves in GitHub's older descriptions.
	particulars.listToo = particulars.listToo || strings.Contains(path, "/protection/restrictions/") || strings.HasSuffix(path, "/required_status_checks/contexts")
	return &operation{
		route: rt, permissions: accepted(rt.pattern), particulars: particulars,
		forUsers: path == "/user" || strings.HasPrefix(path, "/user/"),
		forJWT:   path == "/app" || strings.HasPrefix(path, "/app/") || strings.HasSuffix(path, "/installation"),
	}
}

// writes reports whether the operation's method changes something.
func (op *operation) writes() bool { return !strings.HasPrefix(op.pattern, http.MethodGet) }

// ServeHTTP answers the call that the request's context carries.
func (op *operation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := callOf(r)
	c.Request, c.URL, c.operation = r, &address{URL: r.URL}, op
	out, _ := w.(*capture)
	if refusal := c.lackingScope(op); refusal != nil {
		out.response = *refusal
		return
	}
	out.response = c.integration.inform(op, op.answer(c))
}

// answer runs the handler, unless the operation is not for who asks.
func (op *operation) answer(c *call) Response {
	if err := c.mayAsk(op); err != nil {
		return errorResponse(err)
	}
	if string(bytes.TrimSpace(c.body)) == "null" && op.requiresNothing(c) {
		c.body = nil // so go-github sends options that are not given
	}
	answer, err := op.handle(c)
	if problem, ok := errors.AsType[*model.Problem](err); ok && problem.Lacking {
		err = c.refused(problem)
	}
	if refusal := op.refuseBody(c, answer, err); refusal != nil {
		return *refusal
	}
	if err != nil {
		return errorResponse(err)
	}
	response := answer.response(c)
	if response.Status == http.StatusOK {
		if refusal := c.lackingQuery(response.Body); refusal != nil {
			return *refusal
		}
	}
	return response
}

// lackingScope is the answer to a classic token that lacks the scope for an operation,
// nil where it lacks none. The header names the scopes, so that clients can tell their
// users.
func (c *call) lackingScope(op *operation) *Response {
	if op.scopes == nil || c.scopes == nil || slices.ContainsFunc(op.scopes, func(scope string) bool { return slices.Contains(c.scopes, scope) }) {
		return nil
	}
	refusal := errorResponse(errNotFound)
	refusal.Header.Set("X-Accepted-OAuth-Scopes", strings.Join(op.scopes, ", "))
	return &refusal
}

// mayAsk refuses operations that are not for the kind of credential that was used.
func (c *call) mayAsk(op *operation) error {
	switch {
	case op.writes() && c.actor == 0 && c.app == nil:
		return errNoUser
	case op.forJWT && c.app == nil:
		return &model.Problem{Kind: model.Unauthorized, Message: "A JSON web token could not be decoded"}
	case c.app != nil && !op.forJWT && !strings.HasSuffix(op.pattern, " /apps/{slug}"):
		return &model.Problem{Kind: model.Unauthorized, Message: "Bad credentials"}
	case c.integration != nil && !c.integration.User && op.forUsers:
		return errNotForApps
	default:
		return nil
	}
}
