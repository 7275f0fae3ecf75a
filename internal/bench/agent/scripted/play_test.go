package scripted_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestAPlanIsPlayedByRealRequests(t *testing.T) {
	d := newDemo(t, bench.AgentDirect, withoutPause())
	answer, err := d.prompt(t.Context(), "do it!")
	require.NoError(t, err)
	assert.Equal(t, `{"data":{"number":12},"error":null,"meta":{},"ok":true}`, answer)

	var requests []string
	for i, r := range d.github.requests {
		requests = append(requests, r.Method+" "+r.URL.String()+" "+d.github.sent[i])
	}
	assert.Equal(t, []string{
		"GET http://github.test/repos/o/r ",
		"GET http://github.test/user ",
		`POST http://github.test/repos/o/r/issues {"title":"A title"}`,
	}, requests)

	calls := tools(d.transcript(t))
	require.Len(t, calls, 2)
	assert.JSONEq(t, `{"command":"gh api repos/o/r"}`, string(calls[0].Input))
	assert.Equal(t, `{"id": 7}`, calls[0].Output, "without shows, the body as it came")
	assert.JSONEq(t, `{"command":"gh issue create --title 'A title'"}`, string(calls[1].Input))
	assert.Equal(t, "https://github.test/o/r/issues/12", calls[1].Output)
	assert.Equal(t, []agent.Event{
		agent.EventAnswer, agent.EventToolStart, agent.EventToolEnd,
		agent.EventProgress, agent.EventToolStart, agent.EventToolEnd, agent.EventProgress,
	}, d.events)
}

func TestTokensFollowFromBytes(t *testing.T) {
	d := newDemo(t, bench.AgentDirect, withoutPause())
	_, err := d.prompt(t.Context(), "do it!")
	require.NoError(t, err)
	_, err = d.prompt(t.Context(), "again")
	require.NoError(t, err)

	var got []bench.Tokens
	for _, m := range d.transcript(t).Messages {
		if m.Role == agent.Assistant {
			got = append(got, m.Tokens)
		}
	}
	want := []bench.Tokens{
		// 5 bytes of instructions and 6 of the prompt are new; 7 are thought;
		// the tool's input has 30.
		{Input: 3, Reasoning: 2, Output: 8, Total: 13},
		// The response had 9, and 48 are known. The tool's input has 47, the
		// request's body 19.
		{Input: 3, CacheRead: 12, Output: 17, Total: 32},
		// The responses had 15 and 58, and 48+9+66 are known. The answer has 55.
		{Input: 19, CacheRead: 31, Output: 14, Total: 64},
		// The second prompt has 5, and 123+73+55 are known.
		{Input: 2, CacheRead: 63, Output: 14, Total: 79},
	}
	assert.Equal(t, want, got)
	assert.Zero(t, agent.Measure(d.transcript(t)).Cost, "the runner prices tokens")
}

func TestClientsIntroduceThemselvesAsTheRealOnes(t *testing.T) {
	tests := []struct {
		mode    bench.Mode
		want    []string
		wantAPI string
	}{
		{bench.AgentDirect, []string{"GitHub CLI 2.62.0 token secret", "GitHub CLI 2.62.0 token secret", "GitHub CLI 2.62.0 token secret"}, ""},
		{bench.MCP, []string{"github-mcp-server/0.20.0 Bearer secret", "github-mcp-server/0.20.0 Bearer secret"}, "2022-11-28"},
		{bench.GHX, []string{"ghx Bearer secret", "ghx Bearer secret"}, ""},
		{bench.GHXBase, []string{"GitHub CLI 2.62.0 token secret"}, ""},
	}
	for _, tt := range tests {
		t.Run("mode "+string(tt.mode), func(t *testing.T) {
			d := newDemo(t, tt.mode, withoutPause())
			_, err := d.prompt(t.Context(), "do it!")
			require.NoError(t, err)
			var got []string
			for _, r := range d.github.requests {
				got = append(got, r.Header.Get("User-Agent")+" "+r.Header.Get("Authorization"))
			}
			assert.Equal(t, tt.want, got)
			last := d.github.requests[len(d.github.requests)-1]
			assert.Equal(t, tt.wantAPI, last.Header.Get("X-GitHub-Api-Version"))
		})
	}
}

