package benchcli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/redact"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// The tokens in the environment.
const (
	fixturesToken = "ghp_token-of-the-owner"
	agentToken    = "ghp_token-of-the-agent"
	verifierToken = "ghp_token-of-the-verifier"
)

// remote is a GitHub with the fixtures repository that the command line reaches
// by its URL.
type remote struct {
	*sandboxtest.World
	t   *testing.T
	env map[string]string
	dir string
	// observe is told how a run goes; it may be nil.
	observe        func(runner.Event)
	stdout, stderr bytes.Buffer
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	made, err := target.NewSandbox(nil)
	require.NoError(t, err)
	var snapshot bytes.Buffer
	require.NoError(t, made.Save(&snapshot))
	world, err := sandbox.Load(snapshot.Bytes())
	require.NoError(t, err)
	r := &remote{World: sandboxtest.Serve(t, world), t: t, dir: t.TempDir()}
	scopes := []string{"repo", "workflow", "project", "read:org"}
	for token, login := range map[string]string{fixturesToken: target.Owner, agentToken: target.Agent, verifierToken: target.Verifier} {
		world.AddToken(token, sandbox.Token{User: login, Scopes: scopes})
	}
	r.env = map[string]string{
		"GITHUB_API_URL": r.URL, "GITHUB_GRAPHQL_URL": r.URL + "/graphql",
		"BENCH_FIXTURES_TOKEN": fixturesToken, "BENCH_AGENT_TOKEN": agentToken, "BENCH_VERIFIER_TOKEN": verifierToken,
	}
	return r
}

// bench runs a command line.
func (r *remote) bench(ctx context.Context, args ...string) (benchcli.Result, error) {
	r.t.Helper()
	r.stdout.Reset()
	r.stderr.Reset()
	words := 0
	result, err := benchcli.World{
		Stdout: &r.stdout, Stderr: &r.stderr, Now: time.Now, Secrets: redact.New(), Observe: r.observe,
		Getenv: func(name string) string { return r.env[name] },
		Random: func() string { words++; return strings.Repeat("ABCDEFGH"[words%8:words%8+1], 10) },
	}.Run(ctx, args...)
	for _, token := range []string{fixturesToken, agentToken, verifierToken} {
		assert.NotContains(r.t, r.stdout.String()+r.stderr.String(), token)
		if err != nil {
			assert.NotContains(r.t, err.Error(), token)
		}
	}
	return result, err
}

// suite are the arguments of a run of a few scenarios on the repository.
func (r *remote) suite(more ...string) []string {
	return append([]string{
		"verify", "--target", target.FixturesRepo, "--scenario-set", "ci-verify-release", "--repetitions", "2", "--script-pause", "1ms",
		"--output-dir", filepath.Join(r.dir, "runs"),
	}, more...)
}

// left lists what there is in the world that a seeding makes.
func (r *remote) left() []string {
	var left []string
	r.Look(func(s *model.State) {
		repo := s.Repo(target.Owner, target.FixturesName)
		for issue := range s.Issues.All() {
			if issue.Pull == nil || !issue.Closed {
				left = append(left, "issue "+issue.Title)
			}
		}
		for _, ref := range repo.Git.Refs("refs/") {
			if ref.Name != "refs/heads/main" && !strings.HasPrefix(ref.Name, "refs/pull/") {
				left = append(left, ref.Name)
			}
		}
		for label := range s.Labels.All() {
			if strings.HasPrefix(label.Name, "bench-seed:") {
				left = append(left, "label "+label.Name)
			}
		}
		for release := range s.Releases.All() {
			left = append(left, "release "+release.Name)
		}
		for run := range s.Runs.All() {
			if run.HeadBranch == "main" && run.Event == "workflow_dispatch" {
				left = append(left, "run "+run.DisplayTitle)
			}
		}
		for project := range s.Projects.All() {
			left = append(left, "project "+project.Title)
		}
	})
	return left
}

// rows returns the rows of a run.
func rows(t *testing.T, result benchcli.Result) []bench.Row {
	t.Helper()
	var all []bench.Row
	for _, file := range result.Rows {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(content)) {
			var row bench.Row
			require.NoError(t, json.Unmarshal([]byte(line), &row))
			all = append(all, row)
		}
	}
	return all
}

