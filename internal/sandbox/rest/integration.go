package rest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Integration is an App that asks with a token of its own. Nil is a user.
type Integration struct {
	App model.ID
	// Permissions are what the token was granted, by resource: read or write.
	Permissions map[string]string
}

var errNotForApps = &model.Problem{Kind: model.Forbidden, Message: "Resource not accessible by integration"}

// ForbiddenMutation is the answer to a GraphQL mutation that a token must not
// make.
func ForbiddenMutation() Response {
	body, err := encode(map[string]any{
		"data":   nil,
		"errors": []map[string]string{{"type": "FORBIDDEN", "message": errNotForApps.Message}},
	})
	if err != nil {
		return errorResponse(err)
	}
	return Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {jsonType}}, Body: body}
}

// MayPush reports whether a token may push with git.
func (i *Integration) MayPush() bool { return i == nil || i.has(permission{"contents", "write"}) }

// forUsers reports whether a route is about the user who asks, whom an App has
// not.
func (rt route) forUsers() bool {
	_, path, _ := strings.Cut(rt.pattern, " ")
	return path == "/user" || strings.HasPrefix(path, "/user/")
}

// inform adds the permissions that a route accepts to its answer to an App.
func (i *Integration) inform(rt route, answer Response) Response {
	if i == nil || rt.forUsers() {
		return answer
	}
	var names []string
	for _, one := range accepted(rt.pattern) {
		names = append(names, one.resource+"="+one.level)
	}
	answer.Header.Set("X-Accepted-GitHub-Permissions", strings.Join(names, "; "))
	return answer
}

// permission is what a route asks of an App's token.
type permission struct{ resource, level string }

// granted reports whether a token has one of the permissions that a route
// accepts. Anyone may read a public repository.
func (i *Integration) granted(pattern string, repo *model.Repo) bool {
	if i == nil || strings.HasPrefix(pattern, http.MethodGet) && !repo.Private {
		return true
	}
	return slices.ContainsFunc(accepted(pattern), i.has)
}

func (i *Integration) has(p permission) bool {
	switch {
	case p.resource == "metadata":
		// Every App has it.
		return p.level == "read"
	case p.level == "read":
		return i.Permissions[p.resource] != ""
	default:
		return i.Permissions[p.resource] == p.level
	}
}

// resources are the permissions that routes of a repository are about, by the
// first part of the path below the repository's.
var resources = map[string][]string{
	"issues": {"issues", "pull_requests"}, "labels": {"issues", "pull_requests"}, "milestones": {"issues", "pull_requests"},
	"assignees": {"issues", "pull_requests"}, "pulls": {"pull_requests"}, "actions": {"actions"},
	"check-runs": {"checks"}, "check-suites": {"checks"},
	"git": {"contents"}, "contents": {"contents"}, "branches": {"contents"}, "commits": {"contents"}, "compare": {"contents"},
	"readme": {"contents"}, "releases": {"contents"}, "zipball": {"contents"}, "tarball": {"contents"},
}

// accepted returns the permissions of which a token needs one.
func accepted(pattern string) []permission {
	method, path, _ := strings.Cut(pattern, " ")
	level := "write"
	if method == http.MethodGet {
		level = "read"
	}
	below := strings.TrimPrefix(strings.TrimPrefix(path, reposPath), repositoriesPath)
	first, _, _ := strings.Cut(strings.TrimPrefix(below, "/"), "/")
	names := resources[first]
	switch {
	case strings.HasSuffix(path, "/merge"):
		names = []string{"contents"}
	case names == nil:
		names = []string{"metadata"}
	}
	var all []permission
	for _, name := range names {
		all = append(all, permission{name, level})
	}
	return all
}
