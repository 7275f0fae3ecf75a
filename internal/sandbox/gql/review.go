package gql

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func reviewFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"PullRequest.reviews": connection(func(q *query, i *model.Issue, args graphql.Args) ([]*model.Review, error) {
			states, author := args.Strings("states"), args.String("author")
			return slices.DeleteFunc(q.s.ReviewsOf(q.actor, i), func(r *model.Review) bool {
				return len(states) > 0 && !slices.Contains(states, string(r.State)) ||
					author != "" && !strings.EqualFold(author, q.s.Login(r.AuthorID))
			}), nil
		}),
		"PullRequest.latestReviews": connection(func(q *query, i *model.Issue, _ graphql.Args) ([]*model.Review, error) {
			return q.s.LatestReviews(i), nil
		}),
		"PullRequest.reviewThreads": connection(func(q *query, i *model.Issue, _ graphql.Args) ([]*model.Thread, error) {
			return q.s.ThreadsOf(q.actor, i), nil
		}),
		"PullRequestReview.state":       prop(func(_ *query, r *model.Review) any { return string(r.State) }),
		"PullRequestReview.submittedAt": prop(func(_ *query, r *model.Review) any { return r.SubmittedAt }),
		"PullRequestReview.commit": prop(func(q *query, r *model.Review) any {
			return commitOf(q.s.Repos.Get(r.RepoID), r.CommitSHA)
		}),
		"PullRequestReview.pullRequest": prop(func(q *query, r *model.Review) any { return q.s.Issues.Get(r.IssueID) }),
		"PullRequestReview.comments": connection(func(q *query, r *model.Review, _ graphql.Args) ([]*model.ReviewComment, error) {
			return q.s.CommentsOfReview(r), nil
		}),
	}
}

func threadFields() map[string]graphql.Resolver {
	of := func(get func(*model.Thread) any) graphql.Resolver {
		return prop(func(_ *query, t *model.Thread) any { return get(t) })
	}
	return map[string]graphql.Resolver{
		"PullRequestReviewThread.path":              of(func(t *model.Thread) any { return t.Path }),
		"PullRequestReviewThread.line":              onPlace(threadItself, placeLine),
		"PullRequestReviewThread.startLine":         onPlace(threadItself, placeStart),
		"PullRequestReviewThread.isOutdated":        onPlace(threadItself, placeOutdated),
		"PullRequestReviewThread.originalLine":      of(func(t *model.Thread) any { return lineOrNil(t.Line) }),
		"PullRequestReviewThread.originalStartLine": of(func(t *model.Thread) any { return lineOrNil(t.StartLine) }),
		"PullRequestReviewThread.diffSide":          of(func(t *model.Thread) any { return string(t.Side) }),
		"PullRequestReviewThread.startDiffSide":     of(func(t *model.Thread) any { return orNil(string(t.StartSide)) }),
		"PullRequestReviewThread.subjectType":       of(func(t *model.Thread) any { return subjectType(t) }),
		"PullRequestReviewThread.isResolved":        of(func(t *model.Thread) any { return t.Resolved }),
		"PullRequestReviewThread.isCollapsed":       of(func(t *model.Thread) any { return t.Resolved }),
		"PullRequestReviewThread.resolvedBy":        prop(func(q *query, t *model.Thread) any { return present(q.s.Users.Get(t.ResolvedBy)) }),
		"PullRequestReviewThread.pullRequest":       prop(func(q *query, t *model.Thread) any { return q.s.Issues.Get(t.IssueID) }),
		"PullRequestReviewThread.comments": connection(func(q *query, t *model.Thread, args graphql.Args) ([]*model.ReviewComment, error) {
			comments := q.s.VisibleComments(q.actor, t)
			return comments[min(max(args.Int("skip"), 0), len(comments)):], nil
		}),
		"PullRequestReviewThread.viewerCanReply":     prop(func(q *query, t *model.Thread) any { return q.s.CanTalk(q.actor, q.s.Issues.Get(t.IssueID)) }),
		"PullRequestReviewThread.viewerCanResolve":   prop(func(q *query, t *model.Thread) any { return !t.Resolved && q.s.CanResolve(q.actor, t) }),
		"PullRequestReviewThread.viewerCanUnresolve": prop(func(q *query, t *model.Thread) any { return t.Resolved && q.s.CanResolve(q.actor, t) }),
	}
}