func TestARunOnARepositoryLeavesNothing(t *testing.T) {
	testkit.NeedComplete(t)
	r := newRemote(t)
	result, err := r.bench(t.Context(), r.suite()...)
	require.NoError(t, err, r.stderr.String())
	require.NotNil(t, result.Summary)
	all := rows(t, result)
	require.Len(t, all, 2*2*5)
	for _, row := range all {
		assert.True(t, row.Success, "%s: %+v", row.Cell(), row.Error)
		assert.False(t, *row.FootprintJudged)
		assert.Contains(t, row.FootprintUnjudged, "not judged are others, branches, runs")
		require.NotNil(t, row.APIRequests)
		assert.NotZero(t, row.APIRequests.REST+row.APIRequests.GraphQL)
		assert.Equal(t, "unknown version", row.Tools["github"], "it tells none")
		assert.NotContains(t, row.Tools, "sandbox")
	}
	assert.Contains(t, strings.Join(result.Summary.Warnings, "\n"), "could be judged in part alone in agent_direct (10 of 10 runs) and ghx (10 of 10 runs): judged are the issues")
	assert.Empty(t, r.left())
	assert.Contains(t, r.stderr.String(), "removed from "+target.FixturesRepo)
	assert.Contains(t, r.stderr.String(), "the agent's token is a classic one")

	for _, entry := range r.Audit() {
		switch entry.Token {
		case verifierToken:
			assert.False(t, entry.Write, "checkpoints read: %s %s", entry.Method, entry.Path)
		case agentToken:
			assert.True(t, entry.GraphQL || strings.HasPrefix(entry.Path, "/repos/"+target.FixturesRepo), "%s %s", entry.Method, entry.Path)
		}
	}
}

func TestS12AnAttemptOnARepositoryFailsByWhatTheVerifierSees(t *testing.T) {
	r := newRemote(t)
	shipped, err := os.ReadFile("../../../scenarios/issue/issue-close-001.json")
	require.NoError(t, err)
	strict := strings.Replace(string(shipped), `"state": "closed"`, `"state": "open"`, 1)
	require.NotEqual(t, string(shipped), strict)
	for name, content := range map[string]string{"issue-close-001.json": strict, "sets.json": `{"mine": ["issue-close-001"]}`} {
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, name), []byte(content), 0o600))
	}
	result, err := r.bench(t.Context(), "run", "agent_direct", "1", "--target", target.FixturesRepo, "--scenarios", r.dir, "--scenario-set", "mine",
		"--skip-warmup", "--script-pause", "1ms", "--output-dir", filepath.Join(r.dir, "runs"))
	require.NoError(t, err, r.stderr.String())
	all := rows(t, result)
	require.Len(t, all, 1)
	require.False(t, all[0].Success)
	assert.Equal(t, bench.CheckpointFailed, all[0].Error.Type)
	assert.Contains(t, all[0].Error.Message, `its state is "closed", may become "open" alone`)
	require.Len(t, all[0].ChangeList(), 1)
}

func TestEveryScenarioRunsOnARepository(t *testing.T) {
	testkit.NeedComplete(t)
	r := newRemote(t)
	result, err := r.bench(t.Context(), "verify", "--target", target.FixturesRepo, "--scenario-set", "full-seeded", "--repetitions", "1",
		"--skip-warmup", "--script-pause", "1ms", "--output-dir", r.dir)
	require.NoError(t, err, r.stderr.String())
	all := rows(t, result)
	assert.GreaterOrEqual(t, len(all), 2*90)
	for _, row := range all {
		assert.True(t, row.Success, "%s: %+v", row.Cell(), row.Error)
	}
	assert.Empty(t, r.left(), "neither what was seeded nor what agents have made")
}

