package scripted_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// kinds lists, for each kind of object that scenarios act on, the resources
// that are of it. An agent is led to a wrong object by giving it, in place of a
// resource that its scenario stands on, the next one of the same kind that the
// scenario does not stand on: another issue, pull request, thread, run, release
// or project. What has a kind of its own is never replaced.
func kinds() map[string][]string {
	return map[string][]string{
		"issue": {
			"issue", "issue_for_triage", "issue_to_close", "issue_prepared", "linked_issue", "parent_issue", "blocker_issue", "child_issue", "closed_issue",
		},
		"pull request": {
			"pr", "pr_with_checks", "pr_failing_checks", "pr_mergeable", "pr_with_reviews", "pr_linked", "pr_with_mixed_threads", "pr_with_bugs",
			"pr_behind", "pr_assigned", "pr_with_reactions",
		},
		"thread":       {"pr_thread", "pr_thread_resolved"},
		"workflow run": {"workflow_run", "workflow_run_artifacts", "workflow_run_running"},
		"release":      {"release", "release_published"},
		"project":      {"project", "org_project"},
	}
}

// insteadOf returns the resource that takes the place of another, empty if
// there is none.
func insteadOf(s bench.Scenario, m bench.Manifest, resource string) string {
	for _, alike := range kinds() {
		at := slices.Index(alike, resource)
		if at < 0 {
			continue
		}
		for _, other := range slices.Concat(alike[at+1:], alike[:at]) {
			if _, seeded := m.Resources[other]; seeded && !slices.Contains(s.Requires(), other) {
				return other
			}
		}
	}
	return ""
}

// misled returns the manifest with another object in the place of a resource.
// What the other object lacks, such as a project without the field, stays.
func misled(m bench.Manifest, resource, other string) bench.Manifest {
	m.Resources = maps.Clone(m.Resources)
	mixed := maps.Clone(m.Resources[resource])
	maps.Copy(mixed, m.Resources[other])
	m.Resources[resource] = mixed
	return m
}

// writes notes the requests that change something, as texts.
type writes struct{ sent []string }

func (w *writes) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		return http.DefaultTransport.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	text := string(body)
	if r.URL.Path != "/graphql" || strings.HasPrefix(text, `{"query":"mutation`) {
		w.sent = append(w.sent, r.Method+" "+r.URL.Path+" "+text)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// act has the agent do what a manifest tells it, in a fresh sandbox, and judges
// what has become of the right objects. It returns the agent's writes too.
func act(t *testing.T, s bench.Scenario, mode bench.Mode, told func(bench.Manifest) bench.Manifest) (broken []bench.CheckpointResult, sent []string) {
	t.Helper()
	place := newPlaceFor(t, s)
	right, err := scenario.Resolve(s, place.Manifest)
	require.NoError(t, err)
	given, err := scenario.Resolve(s, told(place.Manifest))
	require.NoError(t, err)
	verifier, err := clientOf(place.Verifier)
	require.NoError(t, err)
	track := checkpoint.NewTrack(checkpoint.NewGitHubReader(verifier), right.Scenario.Assertions.Checkpoints)
	track.Watch(t.Context(), place.OnWrite)
	w := &writes{}
	provider, err := scripted.New(scripted.Options{Pause: -1, HTTP: &http.Client{Transport: w}})
	require.NoError(t, err)
	session, err := provider.Start(t.Context(), agent.Setup{Mode: mode, Env: place.Env})
	require.NoError(t, err)
	// A plan that finds nothing to act on ends in an error, as an agent may.
	_, _ = session.Prompt(t.Context(), agent.Prompt{
		Text: given.Prompt, Play: agent.Play{ScenarioID: s.ID, Input: given.Input, Iteration: 1, Attempt: 1},
	})
	results, readable := track.Run(t.Context(), checkpoint.Poll{})
	require.True(t, readable)
	return slices.DeleteFunc(results, func(c bench.CheckpointResult) bool { return c.Passed }), w.sent
}

// Beside the one wrong object that a plan finds for itself, each resource that a
// scenario stands on is replaced in turn, so that no part of the work may be
// done elsewhere. An agent whose writes are the same as before was not misled:
// the resource tells it nothing.
func TestS6NoPartOfTheWorkMayBeDoneOnAnotherObject(t *testing.T) {
	testkit.NeedComplete(t)
	same := func(m bench.Manifest) bench.Manifest { return m }
	for _, s := range mutating(t) {
		t.Run(s.ID, func(t *testing.T) {
			const mode = bench.GHX
			manifest := newPlaceFor(t, s).Manifest
			broken, rightly := act(t, s, mode, same)
			require.Empty(t, broken)
			for _, resource := range s.Requires() {
				other := insteadOf(s, manifest, resource)
				if other == "" {
					continue
				}
				broken, wrongly := act(t, s, mode, func(m bench.Manifest) bench.Manifest { return misled(m, resource, other) })
				if !slices.Equal(rightly, wrongly) {
					assert.NotEmpty(t, broken, "%s is done to %s, and the checkpoints do not see it", resource, other)
				}
			}
		})
	}
}
