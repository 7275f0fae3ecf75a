package service_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

const base = "3333333333333333333333333333333333333333"

// ofTasks is a run of a benchmark that brings its own tasks, two to four epochs of them.
func ofTasks() runs.Run {
	return runs.Run{ID: "run-1", Repo: "o/r", Head: head, Request: runs.Request{Owner: "o", Name: "r", BaseSHA: base, Plan: settings.Plan{
		Profile: bench.ProfileRegression, Repetitions: bench.Repetitions{First: 2, Most: 4}, Margins: settings.Margins{Success: 15, Cost: 1.2, Latency: 1.25},
		Model: "openai/m", Benchmark: "tau-bench", Experiment: "bench/tau.yaml", Target: settings.SandboxTarget, Executor: settings.Dispatch, Workflow: "bench.yml", MaxUSD: 3,
	}}}
}

// taskRows are rows of both agents, for tasks in so many epochs.
func taskRows(epochs int, ids ...string) (rows []bench.Row) {
	for _, id := range ids {
		for epoch := 1; epoch <= epochs; epoch++ {
			for _, commit := range []string{base, head} {
				rows = append(rows, bench.Row{
					RunID: "x", Mode: bench.AgentOf(commit), ScenarioID: id, Iteration: epoch, Model: bench.ModelRef{ProviderID: "openai", ModelID: "m"}, Git: bench.GitRef{Commit: &commit},
				})
			}
		}
	}
	return rows
}

// taskSummary judges rows of two tasks.
func taskSummary(epochs int) bench.Summary {
	of := bench.ModeSummary{Runs: 2 * epochs}
	return bench.Summary{
		Modes:     map[bench.Mode]bench.ModeSummary{bench.AgentOf(base): of, bench.AgentOf(head): of},
		Scenarios: []bench.ScenarioSummary{{ID: "t1"}, {ID: "t2"}},
		Gate:      bench.Gate{Profile: bench.ProfileRegression, Baseline: bench.AgentOf(base), Candidate: bench.AgentOf(head), Verdict: bench.VerdictPass, Passed: true},
		Evidence:  &bench.Evidence{Margins: bench.Margins{SuccessDropPct: 15, CostRatio: 1.2, LatencyRatio: 1.25}},
	}
}

func TestTheWorkflowIsToldOfABenchmarkWhatTheActionTakes(t *testing.T) {
	assert.Equal(t, service.Plan{
		Model: "openai/m", Benchmark: "tau-bench", Experiment: "bench/tau.yaml", Profile: "regression", BaseCommit: base, Repetitions: "2..4",
		MarginSuccess: 15, MarginCost: 1.2, MarginLatency: 1.25, MaxCostUSD: 3,
	}, planOf(t, service.Work{Run: ofTasks()}))
}

func TestAnArtifactOfABenchmarkHasATaskInEachRow(t *testing.T) {
	for _, epochs := range []int{2, 3, 4, 5} {
		rows, judged, err := service.Read(archive(t, file{"summary.json", taskSummary(epochs)}, file{"a-suite.jsonl", lines(t, taskRows(epochs, "t1", "t2")...)}), ofTasks())
		require.NoError(t, err, "%d epochs", epochs)
		assert.Equal(t, []any{4 * epochs, true}, []any{rows, judged})
	}
	rows, judged, err := service.Read(archive(t, file{"a-suite.jsonl", lines(t, taskRows(1, "t1")...)}), ofTasks())
	require.NoError(t, err)
	assert.Equal(t, []any{2, false}, []any{rows, judged}, "what was paid for is kept")
}

func TestAnAgentThatPlaysTheAnswersIsWhatItsModelSays(t *testing.T) {
	run := ofTasks()
	run.Request.Plan.Model = run.Request.Plan.Benchmark + "/oracle"
	for _, simulated := range []bool{true, false} {
		rows, summary := taskRows(2, "t1", "t2"), taskSummary(2)
		summary.Simulated = simulated
		for i := range rows {
			rows[i].Simulated, rows[i].Model = simulated, bench.ModelRef{ProviderID: run.Request.Plan.Benchmark, ModelID: "oracle"}
		}
		_, _, err := service.Read(archive(t, file{"summary.json", summary}, file{"rows-suite.jsonl", lines(t, rows...)}), run)
		if simulated {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "whether a model was involved")
		}
	}
}

