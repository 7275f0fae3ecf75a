package githubschema_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// The data are those that reduce makes of what GitHub has published. They are
// compared unpacked: versions of Go pack differently.
func TestDataAreThoseOfThePublications(t *testing.T) {
	for _, c := range []struct {
		variable, file string
		reduce         func([]byte) ([]byte, error)
	}{
		{"BENCH_OPENAPI", "data/rest.json.gz", reduceREST},
		{"BENCH_OPENAPI", "data/requests.json.gz", reduceRequests},
		{"BENCH_GRAPHQL_SCHEMA", "data/schema.graphql.gz", reduceGraphQL},
	} {
		t.Run(c.file, func(t *testing.T) {
			path := os.Getenv(c.variable)
			if path == "" {
				t.Skipf("NOT TESTED: %s against what GitHub has published: %s does not name it; `make clients` gets it", c.file, c.variable)
			}
			published, err := os.ReadFile(path)
			require.NoError(t, err)
			made, err := c.reduce(published)
			require.NoError(t, err)
			if testkit.Updating() {
				require.NoError(t, os.WriteFile(c.file, packed(t, made), 0o644))
				return
			}
			have, err := os.ReadFile(c.file)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(unpacked(t, have), made), "%s is not what is made of %s: run `make schemas`", c.file, path)
		})
	}
}

func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	require.NoError(t, err)
	_, err = w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func unpacked(t *testing.T, file []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return text
}

func TestNoticeNamesTheVersions(t *testing.T) {
	read := func(path string) string {
		t.Helper()
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
	notice := read("data/NOTICE")
	openAPI := regexp.MustCompile(`OPENAPI := (\S+)`).FindStringSubmatch(read("../../Makefile"))
	require.NotNil(t, openAPI)
	assert.Contains(t, notice, openAPI[1]+",")
	schema := regexp.MustCompile(`"@octokit/graphql-schema": "([^"]+)"`).FindStringSubmatch(read("../../tools/npm/package.json"))
	require.NotNil(t, schema)
	assert.Contains(t, notice, "@octokit/graphql-schema@"+schema[1]+",")
}

// Whoever asks first waits for the data to be read; the limit is wide, as tests
// run beside others.
func TestDataAreReadSoon(t *testing.T) {
	start := time.Now()
	assert.Len(t, githubschema.Operations(), 1223)
	assert.Contains(t, githubschema.GraphQL().Types, "PullRequest")
	assert.Less(t, time.Since(start), testkit.TimeLimit(2*time.Second))
}
