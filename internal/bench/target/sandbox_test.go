package target_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gh "github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.CollectLess()
	os.Exit(m.Run())
}

// seeded is a sandbox with all fixtures.
func seeded(t testing.TB) *target.Sandbox {
	t.Helper()
	return seededWith(t)
}

// sparse is a sandbox with one fixture of each kind, so that lists are short.
func sparse(t testing.TB) *target.Sandbox {
	t.Helper()
	return seededWith(t, "issue", "workflow_run", "pr_mergeable", "pr_with_reviews", "release", "project", "org_project")
}

// seededWith is a sandbox with the named fixtures, or with all there are.
func seededWith(t testing.TB, resources ...string) *target.Sandbox {
	t.Helper()
	sandbox, err := target.NewSandbox(nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = sandbox.Close() })
	_, err = verify.SeedSandbox(t.Context(), sandbox, fixture.Options{
		Repo: target.FixturesRepo, SeedID: "default", RunID: "run", Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Resources: resources,
	})
	require.NoError(t, err)
	return sandbox
}

func prepare(t testing.TB, sandbox *target.Sandbox, resources ...string) *target.Place {
	t.Helper()
	place, err := sandbox.Prepare(t.Context(), target.Needs{Resources: resources})
	require.NoError(t, err)
	return place
}

