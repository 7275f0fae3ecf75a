package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Plain returns the rewards alone, nil for none: the form of the result files
// of the original harness, {task_id: reward|null}.
func (r Results) Plain() map[string]*float64 {
	plain := make(map[string]*float64, len(r))
	for id, o := range r {
		plain[id] = nil
		if o.Rewarded() {
			plain[id] = &o.Score
		}
	}
	return plain
}

// outcome is how an [Outcome] is written.
type outcome struct {
	Reward *float64 `json:"reward"`
	Status Status   `json:"status"`
	Reason string   `json:"reason,omitempty"`
}

// MarshalJSON writes {"reward": number|null, "status": …, "reason": …}.
func (o Outcome) MarshalJSON() ([]byte, error) {
	written := outcome{Status: o.Status, Reason: o.Reason}
	if o.Rewarded() {
		written.Reward = &o.Score
	}
	return json.Marshal(written)
}

// UnmarshalJSON reads what MarshalJSON writes, of which the status may be left
// out, and a reward alone: a number or null.
func (o *Outcome) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		*o = ParseReward(data)
		return nil
	}
	var written outcome
	if err := json.Unmarshal(data, &written); err != nil {
		return err
	}
	if written.Status == "" {
		written.Status = Infrastructure
		if written.Reward != nil {
			written.Status = Scored
		}
	}
	if !slices.Contains(Statuses(), written.Status) {
		return fault.Invalidf("status is %q, want one of %v", written.Status, Statuses())
	}
	if written.Status != Scored {
		*o = NoReward(written.Status, written.Reason)
		return nil
	}
	if written.Reward == nil {
		return fault.Invalidf("status is %q without a reward", Scored)
	}
	*o = Reward(*written.Reward)
	if o.Rewarded() {
		o.Reason = written.Reason
	}
	return nil
}

// ParseReward returns the outcome of a task whose reward is this JSON value. It
// never fails: null, and what is no number from 0 to 1, is [Infrastructure],
// with the reason.
func ParseReward(data []byte) Outcome {
	if len(data) == 0 || string(bytes.TrimSpace(data)) == "null" {
		return NoReward(Infrastructure, "the benchmark gave no reward")
	}
	var score float64
	if err := json.Unmarshal(data, &score); err != nil {
		const shown = 100
		return NoReward(Infrastructure, fmt.Sprintf("the reward is %.*s, want a number from 0 to 1", shown, bytes.TrimSpace(data)))
	}
	return Reward(score)
}
