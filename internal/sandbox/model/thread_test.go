package model_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// changedMath is mathFile with its fifth line changed, and its ninth removed.
const changedMath = "one\ntwo\nthree\nfour\nFIVE\nsix\nseven\neight\nten\n"

const changedHunk = "@@ -2,9 +2,8 @@ one\n two\n three\n four\n-five\n+FIVE"

func TestPlacesOfThreads(t *testing.T) {
	const outside = "pull_request_review_thread.line must be part of the diff"
	const beginning = "pull_request_review_thread.start_line must precede the end line and be part of the same hunk."
	for _, c := range []struct {
		name       string
		in         model.NewThread
		want, hunk string
	}{
		{"a new line", model.NewThread{Line: 5}, "", changedHunk},
		{"the old line", model.NewThread{Line: 5, Side: model.SideLeft}, "", strings.TrimSuffix(changedHunk, "\n+FIVE")},
		{"a line that was removed", model.NewThread{Line: 9, Side: model.SideLeft}, "", changedHunk + "\n six\n seven\n eight\n-nine"},
		{"a line beside the change", model.NewThread{Line: 4}, "", strings.TrimSuffix(changedHunk, "\n-five\n+FIVE")},
		{"several lines", model.NewThread{StartLine: 4, Line: 5}, "", changedHunk},
		{"a position", model.NewThread{Position: 5}, "", changedHunk},
		{"the position of a removed line", model.NewThread{Position: 4}, "", strings.TrimSuffix(changedHunk, "\n+FIVE")},
		{"the file", model.NewThread{FileWide: true}, "", ""},
		{"no line", model.NewThread{}, outside, ""},
		{"a line far away", model.NewThread{Line: 1}, outside, ""},
		{"a line that is not there", model.NewThread{Line: 1 << 40}, outside, ""},
		{"a line below zero", model.NewThread{Line: -1}, outside, ""},
		{"a position that is not there", model.NewThread{Position: 99}, outside, ""},
		{"a start after the end", model.NewThread{StartLine: 6, Line: 5}, beginning, ""},
		{"a start outside of the hunk", model.NewThread{StartLine: 1, Line: 5}, beginning, ""},
		{"a start below zero", model.NewThread{StartLine: -1, Line: 5}, beginning, ""},
		{"an unknown side", model.NewThread{Line: 5, Side: "MIDDLE"}, "Validation Failed", ""},
		{"an unknown file", model.NewThread{Path: "README.md", Line: 1}, "Path could not be resolved", ""},
		{"a path out of the repository", model.NewThread{Path: "../../etc/passwd", Line: 1}, "Path could not be resolved", ""},
		{"no words", model.NewThread{Line: 5, Body: " "}, "Validation Failed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			pr := w.pull("f", "math.txt", changedMath)
			if c.in.Path == "" {
				c.in.Path = "math.txt"
			}
			if c.in.Body == "" {
				c.in.Body = "look"
			}
			comment, err := w.CreateThread(w.owner, pr, c.in)
			if c.want != "" {
				assert.Equal(t, c.want, said(t, err))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.hunk, comment.DiffHunk)
			thread := w.Threads.Get(comment.ThreadID)
			assert.Equal(t, c.in.StartLine != 0, thread.StartSide != "", "only several lines have a side to begin on")
		})
	}
}

func TestThreadsMoveWithTheirLines(t *testing.T) {
	for _, c := range []struct {
		name, after string
		want        model.Place
	}{
		{"nothing around it changes", changedMath + "eleven\n", model.Place{Line: 5, StartLine: 4}},
		{"lines come above it", "zero\nhalf\n" + changedMath, model.Place{Line: 7, StartLine: 6}},
		{"lines above it go", strings.TrimPrefix(changedMath, "one\n"), model.Place{Line: 4, StartLine: 3}},
		{"its line changes", strings.Replace(changedMath, "FIVE", "V", 1), model.Place{Outdated: true}},
		{"its line goes", strings.Replace(changedMath, "FIVE\n", "", 1), model.Place{Outdated: true}},
		{"its line is put back", mathFile, model.Place{Outdated: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			pr := w.pull("f", "math.txt", changedMath)
			comment, err := w.CreateThread(w.owner, pr, model.NewThread{Path: "math.txt", StartLine: 4, Line: 5, Body: "x"})
			require.NoError(t, err)
			w.write("f", "other", "x", "so that there is a change left")
			w.write("f", "math.txt", c.after, "after")
			place, err := w.PlaceOf(w.Threads.Get(comment.ThreadID))
			require.NoError(t, err)
			assert.Equal(t, c.want, place)
		})
	}
}

func TestThreadsOnOldLinesAndFilesAge(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "math.txt", changedMath)
	left, err := w.CreateThread(w.owner, pr, model.NewThread{Path: "math.txt", Side: model.SideLeft, Line: 9, Body: "x"})
	require.NoError(t, err)
	file, err := w.CreateThread(w.owner, pr, model.NewThread{Path: "math.txt", FileWide: true, Body: "x"})
	require.NoError(t, err)
	place := func(c *model.ReviewComment) model.Place {
		t.Helper()
		p, err := w.PlaceOf(w.Threads.Get(c.ThreadID))
		require.NoError(t, err)
		return p
	}
	w.write("f", "math.txt", "zero\n"+changedMath, "above")
	assert.Equal(t, model.Place{Line: 9}, place(left), "old lines keep their numbers")
	assert.Equal(t, model.Place{}, place(file))
	w.write("f", "other", "x", "so that there is a change left")
	w.write("f", "math.txt", mathFile, "put back")
	assert.Equal(t, model.Place{Outdated: true}, place(left))
	assert.Equal(t, model.Place{Outdated: true}, place(file))
}

func TestResolvingAndReplying(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "f", "x\n")
	first, err := w.CreateThread(w.owner, pr, model.NewThread{Path: "f", Line: 1, Body: "x"})
	require.NoError(t, err)
	thread := w.Threads.Get(first.ThreadID)
	for user, may := range map[model.ID]bool{w.owner: true, w.writer: true, w.triager: false, w.stranger: false, 0: false} {
		assert.Equal(t, may, w.CanResolve(user, thread), w.Login(user))
	}
	w.repo.Collaborators[w.writer] = model.PermRead
	require.NoError(t, w.ResolveThread(w.writer, thread, true), "the author of the pull request may")
	assert.True(t, thread.Resolved)
	assert.Equal(t, w.writer, thread.ResolvedBy)
	require.NoError(t, w.ResolveThread(w.owner, thread, false))
	assert.False(t, thread.Resolved)
	assert.Zero(t, thread.ResolvedBy)

	_, err = w.ReplyToThread(w.stranger, thread, nil, " ")
	assert.Equal(t, "missing_field", refusal(t, err).Errors[0].Code)
	reply, err := w.ReplyToThread(w.stranger, thread, nil, "why?")
	require.NoError(t, err)
	assert.Equal(t, first.ID, reply.InReplyTo)
	assert.Equal(t, first.DiffHunk, reply.DiffHunk)
	assert.Equal(t, model.ReviewCommented, w.Reviews.Get(reply.ReviewID).State, "a reply is a review of its own")
}
