package realtool

import (
	"encoding/json"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// How far sums of floating-point numbers may be apart, in USD and, for times
// that are stored without a monotonic clock, in milliseconds.
const (
	costTolerance = 1e-9
	timeTolerance = 1
)

func transcriptOf(t tester, session agent.Session) agent.Transcript {
	t.Helper()
	transcript, err := session.Transcript(t.Context())
	require.NoError(t, err, "the transcript")
	return transcript
}

// requireWellFormed fails if a transcript is not as its type says.
func requireWellFormed(t tester, info agent.Info, transcript agent.Transcript) {
	t.Helper()
	assert.Equal(t, agent.TranscriptSchemaVersion, transcript.SchemaVersion, "schema version")
	assert.Equal(t, info.Name, transcript.Provider, "provider")
	assert.Equal(t, info.Model, transcript.Model, "model")
	assert.NotEmpty(t, transcript.SessionID, "session id")
	for i, message := range transcript.Messages {
		assert.Contains(t, []agent.Role{agent.User, agent.Assistant}, message.Role, "role of message %d", i)
		if !message.Start.IsZero() && !message.End.IsZero() {
			assert.False(t, message.End.Before(message.Start), "message %d ends before it starts", i)
		}
		for j, part := range message.Parts {
			requirePart(t, part, i, j)
		}
	}
}

func requirePart(t tester, part agent.Part, i, j int) {
	t.Helper()
	switch part.Type {
	case agent.PartText, agent.PartReasoning:
		assert.Nil(t, part.Tool, "message %d part %d is a tool call and no tool call", i, j)
	case agent.PartTool:
		require.NotNil(t, part.Tool, "message %d part %d is a tool call without one", i, j)
		assert.NotEmpty(t, part.Tool.Name, "message %d part %d: name of the tool", i, j)
		if len(part.Tool.Input) > 0 {
			assert.True(t, json.Valid(part.Tool.Input), "message %d part %d: the tool's input is not JSON", i, j)
		}
	default:
		assert.Fail(t, "unknown part", "message %d part %d is of type %q", i, j, part.Type)
	}
}

// requireStorable fails if a transcript measures differently once it was
// stored.
func requireStorable(t tester, transcript agent.Transcript, measures agent.Measures) {
	t.Helper()
	stored, err := json.Marshal(transcript)
	require.NoError(t, err, "store the transcript")
	var loaded agent.Transcript
	require.NoError(t, json.Unmarshal(stored, &loaded), "load the transcript")
	again := agent.Measure(loaded)
	if measures.Timing != nil && assert.NotNil(t, again.Timing, "timing of the stored transcript") {
		assert.InDelta(t, measures.Timing.AssistantTotalMS, again.Timing.AssistantTotalMS, timeTolerance, "time of the stored transcript")
	}
	measures.Timing, again.Timing = nil, nil
	measures.SDKLatencyMS, again.SDKLatencyMS = nil, nil
	assert.Equal(t, measures, again, "measures of the stored transcript")
}

// requireTexts fails if the messages do not have these texts in this order,
// beginning with a user's and taking turns.
func requireTexts(t tester, transcript agent.Transcript, texts ...string) {
	t.Helper()
	roles := []agent.Role{agent.User, agent.Assistant}
	rest := transcript.Messages
	for i, text := range texts {
		role := roles[i%len(roles)]
		at := indexText(rest, role, text)
		require.GreaterOrEqual(t, at, 0, "the transcript has no message of the %s with %q in its place", role, text)
		rest = rest[at+1:]
	}
}

// requireNoText fails if any message has the text.
func requireNoText(t tester, transcript agent.Transcript, text string) {
	t.Helper()
	for _, role := range []agent.Role{agent.User, agent.Assistant} {
		assert.Negative(t, indexText(transcript.Messages, role, text), "the transcript has %q, which another session was told", text)
	}
}

func indexText(messages []agent.Message, role agent.Role, text string) int {
	for i, message := range messages {
		if message.Role == role && strings.Contains(textOf(message), text) {
			return i
		}
	}
	return -1
}

func textOf(message agent.Message) string {
	var texts []string
	for _, part := range message.Parts {
		if part.Type == agent.PartText && part.Text != "" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n")
}
