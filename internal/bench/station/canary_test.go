package station_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/station"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

const key = "sk-the-key-of-the-canary"

func TestN9AModelThatCallsToolsIsReady(t *testing.T) {
	stub := &stubmodel.Server{Key: key, Models: []string{"m"}}
	endpoint, err := stub.Listen(t.Context())
	require.NoError(t, err)
	defer endpoint.Close()
	require.NoError(t, station.TryModel(t.Context(), station.CanaryModel{BaseURL: endpoint.URL, Key: key, Name: "m", Protocol: station.ChatCompletions}))
	require.Len(t, stub.Requests(), 1)

	err = station.TryModel(t.Context(), station.CanaryModel{BaseURL: endpoint.URL, Key: "sk-another", KeyFrom: "the key in OPENAI_API_KEY", Name: "m", Protocol: station.ChatCompletions})
	require.ErrorContains(t, err, "refuses the API key (401")
	require.ErrorContains(t, err, "check that the key in OPENAI_API_KEY is right and may use model m")
	err = station.TryModel(t.Context(), station.CanaryModel{BaseURL: endpoint.URL, Key: key, Name: "nobody", Protocol: station.ChatCompletions})
	require.ErrorContains(t, err, "has no model nobody, or is not there (404")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

// Each protocol asks as its publisher's documents say, with the key where it takes
// it, and finds the call in the answer.
func TestN9TheProtocols(t *testing.T) {
	for name, c := range map[string]struct {
		protocol     station.Protocol
		header, path string
		calls, talks string
		has          []string
	}{
		"chat completions": {station.ChatCompletions, "Authorization", "/v1/chat/completions",
			`{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"report_ready","arguments":"{}"}}]}}]}`,
			`{"choices":[{"message":{"role":"assistant","content":"I would call report_ready."}}]}`,
			[]string{`"tool_choice":{"function":{"name":"report_ready"},"type":"function"}`, `"model":"m"`}},
		"responses": {station.Responses, "Authorization", "/v1/responses",
			`{"output":[{"type":"reasoning"},{"type":"function_call","name":"report_ready","arguments":"{}"}]}`,
			`{"output":[{"type":"message","content":[{"type":"output_text","text":"report_ready"}]}]}`,
			[]string{`"tool_choice":{"name":"report_ready","type":"function"}`, `"store":false`}},
		"messages": {station.Messages, "X-Api-Key", "/v1/messages",
			`{"content":[{"type":"text","text":"so"},{"type":"tool_use","id":"1","name":"report_ready","input":{}}]}`,
			`{"content":[{"type":"text","text":"report_ready"}]}`,
			[]string{`"tool_choice":{"name":"report_ready","type":"tool"}`, `"max_tokens":256`}},
	} {
		t.Run(name, func(t *testing.T) {
			answer := c.calls
			var asked *http.Request
			var body []byte
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = r
				body, _ = io.ReadAll(r.Body)
				_, _ = io.WriteString(w, answer)
			}))
			defer server.Close()
			m := station.CanaryModel{BaseURL: server.URL + "/v1", Key: key, Name: "m", Protocol: c.protocol}
			want := "Bearer " + key
			if c.header != "Authorization" {
				m.Header, want = c.header, key
				require.NoError(t, station.TryModel(t.Context(), m))
				assert.Equal(t, "2023-06-01", asked.Header.Get("Anthropic-Version"))
			}
			require.NoError(t, station.TryModel(t.Context(), m))
			assert.Equal(t, want, asked.Header.Get(c.header))
			assert.Equal(t, c.path, asked.URL.Path)
			assert.True(t, json.Valid(body))
			for _, part := range c.has {
				assert.Contains(t, string(body), part)
			}
			for _, answer = range []string{c.talks, strings.ReplaceAll(c.calls, "report_ready", "another"), "{}"} {
				err := station.TryModel(t.Context(), m)
				require.ErrorContains(t, err, "model m answered without calling the function", answer)
				assert.Equal(t, fault.Invalid, fault.KindOf(err))
			}
		})
	}
}

