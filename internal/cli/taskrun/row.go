package taskrun

import (
	"fmt"
	"strconv"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// rewardCheck is the name of the checkpoint that a reward stands for.
const rewardCheck = "reward"

// row reports a task, the one at a position of the run from 1.
func (r *Run) row(side Side, cell bench.Cell, p harness.Progress, position int) *bench.Row {
	o, m := r.options, p.Measured
	p.Outcome.Reason = r.redacted(p.Outcome.Reason)
	set := r.info.ScenarioSet
	failure, class, part := blame(p.Outcome, r.isVoid(p.Outcome))
	row := &bench.Row{
		Timestamp: bench.FormatTime(r.now()), RunID: o.RunID, Mode: cell.Mode, ScenarioID: cell.ScenarioID, ScenarioSet: &set,
		Iteration: cell.Iteration, Success: p.Outcome.Passed(), OutputValid: p.Outcome.Rewarded(),
		LatencyMSWall: float64(m.Duration.Microseconds()) / 1000, Tokens: tokens(m), Cost: m.CostUSD,
		Model: o.Model, Git: side.Git, Error: failure, SchemaVersion: bench.RowSchemaVersion,
		Order: &bench.Order{Kind: string(orderKind), Seed: o.OrderSeed, Position: position},
		Tools: o.Tools, Simulated: o.Simulated, ScenarioHash: r.hash(cell.ScenarioID),
		Reward:      &bench.Reward{Status: string(p.Outcome.Status), Reason: p.Outcome.Reason},
		Checkpoints: []bench.CheckpointResult{{Name: rewardCheck, Passed: p.Outcome.Passed(), Detail: detail(p.Outcome)}},
	}
	if p.Outcome.Rewarded() {
		score := p.Outcome.Score
		row.Reward.Value = &score
	}
	for _, said := range m.Messages {
		switch {
		case said.Tool != "":
			row.ToolCalls++
			if said.Error != "" {
				row.ToolErrors++
			}
		case said.Role == string(agent.Assistant):
			row.Turns++
		}
	}
	attempt := bench.Attempt{Error: failure, LatencyMSWall: row.LatencyMSWall, Tokens: row.Tokens, Cost: row.Cost, Class: class, Part: part}
	if class == bench.ClassInfrastructure {
		attempt.ProviderFailure = failure.Message
	}
	row.Attempts = []bench.Attempt{attempt}
	return row
}

func (r *Run) redacted(text string) string {
	if r.options.Secrets == nil {
		return text
	}
	return r.options.Secrets.String(text)
}

// tokens are the agent's; those that were read from a cache are a part of its input.
func tokens(m harness.Measured) bench.Tokens {
	cached := min(m.CachedTokens, m.InputTokens)
	return bench.Tokens{Input: m.InputTokens - cached, Output: m.OutputTokens, CacheRead: cached, Total: m.InputTokens + m.OutputTokens}
}

func detail(o harness.Outcome) string {
	text := string(o.Status)
	if o.Rewarded() {
		text = fmt.Sprintf("%s, and %g or more is a pass", strconv.FormatFloat(o.Score, 'f', -1, 64), harness.PassReward)
	}
	if o.Reason != "" {
		text += ": " + o.Reason
	}
	return text
}

// blame says what went wrong in a task that has not passed, and whom it is laid to: one
// that is void to what is around the agent.
func blame(o harness.Outcome, void bool) (*bench.RowError, bench.Class, bench.Part) {
	message := o.Reason
	if message == "" {
		message = "the task ended as " + string(o.Status)
	}
	switch {
	case o.Passed():
		return nil, "", ""
	case o.Rewarded():
		return &bench.RowError{Type: bench.CheckpointFailed, Message: "the reward is " + detail(o)}, bench.ClassAgent, ""
	case o.Status == harness.Timeout && void:
		return &bench.RowError{Type: bench.TimeoutNoFinalAnswer, Message: message}, bench.ClassInfrastructure, bench.PartHarness
	case o.Status == harness.Timeout:
		return &bench.RowError{Type: bench.TimeoutNoFinalAnswer, Message: message}, bench.ClassAgent, ""
	case o.Status == harness.Infrastructure:
		return &bench.RowError{Type: bench.RunnerError, Message: message}, bench.ClassInfrastructure, bench.PartHarness
	default:
		return &bench.RowError{Type: bench.RunnerError, Message: message}, bench.ClassAgent, ""
	}
}

// outcomeOf returns what a row says of its task.
func outcomeOf(row *bench.Row) harness.Outcome {
	if row.Reward == nil {
		return harness.NoReward(harness.Missing, "the row says nothing of a reward")
	}
	o := harness.Outcome{Status: harness.Status(row.Reward.Status), Reason: row.Reward.Reason}
	if row.Reward.Value != nil {
		o.Score = *row.Reward.Value
	}
	return o
}

// transcript returns what was said in a task.
func transcript(row *bench.Row, said []harness.Message) agent.Transcript {
	t := agent.Transcript{SchemaVersion: agent.TranscriptSchemaVersion, Provider: *row.ScenarioSet, Model: row.Model, Simulated: row.Simulated}
	for _, s := range said {
		m := agent.Message{Role: agent.User}
		if s.Role == string(agent.Assistant) {
			m.Role = agent.Assistant
		}
		part := agent.Part{Type: agent.PartText, Text: s.Text}
		if s.Tool != "" {
			part = agent.Part{Type: agent.PartTool, Tool: &agent.ToolCall{Name: s.Tool, Input: s.Input, Output: s.Output, Error: s.Error}}
		}
		m.Parts = []agent.Part{part}
		t.Messages = append(t.Messages, m)
	}
	return t
}
