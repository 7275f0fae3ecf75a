package live_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/target/live"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// The tokens that GitHub knows, none of which an agent gets to see.
const (
	agentToken    = "ghp_the-real-token-of-the-agent"
	verifierToken = "ghp_the-real-token-of-the-verifier"
)

// otherRepo is another repository of the same owner, private.
const otherRepo = "secret"

// rig is a target on another sandbox, which it reaches over HTTP.
type rig struct {
	*live.Target
	world *sandboxtest.World
	// other and otherNode are ids of the other repository and of its issue.
	otherID              model.ID
	otherNode, issueNode string

	mu sync.Mutex
	// resets are the resources that were put back, call by call.
	resets [][]string
	// resetting, if set, is called during each.
	resetting func(context.Context) error
	// removed is what agents have made, attempt by attempt.
	removed [][]live.Made
	// made, if set, takes the place of the issue.
	made map[string]any
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{world: sandboxtest.New(t)}
	var id int64
	require.NoError(t, r.world.Setup(func(s *model.State) error {
		repo := s.Repo(sandboxtest.Owner, sandboxtest.Name)
		id = repo.ID
		other := s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: otherRepo, Private: true})
		r.otherID = other.ID
		return s.PushInitial(repo.OwnerID, other, nil, "first")
	}))
	owner := r.world.As(sandboxtest.Owner)
	r.issueNode = owner.Do("POST", sandboxtest.Path+"/issues", `{"title":"an issue"}`).Text("node_id")
	r.otherNode = owner.Do("POST", "/repos/owner/"+otherRepo+"/issues", `{"title":"a secret"}`).Text("node_id")
	require.NotEmpty(t, r.otherNode)
	for token, login := range map[string]string{agentToken: sandboxtest.Owner, verifierToken: "reader"} {
		r.world.AddToken(token, sandbox.Token{User: login, Scopes: []string{"repo"}})
	}
	fixed := func(token string) live.Tokens {
		return func(context.Context) (string, error) { return token, nil }
	}
	var err error
	r.Target, err = live.New(live.Options{
		Manifest: bench.Manifest{
			Version: bench.ManifestVersion,
			Repo:    bench.ManifestRepo{Owner: sandboxtest.Owner, Name: sandboxtest.Name, FullName: "owner/hello", DefaultBranch: "main"},
			Resources: map[string]map[string]any{
				"issue": {"number": 1, "id": r.issueNode}, "pr": {"number": 2, "id": "PR_2"}, "project": {"owner": "owner", "number": 1}, "metadata": {"seed_id": "x"},
			},
		},
		RepositoryID: id, RESTURL: r.world.URL, GraphQLURL: r.world.URL + "/graphql",
		Agent: fixed(agentToken), Verifier: fixed(verifierToken), Reset: r.reset,
		Remove: func(_ context.Context, made []live.Made) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.removed = append(r.removed, made)
			return nil
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// reset notes what is put back.
func (r *rig) reset(ctx context.Context, m bench.Manifest, resources []string) (bench.Manifest, error) {
	r.mu.Lock()
	r.resets = append(r.resets, slices.Clone(resources))
	resetting, made := r.resetting, r.made
	r.mu.Unlock()
	if made != nil {
		m.Resources = maps.Clone(m.Resources)
		m.Resources["issue"] = made
	}
	if resetting != nil {
		return m, resetting(ctx)
	}
	return m, nil
}

func (r *rig) put() [][]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.resets)
}

// place prepares a place, which is closed with the test.
func (r *rig) place(t *testing.T, needs target.Needs) *agentPlace {
	t.Helper()
	p, err := r.Prepare(t.Context(), needs)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	a := &agentPlace{Place: p, t: t}
	for _, entry := range p.Env {
		if value, ok := strings.CutPrefix(entry, "GH_TOKEN="); ok {
			a.token = value
		}
		if value, ok := strings.CutPrefix(entry, "GITHUB_API_URL="); ok {
			a.url = value
		}
	}
	return a
}

// agentPlace is a place as its agent sees it.
type agentPlace struct {
	*target.Place
	token, url string
	t          *testing.T
}

// reply is an answer that an agent got.
type reply struct {
	status int
	header http.Header
	body   string
}

// ask asks as an agent's tools do: of one of GitHub's names, which leads to
// the place through a proxy.
func (a *agentPlace) ask(method, address, body string, headers ...string) reply {
	a.t.Helper()
	r := httptest.NewRequestWithContext(a.t.Context(), method, address, strings.NewReader(body))
	r.Header.Set("Authorization", "token "+a.token)
	r.Header.Set("User-Agent", "agent")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	a.GitHub.ServeHTTP(answer, r)
	return reply{answer.Code, answer.Header(), answer.Body.String()}
}

// graphQL runs a document. Variables are JSON.
func (a *agentPlace) graphQL(document, variables string) reply {
	a.t.Helper()
	if variables == "" {
		variables = "{}"
	}
	text, err := json.Marshal(document)
	require.NoError(a.t, err)
	return a.ask("POST", "https://api.github.com/graphql", `{"query":`+string(text)+`,"variables":`+variables+`}`)
}

// direct asks at the place's own address, as a scripted agent does.
func (a *agentPlace) direct(method, path, body string) reply {
	a.t.Helper()
	r, err := http.NewRequestWithContext(a.t.Context(), method, a.url+path, strings.NewReader(body))
	require.NoError(a.t, err)
	r.Header.Set("Authorization", "Bearer "+a.token)
	response, err := http.DefaultClient.Do(r)
	require.NoError(a.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(a.t, err)
	return reply{response.StatusCode, response.Header, string(text)}
}
