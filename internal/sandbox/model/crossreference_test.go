package model_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Whatever people write there, an issue or pull request refers to others by it,
// once it is to be seen.
func TestWhatIsWrittenRefersToIssues(t *testing.T) {
	const text = "as in #1"
	for name, write := range map[string]func(w *world, pr *model.Issue) error{
		"a new issue": func(w *world, _ *model.Issue) error {
			_, err := w.OpenIssue(w.owner, w.repo, model.NewIssue{Title: "T", Body: text})
			return err
		},
		"a new pull request": func(w *world, _ *model.Issue) error {
			w.branch("g")
			w.write("g", "g.txt", "g\n", "g")
			_, err := w.OpenPull(w.writer, w.repo, model.NewPull{Title: "T", Body: text, Head: "g", Base: "main"})
			return err
		},
		"an edited description": func(w *world, pr *model.Issue) error {
			return w.EditIssue(w.owner, w.repo, pr, model.IssueEdit{Body: new(text)})
		},
		"a comment": func(w *world, pr *model.Issue) error {
			_, err := w.CreateComment(w.owner, w.repo, pr, text)
			return err
		},
		"an edited comment": func(w *world, pr *model.Issue) error {
			c, err := w.CreateComment(w.owner, w.repo, pr, "later")
			require.NoError(w.t, err)
			return w.EditComment(w.owner, c, text)
		},
		"a review": func(w *world, pr *model.Issue) error {
			_, err := w.CreateReview(w.owner, pr, model.NewReview{Event: model.EventComment, Body: text})
			return err
		},
		"a thread of a review that is submitted later": func(w *world, pr *model.Issue) error {
			r, err := w.CreateReview(w.owner, pr, model.NewReview{Comments: []model.NewThread{{Path: "math.txt", Line: 5, Body: text}}})
			require.NoError(w.t, err)
			assert.Empty(w.t, w.EventsOf(w.Issue(w.repo, 1)), "nobody sees it yet")
			return w.SubmitReview(w.owner, r, model.EventComment, "")
		},
		"a reply, and an edited one": func(w *world, pr *model.Issue) error {
			r, err := w.CreateReview(w.owner, pr, model.NewReview{Event: model.EventComment, Comments: []model.NewThread{{Path: "math.txt", Line: 5, Body: "why?"}}})
			require.NoError(w.t, err)
			reply, err := w.ReplyToThread(w.writer, w.Threads.Get(w.CommentsOfReview(r)[0].ThreadID), nil, text)
			require.NoError(w.t, err)
			return w.EditReviewComment(w.writer, reply, text+" and #1")
		},
		"an edited reply": func(w *world, pr *model.Issue) error {
			r, err := w.CreateReview(w.owner, pr, model.NewReview{Event: model.EventComment, Comments: []model.NewThread{{Path: "math.txt", Line: 5, Body: "why?"}}})
			require.NoError(w.t, err)
			return w.EditReviewComment(w.owner, w.CommentsOfReview(r)[0], text)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			about, err := w.OpenIssue(w.owner, w.repo, model.NewIssue{Title: "About"})
			require.NoError(t, err)
			require.NoError(t, write(w, w.pull("f", "math.txt", changedMath)))
			events := w.EventsOf(about)
			require.Len(t, events, 1)
			assert.Equal(t, model.EventCrossReferenced, events[0].Kind)
			assert.NotEqual(t, about.ID, events[0].SubjectID)
		})
	}
}
