package opencode

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// session is a session of a server. It implements [agent.Session].
type session struct {
	server       *server
	model        bench.ModelRef
	instructions string
	id           string
	close        func() error

	mu sync.Mutex
	// records has what events tell of the session, and of the sessions that
	// its agent has begun, by their ids.
	records map[string]*record
	// turn is the one that is under way, nil where none is.
	turn *turn
	// retry is why the last turn was waiting for its model, empty if it did not.
	retry string
}

func newSession(server *server, model bench.ModelRef, instructions, id string) *session {
	s := &session{
		server: server, model: model, instructions: instructions, id: id,
		records: map[string]*record{id: newRecord()},
	}
	s.close = sync.OnceValue(s.finish)
	return s
}

func (s *session) path(rest string) string { return sessionsPath + "/" + s.id + rest }

// promptBody is a prompt as OpenCode takes it. It never asks for a format: a
// session that was asked for JSON cannot be read any more.
type promptBody struct {
	Agent   string       `json:"agent"`
	Model   promptModel  `json:"model"`
	Variant *string      `json:"variant,omitempty"`
	System  string       `json:"system,omitempty"`
	Parts   []promptPart `json:"parts"`
}

type promptModel struct {
	ProviderID string `json:"providerID"`
	ModelID    string `json:"modelID"`
}

type promptPart struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// mainAgent is the agent of OpenCode's that works.
const mainAgent = "build"

// Prompt sends a prompt and follows the events until the session is idle.
//
// An error of the model's provider ends the turn. That it refuses the key, or
// has no such model, is of kind invalid and [agent.ErrStopSuite]. OpenCode
// asks a provider that is busy or failing several times over; that is no sign
// of life, so it is up to ctx how long it may go on.
func (s *session) Prompt(ctx context.Context, prompt agent.Prompt) (agent.Turn, error) {
	if ctx.Err() != nil {
		return agent.Turn{}, fmt.Errorf("prompt OpenCode: %w", context.Cause(ctx))
	}
	t := s.begin(prompt)
	defer s.rest(t)
	body := promptBody{
		Agent: mainAgent, Model: promptModel{s.model.ProviderID, s.model.ModelID}, Variant: s.model.Mode, System: s.instructions,
		Parts: []promptPart{{Type: partText, Text: prompt.Text}},
	}
	if err := s.server.api.call(ctx, http.MethodPost, s.path("/prompt_async"), body, nil); err != nil {
		// Whether the session works on the prompt is not known.
		return agent.Turn{}, errors.Join(fmt.Errorf("prompt OpenCode: %w", err), s.server.end())
	}
	select {
	case <-t.done:
	case <-s.server.gone:
		return agent.Turn{}, s.server.reason()
	case <-ctx.Done():
		stopped := s.stop(ctx, t)
		return agent.Turn{}, errors.Join(fmt.Errorf("stop OpenCode%s: %w", s.waiting(t), context.Cause(ctx)), stopped)
	}
	return s.outcome(t)
}

func (s *session) begin(prompt agent.Prompt) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn, s.retry = newTurn(s.model, s.server.options.ModelKeyFrom, prompt), ""
	return s.turn
}

// rest lets no event of the turn through any more.
func (s *session) rest(t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn, s.retry = nil, t.retry
}

// waiting tells that a turn was waiting for its model, if it was.
func (s *session) waiting(t *turn) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.retry == "" {
		return ""
	}
	return " (its model was at " + t.retry + ")"
}

