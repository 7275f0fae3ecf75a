package gql

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func unresolved(format string, args ...any) error {
	return &graphql.Error{Type: "NOT_FOUND", Message: "Could not resolve to " + fmt.Sprintf(format, args...)}
}

func noNode(id string) error { return unresolved("a node with the global id of '%s'", id) }

// node returns the object of a global id, if the user may see it.
func (q *query) node(id string) (any, error) {
	obj := q.object(id)
	if obj == nil || q.facts(obj).node != id || !q.sees(obj) {
		return nil, noNode(id)
	}
	return obj, nil
}

// sees reports whether the user may see an object.
func (q *query) sees(obj any) bool {
	repo, isRepo := obj.(*model.Repo)
	if !isRepo {
		repo = q.s.Repos.Get(q.facts(obj).repo)
	}
	if repo != nil && q.s.Permission(q.actor, repo) < model.PermRead {
		return false
	}
	switch obj := obj.(type) {
	case *model.Event:
		return q.seesSubject(obj)
	case *model.Review:
		return obj.VisibleTo(q.actor)
	case *model.ReviewComment:
		return q.s.Reviews.Get(obj.ReviewID).VisibleTo(q.actor)
	case *model.Release:
		return q.s.SeesRelease(q.actor, obj)
	case releaseAsset:
		return q.s.SeesRelease(q.actor, obj.release)
	case *model.Team:
		return q.s.Users.Get(obj.OrgID).Members[q.actor] != ""
	case *model.Thread:
		return len(q.s.VisibleComments(q.actor, obj)) > 0
	default:
		return q.seesProject(obj)
	}
}

// object returns the object of a global id, nil if there is none.
func (q *query) object(node string) any {
	kind, id, ok := model.ParseNodeID(node)
	if !ok {
		return q.namedObject(node)
	}
	switch kind {
	case model.NodeUser, model.NodeOrganization, model.NodeBot:
		return present(q.s.Users.Get(id))
	case model.NodeRepo:
		return present(q.s.Repos.Get(id))
	case model.NodeIssue:
		return present(q.s.Issues.Get(id))
	case model.NodePull:
		return present(q.s.PullByID(id))
	case model.NodeComment:
		return present(q.s.Comments.Get(id))
	case model.NodeReview:
		return present(q.s.Reviews.Get(id))
	case model.NodeThread:
		return present(q.s.Threads.Get(id))
	case model.NodeReviewComment:
		return present(q.s.ReviewComments.Get(id))
	case model.NodeLabel:
		return present(q.s.Labels.Get(id))
	case model.NodeMilestone:
		return present(q.s.Milestones.Get(id))
	case model.NodeCheckRun:
		return present(q.s.CheckRuns.Get(id))
	case model.NodeCheckSuite:
		return present(q.s.CheckSuites.Get(id))
	case model.NodeReaction:
		return present(q.s.Reactions.Get(id))
	case model.NodeStatus:
		return present(q.s.Statuses.Get(id))
	case model.NodeRun:
		return present(q.s.Runs.Get(id))
	case model.NodeWorkflow:
		return present(q.s.Workflows.Get(id))
	case model.NodeRelease:
		return present(q.s.Releases.Get(id))
	case model.NodeReleaseAsset:
		return q.assetByID(id)
	case model.NodeTeam:
		return present(q.s.Teams.Get(id))
	case model.NodeIssueType:
		return present(q.s.IssueType(id))
	case model.NodeGist:
		return present(q.s.Gists.Get(id))
	case model.NodeLinkedBranch:
		if i, b := q.s.IssueOfBranch(id); i != nil {
			return linkedBranch{i, b}
		}
		return nil
	case model.NodeApp:
		return present(q.s.Apps.Get(id))
	case model.NodeDiscussion, model.NodeDiscussionComment, model.NodeDiscussionCategory:
		return q.discussionObject(kind, id)
	default:
		if isTimelineNode(kind) {
			return present(q.s.Events.Get(id))
		}
		return q.projectObject(kind, id)
	}
}

// typed returns the object of a global id if it is a T that the user may see.
func typed[T any](q *query, id string) (T, error) {
	var none T
	obj, err := q.node(id)
	if err != nil {
		return none, err
	}
	value, ok := obj.(T)
	if !ok {
		return none, noNode(id)
	}
	return value, nil
}

// issueByID is [typed] for issues that are no pull requests.
func issueByID(q *query, id string) (*model.Issue, error) {
	i, err := typed[*model.Issue](q, id)
	if err == nil && i.Pull != nil {
		return nil, noNode(id)
	}
	return i, err
}

// pullByID is [typed] for pull requests.
func pullByID(q *query, id string) (*model.Issue, error) {
	i, err := typed[*model.Issue](q, id)
	if err == nil && i.Pull == nil {
		return nil, noNode(id)
	}
	return i, err
}

// allTyped returns the objects of global ids of one type.
func allTyped[T any](q *query, ids []string) ([]T, error) {
	found := make([]T, 0, len(ids))
	for _, id := range ids {
		obj, err := typed[T](q, id)
		if err != nil {
			return nil, err
		}
		found = append(found, obj)
	}
	return found, nil
}

// userIDs returns the database ids of users by their global ids.
func (q *query) userIDs(nodes []string) ([]model.ID, error) {
	users, err := allTyped[*model.User](q, nodes)
	ids := make([]model.ID, 0, len(users))
	for _, u := range users {
		ids = append(ids, u.ID)
	}
	return ids, err
}
