package checkpoint_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// github is a state that reads see: one answer by task. An error stands for a
// read that fails.
type github struct {
	mu    sync.Mutex
	state map[string]any
	reads int
	// onRead is called before each read, if it is not nil.
	onRead func(read int)
}

func (g *github) Read(ctx context.Context, read bench.Read) (any, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reads++
	if g.onRead != nil {
		g.onRead(g.reads)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err, failed := g.state[read.Task].(error); failed {
		return nil, err
	}
	return g.state[read.Task], nil
}

// writes are an agent's writes, as a target tells of them.
type writes struct{ told func() }

func (w *writes) onWrite(f func()) { w.told = f }

func issueIs(state string, when bench.CheckpointTime) bench.Checkpoint {
	return bench.Checkpoint{
		Name: "issue is " + state, VerificationTask: "issue.view",
		Condition: bench.ConditionFieldEquals, Path: "state", ExpectedValue: state, When: when,
	}
}

func issueState(state string) map[string]any { return map[string]any{"state": state} }

func offline() error {
	return fault.Because(fault.Infrastructure, errors.New("secret"), "GitHub is away")
}

func TestS9ResultsAndReadability(t *testing.T) {
	checkpoints := []bench.Checkpoint{
		issueIs("CLOSED", ""),
		{Name: "a review is there", VerificationTask: "pr.reviews", Condition: bench.ConditionNonEmpty, When: bench.AtEnd},
	}
	closed := issueState("CLOSED")
	reviews := map[string]any{"items": []any{1}}
	noReviews := map[string]any{"items": []any{}}

	cases := []struct {
		name           string
		issue, reviews any
		passed         []bool
		readable       bool
	}{
		{"all hold", closed, reviews, []bool{true, true}, true},
		{"one does not hold, and that can be read", closed, noReviews, []bool{true, false}, true},
		{"one cannot be read, the others are judged all the same", offline(), reviews, []bool{false, true}, false},
		{"what is not there is read as null", nil, reviews, []bool{false, true}, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			reader := &github{state: map[string]any{"issue.view": c.issue, "pr.reviews": c.reviews}}
			results, readable := checkpoint.NewTrack(reader, checkpoints).Run(t.Context(), checkpoint.Poll{})
			require.Len(t, results, 2)
			for i, result := range results {
				assert.Equal(t, checkpoints[i].Name, result.Name)
				assert.Equal(t, c.passed[i], result.Passed, result.Detail)
			}
			assert.Equal(t, c.readable, readable)
		})
	}
}

func TestAReadThatFailsIsToldInPublicWords(t *testing.T) {
	reader := &github{state: map[string]any{"issue.view": offline()}}
	results, _ := checkpoint.NewTrack(reader, []bench.Checkpoint{issueIs("OPEN", "")}).Run(t.Context(), checkpoint.Poll{})
	assert.Equal(t, "cannot be read: GitHub is away", results[0].Detail)
}

func TestS5DuringHoldsAfterAtLeastOneWrite(t *testing.T) {
	locked := issueIs("LOCKED", bench.During)
	away := offline()

	cases := []struct {
		name string
		// before is the state before the agent starts, states are those after
		// its writes.
		before   any
		states   []any
		passed   bool
		readable bool
		detail   string
	}{
		{"it held in between", issueState("OPEN"), []any{issueState("LOCKED"), issueState("OPEN")}, true, true,
			`state is "LOCKED", expected "LOCKED"`},
		{"it holds at the end", issueState("OPEN"), []any{issueState("OPEN"), issueState("LOCKED")}, true, true,
			`state is "LOCKED", expected "LOCKED"`},
		{"it never held", issueState("OPEN"), []any{issueState("OPEN"), issueState("CLOSED")}, false, true,
			`not after any of 2 writes; at the end state is "CLOSED", expected "LOCKED"`},
		{"it held before the agent wrote, which is not its work", issueState("LOCKED"), nil, false, true,
			`the agent wrote nothing`},
		{"it held and could not be read another time", issueState("OPEN"), []any{away, issueState("LOCKED"), away, issueState("OPEN")}, true, true,
			`state is "LOCKED", expected "LOCKED"`},
		{"it may have held when it could not be read", issueState("OPEN"), []any{issueState("OPEN"), away, issueState("OPEN")}, false, false,
			`cannot be read: GitHub is away`},
		{"the end cannot be read", issueState("OPEN"), []any{issueState("OPEN"), away}, false, false,
			`cannot be read: GitHub is away`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			reader := &github{state: map[string]any{"issue.view": c.before}}
			var agent writes
			track := checkpoint.NewTrack(reader, []bench.Checkpoint{locked})
			track.Watch(t.Context(), agent.onWrite)
			for _, state := range c.states {
				reader.state["issue.view"] = state
				agent.told()
			}
			assert.Equal(t, len(c.states), track.Writes())
			results, readable := track.Run(t.Context(), checkpoint.Poll{})
			assert.Equal(t, []bench.CheckpointResult{{Name: locked.Name, Passed: c.passed, Detail: c.detail}}, results)
			assert.Equal(t, c.readable, readable)
		})
	}
}

func TestS5DuringCannotBeReadWhereWritesCannotBeWatched(t *testing.T) {
	reader := &github{state: map[string]any{"issue.view": issueState("OPEN")}}
	track := checkpoint.NewTrack(reader, []bench.Checkpoint{issueIs("OPEN", bench.During), issueIs("OPEN", "")})
	track.Watch(t.Context(), nil)
	results, readable := track.Run(t.Context(), checkpoint.Poll{})
	assert.False(t, readable)
	assert.False(t, results[0].Passed)
	assert.Equal(t, "the agent's writes cannot be watched here", results[0].Detail)
	assert.True(t, results[1].Passed, "the others are read")
}

