package service_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// A workflow is started once, and what it has measured is kept once, whichever answer of
// GitHub's or of the database is missing on the way.
func TestAWorkflowIsMadeUpForWhicheverAnswerIsMissing(t *testing.T) {
	said := verify.KeptTranscript{RunID: "x", Cell: bench.Cell{ScenarioID: "a", Mode: bench.GHX, Iteration: 1}, Attempt: 1, Transcript: agent.Transcript{SchemaVersion: 1}}
	both := file{"rows-suite.jsonl", lines(t, rowOf(bench.AgentDirect), rowOf(bench.GHX))}
	twice := func(r *dispatchRig) {
		r.shown = []workflowRun{own(9), own(7)}
		r.work.Run.WorkflowRun, r.work.Run.WorkflowAsks, r.work.Run.WorkflowAsked = service.WorkflowAsked, 2, r.now
	}
	measure := func(r *dispatchRig) (runs.Outcome, error) { return r.Execute(r.Context(), r.work) }
	abandon := func(r *dispatchRig) (runs.Outcome, error) {
		return runs.Outcome{}, r.Abandon(r.Context(), r.work.Run, r.work.Client)
	}
	for name, c := range map[string]struct {
		begin func(*dispatchRig)
		do    func(*dispatchRig) (runs.Outcome, error)
		// answers is more than how many are asked for at least.
		answers int
	}{
		"it is begun": {func(*dispatchRig) {}, measure, 12},
		"it goes on with another": {func(r *dispatchRig) {
			r.work.Before = []runs.Run{{ID: "local"}, {ID: "run-0", Repo: "o/r", WorkflowRun: 3, Request: r.work.Run.Request}}
		}, measure, 13},
		"it was started twice":                 {twice, measure, 12},
		"it is abandoned":                      {twice, abandon, 10},
		"it is abandoned and has not appeared": {func(r *dispatchRig) { twice(r); r.shown = nil }, abandon, 5},
	} {
		t.Run(name, func(t *testing.T) {
			var want []string
			last := 1
			for missing := 0; missing <= last; missing++ {
				r := newDispatchRig(t)
				r.starts = true
				r.artifact, r.transcripts = archive(t, file{"summary.json", summary()}, both), archive(t, file{"a.json", said})
				kept := map[string]bool{}
				r.work.Keep = func(_ bench.Cell, line []byte) { kept["row "+string(line)] = true }
				r.work.KeepTranscript = func(cell bench.Cell, _ agent.Transcript) { kept["transcript "+cell.String()] = true }
				r.work.Progress = func(done, cells int, usd float64) { kept[fmt.Sprint("progress ", done, cells, usd)] = true }
				c.begin(r)
				r.missing = missing
				outcome, isMissing := r.life(c.do)
				if missing == 0 {
					last = r.asked
					require.Greater(t, last, c.answers-1)
				} else {
					require.True(t, isMissing, "answer %d", missing)
				}
				if isMissing && strings.Contains(outcome.Log, "Its transcripts are not kept: ") {
					continue // nobody has to have them
				}
				seen := []string{fmt.Sprint(r.number(), r.dispatched, r.inputs), fmt.Sprint(outcome.Log, outcome.Reason, outcome.Summary != nil)}
				for one := range kept {
					seen = append(seen, one)
				}
				for cell, line := range r.settled {
					seen = append(seen, "settled "+cell.String()+string(line))
				}
				for _, id := range r.cancelled {
					seen = append(seen, "cancelled "+id)
				}
				slices.Sort(seen)
				seen = slices.Compact(seen)
				if missing == 0 {
					want = seen
				}
				require.Equal(t, want, seen, "answer %d", missing)
			}
		})
	}
}

