package publish_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/publish"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// passed is an end with so many annotations.
func passed(annotations int) publish.End {
	end := publish.End{CheckRun: comment.CheckRun{Conclusion: comment.Success, Output: comment.CheckOutput{Title: "Passed", Summary: "all well", Text: "more"}}}
	for i := range annotations {
		end.Output.Annotations = append(end.Output.Annotations, comment.Annotation{
			Path: "scenarios/a.json", StartLine: i + 1, EndLine: i + 1, Level: comment.LevelWarning, Message: fmt.Sprint("remark ", i),
		})
	}
	return end
}

// stopped is the end of work that was cancelled.
func stopped() publish.End {
	return publish.End{CheckRun: comment.CheckRun{Conclusion: comment.Cancelled, Output: comment.CheckOutput{Title: "Stopped"}}}
}

func TestACheckRunFromStartToEnd(t *testing.T) {
	p := newPlace(t)
	check, notices := p.publisher(everything).StartCheck(t.Context(), p.start(), working("0 of 9"))
	require.Empty(t, notices)
	require.Len(t, p.checks(), 1)
	run := p.checks()[0]
	assert.Equal(t, []any{p.head, "bench", "run 1", model.InProgress, "Working"}, []any{run.HeadSHA, run.Name, run.ExternalID, run.Status, run.Output.Title})
	assert.Equal(t, fmt.Sprint("https://github.com/owner/hello/runs/", run.ID), check.URL())

	end := passed(1)
	end.At = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	assert.Empty(t, check.Complete(t.Context(), end))
	assert.Empty(t, check.Complete(t.Context(), publish.End{CheckRun: comment.CheckRun{Conclusion: comment.Failure}}), "it ends once")
	require.Len(t, p.checks(), 1)
	run = p.checks()[0]
	assert.Equal(t, model.Success, run.Conclusion)
	assert.Equal(t, model.CheckOutput{Title: "Passed", Summary: "all well", Text: "more"}, run.Output)
	assert.Len(t, run.Annotations, 1)
	assert.Equal(t, end.At, *run.CompletedAt)
}

// A check run is opened as what it is, and nothing ends it but its end.
func TestACheckRunIsOpenedAsWhatItIs(t *testing.T) {
	for given, want := range map[comment.CheckStatus]model.Status{
		comment.StatusQueued: model.Queued, comment.StatusInProgress: model.InProgress, comment.StatusCompleted: model.InProgress,
	} {
		p := newPlace(t)
		shown := comment.CheckRun{Status: given, Conclusion: comment.Success, Output: comment.CheckOutput{Title: "Made"}}
		_, notices := p.publisher(everything).StartCheck(t.Context(), p.start(), shown)
		require.Empty(t, notices)
		assert.Equal(t, []any{want, "Made"}, []any{p.checks()[0].Status, p.checks()[0].Output.Title})
	}
}

func TestACheckRunThatIsTakenOverShowsWhatItIsNow(t *testing.T) {
	p := newPlace(t)
	queued := comment.CheckRun{Status: comment.StatusQueued, Output: comment.CheckOutput{Title: "Waiting"}}
	for _, shown := range []comment.CheckRun{queued, working("0 of 9")} {
		_, notices := p.publisher(everything).StartCheck(t.Context(), p.start(), shown)
		require.Empty(t, notices)
	}
	require.Len(t, p.checks(), 1)
	assert.Equal(t, []any{model.InProgress, "Working"}, []any{p.checks()[0].Status, p.checks()[0].Output.Title})
}

func TestACheckRunThatNobodyOpenedIsMadeAsEnded(t *testing.T) {
	p := newPlace(t)
	end := passed(1)
	end.Output.Annotations[0].Title = "Coverage"
	end.At, end.Buttons = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), []publish.Button{{Label: "Retry", Description: "Again", Identifier: "retry"}}
	check := p.publisher(everything).Check(p.start())
	require.Empty(t, check.Complete(t.Context(), end))
	require.Len(t, p.checks(), 1)
	run := p.checks()[0]
	assert.Equal(t, []any{model.Completed, model.Success, end.At, "retry"}, []any{run.Status, run.Conclusion, *run.CompletedAt, run.Actions[0].Identifier})
	assert.Equal(t, "Coverage", run.Annotations[0].Title)
	assert.NotZero(t, check.ID())
}

func TestOtherWorkThatGoesOnHasItsOwnCheckRun(t *testing.T) {
	p := newPlace(t)
	for _, work := range []string{"run 1", "run 2"} {
		start := p.start()
		start.ExternalID = work
		_, notices := p.publisher(everything).StartCheck(t.Context(), start, working(""))
		require.Empty(t, notices)
	}
	assert.Len(t, p.checks(), 2)
}

