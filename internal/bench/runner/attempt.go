package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// transcriptTimeout bounds the reading of a transcript, which is wanted also
// when the run is being stopped.
const transcriptTimeout = 10 * time.Second

// attempt is one try at a cell, and what it came to.
type attempt struct {
	cell bench.Cell
	// number counts from 1, worker from 0.
	number, worker int
	started        time.Time

	Figures
	latencyMS float64
	sessionID string
	// variation is nil where the fixtures do not vary.
	variation     *bench.Variation
	usage         *target.Usage
	unsupported   []string
	continuations int
	checkpoints   []bench.CheckpointResult
	// judged is true if all that was changed could be seen; changes are what
	// could be, and unjudged says what could not, if some could.
	judged   bool
	changes  []bench.Change
	unjudged string
	// sandbox is true if the failure is one of what stands in for GitHub.
	sandbox bool
	// class and part are whom a failure is laid to; providerFailure is as rows
	// have it.
	class           bench.Class
	part            bench.Part
	providerFailure string
	bill            *bill
	// unaffordable is true if the budget kept the agent from asking its model;
	// unreported is as rows have it.
	unaffordable bool
	unreported   float64
	// What only a caller of [Once] is told.
	whole Whole
}

// attempt tries a cell once. Where no other attempt can succeed, it ends the
// run.
func (r *run) attempt(ctx context.Context, cell bench.Cell, number, worker int) attempt {
	a := attempt{cell: cell, number: number, worker: worker, started: r.deps.Now(), bill: &bill{}}
	err := guarded(func() error { return r.try(ctx, &a) })
	r.settle(&a)
	if err != nil {
		a.Error = rowError(typeOf(err), err.Error(), r.deps.Redact)
	}
	a.blame(err)
	switch {
	case a.unaffordable: // what it came to is no news of anything
	case errors.Is(err, agent.ErrStopSuite):
		r.fail(err)
	case ctx.Err() == nil:
		r.countFailure(&a)
	}
	return a
}

// typeOf classifies a runner failure (rule R8).
func typeOf(err error) bench.ErrorType {
	var late overdue
	if errors.As(err, &late) {
		return late.kind
	}
	return bench.RunnerError
}

func (r *run) redact(text string) string {
	if r.deps.Redact == nil {
		return text
	}
	return r.deps.Redact(text)
}

// countFailure ends the run where attempts keep failing alike by the
// infrastructure's doing.
func (r *run) countFailure(a *attempt) {
	r.mu.Lock()
	err := r.breaker.add(a)
	r.mu.Unlock()
	if err != nil {
		r.fail(err)
	}
}

// try prepares a place, has an agent work there and judges what it did. An
// error is a runner failure.
func (r *run) try(ctx context.Context, a *attempt) error {
	s := r.cfg.Scenarios[a.cell.ScenarioID]
	place, err := r.deps.Target.Prepare(ctx, target.Needs{
		Resources: s.Requires(), Mutating: scenario.Mutates(s), Mode: a.cell.Mode, Worker: a.worker, Variation: r.cfg.Variations.Of(a.cell.Iteration),
		World: s.World(), Task: TaskOf(s),
		MayAsk: func() error { return r.mayAsk(a.bill) }, Used: func(t bench.Tokens) { r.used(a.bill, t) },
	})
	if err != nil {
		a.sandbox = true
		return fmt.Errorf("prepare fixtures: %w", err)
	}
	a.variation = place.Variation
	defer func() { r.closed(a.cell, "give fixtures back", place.Close()) }()
	resolved, err := r.names[a.cell.Mode].Resolve(s, place.Manifest)
	if err != nil {
		return err
	}
	a.whole.Manifest, a.whole.Agent, a.whole.Scenario = place.Manifest, place.Agent, resolved
	reader, err := r.readerOf(place)
	if err != nil {
		return fmt.Errorf("make the reader of checkpoints: %w", err)
	}
	track := checkpoint.NewTrack(reader, resolved.Scenario.Assertions.Checkpoints)
	track.Watch(ctx, place.OnWrite)
	answer, err := r.session(ctx, a, place, resolved)
	if place.Usage != nil {
		usage := place.Usage()
		a.usage = &usage
	}
	if place.Unsupported != nil {
		a.unsupported = place.Unsupported()
	}
	a.whole.Answer = answer
	var verified []bench.CheckpointResult
	if err == nil {
		verified, err = verify(ctx, place, resolved.Scenario, answer)
	}
	if place.Changes != nil {
		a.whole.Seen = place.Changes()
	}
	if err != nil {
		return err
	}
	r.judge(ctx, a, work{place, reader, track, resolved, answer, verified})
	return nil
}

// closed tells of what could not be closed. It does not change what the
// attempt came to: the agent's work was done by then.
func (r *run) closed(cell bench.Cell, what string, err error) {
	if err != nil {
		r.observe(Event{Kind: EventLeftover, Cell: cell, Reason: r.redact(fmt.Sprintf("%s: %v", what, err))})
	}
}