// env returns the value of a variable of a place's environment.
func env(place *target.Place, name string) string {
	for _, entry := range place.Env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

func agentClient(t testing.TB, place *target.Place) *github.Client {
	t.Helper()
	c, err := github.New(github.Options{
		RESTURL: env(place, "GITHUB_API_URL"), GraphQLURL: env(place, "GITHUB_GRAPHQL_URL"), Token: env(place, "GH_TOKEN"),
	})
	require.NoError(t, err)
	return c
}

func verifier(t testing.TB, place *target.Place) *github.Client {
	t.Helper()
	c, err := verify.Client(place.Verifier)
	require.NoError(t, err)
	return c
}

func issues(t testing.TB, c *github.Client) int {
	t.Helper()
	all, _, err := c.REST.Issues.ListByRepo(t.Context(), target.Owner, target.FixturesName, nil)
	require.NoError(t, err)
	return len(all)
}

func TestPlacesAreIndependent(t *testing.T) {
	sandbox := seeded(t)
	one, other := prepare(t, sandbox, "issue"), prepare(t, sandbox, "issue")
	before := issues(t, agentClient(t, other))
	_, _, err := agentClient(t, one).REST.Issues.Create(t.Context(), target.Owner, target.FixturesName, &gh.IssueRequest{Title: gh.String("x")})
	require.NoError(t, err)
	assert.Equal(t, before+1, issues(t, verifier(t, one)))
	assert.Equal(t, before, issues(t, verifier(t, other)))
	assert.Equal(t, before, issues(t, agentClient(t, prepare(t, sandbox))), "a later place is as seeded")

	assert.NotEqual(t, env(one, "GH_TOKEN"), env(other, "GH_TOKEN"))
	lost, err := github.New(github.Options{RESTURL: env(one, "GITHUB_API_URL"), Token: env(other, "GH_TOKEN")})
	require.NoError(t, err)
	_, response, err := lost.REST.Users.Get(t.Context(), "")
	require.Error(t, err)
	assert.Equal(t, http.StatusUnauthorized, response.StatusCode, "the token of one place is nothing in another")
}

// A world that starts now is the seeded one, as long ago as before: an agent that
// asks its machine for the date finds it to be that of GitHub.
func TestAPlaceStartsNow(t *testing.T) {
	sandbox := seededWith(t, "issue", "pr_mergeable")
	seededAt := sandbox.Manifest().Resources["pr_mergeable"]
	then := prepare(t, sandbox, "pr_mergeable")
	now := time.Date(2031, 3, 4, 5, 6, 7, 89, time.UTC)
	sandbox.StartNow(func() time.Time { return now })
	place := prepare(t, sandbox, "pr_mergeable")

	shifted := place.Manifest.Resources["pr_mergeable"]
	assert.NotEqual(t, seededAt["head_sha"], shifted["head_sha"])
	assert.Equal(t, seededAt["number"], shifted["number"])
	number := int(bench.WholeNumber(shifted["number"]))
	created := func(place *target.Place) (*gh.PullRequest, *gh.Response, *gh.RepositoryCommit) {
		client := agentClient(t, place)
		pull, response, err := client.REST.PullRequests.Get(t.Context(), target.Owner, target.FixturesName, number)
		require.NoError(t, err)
		commit, _, err := client.REST.Repositories.GetCommit(t.Context(), target.Owner, target.FixturesName, pull.GetHead().GetSHA(), nil)
		require.NoError(t, err)
		return pull, response, commit
	}
	old, before, oldCommit := created(then)
	pull, response, commit := created(place)
	assert.Equal(t, shifted["head_sha"], pull.GetHead().GetSHA())
	date := func(r *gh.Response) time.Time {
		at, err := http.ParseTime(r.Header.Get("Date"))
		require.NoError(t, err)
		return at
	}
	assert.Equal(t, now.Truncate(time.Second), date(response), "the header is by the world's clock")
	ago := date(before).Sub(old.GetCreatedAt().Time)
	assert.Equal(t, ago, date(response).Sub(pull.GetCreatedAt().Time))
	assert.Equal(t, old.GetCreatedAt().Sub(oldCommit.GetCommit().GetAuthor().GetDate().Time), pull.GetCreatedAt().Sub(commit.GetCommit().GetAuthor().GetDate().Time))
	merged, _, err := agentClient(t, place).REST.PullRequests.Merge(t.Context(), target.Owner, target.FixturesName, number, "", &gh.PullRequestOptions{SHA: pull.GetHead().GetSHA()})
	require.NoError(t, err)
	assert.True(t, merged.GetMerged())
	found, _, err := agentClient(t, place).REST.Search.Issues(t.Context(), "repo:"+target.FixturesRepo+" created:>2031-02-25", nil)
	require.NoError(t, err)
	assert.Positive(t, found.GetTotal(), "issues of the last week")
	again, _, _ := created(prepare(t, sandbox, "pr_mergeable"))
	assert.Equal(t, pull.GetHead().GetSHA(), again.GetHead().GetSHA(), "equal times make equal worlds")
}

func TestS6TheVerifierIsNotTheAgent(t *testing.T) {
	place := prepare(t, seeded(t))
	for client, login := range map[*github.Client]string{agentClient(t, place): target.Agent, verifier(t, place): target.Verifier} {
		user, _, err := client.REST.Users.Get(t.Context(), "")
		require.NoError(t, err)
		assert.Equal(t, login, user.GetLogin())
	}
}

func TestTheEnvironmentHasWhatAnAgentMayHave(t *testing.T) {
	place := prepare(t, seeded(t))
	var names []string
	for _, entry := range place.Env {
		name, value, ok := strings.Cut(entry, "=")
		assert.True(t, ok && value != "", entry)
		names = append(names, name)
		assert.NotContains(t, value, place.Verifier.Token)
	}
	slices.Sort(names)
	assert.Equal(t, []string{"GH_TOKEN", "GITHUB_API_URL", "GITHUB_GRAPHQL_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN"}, names)
	assert.Regexp(t, `^ghp_[A-Za-z0-9]{36}$`, env(place, "GH_TOKEN"))
	assert.Equal(t, "aryeko/ghx-bench-fixtures", env(place, "GITHUB_REPOSITORY"))
	assert.Equal(t, env(place, "GITHUB_API_URL"), place.Verifier.RESTURL)
}

func TestR7UsageIsTheAgentsAlone(t *testing.T) {
	timed := seeded(t)
	timed.Time(time.Now)
	place := prepare(t, timed)
	assert.Zero(t, place.Usage())
	issues(t, verifier(t, place))
	assert.Zero(t, place.Usage(), "what the verifier asks does not count")
	issues(t, agentClient(t, place))
	require.NoError(t, agentClient(t, place).GraphQL(t.Context(), `{ viewer { login } }`, nil, nil))
	usage := place.Usage()
	assert.Equal(t, []int{1, 1}, []int{usage.Requests.REST, usage.Requests.GraphQL})
	assert.Positive(t, usage.Requests.Bytes)
	assert.Empty(t, usage.RefusedHosts)
	requests := place.Requests()
	require.Len(t, requests, 2, "those that are counted")
	assert.Equal(t, "GET /repos/bench-fixtures/sandbox/issues", strings.ReplaceAll(requests[0].What, place.Manifest.Repo.FullName, "bench-fixtures/sandbox"))
	assert.Equal(t, "query", requests[1].What)
	for _, r := range requests {
		assert.Equal(t, http.StatusOK, r.Status)
		assert.WithinDuration(t, time.Now(), r.At, time.Minute, "the machine's time, as the agent's transcript has it")
	}
}

func TestS20WhatTheSandboxLacksIsTold(t *testing.T) {
	place := prepare(t, seeded(t))
	require.NotNil(t, place.Unsupported)
	for _, client := range []*github.Client{verifier(t, place), agentClient(t, place)} {
		assert.Empty(t, place.Unsupported(), "what the verifier asks does not count")
		require.Error(t, client.GraphQL(t.Context(), `{ viewer { sponsors(first: 1) { totalCount } } }`, nil, nil))
	}
	assert.Equal(t, []string{"User.sponsors"}, place.Unsupported())
}

func TestWritesAreWatched(t *testing.T) {
	place := prepare(t, seeded(t))
	writes := 0
	place.OnWrite(func() { writes++ })
	issues(t, agentClient(t, place))
	assert.Zero(t, writes)
	_, _, err := agentClient(t, place).REST.Issues.CreateComment(t.Context(), target.Owner, target.FixturesName, 1, &gh.IssueComment{Body: gh.String("x")})
	require.NoError(t, err)
	assert.Equal(t, 1, writes)
}

func TestUnknownResources(t *testing.T) {
	for name, sandbox := range map[string]*target.Sandbox{"seeded": seeded(t), "empty": func() *target.Sandbox {
		sandbox, err := target.NewSandbox(nil)
		require.NoError(t, err)
		return sandbox
	}()} {
		_, err := sandbox.Prepare(t.Context(), target.Needs{Resources: []string{"gist"}})
		assert.EqualError(t, err, "fixture resource \"gist\" is not seeded: run `bench fixtures seed`, or add --seed-if-missing", name)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	}
}

func TestClosing(t *testing.T) {
	sandbox := seeded(t)
	first, second := prepare(t, sandbox), prepare(t, sandbox)
	gone := func(place *target.Place) bool {
		_, err := http.Get(place.Verifier.RESTURL)
		return err != nil
	}
	require.NoError(t, first.Close())
	assert.NoError(t, first.Close(), "twice is fine")
	assert.True(t, gone(first))
	assert.False(t, gone(second), "the other place goes on")
	require.NoError(t, sandbox.Close())
	assert.True(t, gone(second))
	assert.NoError(t, sandbox.Close())
	assert.NoError(t, second.Close(), "late is fine")
	_, err := sandbox.Prepare(t.Context(), target.Needs{})
	assert.EqualError(t, err, "the sandbox is closed")
}

func TestPlacesAtTheSameTime(t *testing.T) {
	sandbox := seeded(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			place, err := sandbox.Prepare(t.Context(), target.Needs{Resources: []string{"pr"}})
			if assert.NoError(t, err) {
				issues(t, agentClient(t, place))
				assert.NoError(t, place.Close())
			}
		})
	}
	all.Wait()
}

