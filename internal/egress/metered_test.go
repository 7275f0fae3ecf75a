package egress_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// asks are a request of each protocol. The first %STREAM% says whether its answer
// is to be streamed.
var asks = map[string]string{
	"/chat/completions": `{"model":"m","stream":%STREAM%,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"go"}]}`,
	"/messages?beta=1":  `{"model":"m","stream":%STREAM%,"max_tokens":9,"messages":[{"role":"user","content":"go"}]}`,
	"/responses":        `{"model":"m","stream":%STREAM%,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}]}`,
}

func stubbed(t *testing.T) (*stubmodel.Server, *rig) {
	t.Helper()
	model := &stubmodel.Server{Plan: func(stubmodel.Request) []stubmodel.Step {
		return []stubmodel.Step{{Text: "Hello", Usage: stubmodel.Usage{Prompt: 100, Cached: 40, Completion: 20, Reasoning: 5}}}
	}}
	upstream := httptest.NewServer(model)
	t.Cleanup(upstream.Close)
	return model, serve(t, egress.Options{Model: &egress.Model{BaseURL: upstream.URL + "/v1", Key: key}})
}

func TestN12WhatAnswersUsedIsCountedOutsideOfTheAgent(t *testing.T) {
	for path, body := range asks {
		for _, streamed := range []string{"true", "false"} {
			t.Run(strings.Trim(path, "/")+" streamed "+streamed, func(t *testing.T) {
				model, p := stubbed(t)
				var used bench.Tokens
				a := p.BeginWatched(nil, egress.ModelWatch{Used: func(more bench.Tokens) { used = used.Add(more) }})
				for range 3 {
					do(t, p.client(t), http.MethodPost, p.ModelURL()+path, strings.Replace(body, "%STREAM%", streamed, 1))
				}
				u := a.Usage()
				require.Equal(t, 3, u.Model)
				assert.Equal(t, []int{3, 3}, []int{u.Answers, u.Told})
				assert.Equal(t, model.Charged(nil).Total(), u.Tokens.Total, "as many as the model charges")
				assert.Equal(t, int64(3*40), u.Tokens.CacheRead)
				assert.Equal(t, u.Tokens, used)
			})
		}
	}
}

func TestN12NoOtherAnswerCounts(t *testing.T) {
	model, p := stubbed(t)
	model.Plan = func(stubmodel.Request) []stubmodel.Step {
		return []stubmodel.Step{{Text: "Hello", Failures: []stubmodel.Failure{{Status: 500}}}}
	}
	a := p.Begin(nil)
	for path, method := range map[string]string{"/models": http.MethodGet, "/messages/count_tokens": http.MethodPost, "/chat/completions": http.MethodPost} {
		do(t, p.client(t), method, p.ModelURL()+path, strings.Replace(asks["/chat/completions"], "%STREAM%", "true", 1))
	}
	assert.Zero(t, a.Usage().Answers, "neither of failures, nor of what asks no model")
}

func TestN12AnAnswerThatDoesNotTellIsCounted(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "data: {\"choices\":[],\"usage\":null}\n\ndata: [DONE]\n\n")
	}))
	defer upstream.Close()
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: upstream.URL + "/v1"}})
	a := p.Begin(nil)
	do(t, p.client(t), http.MethodPost, p.ModelURL()+"/chat/completions", "{}")
	assert.Equal(t, []int{1, 0}, []int{a.Usage().Answers, a.Usage().Told})
}

func TestN12TheCallThatABudgetDoesNotAllowIsRefused(t *testing.T) {
	model, p := stubbed(t)
	var mu sync.Mutex
	var used int64
	p.BeginWatched(nil, egress.ModelWatch{
		Used: func(more bench.Tokens) { mu.Lock(); used += more.Total; mu.Unlock() },
		Allow: func() error {
			mu.Lock()
			defer mu.Unlock()
			if used >= 240 {
				return fault.Invalidf("the budget is used up")
			}
			return nil
		},
	})
	var statuses []int
	for range 4 {
		response := do(t, p.client(t), http.MethodPost, p.ModelURL()+"/chat/completions", strings.Replace(asks["/chat/completions"], "%STREAM%", "true", 1))
		statuses = append(statuses, response.status)
		if response.status != http.StatusOK {
			assert.Contains(t, response.body, "the budget is used up")
		}
	}
	assert.Equal(t, []int{200, 200, 402, 402}, statuses)
	assert.Len(t, model.Requests(), 2)
}
