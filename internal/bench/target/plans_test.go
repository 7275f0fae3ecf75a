package target_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	agents "github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/scenarios"
)

// recorder remembers requests. It is safe for concurrent use.
type recorder struct {
	mu       sync.Mutex
	requests []string
}

// note remembers a request without what does not matter: white space in GraphQL
// documents, the order of fields in bodies and of parameters, and the keys that
// GitHub leads to logs with.
func (r *recorder) note(t *testing.T, path string, request *http.Request) {
	var body []byte
	var err error
	if request.Body != nil { // that of a request that was led on is nil
		body, err = io.ReadAll(request.Body)
		assert.NoError(t, err)
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	var graphql struct {
		Query     string
		Variables map[string]any
	}
	if json.Unmarshal(body, &graphql) == nil && graphql.Query != "" {
		body, err = json.Marshal(map[string]any{"variables": graphql.Variables, "query": strings.Join(strings.Fields(graphql.Query), "")})
		if len(graphql.Variables) == 0 {
			body, err = json.Marshal(strings.Join(strings.Fields(graphql.Query), ""))
		}
		assert.NoError(t, err)
		path = "graphql"
	}
	query := request.URL.Query()
	query.Del("token")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, strings.Join([]string{request.Method, path, query.Encode(), sorted(t, body)}, " "))
}

// sorted is a JSON text with its fields in order.
func sorted(t *testing.T, text []byte) string {
	if len(text) == 0 {
		return ""
	}
	var value any
	assert.NoError(t, json.Unmarshal(text, &value))
	encoded, err := json.Marshal(value)
	assert.NoError(t, err)
	return string(encoded)
}

func (r *recorder) sorted() []string { return slices.Sorted(slices.Values(r.requests)) }

// spy is a transport whose requests are remembered.
type spy struct {
	t    *testing.T
	base string
	to   *recorder
}

func (s spy) RoundTrip(r *http.Request) (*http.Response, error) {
	path := strings.TrimPrefix("http://"+r.URL.Host+r.URL.Path, s.base)
	// What real clients have from another host.
	if elsewhere, found := strings.CutPrefix(path, "/_downloads/"); found {
		path = elsewhere[strings.Index(elsewhere, "/"):]
	}
	s.to.note(s.t, path, r)
	return http.DefaultTransport.RoundTrip(r)
}

// use is how an agent claims to have used a tool.
type use struct {
	tool    string
	command string
	args    map[string]any
}

// play has the scripted agent play a scenario, and returns how it claims to use
// its tools and the requests that it sends.
func play(t *testing.T, place *target.Place, s scenario.Resolved, chosen scripted.Play) (uses []use, sent *recorder) {
	t.Helper()
	sent = &recorder{}
	provider, err := scripted.New(scripted.Options{Pause: -1, HTTP: &http.Client{Transport: spy{t, env(place, "GITHUB_API_URL"), sent}}})
	require.NoError(t, err)
	session, err := provider.Playing(chosen.Alternative).Start(t.Context(), agents.Setup{Mode: chosen.Mode, Env: place.Env})
	require.NoError(t, err)
	_, err = session.Prompt(t.Context(), agents.Prompt{
		Text: s.Prompt, Play: agents.Play{ScenarioID: s.Scenario.ID, Input: s.Input, Iteration: 1, Attempt: 1},
	})
	require.NoError(t, err)
	transcript, err := session.Transcript(t.Context())
	require.NoError(t, err)
	for _, m := range transcript.Messages {
		for _, part := range m.Parts {
			if part.Type == agents.PartTool {
				used := use{tool: part.Tool.Name}
				require.NoError(t, json.Unmarshal(part.Tool.Input, &used.args))
				used.command, _ = used.args["command"].(string)
				uses = append(uses, used)
			}
		}
	}
	return uses, sent
}

// newerServer are scenarios whose plays over MCP need a newer server than 0.20,
// which is tested with: one that resolves threads and shows their ids.
var newerServer = []string{"unresolved-threads-of-many-001", "resolve-answered-threads-wf-001", "reply-in-one-thread-001"}

// The tools that the scripted agents claim to use, used for real, send what
// their plans say: what is counted of a simulated run is what the real clients
// cost.
func TestPlansSendWhatTheirToolsSend(t *testing.T) {
	testkit.NeedComplete(t)
	sandbox := seededWith(t)
	sandbox.FindWorlds(func(name string) (*world.World, error) { return world.Load(scenarios.Files, name) }, nil)
	library, err := scenario.Load(scenarios.Files)
	require.NoError(t, err)
	provider, err := scripted.New(scripted.Options{Pause: -1})
	require.NoError(t, err)
	for _, name := range []string{"pr-operations-all", "ci-evidence"} {
		set, err := library.Set(name)
		require.NoError(t, err)
		for _, s := range set {
			for _, chosen := range provider.Plays(s.ID) {
				if chosen.Mode == bench.MCP && (name != "ci-evidence" || slices.Contains(newerServer, s.ID)) {
					continue
				}
				t.Run(strings.TrimSuffix(s.ID+"/"+string(chosen.Mode)+"/"+chosen.Alternative, "/"), func(t *testing.T) {
					t.Parallel()
					places := [2]*target.Place{}
					for i := range places {
						var err error
						places[i], err = sandbox.Prepare(t.Context(), target.Needs{World: s.World()})
						require.NoError(t, err)
					}
					resolved, err := scenario.Resolve(s, places[0].Manifest)
					require.NoError(t, err)
					uses, planned := play(t, places[0], resolved, chosen)
					assert.Equal(t, planned.sorted(), really(t, places[1], chosen.Mode, uses).sorted())
				})
			}
		}
	}
}

// really uses the tools, and returns the requests that they send.
func really(t *testing.T, place *target.Place, mode bench.Mode, uses []use) *recorder {
	t.Helper()
	sent := &recorder{}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent.note(t, r.URL.Path, r)
		place.GitHub.ServeHTTP(w, r)
	})
	if mode == bench.MCP {
		program := realtool.Find(t, realtool.MCPServer())
		bench := realtool.Open(t, handler, append(place.Env, "GITHUB_PERSONAL_ACCESS_TOKEN="+env(place, "GH_TOKEN"))...)
		server := realtool.OpenMCP(t, bench, program, "stdio", "--toolsets", "default,actions")
		for _, used := range uses {
			server.Call(used.tool, used.args)
		}
		return sent
	}
	path := []string{filepath.Dir(realtool.Find(t, realtool.GH()))}
	if mode == bench.GHX || mode == bench.GHXBase {
		path = append(path, filepath.Dir(realtool.Find(t, realtool.GHX())))
	}
	tools := realtool.Open(t, handler, append(place.Env, "PATH="+strings.Join(append(path, os.Getenv("PATH")), string(os.PathListSeparator)))...)
	for _, used := range uses {
		tools.Must(t, "/bin/sh", "-c", used.command)
	}
	return sent
}
