package dashboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// runs is a source of made-up runs.
type runs struct {
	all    []dashboard.Detail
	course []dashboard.Point
	series []dashboard.Series
	// rows are by run, transcripts by run and cell.
	rows        map[string][]bench.Row
	transcripts map[string]*agent.Transcript
	// asked is the series that was asked for last, filter the filter.
	asked  string
	filter dashboard.Filter
	err    error
}

func (s *runs) Runs(_ context.Context, f dashboard.Filter) ([]dashboard.Run, error) {
	s.filter = f
	var out []dashboard.Run
	skipping := f.Before != ""
	for _, d := range s.all {
		if !skipping && slices.Contains(f.Repos, d.Repo) && len(out) < f.Limit && (f.Kind == "" || f.Kind == d.Kind) {
			out = append(out, d.Run)
		}
		skipping = skipping && d.ID != f.Before
	}
	return out, s.err
}

func (s *runs) Latest(_ context.Context, repos []string) ([]dashboard.Run, error) {
	var out []dashboard.Run
	for _, d := range s.all {
		if slices.Contains(repos, d.Repo) {
			out = append(out, d.Run)
		}
	}
	return out, s.err
}

func (s *runs) Models(context.Context, []string) ([]string, error) {
	return []string{"a/<b>", "openai/gpt-5.3-codex"}, s.err
}

func (s *runs) Run(_ context.Context, id string) (dashboard.Detail, error) {
	for _, d := range s.all {
		if d.ID == id {
			return d, s.err
		}
	}
	return dashboard.Detail{}, dashboard.ErrNotFound
}

func (s *runs) Series(context.Context, string) ([]dashboard.Series, error) {
	return s.series, s.err
}

func (s *runs) Course(_ context.Context, _, series string, _ int) ([]dashboard.Point, error) {
	s.asked = series
	return s.course, s.err
}

func (s *runs) Rows(_ context.Context, id, scenario string) ([][]byte, error) {
	var lines [][]byte
	for i := range s.rows[id] {
		if row := &s.rows[id][i]; scenario == "" || row.ScenarioID == scenario {
			line, err := json.Marshal(row)
			if err != nil {
				return nil, err
			}
			lines = append(lines, line)
		}
	}
	return lines, s.err
}

func (s *runs) Cells(_ context.Context, id string) ([]bench.Cell, error) {
	var cells []bench.Cell
	for i := range s.rows[id] {
		cells = append(cells, s.rows[id][i].Cell())
	}
	return cells, s.err
}

func (s *runs) Transcript(_ context.Context, id string, cell bench.Cell) (*agent.Transcript, error) {
	return s.transcripts[id+" "+cell.String()], s.err
}

func summary(t *testing.T) *bench.Summary {
	t.Helper()
	data, err := os.ReadFile("testdata/summary.json")
	require.NoError(t, err)
	var s bench.Summary
	require.NoError(t, json.Unmarshal(data, &s))
	return &s
}

func example(t *testing.T) *runs {
	t.Helper()
	tokens := []float64{18, 22, 9, 25, 27.5}
	s := &runs{all: []dashboard.Detail{
		{Run: dashboard.Run{
			ID: "r5", Repo: "aryeko/ghx", Pull: 12, Commit: strings.Repeat("a", 40), State: dashboard.Running, Asked: "push by octocat",
			Model: "openai/gpt-5.3-codex", Set: "ci-verify-pr", Modes: []bench.Mode{bench.AgentDirect, bench.GHX}, Done: 6, Cells: 16, CostUSD: 0.31,
			Created: now.Add(-3 * time.Minute), Started: now.Add(-2 * time.Minute),
		}, Log: "cell 6 of 16\n<script>alert(1)</script>\n"},
		{Run: dashboard.Run{
			ID: "r4", Repo: "aryeko/ghx", Pull: 11, Commit: strings.Repeat("b", 40), State: dashboard.Finished, Verdict: bench.VerdictFail, Asked: "/bench run by octocat",
			Model: "openai/gpt-5.3-codex", Set: "ci-verify-pr", Done: 16, Cells: 16, CostUSD: 0.6712,
			Created: now.Add(-3 * time.Hour), Started: now.Add(-3 * time.Hour), Ended: now.Add(-165 * time.Minute), CheckURL: "https://github.com/aryeko/ghx/runs/4",
		}, Summary: summary(t), Log: "done\n"},
		{Run: dashboard.Run{ID: "r3", Repo: "aryeko/ghx", State: dashboard.Broken, Model: "scripted", Created: now.Add(-72 * time.Hour)}, Problem: "GitHub was down."},
		{Run: dashboard.Run{ID: "r2", Repo: "secret/other", State: dashboard.Finished, Verdict: bench.VerdictFail, Created: now.Add(-80 * time.Hour)}},
	}}
	s.rows, s.transcripts = measured(t)
	for i, v := range tokens {
		verdict := bench.VerdictPass
		if v < 15 {
			verdict = bench.VerdictFail
		}
		id := fmt.Sprint("c", i)
		if i == len(tokens)-1 {
			id = "r4"
		}
		s.course = append(s.course, dashboard.Point{RunID: id, At: now.Add(time.Duration(i-9) * time.Hour), Verdict: verdict, TokensPct: &v, SuccessPP: new(v - 20), CostUSD: v / 50})
	}
	return s
}