// life has a dispatcher look at a run every minute until there is no more to do for it, and
// GitHub's workflows end meanwhile. It returns how that ended, and whether an answer was
// missing, of which the dispatcher has to tell.
func (r *dispatchRig) life(do func(*dispatchRig) (runs.Outcome, error)) (outcome runs.Outcome, isMissing bool) {
	r.Helper()
	for range 20 {
		r.now = r.now.Add(time.Minute)
		outcome, err := do(r)
		if missed := r.missing > 0 && r.asked >= r.missing; missed {
			isMissing, r.missing = true, 0
			if err == nil {
				require.Contains(r, outcome.Log, "Its transcripts are not kept: ")
				return outcome, true
			}
			require.Equal(r, fault.Infrastructure, fault.KindOf(err), err)
			require.NotErrorIs(r, err, service.ErrElsewhere)
			continue
		}
		if !errors.Is(err, service.ErrElsewhere) {
			require.NoError(r, err)
			return outcome, isMissing
		}
		for i := range r.shown {
			if r.shown[i].Status == "queued" {
				r.shown[i].Status, r.shown[i].Conclusion = "completed", "success"
			}
			if r.shown[i].Status == "in_progress" {
				r.shown[i].Status = "queued" // it takes a look more
			}
		}
	}
	require.Fail(r, "there is no end of it")
	return outcome, isMissing
}

// What GitHub says to a workflow that is to be started decides whether it is asked again.
func TestWhatGitHubSaysToADispatch(t *testing.T) {
	for status, c := range map[int]struct {
		says   string
		kind   fault.Kind
		number int
	}{
		http.StatusNotFound:            {"There is no workflow .github/workflows/bench.yml on the default branch: `bench init --app` writes one, or name another one in .github/bench.yml", fault.Invalid, service.WorkflowAsked},
		http.StatusUnprocessableEntity: {"GitHub does not start the workflow bench.yml: ", fault.Invalid, service.WorkflowAsked},
		http.StatusBadRequest:          {"start the workflow bench.yml", fault.Infrastructure, 0},
		http.StatusTooManyRequests:     {"start the workflow bench.yml", fault.Infrastructure, 0},
		http.StatusInternalServerError: {"start the workflow bench.yml", fault.Infrastructure, service.WorkflowAsked},
		0:                              {"start the workflow bench.yml", fault.Infrastructure, service.WorkflowAsked}, // the connection breaks
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			r := newDispatchRig(t)
			r.status = status
			err := r.execute(0)
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, c.kind, fault.KindOf(err))
			assert.Equal(t, c.kind == fault.Infrastructure, errors.Is(err, service.ErrNotNow))
			assert.Equal(t, c.number, r.number())
		})
	}

	r := newDispatchRig(t)
	r.status, r.missing = http.StatusTooManyRequests, 7 // what is asked for last: that it was turned away is noted
	require.ErrorIs(t, r.execute(0), errGone)
}

func TestWhatGitHubSaysToACancellation(t *testing.T) {
	for status, says := range map[int]string{http.StatusOK: "", http.StatusAccepted: "", http.StatusConflict: "", http.StatusInternalServerError: "cancel the workflow run"} {
		r := newDispatchRig(t)
		r.shown, r.cancelStatus = []workflowRun{own(9)}, status
		r.work.Run.WorkflowRun = 9
		err := r.Abandon(t.Context(), r.work.Run, r.work.Client)
		assert.Equal(t, []string{"9"}, r.cancelled)
		if says == "" {
			assert.Equal(t, service.ErrElsewhere, err, status)
			continue
		}
		require.ErrorContains(t, err, says)
		assert.NotErrorIs(t, err, service.ErrElsewhere)
	}
}

