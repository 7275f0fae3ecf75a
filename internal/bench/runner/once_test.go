package runner_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

func TestOnceJudgesAsARunDoes(t *testing.T) {
	allowed := bench.Allowance{
		Change: bench.ChangeCreated, Object: "comment", Name: "* on {{repo.full_name}}#1", Fields: map[string]any{"body": map[string]any{"any": true}},
	}
	for name, seen := range map[string][]bench.Change{
		"a success": {commented(1, "o/n#1")},
		"a failure": {commented(1, "o/n#1"), commented(2, "o/n#2")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := fake.Atomic("a-001")
				s.Footprint = []bench.Allowance{allowed}
				r := newRig(s)
				r.target.Changes = func() []bench.Change { return seen }
				row := r.one(t)
				tried := runner.Once(t.Context(), runner.Config{Scenarios: r.cfg.Scenarios}, r.deps, row.Cell())
				assert.Zero(t, r.target.Open(), "the place is given back")

				assert.Equal(t, row.Success, tried.Succeeded())
				assert.Equal(t, row.Error, tried.Error)
				assert.Equal(t, row.Checkpoints, tried.Checkpoints)
				assert.True(t, tried.Judged)
				assert.Len(t, tried.Changes, len(seen))
				assert.Equal(t, seen, tried.Seen)
				assert.Equal(t, fake.Envelope, tried.Answer)
				assert.Equal(t, tried.Answer, tried.Transcript.Answer())
				assert.Equal(t, "o/n", tried.Manifest.Repo.FullName)
				require.Len(t, tried.Scenario.Scenario.Footprint, 1)
				assert.Equal(t, "* on o/n#1", tried.Scenario.Scenario.Footprint[0].Name, "as it was bound")
				assert.Equal(t, *row.APIRequests, tried.Usage.Requests)
			})
		})
	}
}

func TestOnceTellsWhatAnAnswerIsComparedWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(telling(map[string]string{"id": ".id"}))
		r.reader.Says = map[string]any{"id": "the true one"}
		r.target.Unsupported = []string{"GET /user/keys"}
		tried := runner.Once(t.Context(), runner.Config{Scenarios: r.cfg.Scenarios}, r.deps, r.cfg.Cells[0])
		assert.Equal(t, map[string]any{"id": "the true one"}, tried.Truth)
		assert.Equal(t, fake.Agent, tried.Agent)
		assert.Equal(t, r.target.Unsupported, tried.Unsupported)
	})
}

func TestOnceTellsWhyAnAgentDidNotFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.provider.OnPrompt = silent
		tried := runner.Once(t.Context(), runner.Config{Scenarios: r.cfg.Scenarios}, r.deps, r.cfg.Cells[0])
		require.NotNil(t, tried.Error)
		assert.Equal(t, bench.TimeoutNoFirstAnswer, tried.Error.Type)
		assert.Empty(t, tried.Checkpoints)
	})
}
