package stubmodel_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// wire is a protocol as a client speaks it.
type wire struct {
	name, path string
	// body asks for the answer to a tool's result, streamed if %s is true. The
	// prompt is "go", the instructions are "be brief", and the tools are a shell
	// and one of an MCP server.
	body string
	// text, reasoning and shell are what events have of a step; usage is that of
	// the whole answer, refused what is said to a wrong key.
	text, reasoning, shell, tool, usage, refused string
	events                                       []string
}

func wires() []wire {
	return []wire{
		{
			name: "chat completions", path: "/v1/chat/completions",
			body: `{"model":"m","stream":%s,"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"go"},
				{"role":"assistant","tool_calls":[]},{"role":"tool","content":"the result"}],
				"tools":[{"function":{"name":"bash"}},{"function":{"name":"github_get_me"}}]}`,
			text: `"content":"Hel"`, reasoning: `"reasoning_content":"hm"`,
			shell: `"function":{"name":"bash","arguments":"{\"command\":\"ls\",\"description\":\"work\"}"}`, tool: `"name":"github_get_me"`,
			usage:   `"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":40},"completion_tokens_details":{"reasoning_tokens":5}}`,
			refused: `"code":"invalid_api_key"`,
		},
		{
			name: "messages", path: "/v1/messages?beta=true",
			body: `{"model":"m","stream":%s,"system":[{"type":"text","text":"be brief"}],"messages":[
				{"role":"user","content":[{"type":"text","text":"<system-reminder>\nToday\n</system-reminder>\n"},{"type":"text","text":"go"}]},
				{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Bash","input":{}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"the result"}]}]}],
				"tools":[{"name":"Bash"},{"name":"mcp__github__get_me"}]}`,
			text: `"delta":{"type":"text_delta","text":"Hel"}`, reasoning: `"delta":{"type":"thinking_delta","thinking":"hm"}`,
			shell: `"partial_json":"{\"command\":\"ls\",\"description\":\"work\"}"`, tool: `"name":"mcp__github__get_me"`,
			usage:   `"usage":{"input_tokens":53,"cache_creation_input_tokens":7,"cache_read_input_tokens":40,"output_tokens":20}`,
			refused: `"type":"authentication_error"`,
			events: []string{
				"message_start", "content_block_start", "content_block_delta", "content_block_delta", "content_block_stop",
				"content_block_start", "content_block_delta", "content_block_delta", "content_block_stop",
				"content_block_start", "content_block_delta", "content_block_stop", "content_block_start", "content_block_delta", "content_block_stop",
				"message_delta", "message_stop",
			},
		},
		{
			name: "responses", path: "/v1/responses",
			body: `{"model":"m","stream":%s,"instructions":"be","input":[
				{"type":"message","role":"developer","content":[{"type":"input_text","text":"brief"}]},
				{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>here</environment_context>"}]},
				{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},
				{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]},
				{"type":"function_call","call_id":"a","name":"exec_command","arguments":"{}"},
				{"type":"function_call_output","call_id":"a","output":"the result"}],
				"tools":[{"type":"function","name":"exec_command"},{"type":"namespace","name":"mcp__github","tools":[{"name":"get_me"}]}]}`,
			text: `"delta":"Hel"`, reasoning: `"delta":"hm"`,
			shell: `"delta":"{\"cmd\":\"ls\"}"`, tool: `"name":"get_me","namespace":"mcp__github"`,
			usage:   `"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":40},"output_tokens":20,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":120}`,
			refused: `"code":"invalid_api_key"`,
			events: []string{
				"response.created", "response.output_item.added", "response.reasoning_summary_part.added", "response.reasoning_summary_text.delta", "response.output_item.done",
				"response.output_item.added", "response.output_text.delta", "response.output_text.delta", "response.output_item.done",
				"response.output_item.added", "response.function_call_arguments.delta", "response.output_item.done",
				"response.output_item.added", "response.function_call_arguments.delta", "response.output_item.done", "response.completed",
			},
		},
	}
}

// ask sends the request and returns the status, the body and the error of
// reading it.
func (w wire) ask(t *testing.T, model *stubmodel.Server, streamed bool) (int, string, error) {
	t.Helper()
	server := httptest.NewServer(model)
	defer server.Close()
	stream := map[bool]string{true: "true", false: "false"}[streamed]
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+w.path, strings.NewReader(strings.Replace(w.body, "%s", stream, 1)))
	require.NoError(t, err)
	response, err := server.Client().Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), err
}

// names returns the names of server-sent events.
func names(body string) []string {
	var all []string
	for line := range strings.Lines(body) {
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			all = append(all, strings.TrimSpace(name))
		}
	}
	return all
}

