package gql

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// changePull is [change] for pull requests.
func changePull(apply func(q *query, i *model.Issue, in graphql.Args) error) mutator {
	return change("pullRequestId", "pullRequest", pullByID, apply)
}

func pullMutations() map[string]mutator {
	return map[string]mutator{
		"createPullRequest": createPull,
		"updatePullRequest": changePull(updatePull),
		"closePullRequest":  changePull(setState("closed")),
		"reopenPullRequest": changePull(setState("open")),
		"mergePullRequest": changePull(func(q *query, i *model.Issue, in graphql.Args) error {
			return q.s.MergePull(q.actor, i, mergeInput(in))
		}),
		"updatePullRequestBranch": changePull(func(q *query, i *model.Issue, in graphql.Args) error {
			return q.s.UpdatePullBranch(q.actor, i, model.BranchUpdate{
				ExpectedHead: in.String("expectedHeadOid"), Rebase: in.Enum("updateMethod") == "REBASE",
			})
		}),
		"enablePullRequestAutoMerge":    changePull(enableAutoMerge),
		"disablePullRequestAutoMerge":   changePull(disableAutoMerge),
		"markPullRequestReadyForReview": changePull(setDraft(false)),
		"convertPullRequestToDraft":     changePull(setDraft(true)),
		"requestReviews":                changePull(requestReviews),
		"enqueuePullRequest":            enqueue,
		"dequeuePullRequest":            dequeue,
	}
}

func enableAutoMerge(q *query, i *model.Issue, in graphql.Args) error {
	return q.s.EnableAutoMerge(q.actor, i, mergeInput(in))
}

func disableAutoMerge(q *query, i *model.Issue, _ graphql.Args) error {
	return q.s.DisableAutoMerge(q.actor, i)
}

func mergeInput(in graphql.Args) model.Merge {
	return model.Merge{
		Method: model.MergeMethod(strings.ToLower(in.Enum("mergeMethod"))),
		Title:  in.String("commitHeadline"), Message: in.String("commitBody"), ExpectedHead: in.String("expectedHeadOid"),
	}
}

func setDraft(draft bool) func(q *query, i *model.Issue, in graphql.Args) error {
	return func(q *query, i *model.Issue, _ graphql.Args) error { return q.s.SetDraft(q.actor, i, draft) }
}

func requestReviews(q *query, i *model.Issue, in graphql.Args) error {
	users, err := q.userIDs(in.Strings("userIds"))
	if err != nil {
		return err
	}
	teams, err := q.teamIDs(in.Strings("teamIds"))
	if err != nil {
		return err
	}
	if err := q.s.RequestReviewers(q.actor, i, users, in.Bool("union")); err != nil {
		return err
	}
	return q.s.RequestTeams(q.actor, i, teams, in.Bool("union"))
}

func createPull(q *query, in graphql.Args) (payload, error) {
	repo, err := typed[*model.Repo](q, in.String("repositoryId"))
	if err != nil {
		return nil, err
	}
	i, err := q.s.OpenPull(q.actor, repo, model.NewPull{
		Title: in.String("title"), Body: in.String("body"), Head: in.String("headRefName"), Base: in.String("baseRefName"),
		Draft: in.Bool("draft"), MaintainerCanModify: in.Bool("maintainerCanModify"),
	})
	return payload{"pullRequest": i}, endsInWords(err, in)
}

// endsInWords says of a branch that is not there what GitHub says here: more
// than by its REST API.
func endsInWords(err error, in graphql.Args) error {
	problem, ok := errors.AsType[*model.Problem](err)
	if !ok || len(problem.Errors) == 0 || problem.Errors[0].Code != "invalid" {
		return err
	}
	end := map[string]string{"head": "Head", "base": "Base"}[problem.Errors[0].Field]
	if end == "" {
		return err
	}
	return &graphql.Error{Type: "UNPROCESSABLE", Message: fmt.Sprintf(
		"Head sha can't be blank, Base sha can't be blank, No commits between %s and %s, %s ref must be a branch",
		in.String("baseRefName"), in.String("headRefName"), end)}
}

func updatePull(q *query, i *model.Issue, in graphql.Args) error {
	edit, err := q.issueEdit(q.repoOf(i), in)
	if err != nil {
		return err
	}
	edit.Base = text(in, "baseRefName")
	if in.Has("maintainerCanModify") {
		may := in.Bool("maintainerCanModify")
		edit.MaintainerCanModify = &may
	}
	return q.s.EditIssue(q.actor, q.repoOf(i), i, edit)
}