// site is the pages on a server, with a GitHub that lets octocat in.
type site struct {
	*httptest.Server
	browser *http.Client
	// repos are those that GitHub shows octocat.
	repos []string
	// gone makes GitHub refuse the user's token.
	gone bool
	// away keeps it from being asked.
	away    error
	revoked []string
	failed  []error
	// asked is how often GitHub was asked what a token may read, askedPublic whether a
	// repository is public; one is.
	asked, askedPublic int
	public             string
	now                time.Time
}

func open(t *testing.T, source dashboard.Source) *site {
	t.Helper()
	s := &site{now: now, repos: []string{"aryeko/ghx"}}
	github := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/login/oauth/authorize":
			back, err := url.Parse(r.FormValue("redirect_uri"))
			if err != nil {
				http.Error(w, "no address", http.StatusBadRequest)
				return
			}
			back.RawQuery = url.Values{"code": {"good"}, "state": {r.FormValue("state")}}.Encode()
			http.Redirect(w, r, back.String(), http.StatusFound)
		case "/login/oauth/access_token":
			w.Header().Set("Content-Type", "application/json")
			if r.FormValue("code") != "good" || r.FormValue("client_secret") != "s3cret" {
				_, _ = w.Write([]byte(`{"error": "bad_verification_code"}`))
				return
			}
			_, _ = w.Write([]byte(`{"access_token": "ghu_token"}`))
		}
	}))
	t.Cleanup(github.Close)
	var handler http.Handler
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(s.Close)
	clock := func() time.Time { return s.now }
	handler = dashboard.New(dashboard.Options{
		Source: source, Now: clock, Failed: func(err error) { s.failed = append(s.failed, err) },
		MayRead: func(_ context.Context, token, repo string) (bool, error) {
			s.asked++
			if token == "ghp_revoked" {
				return false, dashboard.ErrLoggedOut
			}
			return token == reads && strings.EqualFold(repo, "aryeko/ghx"), s.away
		},
		Public: func(_ context.Context, repo string) (bool, error) {
			s.askedPublic++
			return strings.EqualFold(repo, s.public), s.away
		},
		Login: &dashboard.Login{
			ClientID: "Iv1.x", ClientSecret: "s3cret", ServerURL: github.URL, PublicURL: s.URL, HTTP: github.Client(), Now: clock,
			Lookup: func(_ context.Context, token string) (dashboard.Account, error) {
				if s.away != nil {
					return dashboard.Account{}, s.away
				}
				if s.gone || slices.Contains(s.revoked, token) || token != "ghu_token" {
					return dashboard.Account{}, dashboard.ErrLoggedOut
				}
				return dashboard.Account{Login: "octocat", Repos: s.repos}, nil
			},
			Revoke: func(_ context.Context, token string) error {
				s.revoked = append(s.revoked, token)
				return s.away
			},
		},
	})
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	s.browser = &http.Client{Jar: jar}
	return s
}

func (s *site) get(t *testing.T, path string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	require.NoError(t, err)
	response, err := s.browser.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	var body strings.Builder
	_, err = io.Copy(&body, response.Body)
	require.NoError(t, err)
	return response.StatusCode, body.String()
}

func (s *site) login(t *testing.T) {
	t.Helper()
	status, _ := s.get(t, "/login")
	require.Equal(t, http.StatusOK, status)
}

