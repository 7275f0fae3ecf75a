package scripted_test

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
)

// fakeGitHub answers requests from a table and remembers them.
type fakeGitHub struct {
	// bodies are responses by "METHOD path", or by the GraphQL document, with
	// "status!" before them if that is not 200. What is not there is answered
	// with 404.
	bodies map[string]string

	mu       sync.Mutex
	requests []*http.Request
	sent     []string
}

func (f *fakeGitHub) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.requests, f.sent = append(f.requests, r), append(f.sent, string(body))
	f.mu.Unlock()
	key := r.Method + " " + r.URL.RequestURI()
	if r.URL.Path == "/graphql" {
		key, _, _ = strings.Cut(strings.TrimPrefix(string(body), `{"query":"`), `"`)
	}
	status, answer := http.StatusOK, f.bodies[key]
	if answer == "" {
		status, answer = http.StatusNotFound, `{"message":"Not Found"}`
	}
	if code, rest, coded := strings.Cut(answer, "!"); coded {
		status, err = strconv.Atoi(code)
		answer = rest
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, err
}

var demoEnv = []string{
	"GITHUB_API_URL=http://github.test", "GITHUB_GRAPHQL_URL=http://github.test/graphql", "GH_TOKEN=secret", "GITHUB_REPOSITORY=o/r",
}

// demoPlan looks at a repository and opens an issue in it.
const demoPlan = `{
  "scenario": "demo-001",
  "wrong_object": { "find": "/repos/{{.repo}}/titles", "input": "{title: .found[0]}" },
  "modes": {
    "agent_direct": {
      "turns": [
        {
          "think": "I look.",
          "tool": "bash",
          "command": "gh api repos/{{.repo}}",
          "calls": [{ "as": "repo", "path": "/repos/{{.repo}}" }]
        },
        {
          "tool": "bash",
          "command": "gh issue create --title {{.input.title | @sh}}",
          "calls": [
            { "path": "/user" },
            { "as": "issue", "method": "POST", "path": "/repos/{{.repo}}/issues", "body": "{title: .input.title}" }
          ],
          "shows": ".r.issue.url"
        }
      ],
      "answer": "{ok: true, data: {number: .r.issue.number}, error: null, meta: {}}"
    },
    "mcp": {
      "turns": [
        {
          "tool": "issue_write",
          "arguments": "{repo: .repo, title: .input.title}",
          "calls": [
            { "as": "id", "query": "query{id}" },
            { "method": "POST", "path": "/repos/{{.repo}}/issues", "body": "{title: .input.title}" }
          ]
        }
      ],
      "answer": "\"opened\""
    },
    "ghx": {
      "route": "graphql",
      "turns": [
        {
          "tool": "bash",
          "command": "ghx run issue.create",
          "calls": [
            { "as": "repo", "query": "query Repo", "variables": "{repo: .repo}" },
            { "as": "issue", "query": "mutation Create", "variables": "{id: .r.repo.id, title: .input.title}" }
          ]
        }
      ],
      "answer": "{ok: true, data: .r.issue, error: null, meta: {route_used: .route}}"
    },
    "ghx@base": {
      "route": "cli",
      "turns": [{ "tool": "bash", "command": "ghx run issue.create", "calls": [{ "query": "query Repo" }] }],
      "answer": "{ok: true, data: {}, error: null, meta: {route_used: .route}}"
    }
  }
}`

func demoGitHub() *fakeGitHub {
	return &fakeGitHub{bodies: map[string]string{
		"GET /repos/o/r":         `{"id": 7}`,
		"GET /user":              `{"login": "me"}`,
		"POST /repos/o/r/issues": `201!{"number": 12, "url": "https://github.test/o/r/issues/12"}`,
		"GET /repos/o/r/titles":  `["Another title"]`,
		"query{id}":              `{"data": {"id": "R_1"}}`,
		"query Repo":             `{"data": {"id": "R_1"}}`,
		"mutation Create":        `{"data": {"number": 12}}`,
	}}
}

// demo is a session that plays the demo plan on a fake GitHub.
type demo struct {
	github  *fakeGitHub
	session agent.Session
	events  []agent.Event
}

func newDemo(t *testing.T, mode bench.Mode, options scripted.Options) *demo {
	t.Helper()
	d := &demo{github: demoGitHub()}
	if options.Plans == nil {
		options.Plans = fstest.MapFS{"demo-001.json": {Data: []byte(demoPlan)}}
	}
	options.HTTP = &http.Client{Transport: d.github}
	provider, err := scripted.New(options)
	require.NoError(t, err)
	d.session, err = provider.Start(t.Context(), agent.Setup{Mode: mode, Env: demoEnv, Instructions: "12345"})
	require.NoError(t, err)
	return d
}

// withoutPause are options of an agent that takes no time.
func withoutPause(kinds ...scripted.Kind) scripted.Options {
	options := scripted.Options{Pause: -1}
	for _, kind := range kinds {
		options.Faults = append(options.Faults, scripted.Fault{Kind: kind})
	}
	return options
}

func demoPlay() agent.Play {
	return agent.Play{ScenarioID: "demo-001", Input: map[string]any{"title": "A title"}, Iteration: 1, Attempt: 1}
}

// prompt prompts the agent and remembers what is heard of it.
func (d *demo) prompt(ctx context.Context, text string) (string, error) {
	turn, err := d.session.Prompt(ctx, agent.Prompt{
		Text: text, Play: demoPlay(), OnEvent: func(e agent.Event) { d.events = append(d.events, e) },
	})
	return turn.Text, err
}

func (d *demo) transcript(t *testing.T) agent.Transcript {
	t.Helper()
	transcript, err := d.session.Transcript(t.Context())
	require.NoError(t, err)
	return transcript
}

// tools returns the uses of tools in a transcript.
func tools(transcript agent.Transcript) []agent.ToolCall {
	var calls []agent.ToolCall
	for _, m := range transcript.Messages {
		for _, p := range m.Parts {
			if p.Tool != nil {
				calls = append(calls, *p.Tool)
			}
		}
	}
	return calls
}
