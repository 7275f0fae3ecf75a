package ghevent_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/ghevent"
)

// The examples are those of GitHub's cheat sheet,
// https://docs.github.com/actions/reference/workflow-syntax-for-github-actions#patterns-to-match-file-paths
func TestPathsMeanWhatTheyMeanInAWorkflow(t *testing.T) {
	cases := []struct {
		name           string
		paths          []string
		matches, fails []string
	}{
		{"a star is one folder's", []string{"*"}, []string{"README.md", "server.rb"}, []string{"docs/a.md"}},
		{"a question mark makes a character optional", []string{"*.jsx?"}, []string{"page.js", "page.jsx"}, []string{"page.j", "a/page.js"}},
		{"two stars are everything", []string{"**"}, []string{"all/the/files.md", "a"}, nil},
		{"an ending in the root", []string{"*.js"}, []string{"app.js"}, []string{"src/app.js"}},
		{"an ending anywhere", []string{"**.js"}, []string{"index.js", "js/index.js", "src/js/app.js"}, []string{"a.ts"}},
		{"the files of a folder", []string{"docs/*"}, []string{"docs/README.md"}, []string{"docs/mona/a.md", "a/docs/b"}},
		{"everything below a folder", []string{"docs/**"}, []string{"docs/README.md", "docs/mona/octocat.txt"}, []string{"docs", "docsy/a"}},
		{"an ending below a folder, or in it", []string{"docs/**/*.md"}, []string{"docs/README.md", "docs/mona/hello-world.md", "docs/a/markdown/file.md"}, []string{"docs/a.txt"}},
		{"a folder anywhere", []string{"**/docs/**"}, []string{"docs/hello.md", "dir/docs/my-file.txt", "space/docs/plan/space.doc"}, []string{"mydocs/a"}},
		{"a file anywhere", []string{"**/README.md"}, []string{"README.md", "js/README.md"}, []string{"a/XREADME.md"}},
		{"a folder by its ending", []string{"**/*src/**"}, []string{"a/src/app.js", "my-src/code/js/app.js"}, []string{"src2/a"}},
		{"a file by its beginning", []string{"**/migrate-*.sql"}, []string{"migrate-10909.sql", "db/migrate-v1.0.sql", "db/sept/migrate-v1.sql"}, []string{"db/xmigrate-1.sql"}},
		{"what is left out", []string{"*.md", "!README.md"}, []string{"hello.md"}, []string{"README.md", "docs/hello.md"}},
		{"what is left out and taken back in", []string{"*.md", "!README.md", "README*"}, []string{"hello.md", "README.md", "README.doc"}, nil},
		{"a set of characters", []string{"v[12].[0-9]+"}, []string{"v1.0", "v2.10"}, []string{"v3.0", "v1."}},
		{"a set of one", []string{"[a]b"}, []string{"ab"}, []string{"b", "[a]b"}},
		{"two stars in the middle of a name", []string{"a**/b"}, []string{"a/b", "axx/y/b"}, []string{"ab"}},
		{"a star that is one", []string{`\*`, `\*a`, `\ä+`}, []string{"*", "*a", "ää"}, []string{"x", "xa", "ö"}},
		{"a backslash at the end", []string{`a\`}, []string{`a\`}, []string{"a"}},
		{"a dot is a dot", []string{"a.b"}, []string{"a.b"}, []string{"axb"}},
		{"a backslash takes away the meaning", []string{`c\+\+/\*.h`}, []string{"c++/*.h"}, []string{"cc/a.h"}},
		{"letters of any script, and line ends in names", []string{"größe/**"}, []string{"größe/a\nb"}, []string{"GRÖßE/a"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			paths, err := ghevent.ParsePaths(c.paths)
			require.NoError(t, err)
			for _, path := range c.matches {
				assert.True(t, paths.Any([]string{"", path}), path)
			}
			assert.False(t, paths.Any(c.fails))
		})
	}
}

func TestNoPatternsAreNone(t *testing.T) {
	paths, err := ghevent.ParsePaths(nil)
	require.NoError(t, err)
	assert.Empty(t, paths)
}

func TestPatternsThatSayNothingAreRefused(t *testing.T) {
	for pattern, says := range map[string]string{
		"?a": "no character before", "+": "no character before", "**?": "no character before", "*+": "no character before",
		"a[]b": "nothing in it", "[a": "has no end", "[b-a]": "cannot be read", "!a": "put the pattern \"**\" first",
	} {
		t.Run(pattern, func(t *testing.T) {
			_, err := ghevent.ParsePaths([]string{pattern})
			require.ErrorContains(t, err, says)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}