func TestHowAWorkflowEnds(t *testing.T) {
	rows := file{"a-suite.jsonl", lines(t, rowOf(bench.GHX))}
	const url = "https://github.example/runs/9"
	for name, c := range map[string]struct {
		conclusion string
		artifact   []byte
		reason     string
		says       string
		permanent  bool
	}{
		"it was cancelled":                   {"cancelled", nil, "Its workflow was cancelled: " + url, "", false},
		"it failed":                          {"failure", nil, "", `The workflow ended with "failure" and left no artifact bench-run-1: see ` + url, true},
		"it succeeded with nothing":          {"success", nil, "", `The workflow ended with "success" and left no artifact bench-run-1: see ` + url, true},
		"it left something else":             {"success", []byte("PK"), "", "The artifact bench-run-1 of " + url + " cannot be used: it is no zip archive", false},
		"it ended early":                     {"failure", archive(t, rows), "Its workflow ended before the benchmark was complete: " + url, "", false},
		"it was cancelled while it measured": {"cancelled", archive(t, rows), "Its workflow ended before the benchmark was complete: " + url, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newDispatchRig(t)
			ended := own(9)
			ended.Status, ended.Conclusion = "completed", c.conclusion
			r.shown, r.artifact, r.work.Run.WorkflowRun = []workflowRun{ended}, c.artifact, 9
			outcome, err := r.Execute(t.Context(), r.work)
			assert.Equal(t, logOf9, outcome.Log)
			assert.Equal(t, c.reason, outcome.Reason)
			assert.Nil(t, outcome.Summary)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			assert.Equal(t, c.says, fault.Public(err))
			assert.Equal(t, c.permanent, queue.IsPermanent(err))
			assert.NotErrorIs(t, err, service.ErrNotNow, "it is not looked at again")
		})
	}
}

func TestTheWorkflowIsToldWhatToMeasure(t *testing.T) {
	w := service.Work{Run: asked()}
	p := &w.Run.Request.Plan
	p.Agent, p.Candidate, p.ModeFiles, p.Target, p.MaxUSD, p.Timeout, p.Benchmark = "opencode", "mytool", []string{"a.yml", "b.yml"}, "o/fixtures", 3, 90*time.Minute, settings.DefaultBenchmark
	p.Modes, p.Scenarios = []bench.Mode{bench.AgentDirect, "mytool"}, []string{"a", "b"}
	want := service.Plan{
		Provider: "opencode", Model: "openai/m", Benchmark: settings.DefaultBenchmark, Profile: "verify_pr", Scenarios: "a,b", Modes: "agent_direct,mytool", Baseline: "agent_direct", Candidate: "mytool",
		ModeFiles: "a.yml\nb.yml", BaseCommit: base, Repetitions: "1", Target: "o/fixtures", SeedID: "run-1", MaxCostUSD: 3, Minutes: 90,
	}
	assert.Equal(t, want, planOf(t, w))
	p.Set = "verify_pr"
	want.Scenarios, want.ScenarioSet = "", "verify_pr"
	assert.Equal(t, want, planOf(t, w), "a set has its scenarios")
	p.Model = settings.Scripted
	want.Model, want.MaxCostUSD = "", 0
	assert.Equal(t, want, planOf(t, w), "nobody is paid")
	in, err := service.Inputs(t.Context(), w)
	require.NoError(t, err)
	assert.Equal(t, []any{"run-1", head}, []any{in["run-id"], in["sha"]})
}

// A transcript is as long as it may be, or is left.
func TestATranscriptThatIsTooLongIsLeft(t *testing.T) {
	const most = 8 << 20
	said := verify.KeptTranscript{RunID: "x", Cell: bench.Cell{ScenarioID: "a", Mode: bench.GHX, Iteration: 1}, Attempt: 1, Transcript: agent.Transcript{SchemaVersion: 1}}
	for length, want := range map[int]int{most: 1, most + 1: 0} {
		r := newDispatchRig(t)
		kept := 0
		r.work.KeepTranscript = func(bench.Cell, agent.Transcript) { kept++ }
		ended := own(9)
		ended.Status, ended.Conclusion = "completed", "success"
		r.shown, r.work.Run.WorkflowRun = []workflowRun{ended}, 9
		r.artifact = archive(t, file{"a-suite.jsonl", lines(t, rowOf(bench.GHX))})
		r.transcripts = archive(t, file{"a.json", padded(t, said, length)})
		_, err := r.Execute(t.Context(), r.work)
		require.NoError(t, err)
		assert.Equal(t, want, kept, "%d bytes", length)
	}
}

