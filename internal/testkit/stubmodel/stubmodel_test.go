package stubmodel_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// plan has every turn played by the same steps.
func plan(steps ...stubmodel.Step) func(stubmodel.Request) []stubmodel.Step {
	return func(stubmodel.Request) []stubmodel.Step { return steps }
}

// chat is a request as an agent sends it.
type chat struct {
	Model    string           `json:"model"`
	Stream   bool             `json:"stream"`
	Messages []map[string]any `json:"messages"`
	Tools    []map[string]any `json:"tools,omitempty"`
	session  string
	key      string
}

func said(role, text string) map[string]any { return map[string]any{"role": role, "content": text} }

func asking(text string) chat {
	return chat{Model: "m", Stream: true, Messages: []map[string]any{said("system", "be brief"), said("user", text)}}
}

// ask sends a request and returns the answer's status, header and body. err is
// that of reading the body.
func ask(t *testing.T, s http.Handler, c chat) (status int, header http.Header, body string, err error) {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	sent, err := json.Marshal(c)
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/v1/chat/completions", bytes.NewReader(sent))
	require.NoError(t, err)
	request.Header.Set("X-Session-Id", c.session)
	request.Header.Set("Authorization", "Bearer "+c.key)
	response, err := server.Client().Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, string(read), err
}

// events returns the data of server-sent events.
func events(body string) []string {
	var data []string
	lines := bufio.NewScanner(strings.NewReader(body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			data = append(data, text)
		}
	}
	return data
}

func TestTheZeroValueAnswers(t *testing.T) {
	var model stubmodel.Server
	status, header, body, err := ask(t, &model, asking("hello"))
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "text/event-stream", header.Get("Content-Type"))
	got := events(body)
	require.Len(t, got, 4)
	assert.Contains(t, got[0], `"delta":{"role":"assistant","content":"ok"}`)
	assert.Contains(t, got[1], `"finish_reason":"stop"`)
	assert.Contains(t, got[2], `"usage":{"prompt_tokens":0`)
	assert.Equal(t, "[DONE]", got[3])
}

func TestAStepIsStreamedInOrderAndInPieces(t *testing.T) {
	model := stubmodel.Server{Plan: plan(stubmodel.Step{
		Reasoning: "abcd", Text: "efg", ChunkBytes: 3,
		Calls: []stubmodel.Call{
			{Name: "bash", Arguments: map[string]any{"command": "ls"}},
			{Name: "read", Arguments: json.RawMessage(`{"broken`)},
		},
		Usage: stubmodel.Usage{Prompt: 100, Cached: 40, Completion: 20, Reasoning: 5},
	})}
	_, _, body, err := ask(t, &model, asking("go"))
	require.NoError(t, err)
	got := events(body)
	want := []string{
		`"delta":{"role":"assistant","reasoning_content":"abc"}`,
		`"delta":{"reasoning_content":"d"}`,
		`"delta":{"content":"efg"}`,
		`"tool_calls":[{"index":0,"id":"call_1_1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]`,
		`"tool_calls":[{"index":1,"id":"call_1_2","type":"function","function":{"name":"read","arguments":"{\"broken"}}]`,
		`"delta":{},"finish_reason":"tool_calls"`,
		`"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":40},"completion_tokens_details":{"reasoning_tokens":5}}`,
		`[DONE]`,
	}
	require.Len(t, got, len(want))
	for i, text := range want {
		assert.Contains(t, got[i], text, "chunk %d", i)
	}
}

func TestAnAnswerThatIsNotStreamedIsOneObject(t *testing.T) {
	model := stubmodel.Server{Plan: plan(stubmodel.Step{Text: "hi", Usage: stubmodel.Usage{Prompt: 7, Completion: 2}})}
	c := asking("go")
	c.Stream = false
	_, header, body, err := ask(t, &model, c)
	require.NoError(t, err)
	assert.Equal(t, "application/json", header.Get("Content-Type"))
	assert.JSONEq(t, `{"id":"chatcmpl-stub","object":"chat.completion","created":0,"model":"m",
		"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}`, body)
	assert.Equal(t, stubmodel.Usage{Prompt: 7, Completion: 2}, model.Charged(nil))
}

