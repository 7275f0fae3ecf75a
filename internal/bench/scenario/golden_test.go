package scenario_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// brokenFiles has the files of testdata/broken and why each is there.
var brokenFiles = map[string]string{
	"assertions-001.json":         "assertions that contradict each other, and a field that the capability does not return",
	"bindings-001.json":           "a resource that is not required, a field that the capability does not take, a variable without a value",
	"capability-001.json":         "a capability with a typing error hides what its input lacks",
	"checkpoints-001.json":        "checkpoints whose fields are right by themselves, but not together with the capability",
	"comma-001.json":              "the most common error of hand-written JSON",
	"comment-001.json":            "JSON has no comments, though editors may take them",
	"conditions-001.json":         "conditions with a value that they cannot use, or without one that they need",
	"empty-001.json":              "a file that was never written",
	"footprint-001.json":          "a kind of object, a field, a condition and a value that no change can have",
	"input-001.json":              "an input that does not fit its capability",
	"latin-001.json":              "a file in another encoding than UTF-8",
	"list-001.json":               "JSON, but no object",
	"missing-fields-001.json":     "every missing field is named at once",
	"other-name-001.json":         "a file that was renamed, or copied",
	"sets.json":                   "sets that do not fit the scenarios, nor the rules for sets",
	"sources-001.json":            "bindings that lead nowhere or come from nowhere",
	"twice-001.json":              "a field that is there twice: most parsers take the last one without a word",
	"unknown-fields-001.json":     "fields with typing errors",
	"unknown-type-001.json":       "a type with a typing error hides what depends on it",
	"unread-001.json":             "a change that nothing reads back",
	"workflow-of-old-wf-001.json": "a workflow with several defects in different places",
	"wrong-values-001.json":       "values of wrong types and out of range",
}

func TestBrokenFilesAreReportedWithPlaceAndMend(t *testing.T) {
	found, err := filepath.Glob("testdata/broken/*.json")
	require.NoError(t, err)
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	names := slices.Sorted(maps.Keys(brokenFiles))
	require.Equal(t, found, names, "every file has a reason, and every reason a file")

	var said strings.Builder
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join("testdata/broken", name))
		require.NoError(t, err)
		folder := minimal()
		folder[name] = string(content)
		if name != scenario.SetsFile {
			change(t, folder, scenario.SetsFile, "broken", []string{strings.TrimSuffix(name, ".json")})
		}
		_, err = scenario.Load(files(t, folder))
		require.Error(t, err, name)
		fmt.Fprintf(&said, "# %s: %s\n%v\n\n", name, brokenFiles[name], err)
	}

	testkit.CheckGolden(t, "whoever writes a scenario reads these", "testdata/broken.golden", []byte(said.String()))
}