func reviewMutations() map[string]mutator {
	return map[string]mutator{
		"addPullRequestReview":    addReview,
		"submitPullRequestReview": submitReview,
		"deletePullRequestReview": change("pullRequestReviewId", "pullRequestReview", typed[*model.Review],
			func(q *query, r *model.Review, _ graphql.Args) error { return q.s.DeleteReview(q.actor, r) }),
		"dismissPullRequestReview": change("pullRequestReviewId", "pullRequestReview", typed[*model.Review],
			func(q *query, r *model.Review, in graphql.Args) error {
				return q.s.DismissReview(q.actor, r, in.String("message"))
			}),
		"updatePullRequestReview": change("pullRequestReviewId", "pullRequestReview", typed[*model.Review],
			func(q *query, r *model.Review, in graphql.Args) error {
				return q.s.EditReview(q.actor, r, in.String("body"))
			}),
		"addPullRequestReviewThread":      addThread,
		"addPullRequestReviewThreadReply": replyToThread,
		"resolveReviewThread":             change("threadId", "thread", typed[*model.Thread], resolveThread(true)),
		"unresolveReviewThread":           change("threadId", "thread", typed[*model.Thread], resolveThread(false)),
	}
}

func resolveThread(resolved bool) func(q *query, t *model.Thread, in graphql.Args) error {
	return func(q *query, t *model.Thread, _ graphql.Args) error { return q.s.ResolveThread(q.actor, t, resolved) }
}

// namedReview returns the review that an input names, nil if it names none.
func (q *query) namedReview(in graphql.Args) (*model.Review, error) {
	if !in.Has("pullRequestReviewId") {
		return nil, nil
	}
	return typed[*model.Review](q, in.String("pullRequestReviewId"))
}

// submitReview submits the review that is named, or the user's pending one of
// the pull request that is named.
func submitReview(q *query, in graphql.Args) (payload, error) {
	r, err := q.namedReview(in)
	if err != nil {
		return nil, err
	}
	if r == nil {
		i, err := pullByID(q, in.String("pullRequestId"))
		if err != nil {
			return nil, err
		}
		if r = q.s.PendingReview(q.actor, i); r == nil {
			return nil, &graphql.Error{Type: "UNPROCESSABLE", Message: "No pending review found for this pull request."}
		}
	}
	return payload{"pullRequestReview": r}, q.s.SubmitReview(q.actor, r, model.ReviewEvent(in.Enum("event")), in.String("body"))
}

func addThread(q *query, in graphql.Args) (payload, error) {
	r, err := q.namedReview(in)
	if err != nil {
		return nil, err
	}
	var i *model.Issue
	if r != nil {
		i = q.s.Issues.Get(r.IssueID)
	} else if i, err = pullByID(q, in.String("pullRequestId")); err != nil {
		return nil, err
	}
	t, err := q.s.AddThread(q.actor, i, r, threadInput(in))
	return payload{"thread": t}, err
}

func replyToThread(q *query, in graphql.Args) (payload, error) {
	t, err := typed[*model.Thread](q, in.String("pullRequestReviewThreadId"))
	if err != nil {
		return nil, err
	}
	r, err := q.namedReview(in)
	if err != nil {
		return nil, err
	}
	c, err := q.s.ReplyToThread(q.actor, t, r, in.String("body"))
	return payload{"comment": c}, err
}

func threadInput(in graphql.Args) model.NewThread {
	return model.NewThread{
		Path: in.String("path"), Body: in.String("body"), Line: in.Int("line"), Side: model.DiffSide(in.Enum("side")),
		StartLine: in.Int("startLine"), StartSide: model.DiffSide(in.Enum("startSide")), Position: in.Int("position"),
		FileWide: in.Enum("subjectType") == "FILE",
	}
}

func addReview(q *query, in graphql.Args) (payload, error) {
	i, err := pullByID(q, in.String("pullRequestId"))
	if err != nil {
		return nil, err
	}
	review := model.NewReview{
		Event: model.ReviewEvent(in.Enum("event")), Body: in.String("body"), CommitSHA: in.String("commitOID"),
	}
	for _, thread := range append(in.Objects("threads"), in.Objects("comments")...) {
		review.Comments = append(review.Comments, threadInput(thread))
	}
	r, err := q.s.CreateReview(q.actor, i, review)
	return payload{"pullRequestReview": r}, err
}