// Two that open the check run of the same work at the same time do not find each other's.
func TestAllCheckRunsOfTheSameWorkEnd(t *testing.T) {
	p := newPlace(t)
	start := p.start()
	for _, work := range []string{"run 1", "run 1", "run 2"} {
		start.ExternalID, start.ID = "another at first", 0
		_, notices := p.publisher(everything).StartCheck(t.Context(), start, working(""))
		require.Empty(t, notices)
		last := p.checks()[len(p.checks())-1].ID
		p.Change(func(s *model.State, _ *model.Repo) { s.CheckRuns.Get(last).ExternalID = work })
	}
	start.ExternalID, start.ID = "run 1", p.checks()[0].ID
	check, end := p.publisher(everything).Check(start), passed(1)
	require.Empty(t, check.Complete(t.Context(), end))
	require.NoError(t, check.CompleteDoubles(t.Context(), end))
	var ends []any
	for _, run := range p.checks() {
		ends = append(ends, run.Conclusion, run.Output.Title, len(run.Annotations))
	}
	assert.Equal(t, []any{model.Success, "Passed", 1, model.Success, "Passed", 0, model.Conclusion(""), "Working", 0}, ends)
	assert.Contains(t, p.checks()[1].Output.Summary, "Another check run")

	before := p.wire.count()
	require.NoError(t, check.CompleteDoubles(t.Context(), end))
	assert.Equal(t, 1, p.wire.count()-before, "what has ended is left alone")
}

func TestAnnotationsComeInPieces(t *testing.T) {
	for _, c := range []struct{ given, shown, calls, notices int }{
		{0, 0, 1, 0}, {50, 50, 1, 0}, {51, 51, 2, 0}, {200, 200, 4, 0}, {201, 200, 4, 1},
	} {
		t.Run(fmt.Sprint(c.given), func(t *testing.T) {
			p := newPlace(t)
			check, _ := p.publisher(everything).StartCheck(t.Context(), p.start(), working("0 of 9"))
			before := p.wire.count()
			assert.Len(t, check.Complete(t.Context(), passed(c.given)), c.notices)
			run := p.checks()[0]
			assert.Len(t, run.Annotations, c.shown)
			assert.Equal(t, model.Success, run.Conclusion)
			assert.Equal(t, "all well", run.Output.Summary)
			assert.Equal(t, c.calls, p.wire.count()-before)
		})
	}
}

func TestAnOpenCheckRunIsTakenOver(t *testing.T) {
	p := newPlace(t)
	_, notices := p.publisher(everything).StartCheck(t.Context(), p.start(), working("0 of 9"))
	require.Empty(t, notices)
	_, notices = p.publisher(everything).StartCheck(t.Context(), p.start(), working("0 of 9"))
	require.Empty(t, notices)
	require.Len(t, p.checks(), 1, "the same work has one check run")

	// What comes after a crash finds what the crash left open.
	left, notices := p.publisher(everything).OpenCheck(t.Context(), p.start())
	require.Empty(t, notices)
	require.NotNil(t, left)
	assert.Empty(t, left.Complete(t.Context(), stopped()))
	assert.Equal(t, model.Cancelled, p.checks()[0].Conclusion)
	none, notices := p.publisher(everything).OpenCheck(t.Context(), p.start())
	assert.Empty(t, notices)
	assert.Nil(t, none, "it has ended")

	other := p.start()
	other.ExternalID = "run 2"
	_, notices = p.publisher(everything).StartCheck(t.Context(), other, working("0 of 9"))
	require.Empty(t, notices)
	assert.Len(t, p.checks(), 2, "other work has another one")
}

func TestACheckRunOfAnotherApp(t *testing.T) {
	p := newPlace(t)
	p.Change(func(s *model.State, repo *model.Repo) {
		app := s.AddApp(model.NewApp{Slug: "gate", Owner: repo.OwnerID, Repos: []model.ID{repo.ID}})
		_, err := s.CreateCheckRun(app, repo, p.head, model.CheckChange{Name: new("bench"), ExternalID: new("run 1")})
		require.NoError(t, err)
	})
	check, notices := p.publisher(everything).StartCheck(t.Context(), p.start(), working("0 of 9"))
	require.Empty(t, notices)
	assert.Empty(t, check.Complete(t.Context(), passed(0)))
	require.Len(t, p.checks(), 2)
	assert.Equal(t, model.Queued, p.checks()[0].Status, "it is not ours to change")
	assert.Equal(t, model.Success, p.checks()[1].Conclusion)
}

