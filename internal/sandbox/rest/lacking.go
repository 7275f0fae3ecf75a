package rest

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// insideOthers are the operations that handlers of wider patterns serve.
var insideOthers = []string{
	"GET " + reposPath + "/actions/artifacts/{artifact_id}/{archive_format}",
	"GET " + reposPath + "/commits/{ref}/check-runs", "GET " + reposPath + "/commits/{ref}/check-suites",
	"GET " + reposPath + "/commits/{ref}/status", "GET " + reposPath + "/commits/{ref}/statuses", "GET " + reposPath + "/commits/{commit_sha}/pulls",
	"GET " + reposPath + "/commits/{commit_sha}/branches-where-head", "GET " + reposPath + "/commits/{commit_sha}/comments",
	"GET " + reposPath + "/issues/comments/{comment_id}", "PATCH " + reposPath + "/issues/comments/{comment_id}", "DELETE " + reposPath + "/issues/comments/{comment_id}",
	"GET " + reposPath + "/issues/events/{event_id}", "GET " + reposPath + "/pulls/{pull_number}/reviews/{review_id}",
	"GET " + reposPath + "/pulls/comments/{comment_id}/reactions",
	"GET " + reposPath + "/pulls/comments/{comment_id}", "PATCH " + reposPath + "/pulls/comments/{comment_id}", "DELETE " + reposPath + "/pulls/comments/{comment_id}",
	"GET " + reposPath + "/releases/{release_id}/assets", "GET " + reposPath + "/releases/{release_id}/reactions",
	"GET " + reposPath + "/issues/{issue_number}/assignees/{assignee}",
}

var placeholder = regexp.MustCompile(`\{[^}]*\}`)

// unnamed returns a pattern without the names of its variables, so that those of
// the sandbox compare with GitHub's.
func unnamed(pattern string) string {
	return placeholder.ReplaceAllString(strings.TrimSuffix(pattern, "{$}"), "{}")
}

// operationsOf returns what routes serve, by [unnamed] pattern.
func operationsOf(all []route) map[string]bool {
	served := map[string]bool{}
	for _, rt := range all {
		served[unnamed(rt.pattern)] = true
	}
	for _, op := range insideOthers {
		served[unnamed(op)] = true
	}
	return served
}

// orLacking returns the answer to a request, unless it is that something is not
// there because the sandbox lacks the operation: then it says so (rule S20).
// What GitHub lacks too stays not found.
func (a *API) orLacking(c *call, answer Response) Response {
	if answer.Status != http.StatusNotFound && answer.Status != http.StatusUnprocessableEntity {
		return answer
	}
	method := c.Method
	if method == http.MethodOptions {
		method = http.MethodGet
	}
	op, known := githubschema.Find(method, c.URL.EscapedPath())
	if !known || a.served[unnamed(op.String())] {
		return answer
	}
	asked := operationOf(route{pattern: op.String()})
	if refusal := c.lackingScope(asked); refusal != nil {
		return *refusal
	}
	if err := c.mayReach(asked, op); err != nil {
		return errorResponse(err)
	}
	body := errorBody{Message: fmt.Sprintf("This sandbox does not have %s yet; GitHub does.", op), DocumentationURL: op.Documentation}
	refusal := body.response(http.StatusNotImplemented)
	refusal.Lacking = []string{op.String()}
	return refusal
}

// mayReach refuses a request that GitHub would refuse whatever the operation
// does: for its credential, or for a repository or account that is not there.
func (c *call) mayReach(asked *operation, op *githubschema.Operation) error {
	if err := c.mayAsk(asked); err != nil {
		return err
	}
	parts := strings.Split(strings.TrimPrefix(c.URL.Path, "/"), "/")
	switch {
	case strings.HasPrefix(op.Path, reposPath):
		fullName := strings.Join(parts[1:min(len(parts), 3)], "/")
		if id, err := strconv.ParseInt(parts[1], 10, 64); parts[0] != "repos" && err == nil && c.s.Repos.Get(id) != nil {
			fullName = c.s.FullName(c.s.Repos.Get(id))
		}
		owner, name, _ := strings.Cut(fullName, "/")
		_, err := c.s.VisibleRepo(c.actor, owner, name)
		return err
	case strings.HasPrefix(op.Path, "/orgs/{org}"):
		if u := c.s.User(parts[1]); u == nil || u.Type != model.TypeOrganization {
			return errNotFound
		}
	case strings.HasPrefix(op.Path, "/users/{username}"):
		if c.s.User(parts[1]) == nil {
			return errNotFound
		}
	}
	return nil
}
