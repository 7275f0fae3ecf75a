package state_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness/internal/state"
)

func files(texts ...string) map[string][]byte {
	files := map[string][]byte{}
	for i := 0; i < len(texts); i += 2 {
		files[texts[i]] = []byte(texts[i+1])
	}
	return files
}

func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), state.TracesDir)
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(data)
	}
	require.NoError(t, state.SaveTrace(dir, "cobol", files("trace.json", "first", "result.json", "1")))
	require.NoError(t, state.SaveTrace(dir, "other", files("result.json", "0")))
	require.NoError(t, state.SaveTrace(dir, "cobol", files("result.json", "2")))
	assert.Equal(t, "2", read("latest/cobol/result.json"))
	assert.NoFileExists(t, filepath.Join(dir, "latest/cobol/trace.json"), "nothing is left of an earlier trace")
	assert.Equal(t, "first", read("baseline/cobol/trace.json"), "the first one stays as it was")
	assert.Equal(t, "1", read("baseline/cobol/result.json"))
	assert.Equal(t, "0", read("latest/other/result.json"))
	for _, part := range []string{state.LatestTraces, state.BaselineTraces} {
		entries, err := os.ReadDir(filepath.Join(dir, part))
		require.NoError(t, err)
		assert.Len(t, entries, 2)
	}
	require.NoError(t, state.SaveTrace(dir, "../../escape", files("result.json", "x")))
	assert.NoFileExists(t, filepath.Join(dir, "..", "escape", "result.json"))
}

func TestNamesOfTasks(t *testing.T) {
	long := strings.Repeat("x", 300)
	ids := []string{"cobol-modernization", "0", "terminal-bench/cobol", "terminal-bench_cobol", "[mobile]a|b:c", "[mobile]a|b:d", "..", ".", ".hidden", long, long + "y", "_x=000000000000"}
	seen := map[string]string{}
	for _, id := range ids {
		name := state.TraceName(id)
		assert.Empty(t, seen[name], "%s and %s", id, seen[name])
		seen[name] = id
		assert.Equal(t, filepath.Base(name), name)
		assert.False(t, strings.HasPrefix(name, "."))
		assert.Less(t, len(name), 200)
	}
	assert.Equal(t, "cobol-modernization", state.TraceName("cobol-modernization"))
}