func TestNobodySeesAnythingWithoutALogin(t *testing.T) {
	s := open(t, example(t))
	for _, path := range append(below("r4"), "/", "/?q=ghx", "/repos/aryeko/ghx", "/accounts/aryeko") {
		status, body := s.get(t, path)
		assert.Equal(t, http.StatusUnauthorized, status, path)
		assert.Contains(t, body, "Log in with GitHub")
		assert.NotContains(t, body, "gpt-5.3", path)
	}
}

func TestALoginLeadsBackToThePage(t *testing.T) {
	s := open(t, example(t))
	_, body := s.get(t, "/runs/r4")
	assert.Contains(t, body, `href="/login?next=%2fruns%2fr4"`)
	status, body := s.get(t, "/login?next=%2Fruns%2Fr4")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "aryeko/ghx")
	assert.Contains(t, body, "The ten checks")
}

func TestALoginLeadsNowhereElse(t *testing.T) {
	for _, next := range []string{"https://evil.example/", "//evil.example/", `/\evil.example`, "evil", "javascript:alert(1)", "/%0d%0aSet-Cookie:x"} {
		s := open(t, example(t))
		s.browser.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
			assert.NotContains(t, r.URL.Host, "evil")
			return nil
		}
		status, body := s.get(t, "/login?next="+next)
		assert.Equal(t, http.StatusOK, status, next)
		assert.Contains(t, body, "octocat", "it leads to the runs")
	}
}

func TestOnlyWhatGitHubShowsIsShown(t *testing.T) {
	s := open(t, example(t))
	s.login(t)
	status, body := s.get(t, "/")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "aryeko/ghx")
	assert.NotContains(t, body, "secret/other")
	_, missing := s.get(t, "/runs/nothing")
	for _, path := range append(below("r2"), "/repos/secret/other", "/accounts/secret", "/accounts/ary", "/runs/r4/scenarios/nothing", "/runs/r4/scenarios/pr-view-001/ghx/3", "/runs/r4/scenarios/pr-view-001/ghx/01") {
		status, body := s.get(t, path)
		assert.Equal(t, http.StatusNotFound, status, path)
		assert.Equal(t, missing, body, "%s: nobody learns that there is something which he may not see", path)
	}
}

// below are the pages of a run.
func below(id string) []string {
	run := "/runs/" + id
	return []string{run, run + "/log", run + "/explore", run + "/scenarios/pr-view-001", run + "/scenarios/pr-view-001/ghx/1"}
}

func TestAForgedOrOldLoginIsRefused(t *testing.T) {
	s := open(t, example(t))
	status, _ := s.get(t, "/login/callback?code=good&state=guess")
	assert.Equal(t, http.StatusBadRequest, status, "a state that nobody began")

	s.login(t)
	s.now = now.Add(9 * time.Hour)
	status, _ = s.get(t, "/")
	assert.Equal(t, http.StatusUnauthorized, status, "the session has ended")

	s.login(t)
	address, err := url.Parse(s.URL)
	require.NoError(t, err)
	cookies := s.browser.Jar.Cookies(address)
	require.NotEmpty(t, cookies)
	other := "A"
	if strings.HasPrefix(cookies[0].Value, other) {
		other = "B"
	}
	cookies[0].Value = other + cookies[0].Value[1:]
	s.browser.Jar.SetCookies(address, cookies)
	status, _ = s.get(t, "/")
	assert.Equal(t, http.StatusUnauthorized, status, "the cookie was changed")
}

func TestALossOfAccessIsSeenWithinAMinute(t *testing.T) {
	s := open(t, example(t))
	s.login(t)
	s.gone = true
	s.now = now.Add(61 * time.Second)
	status, _ := s.get(t, "/")
	assert.Equal(t, http.StatusUnauthorized, status)
}

func TestPagesAreShownWhileGitHubIsAway(t *testing.T) {
	s := open(t, example(t))
	s.login(t)
	status, _ := s.get(t, "/")
	require.Equal(t, http.StatusOK, status)
	s.away = errors.New("no route to host")
	s.now = now.Add(30 * time.Minute)
	status, _ = s.get(t, "/")
	assert.Equal(t, http.StatusOK, status, "who it is was seen not long ago")
	s.now = now.Add(2 * time.Hour)
	status, _ = s.get(t, "/")
	assert.Equal(t, http.StatusBadGateway, status, "access may have been taken away since")
}

