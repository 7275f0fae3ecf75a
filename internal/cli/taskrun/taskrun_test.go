package taskrun_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/taskrun"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/redact"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

const candidate bench.Mode = "agent@3f9c2ab"

// fake is a benchmark that tells of tasks as it is told to.
type fake struct {
	// all are its tasks; do says what becomes of one, in the how-manieth call.
	all   []string
	do    func(call int, id string) harness.Progress
	asked [][]string
	// after is called when so many tasks are told; it may end the run.
	after func(told int) error
}

type faked struct {
	*fake
	host harness.Host
}

func (f *fake) runner(h harness.Host) (harness.Runner, error) { return faked{f, h}, nil }

func (f faked) Run(ctx context.Context, ids []string) (harness.Results, error) {
	f.fake.asked = append(f.fake.asked, ids)
	call := len(f.fake.asked)
	if ids == nil {
		ids = f.all
	}
	f.host.Plan(ids)
	results := harness.Results{}
	for i, id := range ids {
		p := f.do(call, id)
		p.TaskID, p.Done, p.Total = id, i+1, len(ids)
		results[id] = p.Outcome
		if p.Outcome.Status == harness.Missing {
			continue
		}
		f.host.Done(p)
		if f.after != nil {
			if err := f.after(i + 1); err != nil {
				return nil, err
			}
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return results, nil
}

func passes(int, string) harness.Progress { return harness.Progress{Outcome: harness.Reward(1)} }

func options(t *testing.T, f *fake) taskrun.Options {
	t.Helper()
	commit, tree := "3f9c2ab000", "7ree"
	return taskrun.Options{
		Dir: filepath.Join(t.TempDir(), ".bench"), RunID: "run-1", Now: func() time.Time { return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) },
		Benchmark: ledger.Benchmark{Name: "tau-bench", Split: "train", Settings: "5e77"}, Space: "tau-bench retail",
		Model: bench.ModelRef{ProviderID: "openai", ModelID: "gpt-5.4"}, Epochs: 1, Secrets: redact.New("very-secret"),
		Sides: []taskrun.Side{{Mode: candidate, Git: bench.GitRef{Commit: &commit, Tree: &tree}, Keep: true, Runner: f.runner}},
	}
}

func open(t *testing.T, o taskrun.Options) *taskrun.Run {
	t.Helper()
	r, err := taskrun.Open(o)
	require.NoError(t, err)
	return r
}

func rowsOf(t *testing.T, r *taskrun.Run) []bench.Row {
	t.Helper()
	source, err := r.Source()
	require.NoError(t, err)
	rows, _, err := ledger.Read(source.Files)
	require.NoError(t, err)
	return rows
}

func TestEveryTaskAndEpochIsARow(t *testing.T) {
	reasons := map[string]harness.Outcome{
		"0": harness.Reward(1), "1": harness.Reward(0.2), "[mobile]a|b:c/d": harness.NoReward(harness.Timeout, "too long"),
		"3": harness.NoReward(harness.Crashed, "the agent raised KeyError"), "4": harness.NoReward(harness.Infrastructure, "FATAL: very-secret"),
		"5": harness.NoReward(harness.Missing, "nothing was heard"),
	}
	f := &fake{all: []string{"0", "1", "[mobile]a|b:c/d", "3", "4", "5"}, do: func(_ int, id string) harness.Progress {
		p := harness.Progress{Outcome: reasons[id]}
		if id == "0" {
			p.Measured = harness.Measured{
				Duration: 1500 * time.Millisecond, InputTokens: 100, CachedTokens: 40, OutputTokens: 10, CostUSD: 0.02, Result: []byte(`{"key": "very-secret"}`),
				Messages: []harness.Message{{Role: "user", Text: "hi"}, {Role: "assistant", Text: "very-secret"}, {Role: "assistant", Tool: "look", Input: []byte(`{"a": 1}`), Error: "no"}},
			}
		}
		return p
	}}
	o := options(t, f)
	o.Epochs = 2
	r := open(t, o)
	for epoch := 1; epoch <= 2; epoch++ {
		_, err := r.Epoch(t.Context(), candidate, epoch)
		require.NoError(t, err)
	}
	require.NoError(t, r.Close())
	rows := rowsOf(t, r)
	require.Len(t, rows, 12)
	errorTypes := map[string]string{}
	for _, row := range rows {
		text := "succeeded"
		if row.Error != nil {
			text = fmt.Sprintf("%s by %s", row.Error.Type, row.Attempts[0].LaidTo())
		}
		errorTypes[row.ScenarioID] = text
		assert.Equal(t, "tau-bench retail train", *row.ScenarioSet)
		assert.Equal(t, "7ree", *row.Git.Tree)
	}
	assert.Equal(t, map[string]string{
		"0": "succeeded", "1": "checkpoint_failed by agent", "[mobile]a|b:c/d": "runner_timeout_wait_for_assistant by agent",
		"3": "runner_error by agent", "4": "runner_error by infrastructure (harness)", "5": "runner_error by agent",
	}, errorTypes)
	first := rows[0]
	assert.Equal(t, bench.Tokens{Input: 60, Output: 10, CacheRead: 40, Total: 110}, first.Tokens)
	assert.Equal(t, []float64{1500, 0.02, 1}, []float64{first.LatencyMSWall, first.Cost, *first.Reward.Value})
	assert.Equal(t, []int{1, 1, 1}, []int{first.Turns, first.ToolCalls, first.ToolErrors})
	for _, row := range rows {
		assert.Equal(t, row.ScenarioID == "4", row.ProviderFailure() != "", "what is around the agent alone voids a block")
	}
	t.Run("transcripts and the benchmark's own accounts are kept, without secrets", func(t *testing.T) {
		folder := filepath.Join(r.Folder(), "transcripts")
		kept, err := verify.LoadTranscript(folder, "run-1", first.Cell(), 1)
		require.NoError(t, err)
		require.NotNil(t, kept)
		assert.Equal(t, "look", kept.Messages[2].Parts[0].Tool.Name)
		account, err := os.ReadFile(taskrun.AccountPath(folder, first.Cell()))
		require.NoError(t, err)
		assert.JSONEq(t, `{"key": "[redacted]"}`, string(account))
		err = filepath.WalkDir(r.Folder(), func(path string, entry os.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				text, _ := os.ReadFile(path)
				assert.NotContains(t, string(text), "very-secret", path)
			}
			return err
		})
		require.NoError(t, err)
	})
	t.Run("the results are the mean of the epochs", func(t *testing.T) {
		assert.InDelta(t, 0.2, r.Results(candidate, 2)["1"].Score, 1e-15)
		assert.Equal(t, harness.Timeout, r.Results(candidate, 2)["[mobile]a|b:c/d"].Status)
	})
	t.Run("a report reads the run as any other", func(t *testing.T) {
		source, err := r.Source()
		require.NoError(t, err)
		expectations, err := gate.ParseExpectations("none", []byte(`{"default_model": "openai/gpt-5.4", "expectations": {}}`))
		require.NoError(t, err)
		page := filepath.Join(t.TempDir(), "report.html")
		reported, err := verify.Report(source, verify.JudgeOptions{Profile: bench.VerifyPR, Expectations: expectations, GeneratedAt: "2026-11-01T12:00:00.000Z", Outputs: verify.Outputs{HTML: page}})
		require.NoError(t, err)
		assert.Equal(t, 12, reported.Summary.Modes[candidate].Runs)
		assert.InDelta(t, 100.0/6, reported.Summary.Modes[candidate].SuccessRate, 1e-9)
		assert.Empty(t, reported.Summary.Missing)
		html, err := os.ReadFile(page)
		require.NoError(t, err)
		for id := range reasons {
			assert.Contains(t, string(html), id, "every task has its line")
		}
	})
}

