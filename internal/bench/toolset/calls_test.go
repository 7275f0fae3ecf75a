package toolset_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
)

func TestCallsAreOfWhatReadsAndNeedsNothingElse(t *testing.T) {
	world := toolset.WorldOf(bench.Manifest{
		Repo:      bench.ManifestRepo{Owner: "o", Name: "r", FullName: "o/r", DefaultBranch: "main"},
		Resources: map[string]map[string]any{"issue": {"number": 7}, "pr": {"number": 8}},
	})
	item := func(name string, required ...string) toolset.Item {
		i := toolset.Item{Kind: toolset.Capability, Name: name, Parameters: []toolset.Parameter{{Name: "optional"}}}
		for _, r := range required {
			i.Parameters = append(i.Parameters, toolset.Parameter{Name: r, Required: true})
		}
		return i
	}
	method := item("pull_request_read", "owner", "pull_number")
	method.Parameters = append(method.Parameters, toolset.Parameter{Name: "method", Required: true, Schema: `{"enum":["get","list"]}`})
	items := []toolset.Item{
		method, item("issue.relations.list", "issueNumber"), item("issue.view", "owner", "name", "issueNumber"), item("issue.delete", "issueNumber"),
		item("release.view", "tagName"), item("get_label", "owner", "repo", "name"), item("listen", "owner"),
	}
	calls := func(most int) (all []string) {
		for _, c := range world.Calls(items, most) {
			assert.Equal(t, c.Call, c.Item+" "+c.Arguments)
			all = append(all, c.Call)
		}
		return all
	}
	want := []string{`issue.view {"issueNumber":7,"name":"r","owner":"o"}`, `issue.relations.list {"issueNumber":7}`, `pull_request_read {"method":"get","owner":"o","pull_number":8}`}
	assert.Equal(t, want, calls(10))
	assert.Equal(t, want[:2], calls(2))
	assert.Len(t, items, 7, "it is as it was")
	assert.Equal(t, "pull_request_read", items[0].Name)
}