func TestLoggingOutEndsTheSession(t *testing.T) {
	s := open(t, example(t))
	s.login(t)
	address, err := url.Parse(s.URL)
	require.NoError(t, err)
	copied := s.browser.Jar.Cookies(address)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/logout", nil)
	require.NoError(t, err)
	response, err := s.browser.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusUnauthorized, response.StatusCode)
	assert.Equal(t, []string{"ghu_token"}, s.revoked)
	s.browser.Jar.SetCookies(address, copied)
	status, _ := s.get(t, "/")
	assert.Equal(t, http.StatusUnauthorized, status, "a copy of the cookie is of no use")
}

func TestTheCookieHidesTheToken(t *testing.T) {
	s := open(t, example(t))
	s.login(t)
	address, err := url.Parse(s.URL)
	require.NoError(t, err)
	for _, c := range s.browser.Jar.Cookies(address) {
		assert.NotContains(t, c.Value, "ghu_token")
	}
}

func TestPagesCarryNoScriptAndEscapeWhatTheyShow(t *testing.T) {
	s := open(t, example(t))
	s.login(t)
	for _, path := range append(below("r4"), "/", "/runs/r5", "/repos/aryeko/ghx", "/accounts/aryeko") {
		if strings.HasSuffix(path, "/explore") {
			continue // it has one, which is ours alone: TestARunsAttemptsAreExplored
		}
		_, body := s.get(t, path)
		assert.NotContains(t, strings.ToLower(body), "<script", path)
		assert.NotContains(t, body, "style=", path)
	}
	_, body := s.get(t, "/runs/r5")
	assert.Contains(t, body, "&lt;script&gt;alert(1)")
	response, err := s.browser.Get(s.URL + "/")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Contains(t, response.Header.Get("Content-Security-Policy"), "default-src 'none'")
}

func TestARunThatGoesOnComesAgainByItselfForWhoWantsIt(t *testing.T) {
	s := open(t, example(t))
	s.login(t)
	_, once := s.get(t, "/runs/r5")
	assert.NotContains(t, once, `http-equiv="refresh"`)
	assert.Contains(t, once, `This is how it was at 12:00:00 UTC. <a href="?live=1">`)
	_, list := s.get(t, "/?state=running")
	assert.Contains(t, list, `<a href="?live=1&amp;state=running">`, "the filter stays")
	_, alive := s.get(t, "/runs/r5?live=1")
	assert.Contains(t, alive, `http-equiv="refresh"`)
	assert.Contains(t, alive, "6 of 16")
	_, over := s.get(t, "/runs/r4?live=1")
	assert.NotContains(t, over, `http-equiv="refresh"`)
}

func TestARunThatNeverBeganIsToldWithoutGaps(t *testing.T) {
	s := open(t, &runs{all: []dashboard.Detail{{Run: dashboard.Run{
		ID: "r6", Repo: "aryeko/ghx", Pull: 13, Commit: strings.Repeat("c", 40), State: dashboard.Skipped, Asked: "opened by octocat", Created: now,
	}}}})
	s.login(t)
	_, list := s.get(t, "/")
	assert.Contains(t, list, `<span class="how"><code>ccccccc</code> · opened by octocat · <a href="/repos/aryeko/ghx">over time</a></span>`)
	_, run := s.get(t, "/runs/r6")
	assert.Contains(t, run, `/aryeko/ghx/pull/13">pull request</a></dd>`)
	for _, empty := range []string{"Model", "0 of 0"} {
		assert.NotContains(t, run, empty)
	}
}

func TestAPageSaysWhyARunDidNotBegin(t *testing.T) {
	s := open(t, &runs{all: []dashboard.Detail{{
		Run:    dashboard.Run{ID: "r7", Repo: "aryeko/ghx", Pull: 14, State: dashboard.Skipped, Created: now},
		Reason: "The commit comes from a <fork>. Comment `/bench approve 0123`. The next push ends the approval.",
	}}})
	s.login(t)
	_, run := s.get(t, "/runs/r7")
	assert.Contains(t, run, `Not run</h2><p>The commit comes from a &lt;fork&gt;. Comment <code>/bench approve 0123</code>. The next push ends the approval.</p>`)
}