func TestTheStepFollowsFromTheAnswersInTheTurn(t *testing.T) {
	model := stubmodel.Server{Plan: func(r stubmodel.Request) []stubmodel.Step {
		return []stubmodel.Step{{Text: r.Prompt() + " 1"}, {Text: r.Prompt() + " 2"}}
	}}
	cases := []struct {
		name     string
		messages []map[string]any
		want     string
	}{
		{"a turn begins with its first step", []map[string]any{said("user", "a")}, "a 1"},
		{"after a tool's result comes the second", []map[string]any{said("user", "a"), said("assistant", ""), said("tool", "r")}, "a 2"},
		{"after the last step it is played again",
			[]map[string]any{said("user", "a"), said("assistant", ""), said("assistant", ""), said("assistant", "")}, "a 2"},
		{"the next prompt begins a turn", []map[string]any{said("user", "a"), said("assistant", "x"), said("user", "b")}, "b 1"},
		{"content may come in parts", []map[string]any{{"role": "user", "content": []map[string]any{{"type": "text", "text": "a"}, {"type": "text", "text": "b"}}}}, "ab 1"},
		{"content may be missing", []map[string]any{said("user", "a"), {"role": "assistant", "content": nil}, {"role": "tool"}}, "a 2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, _, body, err := ask(t, &model, chat{Model: "m", Stream: true, Messages: c.messages})
			require.NoError(t, err)
			assert.Contains(t, events(body)[0], `"content":"`+c.want+`"`)
		})
	}
}

func TestRequestsAreKeptAsTheyWereSent(t *testing.T) {
	var model stubmodel.Server
	c := asking("hello")
	c.session, c.key = "ses_1", "placeholder"
	c.Tools = []map[string]any{{"type": "function", "function": map[string]any{"name": "bash"}}}
	_, _, _, err := ask(t, &model, c)
	require.NoError(t, err)
	requests := model.Requests()
	require.Len(t, requests, 1)
	r := requests[0]
	assert.Equal(t, "m", r.Model)
	assert.Equal(t, "be brief", r.System())
	assert.Equal(t, "hello", r.Prompt())
	assert.Equal(t, []string{"bash"}, r.Tools)
	assert.Equal(t, "ses_1", r.Session())
	assert.Equal(t, "Bearer placeholder", r.Header.Get("Authorization"))
	assert.Contains(t, string(r.Body), `"be brief"`)
}

func TestUsageIsSummedApartForTitles(t *testing.T) {
	model := stubmodel.Server{
		Plan:       plan(stubmodel.Step{Text: "hi", Usage: stubmodel.Usage{Prompt: 10, Cached: 4, Completion: 3, Reasoning: 1}}),
		TitleUsage: stubmodel.Usage{Prompt: 1000},
	}
	title := chat{Model: "m", Stream: true, Messages: []map[string]any{
		said("user", "Generate a title for this conversation:\n"), said("user", "hello"),
	}}
	for _, c := range []chat{asking("a"), title, asking("b")} {
		_, _, _, err := ask(t, &model, c)
		require.NoError(t, err)
	}
	assert.Equal(t, stubmodel.Usage{Prompt: 20, Cached: 8, Completion: 6, Reasoning: 2}, model.Charged(nil))
	assert.Equal(t, stubmodel.Usage{Prompt: 1000}, model.Charged(stubmodel.Request.Title))
	assert.Equal(t, stubmodel.Usage{Prompt: 10, Cached: 4, Completion: 3, Reasoning: 1},
		model.Charged(func(r stubmodel.Request) bool { return r.Prompt() == "b" }))
}

func TestFailuresComeBeforeTheAnswer(t *testing.T) {
	model := stubmodel.Server{Plan: plan(stubmodel.Step{
		Text:     "hi",
		Usage:    stubmodel.Usage{Prompt: 10},
		Failures: []stubmodel.Failure{{Status: 429, RetryAfter: 2 * time.Second}, {Status: 500, Body: "<html>"}},
	})}
	for _, session := range []string{"one", "two"} {
		c := asking("a")
		c.session = session
		status, header, body, err := ask(t, &model, c)
		require.NoError(t, err)
		assert.Equal(t, 429, status)
		assert.Equal(t, "2", header.Get("Retry-After"))
		assert.Contains(t, body, `"error":{`)

		status, _, body, err = ask(t, &model, c)
		require.NoError(t, err)
		assert.Equal(t, 500, status)
		assert.Equal(t, "<html>", body)

		status, _, _, err = ask(t, &model, c)
		require.NoError(t, err)
		assert.Equal(t, 200, status, "the third try of session %s", session)
	}
	assert.Equal(t, stubmodel.Usage{Prompt: 20}, model.Charged(nil), "failures are not charged")
}

