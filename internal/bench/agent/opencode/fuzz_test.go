package opencode_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
)

// requireStorable fails if messages are not as their type says, or are others
// once they were stored.
func requireStorable(t *testing.T, messages []agent.Message) {
	t.Helper()
	transcript := agent.Transcript{Messages: messages}
	stored, err := json.Marshal(transcript)
	require.NoError(t, err)
	var loaded agent.Transcript
	require.NoError(t, json.Unmarshal(stored, &loaded))
	measures, again := agent.Measure(transcript), agent.Measure(loaded)
	assert.Equal(t, measures, again)
	assert.Equal(t, transcript.Answer(), loaded.Answer())
	for _, m := range messages {
		assert.Contains(t, []agent.Role{agent.User, agent.Assistant}, m.Role)
		assert.False(t, !m.End.IsZero() && m.End.Before(m.Start))
		assert.GreaterOrEqual(t, m.Tokens.Total, m.Tokens.Input)
		assert.GreaterOrEqual(t, m.Tokens.Input, int64(0))
		for _, p := range m.Parts {
			require.Equal(t, p.Type == agent.PartTool, p.Tool != nil)
		}
	}
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte(`[{"info":{"role":"user","time":{"created":1700000000000}},"parts":[{"type":"text","text":"go"}]},
		{"info":{"role":"assistant","time":{"created":1,"completed":1e300},"tokens":{"input":-5,"output":1e300,"cache":{"read":0.5}},"cost":-1,"error":{"name":"APIError","data":{"message":"no","statusCode":500}}},
		"parts":[{"type":"tool","tool":"bash","state":{"status":"completed","input":{"a":[1,"` + "\xff" + `"]},"output":"x","metadata":{"exit":3}}},
		{"type":"tool","tool":"invalid","state":{"input":{"tool":"edit"}}},{"type":"reasoning","text":"hm","time":{"start":5,"end":2}},{"type":"patch"}]}]`))
	f.Add([]byte(`[{"info":{"role":"system"}},{"info":{}},{}]`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		messages, err := opencode.Messages(data)
		if err != nil {
			return
		}
		requireStorable(t, messages)
	})
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte(strings.Join([]string{
		`data: {"type":"message.updated","properties":{"sessionID":"ses_1","info":{"id":"m1","role":"user"}}}`,
		`data: {"type":"session.status","properties":{"sessionID":"ses_1","status":{"type":"busy"}}}`,
		`data: {"type":"message.updated","properties":{"sessionID":"ses_1","info":{"id":"m2","role":"assistant"}}}`,
		`data: {"type":"message.part.updated","properties":{"sessionID":"ses_1","part":{"id":"p1","messageID":"m2","type":"tool","state":{"status":"running"}}}}`,
		`data: {"type":"message.part.updated","properties":{"sessionID":"ses_1","part":{"id":"p1","messageID":"m2","type":"tool","state":{"status":"error"}}}}`,
		`data: {"type":"message.part.delta","properties":{"sessionID":"ses_1","messageID":"m2","partID":"p2","field":"text","delta":"x"}}`,
		`data: {"type":"message.part.removed","properties":{"sessionID":"ses_1","messageID":"m2","partID":"p2"}}`,
		`data: {"type":"message.removed","properties":{"sessionID":"ses_1","messageID":"m2"}}`,
		`data: {"type":"session.created","properties":{"sessionID":"ses_2","info":{"id":"ses_2","parentID":"ses_1"}}}`,
		`data: {"type":"session.created","properties":{"sessionID":"ses_1","info":{"id":"ses_1","parentID":"ses_2"}}}`,
		`data: {"type":"session.error","properties":{"sessionID":"ses_1","error":null}}`,
		`data: {"type":"question.asked","properties":{"sessionID":"ses_2"}}`,
		`data: {"type":"session.idle","properties":{"sessionID":"ses_1"}}`,
	}, "\n\n")))
	f.Add([]byte("data: {}\ndata: \n: comment\nevent: x\r\ndata: {\"type\":\"session.idle\"}"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		events, turn, ended, heard := opencode.Hear(stream)
		answers, running := 0, 0
		for _, e := range events {
			switch e {
			case agent.EventAnswer:
				answers++
			case agent.EventToolStart:
				running++
				assert.Equal(t, 1, answers, "a tool call is output of the model")
			case agent.EventToolEnd:
				running--
			}
			require.GreaterOrEqual(t, running, 0)
		}
		assert.LessOrEqual(t, answers, 1)
		requireStorable(t, heard)
		if !ended {
			assert.Empty(t, turn.Text)
		}
	})
}
