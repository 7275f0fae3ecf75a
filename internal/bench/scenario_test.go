package bench_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestS3TheExpectedOutcomeIsStatedInOneOfTwoFields(t *testing.T) {
	yes, no := true, false
	cases := []struct {
		name string
		a    bench.Assertions
		want bench.Outcome
	}{
		{"a success", bench.Assertions{ExpectedOutcome: bench.OutcomeSuccess}, bench.OutcomeSuccess},
		{"an error", bench.Assertions{ExpectedOutcome: bench.OutcomeError}, bench.OutcomeError},
		{"the older field, a success", bench.Assertions{MustSucceed: &yes}, bench.OutcomeSuccess},
		{"the older field, an error", bench.Assertions{MustSucceed: &no}, bench.OutcomeError},
		{"both", bench.Assertions{ExpectedOutcome: bench.OutcomeError, MustSucceed: &no}, bench.OutcomeError},
	}
	for _, c := range cases {
		t.Run("S3: "+c.name, func(t *testing.T) { assert.Equal(t, c.want, c.a.Outcome()) })
	}
}

func TestS1AScenarioTellsWhatItUses(t *testing.T) {
	atomic := bench.Scenario{Type: bench.Atomic, Task: "pr.merge", TimeoutMS: 1500}
	assert.Equal(t, []string{"pr.merge"}, atomic.Capabilities())
	assert.Equal(t, 1500*time.Millisecond, atomic.Timeout())
	assert.Empty(t, atomic.Requires())

	workflow := bench.Scenario{
		Type: bench.Workflow, ExpectedCapabilities: []string{"pr.view", "pr.merge"},
		Fixture: &bench.Fixture{Requires: []string{"pr"}},
	}
	assert.Equal(t, []string{"pr.view", "pr.merge"}, workflow.Capabilities())
	assert.Equal(t, []string{"pr"}, workflow.Requires())
}
