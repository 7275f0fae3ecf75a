package appcli_test

import (
	"net/http"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// shown returns what GitHub has shown of a field of a check run, from the first
// to the last.
func (w *world) shown(check model.ID, field string) (values []string) {
	w.t.Helper()
	for _, entry := range w.Audit() {
		for _, change := range entry.Changes {
			at := slices.IndexFunc(change.Fields, func(f changes.Field) bool { return f.Name == field })
			if change.ID == check && at >= 0 {
				values = append(values, changes.Text(change.Fields[at].After))
			}
		}
	}
	return values
}

func TestACheckRunTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, trial)
	w.serve()
	w.open()
	check := w.concluded(1)
	assert.Equal(t, []string{"queued", "in_progress", "completed"}, w.shown(check.ID, "status"))
	titles := w.shown(check.ID, "output.title")
	require.GreaterOrEqual(t, len(titles), 4, titles)
	assert.Contains(t, titles[0], "QUEUED")
	assert.Contains(t, titles[1], "RUNNING: 0 of 4 cells")
	for _, title := range titles[2 : len(titles)-1] {
		assert.Regexp(t, `RUNNING: [1-4] of 4 cells`, title)
	}
	assert.Contains(t, titles[len(titles)-1], "simulated")
}

// fits requires that buttons are what GitHub takes.
// https://docs.github.com/rest/checks/runs#create-a-check-run
func fits(t *testing.T, buttons []model.CheckAction) {
	t.Helper()
	assert.LessOrEqual(t, len(buttons), 3)
	for _, b := range buttons {
		assert.LessOrEqual(t, utf8.RuneCountInString(b.Label), 20, b.Label)
		assert.LessOrEqual(t, utf8.RuneCountInString(b.Description), 40, b.Description)
		assert.LessOrEqual(t, utf8.RuneCountInString(b.Identifier), 20, b.Identifier)
	}
}

func TestTheButtonsFitAndOneHasADraftMeasured(t *testing.T) {
	t.Parallel()
	w := newWorld(t, trial)
	w.serve()
	w.push("src/a.ts")
	pull := w.As("writer").Do("POST", sandboxtest.Path+"/pulls", `{"title":"Add a","head":"change","base":"main","draft":true}`)
	require.Equal(t, http.StatusCreated, pull.Status, pull.Body)
	skipped := w.concluded(1)
	require.Equal(t, model.Conclusion("action_required"), skipped.Conclusion)
	require.Len(t, skipped.Actions, 1)
	fits(t, skipped.Actions)

	require.NoError(t, w.PressButton("writer", skipped.ID, skipped.Actions[0].Identifier))
	check := w.concluded(2)
	assert.Contains(t, check.Output.Text, "| Runs | 2 | 2 |")
	require.Len(t, check.Actions, 3)
	fits(t, check.Actions)
}

// "Re-run all checks" is on GitHub's page of a commit.
func TestACheckSuiteThatIsAskedForAgainIsMeasuredAgain(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	w := newWorld(t, trial)
	w.serve()
	w.open()
	first := w.concluded(1)
	w.Change(func(s *model.State, _ *model.Repo) {
		require.NoError(t, s.RerequestSuite(s.User("writer").ID, s.CheckSuites.Get(first.SuiteID)))
	})
	second := w.concluded(2)
	assert.Equal(t, []any{first.HeadSHA, "bench", model.Conclusion("neutral")}, []any{second.HeadSHA, second.Name, second.Conclusion})
	assert.NotEqual(t, first.ExternalID, second.ExternalID)
	assert.Contains(t, second.Output.Text, "| Runs | 2 | 2 |")
}
