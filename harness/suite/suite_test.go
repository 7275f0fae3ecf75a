package suite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/suite"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// fake is a benchmark whose results are known; it notes what it was asked.
type fake struct {
	results harness.Results
	err     error
	asked   [][]string
}

func (f *fake) Run(_ context.Context, ids []string) (harness.Results, error) {
	f.asked = append(f.asked, ids)
	return f.results, f.err
}

func scored(rewards ...float64) harness.Results {
	results := harness.Results{}
	for i, r := range rewards {
		results[fmt.Sprintf("t%d", i)] = harness.Reward(r)
	}
	return results
}

// rig is a gate in a workspace of the test's own.
type rig struct {
	suite.Gate
	train, full *fake
	out         *bytes.Buffer
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{train: &fake{}, full: &fake{results: scored(1, 0, 0)}, out: new(bytes.Buffer)}
	r.Gate = suite.Gate{
		Workspace: workspace(t), Train: r.train, Full: r.full, TrainSplit: harness.TrainSplit,
		FullSplit: harness.TestSplit, Threshold: harness.DefaultThreshold, Policy: harness.ChargeAgent, Out: r.out,
	}
	return r
}

func workspace(t *testing.T) suite.Workspace {
	t.Helper()
	return suite.Workspace{Dir: filepath.Join(t.TempDir(), suite.Dir), Now: func() time.Time { return time.Date(2026, 8, 1, 12, 0, 0, 5, time.UTC) }}
}

func (r *rig) put(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(r.Workspace.Dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(r.Workspace.Dir, name), []byte(text), 0o600))
}

func read(t *testing.T, w suite.Workspace, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.Dir, name))
	require.NoError(t, err)
	return string(data)
}

