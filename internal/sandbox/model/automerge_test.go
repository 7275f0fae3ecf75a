package model_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// waiting is a world with a pull request that is to be merged as soon as a
// check has passed.
func waiting(t *testing.T) (*world, *model.Issue, *model.App) {
	t.Helper()
	w := newWorld(t)
	app := w.AddApp(model.NewApp{Slug: "gate", Owner: w.owner, Repos: []model.ID{w.repo.ID}})
	pr := w.pull("f", "f", "x\n")
	require.ErrorContains(t, w.EnableAutoMerge(w.owner, pr, model.Merge{Method: model.MethodMerge}), "not allowed for this repository")
	w.repo.AllowAutoMerge = true
	require.ErrorContains(t, w.EnableAutoMerge(w.owner, pr, model.Merge{Method: model.MethodMerge}), "in clean status")
	w.repo.Protection["main"] = model.Protection{RequiredChecks: []string{"gate"}}
	require.Error(t, w.EnableAutoMerge(w.reader, pr, model.Merge{Method: model.MethodMerge}))
	require.NoError(t, w.EnableAutoMerge(w.owner, pr, model.Merge{Method: model.MethodMerge}))
	return w, pr, app
}

func TestAutoMergeWaitsForChecks(t *testing.T) {
	for conclusion, merged := range map[model.Conclusion]bool{model.Success: true, model.Failure: false} {
		t.Run(string(conclusion), func(t *testing.T) {
			w, pr, app := waiting(t)
			_, err := w.CreateCheckRun(app, w.repo, pr.Pull.HeadSHA, model.CheckChange{Name: ptr("gate"), Conclusion: ptr(conclusion)})
			require.NoError(t, err)
			assert.Equal(t, merged, pr.Pull.Merged())
			assert.Equal(t, merged, pr.Pull.AutoMerge == nil)
		})
	}
}

func TestAutoMergeIsTakenBack(t *testing.T) {
	w, pr, app := waiting(t)
	require.NoError(t, w.DisableAutoMerge(w.owner, pr))
	require.ErrorContains(t, w.DisableAutoMerge(w.owner, pr), "Can't disable auto-merge")
	_, err := w.CreateCheckRun(app, w.repo, pr.Pull.HeadSHA, model.CheckChange{Name: ptr("gate"), Conclusion: ptr(model.Success)})
	require.NoError(t, err)
	assert.False(t, pr.Pull.Merged())
}
