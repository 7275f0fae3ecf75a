package realtool_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

func TestExercisePassesAProviderInOrder(t *testing.T) {
	realtool.Exercise(t, func(*testing.T) realtool.Harness { return memoryHarness(noDefect) })
}

func TestExerciseNeedsNoOptionalHooks(t *testing.T) {
	realtool.Exercise(t, func(*testing.T) realtool.Harness {
		h := memoryHarness(noDefect)
		h.Heard, h.Spent = nil, nil
		h.Stall, h.Crash = agent.Prompt{}, agent.Prompt{}
		return h
	})
}

func TestChecksFailADefectiveProvider(t *testing.T) {
	cases := []struct {
		name   string
		defect defect
		// caught is a check that is there to catch the defect; others may
		// fail too.
		caught string
	}{
		{"it knows its model only after a start", describesItselfLate, "describes itself before it starts anything"},
		{"it does not tell of the first answer", sendsNoAnswerEvent, "tells of events in order and one at a time"},
		{"it tells of a first answer twice", sendsTwoAnswerEvents, "tells of events in order and one at a time"},
		{"it tells of a tool before the answer that calls it", sendsToolBeforeAnswer, "tells of events in order and one at a time"},
		{"it does not tell of a tool's end", leavesToolRunning, "tells of events in order and one at a time"},
		{"it tells of a tool's end twice", endsToolsTwice, "tells of events in order and one at a time"},
		{"it tells of two events at once", sendsEventsAtOnce, "tells of events in order and one at a time"},
		{"it tells of an event after the turn", sendsEventsLate, "tells of events in order and one at a time"},
		{"it begins anew with every prompt", forgetsTheFirstPrompt, "continues the conversation when prompted again"},
		{"it takes another id with every prompt", changesItsSessionID, "continues the conversation when prompted again"},
		{"its turn ends in another text than its transcript", returnsAnotherText, "answers a prompt and tells what it did"},
		{"it stores what is not JSON", storesMalformedInput, "answers a prompt and tells what it did"},
		{"it leaves out tokens of messages before the last", countsTheLastMessageOnly, "is measured by what it spent"},
		{"it calls a tool call failed that succeeded", failsItsTools, "is measured by what it spent"},
		{"it mixes sessions", mixesSessions, "keeps sessions at once apart"},
		{"one session waits for another", waitsForOtherSessions, "works beside a session that stalls"},
		{"it begins a turn whose time is over", answersAllTheSame, "does not begin a turn after the context has ended"},
		{"it goes on after the context ended", ignoresTheContext, "stops when the context ends before an answer"},
		{"it goes on answering after the context ended", ignoresTheContext, "stops when the context ends in the middle of an answer"},
		{"it does not tell why the context ended", losesTheCause, "stops when the context ends before an answer"},
		{"it has no transcript of what failed", hasNoTranscriptAfterFailure, "stops when the context ends in the middle of an answer"},
		{"it has no transcript of a crash", hasNoTranscriptAfterFailure, "outlives a crash"},
		{"it forgets an answer that broke off", forgetsTheBrokenAnswer, "stops when the context ends in the middle of an answer"},
		{"it hides a crash", crashesWithoutAnError, "outlives a crash"},
		{"it gives up the suite for a crash", stopsTheSuiteOnACrash, "outlives a crash"},
		{"it starts no session after a crash", staysDownAfterACrash, "outlives a crash"},
		{"it closes once", closesOnce, "closes more than once"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			failed := checksFailedBy(t, c.defect)
			assert.Contains(t, failed, c.caught)
		})
	}
	t.Run("it has no defect", func(t *testing.T) {
		assert.Empty(t, checksFailedBy(t, noDefect))
	})
}

// checksFailedBy runs the checks where time does not pass while something can
// happen, so that a provider that hangs takes no time.
func checksFailedBy(t *testing.T, d defect) (failed []string) {
	synctest.Test(t, func(t *testing.T) {
		failed = realtool.RunChecks(t.Context(), func() realtool.Harness { return memoryHarness(d) })
	})
	return failed
}