func TestKeysAndModelsAreChecked(t *testing.T) {
	model := stubmodel.Server{Key: "right", Models: []string{"m"}}
	c := asking("a")
	c.key = "wrong"
	status, _, body, err := ask(t, &model, c)
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.Contains(t, body, `"code":"invalid_api_key"`)
	assert.Empty(t, model.Requests())

	c.key, c.Model = "right", "other"
	status, _, body, err = ask(t, &model, c)
	require.NoError(t, err)
	assert.Equal(t, http.StatusNotFound, status)
	assert.Contains(t, body, `"code":"model_not_found"`)

	c.Model = "m"
	status, _, _, err = ask(t, &model, c)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status)
}

func TestBrokenAnswersAreNotCharged(t *testing.T) {
	cases := []struct {
		name string
		how  stubmodel.Damage
		// want are the beginnings of the events.
		want []string
		cut  bool
	}{
		{"garbage comes in the place of a chunk", stubmodel.Garbage, []string{`{"id":"chatcmpl`, `{"id": <garbage>`, `{"id":"chatcmpl`, `{"id":"chatcmpl`, `[DONE]`}, false},
		{"an end leaves out the rest", stubmodel.End, []string{`{"id":"chatcmpl`}, false},
		{"a cut drops the connection in a chunk", stubmodel.Cut, []string{`{"id":"chatcmpl`, `{"id":"chatcmpl`}, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			model := stubmodel.Server{Plan: plan(stubmodel.Step{
				Text: "abcd", ChunkBytes: 2, Usage: stubmodel.Usage{Prompt: 10}, Break: &stubmodel.Break{At: 1, How: c.how},
			})}
			_, _, body, err := ask(t, &model, asking("go"))
			assert.Equal(t, c.cut, err != nil, "the connection was dropped: %v", err)
			got := events(body)
			require.Len(t, got, len(c.want))
			for i, text := range c.want {
				assert.True(t, strings.HasPrefix(got[i], text), "chunk %d is %s", i, got[i])
			}
			if c.how != stubmodel.Garbage {
				assert.Zero(t, model.Charged(nil), "usage that was not told")
			}
		})
	}
}

func TestAnswersThatAreNotStreamedBreakToo(t *testing.T) {
	for how, wantCut := range map[stubmodel.Damage]bool{stubmodel.Garbage: false, stubmodel.End: false, stubmodel.Cut: true} {
		model := stubmodel.Server{Plan: plan(stubmodel.Step{Text: "hello", Break: &stubmodel.Break{How: how}, Usage: stubmodel.Usage{Prompt: 1}})}
		c := asking("go")
		c.Stream = false
		_, _, body, err := ask(t, &model, c)
		assert.Equal(t, wantCut, err != nil)
		assert.False(t, json.Valid([]byte(body)))
		assert.Zero(t, model.Charged(nil))
	}
}

func TestTextMayBeLongAndNoUTF8(t *testing.T) {
	const size = 5 << 20
	long := strings.Repeat("#", size)
	for name, text := range map[string]string{"long": long, "not UTF-8": "a\xff\"\\\n\xc3("} {
		t.Run(name, func(t *testing.T) {
			model := stubmodel.Server{Plan: plan(stubmodel.Step{Text: text, ChunkBytes: 1 << 16})}
			_, _, body, err := ask(t, &model, asking("go"))
			require.NoError(t, err)
			if name == "long" {
				assert.Equal(t, size, strings.Count(body, "#"))
				return
			}
			assert.Contains(t, events(body)[0], "\"content\":\"a\xff\\\"\\\\\\u000a\xc3(\"")
		})
	}
}