func TestGate(t *testing.T) {
	t.Run("a first run passes, and its verdict is kept", func(t *testing.T) {
		r := newRig(t)
		v, err := r.Run(t.Context())
		require.NoError(t, err)
		assert.True(t, v.Passed)
		assert.Nil(t, v.Full.Best)
		assert.Equal(t, 1.0/3, v.Full.ValScore)
		assert.Empty(t, r.train.asked)
		assert.Equal(t, [][]string{nil}, r.full.asked, "the full test is the whole split")
		assert.Contains(t, r.out.String(), "[gate] Step 1: eval suite is empty — skipping")
		assert.Contains(t, r.out.String(), "val_score=0.3333333333333333  PASS ✓  (first run)")
		kept, ok, err := r.Workspace.LastVerdict()
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Len(t, v.Full.Results, 3)
		v.Full.Results = nil
		assert.Equal(t, v, kept, "but for the results that nobody is to train on")
	})
	t.Run("an identical score passes: the best is kept to its last digit", func(t *testing.T) {
		r := newRig(t)
		r.full.results = scored(1, 1, 0)
		first, err := r.Run(t.Context())
		require.NoError(t, err)
		_, err = r.Workspace.Add(suite.Record{ValScore: first.Full.ValScore, Commit: "abc"})
		require.NoError(t, err)
		second, err := r.Run(t.Context())
		require.NoError(t, err)
		assert.True(t, second.Passed)
		assert.Equal(t, 2.0/3, *second.Full.Best)
	})
	t.Run("a score below the best fails", func(t *testing.T) {
		r := newRig(t)
		r.put(t, "results.tsv", "iteration\tval_score\tcommit\tevals_passed\tevals_total\ttimestamp\n0\t0.5\tbaseline\t0\t0\tt\n1\t0.4\tabc\t0\t0\tt\n")
		v, err := r.Run(t.Context())
		require.NoError(t, err)
		assert.False(t, v.Passed)
		assert.Equal(t, "val_score 0.3333333333333333 < best 0.5", v.Reason)
		assert.Contains(t, r.out.String(), "[gate] FAILED — val_score")
		assert.NotContains(t, r.out.String(), "Step 3")
	})
	suiteTests := []struct {
		name    string
		results harness.Results
		policy  harness.TimeoutPolicy
		passes  bool
		passed  int
		total   int
	}{
		{"a suite at its threshold passes", scored(1, 1, 0.5, 1, 0), harness.ChargeAgent, true, 4, 5},
		{"a suite below it fails", scored(1, 1, 0.49, 1, 0), harness.ChargeAgent, false, 3, 5},
		{"a task without a reward has failed", harness.Results{
			"t0": harness.Reward(1), "t1": harness.Reward(1), "t2": harness.Reward(1), "t3": harness.NoReward(harness.Timeout, ""), "t4": harness.NoReward(harness.Timeout, ""),
		}, harness.ChargeAgent, false, 3, 5},
		{"unless the policy leaves it out", harness.Results{
			"t0": harness.Reward(1), "t1": harness.Reward(1), "t2": harness.Reward(1), "t3": harness.NoReward(harness.Timeout, ""), "t4": harness.NoReward(harness.Timeout, ""),
		}, harness.BlameInfrastructure, true, 3, 3},
		{"a task that the runner has lost has failed", scored(1, 1, 1), harness.ChargeAgent, false, 3, 5},
		{"under every policy", scored(1, 1, 1), harness.BlameInfrastructure, false, 3, 5},
		{"and so has one in which the agent has crashed", harness.Results{
			"t0": harness.Reward(1), "t1": harness.Reward(1), "t2": harness.Reward(1), "t3": harness.NoReward(harness.Crashed, ""), "t4": harness.NoReward(harness.Timeout, ""),
		}, harness.BlameInfrastructure, false, 3, 4},
	}
	for _, tt := range suiteTests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.put(t, "suite.json", `{"tasks": ["t0", "t1", "t2", "t3", "t4"], "threshold": 0.8, "last_results": {}}`)
			r.train.results, r.Policy = tt.results, tt.policy
			v, err := r.Run(t.Context())
			require.NoError(t, err)
			assert.Equal(t, tt.passes, v.Passed)
			assert.Equal(t, tt.passes, v.Suite.Passed)
			assert.Equal(t, []int{tt.passed, tt.total}, []int{v.Suite.EvalsPassed, v.Suite.EvalsTotal})
			assert.Equal(t, [][]string{nil}, r.full.asked, "the full test runs after a failed suite too")
			assert.Equal(t, [][]string{{"t0", "t1", "t2", "t3", "t4"}}, r.train.asked)
			saved, err := r.Workspace.Suite(0)
			require.NoError(t, err)
			assert.Len(t, saved.LastResults, tt.total)
		})
	}
}

func TestTheFullTestIsOfTheSameTasks(t *testing.T) {
	t.Run("a task that is left out has failed, and a score cannot rise by it", func(t *testing.T) {
		r := newRig(t)
		r.full.results = scored(1, 0)
		_, err := r.Run(t.Context())
		require.NoError(t, err)
		_, err = r.Workspace.Add(suite.Record{ValScore: 0.5, Commit: "abc"})
		require.NoError(t, err)
		r.full.results = scored(1)
		v, err := r.Run(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 0.5, v.Full.ValScore, "it would be 1.0 of what was told alone")
		assert.Equal(t, harness.Missing, v.Full.Results["t1"].Status)
		r.full.results, r.Policy = scored(1), harness.BlameInfrastructure
		v, err = r.Run(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 0.5, v.Full.ValScore)
	})
	t.Run("a task more is refused, and what is known stays", func(t *testing.T) {
		r := newRig(t)
		first, err := r.Run(t.Context())
		require.NoError(t, err)
		r.full.results = scored(1, 1, 1, 1)
		_, err = r.Run(t.Context())
		require.ErrorContains(t, err, `split "test" has 1 tasks that earlier scores are not of: t3`)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
		kept, _, err := r.Workspace.LastVerdict()
		require.NoError(t, err)
		assert.Equal(t, first.Full.ValScore, kept.Full.ValScore)
	})
}

