package scripted

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// session is one attempt's conversation. It implements [agent.Session].
type session struct {
	provider *Provider
	mode     bench.Mode
	// as is the mode whose plays are played.
	as  bench.Mode
	env environment
	id  string

	messages []agent.Message
	tokens   conversation
	// dead is true once the agent's process has crashed.
	dead bool
	// played is the attempt whose plan was played to its end, nil if none was,
	// and answer is what it came to.
	played *attempt
	answer string
}

// attempt identifies an attempt, as far as one session can have several.
type attempt struct {
	scenario           string
	iteration, attempt int
}

var errDead = errors.New("the agent's process has died")

// Prompt plays the plan of the prompt's attempt and returns the answer. A plan
// is played once: when the prompt is one of the same attempt again, the agent
// just answers again.
//
// A scenario without a plan for the mode, and a plan whose expressions fail,
// are errors of kind invalid. A request that GitHub refuses is no error: it
// fails the tool call, and the answer says so.
func (s *session) Prompt(ctx context.Context, prompt agent.Prompt) (agent.Turn, error) {
	if s.dead {
		return agent.Turn{}, errDead
	}
	answer, err := s.converse(ctx, prompt)
	if ctx.Err() != nil {
		return agent.Turn{}, fmt.Errorf("play scenario %q: %w", prompt.Play.ScenarioID, context.Cause(ctx))
	}
	if errors.Is(err, errDead) {
		s.dead = true
		return agent.Turn{}, err
	}
	if err != nil {
		return agent.Turn{}, fault.Invalidf("play scenario %q in mode %s: %w", prompt.Play.ScenarioID, s.mode, err)
	}
	return agent.Turn{Text: answer}, nil
}

func (s *session) converse(ctx context.Context, prompt agent.Prompt) (string, error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	s.hear(prompt.Text)
	p, err := s.performance(prompt)
	if err != nil {
		return "", err
	}
	this := attempt{prompt.Play.ScenarioID, prompt.Play.Iteration, prompt.Play.Attempt}
	if again := s.played != nil && *s.played == this; again {
		return p.say(ctx, s.answer, again)
	}
	answer, err := p.play(ctx)
	if err != nil {
		return "", err
	}
	s.played, s.answer = &this, answer
	return p.say(ctx, answer, false)
}

// hear takes a prompt.
func (s *session) hear(text string) {
	now := s.provider.options.Now()
	s.messages = append(s.messages, agent.Message{
		Role: agent.User, Start: now, End: now, Parts: []agent.Part{{Type: agent.PartText, Text: text}},
	})
	s.tokens.hear(int64(len(text)))
}

// Transcript returns the conversation so far.
func (s *session) Transcript(context.Context) (agent.Transcript, error) {
	return agent.Transcript{
		SchemaVersion: agent.TranscriptSchemaVersion, Provider: Name, SessionID: s.id,
		Model: s.provider.options.Model, Simulated: true, Messages: slices.Clone(s.messages),
	}, nil
}

// Close has nothing to end.
func (s *session) Close() error { return nil }

// performance prepares the playing of a plan.
func (s *session) performance(prompt agent.Prompt) (*performance, error) {
	plan, play, err := s.provider.plans.find(prompt.Play.ScenarioID, s.as, s.provider.alternative)
	if err != nil {
		return nil, err
	}
	p := &performance{
		session: s, prompt: prompt, plan: plan, script: play,
		wrong:  s.provider.misbehaviour(s.mode, prompt.Play),
		client: client{http: s.provider.options.HTTP, env: s.env, mode: s.as, route: play.Route},
	}
	p.scope, err = newScope(prompt.Play.Input, s.env.repo, play.Route)
	return p, err
}
