package model_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestReviewsThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		own  bool
		in   model.NewReview
		want string
	}{
		{"approving one's own", true, model.NewReview{Event: model.EventApprove, Body: "x"}, "Can not approve your own pull request"},
		{"requesting changes of one's own", true, model.NewReview{Event: model.EventRequestChanges, Body: "x"}, "Can not request changes on your own pull request"},
		{"commenting one's own", true, model.NewReview{Event: model.EventComment, Body: "x"}, ""},
		{"approving without a word", false, model.NewReview{Event: model.EventApprove}, ""},
		{"requesting changes without a word", false, model.NewReview{Event: model.EventRequestChanges}, "Body can't be blank"},
		{"a comment without a word", false, model.NewReview{Event: model.EventComment, Body: " "}, "Body can't be blank"},
		{"a comment on a line alone", false, model.NewReview{Event: model.EventComment, Comments: []model.NewThread{{Path: "f", Line: 1, Body: "x"}}}, ""},
		{"a comment outside of the diff", false, model.NewReview{Event: model.EventComment, Comments: []model.NewThread{
			{Path: "f", Line: 1, Body: "x"}, {Path: "f", Line: 7, Body: "x"},
		}}, "pull_request_review_thread.line must be part of the diff"},
		{"an unknown event", false, model.NewReview{Event: "PRAISE", Body: "x"}, "Validation Failed"},
		{"dismissing", false, model.NewReview{Event: "DISMISS", Body: "x"}, "Validation Failed"},
		{"a commit of another branch", false, model.NewReview{Event: model.EventApprove, CommitSHA: strings.Repeat("0", 40)}, "commit_id is not part of the pull request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			pr, who := w.pull("f", "f", "x\n"), w.owner
			if c.own {
				who = pr.AuthorID
			}
			_, err := w.CreateReview(who, pr, c.in)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			assert.Equal(t, c.want, said(t, err))
			assert.Zero(t, w.Reviews.Len()+w.Threads.Len()+w.ReviewComments.Len(), "a refused review leaves nothing")
		})
	}
}

func TestPendingReviewsAreTheirAuthorsAlone(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "f", "x\n")
	public, err := w.CreateThread(w.owner, pr, model.NewThread{Path: "f", Line: 1, Body: "seen by all"})
	require.NoError(t, err)
	r, err := w.CreateReview(w.reader, pr, model.NewReview{Comments: []model.NewThread{{Path: "f", Line: 1, Body: "draft"}}})
	require.NoError(t, err)
	assert.Equal(t, model.ReviewPending, r.State)
	assert.Nil(t, r.SubmittedAt)
	reply, err := w.ReplyToThread(w.reader, w.Threads.Get(public.ThreadID), nil, "draft too")
	require.NoError(t, err)
	assert.Equal(t, r.ID, reply.ReviewID, "a reply goes into the pending review")

	assert.Len(t, w.ReviewsOf(w.reader, pr), 2)
	assert.Len(t, w.ReviewsOf(w.owner, pr), 1)
	assert.Len(t, w.ThreadsOf(w.reader, pr), 2)
	assert.Len(t, w.ThreadsOf(w.owner, pr), 1)
	assert.Len(t, w.VisibleComments(w.reader, w.Threads.Get(public.ThreadID)), 2)
	assert.Len(t, w.VisibleComments(w.owner, w.Threads.Get(public.ThreadID)), 1)
	assert.Len(t, w.SubmittedComments(pr), 1)
	assert.Empty(t, w.LatestReviews(pr)[1:], "a pending review is no opinion yet")

	_, err = w.CreateReview(w.reader, pr, model.NewReview{Event: model.EventComment, Body: "x"})
	assert.Equal(t, "User can only have one pending review per pull request", said(t, err))
	assert.Equal(t, "Only the author of a pending review can change it.", said(t, w.SubmitReview(w.owner, r, model.EventComment, "x")))
	assert.Equal(t, "Only the author of a pending review can change it.", said(t, w.DeleteReview(w.owner, r)))
	_, err = w.AddThread(w.owner, pr, r, model.NewThread{Path: "f", Line: 1, Body: "x"})
	assert.Equal(t, "Only the author of a pending review can change it.", said(t, err))

	require.NoError(t, w.SubmitReview(w.reader, r, model.EventComment, ""))
	assert.Len(t, w.SubmittedComments(pr), 3)
	assert.Equal(t, "Pull request review is not pending", said(t, w.SubmitReview(w.reader, r, model.EventComment, "x")))
	assert.Equal(t, "Can not delete a non-pending pull request review", said(t, w.DeleteReview(w.reader, r)))
}