func TestAnOutageReplacesNothing(t *testing.T) {
	r := newRig(t)
	r.put(t, "suite.json", `{"tasks": ["t0", "t1"], "threshold": 0.8, "last_results": {"t0": 1, "t1": 1}}`)
	before := read(t, r.Workspace, "suite.json")
	r.train.results = harness.Results{"t0": harness.NoReward(harness.Missing, "x"), "t1": harness.NoReward(harness.Infrastructure, "FATAL: no such database")}
	_, err := r.Run(t.Context())
	require.ErrorContains(t, err, "gate, step 1")
	require.ErrorContains(t, err, "task t1: FATAL: no such database")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	assert.Equal(t, before, read(t, r.Workspace, "suite.json"))
	assert.Empty(t, r.full.asked)
}

func TestPromotion(t *testing.T) {
	trained := harness.Results{
		"new": harness.Reward(0), "slow": harness.NoReward(harness.Timeout, ""), "still": harness.Reward(0.1),
		"old": harness.Reward(0), "fine": harness.Reward(1),
	}
	again := harness.Results{"new": harness.Reward(1), "slow": harness.Reward(0.5), "still": harness.NoReward(harness.Timeout, "")}
	setUp := func(t *testing.T) *rig {
		r := newRig(t)
		_, err := r.Workspace.SaveResults("train", true, trained)
		require.NoError(t, err)
		require.NoError(t, r.Workspace.SaveSuite(suite.Suite{Threshold: 0.8}))
		r.train.results = again
		return r
	}
	t.Run("tasks that failed in training and pass now are promoted", func(t *testing.T) {
		r := setUp(t)
		v, err := r.Run(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"new", "old", "slow", "still"}, v.Promotion.Rerun)
		assert.Equal(t, []string{"new", "slow"}, v.Promotion.Promoted)
		saved, err := r.Workspace.Suite(0)
		require.NoError(t, err)
		assert.Equal(t, []string{"new", "slow"}, saved.Tasks)
		assert.Contains(t, r.out.String(), "promoted 2 task(s) into regression suite: new, slow")
	})
	t.Run("those in the suite are not run again", func(t *testing.T) {
		r := setUp(t)
		require.NoError(t, r.Workspace.SaveSuite(suite.Suite{Tasks: []string{"new"}, Threshold: 0.8}))
		v, err := r.Run(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"old", "slow", "still"}, v.Promotion.Rerun)
		saved, err := r.Workspace.Suite(0)
		require.NoError(t, err)
		assert.Equal(t, []string{"new", "slow"}, saved.Tasks)
	})
	t.Run("policy infra leaves out tasks without a reward", func(t *testing.T) {
		r := setUp(t)
		r.Policy = harness.BlameInfrastructure
		v, err := r.Run(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"new", "old", "still"}, v.Promotion.Rerun)
		assert.Equal(t, []string{"new"}, v.Promotion.Promoted)
	})
	t.Run("nothing is promoted by a gate that is not passed", func(t *testing.T) {
		r := setUp(t)
		_, err := r.Workspace.Add(suite.Record{ValScore: 1, Commit: "abc"})
		require.NoError(t, err)
		v, err := r.Run(t.Context())
		require.NoError(t, err)
		assert.False(t, v.Passed)
		assert.Empty(t, r.train.asked)
	})
	t.Run("results of another split do not leak into the suite", func(t *testing.T) {
		r := setUp(t)
		r.put(t, "train_results.json", `{"split": "test", "timestamp": "t", "results": {"secret": 0.0}}`)
		_, err := r.Run(t.Context())
		require.ErrorContains(t, err, `has the results of split "test"`)
		assert.Empty(t, r.train.asked)
		assert.Empty(t, r.full.asked, "nothing is run for it")
	})
	t.Run("a file of the original harness is read", func(t *testing.T) {
		r := setUp(t)
		r.put(t, "train_results.json", `{"split": "train", "timestamp": "t", "results": {"new": 0.0, "slow": null, "fine": 1.0}}`)
		v, err := r.Run(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"new", "slow"}, v.Promotion.Promoted)
	})
}