func TestAHangEndsWhenItIsReleased(t *testing.T) {
	release := make(chan struct{})
	reached := make(chan struct{})
	model := stubmodel.Server{Plan: func(stubmodel.Request) []stubmodel.Step {
		close(reached)
		return []stubmodel.Step{{Text: "abcd", ChunkBytes: 2, Hang: &stubmodel.Hang{Before: 1, Until: release}}}
	}}
	go func() {
		<-reached
		close(release)
	}()
	_, _, body, err := ask(t, &model, asking("go"))
	require.NoError(t, err)
	assert.Len(t, events(body), 5)
}

func TestAHangEndsWhenTheClientGoesAway(t *testing.T) {
	model := stubmodel.Server{Plan: plan(stubmodel.Step{Text: "abcd", ChunkBytes: 2, Hang: &stubmodel.Hang{Before: 1}})}
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		model.ServeHTTP(w, r)
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	body, err := json.Marshal(asking("go"))
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/v1/chat/completions", bytes.NewReader(body))
	require.NoError(t, err)
	response, err := server.Client().Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, line, `"content":"ab"`)
	cancel()
	<-done
	assert.Zero(t, model.Charged(nil))
}

func TestTimePassesWhereAStepAsksForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := stubmodel.Server{Plan: plan(stubmodel.Step{
			Text: "abcd", ChunkBytes: 2, Latency: 200 * time.Millisecond, Pause: 10 * time.Millisecond,
		})}
		body, err := json.Marshal(asking("go"))
		require.NoError(t, err)
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", bytes.NewReader(body))
		start := time.Now()
		model.ServeHTTP(httptest.NewRecorder(), request)
		assert.Equal(t, 240*time.Millisecond, time.Since(start), "four pauses between five chunks")
	})
}

func TestWhatIsNoRequestForACompletionIsRefused(t *testing.T) {
	var model stubmodel.Server
	cases := []struct {
		name, method, path, body string
		want                     int
	}{
		{"something that is not JSON", http.MethodPost, "/v1/chat/completions", "{", http.StatusBadRequest},
		{"content that is a number", http.MethodPost, "/v1/chat/completions", `{"messages":[{"role":"user","content":1}]}`, http.StatusBadRequest},
		{"another endpoint", http.MethodPost, "/v1/embeddings", "{}", http.StatusNotFound},
		{"a message that is not JSON", http.MethodPost, "/v1/messages", "{", http.StatusBadRequest},
		{"content of a message that is a number", http.MethodPost, "/v1/messages", `{"messages":[{"role":"user","content":1}]}`, http.StatusBadRequest},
		{"a result that is a number", http.MethodPost, "/v1/messages", `{"messages":[{"role":"user","content":[{"type":"tool_result","content":1}]}]}`, http.StatusBadRequest},
		{"a response to nothing", http.MethodPost, "/v1/responses", "{}", http.StatusBadRequest},
		{"the settings of a policy", http.MethodGet, "/api/claude_code/policy_limits", "", http.StatusNotFound},
		{"another method", http.MethodGet, "/v1/chat/completions", "", http.StatusNotFound},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			recorder := httptest.NewRecorder()
			model.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body)))
			assert.Equal(t, c.want, recorder.Code)
			assert.True(t, json.Valid(recorder.Body.Bytes()))
		})
	}
}

func TestAPlanThatIsNoJSONIsToldOf(t *testing.T) {
	model := stubmodel.Server{Plan: plan(stubmodel.Step{Calls: []stubmodel.Call{{Name: "bash", Arguments: func() {}}}})}
	status, _, body, err := ask(t, &model, asking("go"))
	require.NoError(t, err)
	assert.Equal(t, http.StatusInternalServerError, status)
	assert.Contains(t, body, "arguments of tool")
}

func TestListenServesUntilClosed(t *testing.T) {
	model := stubmodel.Server{Models: []string{"m"}, Plan: plan(stubmodel.Step{Hang: &stubmodel.Hang{}})}
	endpoint, err := model.Listen(t.Context())
	require.NoError(t, err)
	response, err := http.Get(endpoint.URL + "/models")
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.JSONEq(t, `{"object":"list","data":[{"id":"m","object":"model"}]}`, string(body))

	require.NoError(t, endpoint.Close())
	require.NoError(t, endpoint.Close())
	_, err = http.Get(endpoint.URL + "/models")
	require.Error(t, err)
}