func TestDeletingAPendingReview(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "f", "x\n")
	public, err := w.CreateThread(w.owner, pr, model.NewThread{Path: "f", Line: 1, Body: "stays"})
	require.NoError(t, err)
	_, err = w.AddThread(w.reader, pr, nil, model.NewThread{Path: "f", Line: 1, Body: "goes"})
	require.NoError(t, err, "the first thread makes the review")
	r := w.PendingReview(w.reader, pr)
	_, err = w.AddThread(w.reader, pr, r, model.NewThread{Path: "f", FileWide: true, Body: "goes"})
	require.NoError(t, err)
	_, err = w.ReplyToThread(w.reader, w.Threads.Get(public.ThreadID), r, "goes")
	require.NoError(t, err)
	require.NoError(t, w.DeleteReview(w.reader, r))
	assert.Len(t, w.ThreadsOf(w.reader, pr), 1)
	assert.Equal(t, 1, w.ReviewComments.Len())
	assert.NoError(t, w.Validate())
}

func TestReviewsOfAnotherPullRequestTakeNoReply(t *testing.T) {
	w := newWorld(t)
	one, other := w.pull("f", "f", "x\n"), w.pull("g", "g", "x\n")
	c, err := w.CreateThread(w.owner, one, model.NewThread{Path: "f", Line: 1, Body: "x"})
	require.NoError(t, err)
	r, err := w.CreateReview(w.owner, other, model.NewReview{})
	require.NoError(t, err)
	_, err = w.ReplyToThread(w.owner, w.Threads.Get(c.ThreadID), r, "x")
	assert.Equal(t, "The thread and the review are of different pull requests", said(t, err))
}

func TestLatestReviews(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "f", "x\n")
	for _, r := range []struct {
		who   model.ID
		event model.ReviewEvent
	}{
		{w.owner, model.EventComment}, {w.reader, model.EventComment}, {w.owner, model.EventApprove}, {w.owner, model.EventComment},
		{w.reader, model.EventComment},
	} {
		_, err := w.CreateReview(r.who, pr, model.NewReview{Event: r.event, Body: "x"})
		require.NoError(t, err)
	}
	var states []model.ReviewState
	for _, r := range w.LatestReviews(pr) {
		states = append(states, r.State)
	}
	assert.Equal(t, []model.ReviewState{model.ReviewApproved, model.ReviewCommented}, states, "comments do not hide an opinion")
}

func TestLockedConversations(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "f", "x\n")
	c, err := w.CreateThread(w.reader, pr, model.NewThread{Path: "f", Line: 1, Body: "x"})
	require.NoError(t, err)
	pr.Locked = true
	_, err = w.CreateReview(w.reader, pr, model.NewReview{Event: model.EventApprove})
	assert.Equal(t, model.Forbidden, refusal(t, err).Kind)
	_, err = w.ReplyToThread(w.reader, w.Threads.Get(c.ThreadID), nil, "x")
	assert.Equal(t, model.Forbidden, refusal(t, err).Kind)
	assert.False(t, w.CanTalk(w.reader, pr))
	assert.True(t, w.CanTalk(w.writer, pr))
}
