package target_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// inputOf is an input that any read that ships with the program can take, with
// fixtures for what it is about. Lists are short.
func inputOf(t testing.TB, place *target.Place, task string) map[string]any {
	t.Helper()
	input := map[string]any{"owner": target.Owner, "name": target.FixturesName, "user": target.Owner, "first": 2}
	resources := map[string]string{
		"issueNumber": "issue", "prNumber": "pr_with_reviews", "projectNumber": "project",
	}
	switch {
	case task == "pr.checks.list":
		resources["prNumber"] = "pr_with_checks"
	case task == "issue.relations.view":
		resources["issueNumber"] = "child_issue"
	case task == "issue.relations.prs.list":
		resources["issueNumber"] = "linked_issue"
	case task == "project_v2.org.view":
		resources["projectNumber"] = "org_project"
	}
	for field, resource := range resources {
		input[field] = number(t, place, resource)
	}
	input["org"] = place.Manifest.Resources["org_project"]["owner"]
	input["runId"] = resourceID(t, place, "workflow_run", "id")
	input["jobId"] = resourceID(t, place, "workflow_job", "id")
	input["workflowId"] = resourceID(t, place, "workflow", "id")
	input["tagName"] = place.Manifest.Resources["release"]["tag_name"]
	return input
}

func TestS6TheVerifierOnlyReads(t *testing.T) {
	place := prepare(t, seeded(t))
	reader := checkpoint.NewGitHubReader(verifier(t, place))
	for _, task := range checkpoint.Tasks() {
		answer, err := reader.Read(t.Context(), bench.Read{Task: task, Input: inputOf(t, place, task)})
		require.NoError(t, err, task)
		assert.NotNil(t, answer, task)
	}
	w, _ := place.GitHub.(*sandbox.World)
	require.NotEmpty(t, w.Audit())
	for _, request := range w.Audit() {
		assert.False(t, request.Write, "%s %s %s", request.Method, request.Path, request.Operation)
	}
}

func TestS17TheReadsThatShipAnswerAsEver(t *testing.T) {
	place := prepare(t, seeded(t))
	reader := checkpoint.NewGitHubReader(verifier(t, place))
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	for _, task := range checkpoint.Tasks() {
		answer, err := reader.Read(t.Context(), bench.Read{Task: task, Input: inputOf(t, place, task)})
		require.NoError(t, err, task)
		require.NoError(t, encoder.Encode(map[string]any{task: answer}))
	}
	text := strings.ReplaceAll(out.String(), place.Verifier.RESTURL, "https://api.github.com")
	testkit.CheckGolden(t, "the fields and values that the reads that ship with the program answer on the fixtures", "testdata/reads.golden", []byte(text))
}