func TestAnArtifactOfAnotherBenchmarkIsRefused(t *testing.T) {
	good := taskRows(2, "t1", "t2")
	change := func(do func(*bench.Row)) string {
		rows := taskRows(2, "t1", "t2")
		do(&rows[len(rows)-1])
		return lines(t, rows...)
	}
	changed := func(do func(*bench.Summary)) bench.Summary {
		s := taskSummary(2)
		do(&s)
		return s
	}
	other := strings.Repeat("4", 40)
	for name, c := range map[string]struct {
		summary bench.Summary
		rows    string
		says    string
	}{
		"a row of another commit":         {taskSummary(2), change(func(r *bench.Row) { r.Git.Commit = &other }), "it is not of commit " + head},
		"a candidate that is the base":    {taskSummary(2), change(func(r *bench.Row) { r.Mode = bench.AgentOf(base) }), "it is not of commit " + base},
		"another agent":                   {taskSummary(2), change(func(r *bench.Row) { r.Mode = "agent@4444444" }), "the plan has no cell"},
		"no task":                         {taskSummary(2), change(func(r *bench.Row) { r.ScenarioID = "" }), "the plan has no cell"},
		"an epoch that nobody asked for":  {taskSummary(2), change(func(r *bench.Row) { r.Iteration = 9 }), "the plan has no cell"},
		"another model":                   {taskSummary(2), change(func(r *bench.Row) { r.Model.ModelID = "cheap" }), "it is of model openai/cheap, not of openai/m"},
		"an agent that plays the answers": {taskSummary(2), change(func(r *bench.Row) { r.Simulated = true }), "whether a model was involved"},
		"too few epochs":                  {taskSummary(1), lines(t, taskRows(1, "t1", "t2")...), "there are 4 rows"},
		"a task without rows":             {changed(func(s *bench.Summary) { s.Scenarios = append(s.Scenarios, bench.ScenarioSummary{ID: "t3"}) }), lines(t, good...), "scenario t3"},
		"a wider margin":                  {changed(func(s *bench.Summary) { s.Evidence.Margins.SuccessDropPct = 90 }), lines(t, good...), "other margins than those that were asked for"},
		"the best of the past":            {changed(func(s *bench.Summary) { s.Evidence = nil }), lines(t, good...), "the summary has no evidence, which was asked for"},
		"two others that are compared":    {changed(func(s *bench.Summary) { s.Gate.Baseline = "agent@4444444" }), lines(t, good...), "which was not asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := service.Read(archive(t, file{"summary.json", c.summary}, file{"rows-suite.jsonl", c.rows}), ofTasks())
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

// byTasks has an App's executors stand for those of workflows.
func byTasks(o *service.Options) { o.Executors[settings.Dispatch] = o.Executors[settings.Local] }

const tau = "model: a/b\nbenchmark: tau-bench\ntriggers: {pull_request: []}\nbudget: {run: 2, pull_request: 50, day: 50}\n"

func TestABenchmarkWithTasksIsAskedForAndBegunAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t, tau, byTasks)
	r.executor.set(func(_ context.Context, w service.Work) (runs.Outcome, error) {
		w.Keep(bench.Cell{ScenarioID: "t1", Mode: bench.AgentOf(w.Run.Head), Iteration: 1}, []byte(`{"scenario_id": "t1"}`))
		return runs.Outcome{Reason: "Its workflow was cancelled."}, nil
	})
	r.comment("writer", "/bench")
	for _, part := range []string{"| Benchmark | `tau-bench` |", "| Epochs | 2..12 |", "`agent@" + r.head[:7] + "`", "| Cost | not known yet, at most 2 USD |"} {
		assert.Contains(t, r.answer(), part)
	}
	assert.NotContains(t, r.answer(), "Scenarios")
	assert.NotContains(t, r.answer(), "Cells", "nobody knows how many there are")
	r.wait(1)

	judged := taskSummary(2)
	judged.Evidence.Final = true
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) { return runs.Outcome{Summary: &judged}, nil })
	r.comment("writer", "/bench retry")
	assert.Contains(t, r.answer(), "`/bench run`: the benchmark runs", "none of it is taken over")
	r.wait(1)
	works := r.executor.works()
	require.Len(t, works, 2)
	assert.Empty(t, works[1].Rows, "the benchmark takes none over")
	assert.Empty(t, works[1].Run.Request.Continues)
	assert.Equal(t, "bench", works[1].Run.Suite, "it is the check that counts")

	for again, says := range map[string]string{"/bench": "evidence has decided that on this commit", "/bench retry": "there is nothing to do"} {
		r.comment("writer", again)
		assert.Contains(t, strings.Join(r.comments(), "\n"), says)
	}
	assert.Len(t, r.executor.works(), 2, "evidence has answered what was asked")

	r.comment("writer", "/bench run --repetitions 6 --model c/d")
	r.wait(1)
	assert.Equal(t, "bench (partial)", r.executor.works()[2].Run.Suite)
	r.comment("writer", "/bench run pr-merge-001")
	assert.Contains(t, strings.Join(r.comments(), "\n"), "What is run of `tau-bench` is for `experiment_config.yaml` to say")
}

// Nobody knows the tasks before they are run, and then the runs before tell.
func TestWhatABenchmarkMayCostIsWhatItDid(t *testing.T) {
	t.Parallel()
	r := newRig(t, tau, byTasks)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		r.ahead.Add(int64(4 * time.Minute))
		w.Progress(80, 80, 1.6)
		return passes(ctx, w)
	})
	r.comment("writer", "/bench")
	assert.Contains(t, r.answer(), "| Cost | not known yet, at most 2 USD |")
	r.wait(1)
	r.comment("writer", "/bench")
	assert.Contains(t, r.answer(), "| Cost | about 1.6 USD (at most 2 USD) |")
	assert.Contains(t, r.answer(), "| Duration | about 4 min |")
	r.wait(1)
	r.comment("writer", "/bench run --repetitions 4")
	assert.Contains(t, r.answer(), "| Cost | not known yet, at most 2 USD |", "so many epochs were not run yet")
	r.wait(1)
}

// What was pressed begins anew as well.
func TestARerequestBeginsABenchmarkAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t, tau, byTasks)
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) {
		return runs.Outcome{Reason: "Its workflow was cancelled."}, nil
	})
	r.comment("writer", "/bench")
	r.wait(1)
	r.press("writer", "rerequested", "", r.check().ID)
	r.wait(1)
	works := r.executor.works()
	require.Len(t, works, 2)
	assert.Empty(t, works[1].Run.Request.Continues)
	assert.True(t, works[1].Run.Request.Plan.OfTasks())
}