// Of attempts that were made again the latest counts, as long as GitHub keeps it.
func TestTheLatestArtifactCounts(t *testing.T) {
	named := func(id int, name string, expired bool) map[string]any {
		return map[string]any{"id": id, "name": name, "expired": expired}
	}
	r := newDispatchRig(t)
	ended := own(9)
	ended.Status, ended.Conclusion = "completed", "success"
	r.shown, r.work.Run.WorkflowRun = []workflowRun{ended}, 9
	r.artifact = archive(t, file{"a-suite.jsonl", lines(t, rowOf(bench.GHX))})
	for _, all := range [][]any{
		{named(-1, "bench-run-1", false), named(1, "bench-run-1", false), named(-2, "bench-run-1", false), named(7, "bench-run-1", true), named(8, "other", false)},
		{named(7, "bench-run-1", true), named(1, "bench-run-1", false), named(-2, "bench-run-1", false)},
	} {
		r.listed = all
		outcome, err := r.Execute(t.Context(), r.work)
		require.NoError(t, err)
		assert.Contains(t, outcome.Reason, "ended before the benchmark was complete")
	}
	r.listed = []any{named(7, "bench-run-1", true)}
	_, err := r.Execute(t.Context(), r.work)
	require.ErrorContains(t, err, "left no artifact")
	r.deleted = true
	_, err = r.Execute(t.Context(), r.work)
	require.ErrorContains(t, err, "left no artifact", "GitHub has deleted the workflow run")
	assert.True(t, queue.IsPermanent(err))
}

// What an abandoned run has left counts if it is the App's own, and can be read.
func TestWhatIsAbandonedAndCannotBeUsedIsLeft(t *testing.T) {
	ended := own(9)
	ended.Status, ended.Conclusion = "completed", "success"
	foreign := ended
	foreign.Triggering = account{"mallory"}
	for _, c := range []struct {
		of       workflowRun
		artifact []byte
		says     string
	}{{ended, []byte("PK"), "it is no zip archive"}, {ended, nil, ""}, {foreign, archive(t, file{"a-suite.jsonl", lines(t, rowOf(bench.GHX))}), ""}} {
		r := newDispatchRig(t)
		r.shown, r.artifact, r.work.Run.WorkflowRun = []workflowRun{c.of}, c.artifact, 9
		err := r.Abandon(t.Context(), r.work.Run, r.work.Client)
		if c.says == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		}
		assert.Nil(t, r.settled)
		assert.Empty(t, r.cancelled)
	}
}

// raw returns an archive with a file that is packed in another way than its header says.
func raw(t *testing.T, name string, change func(*zip.FileHeader)) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	header := zip.FileHeader{Name: name, Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte("{}")), CompressedSize64: 2, UncompressedSize64: 2}
	change(&header)
	w, err := writer.CreateRaw(&header)
	require.NoError(t, err)
	_, err = w.Write([]byte("{}"))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return out.Bytes()
}

func TestWhatIsDamagedIsRefused(t *testing.T) {
	for says, change := range map[string]func(*zip.FileHeader){
		"cannot be unpacked": func(h *zip.FileHeader) { h.Method = 99 },
		"damaged":            func(h *zip.FileHeader) { h.CRC32++ },
	} {
		for _, name := range []string{"summary.json", "a-suite.jsonl"} {
			_, _, err := service.Read(raw(t, name, change), asked())
			require.ErrorContains(t, err, name)
			if name == "summary.json" || says != "damaged" {
				require.ErrorContains(t, err, says)
			}
		}
		r := newDispatchRig(t)
		r.work.KeepTranscript = func(bench.Cell, agent.Transcript) { assert.Fail(t, "it is damaged") }
		ended := own(9)
		ended.Status = "completed"
		r.shown, r.work.Run.WorkflowRun, r.transcripts = []workflowRun{ended}, 9, raw(t, "a.json", change)
		r.artifact = archive(t, file{"a-suite.jsonl", lines(t, rowOf(bench.GHX))})
		outcome, err := r.Execute(t.Context(), r.work)
		require.NoError(t, err)
		assert.NotContains(t, outcome.Log, "transcripts")
	}
}

