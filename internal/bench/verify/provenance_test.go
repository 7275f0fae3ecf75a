package verify_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// withMine has the rig compare with a mode of a file.
func withMine(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	commit := "own"
	r.suite.Modes = []bench.Mode{bench.AgentDirect, "mine"}
	r.setMine(bench.ModeFact{Hash: "file", Git: bench.GitRef{Commit: &commit}})
	return r
}

func (r *rig) setMine(fact bench.ModeFact) {
	r.suite.Run.ModeFiles = map[bench.Mode]bench.ModeFact{"mine": fact}
}

func (r *rig) mine() bench.ModeFact { return r.suite.Run.ModeFiles["mine"] }

// judgingMine judges the mode of a file.
func judgingMine() verify.JudgeOptions {
	how := judging()
	how.Candidate = "mine"
	return how
}

func TestN1AModeWhoseFileOrToolHasChangedIsAnother(t *testing.T) {
	other := "other"
	for name, c := range map[string]struct {
		change func(*bench.ModeFact)
		want   string
	}{
		"file":   {func(f *bench.ModeFact) { f.Hash = "changed" }, "run run-1 cannot go on: its content of the file of mode mine is file, now it would be changed; set it as it was, or start a new run"},
		"commit": {func(f *bench.ModeFact) { f.Git.Commit = &other }, "run run-1 cannot go on: its mode mine's commit is own, now it would be other; set it as it was, or start a new run"},
	} {
		t.Run("N1: "+name, func(t *testing.T) {
			r := withMine(t)
			files := r.run(r.stopAfter(t, 4), t).Files
			rows := rowsOf(t, files)
			fact := r.mine()
			c.change(&fact)
			r.setMine(fact)

			r.next("run-1")
			_, err := verify.RunSuite(t.Context(), r.suite, r.deps)
			require.EqualError(t, err, c.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))

			_, err = r.suite.Earlier(r.provider.Info, files...)
			require.ErrorContains(t, err, "of cell")
			assert.Equal(t, fault.Invalid, fault.KindOf(err), "bench --rows")

			r.suite.Dir, r.suite.Rows = t.TempDir(), rows
			r.next("run-2")
			second := r.run(t.Context(), t)
			left := 0
			for _, row := range rows {
				if row.Mode == "mine" {
					left++
				}
			}
			require.NotZero(t, left)
			assert.Equal(t, 8-len(rows)+left, second.Rows, "they are run again, as by a retry")
			require.Len(t, second.Info.LeftOut, 1)
			assert.Contains(t, second.Info.LeftOut[0].Reason, "the mode's file were others")
		})
	}
}

func TestRowsOfTwoFilesOfAModeAreNotReportedTogether(t *testing.T) {
	r := withMine(t)
	scenarios := r.suite.Scenarios
	r.suite.Scenarios = scenarios[:1]
	first := r.run(t.Context(), t)
	fact := r.mine()
	fact.Hash = "changed"
	r.setMine(fact)
	r.suite.Modes, r.suite.Scenarios = r.suite.Modes[1:], scenarios[1:]
	r.next("run-2")
	second := r.run(t.Context(), t)

	how := judgingMine()
	both := verify.Source{Files: append(first.Files, second.Files...), Runs: []ledger.RunInfo{first.Info, second.Info}}
	_, err := verify.Report(both, how)
	require.ErrorContains(t, err, `mode_hash of cell`)
	assert.ErrorContains(t, err, `is "changed", but the suite's is "file"`)

	// Which run a mode is of first does not matter.
	for _, others := range []map[bench.Mode]bench.ModeFact{nil, {"theirs": {Hash: "theirs"}}} {
		both.Runs[0].ModeFiles = others
		_, err = verify.Report(both, how)
		require.ErrorContains(t, err, `is "file", but the suite's is "changed"`)
		assert.NotContains(t, others, bench.Mode("mine"), "what was read is not changed")
	}

	both.Runs = nil
	_, err = verify.Report(both, how)
	require.ErrorContains(t, err, "those of mode mine are of 2 contents of its file, changed and file: report them apart")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

// slow has a mode's agents take a second more.
func (r *rig) slow(mode bench.Mode) {
	turn := r.provider.OnPrompt
	r.provider.OnPrompt = func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
		if s.Setup.Mode == mode {
			r.now = r.now.Add(time.Second)
		}
		return turn(ctx, s, p)
	}
}

