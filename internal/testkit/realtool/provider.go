package realtool

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// DefaultPatience is how long a check waits for a provider that does nothing.
const DefaultPatience = 10 * time.Second

// Harness is a provider and what makes it behave in the ways that the checks
// need. Every check has a harness of its own.
type Harness struct {
	// Provider is closed by the check.
	Provider agent.Provider
	// Setup is what sessions start with. The checks change its Worker alone.
	Setup agent.Setup
	// First and Second are normal exchanges, which any session of the
	// provider can have in any order. Their prompts have texts of which
	// neither is a part of the other.
	First, Second Exchange

	// Silent is a prompt to which the agent's model never says a word. A
	// prompt without text skips the checks that need it; so do the two below.
	Silent agent.Prompt
	// Heard is ready when the agent's side has got Silent. Nil ends the turn
	// as soon as it was begun.
	Heard <-chan struct{}
	// Stall is a prompt to which the model begins to answer, and then falls
	// silent for good.
	Stall agent.Prompt
	// Crash is a prompt during which the agent's process fails. Whether the
	// model has begun to answer does not matter.
	Crash agent.Prompt

	// Spent tells what the model's side has charged for a session so far, in
	// tokens and USD. Nil skips the comparison.
	Spent func(sessionID string) (bench.Tokens, float64)
	// Patience is [DefaultPatience] if it is 0.
	Patience time.Duration
}

// Exchange is a prompt to which the agent makes one tool call, which succeeds,
// and then answers.
type Exchange struct {
	Prompt agent.Prompt
	// Answer is the text that the turn ends in. Empty means any text.
	Answer string
}

// Exercise runs every check on a new provider, as subtests.
func Exercise(t *testing.T, newHarness func(t *testing.T) Harness) {
	t.Helper()
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t)
			t.Cleanup(func() { _ = h.Provider.Close() })
			if c.needs != nil && c.needs(h).Text == "" {
				t.Skip("the harness has no prompt for this")
			}
			c.run(t, h)
		})
	}
}

// check is one test of the suite.
type check struct {
	name string
	// needs returns the prompt without which the check is skipped. Nil means
	// that it is never skipped.
	needs func(Harness) agent.Prompt
	run   func(t tester, h Harness)
}

// tester is what a check needs of [testing.T].
type tester interface {
	require.TestingT
	Helper()
	Context() context.Context
}

func checks() []check {
	silent := func(h Harness) agent.Prompt { return h.Silent }
	stall := func(h Harness) agent.Prompt { return h.Stall }
	crash := func(h Harness) agent.Prompt { return h.Crash }
	return []check{
		{"describes itself before it starts anything", nil, describes},
		{"answers a prompt and tells what it did", nil, answers},
		{"tells of events in order and one at a time", nil, tellsEvents},
		{"continues the conversation when prompted again", nil, continues},
		{"is measured by what it spent", nil, isMeasured},
		{"keeps sessions at once apart", nil, keepsApart},
		{"works beside a session that stalls", stall, worksBeside},
		{"does not begin a turn after the context has ended", nil, doesNotBegin},
		{"stops when the context ends before an answer", silent, stopsSilent},
		{"stops when the context ends in the middle of an answer", stall, stopsStalled},
		{"outlives a crash", crash, outlivesCrash},
		{"closes more than once", nil, closesTwice},
	}
}

func (h Harness) patience() time.Duration {
	if h.Patience == 0 {
		return DefaultPatience
	}
	return h.Patience
}

// start begins a session of a worker.
func (h Harness) start(t tester, worker int) agent.Session {
	t.Helper()
	setup := h.Setup
	setup.Worker = worker
	session, err := h.Provider.Start(t.Context(), setup)
	require.NoError(t, err, "start a session")
	return session
}

// exchange has a whole exchange and checks its end.
func (h Harness) exchange(t tester, session agent.Session, e Exchange) *turn {
	t.Helper()
	u := begin(t.Context(), session, e.Prompt)
	u.wait(t, h)
	u.requireAnswer(t, e)
	return u
}

// close ends sessions and provider, after which no event may come.
func (h Harness) close(t tester, sessions []agent.Session, turns ...*turn) {
	t.Helper()
	for _, session := range sessions {
		require.NoError(t, session.Close(), "close a session")
	}
	require.NoError(t, h.Provider.Close(), "close the provider")
	for _, u := range turns {
		u.events.requireClean(t)
	}
}