// Where it was enough before the end of the plan there are no more cells to come.
func TestARunThatWasEnoughIsDone(t *testing.T) {
	r := newDispatchRig(t)
	r.work.Run.Request.Plan.Profile, r.work.Run.Request.Plan.Repetitions = bench.ProfileRegression, bench.Repetitions{First: 1, Most: 4}
	var told []int
	r.work.Progress = func(done, cells int, _ float64) { told = []int{done, cells} }
	ended := own(9)
	ended.Status, ended.Conclusion = "completed", "success"
	r.shown, r.work.Run.WorkflowRun = []workflowRun{ended}, 9
	judged := summary()
	judged.Gate.Profile = bench.ProfileRegression
	r.artifact = archive(t, file{"summary.json", judged}, file{"a-suite.jsonl", lines(t, rowOf(bench.AgentDirect), rowOf(bench.GHX))})
	_, err := r.Execute(t.Context(), r.work)
	require.NoError(t, err)
	assert.Equal(t, []int{2, 2}, told)

	judged.Missing = []bench.MissingCells{{Cells: make([]bench.Cell, 100)}}
	r.artifact = archive(t, file{"summary.json", judged}, file{"a-suite.jsonl", lines(t, rowOf(bench.AgentDirect), rowOf(bench.GHX))})
	_, err = r.Execute(t.Context(), r.work)
	require.ErrorContains(t, err, "there are 2 rows, and the plan has", "more than there can be are missing")

	r.work.Run = ofTasks()
	r.work.Run.WorkflowRun, r.artifact = 9, archive(t, file{"a-suite.jsonl", lines(t, taskRows(1, "t1")...)})
	_, err = r.Execute(t.Context(), r.work)
	require.NoError(t, err)
	assert.Equal(t, []int{2, 2}, told, "nobody knows how many tasks a benchmark has")
}

// A row that the run has already, and that cannot be read, is a mistake of the server's.
func TestARowThatWasKeptAndCannotBeReadIsSaid(t *testing.T) {
	r := newDispatchRig(t)
	ended := own(9)
	ended.Status = "completed"
	r.shown, r.work.Run.WorkflowRun, r.work.Rows = []workflowRun{ended}, 9, [][]byte{[]byte("{")}
	r.artifact = archive(t, file{"a-suite.jsonl", lines(t, rowOf(bench.GHX))})
	outcome, err := r.Execute(t.Context(), r.work)
	var broken *json.SyntaxError
	require.ErrorAs(t, err, &broken)
	assert.Equal(t, fault.Internal, fault.KindOf(err))
	assert.Equal(t, logOf9, outcome.Log)
}

const logOf9 = "The log is that of the workflow: https://github.example/runs/9\n"

// A run whose time is over while GitHub does not answer still says where its log is.
func TestTheLogOfAWorkflowThatHasEndedIsNamedWhicheverAnswerIsMissing(t *testing.T) {
	ended := own(9)
	ended.Status, ended.Conclusion = "completed", "success"
	const archived = 6 // after the workflow run, the repository, the App's name, the artifacts and where they are
	for missing := 2; missing <= archived; missing++ {
		r := newDispatchRig(t)
		r.shown, r.work.Run.WorkflowRun, r.missing = []workflowRun{ended}, 9, missing
		r.artifact = archive(t, file{"a-suite.jsonl", lines(t, rowOf(bench.GHX))})
		outcome, err := r.Execute(t.Context(), r.work)
		require.ErrorIs(t, err, service.ErrNotNow, "answer %d", missing)
		assert.Equal(t, logOf9, outcome.Log, "answer %d", missing)
	}
}
