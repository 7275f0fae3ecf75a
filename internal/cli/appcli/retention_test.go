package appcli_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// forget removes from the database of a server that has ended all that it
// removes in time.
func (w *world) forget() runs.Pruned {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	db, err := queue.OpenDB(ctx, w.database)
	require.NoError(w.t, err)
	defer db.Close()
	table, err := runs.Open(ctx, db)
	require.NoError(w.t, err)
	pruned, err := table.Prune(ctx, time.Now().Add(time.Hour), time.Now())
	require.NoError(w.t, err)
	return pruned
}

// reopen closes the pull request and opens it again, and waits until a server
// knows.
func (w *world) reopen(s *server) {
	w.t.Helper()
	for _, state := range []string{"closed", "open"} {
		reply := w.As("writer").Do("PATCH", fmt.Sprintf("%s/pulls/%d", sandboxtest.Path, w.number), map[string]any{"state": state})
		require.Equal(w.t, http.StatusOK, reply.Status, reply.Body)
	}
	w.until("it is opened again", func() bool { return strings.Contains(s.out.String(), `"action":"reopened"`) })
	// What is answered later was delivered later.
	w.comment("writer", "/bench help")
	w.said("bench approve")
}

// conclusions returns those of the App's check runs.
func (w *world) conclusions() (all []model.Conclusion) {
	for _, c := range w.checks() {
		all = append(all, c.Conclusion)
	}
	return all
}

func TestACommitIsMeasuredOnceAlsoAfterItsRunIsForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, trial)
	s := w.serve()
	w.open()
	w.concluded(1)
	w.said("imulated")
	require.Zero(t, s.stop(t), s.out)
	assert.Equal(t, int64(1), w.forget().Runs)
	s = w.serve()
	w.reopen(s)
	assert.Equal(t, []model.Conclusion{"neutral"}, w.conclusions())
	w.push("src/b.ts")
	assert.Equal(t, model.Conclusion("neutral"), w.concluded(2).Conclusion)
	w.comment("writer", "/bench retry")
	w.said("nothing to do")
}

func TestACommitThatACommandHadMeasuredIsNotMeasuredAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, trial+"triggers: {pull_request: [reopened]}\n")
	s := w.serve()
	w.open()
	w.comment("writer", "/bench run")
	w.concluded(1)
	w.said("imulated")
	require.Zero(t, s.stop(t), s.out)
	assert.Equal(t, int64(1), w.forget().Runs)
	s = w.serve()
	w.reopen(s)
	assert.Equal(t, []model.Conclusion{"neutral"}, w.conclusions())
}

func TestAForksCommitNeedsAnotherApprovalAfterTheFirstIsForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, trial)
	s := w.serve()
	w.fork()
	w.concluded(1)
	w.comment("writer", "/bench approve "+w.head)
	w.concluded(2)
	w.said("imulated")
	require.Zero(t, s.stop(t), s.out)
	assert.Equal(t, int64(2), w.forget().Runs)
	s = w.serve()
	w.reopen(s)
	w.comment("writer", "/bench run")
	w.said("`/bench run`: ")
	measured := 0
	for _, conclusion := range w.conclusions() {
		if conclusion == "neutral" {
			measured++
		}
	}
	assert.Equal(t, 1, measured, w.conclusions())
	w.comment("writer", "/bench approve "+w.head)
	w.until("it is measured again", func() bool { return w.last().Conclusion == "neutral" && len(w.checks()) > 2 })
}
