package bench

import (
	"fmt"
	"math"
)

// WireUsage is what was asked of the model's API in an attempt, and what its
// answers say that they used, counted outside of the agent (rule N12).
type WireUsage struct {
	// Calls were passed on to the API, Answers are those that it answered as a
	// model does, Untold the answers that do not say what they used.
	Calls   int `json:"calls"`
	Answers int `json:"answers"`
	Untold  int `json:"untold,omitempty"`
	// Tokens are those of the other answers.
	Tokens Tokens `json:"tokens"`
}

// wireTolerance is how far apart what the agent reports and what the model's API
// says may be, as a share of the larger.
const wireTolerance = 0.01

// WireDoubt is a way in which a row's tokens do not agree with what was counted
// outside of the agent.
type WireDoubt string

// The doubts.
const (
	// WireUntold says that some answers do not tell what they used.
	WireUntold WireDoubt = "untold"
	// WireExtra says that more was asked than the agent's own loop asks.
	WireExtra WireDoubt = "extra"
	// WireTokens says that the agent reports other tokens.
	WireTokens WireDoubt = "tokens"
)

// WireDoubt returns the gravest doubt about the row's tokens, and a sentence on
// it without its stop; both are empty where there is none, and where nothing was
// counted outside of the agent.
func (r *Row) WireDoubt() (WireDoubt, string) {
	w := r.Wire
	if w == nil {
		return "", ""
	}
	reported, counted := float64(r.Tokens.Total), float64(w.Tokens.Total)
	switch apart := math.Abs(reported - counted); {
	case w.Answers > r.Turns:
		return WireExtra, fmt.Sprintf("the model answered %d times, and the agent's own loop has %d turns: a program of the agent asked it besides", w.Answers, r.Turns)
	case w.Untold > 0:
		return WireUntold, fmt.Sprintf("%d of the model's %d answers do not say what they used", w.Untold, w.Answers)
	case apart > wireTolerance*max(reported, counted):
		return WireTokens, fmt.Sprintf("the agent reports %s tokens, and the model's API %s", CountText(reported), CountText(counted))
	default:
		return "", ""
	}
}
