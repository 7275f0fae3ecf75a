package service_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

const bot = "bench[bot]"

type account struct {
	Login string `json:"login"`
}

// workflowRun is one as GitHub shows it.
type workflowRun struct {
	ID         int64   `json:"id"`
	Event      string  `json:"event"`
	Title      string  `json:"display_title"`
	Branch     string  `json:"head_branch"`
	Status     string  `json:"status"`
	Conclusion string  `json:"conclusion,omitempty"`
	Actor      account `json:"actor"`
	Triggering account `json:"triggering_actor"`
	URL        string  `json:"html_url"`
}

// own returns a workflow run that the App has started for the run.
func own(id int64) workflowRun {
	return workflowRun{
		ID: id, Event: "workflow_dispatch", Title: "bench run-1", Branch: "main", Status: "in_progress", Actor: account{bot}, Triggering: account{bot},
		URL: fmt.Sprint("https://github.example/runs/", id),
	}
}

// dispatchRig is an executor with one run and a GitHub that says what the test says.
type dispatchRig struct {
	*testing.T
	*service.Dispatcher
	work service.Work
	now  time.Time
	// began is what now was first.
	began time.Time

	mu sync.Mutex
	// status is the answer to a dispatch, 0 for a connection that breaks, cancelStatus that to a cancellation.
	status, cancelStatus int
	// starts has what is dispatched be shown at once, and what is cancelled end.
	starts bool
	shown  []workflowRun
	// inputs are those of the latest dispatch.
	inputs map[string]string
	// artifact is that of every workflow run, nil for none.
	artifact []byte
	// listed are the artifacts of every workflow run where that is something else, and
	// deleted says that there is no such run any more.
	listed  []any
	deleted bool
	// transcripts is the artifact with transcripts of every workflow run, nil for none.
	transcripts []byte
	dispatched  int
	cancelled   []string
	settled     map[bench.Cell][]byte
	// missing is the answer that is missing, from 1; 0 for none. Asked are how many were
	// asked for.
	missing, asked int
}

func newDispatchRig(t *testing.T) *dispatchRig {
	t.Helper()
	r := &dispatchRig{T: t, now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), status: http.StatusNoContent, cancelStatus: http.StatusAccepted}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	client, err := github.New(github.Options{RESTURL: server.URL})
	require.NoError(t, err)
	r.work = service.Work{Run: asked(), Client: client, Keep: func(bench.Cell, []byte) {}, Progress: func(int, int, float64) {}}
	r.work.Run.Created, r.began = r.now, r.now
	r.Dispatcher = &service.Dispatcher{
		Asks: func(_ context.Context, _ string, at time.Time) error {
			if r.gone() {
				return errGone
			}
			r.work.Run.WorkflowRun, r.work.Run.WorkflowAsked = service.WorkflowAsked, at
			r.work.Run.WorkflowAsks++
			return nil
		},
		Started: func(_ context.Context, _ string, number int64) error {
			if r.gone() {
				return errGone
			}
			r.work.Run.WorkflowRun = number
			return nil
		},
		Settle: func(_ context.Context, _ string, rows map[bench.Cell][]byte) error {
			if r.gone() {
				return errGone
			}
			r.settled = rows
			return nil
		},
		Bot: func(context.Context) (string, error) {
			if r.gone() {
				return "", errGone
			}
			return bot, nil
		},
		Now:     func() time.Time { return r.now },
		Elapsed: func() time.Duration { return r.now.Sub(r.began) },
		HTTP:    http.DefaultClient,
	}
	return r
}

var errGone = fault.Infraf("no answer")

// gone reports whether an answer is missing that is asked for.
func (r *dispatchRig) gone() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	return r.asked == r.missing
}

