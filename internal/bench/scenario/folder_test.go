package scenario_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

type object = map[string]any

// minimal returns a folder in which nothing is wrong: the required sets, and
// as few scenarios as they need.
func minimal() object {
	return object{
		"sets.json": object{
			"default":           []string{"read-001", "read-002", "read-003", "read-004", "read-005", "read-006"},
			"ci-verify-pr":      []string{"write-001", "write-002"},
			"ci-verify-release": []string{"write-001", "write-002", "write-003", "write-004", "write-005"},
			"workflows":         []string{"flow-wf-001"},
		},
		"read/read-001.json":   read("read-001"),
		"read/read-002.json":   read("read-002"),
		"read/read-003.json":   read("read-003"),
		"read/read-004.json":   read("read-004"),
		"read/read-005.json":   read("read-005"),
		"read/read-006.json":   read("read-006"),
		"write/write-001.json": write("write-001"),
		"write/write-002.json": write("write-002"),
		"write/write-003.json": write("write-003"),
		"write/write-004.json": write("write-004"),
		"write/write-005.json": write("write-005"),
		"flow-wf-001.json":     flow("flow-wf-001"),
	}
}

func read(id string) object {
	return object{
		"id": id, "name": "View an issue", "task": "issue.view",
		"input":           object{"owner": "o", "name": "n"},
		"prompt_template": "{{task}} {{input_json}}",
		"timeout_ms":      10000, "allowed_retries": 0,
		"fixture": object{
			"requires": []any{"issue"},
			"bindings": object{"input.issueNumber": "resources.issue.number"},
		},
		"assertions": object{"expected_outcome": "success"},
		"tags":       []any{},
	}
}

func write(id string) object {
	return object{
		"id": id, "name": "Merge a pull request", "task": "pr.merge",
		"input":           object{"method": "squash"},
		"prompt_template": "{{scenario_id}} in {{fixture_repo}}: {{task}} {{input_json}}",
		"timeout_ms":      60000, "allowed_retries": 1,
		"fixture": object{
			"requires": []any{"pr"},
			"bindings": object{"input.owner": "repo.owner", "input.name": "repo.name", "input.prNumber": "resources.pr.number"},
		},
		"assertions": object{
			"must_succeed": true,
			"checkpoints":  []any{look("field_equals", "path", "state", "expected_value", "MERGED")},
		},
		"footprint": []any{object{"change": "changed", "object": "pull request", "name": "o/n#1", "fields": object{"merged": true}}},
		"tags":      []any{"mutation"},
	}
}

func flow(id string) object {
	return object{
		"type": "workflow", "id": id, "name": "Reply to threads",
		"prompt":                "Reply to the threads of #{{prNumber}} in {{fixture_repo}}.",
		"expected_capabilities": []any{"pr.threads.list", "pr.threads.reply"},
		"timeout_ms":            180000, "allowed_retries": 2,
		"fixture": object{
			"requires": []any{"pr"},
			"bindings": object{"input.owner": "repo.owner", "input.name": "repo.name", "input.prNumber": "resources.pr.number"},
		},
		"assertions": object{
			"expected_outcome": "success",
			"checkpoints":      []any{look("empty", "verification_task", "pr.threads.list", "verification_input", object{"unresolvedOnly": true})},
		},
		"footprint": []any{object{"change": "created", "object": "review comment", "name": "* on o/n#1"}},
		"tags":      []any{"pr"},
	}
}

// look returns a checkpoint that reads a pull request, with fields changed.
func look(condition string, fields ...any) object {
	c := object{"name": "c", "verification_task": "pr.view", "verification_input": object{}, "condition": condition}
	for i := 0; i < len(fields); i += 2 {
		c[fields[i].(string)] = fields[i+1]
		if _, away := fields[i+1].(remove); away {
			delete(c, fields[i].(string))
		}
	}
	return c
}

// remove is the value that takes a field away in [change].
type remove struct{}

// change sets a field of a folder's file, given as a path of names; of a list
// the path goes on in the first element.
func change(t *testing.T, folder object, file string, path string, value any) {
	t.Helper()
	at := folder[file].(object)
	names := strings.Split(path, "/")
	for _, name := range names[:len(names)-1] {
		switch next := at[name].(type) {
		case object:
			at = next
		case []any:
			at = next[0].(object)
		default:
			require.Fail(t, "no such place", "%s in %s", path, file)
		}
	}
	last := names[len(names)-1]
	if _, away := value.(remove); away {
		delete(at, last)
		return
	}
	at[last] = value
}

// files writes a folder.
func files(t testing.TB, folder object) fstest.MapFS {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, content := range folder {
		data, isText := content.(string)
		if !isText {
			text, err := json.MarshalIndent(content, "", "  ")
			require.NoError(t, err)
			data = string(text)
		}
		fsys[name] = &fstest.MapFile{Data: []byte(data)}
	}
	return fsys
}

// said returns the problems of a folder without their lines and columns.
func said(t testing.TB, folder object) []string {
	t.Helper()
	said := []string{}
	for _, p := range scenario.Check(files(t, folder), nil).Problems {
		said = append(said, fmt.Sprintf("%s: %s: %s", p.File, p.Path, p.Message))
	}
	return said
}

// manifest returns fixtures that the minimal folder's scenarios can be bound
// to, with the number types that different writers of manifests use.
func manifest() bench.Manifest {
	return bench.Manifest{
		Version: bench.ManifestVersion,
		Repo:    bench.ManifestRepo{Owner: "o", Name: "n", FullName: "o/n", DefaultBranch: "main"},
		Resources: map[string]map[string]any{
			"issue": {"number": 3},
			"pr":    {"number": float64(1_000_000), "labels": []string{"a", "b"}, "nothing": nil, "text": "{{task}} <&>"},
		},
	}
}

// withoutResources returns fixtures in which nothing is seeded.
func withoutResources() bench.Manifest {
	m := manifest()
	m.Resources = nil
	return m
}

func load(t testing.TB, folder object) *scenario.Library {
	t.Helper()
	library, err := scenario.Load(files(t, folder))
	require.NoError(t, err)
	return library
}

// orphans returns what is said of scenarios that are in no set.
func orphans(file, id string, from, to int) []string {
	var said []string
	for i := from; i <= to; i++ {
		said = append(said, fmt.Sprintf(file+": id: \""+id+"\" is in no set: add it to one in sets.json", i, i))
	}
	return said
}
