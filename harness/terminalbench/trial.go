package terminalbench

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/harness"
)

// taskID says which task a trial is of: a folder, one in a repository, or a
// package. The trial's name does not: it is cut after 32 characters.
type taskID struct {
	Path string `json:"path"`
	Org  string `json:"org"`
	Name string `json:"name"`

	// title is what the task calls itself.
	title string
}

// in returns the one of these ids that is the task's, and if none is, the one
// that harbor selects it by.
func (t taskID) in(ids map[string]bool) (id string, is bool) {
	var names []string
	if t.Path != "" {
		names = append(names, path.Base(filepath.ToSlash(t.Path)))
	}
	if t.Org != "" {
		names = append(names, t.Org+"/"+t.Name)
	}
	for _, name := range []string{t.Name, t.title} {
		if name != "" {
			names = append(names, name, path.Base(name))
		}
	}
	for _, name := range names {
		if ids[name] {
			return name, true
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return names[0], false
}

// trial is what is known of a trial that has ended.
type trial struct {
	task    taskID
	outcome harness.Outcome
	// finished is the time as harbor writes it.
	finished string
	measured harness.Measured
	// cancelled says that the trial was broken off.
	cancelled bool
}

// trialResult is a trial's result file.
type trialResult struct {
	TaskName       string          `json:"task_name"`
	TaskID         taskID          `json:"task_id"`
	VerifierResult json.RawMessage `json:"verifier_result"`
	Exception      *exception      `json:"exception_info"`
	StartedAt      string          `json:"started_at"`
	FinishedAt     string          `json:"finished_at"`
	// The phases of a trial; nil where it did not come to that.
	AgentSetup     *span `json:"agent_setup"`
	AgentExecution *span `json:"agent_execution"`
	Verifier       *span `json:"verifier"`
	// Agent is what the agent tells of itself.
	Agent struct {
		Input  *int64   `json:"n_input_tokens"`
		Cached *int64   `json:"n_cache_tokens"`
		Output *int64   `json:"n_output_tokens"`
		Cost   *float64 `json:"cost_usd"`
	} `json:"agent_result"`
	// Steps are those of a task with several, which keep what went wrong.
	Steps []struct {
		Name      string     `json:"step_name"`
		Exception *exception `json:"exception_info"`
	} `json:"step_results"`
}

type exception struct {
	Type      string `json:"exception_type"`
	Message   string `json:"exception_message"`
	Traceback string `json:"exception_traceback"`
}

// span is a time, as harbor writes it.
type span struct {
	StartedAt  string `json:"started_at"`
	FinishedAt string `json:"finished_at"`
}

// readTrial reads a trial's folder. ok is false for one that is no trial's, or
// not at its end yet; at the end of the job each one is.
func readTrial(dir string, end bool) (t trial, ok bool) {
	data, err := os.ReadFile(filepath.Join(dir, resultFile))
	var result trialResult
	if err == nil {
		err = json.Unmarshal(data, &result)
	}
	if err == nil && result.FinishedAt == "" && !end {
		return trial{}, false
	}
	if err == nil {
		result.TaskID.title = result.TaskName
		e := result.exception()
		return trial{result.TaskID, result.outcome(), result.FinishedAt, result.measured(data), e != nil && e.Type == cancelled}, true
	}
	if !end {
		return trial{}, false
	}
	task, begun := begunTask(dir)
	reason := "the trial's result cannot be read: " + err.Error()
	if os.IsNotExist(err) {
		reason = "the trial was broken off before it had a result"
	}
	return trial{task: task, outcome: harness.NoReward(harness.Infrastructure, reason), cancelled: os.IsNotExist(err)}, begun
}

// begunTask returns the task of a trial that was begun.
func begunTask(dir string) (task taskID, ok bool) {
	var config struct {
		Task taskID `json:"task"`
	}
	data, err := os.ReadFile(filepath.Join(dir, configFile))
	if err != nil || json.Unmarshal(data, &config) != nil {
		return taskID{}, false
	}
	name, _ := config.Task.in(nil)
	return config.Task, name != ""
}

// The exceptions of an agent that took longer than its limit, to begin or to work,
// and of a trial that was broken off.
const (
	agentTimedOut = "AgentTimeoutError"
	setupTimedOut = "AgentSetupTimeoutError"
	cancelled     = "CancelledError"
)

// aroundAgents are the exceptions by which harbor's agents say that the network or their
// model's API has failed.
func aroundAgents() []string {
	return []string{
		"NetworkConnectionError", "ApiRateLimitError", "ApiUsageLimitError", "ApiInternalServerError", "ApiOverloadedError",
		"ApiConnectionClosedError", "ApiResponseStalledError", "UnknownApiError", "AgentAuthenticationError", "MissingModelCredentialError",
	}
}

// agents is the folder of harbor's own agents in a Python environment.
const agents = "/harbor/agents/"

// ofAgent reports whether the exception is the agent's own: it was raised in the
// agent's phase of the trial, in the agent's code.
func (r trialResult) ofAgent(e *exception) bool {
	if r.Verifier != nil || r.AgentSetup == nil && r.AgentExecution == nil || e.Type == cancelled || slices.Contains(aroundAgents(), e.Type) {
		return false
	}
	return harness.RaisedByAgent(e.Traceback, func(file string) bool {
		library := strings.Contains(file, "/site-packages/") || strings.Contains(file, "/lib/python")
		return strings.Contains(file, agents) || !library && !strings.HasPrefix(file, "<")
	})
}

// measured returns what is known of the trial beside its outcome; data is its
// result file.
func (r trialResult) measured(data []byte) harness.Measured {
	m := harness.Measured{Result: data}
	for to, from := range map[*int64]*int64{&m.InputTokens: r.Agent.Input, &m.CachedTokens: r.Agent.Cached, &m.OutputTokens: r.Agent.Output} {
		if from != nil {
			*to = *from
		}
	}
	if r.Agent.Cost != nil {
		m.CostUSD = *r.Agent.Cost
	}
	for _, s := range []*span{r.AgentExecution, {r.StartedAt, r.FinishedAt}} {
		if s == nil {
			continue
		}
		begun, err := time.Parse(time.RFC3339, s.StartedAt)
		ended, endErr := time.Parse(time.RFC3339, s.FinishedAt)
		if err == nil && endErr == nil && !ended.Before(begun) {
			m.Duration = ended.Sub(begun)
			break
		}
	}
	return m
}

// outcome returns what became of the trial. A verifier runs after an agent that
// took too long or has failed too: a reward counts, whatever else there is.
func (r trialResult) outcome() harness.Outcome {
	outcome := r.reward()
	e := r.exception()
	if e == nil {
		return outcome
	}
	if outcome.Rewarded() {
		outcome.Reason = e.String()
		return outcome
	}
	switch {
	case e.Type == agentTimedOut || e.Type == setupTimedOut:
		return harness.NoReward(harness.Timeout, e.String())
	case r.ofAgent(e):
		return harness.NoReward(harness.Crashed, "the agent raised "+e.String())
	}
	return harness.NoReward(harness.Infrastructure, e.String())
}

// reward returns the verifier's.
func (r trialResult) reward() harness.Outcome {
	var result struct {
		Rewards json.RawMessage `json:"rewards"`
	}
	if isNull(r.VerifierResult) {
		return harness.NoReward(harness.Infrastructure, "the verifier has no result")
	}
	var rewards map[string]json.RawMessage
	if err := json.Unmarshal(r.VerifierResult, &result); err != nil {
		return harness.NoReward(harness.Infrastructure, "the verifier's result is none: "+err.Error())
	}
	if isNull(result.Rewards) {
		return harness.NoReward(harness.Infrastructure, "the verifier gave no reward")
	}
	if err := json.Unmarshal(result.Rewards, &rewards); err != nil {
		return harness.ParseReward(result.Rewards)
	}
	reward, has := rewards["reward"]
	if !has {
		return harness.NoReward(harness.Infrastructure, fmt.Sprintf("the verifier gave %d rewards, and none that is called reward", len(rewards)))
	}
	return harness.ParseReward(reward)
}

func isNull(data []byte) bool { return len(data) == 0 || string(data) == "null" }

// exception returns what went wrong, nil for nothing.
func (r trialResult) exception() *exception {
	if r.Exception != nil {
		return r.Exception
	}
	for _, step := range r.Steps {
		if step.Exception != nil {
			return step.Exception
		}
	}
	return nil
}

// String returns the exception in one line.
func (e *exception) String() string {
	message, _, _ := strings.Cut(strings.TrimSpace(e.Message), "\n")
	const shown = 300
	if len(message) > shown {
		message = strings.ToValidUTF8(message[:shown], "") + " …"
	}
	return strings.TrimSuffix(e.Type+": "+message, ": ")
}
