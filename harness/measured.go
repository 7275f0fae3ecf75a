package harness

import (
	"encoding/json"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Measured is what a benchmark knows of a task beside its outcome. What is zero
// is not known.
type Measured struct {
	// Duration is how long the task took.
	Duration time.Duration
	// InputTokens, of which CachedTokens were read from a cache, and
	// OutputTokens are the agent's.
	InputTokens, CachedTokens, OutputTokens int64
	// CostUSD is what the agent's model has cost.
	CostUSD float64
	// Messages are what was said, in order.
	Messages []Message
	// Result is the benchmark's own account of the task, as JSON.
	Result json.RawMessage
}

// Message is a part of what was said in a task.
type Message struct {
	// Role is that of the speaker: assistant for the agent, user for all others.
	Role string `json:"role"`
	Text string `json:"text,omitempty"`
	// Tool is the name of a tool that the agent has called, with its Input as
	// JSON, its Output and, where it failed, its Error.
	Tool   string          `json:"tool,omitempty"`
	Input  json.RawMessage `json:"input,omitempty"`
	Output string          `json:"output,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// measuredFields are how a Measured is written beside a reward.
type measuredFields struct {
	Seconds      float64         `json:"duration_s,omitempty"`
	InputTokens  int64           `json:"input_tokens,omitempty"`
	CachedTokens int64           `json:"cached_tokens,omitempty"`
	OutputTokens int64           `json:"output_tokens,omitempty"`
	CostUSD      float64         `json:"cost_usd,omitempty"`
	Messages     []Message       `json:"messages,omitempty"`
	Result       json.RawMessage `json:"result,omitempty"`
}

// MarshalJSON writes {"duration_s": seconds, "input_tokens": …, "cached_tokens": …,
// "output_tokens": …, "cost_usd": …, "messages": […], "result": …}, without what is
// zero.
func (m Measured) MarshalJSON() ([]byte, error) {
	return json.Marshal(measuredFields{m.Duration.Seconds(), m.InputTokens, m.CachedTokens, m.OutputTokens, m.CostUSD, m.Messages, m.Result})
}

// UnmarshalJSON reads what MarshalJSON writes, and refuses what is below 0.
func (m *Measured) UnmarshalJSON(data []byte) error {
	var f measuredFields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	for name, figure := range map[string]float64{
		"duration_s": f.Seconds, "input_tokens": float64(f.InputTokens), "cached_tokens": float64(f.CachedTokens),
		"output_tokens": float64(f.OutputTokens), "cost_usd": f.CostUSD,
	} {
		const most = 1e9
		if figure < 0 || figure > most*most || name == "duration_s" && figure > most {
			return fault.Invalidf("%s is %g, which cannot be", name, figure)
		}
	}
	*m = Measured{
		time.Duration(f.Seconds * float64(time.Second)), f.InputTokens, f.CachedTokens, f.OutputTokens, f.CostUSD, f.Messages, f.Result,
	}
	return nil
}
