package gql

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// pullCommit is a commit as part of a pull request.
type pullCommit struct {
	pull *model.Issue
	commit
}

// reviewRequest is a user or a team that was asked to review a pull request.
type reviewRequest struct {
	pull *model.Issue
	// of is a [*model.User] or a [*model.Team], id is its id.
	of any
	id model.ID
}

// pullFields resolves what pull requests have and issues have not.
func pullFields() map[string]graphql.Resolver {
	of := func(get func(*model.Pull) any) graphql.Resolver {
		return prop(func(_ *query, i *model.Issue) any { return get(i.Pull) })
	}
	counted := func(count func([]gitstore.FileDiff) int) graphql.Resolver {
		return field(func(q *query, i *model.Issue, _ graphql.Args) (any, error) {
			files, err := q.s.PullDiff(i)
			return count(files), err
		})
	}
	repo := prop(func(q *query, i *model.Issue) any { return q.repoOf(i) })
	return map[string]graphql.Resolver{
		"PullRequest.merged":   of(func(p *model.Pull) any { return p.Merged() }),
		"PullRequest.mergedAt": of(func(p *model.Pull) any { return p.MergedAt }),
		"PullRequest.mergedBy": prop(func(q *query, i *model.Issue) any { return present(q.s.Users.Get(i.Pull.MergedBy)) }),
		"PullRequest.mergeCommit": prop(func(q *query, i *model.Issue) any {
			return commitOf(q.repoOf(i), i.Pull.MergeCommitSHA)
		}),
		"PullRequest.potentialMergeCommit": constant(nil),
		"PullRequest.additions":            counted(func(f []gitstore.FileDiff) int { return sizeOf(f).added }),
		"PullRequest.deletions":            counted(func(f []gitstore.FileDiff) int { return sizeOf(f).removed }),
		"PullRequest.changedFiles":         counted(func(f []gitstore.FileDiff) int { return len(f) }),
		"PullRequest.files": connection(func(q *query, i *model.Issue, _ graphql.Args) ([]gitstore.FileDiff, error) {
			return q.s.PullDiff(i)
		}),
		"PullRequest.commits": connection(pullCommits),
		"PullRequest.baseRef": prop(func(q *query, i *model.Issue) any {
			return refNamed(q.repoOf(i), headsPrefix+i.Pull.BaseRef)
		}),
		"PullRequest.baseRefName":    of(func(p *model.Pull) any { return p.BaseRef }),
		"PullRequest.baseRefOid":     of(func(p *model.Pull) any { return p.BaseSHA }),
		"PullRequest.baseRepository": repo,
		"PullRequest.headRef": prop(func(q *query, i *model.Issue) any {
			if from := q.s.HeadRepo(i); from != nil {
				return refNamed(from, headsPrefix+i.Pull.HeadRef)
			}
			return nil
		}),
		"PullRequest.headRefName":         of(func(p *model.Pull) any { return p.HeadRef }),
		"PullRequest.headRefOid":          of(func(p *model.Pull) any { return p.HeadSHA }),
		"PullRequest.headRepository":      prop(func(q *query, i *model.Issue) any { return present(q.s.HeadRepo(i)) }),
		"PullRequest.headRepositoryOwner": prop(headOwner),
		"PullRequest.isCrossRepository":   of(func(p *model.Pull) any { return p.FromFork() }),
		"PullRequest.isDraft":             of(func(p *model.Pull) any { return p.Draft }),
		"PullRequest.maintainerCanModify": of(func(p *model.Pull) any { return p.MaintainerCanModify }),
		"PullRequest.mergeable":           field(mergeable),
		"PullRequest.mergeStateStatus": field(func(q *query, i *model.Issue, _ graphql.Args) (any, error) {
			state, err := q.s.MergeState(i)
			return string(state), err
		}),
		"PullRequest.reviewDecision": prop(func(q *query, i *model.Issue) any { return orNil(q.s.ReviewDecision(i)) }),
		"PullRequest.reviewRequests": connection(func(q *query, i *model.Issue, _ graphql.Args) ([]reviewRequest, error) {
			var requests []reviewRequest
			for _, u := range rows(&q.s.Users, i.Pull.RequestedReviewers) {
				requests = append(requests, reviewRequest{i, u, u.ID})
			}
			for _, t := range rows(&q.s.Teams, i.Pull.RequestedTeams) {
				requests = append(requests, reviewRequest{i, t, t.ID})
			}
			return requests, nil
		}),
		"PullRequest.autoMergeRequest":        prop(autoMergeOf),
		"PullRequest.statusCheckRollup":       prop(func(q *query, i *model.Issue) any { return q.rollup(q.repoOf(i), i.Pull.HeadSHA) }),
		"PullRequest.closingIssuesReferences": connection(closingIssues),
	}
}

