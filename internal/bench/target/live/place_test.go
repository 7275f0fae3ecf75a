package live_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/target/live"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const api = "https://api.github.com"

func TestAnAgentWorksWithAPlaceholder(t *testing.T) {
	r := newRig(t)
	p := r.place(t, target.Needs{Resources: []string{"issue"}, Token: "ghp_placeholder"})
	assert.Contains(t, p.Env, "GH_TOKEN=ghp_placeholder")
	assert.Contains(t, p.Env, "GITHUB_REPOSITORY=owner/hello")
	for _, entry := range p.Env {
		assert.NotContains(t, entry, agentToken)
	}
	r.world.As("owner").Do("POST", sandboxtest.Path+"/issues", `{"title":"another"}`)
	const page = sandboxtest.Path + "/issues?per_page=1"
	got := p.ask("GET", api+page, "")
	require.Equal(t, http.StatusOK, got.status, got.body)
	assert.Contains(t, got.header.Get("Link"), "<https://api.github.com/", "GitHub leads on to where the agent can go")
	assert.Equal(t, http.StatusUnauthorized, p.ask("GET", api+sandboxtest.Path, "", "Authorization", "token "+agentToken).status, "the real token is of no use to it")
	got = p.direct("GET", page, "")
	require.Equal(t, http.StatusOK, got.status, got.body)
	assert.Contains(t, got.header.Get("Link"), "<"+p.url+"/")
	got = p.direct("POST", "/graphql", `{"query":"{viewer{login}}"}`)
	assert.JSONEq(t, `{"data":{"viewer":{"login":"owner"}}}`, got.body)
}

func TestGitAndRawGoTheSameWay(t *testing.T) {
	r := newRig(t)
	p := r.place(t, target.Needs{})
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+p.token))
	got := p.ask("GET", "https://github.com/owner/hello.git/info/refs?service=git-receive-pack", "", "Authorization", basic)
	require.Equal(t, http.StatusOK, got.status, got.body)
	assert.Contains(t, got.body, "refs/heads/main")
	assert.Equal(t, http.StatusNotFound, p.ask("GET", "https://github.com/owner/secret.git/info/refs?service=git-upload-pack", "", "Authorization", basic).status)
	assert.Equal(t, "# hello\n", p.ask("GET", "https://raw.githubusercontent.com/owner/hello/main/README.md", "").body)
	assert.Equal(t, http.StatusNotFound, p.ask("GET", "https://raw.githubusercontent.com/owner/secret/main/README.md", "").status)
	assert.Equal(t, http.StatusNotFound, p.ask("GET", "https://gist.github.com/owner/1", "").status)
}

func TestS6CheckpointsReadWithAnotherTokenThanTheAgents(t *testing.T) {
	r := newRig(t)
	p := r.place(t, target.Needs{})
	assert.Equal(t, target.Access{RESTURL: r.world.URL, GraphQLURL: r.world.URL + "/graphql", Token: verifierToken}, p.Verifier)
}

func TestRequestsAreCountedOutsideTheAgent(t *testing.T) {
	r := newRig(t)
	p := r.place(t, target.Needs{})
	p.ask("GET", api+sandboxtest.Path, "")
	p.ask("GET", "https://raw.githubusercontent.com/owner/hello/main/README.md", "")
	p.direct("GET", sandboxtest.Path, "")
	p.graphQL("{viewer{login}}", "")
	p.ask("GET", "https://github.com/owner/hello.git/info/refs?service=git-upload-pack", "")
	p.ask("GET", api+"/repos/owner/secret", "")
	usage := p.Usage().Requests
	assert.Equal(t, 4, usage.REST, "with the one that was refused")
	assert.Equal(t, 1, usage.GraphQL)
	assert.Greater(t, usage.Bytes, int64(1000))
}

