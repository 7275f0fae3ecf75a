package audit_test

import (
	"slices"
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

func TestS16EveryTaskThatWritesHasAnotherRightWay(t *testing.T) {
	shipped, err := library()
	require.NoError(t, err)
	plays := playsOf(t, scripted.Options{})
	for _, s := range shipped.All() {
		if len(s.Footprint) == 0 {
			continue
		}
		assert.True(t, slices.ContainsFunc(plays(s.ID), func(p audit.Play) bool { return p.Name != "" }), "%s: its plan has no alternatives", s.ID)
	}
}

func TestEveryTaskSaysWhatToolsDifferIn(t *testing.T) {
	shipped, err := library()
	require.NoError(t, err)
	for _, s := range shipped.All() {
		assert.NotEmpty(t, s.Purpose, s.ID)
	}
}