// ServeHTTP answers as GitHub.
func (r *dispatchRig) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if r.gone() {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var answer any = map[string]any{"default_branch": "main"}
	switch at := q.URL.Path; {
	case !strings.HasPrefix(at, "/repos/o/r") && !strings.HasPrefix(at, "/archive/"):
		assert.Fail(r, "it is of no repository", at)
	case strings.HasSuffix(at, "/dispatches"):
		r.dispatched++
		var sent struct {
			Ref    string            `json:"ref"`
			Inputs map[string]string `json:"inputs"`
		}
		assert.NoError(r, json.NewDecoder(q.Body).Decode(&sent))
		assert.Equal(r, "main", sent.Ref, "what a branch's own workflow does counts for nothing")
		r.inputs = sent.Inputs
		if r.starts {
			r.shown = append(r.shown, own(9))
		}
		if r.status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(r.status)
		return
	case strings.HasSuffix(at, "/cancel"):
		r.cancelled = append(r.cancelled, path.Base(path.Dir(at)))
		for i := range r.shown {
			if r.starts && fmt.Sprint(r.shown[i].ID) == path.Base(path.Dir(at)) {
				r.shown[i].Status, r.shown[i].Conclusion = "completed", "cancelled"
			}
		}
		w.WriteHeader(r.cancelStatus)
		return
	case strings.HasSuffix(at, "/zip"):
		http.Redirect(w, q, "http://"+q.Host+"/archive/"+path.Base(path.Dir(at)), http.StatusFound)
		return
	case at == "/archive/2":
		_, _ = w.Write(r.transcripts)
		return
	case at == "/archive/1":
		_, _ = w.Write(r.artifact)
		return
	case strings.HasSuffix(at, "/artifacts") && r.deleted:
		w.WriteHeader(http.StatusNotFound)
		return
	case strings.HasSuffix(at, "/artifacts") && r.listed != nil:
		answer = map[string]any{"artifacts": r.listed}
	case strings.HasSuffix(at, "/runs/3/artifacts"): // of an earlier run
		answer = map[string]any{"artifacts": []any{map[string]any{"id": 3, "name": "bench-run-0"}}}
	case strings.HasSuffix(at, "/artifacts") && r.artifact != nil:
		all := []any{map[string]any{"id": 1, "name": "bench-run-1"}}
		if r.transcripts != nil {
			all = append(all, map[string]any{"id": 2, "name": "bench-run-1-transcripts"})
		}
		answer = map[string]any{"artifacts": all}
	case strings.HasSuffix(at, "/artifacts"):
		answer = map[string]any{"artifacts": []any{}}
	case strings.HasSuffix(at, "/bench.yml/runs"):
		answer = map[string]any{"workflow_runs": r.shown}
	case strings.Contains(at, "/actions/runs/"):
		for _, one := range r.shown {
			if fmt.Sprint(one.ID) == path.Base(at) {
				answer = one
			}
		}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// execute has the executor look, later by some time.
func (r *dispatchRig) execute(after time.Duration) error {
	r.Helper()
	r.now = r.now.Add(after)
	_, err := r.Execute(r.Context(), r.work)
	return err
}

// number is that of the run's workflow run.
func (r *dispatchRig) number() int { return int(r.work.Run.WorkflowRun) }

// The longest time that GitHub may take to show a workflow run, and a time
// after which it is late.
const (
	inTime  = 5 * time.Minute
	tooLate = inTime + time.Second
)

// Whoever may push can start a workflow of his own, with the id of a run that
// the check run shows.
func TestOnlyWhatTheAppHasStartedIsItsOwn(t *testing.T) {
	for name, change := range map[string]func(*workflowRun){
		"it is of another branch":         func(w *workflowRun) { w.Branch = "change" },
		"somebody has started it":         func(w *workflowRun) { w.Actor, w.Triggering = account{"mallory"}, account{"mallory"} },
		"somebody has started it first":   func(w *workflowRun) { w.Actor = account{"mallory"} },
		"somebody has started it again":   func(w *workflowRun) { w.Triggering = account{"mallory"} },
		"another App has started it":      func(w *workflowRun) { w.Actor, w.Triggering = account{"other[bot]"}, account{"other[bot]"} },
		"it is of another event":          func(w *workflowRun) { w.Event = "push" },
		"it is of another run of the App": func(w *workflowRun) { w.Title = "bench run-2" },
	} {
		t.Run(name, func(t *testing.T) {
			r := newDispatchRig(t)
			foreign := own(7)
			change(&foreign)
			r.shown = []workflowRun{foreign}
			require.ErrorIs(t, r.execute(0), service.ErrElsewhere)
			assert.Equal(t, 1, r.dispatched, "its own is started")
			require.ErrorIs(t, r.execute(time.Minute), service.ErrElsewhere)
			assert.Equal(t, service.WorkflowAccepted, r.number())
			r.shown = append(r.shown, own(9))
			require.ErrorIs(t, r.execute(time.Minute), service.ErrElsewhere)
			assert.Equal(t, 9, r.number())
			assert.Empty(t, r.cancelled, "what is not ours goes on")
		})
	}
}

func TestResultsOfAWorkflowRunThatSomebodyStartedAgainDoNotCount(t *testing.T) {
	r := newDispatchRig(t)
	require.ErrorIs(t, r.execute(0), service.ErrElsewhere)
	r.shown = []workflowRun{own(9)}
	require.ErrorIs(t, r.execute(time.Minute), service.ErrElsewhere)
	r.shown[0].Status, r.shown[0].Triggering = "completed", account{"mallory"}
	r.artifact = archive(t, file{"summary.json", summary()}, file{"rows-suite.jsonl", lines(t, rowOf(bench.AgentDirect), rowOf(bench.GHX))})
	err := r.execute(time.Minute)
	require.ErrorContains(t, err, "bench[bot] did not start all of it")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	r.shown[0].Triggering = account{bot}
	assert.NoError(t, r.execute(0))
}

// An answer that is lost says nothing of what became of the request.
func TestWhatGitHubMayNotHaveTakenIsAskedForAgain(t *testing.T) {
	r := newDispatchRig(t)
	r.status = http.StatusBadGateway
	require.ErrorIs(t, r.execute(0), service.ErrNotNow)
	assert.Equal(t, service.WorkflowAsked, r.number())
	require.ErrorIs(t, r.execute(inTime), service.ErrElsewhere)
	assert.Equal(t, 1, r.dispatched, "it may still appear")
	r.status = http.StatusNoContent
	require.ErrorIs(t, r.execute(time.Second), service.ErrElsewhere)
	assert.Equal(t, []int{2, service.WorkflowAccepted}, []int{r.dispatched, r.number()})
	err := r.execute(tooLate)
	require.ErrorContains(t, err, "no run of it has run-1 in its title")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.Equal(t, 2, r.dispatched, "GitHub has taken it")
}

func TestAWorkflowIsNotLateWhenSomebodySetsTheClockForth(t *testing.T) {
	r := newDispatchRig(t)
	require.ErrorIs(t, r.execute(0), service.ErrElsewhere)
	require.ErrorIs(t, r.execute(0), service.ErrElsewhere)
	r.now, r.began = r.now.Add(time.Hour), r.began.Add(time.Hour)
	require.ErrorIs(t, r.execute(inTime), service.ErrElsewhere)
	assert.ErrorContains(t, r.execute(time.Second), "no run of it has run-1 in its title")
}

func TestAServerThatStopsDoesNotSayThatGitHubIsAway(t *testing.T) {
	r := newDispatchRig(t)
	ctx, stop := context.WithCancel(t.Context())
	r.Asks = func(context.Context, string, time.Time) error {
		stop()
		return errGone
	}
	_, err := r.Execute(ctx, r.work)
	require.ErrorIs(t, err, errGone)
	assert.NotErrorIs(t, err, service.ErrNotNow)
}

// A run may wait long for GitHub before its workflow can be started.
func TestHowLongAWorkflowTakesToAppearCountsFromWhenItWasAskedFor(t *testing.T) {
	r := newDispatchRig(t)
	r.work.Run.Started = r.now
	require.ErrorIs(t, r.execute(10*time.Minute), service.ErrElsewhere)
	require.ErrorIs(t, r.execute(inTime), service.ErrElsewhere)
	require.ErrorContains(t, r.execute(time.Second), "in its title")
}

func TestWhatWasStartedTwiceIsMeasuredOnce(t *testing.T) {
	twice := func(t *testing.T) *dispatchRig {
		t.Helper()
		r := newDispatchRig(t)
		r.status = http.StatusGatewayTimeout
		require.ErrorIs(t, r.execute(0), service.ErrNotNow)
		require.ErrorIs(t, r.execute(tooLate), service.ErrNotNow)
		return r
	}
	t.Run("the oldest is the run's", func(t *testing.T) {
		r := twice(t)
		r.shown = []workflowRun{own(9), own(7)}
		require.ErrorIs(t, r.execute(time.Minute), service.ErrElsewhere)
		assert.Equal(t, 7, r.number())
		assert.Equal(t, []string{"9"}, r.cancelled)
		r.shown[0].Status = "completed"
		require.ErrorIs(t, r.execute(time.Minute), service.ErrElsewhere)
		assert.Equal(t, []string{"9"}, r.cancelled, "it has ended")
	})
	t.Run("one that is late", func(t *testing.T) {
		r := twice(t)
		r.shown = []workflowRun{own(9)}
		require.ErrorIs(t, r.execute(time.Minute), service.ErrElsewhere)
		r.shown = append(r.shown, own(7))
		require.ErrorIs(t, r.execute(time.Minute), service.ErrElsewhere)
		assert.Equal(t, 9, r.number(), "it has been at work")
		assert.Equal(t, []string{"7"}, r.cancelled)
	})
	t.Run("a run that is abandoned", func(t *testing.T) {
		r := twice(t)
		r.shown = []workflowRun{own(9), own(7)}
		require.ErrorIs(t, r.Abandon(t.Context(), r.work.Run, r.work.Client), service.ErrElsewhere)
		assert.ElementsMatch(t, []string{"7", "9"}, r.cancelled)
	})
}

// GitHub answers so many requests of an App in an hour.
func TestALookAtAWorkflowThatWasAskedForOnceTakesOneRequest(t *testing.T) {
	r := newDispatchRig(t)
	r.shown = []workflowRun{own(9)}
	r.work.Run.WorkflowRun, r.work.Run.WorkflowAsks = 9, 1
	require.ErrorIs(t, r.execute(0), service.ErrElsewhere)
	assert.Equal(t, 1, r.asked)
}

func TestWhatIsAbandonedBeforeItAppearsIsCancelledThen(t *testing.T) {
	r := newDispatchRig(t)
	abandon := func() error { return r.Abandon(t.Context(), r.work.Run, r.work.Client) }
	require.NoError(t, abandon(), "nothing was asked for")
	assert.Zero(t, r.asked, "nobody has to answer")
	require.ErrorIs(t, r.execute(0), service.ErrElsewhere)
	require.ErrorIs(t, abandon(), service.ErrElsewhere, "it may still appear")
	r.shown = []workflowRun{own(9)}
	require.ErrorIs(t, abandon(), service.ErrElsewhere, "it takes a while to end")
	assert.Equal(t, []string{"9"}, r.cancelled)
	r.shown[0].Status = "completed"
	r.artifact = archive(t, file{"rows-suite.jsonl", lines(t, rowOf(bench.GHX))})
	require.NoError(t, abandon())
	assert.Len(t, r.settled, 1, "what it has measured was paid for")
	assert.Len(t, r.cancelled, 1)
	r.shown = nil
	r.now = r.now.Add(tooLate)
	assert.NoError(t, abandon(), "nothing will come any more")
}

// What a workflow run has cost counts, however it ended.
func TestWhatAWorkflowHasSpentIsTold(t *testing.T) {
	costs := func(mode bench.Mode, iteration int, usd float64) bench.Row {
		row := rowOf(mode)
		row.Iteration, row.Cost = iteration, usd
		return row
	}
	// whole is a summary; what has no row has a cost too.
	whole := func(usd float64) file {
		s := summary()
		s.CostUSD = usd
		s.Missing = []bench.MissingCells{{Cells: make([]bench.Cell, 2)}}
		return file{"summary.json", s}
	}
	rows := file{"rows-suite.jsonl", lines(t, costs(bench.AgentDirect, 1, 1), costs(bench.GHX, 1, 2))}
	for name, c := range map[string]struct {
		conclusion string
		files      []file
		// kept is a row that the run has already.
		kept bench.Row
		done int
		usd  float64
	}{
		"it was complete":                     {"success", []file{whole(3.5), rows}, costs(bench.GHX, 1, 2), 2, 3.5},
		"its summary says less":               {"success", []file{whole(1), rows}, costs(bench.GHX, 1, 2), 2, 3},
		"it ended early":                      {"failure", []file{rows}, costs(bench.GHX, 1, 9), 2, 3},
		"it was cancelled":                    {"cancelled", []file{rows}, costs(bench.GHX, 1, 9), 2, 3},
		"a row that was taken over is left":   {"failure", []file{rows}, costs(bench.GHX, 2, 4), 3, 7},
		"and so where there is a summary too": {"success", []file{whole(3.5), rows}, costs(bench.GHX, 2, 4), 3, 7.5},
	} {
		t.Run(name, func(t *testing.T) {
			r := newDispatchRig(t)
			r.work.Run.Request.Plan.Repetitions = bench.Repetitions{First: 2, Most: 2}
			line, err := json.Marshal(&c.kept)
			require.NoError(t, err)
			r.work.Rows = [][]byte{line}
			var done, cells int
			var usd float64
			r.work.Progress = func(n, of int, cost float64) { done, cells, usd = n, of, cost }
			require.ErrorIs(t, r.execute(0), service.ErrElsewhere)
			ended := own(9)
			ended.Status, ended.Conclusion = "completed", c.conclusion
			r.shown, r.artifact = []workflowRun{ended}, archive(t, c.files...)
			require.NoError(t, r.execute(time.Minute))
			assert.Equal(t, 4, cells, "that is what was planned")
			assert.Equal(t, c.done, done)
			assert.InDelta(t, c.usd, usd, 1e-9)
		})
	}
}