// Who reads a sum thinks that it was spent.
func TestASumThatNobodySpentIsMarked(t *testing.T) {
	source := &runs{}
	for _, simulated := range []bool{true, false} {
		source.all = append(source.all, dashboard.Detail{Run: dashboard.Run{
			ID: fmt.Sprint(simulated), Repo: "aryeko/ghx", State: dashboard.Running, Simulated: simulated, CostUSD: 0.0875, Created: now,
		}})
	}
	for _, simulated := range []bool{true, true, false, false} {
		source.course = append(source.course, dashboard.Point{RunID: "r", At: now, Verdict: bench.VerdictPass, TokensPct: new(20.0), CostUSD: 0.5, Simulated: simulated})
	}
	s := open(t, source)
	s.login(t)
	for id, shown := range map[string]string{"true": "<dd>0.0875 USD (simulated)</dd>", "false": "<dd>0.0875 USD</dd>"} {
		_, run := s.get(t, "/runs/"+id)
		assert.Contains(t, run, shown)
	}
	_, list := s.get(t, "/")
	assert.Equal(t, 1, strings.Count(list, "0.0875 USD (simulated)"), list)
	assert.NotContains(t, list, "of 0 cells", "how many there are need not be known")
	_, repo := s.get(t, "/repos/aryeko/ghx")
	assert.Contains(t, repo, "Cost of a run over 2 runs:", "only what was spent")
	assert.Contains(t, repo, "Active tokens, reduction over 4 runs:")
}

func TestAFigureThatDoesNotMoveHasNoRange(t *testing.T) {
	source := &runs{}
	for range 3 {
		source.course = append(source.course, dashboard.Point{RunID: "r", At: now, Verdict: bench.VerdictPass, TokensPct: new(62.1), SuccessPP: new(0.0)})
	}
	s := open(t, source)
	s.login(t)
	_, body := s.get(t, "/repos/aryeko/ghx")
	assert.Contains(t, body, "<b>Active tokens, reduction</b><span>62.1%</span>")
	assert.Contains(t, body, "<b>Success rate, difference</b><span>0 pp</span>")
}

func TestManyRunsHaveOlderPages(t *testing.T) {
	source := &runs{}
	for i := range 120 {
		source.all = append(source.all, dashboard.Detail{Run: dashboard.Run{ID: "r" + string(rune('a'+i%26)) + strings.Repeat("x", i/26), Repo: "aryeko/ghx", State: dashboard.Queued, Created: now}})
	}
	s := open(t, source)
	s.login(t)
	seen := map[string]bool{}
	path := "/"
	for range 3 {
		_, body := s.get(t, path)
		for _, part := range strings.Split(body, `href="/runs/`)[1:] {
			id, _, _ := strings.Cut(part, `"`)
			seen[id] = true
		}
		_, rest, more := strings.Cut(body, `href="?before=`)
		if !more {
			break
		}
		id, _, _ := strings.Cut(rest, `"`)
		path = "/?before=" + id
	}
	assert.Len(t, seen, 120)
}

func TestAFailureTellsTheLogAndNotTheVisitor(t *testing.T) {
	source := example(t)
	s := open(t, source)
	s.login(t)
	source.err = errors.New("the database of bench-1 is gone")
	status, body := s.get(t, "/")
	assert.Equal(t, http.StatusInternalServerError, status)
	assert.NotContains(t, body, "bench-1")
	assert.Contains(t, body, "a mistake of this server, not of yours")
	require.Len(t, s.failed, 1)
	assert.ErrorContains(t, s.failed[0], "bench-1")

	source.err = fault.Infraf("open /data/bench.db: %w", errors.New("gone"))
	for _, path := range append(below("r4"), "/", "/repos/aryeko/ghx", "/accounts/aryeko") {
		status, body = s.get(t, path)
		assert.Equal(t, http.StatusServiceUnavailable, status, path)
		assert.Contains(t, body, "database did not answer", path)
		assert.NotContains(t, body, "/data", path)
	}
	s.away, s.now = errors.New("no route to host"), now.Add(3*time.Hour)
	status, body = s.get(t, "/")
	assert.Equal(t, http.StatusBadGateway, status)
	assert.Contains(t, body, "GitHub did not answer")
	assert.NotContains(t, body, "no route")
}

