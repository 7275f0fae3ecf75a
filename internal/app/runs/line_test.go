package runs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// asked makes a run of an installation's repository that waits for a place.
func (r *rig) asked(id string, installation int64, repo string, changes ...func(*runs.Run)) {
	r.Helper()
	r.run(id, func(run *runs.Run) {
		run.Installation, run.Repo, run.Pull = installation, repo, len(id)
		run.Request.Plan.Executor, run.Request.Plan.Target = settings.Local, settings.SandboxTarget
		for _, change := range changes {
			change(run)
		}
	})
	require.NoError(r, r.db.Write(r.Context(), func(tx *queue.Tx) error { return r.Enter(r.Context(), tx, id) }))
}

// admit gives places, and returns who got one.
func (r *rig) admit(places runs.Places) (ids []string) {
	r.Helper()
	require.NoError(r, r.db.Write(r.Context(), func(tx *queue.Tx) error {
		require.NoError(r, r.LockLine(r.Context(), tx))
		admitted, err := r.Admit(r.Context(), tx, places)
		for _, place := range admitted {
			ids = append(ids, place.ID)
		}
		return err
	}))
	return ids
}

func (r *rig) line() []string {
	r.Helper()
	ids, err := r.Line(r.Context(), nil)
	require.NoError(r, err)
	return ids
}

// Who asks for one run does not wait for all of who asks for hundreds.
func TestPlacesGoRoundInstallationsAndTheirRepositories(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		for i := range 50 {
			r.asked(fmt.Sprintf("a%d", i), 5, fmt.Sprintf("a/repo-%d", i/10))
		}
		two := runs.Places{Local: 2, Installation: 2}
		assert.Equal(t, []string{"a0", "a10"}, r.admit(two), "another repository before the second run of the first")
		r.asked("b0", 6, "b/b")
		assert.Empty(t, r.admit(two), "all places are taken")
		assert.Equal(t, []string{"b0", "a20", "a30", "a40", "a1"}, r.line()[:5])

		require.True(t, r.end("a0", runs.Finished, runs.Outcome{}))
		assert.Equal(t, []string{"b0"}, r.admit(two))
		require.True(t, r.end("b0", runs.Finished, runs.Outcome{}))
		assert.Equal(t, []string{"a20"}, r.admit(two))
		require.True(t, r.end("a10", runs.Finished, runs.Outcome{}))
		assert.Equal(t, []string{"a30"}, r.admit(two))
		r.asked("c0", 7, "c/c")
		r.asked("b1", 6, "b/b")
		for _, id := range []string{"a20", "a30"} {
			require.True(t, r.end(id, runs.Finished, runs.Outcome{}))
		}
		assert.Equal(t, []string{"c0", "b1"}, r.admit(two), "whose last turn is longest ago comes first")
	})
}

func TestAnInstallationHasNoMorePlacesThanItMay(t *testing.T) {
	r := open(t)
	for i := range 4 {
		r.asked(fmt.Sprintf("a%d", i), 5, "a/a")
	}
	assert.Equal(t, []string{"a0", "a1"}, r.admit(runs.Places{Local: 9, Installation: 2}))
	r.asked("b0", 6, "b/b")
	assert.Equal(t, []string{"b0"}, r.admit(runs.Places{Local: 9, Installation: 2}))
	assert.Equal(t, []string{"a2", "a3"}, r.admit(runs.Places{Local: 9, Installation: 4}), "it may have more now")
}

func TestARunInAWorkflowNeedsNoPlaceOfAMachine(t *testing.T) {
	r := open(t)
	r.asked("here", 5, "a/a")
	r.asked("second", 5, "a/a")
	r.asked("there", 5, "a/a", func(run *runs.Run) { run.Request.Plan.Executor = settings.Dispatch })
	assert.Equal(t, []string{"here", "there"}, r.admit(runs.Places{Local: 1, Installation: 9}))
}

func TestRunsThatNeedTheSameFixturesGoOnOneAfterTheOther(t *testing.T) {
	r := open(t)
	at := func(target string, executor settings.Executor) func(*runs.Run) {
		return func(run *runs.Run) { run.Request.Plan.Target, run.Request.Plan.Executor = target, executor }
	}
	r.asked("first", 5, "a/a", at("aryeko/fixtures", settings.Local))
	r.asked("same", 5, "a/a", at("Aryeko/Fixtures", settings.Local))
	r.asked("other", 5, "a/a", at("aryeko/others", settings.Local))
	r.asked("sandbox", 5, "a/a", at(settings.SandboxTarget, settings.Local))
	r.asked("workflow", 5, "a/a", at("aryeko/fixtures", settings.Dispatch))
	many := runs.Places{Local: 9, Installation: 9}
	assert.Equal(t, []string{"first", "other", "sandbox", "workflow"}, r.admit(many))
	require.True(t, r.end("first", runs.Finished, runs.Outcome{}))
	assert.Equal(t, []string{"same"}, r.admit(many))
}

