package settings_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestV8APlanForeseesWhatItTakesAndSees(t *testing.T) {
	testkit.NeedComplete(t)
	regression := set(func(s *settings.Settings) { s.Profile = bench.ProfileRegression })
	p, err := settings.Resolve(regression, command.Command{Name: command.Run}, library(t))
	require.NoError(t, err)
	foreseen := p.Foreseen()
	require.NotNil(t, foreseen)
	require.Len(t, foreseen.Looks, 6)
	assert.InDelta(t, p.Cells(), foreseen.AtMost.Sessions, 1e-9)
	assert.Greater(t, *foreseen.PassPct, 90.0)
	assert.Less(t, p.ExpectedCells(), p.Cells()*3/4, "an unchanged build is told early")
	assert.Equal(t, len(p.Scenarios)*2*24, p.MostCells(), "as many may be refilled as are planned")

	assert.Greater(t, p.ExpectedCells(), p.Cells()/4)

	regression.Margins.Cost = 2
	p, err = settings.Resolve(regression, command.Command{Name: command.Run}, library(t))
	require.NoError(t, err)
	assert.Less(t, p.Foreseen().Expected.Sessions, foreseen.Expected.Sessions, "a wide margin takes less")

	p, err = settings.Resolve(set(nil), command.Command{Name: command.Run}, library(t))
	require.NoError(t, err)
	assert.Nil(t, p.Foreseen().PassPct, "fixed thresholds do not pass as a test does")
	assert.Equal(t, []int{16, 16, 16}, []int{p.ExpectedCells(), p.Cells(), p.MostCells()})
	assert.Equal(t, 16.0, p.Foreseen().AtMost.Sessions)
	p.Modes = append(p.Modes, bench.MCP)
	assert.Equal(t, 24.0, p.Foreseen().AtMost.Sessions, "of each mode")
	p.Repetitions = bench.Repetitions{First: 1, Most: 1}
	assert.Equal(t, 6.0, p.Foreseen().AtMost.Sessions, "one of each")

	for why, p := range map[string]settings.Plan{
		"nothing was resolved":    {},
		"no repetitions":          {Scenarios: []string{"a"}, Profile: bench.VerifyPR},
		"no scenarios":            {Repetitions: bench.Repetitions{First: 2, Most: 8}, Profile: bench.ProfileRegression},
		"nobody judges like that": {Scenarios: []string{"a"}, Repetitions: bench.Repetitions{First: 1, Most: 1}, Profile: bench.ProfileRegression},
	} {
		assert.Nil(t, p.Foreseen(), why)
		assert.Equal(t, p.Cells(), p.ExpectedCells(), why)
	}
}

// A plan that an older version of the App has stored.
func TestAStoredPlanIsReadOn(t *testing.T) {
	var p settings.Plan
	require.NoError(t, json.Unmarshal([]byte(`{"profile": "verify_pr", "scenarios": ["a"], "modes": ["agent_direct", "ghx"], "baseline": "agent_direct", "repetitions": 4}`), &p))
	assert.Equal(t, bench.Repetitions{First: 4, Most: 4}, p.Repetitions)
	assert.Equal(t, 8, p.Cells())
	require.NoError(t, json.Unmarshal([]byte(`{"repetitions": 0}`), &p), "of a run that was not begun")
}
