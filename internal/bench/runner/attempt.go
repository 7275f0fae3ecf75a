package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
)

const (
	// transcriptTimeout bounds the reading of a transcript, which is wanted
	// also when the run is being stopped.
	transcriptTimeout = 10 * time.Second
	// maxMessage is how much of a failure's text a row has, in bytes.
	maxMessage = 4000
)

// attempt is one try at a cell, and what it came to.
type attempt struct {
	cell bench.Cell
	// number counts from 1, worker from 0.
	number, worker int
	started        time.Time

	// failure is nil where the attempt succeeded.
	failure         *bench.RowError
	latencyMS       float64
	sessionID       string
	measures        agent.Measures
	cost            float64
	usage           *target.Usage
	continuations   int
	outputValid     bool
	internalRetries int
	checkpoints     []bench.CheckpointResult
}

// attempt tries a cell once. Where no other attempt can succeed, it ends the
// run.
func (r *run) attempt(ctx context.Context, cell bench.Cell, number, worker int) attempt {
	a := attempt{cell: cell, number: number, worker: worker, started: r.deps.Now()}
	err := guarded(func() error { return r.try(ctx, &a) })
	r.spend(a.cost)
	if err != nil {
		a.failure = r.failure(typeOf(err), err.Error())
	}
	if errors.Is(err, agent.ErrStopSuite) {
		r.fail(err)
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

func (r *run) failure(kind bench.ErrorType, message string) *bench.RowError {
	message = r.redact(message)
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return &bench.RowError{Type: kind, Message: message}
}

func (r *run) redact(text string) string {
	if r.deps.Redact == nil {
		return text
	}
	return r.deps.Redact(text)
}

// try prepares a place, has an agent work there and judges what it did. An
// error is a runner failure.
func (r *run) try(ctx context.Context, a *attempt) error {
	s := r.cfg.Scenarios[a.cell.ScenarioID]
	place, err := r.deps.Target.Prepare(ctx, target.Needs{
		Resources: s.Requires(), Mutating: scenario.Mutates(s), Mode: a.cell.Mode, Worker: a.worker,
	})
	if err != nil {
		return fmt.Errorf("prepare fixtures: %w", err)
	}
	defer func() { r.closed(a.cell, "give fixtures back", place.Close()) }()
	resolved, err := scenario.Resolve(s, place.Manifest)
	if err != nil {
		return err
	}
	resolved.Scenario.Assertions = scenario.AssertionsFor(resolved.Scenario.Assertions, a.cell.Mode)
	reader, err := r.deps.Reader(place.Verifier)
	if err != nil {
		return fmt.Errorf("make the reader of checkpoints: %w", err)
	}
	track := checkpoint.NewTrack(reader, resolved.Scenario.Assertions.Checkpoints)
	track.Watch(ctx, place.OnWrite)
	answer, err := r.session(ctx, a, place.Env, resolved)
	if place.Usage != nil {
		usage := place.Usage()
		a.usage = &usage
	}
	if err != nil {
		return err
	}
	return r.judge(ctx, a, track, resolved.Scenario, answer)
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
func (r *run) session(ctx context.Context, a *attempt, env []string, s scenario.Resolved) (answer string, err error) {
	session, err := r.deps.Provider.Start(ctx, agent.Setup{
		Mode: a.cell.Mode, Worker: a.worker, Env: env, Instructions: r.deps.Instructions[a.cell.Mode],
	})
	if err != nil {
		return "", fmt.Errorf("start agent: %w", err)
	}
	defer func() { r.closed(a.cell, "end the agent's session", session.Close()) }()
	answer, err = r.converse(ctx, a, session, s)
	if unmeasured := r.measure(ctx, a, session); err == nil {
		err = unmeasured
	}
	return answer, err
}

// converse sends the prompt and, where the answer has no envelope, asks for
// it (rule N8).
func (r *run) converse(ctx context.Context, a *attempt, session agent.Session, s scenario.Resolved) (answer string, err error) {
	ctx, dog := watch(ctx, limits{firstAnswer: r.cfg.FirstAnswer, stall: r.cfg.Stall, total: s.Scenario.Timeout()})
	defer dog.stop()
	prompt := agent.Prompt{
		Text:    s.Prompt,
		Play:    agent.Play{ScenarioID: a.cell.ScenarioID, Input: s.Input, Iteration: a.cell.Iteration, Attempt: a.number},
		OnEvent: dog.event,
	}
	sent := r.deps.Now()
	defer func() { a.latencyMS = float64(r.deps.Now().Sub(sent)) / float64(time.Millisecond) }()
	for {
		turn, err := dog.prompt(ctx, session, prompt)
		if err != nil {
			return "", err
		}
		if s.Scenario.Type == bench.Workflow || a.continuations >= r.cfg.Continuations || complete(turn.Text) {
			return turn.Text, nil
		}
		a.continuations++
		prompt.Text = envelope.ContinuationPrompt
	}
}

func complete(answer string) bool {
	env, found := envelope.Extract(answer)
	return found && len(env.Missing()) == 0
}

// measure takes the session's figures and keeps its transcript, also those of
// an attempt that failed or was stopped.
func (r *run) measure(ctx context.Context, a *attempt, session agent.Session) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), transcriptTimeout)
	defer cancel()
	transcript, err := session.Transcript(ctx)
	a.sessionID = transcript.SessionID
	a.measures = agent.Measure(transcript)
	a.cost = a.measures.Cost
	if a.cost == 0 && r.cfg.Price != nil {
		a.cost = r.cfg.Price.Cost(a.measures.Tokens)
	}
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

// judge decides whether the agent's work succeeded (rules S8 and S9). Where
// GitHub's state cannot be read, nothing is known of that, which is a runner
// failure.
func (r *run) judge(ctx context.Context, a *attempt, track *checkpoint.Track, s bench.Scenario, answer string) error {
	var reasons []string
	if s.Type != bench.Workflow {
		j := envelope.Judge(answer, s.Assertions, a.measures.ToolCalls)
		a.outputValid, a.internalRetries, reasons = j.OutputValid, j.InternalRetries, j.Reasons
	}
	results, readable := track.Run(ctx, r.deps.Poll)
	if s.Type == bench.Workflow {
		a.outputValid = readable
	}
	var broken []string
	for i := range results {
		c := &results[i]
		c.Detail = r.redact(c.Detail)
		if !c.Passed {
			broken = append(broken, fmt.Sprintf("%s: %s", c.Name, c.Detail))
		}
	}
	a.checkpoints = results
	switch {
	case len(reasons) > 0:
		a.failure = r.failure(bench.AssertionFailed, strings.Join(append(reasons, broken...), " "))
	case !readable:
		return fmt.Errorf("read GitHub's state: %s", strings.Join(broken, "; "))
	case len(broken) > 0:
		a.failure = r.failure(bench.CheckpointFailed, strings.Join(broken, "; "))
	}
	return nil
}