func TestProgressIsRare(t *testing.T) {
	p := newPlace(t)
	start := p.start()
	start.ProgressEvery = 10 * time.Second
	check, _ := p.publisher(everything).StartCheck(t.Context(), start, working("0 of 9"))
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	before := p.wire.count()
	for second := range 25 {
		assert.Empty(t, check.Progress(t.Context(), now.Add(time.Duration(second)*time.Second), working(fmt.Sprint(second)).Output))
	}
	assert.Equal(t, 3, p.wire.count()-before, "at 0, 10 and 20 seconds")
	assert.Equal(t, "20", p.checks()[0].Output.Summary)
	assert.Equal(t, model.InProgress, p.checks()[0].Status)

	require.Empty(t, check.Complete(t.Context(), passed(0)))
	assert.Empty(t, check.Progress(t.Context(), now.Add(time.Hour), working("").Output))
	assert.Equal(t, "Passed", p.checks()[0].Output.Title, "nothing comes after the end")
}

func TestProgressOfManyAtOnce(t *testing.T) {
	p := newPlace(t)
	check, _ := p.publisher(everything).StartCheck(t.Context(), p.start(), working("0 of 9"))
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			check.Progress(t.Context(), time.Unix(int64(i)*1000, 0), working("").Output)
			_ = check.URL()
		})
	}
	all.Go(func() { check.Complete(t.Context(), passed(60)) })
	all.Wait()
	assert.Equal(t, "Passed", p.checks()[0].Output.Title)
	assert.Len(t, p.checks()[0].Annotations, 60)
}

func TestACheckRunEndsAlthoughTheWorkWasCancelled(t *testing.T) {
	p := newPlace(t)
	ctx, cancel := context.WithCancel(t.Context())
	check, _ := p.publisher(everything).StartCheck(ctx, p.start(), working("0 of 9"))
	cancel()
	assert.Empty(t, check.Complete(ctx, stopped()))
	assert.Equal(t, model.Cancelled, p.checks()[0].Conclusion)
}

// Who cancels does not wait for a GitHub that does not answer.
func TestThePublishingOfCancelledWorkEnds(t *testing.T) {
	p := newPlace(t)
	publisher := p.publisher(everything)
	check, _ := publisher.StartCheck(t.Context(), p.start(), working("0 of 9"))
	synctest.Test(t, func(t *testing.T) {
		p.wire.latency = time.Hour
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(time.Minute, cancel).Stop()
		began := time.Now()
		assert.Len(t, check.Complete(ctx, passed(0)), 1)
		assert.Equal(t, time.Minute+5*time.Second, time.Since(began))
		_, notices := publisher.Comment(ctx, p.number, comment.Always, said("stopped"))
		assert.Len(t, notices, 1)
		assert.Equal(t, time.Minute+10*time.Second, time.Since(began))
	})
}

// A fork's token may read only.
func TestATokenThatMayOnlyRead(t *testing.T) {
	p := newPlace(t)
	publisher := p.publisher(map[string]string{"checks": "read", "pull_requests": "read"})
	check, notices := publisher.StartCheck(t.Context(), p.start(), working("0 of 9"))
	require.Len(t, notices, 1, "one notice for all of the check run")
	assert.Contains(t, notices[0].String(), `the token lacks a permission (403): grant it "checks: write"; the token of a fork's pull request may only read`)
	assert.Empty(t, check.Progress(t.Context(), time.Unix(1e9, 0), working("").Output))
	assert.Empty(t, check.Complete(t.Context(), passed(60)))
	assert.Empty(t, check.URL())
	assert.Empty(t, p.checks())
	_, notices = publisher.Comment(t.Context(), p.number, comment.Always, said("hello"))
	require.Len(t, notices, 1)
	assert.Contains(t, notices[0].String(), `grant it "issues: write" or "pull-requests: write"`)

	p.AddToken("classic", sandbox.Token{User: "owner", Scopes: []string{"repo"}})
	_, notices = p.with("classic", p.URL).StartCheck(t.Context(), p.start(), working("0 of 9"))
	require.Len(t, notices, 1)
	assert.Contains(t, notices[0].String(), "You must authenticate via a GitHub App.")
}

const (
	runs     = "/check-runs"
	comments = "/comments"
)

