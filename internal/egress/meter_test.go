package egress_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/egress"
)

// measure reads a body through a meter and returns what it was told.
func measure(t testing.TB, body io.Reader) (passed []byte, tokens bench.Tokens, answers int) {
	t.Helper()
	r := egress.Watch(io.NopCloser(body), func(more bench.Tokens, first bool) {
		tokens = tokens.Add(more)
		if first {
			answers++
		}
	})
	passed, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return passed, tokens, answers
}

// bodies are answers as the APIs' documentation has them, cut short.
var bodies = []struct {
	name, body string
	want       bench.Tokens
}{
	{
		"chat completion",
		`{"id":"chatcmpl-1","object":"chat.completion","choices":[{"message":{"role":"assistant","content":"the \"usage\": {}"}}],
		 "usage":{"prompt_tokens":1117,"completion_tokens":46,"total_tokens":1163,
		 "prompt_tokens_details":{"cached_tokens":1024,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":6,"accepted_prediction_tokens":0}}}`,
		bench.Tokens{Input: 93, CacheRead: 1024, Output: 40, Reasoning: 6, Total: 1163},
	},
	{
		"chat completion without details",
		`{"choices":[],"usage":{"prompt_tokens":13,"completion_tokens":7,"total_tokens":20}}`, bench.Tokens{Input: 13, Output: 7, Total: 20},
	},
	{
		"chat completions, streamed, with usage in the last chunk",
		"data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"delta\":{\"content\":\"Hi\"}}],\"usage\":null}\n\n" +
			": a comment\n\n" +
			"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":10,\"total_tokens\":29}}\n\ndata: [DONE]\n\n",
		bench.Tokens{Input: 19, Output: 10, Total: 29},
	},
	{
		"chat completions, streamed, with usage so far in each chunk",
		"data: {\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":1}}\r\n\r\ndata: {\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":4}}\r\n\r\ndata: [DONE]\r\n\r\n",
		bench.Tokens{Input: 19, Output: 4, Total: 23},
	},
	{
		"response",
		`{"id":"resp_1","object":"response","output":[],"usage":{"input_tokens":328,"input_tokens_details":{"cached_tokens":28},
		 "output_tokens":52,"output_tokens_details":{"reasoning_tokens":50},"total_tokens":380}}`,
		bench.Tokens{Input: 300, CacheRead: 28, Output: 2, Reasoning: 50, Total: 380},
	},
	{
		"response without details", `{"object":"response","usage":{"input_tokens":3,"output_tokens":4,"total_tokens":7}}`, bench.Tokens{Input: 3, Output: 4, Total: 7},
	},
	{
		"responses, streamed",
		"event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"usage\":null}}\n\n" +
			"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"output\":[{\"text\":\"usage\"}],\"usage\":{\"input_tokens\":36,\"input_tokens_details\":{\"cached_tokens\":6},\"output_tokens\":9,\"output_tokens_details\":{\"reasoning_tokens\":2}}}}\n\n",
		bench.Tokens{Input: 30, CacheRead: 6, Output: 7, Reasoning: 2, Total: 45},
	},
	{
		"message",
		`{"type":"message","content":[],"usage":{"input_tokens":2095,"cache_creation_input_tokens":100,"cache_read_input_tokens":900,"output_tokens":503}}`,
		bench.Tokens{Input: 2095, CacheWrite: 100, CacheRead: 900, Output: 503, Total: 3598},
	},
	{
		"messages, streamed",
		"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":25,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":5,\"output_tokens\":1}}}\n\n" +
			"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"usage\"}}\n\n" +
			"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":15}}\n\n" +
			"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
		bench.Tokens{Input: 25, CacheRead: 5, Output: 15, Total: 45},
	},
	{
		"an event of several lines, at the end of a stream that breaks off",
		"data: {\"usage\":\ndata: {\"prompt_tokens\":1,\"completion_tokens\":2}}", bench.Tokens{Input: 1, Output: 2, Total: 3},
	},
	{
		"chat completions, streamed, with details once and others twice",
		"data: {\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":5,\"prompt_tokens_details\":{\"cached_tokens\":5},\"completion_tokens_details\":{\"reasoning_tokens\":2}}}\n\n" +
			"data: {\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":8,\"completion_tokens_details\":{\"reasoning_tokens\":3}}}\n\n",
		bench.Tokens{Input: 14, CacheRead: 5, Output: 5, Reasoning: 3, Total: 27},
	},
	{
		"messages, streamed, with what the cache took said twice",
		"data:{\"message\":{\"usage\":{\"input_tokens\":25,\"cache_creation_input_tokens\":7,\"output_tokens\":1}}}\n\n" +
			"data:{\"usage\":{\"cache_creation_input_tokens\":7,\"output_tokens\":15}}\n\n",
		bench.Tokens{Input: 25, CacheWrite: 7, Output: 15, Total: 47},
	},
	{"output alone", `{"usage":{"completion_tokens":3}}`, bench.Tokens{Output: 3, Total: 3}},
	{"input alone, of a message", `{"usage":{"input_tokens":3}}`, bench.Tokens{Input: 3, Total: 3}},
	{"output alone, of a message", `{"usage":{"output_tokens":3}}`, bench.Tokens{Output: 3, Total: 3}},
	{
		"response with details of its input alone", `{"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":1}}`,
		bench.Tokens{Input: 6, CacheRead: 4, Output: 1, Total: 11},
	},
	{
		"response with details of its output alone", `{"usage":{"input_tokens":10,"output_tokens_details":{"reasoning_tokens":4},"output_tokens":5}}`,
		bench.Tokens{Input: 10, Output: 1, Reasoning: 4, Total: 15},
	},
	{"an answer with empty lines", " {\"a\":1,\n\n\"usage\":{\"prompt_tokens\":13}}\n", bench.Tokens{Input: 13, Total: 13}},
	{
		"an event with a comment, a name and an odd line within",
		"data: {\"usage\":\n: no end\nevent: x\nx\ndata: {\"prompt_tokens\":1}}\n\n", bench.Tokens{Input: 1, Total: 1},
	},
	{
		"what cannot be",
		`{"usage":{"prompt_tokens":-5,"completion_tokens":1e300,"prompt_tokens_details":{"cached_tokens":7}}}`,
		bench.Tokens{Output: 1e12, Total: 1e12},
	},
}

