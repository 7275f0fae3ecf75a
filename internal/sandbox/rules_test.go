package sandbox_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestScopesOfClassicTokens(t *testing.T) {
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		private := s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "private", Private: true})
		require.NoError(t, s.PushInitial(repo.OwnerID, private, []gitstore.Change{{Path: "a", Content: []byte("x")}}, "first"))
	})
	const private = "/repos/owner/private"
	for name, c := range map[string]struct {
		scopes []string
		// The statuses of reading and writing a public and a private one.
		public, publicWrite, private, privateWrite int
	}{
		"repo":             {[]string{"repo"}, 200, 201, 200, 201},
		"public_repo":      {[]string{"public_repo"}, 200, 201, 404, 404},
		"others":           {[]string{"read:org"}, 200, 404, 404, 404},
		"none":             {[]string{}, 200, 404, 404, 404},
		"no classic token": {nil, 200, 201, 200, 201},
	} {
		t.Run(name, func(t *testing.T) {
			w.AddToken(name, sandbox.Token{User: "owner", Scopes: c.scopes})
			as, issue := w.With(name), map[string]any{"title": "x"}
			assert.Equal(t, []int{c.public, c.publicWrite, c.private, c.privateWrite}, []int{
				as.Get(sandboxtest.Path).Status, as.Do("POST", sandboxtest.Path+"/issues", issue).Status,
				as.Get(private).Status, as.Do("POST", private+"/issues", issue).Status,
			})
		})
	}
}

func TestMutationsOfApps(t *testing.T) {
	w := newAppWorld(t)
	issue := w.As("owner").Do("POST", sandboxtest.Path+"/issues", map[string]any{"title": "x"})
	const closing = `mutation($id: ID!) { closeIssue(input: {issueId: $id}) { issue { state } } }`
	const merging = `mutation($id: ID!) { mergePullRequest(input: {pullRequestId: $id}) { clientMutationId } }`
	for name, c := range map[string]struct {
		permissions map[string]string
		document    string
		want        string
	}{
		"what it may write":             {map[string]string{"issues": "write"}, closing, ""},
		"what it may read":              {map[string]string{"issues": "read"}, closing, "FORBIDDEN"},
		"what it has no permission for": {map[string]string{"issues": "write"}, merging, "FORBIDDEN"},
	} {
		t.Run(name, func(t *testing.T) {
			reply := w.token(t, map[string]any{"permissions": c.permissions}).GraphQL(c.document, "id", issue.Text("node_id"))
			assert.Equal(t, c.want, reply.Text("errors.0.type"), reply.Body)
		})
	}
}

// A pull request into a protected branch is merged when its rule is met.
func TestProtectedBranches(t *testing.T) {
	w := newAppWorld(t)
	owner, writer := w.As("owner"), w.As("writer")
	var pull *model.Issue
	w.Change(func(s *model.State, repo *model.Repo) {
		main, _ := s.BranchHead(repo, "main")
		require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/f", main))
		for _, branch := range []string{"f", "main"} {
			_, err := s.WriteFile(repo.OwnerID, repo, model.FileWrite{Path: branch + ".txt", Content: []byte("x"), Branch: branch, Message: "m"})
			require.NoError(t, err)
		}
		var err error
		pull, err = s.OpenPull(s.User("writer").ID, repo, model.NewPull{Title: "x", Head: "f", Base: "main"})
		require.NoError(t, err)
	})
	const protection = sandboxtest.Path + "/branches/main/protection"
	assert.Equal(t, "Branch not protected", owner.Get(protection).Text("message"))
	assert.Equal(t, http.StatusNotFound, writer.Get(protection).Status, "it is for administrators")
	_, _, err := owner.REST.Repositories.UpdateBranchProtection(t.Context(), sandboxtest.Owner, sandboxtest.Name, "main", &github.ProtectionRequest{
		EnforceAdmins:              true,
		RequiredStatusChecks:       &github.RequiredStatusChecks{Strict: true, Contexts: &[]string{"bench"}},
		RequiredPullRequestReviews: &github.PullRequestReviewsEnforcementRequest{RequiredApprovingReviewCount: 1},
	})
	require.NoError(t, err)
	assert.Equal(t, []any{"bench", true, 1}, []any{
		owner.Get(protection).Text("required_status_checks.contexts.0"), owner.Get(protection).At("required_status_checks.strict"),
		owner.Get(protection).Int("required_pull_request_reviews.required_approving_review_count"),
	})
	incomplete := owner.Do("PUT", protection, map[string]any{"enforce_admins": true})
	assert.Equal(t, http.StatusUnprocessableEntity, incomplete.Status)

	merge := func() sandboxtest.Reply { return owner.Do("PUT", sandboxtest.Path+"/pulls/1/merge", map[string]any{}) }
	gate := w.token(t, nil)
	pass := func() {
		reply := gate.Do("POST", sandboxtest.Path+"/check-runs", map[string]any{"name": "bench", "head_sha": pull.Pull.HeadSHA, "conclusion": "success"})
		require.Equal(t, http.StatusCreated, reply.Status, reply.Body)
	}
	assert.Equal(t, `Required status check "bench" is expected. At least 1 approving review is required by reviewers with write access.`, merge().Text("message"))
	pass()
	assert.Equal(t, "At least 1 approving review is required by reviewers with write access.", merge().Text("message"))
	require.Equal(t, http.StatusOK, owner.Do("POST", sandboxtest.Path+"/pulls/1/reviews", map[string]any{"event": "APPROVE"}).Status)
	assert.Equal(t, "Head branch is out of date. Review and try the merge again.", merge().Text("message"))
	require.Equal(t, http.StatusAccepted, writer.Do("PUT", sandboxtest.Path+"/pulls/1/update-branch", nil).Status)
	assert.Equal(t, `Required status check "bench" is expected.`, merge().Text("message"), "the new head has no check")
	pass()
	assert.Equal(t, http.StatusOK, merge().Status)
	assert.Equal(t, http.StatusNoContent, owner.Do("DELETE", protection, nil).Status)
}

