package verify_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// providerFailsIn has the model's provider fail in cells.
func (r *rig) providerFailsIn(cells ...string) {
	r.provider.OnPrompt = func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
		cell := bench.Cell{ScenarioID: p.Play.ScenarioID, Mode: s.Setup.Mode, Iteration: p.Play.Iteration}
		if slices.Contains(cells, cell.String()) {
			return agent.Turn{}, errors.New("the agent's turn failed: slow down (429)")
		}
		return r.turn(ctx, s, p)
	}
}

// byEvidence has the rig's four repetitions judged by evidence.
func byEvidence(t *testing.T) *rig {
	r := newRig(t)
	r.suite.Profile, r.suite.Order, r.suite.Repetitions = bench.ProfileRegression, runner.Blocks, 4
	return r
}

func (r *rig) report(t *testing.T, how verify.JudgeOptions) bench.Summary {
	t.Helper()
	source, err := verify.SourceBelow(r.suite.Dir)
	require.NoError(t, err)
	how.Profile = bench.ProfileRegression
	reported, err := verify.Report(source, how)
	require.NoError(t, err)
	return reported.Summary
}

func beyond(iteration int, rows []bench.Row) (cells []string) {
	for _, row := range rows {
		if row.Iteration > iteration {
			cells = append(cells, row.Cell().String())
		}
	}
	slices.Sort(cells)
	return cells
}

func TestN10AVoidBlockIsRefilledByANewOneInBothModes(t *testing.T) {
	for name, c := range map[string]struct {
		void   []string
		beyond []string
		looks  int
	}{
		"nothing is void":       {nil, nil, 1},
		"half a block":          {[]string{"b-001/ghx/1"}, []string{"b-001/agent_direct/5", "b-001/ghx/5"}, 1},
		"both halves":           {[]string{"b-001/ghx/2", "b-001/agent_direct/2"}, []string{"b-001/agent_direct/5", "b-001/ghx/5"}, 1},
		"the new one too":       {[]string{"b-001/ghx/1", "b-001/ghx/5"}, []string{"b-001/agent_direct/5", "b-001/agent_direct/6", "b-001/ghx/5", "b-001/ghx/6"}, 1},
		"one of each":           {[]string{"a-001/ghx/1", "b-001/ghx/4"}, []string{"a-001/agent_direct/5", "a-001/ghx/5", "b-001/agent_direct/5", "b-001/ghx/5"}, 1},
		"more than may be void": {[]string{"a-001/ghx/1", "a-001/ghx/2", "b-001/ghx/4"}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := byEvidence(t)
			r.providerFailsIn(c.void...)
			result := r.run(t.Context(), t)
			rows := rowsOf(t, result.Files)
			assert.Equal(t, c.beyond, beyond(4, rows))
			assert.Len(t, rows, 16+len(c.beyond), "no row is replaced")
			for _, row := range rows {
				assert.Positive(t, row.Order.Position)
			}
			var refills []string
			for _, cell := range result.Info.Refills {
				refills = append(refills, cell.String())
			}
			assert.ElementsMatch(t, c.beyond, refills)
			s := r.report(t, judging())
			assert.Empty(t, s.Missing)
			assert.Len(t, s.Evidence.Looks, c.looks)
			named, void := 0, 0
			for _, l := range s.LeftOut {
				named += l.Rows
				assert.Len(t, l.Cells, l.Rows)
				if strings.HasPrefix(l.Reason, "void: ") {
					void += l.Rows
				}
			}
			assert.Equal(t, len(rows)-16*c.looks, named, "every row is judged, or counted and named")
			blocks := map[string]bool{}
			for _, row := range rows {
				if slices.Contains(c.void, row.Cell().String()) {
					blocks[row.ScenarioID+string(rune('0'+row.Iteration))] = true
				}
			}
			assert.Equal(t, 2*len(blocks), void, "both halves of what is void are counted and named")
			assert.Zero(t, r.run(t.Context(), t).Rows, "going on adds nothing")
		})
	}
}

func TestN10TheTenChecksRefillNothing(t *testing.T) {
	r := byEvidence(t)
	r.suite.Profile = bench.VerifyPR
	r.providerFailsIn("b-001/ghx/1")
	assert.Len(t, rowsOf(t, r.run(t.Context(), t).Files), 16)
}

func TestN10ARunThatWasStoppedInARefillGoesOnWithIt(t *testing.T) {
	r := byEvidence(t)
	r.providerFailsIn("b-001/ghx/1")
	first := r.run(r.stopAfter(t, 17), t)
	require.Len(t, first.Left, 1)
	info, err := ledger.LoadRun(r.suite.Folder())
	require.NoError(t, err)
	assert.Len(t, info.Refills, 2)
	assert.NotEmpty(t, r.report(t, judging()).Missing, "half a block that was begun is missing")
	r.rows, r.afterRow = 0, nil
	assert.Equal(t, 1, r.run(t.Context(), t).Rows)
	assert.Empty(t, r.report(t, judging()).Missing)
}

func TestN10ShardsRefillTheirOwnBlocks(t *testing.T) {
	r := byEvidence(t)
	dir := r.suite.Dir
	r.providerFailsIn("a-001/ghx/1", "b-001/ghx/2")
	cells := map[string]bool{}
	for i := range 2 {
		r.suite.Dir, r.suite.Shard = dir+[]string{"/one", "/two"}[i], &bench.Shard{Index: i + 1, Count: 2}
		for _, row := range rowsOf(t, r.run(t.Context(), t).Files) {
			assert.False(t, cells[row.Cell().String()], row.Cell())
			cells[row.Cell().String()] = true
		}
	}
	assert.Len(t, cells, 20)
	r.suite.Dir = dir
	s := r.report(t, judging())
	assert.Empty(t, s.Missing)
	assert.Len(t, s.Evidence.Looks, 1, "a sharded run has one look, at its end")
}