func TestRunsThatCannotBeJudged(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name string
		full fake
		want string
	}{
		{"a runner that fails", fake{err: boom}, "boom"},
		{"a run without results", fake{results: harness.Results{}}, "no result for any task"},
		{"a run in which nothing could be tried is no score of 0.0", fake{results: harness.Results{
			"t0": harness.NoReward(harness.Infrastructure, "no docker"), "t1": harness.NoReward(harness.Missing, "x"),
		}}, "task t0: no docker"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.Full = &tt.full
			_, err := r.Run(t.Context())
			require.ErrorContains(t, err, "gate, step 2")
			require.ErrorContains(t, err, tt.want)
			_, ok, err := r.Workspace.LastVerdict()
			require.NoError(t, err)
			assert.False(t, ok)
		})
	}
	t.Run("a broken file of the workspace is named, with its line", func(t *testing.T) {
		for name, text := range map[string]string{"suite.json": "{\n", "results.tsv": "iteration\tval_score\n1\tx\n"} {
			r := newRig(t)
			r.put(t, name, text)
			_, err := r.Run(t.Context())
			require.ErrorContains(t, err, name+":")
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		}
	})
}

func TestSaveResults(t *testing.T) {
	w := workspace(t)
	results := harness.Results{"a": harness.Reward(0.7), "b": harness.NoReward(harness.Timeout, "slow")}
	t.Run("the test split's results do not go to train_results.json", func(t *testing.T) {
		files, err := w.SaveResults("test", false, results)
		require.NoError(t, err)
		assert.Equal(t, []string{filepath.Join(w.Dir, "test_results.json")}, files)
		assert.NoFileExists(t, filepath.Join(w.Dir, "train_results.json"))
	})
	t.Run("the file is that of the original, with the outcomes beside", func(t *testing.T) {
		files, err := w.SaveResults("train", true, results)
		require.NoError(t, err)
		assert.Equal(t, []string{filepath.Join(w.Dir, "train_results.json")}, files)
		assert.JSONEq(t, `{"split": "train", "timestamp": "2026-08-01T12:00:00+00:00", "results": {"a": 0.7, "b": null},
			"outcomes": {"a": {"reward": 0.7, "status": "scored"}, "b": {"reward": null, "status": "timeout", "reason": "slow"}}}`, read(t, w, "train_results.json"))
		back, err := w.TrainResults("train")
		require.NoError(t, err)
		assert.Equal(t, results, back)
	})
	t.Run("a training split of another name is saved under both names", func(t *testing.T) {
		files, err := w.SaveResults("base", true, results)
		require.NoError(t, err)
		assert.Equal(t, []string{filepath.Join(w.Dir, "base_results.json"), filepath.Join(w.Dir, "train_results.json")}, files)
		back, err := w.TrainResults("base")
		require.NoError(t, err)
		assert.Equal(t, results, back)
	})
	t.Run("some tasks are merged into what is known of others", func(t *testing.T) {
		w := workspace(t)
		_, err := w.MergeResults("train", true, harness.Results{"a": harness.Reward(0), "b": harness.Reward(0)})
		require.NoError(t, err)
		_, err = w.MergeResults("train", true, harness.Results{"b": harness.Reward(1), "c": harness.Reward(1)})
		require.NoError(t, err)
		back, err := w.TrainResults("train")
		require.NoError(t, err)
		assert.Equal(t, harness.Results{"a": harness.Reward(0), "b": harness.Reward(1), "c": harness.Reward(1)}, back)
	})
	t.Run("the whole dataset has a name", func(t *testing.T) {
		files, err := w.SaveResults(harness.WholeDataset, false, results)
		require.NoError(t, err)
		assert.Equal(t, []string{filepath.Join(w.Dir, "all_results.json")}, files)
	})
	t.Run("a split is not written outside of the workspace, nor over what is trained on", func(t *testing.T) {
		for _, split := range []string{"", "../x", "a/b", ".lock", "train"} {
			_, err := w.SaveResults(split, false, results)
			require.Error(t, err, split)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		}
	})
}

