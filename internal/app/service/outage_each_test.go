package service_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// interruptAll has all kinds of deliveries interrupted, which is for changes of what is
// done for them.
var interruptAll = flag.Bool("interrupt-all", false, "interrupt every kind of delivery at every request")

// interruption lets one request of a delivery fail: all others go on.
type interruption struct {
	// at is which request it is, from 1; more is how many after it fail, too. Stop is
	// called then, and where it is nil GitHub has no answer.
	at, more int
	stop     context.CancelFunc

	mu   sync.Mutex
	seen int
}

// deliveryOnly marks the requests of a delivery.
type deliveryOnly struct{}

// RoundTrip fails once.
func (i *interruption) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Context().Value(deliveryOnly{}) != nil {
		now := i.now()
		if now && i.stop != nil {
			i.stop()
		} else if now {
			return &http.Response{StatusCode: http.StatusBadGateway, Status: "502 Bad Gateway", Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: request}, nil
		}
	}
	return http.DefaultTransport.RoundTrip(request)
}

// now counts a request, and reports whether it is the one that fails.
func (i *interruption) now() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.seen++
	return i.seen >= i.at && i.seen <= i.at+i.more
}

// next lets another request fail, of those that come from now on.
func (i *interruption) next(at int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.at, i.seen = at, 0
}

// came reports whether it came to that request.
func (i *interruption) came() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.seen >= i.at
}

// visible is what people see of the App. A run may have two check runs, if two opened one
// at the same time; both must say the same.
func (r *rig) visible() (all []string) {
	seen := map[string]bool{}
	r.Look(func(s *model.State) {
		for c := range s.CheckRuns.All() {
			text := fmt.Sprintf("check %s: %s %s %s", c.Name, c.Status, c.Conclusion, c.Output.Title)
			if key := c.ExternalID + text; c.AppID == r.app && !seen[key] {
				seen[key] = true
				all = append(all, text)
			}
		}
		for reaction := range s.Reactions.All() {
			all = append(all, "reaction "+reaction.Content)
		}
	})
	for _, c := range r.written() {
		all = append(all, fmt.Sprintf("comment: %.60q", c.Body))
	}
	return append(all, fmt.Sprintf("measured: %d", len(r.executor.works())))
}

// showsNoEnd reports whether a check run is open whose run has ended.
func (r *rig) showsNoEnd() bool {
	return slices.ContainsFunc(r.checks(), func(c model.CheckRun) bool {
		run, err := r.table.Get(r.Context(), c.ExternalID)
		return err == nil && c.Status != model.Completed && !run.State.Alive()
	})
}

// interruptible is a delivery that a fault comes into.
type interruptible struct {
	config string
	event  func(*rig) (string, map[string]any)
	// told is how many runs are told of in the end.
	told int
}

