package opencode

import (
	"bytes"
	"encoding/json"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// Messages maps the messages of a session as a server tells them.
func Messages(data []byte) ([]agent.Message, error) {
	var wire []wireMessage
	if err := json.Unmarshal(data, &wire); err != nil {
		return nil, err
	}
	return messages(wire), nil
}

// Hear has a prompt of session "ses_1" answered by a stream of events. It
// returns what was heard of it, the outcome if the turn ended, and the
// transcript.
func Hear(stream []byte) (events []agent.Event, turn agent.Turn, ended bool, heard []agent.Message) {
	server := &server{sessions: map[string]*session{}, end: func() error { return nil }}
	s := newSession(server, bench.ModelRef{}, "", "ses_1")
	server.sessions["ses_1"] = s
	t := s.begin(agent.Prompt{OnEvent: func(e agent.Event) { events = append(events, e) }})
	// Why a stream ends does not matter.
	_ = readEvents(bytes.NewReader(stream), server.take)
	if ended = t.ended(); ended {
		turn, _ = s.outcome(t)
	}
	return events, turn, ended, s.heard()
}