func TestWithoutALoginThePagesAreOff(t *testing.T) {
	server := httptest.NewServer(dashboard.New(dashboard.Options{Source: example(t), Now: func() time.Time { return now }}))
	defer server.Close()
	response, err := server.Client().Get(server.URL + "/runs/r4")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusNotFound, response.StatusCode)
	response, err = server.Client().Get(server.URL)
	require.NoError(t, err)
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	for _, mend := range []string{"/setup", "BENCH_APP_PUBLIC_URL", "BENCH_APP_CLIENT_ID", "BENCH_APP_CLIENT_SECRET"} {
		assert.Contains(t, string(said), mend)
	}
}

// What cannot be compared does not share a line.
func TestASeriesIsShownByItself(t *testing.T) {
	t.Parallel()
	source := &runs{series: []dashboard.Series{{Name: "a/b · pr · ghx against gh", Runs: 3, Last: now}, {Name: "c/d · <pr> & more", Runs: 1, Last: now}}}
	for i, v := range []float64{20, 22, 11} {
		source.course = append(source.course, dashboard.Point{
			RunID: fmt.Sprint("r", i), Commit: strings.Repeat(fmt.Sprint(i), 40), At: now.Add(time.Duration(i*i) * 24 * time.Hour), DefaultBranch: i != 1, Pull: map[int]int{1: 7}[i],
			Verdict: bench.VerdictPass, TokensPct: &v, Limits: map[bench.CheckName]dashboard.Limits{bench.CheckTokensReduction: {Low: new(v - 4), High: new(v + 4), Threshold: new(15.0)}},
		})
	}
	s := open(t, source)
	s.login(t)
	_, page := s.get(t, "/repos/aryeko/ghx")
	assert.Equal(t, "a/b · pr · ghx against gh", source.asked, "the one with the latest run")
	assert.Contains(t, page, `<a href="?series=c%2fd%20%c2%b7%20%3cpr%3e%20%26%20more">c/d · &lt;pr&gt; &amp; more</a> <span>1 run</span>`)
	assert.Contains(t, page, `aria-current="page">a/b · pr · ghx against gh</a>`)
	_, chart, found := strings.Cut(page, `aria-label="Active tokens, reduction over 3 runs: from 20% to 11%, where 15% is the threshold"`)
	require.True(t, found, page)
	assert.Contains(t, chart, `<polyline points="8,31.4 312,66.4"/>`, "the line is of the default branch")
	assert.Contains(t, chart, `<circle class="good aside" cx="84" cy="23.6" r="3"><title>22% · 1111111 · #7 · 2026-11-22 12:00 UTC · 18% to 26%</title>`, "a quarter of the time is a quarter of the axis")
	assert.Contains(t, chart, `<time datetime="2026-11-21">21 Nov 2026</time><time datetime="2026-11-25">25 Nov 2026</time>`)
	assert.Contains(t, chart, `<td><a href="/runs/r1">1111111 #7</a></td><td>pass</td><td>22%</td>`)
	newest, older := strings.Index(chart, "/runs/r2\">2222222 default branch"), strings.Index(chart, "/runs/r0\">0000000")
	assert.True(t, newest > 0 && older > newest, "the newest run is first in the table")

	s.get(t, "/repos/aryeko/ghx?series=c%2Fd")
	assert.Equal(t, "c/d", source.asked)
}

// A maintainer sees when the tool became worse, and with which commit; what pull
// requests tried is no change.
func TestAChangeOfTheDefaultBranchIsMarkedOnce(t *testing.T) {
	t.Parallel()
	source := &runs{series: []dashboard.Series{{Name: "a/b", Runs: 80, Last: now}}}
	for i := range 80 {
		v := 30 + float64(i*7%5)/5
		if i >= 50 || i%2 == 1 {
			v -= 9
		}
		source.course = append(source.course, dashboard.Point{
			RunID: fmt.Sprint("r", i), Commit: fmt.Sprintf("%040d", i), At: now.Add(time.Duration(i) * time.Hour), DefaultBranch: i%2 == 0, Verdict: bench.VerdictPass, TokensPct: &v,
		})
	}
	s := open(t, source)
	s.login(t)
	_, page := s.get(t, "/repos/aryeko/ghx")
	assert.Equal(t, 1, strings.Count(page, "First seen with"))
	assert.Equal(t, 1, strings.Count(page, `<line class="change"`))
	assert.Contains(t, page, `First seen with <a href="/runs/r50">0000000 · default branch · 2026-11-23 14:00 UTC</a>`)
	assert.Contains(t, page, `<li>Active tokens, reduction: worse, from 30.4% to 21.4%</li>`)
}

