package rest_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// The documentation tells how much of each part of the REST API there is, as
// the routes are.
func TestDocumentationTellsWhatThereIs(t *testing.T) {
	const path, begin, end = "../../../docs/sandbox.md", "<!-- begin operations -->\n", "<!-- end operations -->\n"
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(page), begin)
	require.True(t, found)
	written, after, found := strings.Cut(rest, end)
	require.True(t, found)
	if table := operationsTable(); testkit.Updating() {
		require.NoError(t, os.WriteFile(path, []byte(before+begin+table+end+after), 0o644))
	} else {
		assert.Equal(t, table, written, "go test ./internal/sandbox/rest -run Documentation -update")
	}
}

// operationsTable counts operations by the parts of GitHub's documentation, those
// with the most that are served first. Parts of which there is nothing are in one
// row.
func operationsTable() string {
	type count struct{ there, absent int }
	parts := map[string]*count{}
	var all count
	served := rest.Served()
	for _, op := range githubschema.Operations() {
		below, has := strings.CutPrefix(op.Documentation, "https://docs.github.com/rest/")
		part, _, _ := strings.Cut(below, "/")
		if !has {
			part = "others"
		}
		if parts[part] == nil {
			parts[part] = &count{}
		}
		for _, c := range []*count{parts[part], &all} {
			if served(op.String()) {
				c.there++
			} else {
				c.absent++
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(parts), func(a, b string) int {
		return cmp.Or(cmp.Compare(parts[b].there, parts[a].there), cmp.Compare(a, b))
	})
	var out, none strings.Builder
	out.WriteString("| operations about | there | not there |\n|---|---:|---:|\n")
	missing := 0
	for _, name := range names {
		c := parts[name]
		if c.there == 0 {
			missing += c.absent
			none.WriteString(", " + name)
			continue
		}
		fmt.Fprintf(&out, "| %s | %d | %d |\n", name, c.there, c.absent)
	}
	fmt.Fprintf(&out, "| %s | 0 | %d |\n| all | %d | %d |\n", strings.TrimPrefix(none.String(), ", "), missing, all.there, all.absent)
	return out.String()
}