func TestSandboxesInFiles(t *testing.T) {
	sandbox := seeded(t)
	manifest := sandbox.Manifest()
	var snapshot bytes.Buffer
	require.NoError(t, sandbox.Save(&snapshot))
	loaded, err := target.LoadSandbox(snapshot.Bytes(), manifest)
	require.NoError(t, err)
	defer loaded.Close()
	assert.Equal(t, manifest, loaded.Manifest())
	place := prepare(t, loaded, "workflow_run", "pr_thread")
	states, err := fixture.Status(t.Context(), verifier(t, place), place.Manifest)
	require.NoError(t, err)
	for _, s := range states {
		assert.True(t, s.OK, "%s: %s", s.Resource, s.Detail)
	}

	manifest.Repo.Name = "other"
	for want, data := range map[string][]byte{
		"it is not a sandbox snapshot":                                   []byte("x"),
		"it has no repository aryeko/other, which the manifest is about": snapshot.Bytes(),
	} {
		_, err = target.LoadSandbox(data, manifest)
		assert.ErrorContains(t, err, want)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	}
	world, err := emptyWorld()
	require.NoError(t, err)
	_, err = target.LoadSandbox(world, sandbox.Manifest())
	assert.EqualError(t, err, `it has no account "aryeko"`)
}

func TestSeedingKeysEndWithTheirServer(t *testing.T) {
	sandbox := seeded(t)
	keys, err := sandbox.Open(t.Context())
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status(t, keys.Owner))
	require.NoError(t, keys.Close())
	_, err = http.Get(keys.Owner.RESTURL)
	assert.Error(t, err)
	place := prepare(t, sandbox)
	assert.Equal(t, http.StatusUnauthorized, status(t, target.Access{RESTURL: place.Verifier.RESTURL, Token: keys.Owner.Token}),
		"a place does not know the keys of the seeding")
}

func status(t *testing.T, a target.Access) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprint(a.RESTURL, "/user"), nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+a.Token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	return response.StatusCode
}

func TestS12APlaceTellsWhatWasChangedAndByWhom(t *testing.T) {
	sandbox := seeded(t)
	place, err := sandbox.Prepare(t.Context(), target.Needs{Mutating: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = place.Close() })
	assert.Empty(t, place.Changes(), "what was seeded is no change")
	_, token, _ := strings.Cut(place.Env[0], "=")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, place.Verifier.RESTURL+"/repos/"+target.FixturesRepo+"/issues", strings.NewReader(`{"title":"A title"}`))
	require.NoError(t, err)
	request.Header.Set("Authorization", "token "+token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	seen := place.Changes()
	require.Len(t, seen, 1)
	assert.Equal(t, bench.ChangeCreated, seen[0].Kind)
	assert.Equal(t, "issue", seen[0].Object)
	assert.Equal(t, place.Agent, seen[0].Actor)
	assert.Contains(t, seen[0].Fields, bench.FieldChange{Name: "title", After: "A title"})
}