func TestWritesReadNoMoreThanIsNeeded(t *testing.T) {
	reader := &github{state: map[string]any{"issue.view": issueState("LOCKED")}}
	var agent writes
	track := checkpoint.NewTrack(reader, []bench.Checkpoint{issueIs("LOCKED", ""), issueIs("LOCKED", bench.During)})
	track.Watch(t.Context(), agent.onWrite)
	for range 3 {
		agent.told()
	}
	assert.Equal(t, 1, reader.reads, "checkpoints of the end are read at the end, and what held is not read again")
}

func TestWritesAtOnceAreLookedAtOneByOne(t *testing.T) {
	reader := &github{state: map[string]any{"issue.view": issueState("OPEN")}}
	var agent writes
	track := checkpoint.NewTrack(reader, []bench.Checkpoint{issueIs("LOCKED", bench.During)})
	track.Watch(t.Context(), agent.onWrite)
	var group sync.WaitGroup
	for range 8 {
		group.Go(agent.told)
	}
	group.Wait()
	results, _ := track.Run(t.Context(), checkpoint.Poll{})
	assert.Contains(t, results[0].Detail, "not after any of 8 writes")
}

func TestPollWaitsForWhatGitHubShowsLate(t *testing.T) {
	late := func(shown int) (*github, *int) {
		reader := &github{state: map[string]any{"issue.view": offline()}}
		reader.onRead = func(read int) {
			if read == 2 {
				reader.state["issue.view"] = issueState("OPEN")
			}
			if read == shown {
				reader.state["issue.view"] = issueState("CLOSED")
			}
		}
		return reader, new(int)
	}
	closed := []bench.Checkpoint{issueIs("CLOSED", "")}

	t.Run("within its attempts", func(t *testing.T) {
		reader, pauses := late(3)
		poll := checkpoint.Poll{Attempts: 5, Pause: func(context.Context) error { *pauses++; return nil }}
		results, readable := checkpoint.NewTrack(reader, closed).Run(t.Context(), poll)
		assert.True(t, results[0].Passed)
		assert.True(t, readable)
		assert.Equal(t, 2, *pauses, "no pause after it held")
	})
	t.Run("not longer than its attempts", func(t *testing.T) {
		reader, _ := late(3)
		results, readable := checkpoint.NewTrack(reader, closed).Run(t.Context(), checkpoint.Poll{Attempts: 2})
		assert.False(t, results[0].Passed)
		assert.True(t, readable, "the last read counts")
		assert.Equal(t, 2, reader.reads)
	})
	t.Run("not once its pause fails", func(t *testing.T) {
		reader, _ := late(2)
		poll := checkpoint.Poll{Attempts: 5, Pause: func(context.Context) error { return context.Canceled }}
		_, readable := checkpoint.NewTrack(reader, closed).Run(t.Context(), poll)
		assert.False(t, readable)
		assert.Equal(t, 1, reader.reads)
	})
	t.Run("for what was to hold during the attempt too", func(t *testing.T) {
		reader := &github{state: map[string]any{"issue.view": issueState("OPEN")}}
		reader.onRead = func(read int) {
			if read == 3 {
				reader.state["issue.view"] = issueState("CLOSED")
			}
		}
		var agent writes
		track := checkpoint.NewTrack(reader, []bench.Checkpoint{issueIs("CLOSED", bench.During)})
		track.Watch(t.Context(), agent.onWrite)
		agent.told()
		results, _ := track.Run(t.Context(), checkpoint.Poll{Attempts: 2})
		assert.True(t, results[0].Passed, "the write was shown after the look that followed it")
		assert.Equal(t, `state is "CLOSED", expected "CLOSED"`, results[0].Detail)
	})
	t.Run("and tells that it could not look at the end", func(t *testing.T) {
		reader := &github{state: map[string]any{"issue.view": issueState("OPEN")}}
		var agent writes
		track := checkpoint.NewTrack(reader, []bench.Checkpoint{issueIs("CLOSED", bench.During)})
		track.Watch(t.Context(), agent.onWrite)
		agent.told()
		reader.state["issue.view"] = offline()
		results, readable := track.Run(t.Context(), checkpoint.Poll{})
		assert.Equal(t, "cannot be read: GitHub is away", results[0].Detail)
		assert.False(t, readable)
	})
	t.Run("for what was to hold during the attempt and could not be read then", func(t *testing.T) {
		reader := &github{state: map[string]any{"issue.view": offline()}}
		reader.onRead = func(read int) {
			if read == 3 {
				reader.state["issue.view"] = issueState("CLOSED")
			}
		}
		var agent writes
		track := checkpoint.NewTrack(reader, []bench.Checkpoint{issueIs("CLOSED", bench.During)})
		track.Watch(t.Context(), agent.onWrite)
		agent.told()
		results, readable := track.Run(t.Context(), checkpoint.Poll{Attempts: 2})
		assert.True(t, results[0].Passed)
		assert.True(t, readable)
	})
}

func TestS6AStateThatTheAgentDidNotChangeFails(t *testing.T) {
	checkpoints := []bench.Checkpoint{
		issueIs("CLOSED", ""),
		{Name: "comment", VerificationTask: "issue.comments", Condition: bench.ConditionContains, ExpectedValue: map[string]any{"body": "fixed"}},
	}
	untouched := map[string]any{"issue.view": issueState("OPEN"), "issue.comments": map[string]any{"items": []any{}}}
	results, readable := checkpoint.NewTrack(&github{state: untouched}, checkpoints).Run(t.Context(), checkpoint.Poll{})
	assert.True(t, readable)
	for _, result := range results {
		assert.False(t, result.Passed, result.Detail)
	}
}