func TestRecord(t *testing.T) {
	w := workspace(t)
	first, err := w.Add(suite.Record{ValScore: 0.5, Commit: suite.BaselineCommit})
	require.NoError(t, err)
	assert.Equal(t, 0, first.Iteration)
	next, err := w.Add(suite.Record{ValScore: 2.0 / 3, Commit: "abc1234", EvalsPassed: 8, EvalsTotal: 10})
	require.NoError(t, err)
	assert.Equal(t, 1, next.Iteration)
	assert.Equal(t, "iteration\tval_score\tcommit\tevals_passed\tevals_total\ttimestamp\n"+
		"0\t0.5\tbaseline\t0\t0\t2026-08-01T12:00:00+00:00\n"+
		"1\t0.6666666666666666\tabc1234\t8\t10\t2026-08-01T12:00:00+00:00\n", read(t, w, "results.tsv"))
	best, err := w.Best()
	require.NoError(t, err)
	assert.Equal(t, 2.0/3, *best)

	for name, r := range map[string]suite.Record{
		"a score that is none":       {ValScore: 1.2, Commit: "c"},
		"more passed than there are": {ValScore: 1, Commit: "c", EvalsPassed: 2, EvalsTotal: 1},
		"a commit with a tab":        {ValScore: 1, Commit: "a\tb"},
		"a row that names no commit": {ValScore: 1},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			before := read(t, w, "results.tsv")
			_, err := w.Add(r)
			require.Error(t, err)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.Equal(t, before, read(t, w, "results.tsv"))
		})
	}
	t.Run("a last line without an end is not run into", func(t *testing.T) {
		path := filepath.Join(w.Dir, "results.tsv")
		require.NoError(t, os.WriteFile(path, bytes.TrimSpace([]byte(read(t, w, "results.tsv"))), 0o600))
		r, err := w.Add(suite.Record{ValScore: 1, Commit: "c"})
		require.NoError(t, err)
		assert.Equal(t, 2, r.Iteration)
		records, err := w.Records()
		require.NoError(t, err)
		assert.Len(t, records, 3)
	})
}

func TestInit(t *testing.T) {
	w := workspace(t)
	made := map[string]bool{}
	note := func(file string, is bool) { made[filepath.Base(file)] = is }
	require.NoError(t, w.Init(0.9, note))
	assert.Equal(t, map[string]bool{"suite.json": true, "learnings.md": true, "results.tsv": true, "train_results.json": true}, made)
	assert.JSONEq(t, `{"tasks": [], "threshold": 0.9, "last_results": {}}`, read(t, w, "suite.json"))
	assert.JSONEq(t, `{"split": null, "timestamp": null, "results": {}}`, read(t, w, "train_results.json"))
	none, err := w.TrainResults("train")
	require.NoError(t, err)
	assert.Empty(t, none)
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "learnings.md"), []byte("much"), 0o600))
	require.NoError(t, w.Init(0.1, note))
	assert.Equal(t, map[string]bool{"suite.json": false, "learnings.md": false, "results.tsv": false, "train_results.json": false}, made)
	assert.Equal(t, "much", read(t, w, "learnings.md"))
}

func TestWorkspaceLock(t *testing.T) {
	w := workspace(t)
	release, err := w.Lock("bench harness gate (process 7)")
	require.NoError(t, err)
	defer release()
	_, err = w.Lock("another")
	require.ErrorContains(t, err, "in use by bench harness gate (process 7)")
}

