package appcli_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// world is a GitHub in which an App is installed, with a repository that has
// settings for it. The servers are the App's.
type world struct {
	*sandboxtest.World
	t       *testing.T
	app     model.ID
	private string
	// folder has the data of the server.
	folder, database string
	servers          []*server
	// number and head are the pull request's.
	number int
	head   string
}

// trial are settings of two short scenarios with the scripted agent.
const trial = "model: scripted\nexecutor: local\nscenarios: [pr-view-001]\nrepetitions: 2\n"

// newWorld returns a world without a server. The files are beside the settings.
func newWorld(t *testing.T, config string, files ...gitstore.Change) *world {
	t.Helper()
	files = append(files, gitstore.Change{Path: settings.Path, Content: []byte(config)})
	made := sandboxtest.New(t, files...)
	made.Use(sandbox.Outside{Now: time.Now})
	w := &world{World: sandboxtest.Serve(t, made.World), t: t, folder: t.TempDir()}
	w.database = databaseIn(w.folder)
	private, public := sandboxtest.Key(t)
	w.private = string(private)
	w.Change(func(s *model.State, repo *model.Repo) {
		w.app = s.AddApp(model.NewApp{
			Slug: "bench", Name: "bench", Owner: repo.OwnerID, Repos: []model.ID{repo.ID}, PublicKey: string(public), ClientID: "Iv1.bench",
			ClientSecret: "a-client-secret", CallbackURLs: []string{"http://127.0.0.1/login/callback"},
			Permissions: map[string]string{
				"metadata": "read", "contents": "write", "actions": "write", "checks": "write", "issues": "write", "pull_requests": "write", "statuses": "read",
			},
			Events: []string{"pull_request", "issue_comment", "check_run", "check_suite", "merge_group", "push", "workflow_run"},
		}).ID
		main, _ := s.BranchHead(repo, "main")
		require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/change", main))
	})
	t.Cleanup(w.Deliver(http.DefaultClient))
	return w
}

// env are the settings of the App's servers.
func (w *world) env() []string {
	return []string{
		fmt.Sprintf("BENCH_APP_ID=%d", w.app), "BENCH_APP_PRIVATE_KEY=" + w.private, "BENCH_APP_WEBHOOK_SECRET=" + secret,
		"GITHUB_API_URL=" + w.URL, "GITHUB_URL=" + w.URL, "BENCH_APP_DATA_DIR=" + w.folder, "DATABASE_URL=" + w.database,
		"BENCH_APP_PUBLIC_URL=http://bench.example", "TMPDIR=" + w.t.TempDir(),
	}
}

// serve starts a server of the App, to which GitHub delivers from now on.
func (w *world) serve(env ...string) *server {
	w.t.Helper()
	s := serve(w.t, append(w.env(), env...)...)
	w.servers = append(w.servers, s)
	w.hook(s)
	return s
}

// hook has GitHub deliver to a server from now on.
func (w *world) hook(s *server) {
	w.t.Helper()
	w.Change(func(st *model.State, repo *model.Repo) {
		st.SetAppHook(repo.OwnerID, st.Apps.Get(w.app), model.HookConfig{URL: "http://" + s.address + "/webhook", Secret: secret, ContentType: "json"})
	})
}

// push commits a file to the pull request's branch.
func (w *world) push(path string) {
	w.t.Helper()
	reply := w.As("writer").Do("PUT", sandboxtest.Path+"/contents/"+path, `{"message":"add `+path+`","content":"eA==","branch":"change"}`)
	require.Equal(w.t, http.StatusCreated, reply.Status, reply.Body)
	w.head = reply.Text("commit.sha")
}

// open opens the pull request.
func (w *world) open() {
	w.t.Helper()
	w.push("src/a.ts")
	pull := w.As("writer").Do("POST", sandboxtest.Path+"/pulls", `{"title":"Add a","head":"change","base":"main"}`)
	require.Equal(w.t, http.StatusCreated, pull.Status, pull.Body)
	w.number = pull.Int("number")
}

// fork has the stranger open a pull request from a fork.
func (w *world) fork() {
	w.t.Helper()
	stranger := w.As("stranger")
	fork := stranger.Do("POST", sandboxtest.Path+"/forks", nil)
	require.Equal(w.t, http.StatusAccepted, fork.Status, fork.Body)
	pushed := stranger.Do("PUT", "/repos/stranger/"+sandboxtest.Name+"/contents/evil.ts", `{"message":"evil","content":"eA==","branch":"main"}`)
	require.Equal(w.t, http.StatusCreated, pushed.Status, pushed.Body)
	pull := stranger.Do("POST", sandboxtest.Path+"/pulls", `{"title":"Add evil","head":"stranger:main","base":"main"}`)
	require.Equal(w.t, http.StatusCreated, pull.Status, pull.Body)
	w.number, w.head = pull.Int("number"), pushed.Text("commit.sha")
}

// comment has somebody comment on the pull request.
func (w *world) comment(login, body string) model.ID {
	w.t.Helper()
	made := w.As(login).Do("POST", fmt.Sprintf("%s/issues/%d/comments", sandboxtest.Path, w.number), map[string]any{"body": body})
	require.Equal(w.t, http.StatusCreated, made.Status, made.Body)
	return model.ID(made.Int("id"))
}

// checks returns the App's check runs, the oldest first.
func (w *world) checks() []model.CheckRun {
	var all []model.CheckRun
	w.Look(func(s *model.State) {
		for c := range s.CheckRuns.All() {
			if c.AppID == w.app {
				all = append(all, *c)
			}
		}
	})
	return all
}

// last returns the latest check run, nil if there is none.
func (w *world) last() *model.CheckRun {
	all := w.checks()
	if len(all) == 0 {
		return nil
	}
	return &all[len(all)-1]
}

// comments returns what the App has said on pull requests.
func (w *world) comments() []string {
	var all []string
	w.Look(func(s *model.State) {
		for c := range s.Comments.All() {
			if s.Login(c.AuthorID) == "bench[bot]" {
				all = append(all, c.Body)
			}
		}
	})
	return all
}

// look is how often a test looks whether something has happened.
const look = 10 * time.Millisecond

// until waits until something is so.
func (w *world) until(what string, is func() bool) {
	w.t.Helper()
	w.within(soon, what, is)
}

// within is until, with a time of its own.
func (w *world) within(limit time.Duration, what string, is func() bool) {
	w.t.Helper()
	late := time.After(limit)
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for !is() {
		select {
		case <-ticker.C:
		case <-late:
			said := ""
			for _, s := range w.servers {
				said += s.out.String() + "\n"
			}
			require.FailNow(w.t, "it never came: "+what, "checks %+v\ncomments %q\n%s", w.checks(), w.comments(), said)
		}
	}
}

// concluded waits until so many check runs have completed, and returns the
// latest.
func (w *world) concluded(count int) model.CheckRun {
	w.t.Helper()
	w.until(fmt.Sprintf("%d check runs that have completed", count), func() bool {
		done := 0
		for _, c := range w.checks() {
			if c.Status == model.Completed {
				done++
			}
		}
		return done == count
	})
	return *w.last()
}

// said waits until the App has said something with a text.
func (w *world) said(text string) {
	w.t.Helper()
	w.until("a comment with "+text, func() bool { return contains(w.comments(), text) })
}