func TestACallAsksForTheMediaTypeThatItNames(t *testing.T) {
	const diff = "diff --git a/a b/a\n"
	options := withoutPause()
	options.Plans = plansOf(map[string]string{"demo-001.json": `{
  "scenario": "demo-001",
  "modes": { "mcp": {
    "turns": [{ "tool": "read", "arguments": "{}", "calls": [{ "as": "diff", "path": "/diff", "accept": "application/vnd.github.v3.diff" }] }],
    "answer": ".r.diff"
  } }
}`})
	d := newDemo(t, bench.MCP, options)
	d.github.bodies["GET /diff"] = diff
	answer, err := d.prompt(t.Context(), "do it!")
	require.NoError(t, err)
	assert.Equal(t, []string{"application/vnd.github.v3.diff"}, d.github.requests[0].Header.Values("Accept"))
	assert.Equal(t, diff, answer)
}

func TestAPromptOfTheSameAttemptIsAnsweredAgainWithoutTools(t *testing.T) {
	d := newDemo(t, bench.AgentDirect, withoutPause())
	first, err := d.prompt(t.Context(), "do it!")
	require.NoError(t, err)
	again, err := d.prompt(t.Context(), "where is the envelope?")
	require.NoError(t, err)
	assert.Equal(t, first, again)
	assert.Len(t, d.github.requests, 3, "nothing is done twice")
}

func TestAFailedRequestFailsTheToolCallAndTheAnswerSaysSo(t *testing.T) {
	tests := []struct {
		name, body      string
		wantTool        string
		wantCode        string
		wantMessage     string
		wantIsRetryable bool
	}{
		{"not found", "", "HTTP 404: Not Found", "NOT_FOUND", "Not Found", false},
		{"a bad token", `401!{"message":"Bad credentials"}`, "HTTP 401: Bad credentials", "AUTH", "Bad credentials", false},
		{"a missing right", `403!{"message":"Must have admin rights"}`, "HTTP 403: Must have admin rights", "AUTH", "Must have admin rights", false},
		{"a rate limit", `403!{"message":"API rate limit exceeded"}`, "HTTP 403: API rate limit exceeded", "RATE_LIMIT", "API rate limit exceeded", true},
		{"too many requests", `429!{}`, "HTTP 429: Too Many Requests", "RATE_LIMIT", "Too Many Requests", true},
		{"a wrong value", `422!{"message":"Validation Failed"}`, "HTTP 422: Validation Failed", "VALIDATION", "Validation Failed", false},
		{"a state that does not allow it", `405!{"message":"Pull Request is not mergeable"}`, "HTTP 405: Pull Request is not mergeable", "UNKNOWN", "Pull Request is not mergeable", false},
		{"a broken server", `502!<html>`, "HTTP 502: Bad Gateway", "SERVER", "Bad Gateway", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDemo(t, bench.AgentDirect, withoutPause())
			d.github.bodies["GET /repos/o/r"] = tt.body
			answer, err := d.prompt(t.Context(), "do it!")
			require.NoError(t, err, "the agent goes on")
			env, found := envelope.Extract(answer)
			require.True(t, found)
			assert.Empty(t, envelope.Check(env, bench.Assertions{ExpectedErrorCode: bench.ErrorCodes{tt.wantCode}}))
			failure := env.Value("error").(map[string]any)
			assert.Equal(t, tt.wantMessage, failure["message"])
			assert.Equal(t, tt.wantIsRetryable, failure["retryable"])

			calls := tools(d.transcript(t))
			require.Len(t, calls, 1, "what would come next is not done")
			assert.Equal(t, tt.wantTool, calls[0].Error)
		})
	}
}