func TestN12AnswersTellWhatTheyUsed(t *testing.T) {
	for _, b := range bodies {
		for name, read := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "with the end": iotest.DataErrReader,
		} {
			passed, tokens, answers := measure(t, read(strings.NewReader(b.body)))
			assert.Equal(t, b.body, string(passed), "%s, %s", b.name, name)
			assert.Equal(t, b.want, tokens, "%s, %s", b.name, name)
			assert.Equal(t, 1, answers, "%s, %s", b.name, name)
		}
	}
}

func TestN12AnswersThatTellNothing(t *testing.T) {
	for _, body := range []string{
		"", " \n", "{}", "null", `{"usage":null}`, `{"usage":{}}`, `{"usage":7}`, `{"usage":{"prompt_tokens":"many"}}`,
		`{"usage":{"prompt_tokens":1`, "data: [DONE]\n\n", "usage", "data: \"usage\"\n\n",
		"event: message_start\ndata: {\"usage\n\n", `{"choices":[{"text":"\"usage\":{\"prompt_tokens\":1}"}]}`,
		`{"text":"` + strings.Repeat("x", 9<<20) + `","usage":{"prompt_tokens":1}}`,
	} {
		passed, tokens, answers := measure(t, strings.NewReader(body))
		assert.Equal(t, len(body), len(passed))
		assert.Zero(t, answers, "%.80s", body)
		assert.Zero(t, tokens)
	}
}

func TestN12AnAnswerIsReadUpTo8MiB(t *testing.T) {
	const most = 8 << 20
	end := `","usage":{"prompt_tokens":4}}`
	body := `{"text":"` + strings.Repeat("x", most-len(`{"text":"`+end)) + end
	_, tokens, answers := measure(t, strings.NewReader(body))
	assert.Equal(t, 1, answers)
	assert.Equal(t, bench.Tokens{Input: 4, Total: 4}, tokens)
	_, _, answers = measure(t, strings.NewReader(body+" "))
	assert.Zero(t, answers)
}

func TestN12WhatIsKnownIsToldOnce(t *testing.T) {
	const event = "data: {\"usage\":{\"prompt_tokens\":4}}"
	for _, body := range []string{`{"usage":{"prompt_tokens":4}}`, event, event + "\n\ndata: {}\n\n"} {
		told := 0
		r := egress.Watch(io.NopCloser(strings.NewReader(body)), func(bench.Tokens, bool) { told++ })
		for range 2 { // the end is read twice
			_, err := io.ReadAll(r)
			require.NoError(t, err)
		}
		assert.Equal(t, 1, told, body)
	}
}

func TestN12AnEventThatIsTooLongHidesNoOther(t *testing.T) {
	long := "data: {\"text\":\"" + strings.Repeat("x", 20<<20) + "\"}\n\n"
	_, tokens, answers := measure(t, strings.NewReader(long+"data: {\"usage\":{\"prompt_tokens\":4}}\n\n"+long))
	assert.Equal(t, 1, answers)
	assert.Equal(t, bench.Tokens{Input: 4, Total: 4}, tokens)
}

func TestN12AStreamTellsBeforeItsReaderCanKnow(t *testing.T) {
	upstream, write := io.Pipe()
	told := 0
	r := egress.Watch(upstream, func(bench.Tokens, bool) { told++ })
	go fmt.Fprint(write, "data: {\"usage\":{\"prompt_tokens\":4}}\n\ndata: [DONE]\n\n")
	buffer := make([]byte, 1000)
	_, err := r.Read(buffer)
	require.NoError(t, err)
	assert.Equal(t, 1, told, "the reader of these bytes takes the answer for whole, and its end does not come")
	require.NoError(t, r.Close())
}

func FuzzMeter(f *testing.F) {
	for _, b := range bodies {
		f.Add([]byte(b.body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		passed, tokens, answers := measure(t, bytes.NewReader(body))
		assert.True(t, bytes.Equal(body, passed))
		assert.LessOrEqual(t, answers, 1)
		for _, n := range []int64{tokens.Input, tokens.Output, tokens.Reasoning, tokens.CacheRead, tokens.CacheWrite} {
			assert.GreaterOrEqual(t, n, int64(0))
		}
		assert.Equal(t, tokens.Total, tokens.Input+tokens.Output+tokens.Reasoning+tokens.CacheRead+tokens.CacheWrite)
		// However it comes, it tells the same.
		_, again, _ := measure(t, iotest.HalfReader(bytes.NewReader(body)))
		assert.Equal(t, tokens, again)
	})
}

func BenchmarkMeterOnAStream(b *testing.B) {
	chunk := "data: {\"choices\":[{\"delta\":{\"content\":\"" + strings.Repeat("word ", 8) + "\"}}],\"usage\":null}\n\n"
	body := strings.Repeat(chunk, (1<<20)/len(chunk)) + "data: {\"usage\":{\"prompt_tokens\":4}}\n\n"
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		measure(b, strings.NewReader(body))
	}
}
