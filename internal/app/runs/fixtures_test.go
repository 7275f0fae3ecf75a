package runs_test

import (
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

func TestMain(m *testing.M) { os.Exit(dbtest.Main(m)) }

// at is open for a database of any kind.
func at(t *testing.T, address string) *rig {
	t.Helper()
	db, err := queue.OpenDB(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	table, err := runs.Open(t.Context(), db)
	require.NoError(t, err)
	return &rig{t, table, db}
}

const place = "aryeko/fixtures"

func fixturesOf(run string) runs.Fixtures {
	return runs.Fixtures{Repo: place, Seed: "seed-" + run, Installation: 5, Run: run, Noted: noon}
}

func (r *rig) note(f runs.Fixtures, by string, now time.Time) bool {
	r.Helper()
	noted, err := r.NoteFixtures(r.Context(), f, by, now)
	require.NoError(r, err)
	return noted
}

func (r *rig) take(f runs.Fixtures, by string, now time.Time) bool {
	r.Helper()
	found, taken, err := r.TakeFixtures(r.Context(), f.Repo, f.Seed, by, now)
	require.NoError(r, err)
	if taken {
		assert.Equal(r, f, found)
	}
	return taken
}

func (r *rig) left(now time.Time) (seeds []string) {
	r.Helper()
	all, err := r.LeftFixtures(r.Context(), now)
	require.NoError(r, err)
	for _, f := range all {
		seeds = append(seeds, f.Seed)
	}
	return seeds
}

func TestFixturesOfARunThatEndedAreLeftOnceNobodyHoldsThem(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		r.run("a", nil)
		f := fixturesOf("a")
		assert.False(t, r.take(f, "x", noon), "there are none")
		assert.True(t, r.note(f, "process 1", noon))
		later := noon.Add(2 * runs.HoldLife)
		assert.Empty(t, r.left(later), "the run goes on")
		assert.False(t, r.take(f, "x", later))

		r.end("a", runs.Stopped, runs.Outcome{})
		assert.Empty(t, r.left(noon), "the process may still clean up")
		assert.False(t, r.take(f, "x", noon))
		require.NoError(t, r.KeepFixtures(t.Context(), f, "process 1", later))
		require.NoError(t, r.KeepFixtures(t.Context(), f, "somebody else", later.Add(time.Hour)))
		assert.False(t, r.take(f, "x", later), "it has said that it lives")
		later = later.Add(2 * runs.HoldLife)
		assert.Equal(t, []string{f.Seed}, r.left(later), "it is silent")
		assert.True(t, r.take(f, "x", later))
		assert.Empty(t, r.left(later), "somebody is at it")
		assert.False(t, r.take(f, "y", later))

		require.NoError(t, r.ForgetFixtures(t.Context(), f, "process 1"))
		require.NoError(t, r.LeaveFixtures(t.Context(), f, "x"))
		assert.Equal(t, []string{f.Seed}, r.left(later), "they could not be removed")
		assert.True(t, r.take(f, "y", later))
		require.NoError(t, r.ForgetFixtures(t.Context(), f, "y"))
		assert.Empty(t, r.left(later))
	})
}

func TestFixturesThatALivingRunSharesAreNotTouched(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		f := fixturesOf("a")
		r.run("a", nil)
		assert.True(t, r.note(f, "1", noon))
		require.NoError(t, r.LeaveFixtures(t.Context(), f, "1"))
		r.end("a", runs.Stopped, runs.Outcome{})
		r.run("b", func(run *runs.Run) { run.Request.Continues = "a" })
		assert.Empty(t, r.left(noon), "b will go on with them")
		assert.False(t, r.take(f, "x", noon))
		shared := f
		shared.Run = "b"
		assert.True(t, r.note(shared, "2", noon))
		assert.False(t, r.note(f, "3", noon), "one at a time")
		require.NoError(t, r.LeaveFixtures(t.Context(), shared, "2"))
		assert.Empty(t, r.left(noon), "b has not ended")
		r.end("b", runs.Finished, runs.Outcome{})
		assert.True(t, r.take(shared, "x", noon))
	})
}

// Agents meet in lists, and seedings share labels, which go with the last one.
func TestOneIsAtWorkInARepositoryAtATime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		old, fresh, elsewhere := fixturesOf("old"), fixturesOf("fresh"), fixturesOf("fresh")
		fresh.Repo, elsewhere.Repo = "Aryeko/Fixtures", "aryeko/others"
		assert.True(t, r.note(old, "1", noon))
		assert.False(t, r.note(fresh, "2", noon), "case makes no other repository")
		require.NoError(t, r.LeaveFixtures(t.Context(), old, "1"))
		assert.True(t, r.take(old, "x", noon))
		assert.False(t, r.note(fresh, "2", noon), "what is old is being removed")
		assert.True(t, r.note(elsewhere, "3", noon))
		require.NoError(t, r.LeaveFixtures(t.Context(), old, "x"))
		assert.True(t, r.note(fresh, "2", noon))
		assert.False(t, r.take(old, "x", noon), "a run is at work there")
		assert.Empty(t, r.left(noon))
	})
}

func TestWhoSeedsAndWhoRemovesDoNotMeet(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		old, fresh := fixturesOf("old"), fixturesOf("fresh")
		for range 20 {
			assert.True(t, r.note(old, "1", noon))
			require.NoError(t, r.LeaveFixtures(t.Context(), old, "1"))
			var noted, taken bool
			var both sync.WaitGroup
			both.Go(func() {
				var err error
				noted, err = r.NoteFixtures(t.Context(), fresh, "2", noon)
				assert.NoError(t, err)
			})
			both.Go(func() {
				var err error
				_, taken, err = r.TakeFixtures(t.Context(), old.Repo, old.Seed, "x", noon)
				assert.NoError(t, err)
			})
			both.Wait()
			assert.NotEqual(t, noted, taken)
			require.NoError(t, r.ForgetFixtures(t.Context(), fresh, "2"))
			require.NoError(t, r.LeaveFixtures(t.Context(), old, "x"))
		}
	})
}

// A SQLite file has one process: whoever held something before is dead.
func TestHoldsEndWithTheProcessOfASQLiteFile(t *testing.T) {
	r := open(t)
	f := fixturesOf("a")
	assert.True(t, r.note(f, "1", noon))
	_, err := runs.Open(t.Context(), r.db)
	require.NoError(t, err)
	assert.True(t, r.note(f, "2", noon))
}
