package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/bench/audit"
)

func TestS16EveryRightPlaySucceeds(t *testing.T) {
	shipped, err := library()
	require.NoError(t, err)
	options := optionsFor(t, shipped.All()...)
	options.Plays = playsOf(t, scripted.Options{})
	// No wrong agents: that is what takes time.
	options.Kinds = []audit.Kind{}
	report := run(t, options)
	assert.Empty(t, report.Problems)
	assert.Greater(t, report.Plays, 2*len(shipped.All()), "in all modes")
}