// interruptibles are deliveries of all kinds that start something.
func interruptibles() map[string]interruptible {
	const baseline = config + "baseline: {push: true}\n"
	opened := func(r *rig) (string, map[string]any) {
		return "pull_request", map[string]any{"action": "opened", "pull_request": r.pull()}
	}
	says := func(body string) func(*rig) (string, map[string]any) {
		return func(r *rig) (string, map[string]any) { return "issue_comment", r.says("writer", body) }
	}
	// measured is a pull request that was measured.
	measured := func(then func(*rig) (string, map[string]any)) func(*rig) (string, map[string]any) {
		return func(r *rig) (string, map[string]any) {
			r.pullEvent("opened")
			r.wait(1)
			return then(r)
		}
	}
	// goingOn is one that is being measured, until somebody ends that.
	goingOn := func(then func(*rig) (string, map[string]any)) func(*rig) (string, map[string]any) {
		return func(r *rig) (string, map[string]any) {
			r.goesOn()
			return then(r)
		}
	}
	button := func(action, name string) func(*rig) (string, map[string]any) {
		return measured(func(r *rig) (string, map[string]any) {
			return "check_run", r.presses("writer", action, name, r.check().ID)
		})
	}
	// spent is one that has spent its budget.
	spent := func(then func(*rig) (string, map[string]any)) func(*rig) (string, map[string]any) {
		return func(r *rig) (string, map[string]any) {
			r.costs(2, time.Second)
			return measured(then)(r)
		}
	}
	// judged is one on which evidence has decided, or has not.
	const evidence = "profile: regression\nscenarios: [pr-view-001, repo-view-001, issue-view-001]\n"
	judged := func(final bool, then func(*rig) (string, map[string]any)) func(*rig) (string, map[string]any) {
		return func(r *rig) (string, map[string]any) {
			r.executor.set(func(_ context.Context, w service.Work) (runs.Outcome, error) {
				w.Keep(cellOf("pr-view-001", 1), []byte(`{"scenario_id":"pr-view-001","mode":"ghx","iteration":1}`))
				return runs.Outcome{Summary: &bench.Summary{
					Gate:     bench.Gate{Profile: bench.ProfileRegression, Verdict: bench.VerdictInconclusive},
					Evidence: &bench.Evidence{Verdict: bench.VerdictInconclusive, Final: final},
				}}, nil
			})
			r.comment("writer", "/bench run")
			r.wait(1)
			return then(r)
		}
	}
	return map[string]interruptible{
		"a pull request":        {config, opened, 1},
		"one without its label": {config + "labels: {run: bench}\n", opened, 1},
		"mistaken settings":     {"model: [1]\n", opened, 1},
		"a command":             {manual, says("/bench run"), 1},
		"a question":            {config, measured(says("/bench status")), 0},
		"a retry":               {config, measured(says("/bench retry")), 1},
		"a cancel":              {config, measured(says("/bench cancel")), 0},
		"an explanation":        {config, measured(says("/bench explain pr-merge-001")), 0},
		"a button for all":      {config, button("requested_action", "full"), 1},
		"a button to explain":   {config, button("requested_action", "explain"), 0},
		"a link":                {config, button("rerequested", ""), 1},
		"a cancel of a run":     {config, goingOn(says("/bench cancel")), 1},
		"a newer push": {config, goingOn(func(r *rig) (string, map[string]any) {
			r.executor.set(passes)
			r.push("src/b.ts")
			return "pull_request", map[string]any{"action": "synchronize", "pull_request": r.pull()}
		}), 2},
		"a command while a run goes on": {config, goingOn(func(r *rig) (string, map[string]any) {
			r.executor.set(passes)
			return says("/bench run")(r)
		}), 2},
		"the end of the App": {config, goingOn(func(*rig) (string, map[string]any) { return "installation", map[string]any{"action": "deleted"} }), 1},
		"an approval": {config, func(r *rig) (string, map[string]any) {
			r.fork()
			r.pullEvent("opened")
			r.wait(1)
			return says("/bench approve " + r.head)(r)
		}, 1},
		"a run of an approved fork": {manual, func(r *rig) (string, map[string]any) {
			r.fork()
			r.comment("writer", "/bench approve "+r.head)
			r.wait(1)
			return says("/bench run")(r)
		}, 1},
		"a label of somebody who may not write": {config + "triggers: {pull_request: [labeled]}\nlabels: {run: bench}\n", func(r *rig) (string, map[string]any) {
			r.As("owner").Do("POST", fmt.Sprintf("%s/issues/%d/labels", sandboxtest.Path, r.number), map[string]any{"labels": []string{"bench"}})
			return "pull_request", map[string]any{
				"action": "labeled", "label": map[string]any{"name": "bench"}, "pull_request": r.pull(), "sender": map[string]any{"login": "triager", "type": "User"},
			}
		}, 1},
		"a suite again": {config, measured(func(r *rig) (string, map[string]any) {
			return "check_suite", map[string]any{"action": "rerequested", "check_suite": map[string]any{"id": 1, "head_sha": r.head, "app": map[string]any{"id": r.app}}}
		}), 1},
		"a push": {baseline, func(r *rig) (string, map[string]any) { return "push", r.lands("src/b.ts", "Add b") }, 1},
		"a push after one that waits": {baseline, func(r *rig) (string, map[string]any) {
			r.goesOn()
			r.deliver("push", r.lands("src/b.ts", "Add b"))
			return "push", r.lands("src/c.ts", "Add c")
		}, 1},
		"a push that takes the settings away": {"", func(r *rig) (string, map[string]any) {
			r.deliver("push", r.lands("src/b.ts", "Add b")) // what the organisation has is not asked for again
			return "push", r.lands("src/c.ts", "Add c")
		}, 0},
		"a push where each day is measured": {config + "baseline: {every: day}\n", func(r *rig) (string, map[string]any) { return "push", r.lands("src/b.ts", "Add b") }, 0},
		"the end of a workflow": {config, goingOn(func(r *rig) (string, map[string]any) {
			require.NoError(r, r.table.SetWorkflowRun(r.Context(), "run-1", 77))
			return "workflow_run", map[string]any{"action": "completed", "workflow_run": map[string]any{"id": 77, "event": "workflow_dispatch"}}
		}), 0},
		"repositories that are taken away": {config, goingOn(func(*rig) (string, map[string]any) {
			return "installation_repositories", map[string]any{"action": "removed", "repositories_removed": []any{map[string]any{"full_name": repo}}}
		}), 1},
		"one that touches nothing": {config + "paths: [docs/**]\n", opened, 1},
		"a suite": {config, func(r *rig) (string, map[string]any) {
			return "check_suite", map[string]any{"action": "requested", "check_suite": map[string]any{
				"id": 1, "head_sha": r.head, "app": map[string]any{"id": r.app}, "pull_requests": r.mentioned(),
			}}
		}, 1},
		"a push back": {config, measured(func(r *rig) (string, map[string]any) {
			first := r.head
			begun := make(chan string, 1)
			r.executor.set(goesOn(begun))
			r.push("src/b.ts")
			r.pullEvent("synchronize")
			<-begun
			r.pushBack(first)
			return "pull_request", map[string]any{"action": "synchronize", "pull_request": r.pull()}
		}), 1},
		"a command without a run":    {config, says("/bench status"), 0},
		"a mistaken command":         {config, says("/bench run --colour blue"), 0},
		"a command that is answered": {config, says("/bench help"), 0},
		"an explanation of nothing":  {config, says("/bench explain pr-merge-001"), 0},
		"a cancel of nothing":        {config, says("/bench cancel"), 0},
		"a retry of nothing":         {manual, says("/bench retry"), 1},
		"a command that is late": {manual, func(r *rig) (string, map[string]any) {
			r.suite()
			return "issue_comment", minutesBefore(r.says("writer", "/bench run"), 5)
		}, 0},
		"a button for what was skipped": {config + "labels: {run: bench}\n", button("requested_action", "full"), 1},
		"a push for which nothing is left": {config + "budget: {run: 1, pull_request: 1, day: 1}\n", spent(func(r *rig) (string, map[string]any) {
			r.push("src/b.ts")
			return "pull_request", map[string]any{"action": "synchronize", "pull_request": r.pull()}
		}), 1},
		"a button for which nothing is left": {config + "budget: {run: 1, pull_request: 1, day: 1}\n", spent(func(r *rig) (string, map[string]any) {
			return "check_run", r.presses("writer", "requested_action", "full", r.check().ID)
		}), 1},
		"a command for which nothing is left": {config + "budget: {run: 1, pull_request: 1, day: 1}\n", spent(says("/bench run")), 0},
		"a run by evidence that goes on":      {paid + evidence, judged(false, says("/bench run")), 1},
		"a run by evidence that has ended":    {paid + evidence, judged(true, says("/bench run")), 0},
		"a retry by evidence":                 {paid + evidence, judged(false, says("/bench retry")), 1},
		"a button by evidence": {paid + evidence, judged(false, func(r *rig) (string, map[string]any) {
			return "check_run", r.presses("writer", "rerequested", "", r.check().ID)
		}), 1},
		"a button by evidence that has ended": {paid + evidence, judged(true, func(r *rig) (string, map[string]any) {
			return "check_run", r.presses("writer", "requested_action", "full", r.check().ID)
		}), 0},
		"a benchmark with tasks": {tau, says("/bench"), 1},
		"a merge queue": {config + "triggers: {merge_group: true}\n", func(r *rig) (string, map[string]any) {
			return "merge_group", map[string]any{"action": "checks_requested", "merge_group": map[string]any{
				"head_sha": r.head, "head_ref": "refs/heads/gh-readonly-queue/main/pr-1", "base_sha": r.head, "base_ref": "refs/heads/main",
			}}
		}, 1},
	}
}