func TestBaseline(t *testing.T) {
	setUp := func(t *testing.T, all, full *fake) (suite.Baseline, *bytes.Buffer) {
		out := new(bytes.Buffer)
		w := workspace(t)
		require.NoError(t, w.Init(0.8, func(string, bool) {}))
		return suite.Baseline{
			Workspace: w, SplitFile: filepath.Join(filepath.Dir(w.Dir), "tbench_data/task_split.json"), Policy: harness.ChargeAgent, Out: out,
			All:  func() (harness.Runner, error) { return all, nil },
			Full: func() (harness.Runner, error) { return full, nil },
		}, out
	}
	all := harness.Results{}
	for i := range 10 {
		all[fmt.Sprintf("p%02d", i)] = harness.Reward(1)
	}
	for i := range 7 {
		all[fmt.Sprintf("f%02d", i)] = harness.Reward(0)
	}
	all["f00"] = harness.NoReward(harness.Timeout, "slow")
	t.Run("the whole benchmark is split, and its test part is the baseline", func(t *testing.T) {
		b, out := setUp(t, &fake{results: all}, nil)
		require.NoError(t, b.Run(t.Context()))
		test, err := harness.ReadSplit(b.SplitFile, "test")
		require.NoError(t, err)
		assert.Equal(t, []string{"f00", "f03", "f04", "p00", "p01", "p04"}, test)
		assert.Contains(t, read(t, b.Workspace, "results.tsv"), "0\t0.5\tbaseline\t0\t0\t2026")
		assert.Contains(t, out.String(), "task split created: 11 train, 6 test")
		assert.Contains(t, out.String(), "baseline val_score=0.5 (3/6 passed)")
		data, err := os.ReadFile(b.SplitFile)
		require.NoError(t, err)
		var split harness.Split
		require.NoError(t, json.Unmarshal(data, &split))
		assert.Equal(t, harness.SplitMetadata{Created: "2026-08-01T12:00:00+00:00", TotalTasks: 17, Seed: 42}, split.Metadata)
		require.NoError(t, b.Run(t.Context()), "a second time")
		assert.Contains(t, out.String(), "baseline already recorded — skipping")
	})
	t.Run("policy infra leaves tasks without a reward out of the split, and says so", func(t *testing.T) {
		b, out := setUp(t, &fake{results: all}, nil)
		b.Policy = harness.BlameInfrastructure
		require.NoError(t, b.Run(t.Context()))
		data, err := os.ReadFile(b.SplitFile)
		require.NoError(t, err)
		assert.NotContains(t, string(data), "f00")
		assert.Contains(t, out.String(), "WARNING: 1 task(s) had no reward and are excluded from the train/test split: f00")
	})
	t.Run("with a split there the full test is run", func(t *testing.T) {
		b, _ := setUp(t, nil, &fake{results: scored(1, 0, 0)})
		require.NoError(t, harness.WriteSplit(b.SplitFile, harness.Split{}))
		require.NoError(t, b.Run(t.Context()))
		assert.Contains(t, read(t, b.Workspace, "results.tsv"), "0\t0.3333333333333333\tbaseline")
	})
	t.Run("a benchmark with splits of its own needs no file", func(t *testing.T) {
		b, _ := setUp(t, nil, &fake{results: scored(1)})
		b.SplitFile = ""
		require.NoError(t, b.Run(t.Context()))
	})
	for name, results := range map[string]harness.Results{
		"a run without results": {}, "a run without rewards": {"a": harness.NoReward(harness.Infrastructure, "no docker")},
	} {
		t.Run(name+" writes no split and records no baseline of 0.0", func(t *testing.T) {
			b, _ := setUp(t, &fake{results: results}, nil)
			before := read(t, b.Workspace, "results.tsv")
			err := b.Run(t.Context())
			require.Error(t, err)
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
			assert.NoFileExists(t, b.SplitFile)
			assert.Equal(t, before, read(t, b.Workspace, "results.tsv"))
		})
	}
}
