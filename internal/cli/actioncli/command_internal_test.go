package actioncli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/comment/command"
)

func TestACommandsProfileBringsWhatItAsks(t *testing.T) {
	agents, tools := bench.VerifyPR.UsualModes(), bench.ProfileRegression.UsualModes()
	for _, c := range []struct {
		name, command string
		change        func(*actions.Inputs)
		modes         []bench.Mode
		baseline      bench.Mode
		set           string
	}{
		{"the same question keeps the inputs", "/bench run verify_release", nil, agents, bench.AgentDirect, "ci-verify-pr"},
		{"another one has its own modes and set", "/bench run regression", nil, tools, bench.GHXBase, "ci-evidence"},
		{"a claim is of the same modes", "/bench run claim", nil, agents, bench.AgentDirect, "ci-evidence"},
		{"a set that was chosen stays", "/bench run regression", func(in *actions.Inputs) { in.ScenarioSet = "default" }, tools, bench.GHXBase, "default"},
		{"another candidate is what is asked about", "/bench run regression", func(in *actions.Inputs) {
			in.Candidate, in.Modes = bench.MCP, []bench.Mode{bench.AgentDirect, bench.MCP}
		}, []bench.Mode{bench.AgentDirect, bench.MCP}, bench.AgentDirect, "ci-evidence"},
		{"modes that have the inputs' baseline alone", "/bench run regression --modes agent_direct,ghx", nil, agents, bench.AgentDirect, "ci-evidence"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &action{inputs: actions.Inputs{
				Profile: bench.VerifyPR, Modes: agents, Baseline: bench.AgentDirect, Candidate: bench.GHX, ScenarioSet: "ci-verify-pr",
				Repetitions: bench.Repetitions{First: 4, Most: 4},
			}}
			if c.change != nil {
				c.change(&a.inputs)
			}
			cmd, _, err := command.Parse(c.command)
			require.NoError(t, err)
			a.setInputs(cmd)
			assert.Equal(t, c.modes, a.inputs.Modes)
			assert.Equal(t, c.baseline, a.inputs.Baseline)
			assert.Equal(t, c.set, a.inputs.ScenarioSet)
		})
	}
}

func TestMarginsAreTheCommandLines(t *testing.T) {
	a := &action{inputs: actions.Inputs{Profile: bench.ProfileRegression, MarginSuccess: 10, MarginLatency: 1.5}}
	assert.Subset(t, a.judgeArguments(), []string{"--margin-success", "10", "--margin-latency", "1.5"})
	assert.NotContains(t, a.judgeArguments(), "--margin-cost", "the usual one")
}

func TestRequiredIsolationIsTheCommandLines(t *testing.T) {
	a := &action{inputs: actions.Inputs{RequireIsolation: true}}
	assert.Subset(t, a.verifyArguments(ghxbuild.Built{}, nil), []string{"--isolation", "require"})
	a.inputs.RequireIsolation = false
	assert.NotContains(t, a.verifyArguments(ghxbuild.Built{}, nil), "--isolation")
}
