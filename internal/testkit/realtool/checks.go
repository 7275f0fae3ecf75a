package realtool

import (
	"context"
	"errors"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

func describes(t tester, h Harness) {
	before := h.Provider.Describe()
	assert.NotEmpty(t, before.Name, "the provider's name")
	assert.NotEmpty(t, before.Model.ProviderID, "the model's provider")
	assert.NotEmpty(t, before.Model.ModelID, "the model's id")

	session := h.start(t, 0)
	assert.Equal(t, before, h.Provider.Describe(), "the description after a start")
	h.close(t, []agent.Session{session})
}

func answers(t tester, h Harness) {
	session := h.start(t, 0)
	u := h.exchange(t, session, h.First)

	transcript := transcriptOf(t, session)
	requireWellFormed(t, h.Provider.Describe(), transcript)
	requireTexts(t, transcript, h.First.Prompt.Text, u.result.Text)
	assert.Equal(t, u.result.Text, transcript.Answer(), "the transcript's answer")
	assert.Equal(t, 1, agent.Measure(transcript).ToolCalls, "tool calls")
	h.close(t, []agent.Session{session}, u)
}

func tellsEvents(t tester, h Harness) {
	session := h.start(t, 0)
	first := h.exchange(t, session, h.First)
	second := h.exchange(t, session, h.Second)
	first.events.requireWhole(t)
	second.events.requireWhole(t)
	h.close(t, []agent.Session{session}, first, second)
}

func continues(t tester, h Harness) {
	session := h.start(t, 0)
	first := h.exchange(t, session, h.First)
	before := transcriptOf(t, session)
	second := h.exchange(t, session, h.Second)
	after := transcriptOf(t, session)

	requireWellFormed(t, h.Provider.Describe(), after)
	assert.Equal(t, before.SessionID, after.SessionID, "it is the same session")
	requireTexts(t, after, h.First.Prompt.Text, first.result.Text, h.Second.Prompt.Text, second.result.Text)
	assert.Equal(t, second.result.Text, after.Answer(), "the transcript's answer")
	h.close(t, []agent.Session{session}, first, second)
}

func isMeasured(t tester, h Harness) {
	session := h.start(t, 0)
	first := h.exchange(t, session, h.First)
	second := h.exchange(t, session, h.Second)

	transcript := transcriptOf(t, session)
	measures := agent.Measure(transcript)
	assert.Equal(t, 2, measures.ToolCalls, "tool calls of two turns")
	assert.Zero(t, measures.ToolErrors, "tool calls that failed")
	assert.GreaterOrEqual(t, measures.Turns, 2, "assistant messages of two turns")
	if h.Spent != nil {
		tokens, cost := h.Spent(transcript.SessionID)
		assert.Equal(t, tokens, measures.Tokens, "tokens of both turns")
		assert.InDelta(t, cost, measures.Cost, costTolerance, "cost of both turns")
	}
	requireStorable(t, transcript, measures)
	h.close(t, []agent.Session{session}, first, second)
}

func keepsApart(t tester, h Harness) {
	sessions := []agent.Session{h.start(t, 0), h.start(t, 1)}
	exchanges := []Exchange{h.First, h.Second}
	var turns []*turn
	for i, session := range sessions {
		turns = append(turns, begin(t.Context(), session, exchanges[i].Prompt))
	}
	for i, u := range turns {
		u.wait(t, h)
		u.requireAnswer(t, exchanges[i])
		u.events.requireWhole(t)
	}

	one, two := transcriptOf(t, sessions[0]), transcriptOf(t, sessions[1])
	assert.NotEqual(t, one.SessionID, two.SessionID, "sessions have ids of their own")
	requireTexts(t, one, h.First.Prompt.Text, turns[0].result.Text)
	requireTexts(t, two, h.Second.Prompt.Text, turns[1].result.Text)
	requireNoText(t, one, h.Second.Prompt.Text)
	requireNoText(t, two, h.First.Prompt.Text)
	h.close(t, sessions, turns...)
}

func worksBeside(t tester, h Harness) {
	sessions := []agent.Session{h.start(t, 0), h.start(t, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stalled := begin(ctx, sessions[0], h.Stall)
	await(t, h, stalled.events.answered, "the beginning of an answer")

	other := h.exchange(t, sessions[1], h.First)
	other.events.requireWhole(t)
	requireNoText(t, transcriptOf(t, sessions[1]), h.Stall.Text)

	cancel()
	stalled.wait(t, h)
	requireNoText(t, transcriptOf(t, sessions[0]), h.First.Prompt.Text)
	h.close(t, sessions, stalled, other)
}

// errEnded is the cause with which checks end a turn.
var errEnded = errors.New("the check has ended the turn")

func doesNotBegin(t tester, h Harness) {
	session := h.start(t, 0)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errEnded)
	u := begin(ctx, session, h.First.Prompt)
	u.wait(t, h)
	require.ErrorIs(t, u.err, errEnded)
	u.events.requireSilent(t)
	transcriptOf(t, session)
	h.close(t, []agent.Session{session}, u)
}

func stopsSilent(t tester, h Harness) {
	session := h.start(t, 0)
	ctx, cancel := context.WithCancelCause(t.Context())
	u := begin(ctx, session, h.Silent)
	if h.Heard != nil {
		await(t, h, h.Heard, "the prompt to be heard")
	}
	cancel(errEnded)
	u.wait(t, h)
	require.ErrorIs(t, u.err, errEnded)
	u.events.requireSilent(t)
	transcript := transcriptOf(t, session)
	if h.Heard != nil {
		requireTexts(t, transcript, h.Silent.Text)
	}
	h.close(t, []agent.Session{session}, u)
}

func stopsStalled(t tester, h Harness) {
	session := h.start(t, 0)
	ctx, cancel := context.WithCancelCause(t.Context())
	u := begin(ctx, session, h.Stall)
	await(t, h, u.events.answered, "the beginning of an answer")
	cancel(errEnded)
	u.wait(t, h)
	require.ErrorIs(t, u.err, errEnded)

	transcript := transcriptOf(t, session)
	requireWellFormed(t, h.Provider.Describe(), transcript)
	requireTexts(t, transcript, h.Stall.Text)
	assert.Positive(t, agent.Measure(transcript).Turns, "the answer that broke off is an assistant message")
	h.close(t, []agent.Session{session}, u)
}

func outlivesCrash(t tester, h Harness) {
	session := h.start(t, 0)
	u := begin(t.Context(), session, h.Crash)
	u.wait(t, h)
	require.Error(t, u.err, "a turn during which the agent crashed")
	require.NotErrorIs(t, u.err, agent.ErrStopSuite, "another session can succeed")
	requireTexts(t, transcriptOf(t, session), h.Crash.Text)
	// What is left of the session may well not close in order.
	_ = session.Close()

	next := h.start(t, 0)
	after := h.exchange(t, next, h.First)
	requireNoText(t, transcriptOf(t, next), h.Crash.Text)
	h.close(t, []agent.Session{next}, u, after)
}

func closesTwice(t tester, h Harness) {
	unused, used := h.start(t, 0), h.start(t, 1)
	u := h.exchange(t, used, h.First)
	h.close(t, []agent.Session{unused, unused, used, used}, u)
	require.NoError(t, h.Provider.Close(), "close the provider again")
}
