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
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/scenarios"
)

// recorder remembers requests. It is safe for concurrent use.
type recorder struct {
	mu       sync.Mutex
	requests []string
}

// note remembers a request without what does not matter: white space in GraphQL
// documents, the order of fields in bodies and of parameters.
func (r *recorder) note(t *testing.T, path string, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	assert.NoError(t, err)
	request.Body = io.NopCloser(bytes.NewReader(body))
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
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, strings.Join([]string{request.Method, path, request.URL.Query().Encode(), sorted(t, body)}, " "))
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
	s.to.note(s.t, path, r)
	return http.DefaultTransport.RoundTrip(r)
}

// play has the scripted agent play a scenario, and returns the commands that it
// claims to run and the requests that it sends.
func play(t *testing.T, place *target.Place, s scenario.Resolved, mode bench.Mode) (commands []string, sent *recorder) {
	t.Helper()
	sent = &recorder{}
	provider, err := scripted.New(scripted.Options{Pause: -1, HTTP: &http.Client{Transport: spy{t, env(place, "GITHUB_API_URL"), sent}}})
	require.NoError(t, err)
	session, err := provider.Start(t.Context(), agents.Setup{Mode: mode, Env: place.Env})
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
				var input struct{ Command string }
				require.NoError(t, json.Unmarshal(part.Tool.Input, &input))
				commands = append(commands, input.Command)
			}
		}
	}
	return commands, sent
}

// The commands of the scripted agents, run for real, send what their plans say:
// what is counted of a simulated run is what the real clients cost.
func TestPlansSendWhatTheirCommandsSend(t *testing.T) {
	sandbox := seededWith(t)
	library, err := scenario.Load(scenarios.Files)
	require.NoError(t, err)
	set, err := library.Set("pr-operations-all")
	require.NoError(t, err)
	for _, s := range set {
		for _, mode := range []bench.Mode{bench.AgentDirect, bench.GHX} {
			t.Run(s.ID+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
				gh, ghx := realtool.Find(t, realtool.GH()), realtool.Find(t, realtool.GHX())
				simulated, real := prepare(t, sandbox), prepare(t, sandbox)
				resolved, err := scenario.Resolve(s, simulated.Manifest)
				require.NoError(t, err)
				commands, planned := play(t, simulated, resolved, mode)

				sent := &recorder{}
				handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					sent.note(t, r.URL.Path, r)
					real.GitHub.ServeHTTP(w, r)
				})
				path := strings.Join([]string{filepath.Dir(gh), filepath.Dir(ghx), os.Getenv("PATH")}, string(os.PathListSeparator))
				tools := realtool.Open(t, handler, append(real.Env, "PATH="+path)...)
				for _, command := range commands {
					tools.Must(t, "/bin/sh", "-c", command)
				}
				assert.Equal(t, planned.sorted(), sent.sorted())
			})
		}
	}
}