func TestG14FiguresOfAnotherBaseAreNotComparedWith(t *testing.T) {
	for now, warnings := range map[string]int{"base": 2, "another": 1} {
		r := newRig(t)
		base := "base"
		r.suite.Modes, r.suite.BaseCommit = []bench.Mode{bench.GHXBase, bench.GHX}, &base
		how := judging()
		how.Baseline = bench.GHXBase
		for _, id := range []string{"run-1", "run-2", "run-3"} {
			r.next(id)
			_, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, how)
			require.NoError(t, err)
		}
		r.next("run-4")
		r.suite.BaseCommit = &now
		r.slow(bench.GHXBase)
		r.slow(bench.GHX)
		v, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, how)
		require.NoError(t, err)
		assert.Len(t, v.Summary.Regressions, warnings, "of the tool, and of the base %s", now)
	}
}

func TestG14FiguresOfAnotherFileOfAModeAreNotComparedWith(t *testing.T) {
	for _, c := range []struct {
		before, now string
		warnings    int
	}{{"file", "file", 1}, {"file", "changed", 0}, {"", "file", 1}, {"file", "", 1}} {
		r := withMine(t)
		fact := r.mine()
		fact.Hash = c.before
		r.setMine(fact)
		for _, id := range []string{"run-1", "run-2", "run-3"} {
			r.next(id)
			_, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, judgingMine())
			require.NoError(t, err)
		}
		fact.Hash = c.now
		r.setMine(fact)
		r.next("run-4")
		r.slow("mine")
		slow, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, judgingMine())
		require.NoError(t, err)
		assert.Len(t, slow.Summary.Regressions, c.warnings, "%q, then %q", c.before, c.now)
	}
}

func TestARunAndItsSummaryListWhatTookPart(t *testing.T) {
	r := newRig(t)
	r.suite.Run.Tools = verify.Tools("v1", "fake 1", map[string]string{"proxy": "v1"})
	first := r.run(r.stopAfter(t, 3), t)
	assert.Equal(t, bench.Versions{"agent": {"fake 1"}, "harness": {"v1"}, "proxy": {"v1"}}, first.Info.Versions)

	r.next("run-1")
	r.suite.Run.Tools = verify.Tools("v2", "fake 1", map[string]string{"proxy": "v2"})
	r.run(t.Context(), t)
	saved, err := ledger.LoadRun(r.suite.Folder())
	require.NoError(t, err)
	want := bench.Versions{"agent": {"fake 1"}, "harness": {"v1", "v2"}, "proxy": {"v1", "v2"}}
	assert.Equal(t, want, saved.Versions, "those of the rows that were there, too")

	source, err := verify.SourceOf(r.suite.Folder())
	require.NoError(t, err)
	reported, err := verify.Report(source, judging())
	require.NoError(t, err)
	assert.Equal(t, want, reported.Summary.Versions)
	assert.Contains(t, reported.Summary.Warnings, "The rows are not of one version of harness: they have v1, v2")

	r.suite.Dir, r.suite.Rows = t.TempDir(), rowsOf(t, source.Files)[:1]
	r.suite.Run.Tools = verify.Tools("v3", "fake 1", nil)
	r.next("run-2")
	assert.Equal(t, []string{"v1", "v3"}, r.run(t.Context(), t).Info.Versions["harness"], "and of those that are taken over")
}

// older takes from JSON objects what earlier versions did not write.
func older(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var lines []string
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	for decoder.More() {
		var object map[string]any
		require.NoError(t, decoder.Decode(&object))
		for _, field := range []string{"mode_hash", "tools", "versions", "mode_files"} {
			delete(object, field)
		}
		line, err := json.Marshal(object)
		require.NoError(t, err)
		lines = append(lines, string(line)+"\n")
	}
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600))
}

func TestRunsAndRowsOfOlderVersionsAreGoneOnWith(t *testing.T) {
	r := withMine(t)
	r.suite.Run.Tools = verify.Tools("v2", "fake 1", nil)
	first := r.run(r.stopAfter(t, 4), t)
	for _, path := range append(first.Files, filepath.Join(r.suite.Folder(), ledger.RunFile)) {
		older(t, path)
	}
	before, err := ledger.LoadRun(r.suite.Folder())
	require.NoError(t, err)
	assert.Nil(t, before.Versions)

	source, err := verify.SourceOf(r.suite.Folder())
	require.NoError(t, err)
	reported, err := verify.Report(source, judgingMine())
	require.NoError(t, err)
	assert.Nil(t, reported.Summary.Versions)

	r.next("run-1")
	second := r.run(t.Context(), t)
	assert.Equal(t, 4, second.Rows)
	assert.Equal(t, []string{"v2"}, second.Info.Versions["harness"])
	_, err = r.suite.Earlier(r.provider.Info, second.Files...)
	require.NoError(t, err)
}
