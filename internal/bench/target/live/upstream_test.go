package live_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/target/live"
)

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestGitHubsNamesLeadToWhereThatGitHubIs(t *testing.T) {
	const unreachable = ""
	asked := []string{
		"https://api.github.com/repos/o/r/issues?page=2", "https://api.github.com/graphql", "https://uploads.github.com/repos/o/r/releases/1/assets",
		"https://github.com/o/r.git/info/refs?service=git-upload-pack", "https://raw.githubusercontent.com/o/r/main/x",
	}
	cases := []struct {
		name, rest, graphql string
		want                []string
	}{
		{"github.com", "https://api.github.com", "https://api.github.com/graphql", asked},
		{"a GitHub of an enterprise below ghe.com", "https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql", []string{
			"https://api.acme.ghe.com/repos/o/r/issues?page=2", "https://api.acme.ghe.com/graphql", "https://uploads.acme.ghe.com/repos/o/r/releases/1/assets",
			"https://acme.ghe.com/o/r.git/info/refs?service=git-upload-pack", unreachable,
		}},
		{"an enterprise server", "https://ghe.example.com/api/v3", "https://ghe.example.com/api/graphql", []string{
			"https://ghe.example.com/api/v3/repos/o/r/issues?page=2", "https://ghe.example.com/api/graphql", "https://ghe.example.com/api/uploads/repos/o/r/releases/1/assets",
			"https://ghe.example.com/o/r.git/info/refs?service=git-upload-pack", unreachable,
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got *http.Request
			fixed := func(context.Context) (string, error) { return agentToken, nil }
			repository, err := live.New(live.Options{
				Manifest: bench.Manifest{Repo: bench.ManifestRepo{Owner: "o", Name: "r", FullName: "o/r"}},
				RESTURL:  c.rest, GraphQLURL: c.graphql, Agent: fixed, Verifier: fixed,
				Transport: tripper(func(r *http.Request) (*http.Response, error) {
					got = r
					answer := httptest.NewRecorder()
					_, _ = io.WriteString(answer, "{}")
					response := answer.Result()
					response.Request = r
					return response, nil
				}),
			})
			require.NoError(t, err)
			place, err := repository.Prepare(t.Context(), target.Needs{Token: "ghp_placeholder"})
			require.NoError(t, err)
			defer place.Close()
			for i, address := range asked {
				got = nil
				method, body := http.MethodGet, ""
				if strings.HasSuffix(address, "/graphql") {
					method, body = http.MethodPost, `{"query":"{viewer{login}}"}`
				}
				r := httptest.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
				r.Header.Set("Authorization", "token ghp_placeholder")
				answer := httptest.NewRecorder()
				place.GitHub.ServeHTTP(answer, r)
				if c.want[i] == unreachable {
					assert.Nil(t, got, address)
					assert.Equal(t, http.StatusBadGateway, answer.Code, address)
					continue
				}
				require.NotNil(t, got, address)
				assert.Equal(t, c.want[i], got.URL.String())
				assert.Equal(t, got.URL.Host, got.Host, "the server knows itself by this name")
				assert.Equal(t, "token "+agentToken, got.Header.Get("Authorization"))
			}
		})
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	for _, opts := range []live.Options{{RESTURL: "api.github.com", GraphQLURL: "https://x/graphql"}, {RESTURL: "https://x", GraphQLURL: ":"}} {
		_, err := live.New(opts)
		require.ErrorContains(t, err, "is no URL")
	}
}
