package scenario_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/scenarios"
)

// FuzzLoad puts arbitrary bytes in the place of a scenario and of the sets of
// a good folder. Whatever they are, each problem has a place, and what loads
// can be bound or says why not.
func FuzzLoad(f *testing.F) {
	good := files(f, minimal())
	sets := string(good["sets.json"].Data)
	shipped, err := fs.Glob(scenarios.Files, "*/*.json")
	require.NoError(f, err)
	folders := map[string]bool{}
	for _, file := range shipped {
		if folders[path.Dir(file)] {
			continue
		}
		folders[path.Dir(file)] = true
		data, err := scenarios.Files.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(data), sets)
	}
	for _, file := range []string{readFile, writeFile, flowFile} {
		f.Add(string(good[file].Data), sets)
	}
	f.Add(`{"id":"read-001","fixture":{"bindings":{"input.":""}}}`, `{"default":[]}`)

	f.Fuzz(func(t *testing.T, text, sets string) {
		fsys := fstest.MapFS{}
		for name, file := range good {
			fsys[name] = file
		}
		fsys[readFile] = &fstest.MapFile{Data: []byte(text)}
		fsys[scenario.SetsFile] = &fstest.MapFile{Data: []byte(sets)}
		report := scenario.Check(fsys, nil)
		for _, p := range append(report.Problems, report.Warnings...) {
			require.NotEmpty(t, p.File)
			require.Positive(t, p.Line)
			require.Positive(t, p.Column)
			require.NotEmpty(t, p.Message)
		}
		library, err := scenario.Load(fsys)
		require.Equal(t, len(report.Problems) > 0, err != nil)
		if err != nil {
			return
		}
		for _, s := range library.All() {
			resolved, err := scenario.Resolve(s, manifest())
			require.Equal(t, err != nil, resolved.Prompt == "")
			if err != nil {
				require.True(t, strings.HasPrefix(err.Error(), "bind scenario "), err)
			}
		}
	})
}
