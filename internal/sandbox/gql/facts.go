package gql

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

const webURL = "https://github.com"

// facts are what many kinds of object have.
type facts struct {
	node string
	// path is the object's page below github.com.
	path             string
	id               model.ID
	repo             model.ID
	author           model.ID
	body             string
	created, updated time.Time
}

func (q *query) facts(obj any) facts {
	switch o := obj.(type) {
	case *model.User:
		return facts{
			node: model.NodeID(model.UserNode(o), 0, o.ID), id: o.ID, path: o.Page(), created: o.CreatedAt, updated: o.UpdatedAt,
		}
	case *model.App:
		return facts{node: model.NodeID(model.NodeApp, 0, o.ID), id: o.ID, path: "/apps/" + o.Slug, created: o.CreatedAt}
	case *model.Repo:
		return facts{node: model.NodeID(model.NodeRepo, 0, o.ID), id: o.ID, path: q.path(o.ID, ""), created: o.CreatedAt, updated: o.UpdatedAt}
	case *model.Label:
		f := inRepo(model.NodeLabel, o.RepoID, o.ID, o.CreatedAt, o.UpdatedAt)
		f.path = q.path(o.RepoID, "/labels/"+url.PathEscape(o.Name))
		return f
	case *model.Milestone:
		f := inRepo(model.NodeMilestone, o.RepoID, o.ID, o.CreatedAt, o.UpdatedAt)
		f.path = q.path(o.RepoID, fmt.Sprintf("/milestone/%d", o.Number))
		return f
	case commit:
		return facts{node: named("C", o.repo.ID, o.Hash.String()), repo: o.repo.ID, path: q.path(o.repo.ID, "/commit/"+o.Hash.String())}
	case tree:
		return facts{node: named("T", o.repo.ID, o.hash.String()), repo: o.repo.ID}
	case blob:
		return facts{node: named("B", o.repo.ID, o.hash.String()), repo: o.repo.ID}
	case pinnedIssue:
		return facts{node: model.NodeID("PI", o.RepoID, o.ID), repo: o.RepoID}
	case ref:
		return facts{node: named("REF", o.repo.ID, o.name), repo: o.repo.ID}
	case *model.Reaction:
		return inRepo(model.NodeReaction, o.RepoID, o.ID, o.CreatedAt, o.CreatedAt)
	case *model.CommitStatus:
		return inRepo(model.NodeStatus, o.RepoID, o.ID, o.CreatedAt, o.UpdatedAt)
	case commitStatus:
		return facts{node: named("S", o.repo.ID, o.sha), repo: o.repo.ID}
	case linkedBranch:
		return facts{node: model.NodeID(model.NodeLinkedBranch, o.issue.RepoID, o.ID), repo: o.issue.RepoID}
	case topic:
		return facts{node: named("TO", 0, o.name)}
	case repositoryTopic:
		return facts{node: named("RT", o.repo.ID, o.name), path: "/topics/" + o.name}
	case *model.Team:
		return facts{
			node: model.NodeID(model.NodeTeam, 0, o.ID), id: o.ID, path: fmt.Sprintf("/orgs/%s/teams/%s", q.s.Login(o.OrgID), o.Slug),
			created: o.CreatedAt, updated: o.UpdatedAt,
		}
	case *model.IssueType:
		return facts{node: model.NodeID(model.NodeIssueType, 0, o.ID), id: o.ID, created: o.CreatedAt, updated: o.CreatedAt}
	case *model.Gist:
		return facts{
			node: model.NodeID(model.NodeGist, 0, o.ID), id: o.ID, path: "/" + q.s.Login(o.OwnerID) + "/" + o.Name,
			created: o.CreatedAt, updated: o.UpdatedAt,
		}
	case *model.Discussion, *model.DiscussionComment, category:
		return q.factsOfDiscussions(obj)
	default:
		return q.factsOfTalk(obj)
	}
}

