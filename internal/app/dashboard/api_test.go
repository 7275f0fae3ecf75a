package dashboard_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/bench"
)

// ask asks the API with a token of GitHub's, empty for none.
func (s *site) ask(t *testing.T, token, path string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	require.NoError(t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body)
}

const reads = "ghp_reads"

const transcriptAt = "/api/v1/runs/{id}/scenarios/{scenario}/{mode}/{repetition}/transcript"

// described holds an answer against what the document of the API says of it.
func described(t *testing.T, document any, path, status, body string) {
	t.Helper()
	at := strings.NewReplacer("~", "~0", "/", "~1").Replace(path)
	kind := "application/json"
	if status != "200" {
		kind = "application/problem+json"
	}
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("api.json", document))
	schema, err := compiler.Compile("api.json#/paths/" + url.PathEscape(at) + "/get/responses/" + status + "/content/" + url.PathEscape(strings.ReplaceAll(kind, "/", "~1")) + "/schema")
	require.NoError(t, err)
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	require.NoError(t, err, body)
	assert.NoError(t, schema.Validate(value), body)
}

func TestTheAPIAnswersAsItsDocumentSays(t *testing.T) {
	t.Parallel()
	source := example(t)
	source.series = []dashboard.Series{{Name: "a/b · pr", Runs: 5, Last: now}}
	s := open(t, source)
	response, body := s.ask(t, "", "/api/v1/openapi.json")
	require.Equal(t, "application/json", response.Header.Get("Content-Type"))
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	require.NoError(t, err)

	for _, c := range []struct{ template, path, status, token string }{
		{"/api/v1/repos/{owner}/{name}/runs", "/api/v1/repos/aryeko/ghx/runs", "200", reads},
		{"/api/v1/repos/{owner}/{name}/runs", "/api/v1/repos/Aryeko/GHX/runs?limit=1", "200", reads},
		{"/api/v1/repos/{owner}/{name}/runs", "/api/v1/repos/aryeko/ghx/runs?limit=101", "400", reads},
		{"/api/v1/repos/{owner}/{name}/runs", "/api/v1/repos/aryeko/ghx/runs?limit=x", "400", reads},
		{"/api/v1/repos/{owner}/{name}/runs", "/api/v1/repos/aryeko/ghx/runs?kind=x", "400", reads},
		{"/api/v1/repos/{owner}/{name}/runs", "/api/v1/repos/secret/other/runs", "404", reads},
		{"/api/v1/repos/{owner}/{name}/runs", "/api/v1/repos/aryeko/ghx/runs", "404", "ghp_of_somebody_else"},
		{"/api/v1/repos/{owner}/{name}/runs", "/api/v1/repos/aryeko/ghx/runs", "401", "ghp_revoked"},
		{"/api/v1/repos/{owner}/{name}/runs", "/api/v1/repos/aryeko/ghx/runs", "401", ""},
		{"/api/v1/repos/{owner}/{name}/series", "/api/v1/repos/aryeko/ghx/series", "200", reads},
		{"/api/v1/repos/{owner}/{name}/series", "/api/v1/repos/aryeko/ghx/series?series=a%2Fb+%C2%B7+pr", "200", reads},
		{"/api/v1/runs/{id}", "/api/v1/runs/r4", "200", reads},
		{"/api/v1/runs/{id}", "/api/v1/runs/r5", "200", reads},
		{"/api/v1/runs/{id}", "/api/v1/runs/r3", "200", reads},
		{"/api/v1/runs/{id}", "/api/v1/runs/r2", "404", reads},
		{"/api/v1/runs/{id}", "/api/v1/runs/no-such", "404", reads},
		{"/api/v1/runs/{id}", "/api/v1/runs/no-such", "401", ""},
		{"/api/v1/runs/{id}/rows", "/api/v1/runs/r2/rows", "404", reads},
		{transcriptAt, "/api/v1/runs/r4/scenarios/pr-view-001/ghx/1/transcript", "200", reads},
		{transcriptAt, "/api/v1/runs/r4/scenarios/pr-view-001/ghx/2/transcript", "404", reads},
		{transcriptAt, "/api/v1/runs/r4/scenarios/pr-view-001/ghx/x/transcript", "404", reads},
		{transcriptAt, "/api/v1/runs/r2/scenarios/pr-view-001/ghx/1/transcript", "404", reads},
		{transcriptAt, "/api/v1/runs/r4/scenarios/pr-view-001/ghx/1/transcript", "404", "ghp_of_somebody_else"},
		{transcriptAt, "/api/v1/runs/r4/scenarios/pr-view-001/ghx/1/transcript", "401", ""},
	} {
		response, body := s.ask(t, c.token, c.path)
		require.Equal(t, c.status, response.Status[:3], "%s: %s", c.path, body)
		described(t, document, c.template, c.status, body)
		assert.Equal(t, c.status == "401", response.Header.Get("WWW-Authenticate") != "", c.path)
	}
	response, body = s.ask(t, reads, "/api/v1/runs/r4/rows")
	assert.Equal(t, 4, strings.Count(body, "\n"))
	assert.Equal(t, 2, strings.Count(body, `"scenario_id":"pr-view-001","scenario_set":null,"iteration":1`))
	_, one := s.ask(t, reads, "/api/v1/runs/r4/rows?scenario=pr-view-001")
	assert.Equal(t, 3, strings.Count(one, "\n"))
	assert.Equal(t, `attachment; filename="r4-suite.jsonl"`, response.Header.Get("Content-Disposition"))
	_, missing := s.ask(t, reads, "/api/v1/runs/no-such")
	for _, path := range []string{"", "/rows", "/scenarios/pr-view-001/ghx/1/transcript"} {
		_, hidden := s.ask(t, reads, "/api/v1/runs/r2"+path)
		assert.Equal(t, missing, hidden, "nobody learns that there is a run which he may not see")
	}
	response, _ = s.ask(t, reads, "/api/v1/nothing")
	assert.Equal(t, http.StatusNotFound, response.StatusCode)
}