func TestGraphQLErrorsFailTheToolCall(t *testing.T) {
	tests := []struct {
		name, body, wantCode string
	}{
		{"a type", `{"data":null,"errors":[{"type":"NOT_FOUND","message":"Could not resolve to a Repository"}]}`, "NOT_FOUND"},
		{"a text alone", `{"data":null,"errors":[{"message":"Could not resolve to a node"}]}`, "NOT_FOUND"},
		{"a right that is missing", `{"data":null,"errors":[{"type":"FORBIDDEN","message":"no"}]}`, "AUTH"},
		{"a rate limit", `{"errors":[{"type":"RATE_LIMITED","message":"slow down"}]}`, "RATE_LIMIT"},
		{"a refused change", `{"data":null,"errors":[{"type":"UNPROCESSABLE","message":"Pull request is closed"}]}`, "VALIDATION"},
		{"a query that is none", `{"errors":[{"message":"Field 'x' doesn't exist on type 'Query'"}]}`, "UNKNOWN"},
		{"no JSON", `<html>`, "SERVER"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDemo(t, bench.GHX, withoutPause())
			d.github.bodies["query Repo"] = tt.body
			answer, err := d.prompt(t.Context(), "do it!")
			require.NoError(t, err)
			env, _ := envelope.Extract(answer)
			assert.Empty(t, envelope.Check(env, bench.Assertions{ExpectedErrorCode: bench.ErrorCodes{tt.wantCode}, ExpectedRouteUsed: "graphql"}))
			assert.Len(t, d.github.requests, 1)
		})
	}
}

func TestANetworkThatIsDownFailsTheToolCall(t *testing.T) {
	provider, err := scripted.New(scripted.Options{Pause: -1, HTTP: &http.Client{Transport: brokenNetwork{}}})
	require.NoError(t, err)
	session, err := provider.Start(t.Context(), agent.Setup{Mode: bench.MCP, Env: demoEnv})
	require.NoError(t, err)
	turn, err := session.Prompt(t.Context(), agent.Prompt{Play: agent.Play{
		ScenarioID: "issue-view-001", Input: map[string]any{"owner": "o", "name": "r", "issueNumber": 1}, Iteration: 1,
	}})
	require.NoError(t, err)
	env, _ := envelope.Extract(turn.Text)
	assert.Empty(t, envelope.Check(env, bench.Assertions{ExpectedErrorCode: bench.ErrorCodes{"NETWORK"}}))
}

type brokenNetwork struct{}

func (brokenNetwork) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("connection reset")
}

func TestTheAgentPausesBeforeEveryMessage(t *testing.T) {
	tests := []struct {
		name    string
		options scripted.Options
		want    time.Duration
	}{
		{"by default", scripted.Options{}, 3 * scripted.DefaultPause},
		{"as it is told", scripted.Options{Pause: time.Second}, 3 * time.Second},
		{"ten times as long if it is slow", scripted.Options{Faults: []scripted.Fault{{Kind: scripted.Slow}}}, 30 * scripted.DefaultPause},
		{"not at all", scripted.Options{Pause: -1}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.options.Now = time.Now
				d := newDemo(t, bench.AgentDirect, tt.options)
				start := time.Now()
				_, err := d.prompt(t.Context(), "do it!")
				require.NoError(t, err)
				assert.Equal(t, tt.want, time.Since(start))
				timing := agent.Measure(d.transcript(t)).Timing
				require.NotNil(t, timing)
				assert.InDelta(t, tt.want.Seconds()*1000, timing.AssistantTotalMS, 1e-6, "the transcript tells the same")
			})
		})
	}
}

func TestWithoutAClockTheTranscriptTellsNoTimes(t *testing.T) {
	d := newDemo(t, bench.AgentDirect, withoutPause())
	_, err := d.prompt(t.Context(), "do it!")
	require.NoError(t, err)
	assert.Nil(t, agent.Measure(d.transcript(t)).Timing)
}

func TestAContextThatEndsStopsThePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDemo(t, bench.AgentDirect, scripted.Options{Pause: time.Hour})
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(90*time.Minute, func() { cancel(cause) })
		start := time.Now()
		_, err := d.prompt(ctx, "do it!")
		require.ErrorIs(t, err, cause)
		assert.Equal(t, 90*time.Minute, time.Since(start))
		assert.Len(t, tools(d.transcript(t)), 1, "what was done before is in the transcript")
	})
}