// outcome returns what a turn has ended in.
func (s *session) outcome(t *turn) (agent.Turn, error) {
	if t.stuck {
		return agent.Turn{}, errors.Join(t.err, s.server.end())
	}
	if t.err != nil {
		return agent.Turn{}, t.err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	said := agent.Transcript{Messages: messages(s.records[s.id].wire())}
	return agent.Turn{Text: said.Answer()}, nil
}

// stop stops a turn, and the server with it unless that obeys. A session that
// does not work on its prompt yet would begin after it was stopped.
func (s *session) stop(ctx context.Context, t *turn) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.server.options.AbortTimeout)
	defer cancel()
	s.mu.Lock()
	t.quiet = true
	busy := t.busy
	s.mu.Unlock()
	if !busy || s.abort(ctx) != nil {
		return s.server.end()
	}
	select {
	case <-t.done:
		return nil
	case <-s.server.gone:
		return nil
	case <-ctx.Done():
		return s.server.end()
	}
}

func (s *session) abort(ctx context.Context) error {
	return s.server.api.call(ctx, http.MethodPost, s.path("/abort"), nil, nil)
}

// take takes an event of the session or of one that its agent has begun.
func (s *session) take(e event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := e.Properties.SessionID
	if e.Type == eventSessionCreated {
		s.records[of] = newRecord()
		return
	}
	s.records[of].apply(e)
	switch {
	case s.turn == nil:
	case of == s.id:
		s.turn.apply(e, s.records[of])
	case e.Type == eventPartUpdated || e.Type == eventPartDelta:
		s.turn.notify(agent.EventProgress)
	}
}

// Transcript reads the whole conversation from the server. Where that has died
// or fails, or was made to forget something, it is what the events have told.
func (s *session) Transcript(ctx context.Context) (agent.Transcript, error) {
	t := agent.Transcript{
		SchemaVersion: agent.TranscriptSchemaVersion, Provider: Name, SessionID: s.id, Model: s.model,
		Messages: s.heard(),
	}
	if s.server.works() && !s.disputed() {
		if read, err := s.read(ctx); err == nil {
			t.Messages = read
		}
	}
	s.explain(t.Messages)
	return t, nil
}

// disputed reports whether the server was made to forget something.
func (s *session) disputed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if r.disputed {
			return true
		}
	}
	return false
}

// ids returns the ids of the session and of those that its agent has begun, in
// order of their beginning.
func (s *session) ids() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	others := slices.Sorted(maps.Keys(s.records))
	return append([]string{s.id}, slices.DeleteFunc(others, func(id string) bool { return id == s.id })...)
}

// read returns the conversation as the server tells it.
func (s *session) read(ctx context.Context) ([]agent.Message, error) {
	var all []agent.Message
	ids := s.ids()
	for _, id := range ids {
		var wire []wireMessage
		if err := s.server.api.call(ctx, http.MethodGet, sessionsPath+"/"+id+"/message", nil, &wire); err != nil {
			return nil, err
		}
		all = append(all, messages(wire)...)
	}
	if len(ids) > 1 {
		inOrder(all)
	}
	return all, nil
}

// heard returns the conversation as events have told it.
func (s *session) heard() []agent.Message {
	ids := s.ids()
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []agent.Message{}
	for _, id := range ids {
		all = append(all, messages(s.records[id].wire())...)
	}
	if len(ids) > 1 {
		inOrder(all)
	}
	return all
}

// explain adds to a message that broke off what its model was asked again for.
func (s *session) explain(all []agent.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(all) == 0 || s.retry == "" {
		return
	}
	if last := &all[len(all)-1]; last.Error != "" {
		last.Error += "; its model was at " + s.retry
	}
}

// Close removes the session from the server and ends what its agent has left
// running.
func (s *session) Close() error { return s.close() }

func (s *session) finish() error {
	ctx := context.Background()
	s.server.forget(s)
	if !s.server.works() {
		return s.server.end()
	}
	if err := s.server.api.call(ctx, http.MethodDelete, s.path(""), nil, nil); err != nil {
		return s.server.end()
	}
	if !s.server.setup.Shell {
		return nil
	}
	if err := s.server.process.Sweep(); err != nil {
		return err
	}
	if err := s.server.unspoilt(ctx); err != nil {
		s.server.fail(err)
		return s.server.end()
	}
	return nil
}
