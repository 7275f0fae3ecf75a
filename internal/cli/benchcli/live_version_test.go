package benchcli_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
)

// GitHub Enterprise Server tells its version with every answer.
func TestRowsTellTheVersionOfTheServerThatTheyWereMeasuredOn(t *testing.T) {
	r := newRemote(t)
	world, err := url.Parse(r.URL)
	require.NoError(t, err)
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(world) },
		ModifyResponse: func(response *http.Response) error {
			response.Header.Set("X-GitHub-Enterprise-Version", "3.17.2")
			return nil
		},
	})
	defer server.Close()
	r.env["GITHUB_API_URL"], r.env["GITHUB_GRAPHQL_URL"] = server.URL, server.URL+"/graphql"
	result, err := r.bench(t.Context(), "verify", "--target", target.FixturesRepo, "--scenario", "repo-view-001", "--repetitions", "1",
		"--skip-warmup", "--script-pause", "1ms", "--output-dir", r.dir)
	require.NoError(t, err, r.stderr.String())
	for _, row := range rows(t, result) {
		assert.Equal(t, "3.17.2", row.Tools["github"])
	}
	require.NotNil(t, result.Summary)
	assert.Equal(t, []string{"3.17.2"}, result.Summary.Versions["github"])
}