// From the repository's page a maintainer sees in which tasks, and between which commits.
func TestAChangeSaysInWhichScenariosAndSinceWhichCommit(t *testing.T) {
	t.Parallel()
	scenario := func(id string, successes int, tokens float64) bench.ScenarioSummary {
		return bench.ScenarioSummary{
			ID: id, TokensActiveReductionPct: &tokens, CostReductionPct: new(tokens / 10),
			Modes: map[bench.Mode]bench.ScenarioModeSummary{bench.AgentDirect: {Runs: 4, Successes: 1}, bench.GHX: {Runs: 4, Successes: successes}},
		}
	}
	source := &runs{series: []dashboard.Series{{Name: "a/b", Runs: 80, Last: now}}}
	for i := range 80 {
		v, summary := 30+float64(i*7%5)/5, &bench.Summary{Scenarios: []bench.ScenarioSummary{
			scenario("as-before", 4, 50), scenario("a-little", 4, 60), scenario("dearer", 4, 70), scenario("fails", 4, 60), scenario("fails-once", 4, 60),
		}}
		if i >= 50 {
			v -= 9
			summary.Scenarios = []bench.ScenarioSummary{
				scenario("as-before", 4, 50), scenario("a-little", 4, 40.1), scenario("dearer", 4, -10), scenario("fails", 1, 60), scenario("fails-once", 3, 60), scenario("new", 0, 0),
			}
		}
		summary.Gate.Candidate = bench.GHX
		run := dashboard.Run{ID: fmt.Sprint("r", i), Repo: "aryeko/ghx", Commit: fmt.Sprintf("%040d", i), State: dashboard.Finished, Created: now}
		source.all = append(source.all, dashboard.Detail{Run: run, Summary: summary})
		source.course = append(source.course, dashboard.Point{
			RunID: run.ID, Commit: run.Commit, At: now.Add(time.Duration(i) * time.Hour), DefaultBranch: i != 49, Verdict: bench.VerdictPass, TokensPct: &v, CostUSD: 40 - v,
			Limits: map[bench.CheckName]dashboard.Limits{bench.CheckTokensReduction: {Threshold: new(25.0)}},
		})
	}
	s := open(t, source)
	s.login(t)
	_, page := s.get(t, "/repos/aryeko/ghx")
	assert.Equal(t, 1, strings.Count(page, "First seen with"), "what changed with one commit is said at once")
	assert.Contains(t, page, "<li>Cost of a run: worse, from ")
	assert.Contains(t, page, "/aryeko/ghx/compare/"+source.course[48].Commit+"..."+source.course[50].Commit+`">the commits since the run before</a>`, "a pull request's run is not the one before")
	assert.Contains(t, page, `<ul><li><a href="/runs/r50/scenarios/fails">fails</a>: succeeded 4 of 4 → 1 of 4</li>`+
		`<li><a href="/runs/r50/scenarios/fails-once">fails-once</a>: succeeded 4 of 4 → 3 of 4</li>`+
		`<li><a href="/runs/r50/scenarios/dearer">dearer</a>: active tokens 70% less → 10% more</li></ul>`)
	assert.Contains(t, page, `<circle class="good" `, "a dot has the colour of its own check")
	assert.Contains(t, page, `<circle class="bad" `)

	source.all = slices.Delete(source.all, 48, 49)
	_, page = s.get(t, "/repos/aryeko/ghx")
	assert.Contains(t, page, "First seen with")
	assert.NotContains(t, page, "fails", "the run before is not kept any more")
}

// When something was is said in days as long as people count them.
func TestLongAgoIsADate(t *testing.T) {
	t.Parallel()
	source := &runs{}
	for i, at := range []time.Duration{30 * time.Second, 5 * time.Minute, 47 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour} {
		source.all = append(source.all, dashboard.Detail{Run: dashboard.Run{ID: fmt.Sprint("r", i), Repo: "aryeko/ghx", State: dashboard.Skipped, Created: now.Add(-at)}})
	}
	s := open(t, source)
	s.login(t)
	_, page := s.get(t, "/")
	for _, said := range []string{">just now<", ">5 min ago<", ">47 h ago<", ">3 days ago<", ">14 Nov 2026<"} {
		assert.Contains(t, page, said)
	}
}