// The table of broken set-ups, as far as it is about models: each has a sentence
// of its own.
func TestN9WhatIsWrongWithTheModelIsNamed(t *testing.T) {
	answers := func(status int, body string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	dead := "http://" + l.Addr().String()
	require.NoError(t, l.Close())
	secured := httptest.NewTLSServer(http.NotFoundHandler())
	defer secured.Close()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		// The server sees that a client goes when it has read the request.
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer silent.Close()
	dropped := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer dropped.Close()
	for name, c := range map[string]struct {
		url  string
		want string
		kind fault.Kind
	}{
		"dead port":         {dead, "cannot be asked: the model's API refused the connection: see that it runs", fault.Infrastructure},
		"DNS failure":       {"http://no.such.host.bench", "the name of the model's API is not known", fault.Infrastructure},
		"TLS error":         {secured.URL, "the model's API has no valid certificate", fault.Infrastructure},
		"cut":               {dropped.URL, "the connection to the model's API was cut", fault.Infrastructure},
		"401":               {answers(401, `{"error":{"message":"key `+key+` is wrong"}}`), `refuses the API key (401: "key *** is wrong")`, fault.Invalid},
		"403":               {answers(403, "{}"), "refuses the API key (403)", fault.Invalid},
		"404":               {answers(404, `{"error":{"message":"no such model"}}`), `has no model m, or is not there (404: "no such model")`, fault.Invalid},
		"429 for ever":      {answers(429, "{}"), "answered 429 for 50ms: its limit or the account's money is used up", fault.Infrastructure},
		"500":               {answers(500, `{"error":{"message":"oh"}}`), `cannot answer now (500: "oh"): try later`, fault.Infrastructure},
		"no tools":          {answers(400, `{"error":{"message":"tools are not supported"}}`), `refuses a short question to model m with a function to call (400: "tools are not supported")`, fault.Invalid},
		"a redirect":        {answers(302, ""), "(302)", fault.Invalid},
		"something else":    {answers(200, "<html>It works!</html>"), "not as the API of a model does", fault.Invalid},
		"answers nothing":   {silent.URL, "gave no answer to a short question within 50ms", fault.Infrastructure},
		"a URL that is bad": {"http://[::1", "cannot be asked", fault.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			limit := 10 * time.Second
			if strings.Contains(c.want, "50ms") {
				limit = 50 * time.Millisecond
			}
			if name == "500" {
				limit = 100 * time.Millisecond
			}
			err := station.TryModel(t.Context(), station.CanaryModel{BaseURL: c.url, Key: key, Name: "m", Protocol: station.ChatCompletions, Limit: limit, Pause: time.Millisecond})
			require.Error(t, err)
			assert.NotContains(t, err.Error(), key)
			assert.Equal(t, c.kind, fault.KindOf(err))
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestN9AnAPIThatIsBusyIsAskedAgain(t *testing.T) {
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if tries++; tries < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `{"output":[{"type":"function_call","name":"report_ready"}]}`)
	}))
	defer server.Close()
	require.NoError(t, station.TryModel(t.Context(), station.CanaryModel{BaseURL: server.URL, Name: "m", Protocol: station.Responses, Pause: time.Millisecond}))
	assert.Equal(t, 3, tries)
}

func TestN9WhatABusyAPIHasSaidIsTold(t *testing.T) {
	asked := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !asked {
			asked = true
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done() // the time is up
	}))
	defer server.Close()
	err := station.TryModel(t.Context(), station.CanaryModel{BaseURL: server.URL, Name: "m", Protocol: station.Responses, Limit: 50 * time.Millisecond, Pause: time.Millisecond})
	require.ErrorContains(t, err, "answered 429")
}

func TestN9AStopIsNoFailureOfTheModel(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel(stopped)
		<-r.Context().Done()
	}))
	defer server.Close()
	require.ErrorIs(t, station.TryModel(ctx, station.CanaryModel{BaseURL: server.URL, Name: "m", Protocol: station.Responses}), stopped)
}