func TestAWriteIsToldBeforeTheAgentGetsItsAnswer(t *testing.T) {
	r := newRig(t)
	p := r.place(t, target.Needs{Resources: []string{"issue"}, Mutating: true})
	verifier := r.world.With(p.Verifier.Token)
	var seen []string
	p.OnWrite(func() { seen = append(seen, verifier.Get(sandboxtest.Path+"/issues/1").Text("title")) })
	p.ask("GET", api+sandboxtest.Path+"/issues/1", "")
	p.graphQL("query { viewer { login } }", "")
	assert.Empty(t, seen, "reading is no write")
	got := p.ask("PATCH", api+sandboxtest.Path+"/issues/1", `{"title":"over REST"}`)
	require.Equal(t, http.StatusOK, got.status, got.body)
	assert.Equal(t, []string{"over REST"}, seen)
	got = p.graphQL(`mutation($id: ID!) { updateIssue(input: {id: $id, title: "over GraphQL"}) { issue { title } } }`, `{"id":"`+r.issueNode+`"}`)
	assert.Contains(t, got.body, "over GraphQL")
	assert.Equal(t, []string{"over REST", "over GraphQL"}, seen)
	p.ask("PATCH", api+sandboxtest.Path+"/issues/99", `{"title":"nothing"}`)
	got = p.graphQL(`mutation($id: ID!) { __typename updateIssue(input: {id: $id, title: ""}) { issue { title } } }`, `{"id":"`+r.issueNode+`"}`)
	assert.Contains(t, got.body, `"errors"`)
	assert.Len(t, seen, 2, "what failed has changed nothing")
	p.graphQL(`mutation($id: ID!) { done: updateIssue(input: {id: $id, title: "in part"}) { issue { title } } failed: updateIssue(input: {id: $id, title: ""}) { issue { title } } }`, `{"id":"`+r.issueNode+`"}`)
	assert.Equal(t, []string{"in part"}, seen[2:], "one of two was done")
}

func TestFixturesArePutBackBeforeTheyMatter(t *testing.T) {
	r := newRig(t)
	use := func(needs target.Needs, write bool) {
		t.Helper()
		p := r.place(t, needs)
		if write {
			require.Equal(t, http.StatusOK, p.ask("PATCH", api+sandboxtest.Path+"/issues/1", `{"title":"x"}`).status)
		}
		require.NoError(t, p.Close())
	}
	use(target.Needs{Resources: []string{"issue", "pr"}}, false)
	assert.Empty(t, r.put(), "they are as seeded")
	use(target.Needs{Resources: []string{"issue"}, Mutating: true}, true)
	assert.Equal(t, [][]string{{"issue"}}, r.put(), "verified before an attempt that may change them")
	use(target.Needs{Resources: []string{"pr"}}, false)
	assert.Equal(t, [][]string{{"issue"}, {"pr"}}, r.put(), "the agent may have changed another one by mistake")
	use(target.Needs{Resources: []string{"pr"}}, false)
	assert.Len(t, r.put(), 2, "now it is known to be as seeded")
	use(target.Needs{Resources: []string{"issue", "pr"}}, false)
	assert.Equal(t, []string{"issue"}, r.put()[2], "only what was changed")
}

func TestAnAttemptThatMayChangeSomethingIsAlone(t *testing.T) {
	r := newRig(t)
	first, second := r.place(t, target.Needs{}), r.place(t, target.Needs{Worker: 1})
	prepared := make(chan *target.Place)
	go func() {
		p, err := r.Prepare(t.Context(), target.Needs{Resources: []string{"issue"}, Mutating: true})
		assert.NoError(t, err)
		prepared <- p
	}()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Prepare(ended, target.Needs{Resources: []string{"issue"}, Mutating: true})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, first.Close())
	assert.Empty(t, r.put(), "nothing is put back while another attempt is under way")
	require.NoError(t, second.Close())
	alone := <-prepared
	assert.Equal(t, [][]string{{"issue"}}, r.put())

	waiting := make(chan *target.Place)
	go func() {
		p, err := r.Prepare(t.Context(), target.Needs{Resources: []string{"pr"}})
		assert.NoError(t, err)
		waiting <- p
	}()
	require.NoError(t, alone.Close())
	require.NoError(t, alone.Close(), "a second time, which lets nobody in")
	require.NoError(t, (<-waiting).Close())
}