func TestAContextThatEndsStopsARequest(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	provider, err := scripted.New(scripted.Options{Pause: -1, HTTP: &http.Client{Transport: cancelling{func() { cancel(cause) }}}})
	require.NoError(t, err)
	session, err := provider.Start(ctx, agent.Setup{Mode: bench.MCP, Env: demoEnv})
	require.NoError(t, err)
	_, err = session.Prompt(ctx, agent.Prompt{Play: agent.Play{ScenarioID: "issue-view-001", Input: map[string]any{}, Iteration: 1}})
	require.ErrorIs(t, err, cause)
	transcript, err := session.Transcript(ctx)
	require.NoError(t, err)
	calls := tools(transcript)
	require.Len(t, calls, 1)
	assert.NotEmpty(t, calls[0].Error, "the tool call broke off")
}

// cancelling is a network on which requests hang once they have ended their
// own context.
type cancelling struct{ cancel func() }

func (c cancelling) RoundTrip(r *http.Request) (*http.Response, error) {
	c.cancel()
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestAScenarioWithoutAPlanSaysHowToWriteOne(t *testing.T) {
	tests := []struct {
		name, scenario string
		mode           bench.Mode
		want           string
	}{
		{"no plan", "pr-merge-002", bench.GHX, `play scenario "pr-merge-002" in mode ghx: there is no plan: write pr-merge-002.json with modes.ghx, as internal/bench/agent/scripted/plans/schema.json describes: did you mean "pr-merge-001"?`},
		{"no such mode", "half-001", bench.MCP, `play scenario "half-001" in mode mcp: its plan has no mode mcp: add modes.mcp to half-001.json, as internal/bench/agent/scripted/plans/schema.json describes`},
	}
	half := strings.Replace(demoPlan[:strings.Index(demoPlan, `    "mcp"`)]+"}}", "demo-001", "half-001", 1)
	half = strings.Replace(half, "},\n}}", "}\n}}", 1)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			options := withoutPause()
			options.Plans = plansOf(map[string]string{"half-001.json": half})
			d := newDemo(t, tt.mode, options)
			_, err := d.session.Prompt(t.Context(), agent.Prompt{Play: agent.Play{ScenarioID: tt.scenario}})
			require.EqualError(t, err, tt.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func TestModeGHXBasePlaysThePlanOfGHXUnlessItHasItsOwn(t *testing.T) {
	own := newDemo(t, bench.GHXBase, withoutPause())
	answer, err := own.prompt(t.Context(), "do it!")
	require.NoError(t, err)
	assert.Contains(t, answer, `"route_used":"cli"`)

	options := withoutPause()
	options.Plans = plansOf(map[string]string{"demo-001.json": demoPlan[:strings.Index(demoPlan, `,`+"\n"+`    "ghx@base"`)] + "}}"})
	other := newDemo(t, bench.GHXBase, options)
	answer, err = other.prompt(t.Context(), "do it!")
	require.NoError(t, err)
	assert.Contains(t, answer, `"route_used":"graphql"`)
}

func TestAnEnvironmentWithoutATargetIsRefused(t *testing.T) {
	provider, err := scripted.New(scripted.Options{})
	require.NoError(t, err)
	_, err = provider.Start(t.Context(), agent.Setup{Mode: bench.GHX, Env: []string{demoEnv[0], demoEnv[1], "GH_TOKEN=", demoEnv[3]}})
	require.EqualError(t, err, "the agent's environment has no GH_TOKEN: a scripted agent needs a target that sets it")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestG15TheAgentSaysThatNoModelIsInvolved(t *testing.T) {
	provider, err := scripted.New(scripted.Options{})
	require.NoError(t, err)
	info := provider.Describe()
	assert.True(t, info.Simulated)
	assert.Equal(t, "scripted/plan-v1", info.Model.Key())
	assert.Nil(t, info.Price)
}
