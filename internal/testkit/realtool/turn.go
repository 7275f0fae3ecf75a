package realtool

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// turn is a prompt under way.
type turn struct {
	events *eventLog
	// ended is closed when Prompt has returned; result and err are set then.
	ended  chan struct{}
	result agent.Turn
	err    error
}

func begin(ctx context.Context, session agent.Session, prompt agent.Prompt) *turn {
	u := &turn{events: &eventLog{answered: make(chan struct{})}, ended: make(chan struct{})}
	prompt.OnEvent = u.events.add
	go func() {
		defer close(u.ended)
		u.result, u.err = session.Prompt(ctx, prompt)
		u.events.end()
	}()
	return u
}

func (u *turn) wait(t tester, h Harness) {
	t.Helper()
	await(t, h, u.ended, "the end of Prompt")
}

func (u *turn) requireAnswer(t tester, e Exchange) {
	t.Helper()
	require.NoError(t, u.err, "prompt %q", e.Prompt.Text)
	require.NotEmpty(t, u.result.Text, "the turn's text")
	if e.Answer != "" {
		require.Equal(t, e.Answer, u.result.Text, "the turn's text")
	}
}

func await(t tester, h Harness, ready <-chan struct{}, what string) {
	t.Helper()
	patience := time.NewTimer(h.patience())
	defer patience.Stop()
	select {
	case <-ready:
	case <-patience.C:
		require.FailNow(t, "nothing happened", "waited %v for %s", h.patience(), what)
	}
}

// eventLog takes the events of a turn and notes what is wrong with them.
type eventLog struct {
	// answered is closed at the first [agent.EventAnswer].
	answered chan struct{}

	taking sync.Mutex // held while an event is taken

	mu       sync.Mutex
	events   []agent.Event
	ended    bool
	problems []string
}

// yields is how often an event gives way to another one while it is taken, so
// that a provider which sends two at once is seen to.
const yields = 100

func (l *eventLog) add(event agent.Event) {
	if l.taking.TryLock() {
		defer l.taking.Unlock()
	} else {
		l.note("an event came while another one was being taken")
	}
	for range yields {
		runtime.Gosched()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		l.problems = append(l.problems, "an event came after the turn had ended")
		return
	}
	l.events = append(l.events, event)
	if event == agent.EventAnswer && l.count(agent.EventAnswer) == 1 {
		close(l.answered)
	}
}

func (l *eventLog) note(problem string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.problems = append(l.problems, problem)
}

func (l *eventLog) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
}

// count is called with l.mu held.
func (l *eventLog) count(kind agent.Event) int {
	n := 0
	for _, event := range l.events {
		if event == kind {
			n++
		}
	}
	return n
}

// requireClean fails if events came in a way that is never right.
func (l *eventLog) requireClean(t tester) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	require.Empty(t, l.problems)
	assert.LessOrEqual(t, l.count(agent.EventAnswer), 1, "a turn has one first output")
	running := 0
	for i, event := range l.events {
		switch event {
		case agent.EventToolStart:
			running++
			assert.Contains(t, l.events[:i], agent.EventAnswer, "a tool call is output of the model")
		case agent.EventToolEnd:
			running--
		case agent.EventProgress, agent.EventAnswer:
		}
		require.GreaterOrEqual(t, running, 0, "a tool ended that had not started")
	}
}

// requireWhole fails if the events are not those of a whole turn with one tool
// call.
func (l *eventLog) requireWhole(t tester) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	assert.Equal(t, 1, l.count(agent.EventAnswer), "answer events in a turn")
	assert.Equal(t, 1, l.count(agent.EventToolStart), "tool starts in a turn")
	assert.Equal(t, 1, l.count(agent.EventToolEnd), "tool ends in a turn")
}

// requireSilent fails if the model was heard of.
func (l *eventLog) requireSilent(t tester) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	assert.NotContains(t, l.events, agent.EventAnswer)
	assert.NotContains(t, l.events, agent.EventToolStart)
}