func (q *query) repoOf(i *model.Issue) *model.Repo { return q.s.Repos.Get(i.RepoID) }

func pullCommits(q *query, i *model.Issue, _ graphql.Args) ([]pullCommit, error) {
	commits, err := q.s.PullCommits(i)
	all := make([]pullCommit, 0, len(commits))
	for _, c := range commits {
		all = append(all, pullCommit{i, commit{q.repoOf(i), c}})
	}
	return all, err
}

func mergeable(q *query, i *model.Issue, _ graphql.Args) (any, error) {
	switch state, err := q.s.MergeState(i); state {
	case model.MergeUnknown:
		return "UNKNOWN", err
	case model.MergeDirty:
		return "CONFLICTING", err
	default:
		return "MERGEABLE", err
	}
}

// pullPartFields resolves the files, commits and review requests of pull
// requests.
func pullPartFields() map[string]graphql.Resolver {
	changes := map[string]string{
		gitstore.StatusAdded: "ADDED", gitstore.StatusRemoved: "DELETED",
		gitstore.StatusRenamed: "RENAMED", gitstore.StatusModified: "MODIFIED",
	}
	return map[string]graphql.Resolver{
		"PullRequestChangedFile.path":              prop(func(_ *query, f gitstore.FileDiff) any { return f.Path }),
		"PullRequestChangedFile.additions":         prop(func(_ *query, f gitstore.FileDiff) any { return f.Additions }),
		"PullRequestChangedFile.deletions":         prop(func(_ *query, f gitstore.FileDiff) any { return f.Deletions }),
		"PullRequestChangedFile.changeType":        prop(func(_ *query, f gitstore.FileDiff) any { return changes[f.Status] }),
		"PullRequestChangedFile.viewerViewedState": constant("UNVIEWED"),
		"PullRequestCommit.id": prop(func(_ *query, c pullCommit) any {
			return named("PURC", c.repo.ID, fmt.Sprintf("%d:%s", c.pull.Pull.ID, c.Hash))
		}),
		"PullRequestCommit.commit":       prop(func(_ *query, c pullCommit) any { return c.commit }),
		"PullRequestCommit.pullRequest":  prop(func(_ *query, c pullCommit) any { return c.pull }),
		"PullRequestCommit.url":          prop(func(q *query, c pullCommit) any { return webURL + c.path(q) }),
		"PullRequestCommit.resourcePath": prop(func(q *query, c pullCommit) any { return c.path(q) }),
		"ReviewRequest.id": prop(func(_ *query, r reviewRequest) any {
			return named("RR", r.pull.RepoID, fmt.Sprintf("%d:%d", r.pull.Pull.ID, r.id))
		}),
		"ReviewRequest.databaseId":        constant(nil),
		"ReviewRequest.asCodeOwner":       constant(false),
		"ReviewRequest.pullRequest":       prop(func(_ *query, r reviewRequest) any { return r.pull }),
		"ReviewRequest.requestedReviewer": prop(func(_ *query, r reviewRequest) any { return r.of }),
	}
}

func (c pullCommit) path(q *query) string {
	return q.facts(c.pull).path + "/commits/" + c.Hash.String()
}

// headOwner resolves whose repository a pull request's head is in; null if that
// is gone.
func headOwner(q *query, i *model.Issue) any {
	if from := q.s.HeadRepo(i); from != nil {
		return present(q.s.Users.Get(from.OwnerID))
	}
	return nil
}