func TestARunGoesOn(t *testing.T) {
	all := []string{"a", "b", "c", "d", "e", "f", "g"}
	killed := errors.New("killed")
	f := &fake{all: all, do: passes, after: func(told int) error {
		if told == 4 {
			return killed
		}
		return nil
	}}
	o := options(t, f)
	r := open(t, o)
	_, err := r.Epoch(t.Context(), candidate, 1)
	require.ErrorIs(t, err, killed)
	require.NoError(t, r.Close())

	f.after = nil
	again := open(t, o)
	assert.Equal(t, all, again.Planned())
	results, err := again.Epoch(t.Context(), candidate, 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"e", "f", "g"}, f.asked[1], "four of seven are done")
	assert.Len(t, results, 7)
	require.NoError(t, again.Close())
	assert.Len(t, rowsOf(t, again), 7)

	third := open(t, o)
	_, err = third.Epoch(t.Context(), candidate, 1)
	require.NoError(t, err)
	assert.Len(t, f.asked, 2, "there is nothing left to run")
	require.NoError(t, third.Close())

	for name, change := range map[string]func(*taskrun.Options){
		"another model":     func(o *taskrun.Options) { o.Model.ModelID = "other" },
		"another agent":     func(o *taskrun.Options) { o.Sides[0].Git.Tree = new("other") },
		"more epochs":       func(o *taskrun.Options) { o.Epochs = 3 },
		"other settings":    func(o *taskrun.Options) { o.Benchmark.Settings = "other" },
		"another benchmark": func(o *taskrun.Options) { o.Benchmark.Name = "other" },
	} {
		t.Run("but not as one of "+name, func(t *testing.T) {
			other := o
			other.Sides = append([]taskrun.Side{}, o.Sides...)
			change(&other)
			_, err := taskrun.Open(other)
			require.ErrorContains(t, err, "run run-1 cannot go on: its ")
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func TestARowIsOnTheDiskWhileOthersRun(t *testing.T) {
	f := &fake{all: []string{"a", "b"}, do: passes}
	o := options(t, f)
	var r *taskrun.Run
	f.after = func(told int) error {
		assert.Eventually(t, func() bool { return len(rowsOf(t, r)) == told }, 10*time.Second, time.Millisecond, "the row of task %d", told)
		return nil
	}
	r = open(t, o)
	_, err := r.Epoch(t.Context(), candidate, 1)
	require.NoError(t, err)
	require.NoError(t, r.Close())
}

func TestWhatFailedAroundTheAgentIsRunAgain(t *testing.T) {
	f := &fake{all: []string{"a", "b", "c"}, do: func(call int, id string) harness.Progress {
		if id != "a" && call == 1 {
			return harness.Progress{Outcome: harness.NoReward(map[string]harness.Status{"b": harness.Infrastructure, "c": harness.Crashed}[id], "x")}
		}
		return harness.Progress{Outcome: harness.Reward(1)}
	}}
	r := open(t, options(t, f))
	_, err := r.Epoch(t.Context(), candidate, 1)
	require.NoError(t, err)
	tried, err := r.Again(t.Context(), candidate, 1)
	require.NoError(t, err)
	assert.Equal(t, 1, tried)
	assert.Equal(t, []string{"b"}, f.asked[1], "an agent that crashed has had its try")
	assert.Equal(t, harness.Reward(1), r.Results(candidate, 1)["b"])
	assert.Equal(t, harness.Crashed, r.Results(candidate, 1)["c"].Status)
	tried, err = r.Again(t.Context(), candidate, 1)
	require.NoError(t, err)
	assert.Zero(t, tried)
	require.NoError(t, r.Close())
	rows := rowsOf(t, r)
	assert.Len(t, rows, 4, "the row of what failed stays")
	assert.Equal(t, 2, rows[3].Iteration)
}

func TestABudgetEndsTheRun(t *testing.T) {
	f := &fake{all: []string{"a", "b", "c"}, do: func(int, string) harness.Progress {
		return harness.Progress{Outcome: harness.Reward(1), Measured: harness.Measured{CostUSD: 0.5}}
	}}
	o := options(t, f)
	o.MaxCostUSD = 1
	r := open(t, o)
	_, err := r.Epoch(t.Context(), candidate, 1)
	require.ErrorContains(t, err, "the budget is used up: $1.00 are spent")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	require.NoError(t, r.Close())
	assert.Len(t, rowsOf(t, r), 2)
	info, err := ledger.LoadRun(r.Folder())
	require.NoError(t, err)
	assert.Equal(t, bench.MissingBudget, info.Stops[0].Reason)
	o.MaxCostUSD = 2
	r = open(t, o)
	_, err = r.Epoch(t.Context(), candidate, 1)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	assert.Equal(t, []string{"c"}, f.asked[1])
}

func TestSetsOfTasksAreEqual(t *testing.T) {
	f := &fake{all: []string{"a", "b"}, do: passes}
	o := options(t, f)
	o.Epochs = 2
	r := open(t, o)
	_, err := r.Epoch(t.Context(), candidate, 1)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	stranger := &fake{all: nil, do: passes}
	o.Sides[0].Runner = func(h harness.Host) (harness.Runner, error) { return extra{stranger, h}, nil }
	r = open(t, o)
	_, err = r.Epoch(t.Context(), candidate, 2)
	require.ErrorContains(t, err, "1 tasks that are none of this run: z")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	require.NoError(t, r.Close())
}

// extra tells of a task more than it was asked for.
type extra struct {
	*fake
	host harness.Host
}

func (e extra) Run(_ context.Context, ids []string) (harness.Results, error) {
	results := harness.Results{"z": harness.Reward(1)}
	for _, id := range ids {
		results[id] = harness.Reward(1)
	}
	return results, nil
}

// A thousand tasks in four epochs take less than 100 ms of the processor and 30 MB beside
// the benchmark, on a machine that does nothing else.
func TestOverheadOfAThousandTasks(t *testing.T) {
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = fmt.Sprintf("[mobile_data_issue]airplane_mode_on|task:%d", i)
	}
	f := &fake{all: ids, do: passes}
	o := options(t, f)
	o.Epochs = 4
	least := time.Hour
	var grown uint64
	const tries = 5
	for try := range tries {
		o.RunID = fmt.Sprint("run-", try)
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begun := testkit.ProcessorTime(t)
		r := open(t, o)
		for epoch := 1; epoch <= 4; epoch++ {
			_, err := r.Epoch(t.Context(), candidate, epoch)
			require.NoError(t, err)
		}
		require.NoError(t, r.Close())
		least = min(least, testkit.ProcessorTime(t)-begun)
		runtime.GC()
		runtime.ReadMemStats(&after)
		grown = max(grown, after.HeapAlloc-min(before.HeapAlloc, after.HeapAlloc))
		if try == 0 {
			assert.Len(t, rowsOf(t, r), 4000)
		}
	}
	t.Logf("%s and %d MB for 4,000 rows", least, grown>>20)
	assert.Less(t, least, testkit.TimeLimit(100*time.Millisecond))
	assert.Less(t, grown, uint64(30<<20))
}

// notebook keeps a run as a server does.
type notebook struct {
	info *ledger.RunInfo
	rows []bench.Row
}

func (n *notebook) keeper() *taskrun.Keeper {
	return &taskrun.Keeper{
		Info: n.info, Rows: n.rows,
		Save: func(info ledger.RunInfo) { n.info = &info },
		Row:  func(row *bench.Row) { n.rows = append(n.rows, *row) },
	}
}

func TestARunThatWasKeptElsewhereGoesOn(t *testing.T) {
	killed := errors.New("killed")
	f := &fake{all: []string{"a", "b", "c", "d", "e", "f", "g"}, do: func(int, string) harness.Progress {
		return harness.Progress{Outcome: harness.Reward(1), Measured: harness.Measured{CostUSD: 0.5}}
	}}
	o := options(t, f)
	o.OrderSeed = 7
	f.after = func(told int) error {
		if told == 4 {
			return killed
		}
		return nil
	}
	n := &notebook{}
	o.Keeper = n.keeper()
	r := open(t, o)
	_, err := r.Epoch(t.Context(), candidate, 1)
	require.ErrorIs(t, err, killed)
	require.NoError(t, r.Close())
	require.Len(t, n.rows, 4)
	assert.Len(t, n.info.Scenarios, 7)
	assert.Nil(t, n.info.Sums)
	assert.Nil(t, n.info.Cells)

	// The other machine has nothing but what was kept, in no order.
	f.after = nil
	kept := notebook{n.info, []bench.Row{n.rows[2], n.rows[0], n.rows[3], n.rows[1]}}
	elsewhere := func() taskrun.Options {
		other := o
		other.Dir, other.OrderSeed, other.Keeper = filepath.Join(t.TempDir(), ".bench"), 8, kept.keeper()
		other.Sides = append([]taskrun.Side{}, o.Sides...)
		return other
	}
	other := elsewhere()
	again := open(t, other)
	assert.Equal(t, 4, again.Begun())
	results, err := again.Epoch(t.Context(), candidate, 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"e", "f", "g"}, f.asked[1])
	assert.Len(t, results, 7)
	require.NoError(t, again.Close())
	rows := rowsOf(t, again)
	require.Len(t, rows, 7)
	for i, row := range rows {
		assert.Equal(t, []any{i + 1, uint64(7)}, []any{row.Order.Position, row.Order.Seed}, "rows are as those of one process")
	}
	assert.Len(t, kept.rows, 7, "those that it had are not told again")

	t.Run("what it has cost counts", func(t *testing.T) {
		poor := elsewhere()
		poor.MaxCostUSD = 3.5
		poor.Keeper = (&notebook{n.info, n.rows}).keeper()
		r := open(t, poor)
		_, err := r.Epoch(t.Context(), candidate, 1)
		require.ErrorContains(t, err, "$3.50 are spent")
		require.NoError(t, r.Close())
		assert.Len(t, rowsOf(t, r), 7)
	})
	t.Run("not with what lies there", func(t *testing.T) {
		forged := elsewhere()
		require.NoError(t, os.MkdirAll(forged.Dir, 0o755))
		require.NoError(t, os.Symlink("/", filepath.Join(forged.Dir, forged.RunID)))
		_, err := taskrun.Open(forged)
		require.ErrorContains(t, err, "is there already")
	})
	for name, change := range map[string]func(*taskrun.Options){
		"another version": func(o *taskrun.Options) { o.Tools = map[string]string{"harness": "0.9"} },
		"another agent":   func(o *taskrun.Options) { o.Sides[0].Git.Tree = new("other") },
		"another commit":  func(o *taskrun.Options) { o.Sides[0].Mode = "agent@0000000" },
		"other settings":  func(o *taskrun.Options) { o.Benchmark.Settings = "other" },
		"a row of another": func(o *taskrun.Options) {
			o.Keeper.Rows = []bench.Row{n.rows[0]}
			o.Keeper.Rows[0].ScenarioHash = "other"
		},
		"another benchmark": func(o *taskrun.Options) { o.Keeper.Info = &ledger.RunInfo{RunID: "run-1"} },
	} {
		t.Run("not as "+name, func(t *testing.T) {
			other := elsewhere()
			change(&other)
			_, err := taskrun.Open(other)
			require.Error(t, err)
			assert.Equal(t, fault.Invalid, fault.KindOf(err), err)
			_, err = os.Stat(other.Dir)
			require.ErrorIs(t, err, os.ErrNotExist, "nothing is written yet, so that it can begin anew")
		})
	}
}

// What cannot be kept, as on a full disk, ends a run with one sentence. Only what is on
// the disk is done, and it goes on with the rest.
func TestARunWhoseRowsCannotBeWrittenGoesOn(t *testing.T) {
	f := &fake{all: []string{"a", "b", "c", "d", "e"}, do: func(int, string) harness.Progress {
		return harness.Progress{Outcome: harness.Reward(1), Measured: harness.Measured{Messages: []harness.Message{{Role: "assistant", Text: "done"}}}}
	}}
	o := options(t, f)
	r := open(t, o)
	inTheWay := filepath.Join(r.Folder(), "transcripts", "c")
	require.NoError(t, os.MkdirAll(filepath.Dir(inTheWay), 0o755))
	require.NoError(t, os.WriteFile(inTheWay, nil, 0o600))
	_, err := r.Epoch(t.Context(), candidate, 1)
	require.ErrorContains(t, err, "not a directory")
	assert.NotContains(t, err.Error(), "\n", "it is one sentence")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	assert.Equal(t, 2, r.Begun())
	require.NoError(t, r.Close(), "it was told")
	assert.Len(t, rowsOf(t, r), 2)

	require.NoError(t, os.Remove(inTheWay))
	r = open(t, o)
	results, err := r.Epoch(t.Context(), candidate, 1)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	assert.Len(t, results, 5)
	assert.Len(t, rowsOf(t, r), 5)
	assert.Equal(t, [][]string{nil, {"c", "d", "e"}}, f.asked)
}

// A run whose last tasks all fail around the agent has ended in an outage; one that fails
// alone, or among others, is a mishap.
func TestAnOutageIsToldFromAMishap(t *testing.T) {
	for name, test := range map[string]struct {
		failing string
		policy  harness.TimeoutPolicy
		outage  bool
	}{
		"the last two":      {"cd", harness.ChargeAgent, true},
		"the last one":      {"d", harness.ChargeAgent, false},
		"two in the middle": {"bc", harness.ChargeAgent, false},
		"the last two, where such tasks do not count": {"cd", harness.BlameInfrastructure, false},
	} {
		t.Run(name, func(t *testing.T) {
			failing := test.failing
			f := &fake{all: []string{"a", "b", "c", "d"}, do: func(_ int, id string) harness.Progress {
				if strings.Contains(failing, id) {
					return harness.Progress{Outcome: harness.NoReward(harness.Infrastructure, "no network")}
				}
				return harness.Progress{Outcome: harness.Reward(1)}
			}}
			o := options(t, f)
			o.TimeoutPolicy = test.policy
			r := open(t, o)
			_, err := r.Epoch(t.Context(), candidate, 1)
			require.NoError(t, err)
			require.NoError(t, r.Close())

			// So it is where no rows are kept, whether tasks are told one by one or at the end.
			for _, atTheEnd := range []bool{false, true} {
				told := 0
				wary, err := taskrun.Wary(harness.Host{Observe: func(harness.Progress) { told++ }}, test.policy, func(h harness.Host) (harness.Runner, error) {
					if atTheEnd {
						h = harness.Host{}
					}
					return f.runner(h)
				})
				require.NoError(t, err)
				for range 2 {
					results, err := wary.Run(t.Context(), nil)
					assert.Len(t, results, 4)
					assert.Equal(t, test.outage, err != nil)
				}
				assert.Equal(t, !atTheEnd, told == 8)
			}

			r = open(t, o)
			err = r.Outage()
			if !test.outage {
				require.NoError(t, err)
				require.NoError(t, r.Close())
				return
			}
			require.EqualError(t, err, "the run ended in an outage: its last 2 tasks, of 4, have no reward; no network")
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
			failing = ""
			_, err = r.Again(t.Context(), candidate, 1)
			require.NoError(t, err)
			require.NoError(t, r.Outage())
			require.NoError(t, r.Close())
		})
	}
}