// Whichever request of a delivery GitHub does not answer, or the server is stopped at:
// it is delivered again, unless all is done, and what people see is what they would
// have seen.
func TestADeliveryThatIsInterruptedIsMadeUpFor(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	step := 1
	if testkit.RaceDetector && !*interruptAll {
		step = 5 // with the detector an App takes long to begin
	}
	for name, c := range interruptibles() {
		if !*interruptAll && name != "one without its label" {
			continue // an App of its own is interrupted at each request, which takes minutes
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// tried has the n-th request fail, and reports whether there is one.
			tried := func(n int, stopped bool) ([]string, bool) {
				breaks := &interruption{at: n}
				r := newRig(t, c.config)
				r.transport = breaks
				event, payload := c.event(r)
				delivery := r.delivery("delivery", event, payload)
				ctx, cancel := context.WithCancel(context.WithValue(t.Context(), deliveryOnly{}, true))
				defer cancel()
				if stopped {
					breaks.stop = cancel
				}
				err := r.service.Deliver(ctx, delivery)
				if err != nil {
					require.True(t, breaks.came(), err)
					require.NoError(t, r.service.Deliver(t.Context(), delivery))
				}
				r.wait(c.told)
				return r.visible(), breaks.came()
			}
			want, _ := tried(0, false)
			for _, stopped := range []bool{false, true} {
				for n := 1; ; n += step {
					got, came := tried(n, stopped)
					assert.ElementsMatch(t, want, got, "request %d, stopped: %t", n, stopped)
					if !came {
						break
					}
				}
			}
		})
	}
}
