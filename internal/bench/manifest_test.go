package bench_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
)

const manifestFile = `{
  "version": 1,
  "repo": {"owner": "o", "name": "n", "full_name": "o/n", "default_branch": "main"},
  "resources": {
    "pr": {"number": 12, "threads": [{"id": "T1"}, {"id": "T2"}], "draft": false, "body": null},
    "metadata": {"seed_id": "local"}
  }
}`

func TestS2ManifestsAreLookedUpByPath(t *testing.T) {
	var m bench.Manifest
	require.NoError(t, json.Unmarshal([]byte(manifestFile), &m))
	assert.Equal(t, bench.ManifestVersion, m.Version)
	for path, want := range map[string]any{
		"repo.owner": "o", "repo.name": "n", "repo.full_name": "o/n", "repo.default_branch": "main",
		"resources.pr.number": float64(12), "resources.pr.draft": false, "resources.pr.body": nil,
		"resources.pr.threads.1.id": "T2", "resources.pr.threads.0": map[string]any{"id": "T1"},
		"resources.pr":               m.Resources["pr"],
		"resources.metadata.seed_id": "local",
	} {
		got, err := m.Lookup(path)
		require.NoError(t, err, path)
		assert.Equal(t, want, got, path)
	}
}

func TestS2ManifestsSayWhatTheyLack(t *testing.T) {
	var m bench.Manifest
	require.NoError(t, json.Unmarshal([]byte(manifestFile), &m))
	for path, want := range map[string]string{
		"":                            `manifest path "": want repo.<field> or resources.<name>.<field>`,
		"repo":                        "want repo.<field>",
		"repo.owner.login":            "want repo.<field>",
		"resources":                   "want repo.<field> or resources.<name>.<field>",
		"pr.number":                   "want repo.<field>",
		"repo.url":                    `the manifest's repo has no "url": use owner, name, full_name or default_branch`,
		"resources.issue.number":      `the manifest has no resource "issue"`,
		"resources.pr.title":          `resources.pr has no "title"`,
		"resources.pr.number.value":   `resources.pr.number is not an object, so it has no "value"`,
		"resources.pr.threads.2.id":   `resources.pr.threads has no element "2"`,
		"resources.pr.threads.-1":     `resources.pr.threads has no element "-1"`,
		"resources.pr.threads.length": `resources.pr.threads has no element "length"`,
		"resources.pr.body.text":      `resources.pr.body is not an object`,
	} {
		_, err := m.Lookup(path)
		require.Error(t, err, path)
		assert.ErrorContains(t, err, want, path)
	}
}
