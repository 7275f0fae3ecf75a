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
	// Installation is the one that the token was made for, nil for none. Repos
	// are the repositories to which it is narrowed, nil for all of them.
	Installation *model.Installation
	Repos        []model.ID
	// User is true for the token of a user who signed in through the App.
	User bool
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

// mutations are the permissions of which a token needs one to write for a
// GraphQL mutation. Apps make no others.
var mutations = map[string][]string{
	"addAssigneesToAssignable": either, "addComment": either, "addLabelsToLabelable": either, "removeAssigneesFromAssignable": either,
	"removeLabelsFromLabelable": either, "updateIssueComment": either,
	"addReaction": either, "removeReaction": either, "minimizeComment": either, "unminimizeComment": either,
	"dismissPullRequestReview": pulls, "updatePullRequestReview": pulls,
	"addBlockedBy": issues, "addSubIssue": issues, "closeIssue": issues, "createIssue": issues, "createLabel": issues, "deleteLabel": issues,
	"removeBlockedBy": issues, "removeSubIssue": issues, "reopenIssue": issues, "reprioritizeSubIssue": issues, "updateIssue": issues, "updateLabel": issues,
	"addPullRequestReview": pulls, "addPullRequestReviewThread": pulls, "addPullRequestReviewThreadReply": pulls, "closePullRequest": pulls,
	"convertPullRequestToDraft": pulls, "createPullRequest": pulls, "deletePullRequestReview": pulls, "markPullRequestReadyForReview": pulls,
	"reopenPullRequest": pulls, "requestReviews": pulls, "resolveReviewThread": pulls, "submitPullRequestReview": pulls, "unresolveReviewThread": pulls,
	"updatePullRequest": pulls, "mergePullRequest": contents, "updatePullRequestBranch": contents,
	"createDiscussion": discussions, "updateDiscussion": discussions, "deleteDiscussion": discussions, "closeDiscussion": discussions, "reopenDiscussion": discussions,
	"addDiscussionComment": discussions, "updateDiscussionComment": discussions, "deleteDiscussionComment": discussions,
	"markDiscussionCommentAsAnswer": discussions, "unmarkDiscussionCommentAsAnswer": discussions,
	"createCommitOnBranch": contents, "createRef": contents, "updateRef": contents, "updateRefs": contents, "deleteRef": contents, "mergeBranch": contents,
}

var (
	issues   = []string{"issues"}
	pulls    = []string{"pull_requests"}
	either   = []string{"issues", "pull_requests"}
	contents = []string{"contents"}

	discussions = []string{"discussions"}
)

// MayMutate reports whether a token may make GraphQL mutations, by their names.
func (i *Integration) MayMutate(names []string) bool {
	return i == nil || !slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(mutations[name], func(resource string) bool { return i.has(permission{resource, "write"}) })
	})
}

// MayPush reports whether a token may push with git.
func (i *Integration) MayPush() bool { return i == nil || i.has(permission{"contents", "write"}) }

// inform adds the permissions that an operation accepts to its answer to an App.
func (i *Integration) inform(op *operation, answer Response) Response {
	if i == nil || op.forUsers {
		return answer
	}
	var names []string
	for _, one := range op.permissions {
		names = append(names, one.resource+"="+one.level)
	}
	answer.Header.Set("X-Accepted-GitHub-Permissions", strings.Join(names, "; "))
	return answer
}

// permission is what an operation asks of an App's token.
type permission struct{ resource, level string }

// granted reports whether a token has one of the permissions that an operation
// accepts. Anyone may read a public repository.
func (i *Integration) granted(op *operation, repo *model.Repo) bool {
	if i == nil || !op.writes() && !repo.Private {
		return true
	}
	return slices.ContainsFunc(op.permissions, i.has)
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
	"check-runs": {"checks"}, "check-suites": {"checks"}, "statuses": {"statuses"}, "hooks": {"repository_hooks"},
	"deployments": {"deployments"}, "environments": {"actions"}, "dispatches": {"contents"},
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
	first, second, _ := strings.Cut(strings.TrimPrefix(below, "/"), "/")
	names := resources[first]
	switch {
	case strings.HasPrefix(second, "secrets"):
		names = []string{"secrets"}
	case strings.HasPrefix(second, "variables"):
		names = []string{"actions_variables"}
	case strings.Contains(path, "/protection"), first == "keys", first == "rulesets" && level == "write", level == "write" && (first == "" || first == "topics"):
		names = []string{"administration"}
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
