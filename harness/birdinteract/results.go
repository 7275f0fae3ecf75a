package birdinteract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/child"
	"github.com/ghx-dev/bench-action/harness/internal/state"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// result is a task's in the orchestrator's output. Those of tasks that failed
// have no instance_id, and a reward of 0.
type result struct {
	InstanceID string          `json:"instance_id"`
	TaskID     string          `json:"task_id"`
	Reward     json.RawMessage `json:"total_reward"`
	Error      *string         `json:"error"`

	whole json.RawMessage
}

// measured returns what is known of the task beside its outcome.
func (r result) measured() harness.Measured {
	m := harness.Measured{Result: r.whole}
	var said struct {
		Seconds  float64 `json:"elapsed_seconds"`
		Dialogue []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"dialogue_history"`
	}
	// What is written in another way is not known.
	if json.Unmarshal(r.whole, &said) == nil {
		const most = 1e6
		if said.Seconds > 0 && said.Seconds < most {
			m.Duration = time.Duration(said.Seconds * float64(time.Second))
		}
		for _, d := range said.Dialogue {
			m.Messages = append(m.Messages, harness.Message{Role: d.Role, Text: d.Content})
		}
	}
	return m
}

func (r result) id() string {
	if r.InstanceID != "" {
		return r.InstanceID
	}
	return r.TaskID
}

// outcome returns what became of the task.
func (r result) outcome() harness.Outcome {
	if r.Error == nil {
		return harness.ParseReward(r.Reward)
	}
	text := strings.ToLower(*r.Error)
	switch {
	case text == "":
		return harness.NoReward(harness.Infrastructure, "the orchestrator failed without saying why, as it does when an answer takes too long")
	case strings.Contains(text, "timeout") || strings.Contains(text, "timed out"):
		return harness.NoReward(harness.Timeout, *r.Error)
	default:
		return harness.NoReward(harness.Infrastructure, *r.Error)
	}
}

// parseOutput returns the results of an output file. The orchestrator does not
// write it at once: of one that is cut off, those before the cut. whole is
// false for such a one.
func parseOutput(data []byte) (results []result, whole bool) {
	d := json.NewDecoder(bytes.NewReader(strictNumbers(data)))
	if !enter(d, "results") {
		return nil, false
	}
	for d.More() {
		var item json.RawMessage
		if d.Decode(&item) != nil {
			return results, false
		}
		r := result{whole: item}
		// What has no id, or an id that is none, is nobody's result.
		if json.Unmarshal(item, &r) == nil && r.id() != "" {
			results = append(results, r)
		}
	}
	_, err := d.Token()
	return results, err == nil
}

// enter reads up to the list of a key of the object that d begins with.
func enter(d *json.Decoder, key string) bool {
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return false
		}
		if name == key {
			token, err := d.Token()
			return err == nil && token == json.Delim('[')
		}
		var other json.RawMessage
		if d.Decode(&other) != nil {
			return false
		}
	}
	return false
}

// strictNumbers returns JSON with null in place of the numbers that only
// Python writes: NaN, Infinity and -Infinity.
func strictNumbers(data []byte) []byte {
	out := make([]byte, 0, len(data))
	quoted := false
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case quoted && c == '\\' && i+1 < len(data):
			out = append(out, c, data[i+1])
			i++
			continue
		case c == '"':
			quoted = !quoted
		case !quoted && (c == 'N' || c == 'I' || c == '-'):
			if length := foreignNumber(data[i:]); length > 0 {
				out = append(out, "null"...)
				i += length - 1
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// foreignNumber returns the length of the number of Python's that data begins
// with, 0 if it does not.
func foreignNumber(data []byte) int {
	for _, number := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(data, []byte(number)) {
			return len(number)
		}
	}
	return 0
}

// collector reads the orchestrator's output.
type collector struct {
	host   harness.Host
	ids    []string
	path   string
	redact func(text string) string
	// services are those that were started, nil if there are none.
	services *services
	// last is the output when it was last looked at, whole whether it was.
	last  []byte
	whole bool
	told  map[string]bool
	read  map[string]result
}

// follow tells of results as they are saved, until the orchestrator has ended.
func (c *collector) follow(ended <-chan struct{}, poll time.Duration) {
	c.told, c.read = map[string]bool{}, map[string]result{}
	wanted := map[string]bool{}
	for _, id := range c.ids {
		wanted[id] = true
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for over := false; !over; {
		select {
		case <-tick.C:
		case <-ended:
			over = true
		}
		whole := c.look(wanted)
		if over && !whole && c.last != nil {
			c.host.Logf("[bird] warning: the orchestrator's output is cut off: %d results could be read", len(c.read))
		}
	}
}

// look reads the results that are saved now. It reports whether the output is
// whole.
func (c *collector) look(wanted map[string]bool) bool {
	data, err := os.ReadFile(c.path)
	if err != nil || bytes.Equal(data, c.last) {
		return c.whole
	}
	var results []result
	c.last = data
	results, c.whole = parseOutput(data)
	for _, r := range results {
		if wanted[r.id()] {
			c.take(r)
		}
	}
	return c.whole
}

func (c *collector) take(r result) {
	c.read[r.id()] = r
	if c.told[r.id()] {
		return
	}
	c.told[r.id()] = true
	c.host.Done(harness.Progress{TaskID: r.id(), Outcome: c.outcome(r), Measured: r.measured(), Done: len(c.told), Total: len(c.ids)})
}

func (c *collector) outcome(r result) harness.Outcome {
	o := r.outcome()
	if c.services != nil {
		o = c.services.explain(c.host, r, o)
	}
	o.Reason = c.redact(o.Reason)
	return o
}

// results returns what became of the tasks of a run that has ended with err.
func (c *collector) results(err error, s *services) (harness.Results, error) {
	outcomes := harness.Results{}
	for id, r := range c.read {
		outcomes[id] = c.outcome(r)
	}
	c.warn(s)
	some := len(outcomes) > 0
	for _, id := range c.ids {
		if _, has := outcomes[id]; has {
			continue
		}
		switch {
		case errors.Is(err, child.ErrDeadline):
			outcomes[id] = harness.NoReward(harness.Timeout, fault.Public(err))
		case err != nil && some && errors.Is(err, errServiceEnded):
			outcomes[id] = harness.NoReward(harness.Infrastructure, err.Error())
		case err != nil && some:
			outcomes[id] = harness.NoReward(harness.Missing, fmt.Sprintf("the orchestrator ended before this task: %v", err))
		}
	}
	return harness.Complete(c.ids, outcomes)
}

// warn tells how often a model could not be asked.
func (c *collector) warn(s *services) {
	models := 0
	for _, one := range s.all {
		models += one.notes.models
	}
	if models > 0 {
		c.host.Logf("[bird] warning: a model could not be asked %d times; the simulated user then says that it does not understand, which counts against the agent", models)
	}
}

// saveTraces keeps what the agent did where its author looks for it.
func (c *collector) saveTraces() error {
	dir := c.host.Path(state.TracesDir)
	for id, r := range c.read {
		trace, err := r.trace()
		if err != nil {
			return err
		}
		var whole bytes.Buffer
		if err := json.Indent(&whole, r.whole, "", "  "); err != nil {
			return fault.Internalf("save trace of task %s: %w", id, err)
		}
		if err := state.SaveTrace(dir, id, map[string][]byte{"trace.json": trace, "result.json": whole.Bytes()}); err != nil {
			return err
		}
	}
	return nil
}

// trace returns what the agent did in a task.
func (r result) trace() ([]byte, error) {
	trace := struct {
		Dialogue   json.RawMessage `json:"dialogue_history"`
		Trajectory json.RawMessage `json:"tool_trajectory"`
		Events     json.RawMessage `json:"adk_events"`
		Response   json.RawMessage `json:"final_response"`
	}{Dialogue: []byte("[]"), Trajectory: []byte("[]"), Events: []byte("[]"), Response: []byte(`""`)}
	if err := json.Unmarshal(r.whole, &trace); err != nil {
		return nil, fault.Internalf("save trace of task %s: %w", r.id(), err)
	}
	text, err := json.MarshalIndent(trace, "", "  ")
	if err != nil {
		return nil, fault.Internalf("save trace of task %s: %w", r.id(), err)
	}
	return text, nil
}
