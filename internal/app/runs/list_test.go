package runs_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// listed are the ids of the runs that a filter finds, in order.
func (r *rig) listed(f dashboard.Filter) string {
	r.Helper()
	f.Limit = 10
	if f.Repos == nil {
		f.Repos = []string{"aryeko/ghx", "o/p"}
	}
	found, err := runs.Source{Table: r.Table}.Runs(r.Context(), f)
	require.NoError(r, err)
	var out []string
	for _, run := range found {
		out = append(out, run.ID)
	}
	return strings.Join(out, " ")
}

// variety has runs of all kinds.
func variety(r *rig) {
	r.run("push", func(run *runs.Run) { run.Head = "abc1" + strings.Repeat("0", 36) })
	r.run("main", func(run *runs.Run) { run.Pull, run.Request.DefaultBranch, run.Request.Plan.Model = 0, true, "c/d" })
	r.run("command", func(run *runs.Run) {
		run.Request.Asked, run.Head = "/bench run by octocat", "abc2"+strings.Repeat("0", 36)
	})
	r.run("group", func(run *runs.Run) { run.Pull, run.Request.Asked = 0, "merge queue" })
	r.run("other", func(run *runs.Run) { run.Repo, run.Pull = "O/p", 12 })
	r.run("hidden", func(run *runs.Run) {
		run.Repo, run.Pull, run.Head, run.Request.Plan.Model = "secret/x", 12, "abc3"+strings.Repeat("0", 36), "of/secret"
	})
	r.end("push", runs.Finished, runs.Outcome{Summary: &bench.Summary{Gate: bench.Gate{Verdict: bench.VerdictFail}}})
	r.end("main", runs.Finished, runs.Outcome{Summary: &bench.Summary{Gate: bench.Gate{Verdict: bench.VerdictPass}}})
	r.end("group", runs.Broken, runs.Outcome{Problem: "x"})
}

func TestRunsAreFoundByAFilter(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		variety(r)
		for _, c := range []struct {
			name string
			of   dashboard.Filter
			want string
		}{
			{"all that may be seen", dashboard.Filter{}, "other group command main push"},
			{"a state", dashboard.Filter{State: dashboard.Queued}, "other command"},
			{"a verdict", dashboard.Filter{Verdict: bench.VerdictFail}, "push"},
			{"a model", dashboard.Filter{Model: "c/d"}, "main"},
			{"a hidden model", dashboard.Filter{Model: "of/secret"}, ""},
			{"pull requests", dashboard.Filter{Kind: dashboard.PullRequest}, "other push"},
			{"the default branch", dashboard.Filter{Kind: dashboard.Baseline}, "main"},
			{"commands", dashboard.Filter{Kind: dashboard.Command}, "command"},
			{"a merge queue", dashboard.Filter{Kind: dashboard.MergeQueue}, "group"},
			{"a state and a kind", dashboard.Filter{Kind: dashboard.PullRequest, State: dashboard.Finished}, "push"},
			{"a repository's name", dashboard.Filter{Search: dashboard.Search{Text: "p", Repos: []string{"o/P"}}}, "other"},
			{"a pull request", dashboard.Filter{Search: dashboard.Search{Text: "12", Pull: 12}}, "other"},
			{"a commit", dashboard.Filter{Search: dashboard.Search{Text: "abc", Commit: "abc"}}, "command push"},
			{"an id", dashboard.Filter{Search: dashboard.Search{Text: "comm", ID: "comm"}}, "command"},
			{"a hidden id", dashboard.Filter{Search: dashboard.Search{Text: "hidden", ID: "hidden"}}, ""},
			{"any of several", dashboard.Filter{Search: dashboard.Search{Text: "x", Pull: 12, Commit: "abc1", ID: "main"}}, "other main push"},
			{"any, of a state", dashboard.Filter{State: dashboard.Finished, Search: dashboard.Search{Text: "x", Pull: 12, Commit: "abc"}}, "push"},
			{"nothing that could be found", dashboard.Filter{Search: dashboard.Search{Text: "%"}}, ""},
			{"older ones", dashboard.Filter{Before: "main"}, "push"},
			{"older ones of a search", dashboard.Filter{Before: "command", Search: dashboard.Search{Text: "abc", Commit: "abc"}}, "push"},
			{"older than a hidden one", dashboard.Filter{Before: "hidden"}, ""},
			{"older than none", dashboard.Filter{Before: "nothing"}, ""},
		} {
			assert.Equal(t, c.want, r.listed(c.of), c.name)
		}
		source := runs.Source{Table: r.Table}
		models, err := source.Models(t.Context(), []string{"Aryeko/ghx", "o/p"})
		require.NoError(t, err)
		assert.Equal(t, []string{"a/b", "c/d"}, models)

		found, err := source.Runs(t.Context(), dashboard.Filter{Repos: []string{"aryeko/ghx"}, Kind: dashboard.Baseline, Limit: 1})
		require.NoError(t, err)
		detail, err := source.Run(t.Context(), "main")
		require.NoError(t, err)
		assert.Equal(t, detail.Run, found[0], "a list says the same as the run's page")
	})
}

func TestTheLatestRunsTellHowARepositoryIs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		variety(r)
		for n := range 3 {
			r.run(fmt.Sprint("later-", n), nil)
		}
		found, err := runs.Source{Table: r.Table}.Latest(t.Context(), []string{"Aryeko/ghx", "o/p", "no/run"})
		require.NoError(t, err)
		var out []string
		for _, run := range found {
			out = append(out, run.ID)
		}
		assert.Equal(t, "later-2 other main", strings.Join(out, " "))
	})
}

// A server that is updated lists the runs of the release before.
func TestRunsOfTheReleaseBeforeAreListed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		db, err := queue.OpenDB(t.Context(), address)
		require.NoError(t, err)
		before := runs.Schema()
		before.Steps = before.Steps[:released]
		require.NoError(t, db.Migrate(t.Context(), before))
		require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
			for n := range 1100 { // more than are brought up to date at a time
				_, err := tx.Exec(t.Context(), `INSERT INTO run (id, cause, installation, repo, pull, head, suite, state, request, created)
					VALUES ($1, $1, 5, 'Aryeko/GHX', $2, 'h', 'bench', 'broken', '{"owner":"Aryeko","name":"GHX","asked":"/bench by octocat","plan":{"model":"a/b","scenarios":["x","y"],"modes":["ghx"]}}', 1000)`, fmt.Sprint("run-", n), n)
				if err != nil {
					return err
				}
			}
			return nil
		}))
		require.NoError(t, db.Close())
		r := at(t, address)
		assert.Equal(t, "run-1099", r.listed(dashboard.Filter{Model: "a/b", Kind: dashboard.Command, Search: dashboard.Search{Text: "1099", Pull: 1099}}))
		assert.Equal(t, 1100, r.count("run WHERE model = 'a/b' AND repo_key = 'aryeko/ghx'"))
		found, err := runs.Source{Table: r.Table}.Runs(t.Context(), dashboard.Filter{Repos: []string{"aryeko/ghx"}, Limit: 1})
		require.NoError(t, err)
		assert.Equal(t, dashboard.Run{
			ID: "run-1099", Kind: dashboard.Command, Repo: "Aryeko/GHX", Pull: 1099, Commit: "h", State: dashboard.Broken, Asked: "/bench by octocat", Model: "a/b", Set: "x, y",
			Modes: []bench.Mode{bench.GHX}, Created: time.UnixMilli(1000).UTC(),
		}, found[0])
	})
}
