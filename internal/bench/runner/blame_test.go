package runner_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

func TestN10EachFailureHasAClass(t *testing.T) {
	const refused = "the model's API refused the connection"
	wrong := says(`{"ok":false,"data":null,"error":{"code":"X","message":"m"},"meta":{}}`)
	ends := func(text string, err error) turn {
		return func(context.Context, *fake.Session, agent.Prompt) (agent.Turn, error) {
			return agent.Turn{}, fmt.Errorf("%s: %w", text, err)
		}
	}
	cases := []struct {
		name     string
		turn     turn
		model    *target.ModelUsage
		change   func(*rig)
		class    bench.Class
		part     bench.Part
		provider string
	}{
		{name: "a success has none", turn: says(fake.Envelope)},
		{name: "a wrong answer is the agent's", turn: wrong, class: bench.ClassAgent},
		{name: "an agent that stalls", turn: stalls, class: bench.ClassAgent},
		{name: "an agent that stalls after the provider failed", turn: stalls, model: &target.ModelUsage{WireUsage: bench.WireUsage{Calls: 2}, Failures: []string{refused}},
			class: bench.ClassInfrastructure, part: bench.PartProvider, provider: refused},
		{name: "a wrong answer after the provider failed", turn: wrong, model: &target.ModelUsage{WireUsage: bench.WireUsage{Calls: 2}, Failures: []string{refused}},
			class: bench.ClassInfrastructure, part: bench.PartProvider, provider: refused},
		{name: "a success after the provider failed", turn: says(fake.Envelope), model: &target.ModelUsage{WireUsage: bench.WireUsage{Calls: 2}, Failures: []string{refused}}, provider: refused},
		{name: "a model that was asked and is silent", turn: silent, model: &target.ModelUsage{WireUsage: bench.WireUsage{Calls: 1}},
			class: bench.ClassInfrastructure, part: bench.PartProvider, provider: "the model gave no first answer"},
		{name: "an agent's program that asked no model", turn: silent, model: &target.ModelUsage{}, class: bench.ClassInfrastructure, part: bench.PartHarness},
		{name: "silence where calls are not seen", turn: silent, class: bench.ClassInfrastructure, part: bench.PartProvider, provider: "the model gave no first answer"},
		{name: "a status where calls are not seen", turn: ends("the agent's turn failed", errors.New("slow down (429)")),
			class: bench.ClassInfrastructure, part: bench.PartProvider, provider: "the model's provider answered 429"},
		{name: "a status that the provider did not answer", turn: ends("the agent's turn failed", errors.New("slow down (429)")), model: &target.ModelUsage{WireUsage: bench.WireUsage{Calls: 1}},
			class: bench.ClassInfrastructure, part: bench.PartHarness},
		{name: "an agent's program that crashes", turn: crashes, class: bench.ClassInfrastructure, part: bench.PartHarness},
		{name: "a tool that dies", turn: ends("the MCP server ended", agent.ErrTool), class: bench.ClassTool},
		{name: "a tool that dies while the provider fails", turn: ends("the MCP server ended", agent.ErrTool), model: &target.ModelUsage{Failures: []string{refused}},
			class: bench.ClassInfrastructure, part: bench.PartProvider, provider: refused},
		{name: "fixtures that cannot be made", class: bench.ClassInfrastructure, part: bench.PartSandbox, change: func(r *rig) {
			places := 0
			r.target.OnPrepare = func(context.Context, target.Needs) error {
				if places++; places > 1 { // the first is the preflight's
					return errors.New("the disk is full")
				}
				return nil
			}
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(fake.Atomic("a-001"))
				r.provider.OnPrompt = c.turn
				r.target.Usage.Model = c.model
				if c.change != nil {
					c.change(r)
				}
				row := r.one(t)
				require.Len(t, row.Attempts, 1)
				a := row.Attempts[0]
				assert.Equal(t, c.class, a.Class)
				assert.Equal(t, c.part, a.Part)
				assert.Equal(t, c.provider, a.ProviderFailure)
				assert.Equal(t, c.provider, row.ProviderFailure(), "a void depends on that alone")
			})
		})
	}
}

func TestN10AStateThatCannotBeReadIsTheSandboxs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Workflow("a-wf-001"))
		r.reader.Err = errors.New("bad gateway")
		a := r.one(t).Attempts[0]
		assert.Equal(t, bench.ClassInfrastructure, a.Class)
		assert.Equal(t, bench.PartSandbox, a.Part)
	})
}

func TestN11ThreeFailuresAlikeEndTheRun(t *testing.T) {
	fails := func(n int) turn {
		return func(context.Context, *fake.Session, agent.Prompt) (agent.Turn, error) {
			return agent.Turn{}, fmt.Errorf("connect to 127.0.0.1:%d: refused", n)
		}
	}
	other := func(context.Context, *fake.Session, agent.Prompt) (agent.Turn, error) {
		return agent.Turn{}, errors.New("no space left")
	}
	for _, c := range []struct {
		name  string
		turns []turn
		// rows is how many of 6 cells have a row.
		rows int
	}{
		{"three alike, but for their numbers", []turn{fails(1), fails(2), fails(33)}, 2},
		{"after others", []turn{other, says(fake.Envelope), fails(1), fails(2), fails(3)}, 4},
		{"not in a row", []turn{fails(1), fails(2), says(fake.Envelope), fails(1), fails(2), stalls}, 6},
		{"not alike", []turn{fails(1), fails(2), other, fails(3), fails(4), other}, 6},
		{"the agent's own", []turn{stalls}, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(fake.Atomic("a-001"))
				r.plan(runner.PlanOptions{ScenarioIDs: []string{"a-001"}, Modes: []bench.Mode{bench.AgentDirect}, Repetitions: 6, Order: runner.Sequential})
				r.provider.OnPrompt = turns(c.turns...)
				out, err := r.run(t.Context(), t)
				assert.Equal(t, c.rows, out.Rows)
				if c.rows == 6 {
					require.NoError(t, err)
					return
				}
				assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
				assert.ErrorContains(t, err, "3 attempts in a row failed alike, and not by the agent's doing (harness): prompt agent: connect to 127.0.0.1:")
				assert.Len(t, out.Left, 6-c.rows)
			})
		})
	}
}