// played is a second step with all that a step can have.
func played() stubmodel.Step {
	return stubmodel.Step{
		Reasoning: "hm", Text: "Hello", ChunkBytes: 3,
		Calls: []stubmodel.Call{stubmodel.Shell("ls"), stubmodel.Tool("github", "get_me", map[string]any{})},
		Usage: stubmodel.Usage{Prompt: 100, Cached: 40, Written: 7, Completion: 20, Reasoning: 5},
	}
}

func TestOnePlayIsSpokenInEveryProtocol(t *testing.T) {
	for _, w := range wires() {
		t.Run(w.name, func(t *testing.T) {
			model := &stubmodel.Server{Plan: plan(stubmodel.Step{Text: "the first step"}, played())}
			status, body, err := w.ask(t, model, true)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, status, body)
			last := 0
			for _, part := range []string{w.reasoning, w.text, w.shell, w.tool} {
				at := strings.Index(body[last:], part)
				require.NotEqual(t, -1, at, "%s is not in its place in %s", part, body)
				last += at
			}
			assert.Contains(t, body, w.usage)
			assert.Equal(t, w.events, names(body))
			for _, data := range events(body) {
				assert.True(t, json.Valid([]byte(data)) || data == "[DONE]", data)
			}
			assert.Equal(t, played().Usage, model.Charged(nil))

			request := model.Requests()[0]
			assert.Equal(t, "be brief", strings.ReplaceAll(request.System(), "\n", " "))
			assert.Equal(t, "go", request.Prompt())
			assert.Equal(t, "the result", request.Messages[len(request.Messages)-1].Text)
			assert.Equal(t, "tool", request.Messages[len(request.Messages)-1].Role)
			assert.Len(t, request.Tools, 2)

			_, body, err = w.ask(t, model, false)
			require.NoError(t, err)
			assert.True(t, json.Valid([]byte(body)), body)
			assert.Contains(t, body, "Hello")
			assert.Contains(t, body, w.usage)
			assert.Contains(t, body, w.tool)
		})
	}
}

func TestEveryProtocolHasItsFaults(t *testing.T) {
	for _, w := range wires() {
		t.Run(w.name, func(t *testing.T) {
			step := played()
			step.Failures = []stubmodel.Failure{{Status: 429, RetryAfter: 2 * time.Second}, {Status: 500}}
			model := &stubmodel.Server{Plan: plan(step)}
			for _, want := range []int{429, 500, 200} {
				status, body, err := w.ask(t, model, true)
				require.NoError(t, err)
				assert.Equal(t, want, status)
				assert.Contains(t, body, map[bool]string{true: "error", false: "Hel"}[want != 200])
			}
			for _, how := range []stubmodel.Damage{stubmodel.Garbage, stubmodel.Cut, stubmodel.End} {
				step := played()
				step.Break = &stubmodel.Break{At: 1, How: how}
				model := &stubmodel.Server{Plan: plan(step)}
				_, body, err := w.ask(t, model, true)
				assert.Equal(t, how == stubmodel.Cut, err != nil, body)
				assert.Contains(t, body, w.reasoning, "the chunk before is whole")
				assert.Equal(t, how == stubmodel.Garbage, strings.Contains(body, w.usage))
				assert.Equal(t, how == stubmodel.Garbage, model.Charged(nil).Total() > 0, "what is not told is not charged")
			}
			status, body, err := w.ask(t, &stubmodel.Server{Key: "right"}, true)
			require.NoError(t, err)
			assert.Equal(t, http.StatusUnauthorized, status)
			assert.Contains(t, body, w.refused)
			status, _, err = w.ask(t, &stubmodel.Server{Models: []string{"other"}}, true)
			require.NoError(t, err)
			assert.Equal(t, http.StatusNotFound, status)
		})
	}
}

func TestAHeadIsAnsweredWithoutAKey(t *testing.T) {
	recorder := httptest.NewRecorder()
	(&stubmodel.Server{Key: "right"}).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodHead, "/", nil))
	assert.Equal(t, http.StatusOK, recorder.Code)
}

func TestCallsHaveIDsOfTheirOwnInAConversation(t *testing.T) {
	var model stubmodel.Server
	model.Plan = plan(stubmodel.Step{Calls: []stubmodel.Call{{Name: "x"}}})
	ids := map[string]bool{}
	for range 2 {
		body := `{"model":"m","messages":[` + strings.Repeat(`{"role":"user","content":"a"},{"role":"assistant","content":"b"},`, len(ids)) + `{"role":"user","content":"c"}]}`
		recorder := httptest.NewRecorder()
		model.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/messages", strings.NewReader(body)))
		var message struct {
			ID      string
			Content []struct{ ID string }
		}
		require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &message))
		ids[message.ID+" "+message.Content[0].ID] = true
	}
	assert.Equal(t, map[string]bool{"msg_stub_1 call_1_1": true, "msg_stub_2 call_2_1": true}, ids)
}
