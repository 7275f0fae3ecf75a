package appcli_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// onGitHub is as long as longer, in a repository for fixtures.
const onGitHub = "model: scripted\nexecutor: local\nscenarios: [pr-view-001, issue-close-001, issue-milestone-set-001]\nrepetitions: 10\ntarget: owner/fixtures\n"

// remains returns what is in the fixtures repository besides its first commit,
// and what GitHub keeps of it: pull requests and issues that are closed, which
// an App may not delete, and runs that have ended.
func (w *world) remains() []string {
	var all []string
	w.Look(func(s *model.State) {
		repo := s.Repo(sandboxtest.Owner, fixtures)
		for i := range s.Issues.All() {
			if i.RepoID == repo.ID && !i.Closed {
				all = append(all, "issue "+i.Title)
			}
		}
		for _, ref := range repo.Git.Refs("refs/") {
			if ref.Name != "refs/heads/main" && !strings.HasPrefix(ref.Name, "refs/pull/") {
				all = append(all, ref.Name)
			}
		}
		for l := range s.Labels.All() {
			if l.RepoID == repo.ID && strings.HasPrefix(l.Name, "bench-") {
				all = append(all, "label "+l.Name)
			}
		}
		for m := range s.Milestones.All() {
			all = append(all, "milestone "+m.Title)
		}
		for r := range s.Releases.All() {
			all = append(all, "release "+r.Name)
		}
		for p := range s.Projects.All() {
			all = append(all, "project "+p.Title)
		}
	})
	return all
}

func (w *world) untilNothingRemains() {
	w.t.Helper()
	w.until("nothing remains", func() bool { return len(w.remains()) == 0 })
}

// noted returns the seedings that the database of a server that has ended knows
// of.
func (w *world) noted() (seeds string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	db, err := queue.OpenDB(ctx, w.database)
	require.NoError(w.t, err)
	defer db.Close()
	require.NoError(w.t, db.QueryRow(ctx, "SELECT COALESCE(MIN(seed) || ' ' || MAX(seed), '') FROM fixture").Scan(&seeds))
	return seeds
}

// everything is the path of all that REST has of the fixtures repository.
const everything = "/repos/{owner}/" + fixtures + "/{rest...}"

// outage has GitHub not answer about the fixtures repository.
func (w *world) outage() {
	w.t.Helper()
	_, err := w.Faults().Add(faults.Rule{Kind: faults.Unavailable, Path: everything, RetryAfter: time.Second})
	require.NoError(w.t, err)
}

// measuring opens a pull request and waits until attempts are made at it.
func (w *world) measuring() {
	w.t.Helper()
	w.addFixtures(sandboxtest.Owner)
	w.open()
	w.until("rows", func() bool { return len(w.ledgers(w.folder)) > 0 })
}

func TestFixturesOfAServerThatWasKilledAreRemoved(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	w := newWorld(t, onGitHub)
	s := w.serve()
	w.measuring()
	s.kill()
	require.NotEmpty(t, w.remains())
	// Nobody can go on with the run before it is superseded.
	w.outage()
	s = w.serve("BENCH_APP_WORKERS=1")
	w.push("src/b.ts")
	// With one run at a time, the next begins when nobody works on the first.
	w.until("the run is superseded", func() bool {
		c := w.checks()
		return len(c) == 2 && c[1].Status == model.InProgress && c[0].Conclusion == "cancelled"
	})
	require.NotEmpty(t, w.remains())
	w.Faults().Clear()
	check := w.concluded(2)
	assert.Equal(t, model.Conclusion("neutral"), check.Conclusion, check.Output.Summary)
	run := w.checks()[0].ExternalID
	seed := strings.ToLower(run)
	w.until("it is said", func() bool {
		return strings.Contains(s.out.String(), `"fixtures that were left behind are removed","fixtures":{"repository":"owner/fixtures","seed":"`+seed+`","run":"`+run+`"`)
	})
	w.untilNothingRemains()
	assert.Zero(t, s.stop(t), s.out)
	assert.NotContains(t, w.noted(), seed)
	for _, entry := range w.Audit() {
		assert.NotContains(t, s.out.String(), entry.Token+`"`)
	}
}

func TestNothingRemainsOfARunThatWasEnded(t *testing.T) {
	for name, end := range map[string]func(*world){
		"by a command": func(w *world) { w.comment("writer", "/bench cancel") },
		"by a push":    func(w *world) { w.push("src/b.ts") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, onGitHub)
			w.serve()
			w.measuring()
			end(w)
			w.until("all runs have ended", func() bool {
				c := w.last()
				return c.HeadSHA == w.head && c.Status == model.Completed
			})
			assert.Equal(t, model.Conclusion("cancelled"), w.checks()[0].Conclusion)
			w.untilNothingRemains()
		})
	}
}

func TestNothingRemainsOfARunThatTakesTooLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, onGitHub)
	s := w.serve()
	w.measuring()
	s.kill()
	// An hour, the time that it has, and less than after which it counts as dead.
	const late = 61 * time.Minute
	db, err := queue.OpenDB(t.Context(), w.database)
	require.NoError(t, err)
	require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
		_, err := tx.Exec(t.Context(), "UPDATE run SET started = started - $1", late.Milliseconds())
		return err
	}))
	require.NoError(t, db.Close())
	w.serve()
	check := w.concluded(1)
	assert.Contains(t, check.Output.Summary, "longer than timeout")
	w.untilNothingRemains()
}

func TestNothingRemainsOfASeedingThatFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, onGitHub)
	const some = 4
	_, err := w.Faults().Add(faults.Rule{Kind: faults.NotFound, Method: "POST", Path: everything, After: some})
	require.NoError(t, err)
	w.serve()
	w.addFixtures(sandboxtest.Owner)
	w.open()
	assert.Equal(t, model.Conclusion("action_required"), w.concluded(1).Conclusion)
	made := 0
	for _, entry := range w.Audit() {
		if entry.Write && strings.HasPrefix(entry.Path, "/repos/owner/fixtures/") {
			made++
		}
	}
	assert.Greater(t, made, some)
	w.untilNothingRemains()
}

func TestFixturesThatGitHubDidNotLetGoAreRemovedLater(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	w := newWorld(t, onGitHub)
	s := w.serve()
	w.measuring()
	w.outage()
	w.comment("writer", "/bench cancel")
	w.concluded(1)
	w.until("the engine has given up", func() bool { return strings.Contains(s.out.String(), "find the installation of App") })
	require.NotEmpty(t, w.remains())
	w.Faults().Clear()
	w.untilNothingRemains()
}

func TestFixturesWithoutAccessAreGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, onGitHub)
	s := w.serve()
	w.measuring()
	w.Change(func(st *model.State, repo *model.Repo) {
		st.Uninstall(repo.OwnerID, st.InstallationOf(st.Apps.Get(w.app), repo.OwnerID))
	})
	w.until("it is given up", func() bool { return strings.Contains(s.out.String(), "fixtures are left") })
	assert.Contains(t, s.out.String(), "has no access to the repository any more")
	assert.Zero(t, s.stop(t), s.out)
	assert.Empty(t, w.noted())
}