func reviewCommentFields() map[string]graphql.Resolver {
	onThread := func(get func(q *query, t *model.Thread) any) graphql.Resolver {
		return prop(func(q *query, c *model.ReviewComment) any { return get(q, threadOfComment(q, c)) })
	}
	return map[string]graphql.Resolver{
		"PullRequestReviewComment.line":              onPlace(threadOfComment, placeLine),
		"PullRequestReviewComment.startLine":         onPlace(threadOfComment, placeStart),
		"PullRequestReviewComment.outdated":          onPlace(threadOfComment, placeOutdated),
		"PullRequestReviewComment.path":              onThread(func(_ *query, t *model.Thread) any { return t.Path }),
		"PullRequestReviewComment.originalLine":      onThread(func(_ *query, t *model.Thread) any { return lineOrNil(t.Line) }),
		"PullRequestReviewComment.originalStartLine": onThread(func(_ *query, t *model.Thread) any { return lineOrNil(t.StartLine) }),
		"PullRequestReviewComment.subjectType":       onThread(func(_ *query, t *model.Thread) any { return subjectType(t) }),
		"PullRequestReviewComment.pullRequest":       onThread(func(q *query, t *model.Thread) any { return q.s.Issues.Get(t.IssueID) }),
		"PullRequestReviewComment.commit": onThread(func(q *query, t *model.Thread) any {
			return commitOf(q.s.Repos.Get(t.RepoID), q.s.Issues.Get(t.IssueID).Pull.HeadSHA)
		}),
		"PullRequestReviewComment.diffHunk": prop(func(_ *query, c *model.ReviewComment) any { return c.DiffHunk }),
		"PullRequestReviewComment.state": prop(func(q *query, c *model.ReviewComment) any {
			if q.s.Reviews.Get(c.ReviewID).State == model.ReviewPending {
				return "PENDING"
			}
			return "SUBMITTED"
		}),
		"PullRequestReviewComment.replyTo": prop(func(q *query, c *model.ReviewComment) any {
			return present(q.s.ReviewComments.Get(c.InReplyTo))
		}),
		"PullRequestReviewComment.originalCommit": prop(func(q *query, c *model.ReviewComment) any {
			return commitOf(q.s.Repos.Get(c.RepoID), c.CommitSHA)
		}),
		"PullRequestReviewComment.pullRequestReview": prop(func(q *query, c *model.ReviewComment) any {
			return q.s.Reviews.Get(c.ReviewID)
		}),
	}
}

// onPlace makes a resolver of where the thread of an object lies now.
func onPlace[T any](thread func(*query, T) *model.Thread, get func(model.Place) any) graphql.Resolver {
	return field(func(q *query, obj T, _ graphql.Args) (any, error) {
		place, err := q.s.PlaceOf(thread(q, obj))
		return get(place), err
	})
}

func threadItself(_ *query, t *model.Thread) *model.Thread { return t }

func threadOfComment(q *query, c *model.ReviewComment) *model.Thread {
	return q.s.Threads.Get(c.ThreadID)
}

func placeLine(p model.Place) any     { return lineOrNil(p.Line) }
func placeStart(p model.Place) any    { return lineOrNil(p.StartLine) }
func placeOutdated(p model.Place) any { return p.Outdated }

func lineOrNil(line int) any {
	if line == 0 {
		return nil
	}
	return line
}

func subjectType(t *model.Thread) string {
	if t.FileWide {
		return "FILE"
	}
	return "LINE"
}