// session has an agent work and measures what it did. It returns the agent's
// last answer; the agent is gone by then.
func (r *run) session(ctx context.Context, a *attempt, place *target.Place, s scenario.Resolved) (answer string, err error) {
	setup := r.deps.Setups[a.cell.Mode]
	setup.Mode, setup.Worker, setup.Env = a.cell.Mode, a.worker, place.Env
	if s.Scenario.Target != nil {
		setup.Instructions = toolset.Elsewhere(setup.Instructions)
	}
	session, err := r.deps.Provider.Start(ctx, setup)
	if err != nil {
		return "", fmt.Errorf("start agent: %w", err)
	}
	defer func() { r.closed(a.cell, "end the agent's session", session.Close()) }()
	if place.Begin != nil {
		if err := place.Begin(ctx, s.Input); err != nil {
			return "", err
		}
	}
	answer, err = r.converse(ctx, a, session, s)
	if unmeasured := r.measure(ctx, a, session, place); err == nil {
		err = unmeasured
	}
	return answer, err
}

// converse sends the prompt and, where the answer has no envelope, asks for
// it (rule N8).
func (r *run) converse(ctx context.Context, a *attempt, session agent.Session, s scenario.Resolved) (answer string, err error) {
	ctx, dog := watch(ctx, limits{firstAnswer: r.cfg.FirstAnswer, stall: r.cfg.Stall, total: s.Scenario.Timeout()})
	defer dog.stop()
	said := agent.Prompt{
		Text:    scenario.FirstPrompt(s, r.nonce()),
		Play:    agent.Play{ScenarioID: a.cell.ScenarioID, Input: s.Input, Iteration: a.cell.Iteration, Attempt: a.number},
		OnEvent: dog.event,
	}
	sent := r.deps.Now()
	defer func() { a.latencyMS = float64(r.deps.Now().Sub(sent)) / float64(time.Millisecond) }()
	for {
		turn, err := dog.prompt(ctx, session, said)
		if err != nil {
			return "", err
		}
		if s.Scenario.Type == bench.Workflow || a.continuations >= r.cfg.Continuations || complete(turn.Text) {
			return turn.Text, nil
		}
		a.continuations++
		said.Text = scenario.ContinuationPrompt(s.Scenario.Assertions)
	}
}

func (r *run) nonce() string {
	if r.deps.Nonce == nil {
		return ""
	}
	return r.deps.Nonce()
}

func complete(answer string) bool {
	env, found := envelope.Extract(answer)
	return found && len(env.Missing()) == 0
}

// measure takes the session's figures and keeps its transcript, also those of
// an attempt that failed or was stopped.
func (r *run) measure(ctx context.Context, a *attempt, session agent.Session, place *target.Place) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), transcriptTimeout)
	defer cancel()
	transcript, err := session.Transcript(ctx)
	a.sessionID = transcript.SessionID
	if r.info.Metered && place.Usage != nil {
		transcript = metered(transcript, wireOf(place.Usage()))
	}
	if place.Requests != nil {
		transcript.Requests = place.Requests()
	}
	a.Figures, a.whole.Transcript = Measure(transcript, r.cfg.Price), transcript
	if err != nil {
		return fmt.Errorf("read transcript: %w", err)
	}
	if a.cell.Iteration > 0 && r.deps.SaveTranscript != nil {
		if err := r.deps.SaveTranscript(a.cell, a.number, transcript); err != nil {
			r.fail(err)
		}
	}
	return nil
}

// work is what an agent's turn has left to judge.
type work struct {
	place    *target.Place
	reader   checkpoint.Reader
	track    *checkpoint.Track
	scenario scenario.Resolved
	answer   string
	// verified is what the place itself has judged.
	verified []bench.CheckpointResult
}

// judge looks at GitHub's state, at what was changed there, and at the answer,
// and judges what the agent did.
func (r *run) judge(ctx context.Context, a *attempt, w work) {
	// What is read changes nothing.
	results, readable := w.track.Run(ctx, r.deps.Poll)
	compared, seen := a.compare(ctx, w)
	results = slices.Concat(results, w.verified, compared, w.asked())
	told, truths, known := w.told(ctx, r.deps.Poll)
	a.whole.Truth = truths
	results, readable = append(results, told...), readable && seen && known
	for i := range results {
		results[i].Detail = r.redact(results[i].Detail)
	}
	a.checkpoints, a.sandbox = results, !readable
	a.Judge(Evidence{
		Scenario: w.scenario.Scenario, Routes: slices.Contains(r.cfg.Routes, a.cell.Mode), Answer: w.answer, Checkpoints: results, Readable: readable, Redact: r.deps.Redact,
	})
}

// compare judges what was changed against what the scenario allows (rule S12).
// Readable is false if it should be seen and GitHub cannot be asked.
func (a *attempt) compare(ctx context.Context, w work) (results []bench.CheckpointResult, readable bool) {
	allowed := w.scenario.Scenario.Footprint
	switch {
	case w.place.Changes != nil:
		a.judged, a.changes = true, footprint.Judge(allowed, w.place.Agent, w.place.Changes())
		return []bench.CheckpointResult{footprint.Result(a.changes)}, true
	case w.place.OnWrite != nil && len(allowed) == 0:
		// That nothing may change can be judged by the writes alone.
		a.judged = true
		if writes := w.track.Writes(); writes > 0 {
			return []bench.CheckpointResult{footprint.Unseen(writes)}, true
		}
	case w.place.Look != nil:
		seen, err := w.place.Look(ctx)
		if err != nil {
			return []bench.CheckpointResult{{Name: footprint.CheckName, Detail: "cannot be read: " + fault.Public(err)}}, false
		}
		a.changes, a.unjudged = footprint.Judge(allowed, w.place.Agent, seen.Changes), seen.Unjudged
		result := footprint.Result(a.changes)
		if result.Passed {
			result.Detail += ", as far as was seen"
		}
		return []bench.CheckpointResult{result}, true
	}
	return nil, true
}