func TestWhatCannotBePrepared(t *testing.T) {
	r := newRig(t)
	_, err := r.Prepare(t.Context(), target.Needs{Resources: []string{"release"}})
	require.ErrorContains(t, err, `fixture resource "release" is not seeded in owner/hello`)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))

	r.mu.Lock()
	r.resetting = func(context.Context) error { return errors.New("GitHub is down") }
	r.mu.Unlock()
	_, err = r.Prepare(t.Context(), target.Needs{Resources: []string{"issue"}, Mutating: true})
	require.ErrorContains(t, err, "put fixtures back in owner/hello: GitHub is down")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	require.NoError(t, r.place(t, target.Needs{Resources: []string{"issue"}}).Close(), "nobody waits for the attempt that was not")

	require.NoError(t, r.Close())
	_, err = r.Prepare(t.Context(), target.Needs{})
	require.ErrorContains(t, err, "closed")
}

func TestAManifestThatChangesIsTheNextAttempts(t *testing.T) {
	r := newRig(t)
	r.mu.Lock()
	r.made = map[string]any{"number": 7}
	r.mu.Unlock()
	p := r.place(t, target.Needs{Resources: []string{"issue"}, Mutating: true})
	number, err := p.Manifest.Lookup("resources.issue.number")
	require.NoError(t, err)
	assert.Equal(t, 7, number)
	assert.Equal(t, p.Manifest, r.Manifest())
}

func TestWhatAnAgentHasMadeIsRemovedAfterItsAttempt(t *testing.T) {
	r := newRig(t)
	p := r.place(t, target.Needs{Resources: []string{"issue"}, Mutating: true})
	done := func(want int, got reply) {
		t.Helper()
		require.Equal(t, want, got.status, got.body)
	}
	done(201, p.ask("POST", api+sandboxtest.Path+"/issues", `{"title":"over REST"}`))
	done(201, p.direct("POST", sandboxtest.Path+"/labels", `{"name":"found","color":"ffffff"}`))
	done(201, p.ask("POST", api+sandboxtest.Path+"/milestones", `{"title":"one day"}`))
	head := r.world.As("owner").Get(sandboxtest.Path + "/git/ref/heads/main").Text("object.sha")
	done(201, p.ask("POST", api+sandboxtest.Path+"/git/refs", `{"ref":"refs/heads/branch","sha":"`+head+`"}`))
	done(201, p.ask("POST", api+sandboxtest.Path+"/releases", `{"tag_name":"v1","draft":true}`))
	done(201, p.ask("PUT", api+sandboxtest.Path+"/contents/x", `{"message":"x","content":"eA==","branch":"branch"}`))
	done(201, p.ask("POST", api+sandboxtest.Path+"/pulls", `{"title":"A change","head":"branch","base":"main"}`))
	repo := r.world.As("owner").Get(sandboxtest.Path).Text("node_id")
	done(200, p.graphQL(`mutation($r: ID!) { made: createIssue(input: {repositoryId: $r, title: "over GraphQL"}) { issue { id url } } }`, `{"r":"`+repo+`"}`))
	done(201, p.ask("POST", api+sandboxtest.Path+"/issues/1/comments", `{"body":"goes with its issue"}`))
	done(404, p.ask("POST", api+"/repos/owner/secret/issues", `{"title":"refused"}`))
	require.NoError(t, p.Close())
	require.Len(t, r.removed, 1)
	made := r.removed[0]
	require.Len(t, made, 7)
	assert.NotZero(t, made[4].Number)
	made[4].Number = 0
	assert.Equal(t, []live.Made{
		{Kind: live.MadeIssue, Number: 2}, {Kind: live.MadeLabel, Name: "found"}, {Kind: live.MadeMilestone, Number: 1},
		{Kind: live.MadeRef, Name: "refs/heads/branch"}, {Kind: live.MadeRelease, Name: "v1"}, {Kind: live.MadePull, Number: 3},
		{Kind: live.MadeIssue, Number: 4},
	}, made)
	require.NoError(t, r.place(t, target.Needs{Resources: []string{"issue"}, Mutating: true}).Close())
	assert.Len(t, r.removed, 1, "an attempt that made nothing leaves nothing")
}
