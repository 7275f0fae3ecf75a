package taubench

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// event is a line of the driver.
type event struct {
	Event string `json:"event"`
	// IDs are the tasks that are run, of event "tasks".
	IDs []string `json:"ids"`
	// Outside are tasks that are not in the split, of event "outside".
	Outside []outsider `json:"tasks"`

	// What follows is a simulation, of event "task".
	TaskID      string          `json:"task_id"`
	Reward      json.RawMessage `json:"reward"`
	Termination string          `json:"termination"`
	ErrorType   string          `json:"error_type"`
	// Traceback is Python's, of a simulation that was broken off.
	Traceback string          `json:"traceback"`
	Measured  json.RawMessage `json:"measured"`
	// Error is that of a simulation, or of the run in events "refused" and
	// "failed".
	Error string `json:"error"`
}

// outsider is a task with the splits that have it.
type outsider struct {
	ID     string   `json:"id"`
	Splits []string `json:"splits"`
}

// events collects what the driver tells.
type events struct {
	host   harness.Host
	redact func(text string) string
	// limit is told how many tasks are run.
	limit   func(tasks int)
	ids     []string
	results harness.Results
	// refused is what cannot be run as it was asked for.
	refused *event
	failed  string
}

// line takes a line of the driver. One that is none is the work of the agent's
// code, and told.
func (e *events) line(line []byte, whole bool) {
	var told event
	if err := json.Unmarshal(line, &told); err != nil || !whole {
		e.host.Logf("[tau2] the driver wrote what is no event: %.200s", line)
		return
	}
	switch told.Event {
	case "tasks":
		e.ids = append([]string{}, told.IDs...)
		e.limit(len(e.ids))
		e.host.Plan(e.ids)
	case "task":
		outcome := told.outcome(e.host)
		outcome.Reason = e.redact(outcome.Reason)
		e.results[told.TaskID] = outcome
		e.host.Done(harness.Progress{TaskID: told.TaskID, Outcome: outcome, Measured: e.measured(told), Done: len(e.results), Total: len(e.ids)})
	case "outside", "refused":
		e.refused = &told
	case "failed":
		e.failed = told.Error
	}
}

// measured returns what is known of a simulation beside its outcome; what cannot
// be read is not known.
func (e *events) measured(told event) harness.Measured {
	var m harness.Measured
	if len(told.Measured) == 0 {
		return m
	}
	if err := json.Unmarshal(told.Measured, &m); err != nil {
		e.host.Logf("[tau2] what was measured of task %s cannot be read: %v", told.TaskID, err)
		return harness.Measured{}
	}
	return m
}

// timedOut is tau2's reason for the end of a simulation that took too long. It
// gives it a reward of 0.
const timedOut = "timeout"

// outcome returns what became of a simulation.
func (e event) outcome(h harness.Host) harness.Outcome {
	if e.Termination == timedOut {
		return harness.NoReward(harness.Timeout, "the simulation took longer than its limit")
	}
	if len(e.Reward) == 0 || string(e.Reward) == "null" {
		if harness.RaisedByAgent(e.Traceback, h.InExperiment) {
			return harness.NoReward(harness.Crashed, "the agent raised "+strings.Trim(e.ErrorType+": "+e.Error, ": "))
		}
		return harness.NoReward(harness.Infrastructure, e.reason())
	}
	outcome := harness.ParseReward(e.Reward)
	if outcome.Rewarded() && !strings.HasSuffix(e.Termination, "_stop") {
		outcome.Reason = e.reason()
	}
	return outcome
}

// reason says how a simulation ended.
func (e event) reason() string {
	reason := "the simulation ended with " + e.Termination
	if e.ErrorType != "" || e.Error != "" {
		reason += ": " + strings.Trim(e.ErrorType+": "+e.Error, ": ")
	}
	return reason
}

// refusal is the error of what was refused.
func (e *events) refusal(domain, split string) error {
	if e.refused.Event == "refused" {
		return fault.Invalidf("run tau2: %s", e.host.Redact(e.refused.Error))
	}
	var said []string
	for _, task := range e.refused.Outside {
		has := "no split has it"
		if len(task.Splits) > 0 {
			has = "it is in " + strings.Join(task.Splits, " and ")
		}
		said = append(said, fmt.Sprintf("%q (%s)", task.ID, has))
	}
	return fault.Invalidf("split %q of tau-bench's domain %s does not have the task %s", split, domain, strings.Join(said, ", "))
}

// end says how the run ended.
func (e *events) end(err error) string {
	switch {
	case e.failed != "":
		return e.failed
	case err != nil:
		return err.Error()
	default:
		return "it has no tasks, or told of none"
	}
}
