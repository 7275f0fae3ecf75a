package audit_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/bench/audit"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestS16EveryRightPlaySucceeds(t *testing.T) {
	testkit.NeedComplete(t)
	shipped, err := library()
	require.NoError(t, err)
	// The tests of the scripted agent play all of them in any case, one way each.
	chosen := shipped.All()
	if !testkit.IsComplete() {
		chosen = nil
		for five := range slices.Chunk(shipped.All(), 5) {
			chosen = append(chosen, five[0])
		}
	}
	options := optionsFor(t, chosen...)
	options.Plays = playsOf(t, scripted.Options{})
	// No wrong agents: that is what takes time.
	options.Kinds = []audit.Kind{}
	report := run(t, options)
	assert.Empty(t, report.Problems)
	assert.Greater(t, report.Plays, 2*len(chosen), "in all modes")
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