func TestFixturesOfAManifestStay(t *testing.T) {
	testkit.NeedComplete(t)
	r := newRemote(t)
	manifest := filepath.Join(r.dir, "fixtures", "latest.json")
	_, err := r.bench(t.Context(), "fixtures", "seed", "--out", manifest, "--seed-id", "kept")
	require.NoError(t, err, r.stderr.String())
	assert.Contains(t, r.stdout.String(), "on GitHub")
	assert.NoFileExists(t, filepath.Join(r.dir, "fixtures", "latest.sandbox"))
	require.NotEmpty(t, r.left())

	result, err := r.bench(t.Context(), r.suite("--fixture-manifest", manifest)...)
	require.NoError(t, err, r.stderr.String())
	for _, row := range rows(t, result) {
		assert.True(t, row.Success, "%s: %+v", row.Cell(), row.Error)
		assert.Equal(t, "kept", row.SeedID)
	}
	_, err = r.bench(t.Context(), "fixtures", "reset", "--out", manifest)
	require.NoError(t, err, r.stderr.String())
	result, err = r.bench(t.Context(), "fixtures", "status", "--out", manifest)
	require.NoError(t, err)
	assert.NotContains(t, r.stdout.String(), "CHANGED")
	assert.Zero(t, result.Code)
	_, err = r.bench(t.Context(), "fixtures", "cleanup", "--out", manifest)
	require.NoError(t, err, r.stderr.String())
	assert.Empty(t, r.left())
	assert.NoFileExists(t, manifest)
}

func TestAStoppedRunLeavesNothing(t *testing.T) {
	testkit.NeedComplete(t)
	for _, after := range []string{"a row", "the first write"} {
		t.Run("after "+after, func(t *testing.T) {
			r := newRemote(t)
			ctx, stop := context.WithCancelCause(t.Context())
			stopping := sync.OnceFunc(func() { stop(context.Canceled) })
			if after == "a row" {
				r.observe = func(e runner.Event) {
					if e.Kind == runner.EventRow {
						stopping()
					}
				}
			} else {
				r.World.OnWrite(fixturesToken, stopping)
			}
			_, err := r.bench(ctx, r.suite()...)
			require.Error(t, err)
			assert.Empty(t, r.left(), r.stderr.String())
		})
	}
}

func TestWhatWasSeededCanBeKept(t *testing.T) {
	testkit.NeedComplete(t)
	r := newRemote(t)
	_, err := r.bench(t.Context(), r.suite("--keep-fixtures", "--seed-id", "kept")...)
	require.NoError(t, err)
	assert.Contains(t, r.left(), "label bench-seed:kept")
	_, err = r.bench(t.Context(), "fixtures", "cleanup", "--all", "--older-than", "24h")
	require.NoError(t, err)
	assert.NotEmpty(t, r.left(), "it is not that old")
	_, err = r.bench(t.Context(), "fixtures", "cleanup", "--all", "--older-than", "0s")
	require.NoError(t, err)
	assert.Empty(t, r.left())
}

func TestRepositoriesThatCannotBeUsed(t *testing.T) {
	testkit.NeedComplete(t)
	cases := []struct {
		name, want string
		change     func(t *testing.T, r *remote)
	}{
		{"not there", "repository aryeko/nothing is not there", func(_ *testing.T, r *remote) { r.env["repo"] = "aryeko/nothing" }},
		{"archived", "is archived", func(t *testing.T, r *remote) {
			require.NoError(t, r.Setup(func(s *model.State) error {
				s.Repo(target.Owner, target.FixturesName).Archived = true
				return nil
			}))
		}},
		{"read-only", "is read-only for the token in BENCH_FIXTURES_TOKEN", func(_ *testing.T, r *remote) {
			r.readOnly(fixturesToken)
		}},
		{"a token that is none", "GitHub does not accept the token", func(_ *testing.T, r *remote) { r.env["BENCH_FIXTURES_TOKEN"] = "ghp_wrong-token-of-nobody" }},
		{"an agent's token that is none", "with the agent's token: GitHub does not accept the token", func(_ *testing.T, r *remote) { r.env["BENCH_AGENT_TOKEN"] = "ghp_wrong-token-of-nobody" }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newRemote(t)
			c.change(t, r)
			args := r.suite()
			if repo := r.env["repo"]; repo != "" {
				args[2] = repo
			}
			result, err := r.bench(t.Context(), args...)
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, 2, result.Code)
			assert.Empty(t, r.left())
			for _, entry := range r.Audit() {
				assert.False(t, entry.Write, "%s %s", entry.Method, entry.Path)
			}
		})
	}
}

// readOnly makes a token one of somebody who may read only.
func (r *remote) readOnly(token string) {
	r.t.Helper()
	require.NoError(r.t, r.Setup(func(s *model.State) error {
		s.AddUser(model.NewUser{Login: "stranger"})
		return nil
	}))
	r.AddToken(token, sandbox.Token{User: "stranger", Scopes: []string{"repo"}})
}