// inRepo returns the facts of something that belongs to a repository, without its
// path.
func inRepo(kind model.NodeKind, repo, id model.ID, created, updated time.Time) facts {
	return facts{node: model.NodeID(kind, repo, id), id: id, repo: repo, created: created, updated: updated}
}

// factsOfTalk are those of issues, pull requests and what is said on them.
func (q *query) factsOfTalk(obj any) facts {
	said := func(f facts, issue model.ID, anchor string, author model.ID, body string) facts {
		f.path = fmt.Sprintf("%s#%s%d", q.facts(q.s.Issues.Get(issue)).path, anchor, f.id)
		f.author, f.body = author, body
		return f
	}
	switch o := obj.(type) {
	case *model.Issue:
		f := inRepo(model.NodeIssue, o.RepoID, o.ID, o.CreatedAt, o.UpdatedAt)
		page := "issues"
		if o.Pull != nil {
			f.node, f.id, page = model.NodeID(model.NodePull, o.RepoID, o.Pull.ID), o.Pull.ID, "pull"
		}
		f.path = q.path(o.RepoID, fmt.Sprintf("/%s/%d", page, o.Number))
		f.author, f.body = o.AuthorID, o.Body
		return f
	case *model.Comment:
		f := inRepo(model.NodeComment, o.RepoID, o.ID, o.CreatedAt, o.UpdatedAt)
		return said(f, o.IssueID, "issuecomment-", o.AuthorID, o.Body)
	case *model.Review:
		f := inRepo(model.NodeReview, o.RepoID, o.ID, o.CreatedAt, o.UpdatedAt)
		return said(f, o.IssueID, "pullrequestreview-", o.AuthorID, o.Body)
	case *model.ReviewComment:
		f := inRepo(model.NodeReviewComment, o.RepoID, o.ID, o.CreatedAt, o.UpdatedAt)
		return said(f, q.s.Threads.Get(o.ThreadID).IssueID, "discussion_r", o.AuthorID, o.Body)
	case *model.Thread:
		return inRepo(model.NodeThread, o.RepoID, o.ID, time.Time{}, time.Time{})
	case *model.Event:
		return inRepo(timelineNode(o), o.RepoID, o.ID, o.CreatedAt, o.CreatedAt)
	default:
		return q.factsOfActions(obj)
	}
}

// factsOfActions are those of checks and workflow runs.
func (q *query) factsOfActions(obj any) facts {
	var f facts
	switch o := obj.(type) {
	case *model.CheckRun:
		f = inRepo(model.NodeCheckRun, o.RepoID, o.ID, o.StartedAt, o.StartedAt)
		f.path = strings.TrimPrefix(o.DetailsURL, webURL)
	case *model.CheckSuite:
		f = inRepo(model.NodeCheckSuite, o.RepoID, o.ID, o.CreatedAt, o.UpdatedAt)
		f.path = q.path(o.RepoID, fmt.Sprintf("/commit/%s/checks?check_suite_id=%d", o.HeadSHA, o.ID))
	case *model.Run:
		f = inRepo(model.NodeRun, o.RepoID, o.ID, o.CreatedAt, o.UpdatedAt)
		f.path = q.path(o.RepoID, fmt.Sprintf("/actions/runs/%d", o.ID))
	case *model.Workflow:
		f = inRepo(model.NodeWorkflow, o.RepoID, o.ID, o.CreatedAt, o.UpdatedAt)
		f.path = q.path(o.RepoID, "/actions/workflows/"+path.Base(o.Path))
	default:
		return q.factsOfReleases(obj)
	}
	return f
}

func (q *query) path(repo model.ID, below string) string {
	return "/" + q.s.FullName(q.s.Repos.Get(repo)) + below
}

// named is the node id of an object that has a name rather than a number.
func named(prefix string, repo model.ID, name string) string {
	return prefix + "_" + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d:%s", repo, name))
}