func TestRunsAreReadPageByPage(t *testing.T) {
	t.Parallel()
	s := open(t, example(t))
	var ids []string
	path := "/api/v1/repos/aryeko/ghx/runs?limit=2"
	for range 2 {
		var answer struct {
			Runs   []struct{ ID string }
			Before *string
		}
		_, body := s.ask(t, reads, path)
		require.NoError(t, json.Unmarshal([]byte(body), &answer))
		for _, run := range answer.Runs {
			ids = append(ids, run.ID)
		}
		if answer.Before == nil {
			break
		}
		path = "/api/v1/repos/aryeko/ghx/runs?limit=2&before=" + *answer.Before
	}
	assert.Equal(t, []string{"r5", "r4", "r3"}, ids)
}

func TestRunsAreFilteredAsOnThePage(t *testing.T) {
	t.Parallel()
	source := example(t)
	s := open(t, source)
	const path = "/api/v1/repos/aryeko/ghx/runs"
	response, body := s.ask(t, reads, path+"?state=finished&verdict=fail&kind=pull_request&model=m&q=%2311&before=r9&limit=7")
	require.Equal(t, http.StatusOK, response.StatusCode, body)
	assert.Equal(t, dashboard.Filter{
		Repos: []string{"aryeko/ghx"}, State: dashboard.Finished, Verdict: bench.VerdictFail, Kind: dashboard.PullRequest, Model: "m",
		Search: dashboard.Search{Text: "#11", Pull: 11}, Before: "r9", Limit: 8,
	}, source.filter)

	_, document := s.ask(t, "", "/api/v1/openapi.json")
	var described struct {
		Paths map[string]struct {
			Get struct {
				Parameters []struct {
					Name   string
					Schema struct{ Enum []string }
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(document), &described))
	_, _ = s.ask(t, reads, path+"?q=ghx")
	assert.Equal(t, dashboard.Search{Text: "ghx"}, source.filter.Search, "all runs are of the repository")
	tried := 0
	for _, parameter := range described.Paths["/api/v1/repos/{owner}/{name}/runs"].Get.Parameters {
		if len(parameter.Schema.Enum) == 0 {
			continue
		}
		for _, choice := range parameter.Schema.Enum {
			response, _ := s.ask(t, reads, path+"?"+parameter.Name+"="+choice)
			assert.Equal(t, http.StatusOK, response.StatusCode, choice)
			tried++
		}
		response, body := s.ask(t, reads, path+"?"+parameter.Name+"=odd")
		assert.Equal(t, http.StatusBadRequest, response.StatusCode)
		assert.Contains(t, body, parameter.Name+" is one of "+strings.Join(parameter.Schema.Enum, ", "), "a program that asks for something else is told")
	}
	assert.Equal(t, 14, tried)
}

// Anybody can make tokens up: GitHub is asked about a few of them at a time.
func TestMadeUpTokensDoNotHaveGitHubAskedForEver(t *testing.T) {
	t.Parallel()
	s := open(t, example(t))
	s.ask(t, reads, "/api/v1/runs/r4")
	for i := range 300 {
		s.ask(t, fmt.Sprint("ghp_made_up_", i), "/api/v1/runs/r4")
	}
	assert.Equal(t, 100, s.asked)
	response, body := s.ask(t, "ghp_revoked", "/api/v1/runs/r4")
	assert.Equal(t, http.StatusTooManyRequests, response.StatusCode)
	assert.Equal(t, "20", response.Header.Get("Retry-After"))
	assert.Contains(t, body, "try again")
	response, _ = s.ask(t, reads, "/api/v1/runs/r4")
	assert.Equal(t, http.StatusOK, response.StatusCode, "who is known is not kept waiting")

	s.now = s.now.Add(20e9)
	for range 3 {
		response, _ = s.ask(t, "ghp_revoked", "/api/v1/runs/r4")
		assert.Equal(t, http.StatusUnauthorized, response.StatusCode)
	}
	assert.Equal(t, 101, s.asked, "what GitHub does not take is remembered too")

	s.now = s.now.Add(10 * time.Minute)
	for i := range 300 {
		s.ask(t, fmt.Sprint("ghp_made_up_later_", i), "/api/v1/runs/r4")
	}
	response, _ = s.ask(t, reads, "/api/v1/runs/r4")
	assert.Equal(t, http.StatusOK, response.StatusCode, "nor is who was known a while ago")
}

func TestTheSessionOfThePagesOpensTheAPI(t *testing.T) {
	t.Parallel()
	s := open(t, example(t))
	s.login(t)
	status, body := s.get(t, "/api/v1/runs/r4")
	require.Equal(t, http.StatusOK, status, body)
	assert.Contains(t, body, `"repository":"aryeko/ghx"`)
	status, _ = s.get(t, "/api/v1/repos/secret/other/runs")
	assert.Equal(t, http.StatusNotFound, status)
}

// A program that asks again and again asks GitHub once a minute, and reads nothing twice.
func TestWhatATokenMayReadIsRememberedForAMinute(t *testing.T) {
	t.Parallel()
	s := open(t, example(t))
	for range 3 {
		s.ask(t, reads, "/api/v1/runs/r4")
		s.ask(t, "ghp_of_somebody_else", "/api/v1/runs/r4")
	}
	assert.Equal(t, 2, s.asked)
	s.now = s.now.Add(61e9)
	response, _ := s.ask(t, reads, "/api/v1/runs/r4")
	assert.Equal(t, 3, s.asked, "access may have been lost")

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1/runs/r4", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "token "+reads)
	request.Header.Set("If-None-Match", response.Header.Get("ETag"))
	again, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer again.Body.Close()
	assert.Equal(t, http.StatusNotModified, again.StatusCode)

	s.away = assert.AnError
	s.now = s.now.Add(61e9)
	response, body := s.ask(t, reads, "/api/v1/runs/r4")
	assert.Equal(t, http.StatusBadGateway, response.StatusCode)
	assert.NotContains(t, body, assert.AnError.Error())
	assert.Len(t, s.failed, 1)
}