func TestWhoHasEndedLeavesTheLine(t *testing.T) {
	r := open(t)
	r.asked("a", 5, "a/a")
	r.asked("b", 5, "a/a")
	require.True(t, r.end("a", runs.Stopped, runs.Outcome{Reason: "A newer push"}))
	assert.Equal(t, []string{"b"}, r.line())
	require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error { return r.Enter(t.Context(), tx, "a") }))
	assert.Equal(t, []string{"b"}, r.admit(runs.Places{Local: 9, Installation: 9}))
	assert.True(t, r.get("b").HasPlace)
	assert.Empty(t, r.line())
	require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error { return r.Enter(t.Context(), tx, "b") }))
	assert.Empty(t, r.line(), "it has its place")
}

func TestWhoIsAboutToWaitKnowsItsPlace(t *testing.T) {
	r := open(t)
	for i := range 3 {
		r.asked(fmt.Sprintf("a%d", i), 5, "a/a")
	}
	r.run("b0", func(run *runs.Run) { run.Installation, run.Repo = 6, "b/b" })
	one := r.get("b0")
	ids, err := r.Line(t.Context(), &one)
	require.NoError(t, err)
	assert.Equal(t, []string{"a0", "b0", "a1", "a2"}, ids)
	assert.Equal(t, []string{"a0", "a1", "a2"}, r.line(), "it does not wait yet")
}

func TestTheMeanTimeOfRunsIsThatOfTheLatest(t *testing.T) {
	r := open(t)
	mean := func() time.Duration {
		took, err := r.MeanTime(t.Context())
		require.NoError(t, err)
		return took
	}
	assert.Zero(t, mean())
	for i := range 30 {
		id := fmt.Sprintf("a%d", i)
		r.asked(id, 5, "a/a")
		at := noon.Add(time.Duration(i) * time.Hour)
		require.True(t, r.begin(id, at))
		took := time.Minute
		if i < 10 {
			took = 10 * time.Minute
		}
		require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
			_, err := r.End(t.Context(), tx, id, runs.Finished, runs.Outcome{}, at.Add(took))
			return err
		}))
	}
	assert.Equal(t, time.Minute, mean())
}

// Both databases keep a schedule: it is due in whole periods, whoever was away.
func TestAScheduleIsDueInWholePeriods(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		day := runs.Schedule{Installation: 5, Owner: "aryeko", Name: "ghx", Branch: "main", Period: 24 * time.Hour, Due: noon.Add(24 * time.Hour)}
		due := func(at time.Time) []runs.Schedule {
			all, err := r.Due(t.Context(), at)
			require.NoError(t, err)
			return all
		}
		require.NoError(t, r.SetSchedule(t.Context(), day))
		assert.Empty(t, due(noon.Add(23*time.Hour)))
		assert.Equal(t, []runs.Schedule{day}, due(noon.Add(24*time.Hour)))

		later := day
		later.Due = noon.Add(40 * time.Hour)
		require.NoError(t, r.SetSchedule(t.Context(), later))
		assert.Equal(t, []runs.Schedule{day}, due(noon.Add(24*time.Hour)), "the same period goes on as it is")
		require.NoError(t, r.PutOff(t.Context(), day, noon.Add(100*time.Hour)))
		require.Len(t, due(noon.Add(120*time.Hour)), 1)
		assert.Equal(t, noon.Add(120*time.Hour), due(noon.Add(120 * time.Hour))[0].Due)
		require.NoError(t, r.PutOff(t.Context(), day, noon.Add(100*time.Hour)))
		assert.Equal(t, noon.Add(120*time.Hour), due(noon.Add(120 * time.Hour))[0].Due, "another machine has put it off")

		later.Period = 7 * 24 * time.Hour
		require.NoError(t, r.SetSchedule(t.Context(), later))
		assert.Equal(t, []runs.Schedule{later}, due(noon.Add(40*time.Hour)))
		require.NoError(t, r.EndSchedules(t.Context(), 5, []string{"aryeko/other"}))
		assert.Len(t, due(noon.Add(40*time.Hour)), 1)
		require.NoError(t, r.EndSchedules(t.Context(), 6, nil))
		assert.Len(t, due(noon.Add(40*time.Hour)), 1)
		require.NoError(t, r.EndSchedules(t.Context(), 5, []string{"aryeko/ghx"}))
		assert.Empty(t, due(noon.Add(1000*time.Hour)))
	})
}