func TestThePrimaryLimit(t *testing.T) {
	w := sandboxtest.New(t)
	clock := &clock{model.Epoch.Add(time.Hour)}
	w.Use(sandbox.Outside{Now: clock.now})
	writer, other := w.As("writer"), w.As("owner")
	w.EnforceLimits(sandbox.Limits{Core: 3, GraphQL: 2})
	first := writer.Get("/user")
	assert.Equal(t, []string{"3", "2", "1"}, []string{first.Header.Get("X-RateLimit-Limit"), first.Header.Get("X-RateLimit-Remaining"), first.Header.Get("X-RateLimit-Used")})
	assert.Equal(t, http.StatusNotModified, writer.Get("/user", "If-None-Match", first.Header.Get("ETag")).Status)
	assert.Equal(t, "1", writer.Get("/user").Header.Get("X-RateLimit-Remaining"), "what is not modified is not counted")
	assert.Equal(t, 2, writer.Get("/rate_limit").Int("resources.core.used"), "nor is the question for the limit")
	writer.Get("/user")
	_, _, err := writer.REST.Users.Get(t.Context(), "")
	limited := &github.RateLimitError{}
	require.ErrorAs(t, err, &limited)
	assert.Equal(t, clock.at.Add(time.Hour).Unix(), limited.Rate.Reset.Unix())
	assert.Equal(t, http.StatusOK, other.Get("/user").Status, "each token has its own")

	const ask = `{ rateLimit { cost limit remaining used } viewer { login } }`
	assert.Equal(t, []int{1, 2, 1, 1}, func() []int {
		r := writer.GraphQL(ask)
		return []int{r.Int("data.rateLimit.cost"), r.Int("data.rateLimit.limit"), r.Int("data.rateLimit.remaining"), r.Int("data.rateLimit.used")}
	}())
	writer.GraphQL(ask)
	assert.Equal(t, "RATE_LIMITED", writer.GraphQL(ask).Text("errors.0.type"))
	clock.at = clock.at.Add(time.Hour)
	assert.Equal(t, http.StatusOK, writer.Get("/user").Status, "after an hour it begins anew")
}

func TestTheSecondaryLimits(t *testing.T) {
	w := sandboxtest.New(t)
	clock := &clock{model.Epoch.Add(time.Hour)}
	w.Use(sandbox.Outside{Now: clock.now})
	writer := w.As("writer")
	w.EnforceLimits(sandbox.Limits{Content: 2, RESTPoints: 14})
	for n := range 2 {
		_, err := openIssue(t, writer, fmt.Sprint(n))
		require.NoError(t, err)
	}
	clock.at = clock.at.Add(20 * time.Second)
	_, err := openIssue(t, writer, "too much content")
	limited := &github.AbuseRateLimitError{}
	require.ErrorAs(t, err, &limited)
	assert.Equal(t, 40*time.Second, limited.GetRetryAfter())
	statuses := []int{}
	for range 5 {
		statuses = append(statuses, writer.Get("/user").Status)
	}
	assert.Equal(t, []int{200, 200, 200, 200, 403}, statuses, "reading costs one point, writing five")
	clock.at = clock.at.Add(40 * time.Second)
	later := writer.Do("POST", sandboxtest.Path+"/issues", map[string]any{"title": "later"})
	assert.Equal(t, http.StatusCreated, later.Status, later.Body)
}

func TestTheCostOfQueries(t *testing.T) {
	w := sandboxtest.New(t)
	for document, want := range map[string][]int{
		`{ rateLimit { cost nodeCount } }`: {1, 0},
		`{ rateLimit { cost nodeCount } repository(owner: "owner", name: "hello") { issues(first: 10) { nodes { labels(first: 5) { nodes { name } } } } } }`:                                                         {1, 60},
		`{ rateLimit { cost nodeCount } viewer { repositories(first: 100) { nodes { issues(first: 50) { nodes { labels(first: 60) { nodes { name } } } } } } } }`:                                                    {51, 305100},
		`query($n: Int = 100) { rateLimit { cost nodeCount } viewer { repositories(first: $n) { nodes { ...f } } } } fragment f on Repository { issues(last: 100) { nodes { comments(first: 1) { totalCount } } } }`: {101, 20100},
	} {
		reply := w.As("writer").GraphQL(document)
		assert.Equal(t, want, []int{reply.Int("data.rateLimit.cost"), reply.Int("data.rateLimit.nodeCount")}, document)
	}
}
