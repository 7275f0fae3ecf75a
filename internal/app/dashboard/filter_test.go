package dashboard_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestRunsAreFilteredByTheAddress(t *testing.T) {
	t.Parallel()
	source := example(t)
	s := open(t, source)
	s.login(t)
	_, page := s.get(t, "/?state=finished&verdict=fail&kind=pull_request&model=a%2F%3Cb%3E&q=+GHX+")
	f := source.filter
	assert.Equal(t, []any{dashboard.Finished, bench.VerdictFail, dashboard.PullRequest, "a/<b>"}, []any{f.State, f.Verdict, f.Kind, f.Model})
	assert.Equal(t, dashboard.Search{Text: "GHX", Repos: []string{"aryeko/ghx"}}, f.Search)
	for _, shown := range []string{`value="GHX"`, `<option value="finished" selected>`, `<option value="fail" selected>`, `<option value="pull_request" selected>pull request</option>`, `<option value="a/&lt;b&gt;" selected>a/&lt;b&gt;</option>`} {
		assert.Contains(t, page, shown, "the form says what is filtered")
	}
	assert.Contains(t, page, `>Show all</a>`)

	s.get(t, "/repos/aryeko/ghx?q=ghx")
	assert.Equal(t, dashboard.Search{Text: "ghx"}, source.filter.Search, "all runs there are of it")
	_, page = s.get(t, "/?state=drop+table&verdict=x&kind=y")
	assert.Equal(t, dashboard.Filter{Repos: source.filter.Repos, Limit: source.filter.Limit}, source.filter)
	assert.NotContains(t, page, "Show all")
	_, page = s.get(t, "/?model=gone%2Fmodel")
	assert.Contains(t, page, `<option value="gone/model" selected>gone/model</option>`, "a link goes on to say what it says")
}

func TestWhatIsSearchedForIsUnderstood(t *testing.T) {
	t.Parallel()
	source := example(t)
	s := open(t, source)
	s.login(t)
	for text, want := range map[string]dashboard.Search{
		"#12":            {Pull: 12},
		"12":             {Pull: 12},
		"0":              {},
		"1234":           {Pull: 1234, Commit: "1234", ID: "1234"},
		"ABCD":           {Commit: "abcd", ID: "abcd"},
		"abc":            {},
		"20261121-x7":    {ID: "20261121-x7"},
		"aryeko":         {ID: "aryeko", Repos: []string{"aryeko/ghx"}},
		"secret":         {ID: "secret"},
		"100% '; DROP--": {},
	} {
		s.get(t, "/?q="+url.QueryEscape(text))
		want.Text = text
		assert.Equal(t, want, source.filter.Search)
	}
}

func TestPagesOfAFilterKeepIt(t *testing.T) {
	t.Parallel()
	source := &runs{}
	for i := range 60 {
		source.all = append(source.all, dashboard.Detail{Run: dashboard.Run{ID: "r" + strings.Repeat("x", i), Repo: "aryeko/ghx", State: dashboard.Broken, Created: now}})
	}
	source.series = []dashboard.Series{{Name: "a & b", Runs: 3, Last: now}}
	s := open(t, source)
	s.login(t)
	for _, path := range []string{"/?state=broken&q=ghx", "/repos/aryeko/ghx?state=broken&q=%231&series=a+%26+b"} {
		_, page := s.get(t, path)
		older := regexp.MustCompile(`href="(\?[^"]*before=[^"]*)" rel="next"`).FindStringSubmatch(page)
		require.Len(t, older, 2, page)
		asked, err := url.Parse(path)
		require.NoError(t, err)
		query, err := url.ParseQuery(html.UnescapeString(strings.TrimPrefix(older[1], "?")))
		require.NoError(t, err)
		before := query.Get("before")
		query.Del("before")
		assert.Equal(t, asked.Query(), query)
		s.get(t, asked.Path+"?"+query.Encode()+"&before="+before)
		assert.Equal(t, []any{dashboard.Broken, before}, []any{source.filter.State, source.filter.Before})
	}
	_, page := s.get(t, "/repos/aryeko/ghx?series=a+%26+b")
	assert.Contains(t, page, `<input type="hidden" name="series" value="a &amp; b">`)
	source.all = nil
	_, page = s.get(t, "/?state=queued")
	assert.Contains(t, page, "No run fits.")
	_, page = s.get(t, "/")
	assert.Contains(t, page, "There is no run yet.")
}

func TestAnAccountsRepositoriesAreListedWithHowTheyAre(t *testing.T) {
	t.Parallel()
	source := example(t)
	source.all = append(source.all, dashboard.Detail{Run: dashboard.Run{ID: "base", Repo: "aryeko/ghx", Kind: dashboard.Baseline, State: dashboard.Finished, Verdict: bench.VerdictPass, Created: now.Add(-96 * 3600e9)}})
	s := open(t, source)
	s.repos = []string{"Zed/x", "aryeko/ghx", "aryeko/Empty"}
	s.login(t)
	_, page := s.get(t, "/accounts/Aryeko")
	rows := tableOf(page)
	require.Len(t, rows, 3, page)
	assert.Equal(t, "Empty none none none", rows[1])
	assert.Equal(t, "ghx fail 3 h ago, #11 pass 4 days ago running 3 min ago, #12", rows[2])
	assert.Contains(t, page, `<a href="/repos/aryeko/ghx">ghx</a>`)
	assert.NotContains(t, page, "Zed")
	_, page = s.get(t, "/")
	assert.Less(t, strings.Index(page, `<a href="/accounts/aryeko">`), strings.Index(page, `<a href="/accounts/Zed">`))
	_, page = s.get(t, "/runs/r4/scenarios/pr-view-001/ghx/1")
	assert.Regexp(t, `(?s)<nav class="crumbs".*/accounts/aryeko".*/repos/aryeko/ghx".*/runs/r4".*/runs/r4/scenarios/pr-view-001".*aria-current="page">ghx, repetition 1<`, page)
}