func TestFaultsOfCheckRuns(t *testing.T) {
	for _, c := range []struct {
		name string
		rule rule
		// notices is how many there are in all, atStart those at the start.
		atStart, notices int
		annotations      int
	}{
		{"the list fails", rule{method: "GET", path: runs, status: 500, times: 9}, 1, 1, 60},
		{"the list breaks once", rule{method: "GET", path: runs, status: broken, times: 1}, 0, 0, 60},
		{"creating fails once", rule{method: "POST", path: runs, status: 502, times: 1}, 0, 0, 60},
		{"creating breaks after it was done", rule{method: "POST", path: runs, status: broken, times: 1, done: true}, 0, 0, 60},
		{"creating fails twice", rule{method: "POST", path: runs, status: 500, times: 2}, 1, 1, 60},
		{"creating is limited", rule{method: "POST", path: runs, status: 429, times: 1}, 1, 1, 60},
		{"creating is refused as invalid", rule{method: "POST", path: runs, status: 422, times: 1}, 1, 1, 60},
		{"ending fails once", rule{method: "PATCH", path: runs, status: 500, times: 1}, 0, 0, 60},
		{"ending breaks after it was done", rule{method: "PATCH", path: runs, status: broken, times: 1, done: true}, 0, 0, 60},
		{"the details are refused as invalid", rule{method: "PATCH", path: runs, status: 422, body: "no such path", times: 1}, 0, 1, 0},
		{"it belongs to another App now", rule{method: "PATCH", path: runs, status: 403, times: 1}, 0, 0, 60},
		{"it is gone", rule{method: "PATCH", path: runs, status: 404, times: 1}, 0, 0, 60},
		{"creating is limited by the hour", rule{method: "POST", path: runs, status: 403, body: "API rate limit exceeded", times: 1}, 1, 1, 60},
		{"creating breaks twice after it was done", rule{method: "POST", path: runs, status: broken, times: 1, done: true, then: &rule{method: "GET", path: runs, status: 500, times: 1}}, 1, 1, 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.wire.fail(c.rule)
			check, notices := p.publisher(everything).StartCheck(t.Context(), p.start(), working("0 of 9"))
			assert.Len(t, notices, c.atStart)
			notices = append(notices, check.Complete(t.Context(), passed(60))...)
			assert.Len(t, notices, c.notices, "%v", notices)
			wanted := 1
			if strings.HasPrefix(c.name, "it ") {
				wanted = 2
			}
			require.Len(t, p.checks(), wanted, "there is one check run of ours")
			run := p.checks()[wanted-1]
			assert.Equal(t, model.Success, run.Conclusion, "the verdict is there")
			assert.Len(t, run.Annotations, c.annotations)
		})
	}
}

// Whatever fails for good, there is a notice and no panic.
func TestFaultsThatStay(t *testing.T) {
	for _, status := range []int{broken, 401, 403, 404, 422, 429, 500} {
		for _, method := range []string{"POST", "PATCH"} {
			t.Run(fmt.Sprint(method, " ", status), func(t *testing.T) {
				p := newPlace(t)
				p.wire.fail(rule{method: method, path: runs, status: status, times: 99})
				check, notices := p.publisher(everything).StartCheck(t.Context(), p.start(), working("0 of 9"))
				notices = append(notices, check.Complete(t.Context(), passed(60))...)
				if method == "PATCH" && (status == 401 || status == 403 || status == 404) {
					require.NotEmpty(t, notices, "the annotations beyond the first fifty are lost")
					assert.Equal(t, model.Success, p.checks()[1].Conclusion, "another check run says it")
					return
				}
				require.NotEmpty(t, notices)
				for _, notice := range notices {
					assert.NotContains(t, notice.Err.Error(), "actions map", "no token in errors")
				}
			})
		}
	}
}

func TestFurtherAnnotationsMayFail(t *testing.T) {
	p := newPlace(t)
	check, _ := p.publisher(everything).StartCheck(t.Context(), p.start(), working("0 of 9"))
	p.wire.fail(rule{method: "PATCH", path: runs, times: 1, before: func() {
		p.wire.fail(rule{method: "PATCH", path: runs, status: 422, body: "bad annotation", times: 1})
	}})
	notices := check.Complete(t.Context(), passed(60))
	require.Len(t, notices, 1)
	assert.Contains(t, notices[0].String(), "publish further annotations: GitHub does not accept what was sent (422): bad annotation")
	assert.Equal(t, model.Success, p.checks()[0].Conclusion)
}

func TestACheckRunEndsAlthoughAButtonIsRefused(t *testing.T) {
	p := newPlace(t)
	check, _ := p.publisher(everything).StartCheck(t.Context(), p.start(), working("0 of 9"))
	end := passed(0)
	end.At = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	end.Buttons = []publish.Button{{Label: strings.Repeat("x", 21), Description: "too long", Identifier: "x"}}
	assert.NotEmpty(t, check.Complete(t.Context(), end))
	assert.True(t, check.Ended())
	run := p.checks()[0]
	assert.Equal(t, []any{model.Success, end.At, "Passed"}, []any{run.Conclusion, *run.CompletedAt, run.Output.Title})
	assert.Contains(t, run.Output.Summary, "could not be shown here")
}

func TestOutputsOfGitHubsLimits(t *testing.T) {
	p := newPlace(t)
	check, _ := p.publisher(everything).StartCheck(t.Context(), p.start(), working("0 of 9"))
	end := passed(0)
	end.Output.Summary = strings.Repeat("x", 65536)
	notices := check.Complete(t.Context(), end)
	require.Len(t, notices, 1)
	assert.Contains(t, notices[0].String(), "Only 65535 characters are allowed; 65536 were supplied.")
	assert.Equal(t, model.Success, p.checks()[0].Conclusion, "the verdict is there although its details are not")
}
