package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
)

// fixture loads a module with one package and one file.
func fixture(t *testing.T, text string) *program {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.test/fixture\n\ngo 1.26\n", "fixture.go": text} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	p, err := load(t.Context(), folder, []string{"."})
	require.NoError(t, err)
	return p
}

func TestEachFunctionHasTheMutantsOfItsOperators(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/operators.go.txt")
	require.NoError(t, err)
	p := fixture(t, string(text))
	mutants := p.mutants(p.targets[0])
	for i, m := range mutants {
		m.number = i
	}
	written, err := p.instrument(p.targets[0], mutants)
	require.NoError(t, err)
	assert.Empty(t, p.check(p.targets[0], written), "the code with all mutants compiles")

	var got strings.Builder
	function := ""
	for _, m := range mutants {
		if m.function != function {
			function = m.function
			fmt.Fprintf(&got, "%s\n", function)
		}
		how := ""
		if m.alone() {
			how = ", in a build of its own"
			if _, compiles := p.rewrite(m); !compiles {
				how = ", which does not compile"
			}
		}
		fmt.Fprintf(&got, "\t%s: %s → %s%s\n", m.what, m.before, m.after, how)
	}
	testkit.CheckGolden(t, "what the operators do, function by function", "testdata/operators.golden", []byte(got.String()))
}

// Lines keep their numbers, so that tests which look at them go on.
func TestMutantsTakeNoLines(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/operators.go.txt")
	require.NoError(t, err)
	p := fixture(t, string(text))
	written, err := p.instrument(p.targets[0], p.mutants(p.targets[0]))
	require.NoError(t, err)
	before, after := strings.Split(string(text), "\n"), strings.Split(string(written["fixture.go"]), "\n")
	require.Len(t, after, len(before))
	for i, line := range before {
		if strings.HasPrefix(line, "func ") {
			assert.Contains(t, after[i], line[:strings.Index(line, "(")], "line %d", i+1)
		}
	}
}
