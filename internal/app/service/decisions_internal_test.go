package service

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	gogithub "github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
)

// There is one error budget for a question: what asks another one has its own.
func TestV7WhichRunAsksTheSame(t *testing.T) {
	plan := settings.Plan{Profile: bench.ProfileRegression, Baseline: bench.GHXBase, Model: "a/b", Set: "ci", Scenarios: []string{"x", "y"}}
	for name, c := range map[string]struct {
		now  func(p *settings.Plan)
		base string
		same bool
	}{
		"the same":           {func(*settings.Plan) {}, "ba5e", true},
		"another profile":    {func(p *settings.Plan) { p.Profile = bench.ProfileClaim }, "ba5e", false},
		"another model":      {func(p *settings.Plan) { p.Model = "a/c" }, "ba5e", false},
		"other scenarios":    {func(p *settings.Plan) { p.Set, p.Scenarios = "", []string{"x"} }, "ba5e", false},
		"the base has moved": {func(*settings.Plan) {}, "0ther", false},
		"another baseline":   {func(p *settings.Plan) { p.Baseline = bench.AgentDirect }, "ba5e", false},
	} {
		now := plan
		c.now(&now)
		r := runs.Run{Request: runs.Request{Plan: plan, BaseSHA: "ba5e"}}
		assert.Equal(t, c.same, sameQuestion(r, runRequest{plan: now, pull: ghevent.Pull{BaseSHA: c.base}}), name)
	}
	direct := plan
	direct.Baseline = bench.AgentDirect
	r := runs.Run{Request: runs.Request{Plan: direct, BaseSHA: "ba5e"}}
	assert.True(t, sameQuestion(r, runRequest{plan: direct, pull: ghevent.Pull{BaseSHA: "0ther"}}), "without a mode of the base nobody compares with it")
	tasks := direct
	tasks.Benchmark = "tasks"
	require.True(t, tasks.OfTasks())
	r.Request.Plan = tasks
	assert.False(t, sameQuestion(r, runRequest{plan: tasks, pull: ghevent.Pull{BaseSHA: "0ther"}}), "tasks are compared with the agent of the base")
}

func TestWhatIsNotAffordedSaysWhy(t *testing.T) {
	used, dear := overBudget{0, 3}.Error(), overBudget{2, 3}.Error()
	assert.NotEqual(t, used, dear)
	assert.Equal(t, used, overBudget{-1, 3}.Error(), "more than all is used up, too")
	assert.Contains(t, dear, "cost 3 USD, and 2 may be spent")
	assert.Contains(t, used, "is used up")
}

// An age grows by a clock that nobody sets, once it was asked for.
func TestAnAgeIsNoMatterOfTheClock(t *testing.T) {
	since := time.Date(2026, 2, 25, 12, 0, 0, 0, time.UTC)
	var a ages
	assert.Equal(t, 5*time.Minute, a.of("run-1", since, since.Add(5*time.Minute), time.Hour))
	assert.Equal(t, 6*time.Minute, a.of("run-1", since, since.Add(100*time.Hour), time.Hour+time.Minute), "somebody has set the clock forth")
	assert.Equal(t, 7*time.Minute, a.of("run-1", since, since.Add(-time.Hour), time.Hour+2*time.Minute), "or back")
	assert.Equal(t, time.Minute, a.of("run-2", since, since.Add(time.Minute), time.Hour+2*time.Minute), "each run has its own")
	assert.Equal(t, 2*time.Minute, a.of("run-1", since.Add(time.Minute), since.Add(3*time.Minute), time.Hour+2*time.Minute), "and each beginning")
	assert.Zero(t, a.of("run-3", since.Add(time.Hour), since, time.Hour), "what has not begun is not older than that")

	// What nobody has asked for in more than an hour is forgotten when something new is.
	a.of("run-2", since, since.Add(time.Minute), 2*time.Hour+2*time.Minute)
	a.of("new", since, since, 2*time.Hour+2*time.Minute)
	assert.Equal(t, 67*time.Minute, a.of("run-1", since, since, 2*time.Hour+2*time.Minute), "an hour is not too long")
	a.of("newer", since, since, 3*time.Hour+3*time.Minute)
	assert.Equal(t, 9*time.Minute, a.of("run-1", since, since.Add(9*time.Minute), 3*time.Hour+3*time.Minute))
	assert.LessOrEqual(t, len(a.known), 2, "a server that runs for months keeps few")
}

func TestACheckHasTheButtonsThatFitItsEnd(t *testing.T) {
	identifiers := func(state runs.State) (all []string) {
		for _, b := range buttons(runs.Run{State: state}) {
			assert.NotEmpty(t, b.Label)
			assert.LessOrEqual(t, len(b.Label), 20, "GitHub takes no longer one")
			assert.LessOrEqual(t, len(b.Description), 40)
			assert.NotEmpty(t, b.Description)
			all = append(all, b.Identifier)
		}
		return all
	}
	assert.Equal(t, []string{buttonFull}, identifiers(runs.Skipped), "there is nothing to go on with, or to explain")
	for _, state := range []runs.State{runs.Finished, runs.Stopped, runs.Broken} {
		assert.Equal(t, []string{buttonRetry, buttonFull, buttonExplain}, identifiers(state))
	}
}

func TestARunSaysWhatItWasAskedForBy(t *testing.T) {
	for want, e := range map[string]ghevent.Event{
		"opened by octocat":           pullEvent("opened"),
		"push by octocat":             pullEvent("synchronize"),
		"ready for review by octocat": pullEvent("ready_for_review"),
	} {
		assert.Equal(t, want, asked(e))
	}
	assert.Equal(t, "push by octocat", asked(suiteEvent("requested", 1)), "a suite is made by one")
}

// A run is kept to be told of as long as GitHub may answer again.
func TestWhatGitHubDeclinesForGood(t *testing.T) {
	answer := func(status int) error {
		return github.Explain("do it", &gogithub.ErrorResponse{Response: &http.Response{StatusCode: status, Request: &http.Request{URL: &url.URL{}}}})
	}
	for _, status := range []int{http.StatusNotFound, http.StatusForbidden, http.StatusUnauthorized, http.StatusGone} {
		assert.True(t, notThere(answer(status)), status)
		assert.False(t, declined(answer(status), 1), "%d may be a delay", status)
		assert.True(t, declined(answer(status), 2), status)
	}
	for _, status := range []int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusTooManyRequests} {
		assert.False(t, notThere(answer(status)), status)
		assert.False(t, declined(answer(status), 100), "%d is an outage", status)
	}
	limited := &gogithub.ErrorResponse{Message: "You have exceeded a secondary rate limit.", Response: &http.Response{
		StatusCode: http.StatusForbidden, Header: http.Header{"Retry-After": []string{"60"}}, Request: &http.Request{URL: &url.URL{}},
	}}
	assert.False(t, notThere(limited), "there is a later")
	assert.False(t, declined(answer(http.StatusUnprocessableEntity), measureTries-1))
	assert.True(t, declined(answer(http.StatusUnprocessableEntity), measureTries))
}
