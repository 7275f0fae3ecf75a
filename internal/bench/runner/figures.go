package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

// maxMessage is how much of a failure's text a row has, in bytes.
const maxMessage = 4000

// Figures is what an attempt comes to: those of its row's fields that follow
// from its transcript, the answer in it, and its checkpoints. Rows are made of
// them in a run, and made anew of them from stored transcripts.
type Figures struct {
	Measures agent.Measures
	// Cost is in USD (rule R6).
	Cost            float64
	OutputValid     bool
	InternalRetries int
	// RouteOK is nil where nothing is asserted about ghx's route.
	RouteOK *bool
	// Error is nil where the attempt succeeded.
	Error *bench.RowError
}

// Measure returns the figures of a transcript, before it is judged. The price
// is for tokens whose cost the provider does not report; nil means that the
// model has none.
func Measure(t agent.Transcript, price *bench.Price) Figures {
	f := Figures{Measures: agent.Measure(t)}
	f.Cost = f.Measures.Cost
	if f.Cost == 0 && price != nil {
		f.Cost = price.Cost(f.Measures.Tokens)
	}
	return f
}

// Evidence is what an attempt is judged by.
type Evidence struct {
	// Scenario has the assertions of its file.
	Scenario bench.Scenario
	// Routes is true if the mode's tool tells its route, so that assertions on
	// that hold (rule S4).
	Routes bool
	// Answer is the text of the agent's last message.
	Answer string
	// Checkpoints are what was found; Readable is true if each could be read.
	Checkpoints []bench.CheckpointResult
	Readable    bool
	// Redact returns a text without secrets; nil leaves it as it is.
	Redact func(string) string
}

// Judge decides whether the agent's work succeeded (rules S8, S9 and S13). Where
// GitHub's state cannot be read, nothing is known of that, which is a runner
// failure.
func (f *Figures) Judge(e Evidence) {
	var reasons, broken, untrue []string
	if e.Scenario.Type == bench.Workflow {
		f.OutputValid = e.Readable
	} else {
		j := envelope.Judge(e.Answer, scenario.WithoutRoute(e.Scenario.Assertions), f.Measures.ToolCalls)
		f.OutputValid, f.InternalRetries, reasons = j.OutputValid, j.InternalRetries, j.Reasons
		if route, some := scenario.Route(e.Scenario.Assertions); some && e.Routes {
			taken := len(envelope.Check(j.Envelope, route)) == 0
			f.RouteOK = &taken
		}
	}
	for _, c := range e.Checkpoints {
		switch {
		case c.Passed:
		case c.Kind == bench.CheckAnswer:
			untrue = append(untrue, c.Detail)
		default:
			broken = append(broken, fmt.Sprintf("%s: %s", c.Name, c.Detail))
		}
	}
	// Where there is an answer, what happened weighs more than what is said of it.
	switch {
	case len(reasons) > 0:
		f.Error = rowError(bench.AssertionFailed, strings.Join(slices.Concat(reasons, untrue, broken), " "), e.Redact)
	case !e.Readable:
		f.Error = rowError(bench.RunnerError, "read GitHub's state: "+strings.Join(broken, "; "), e.Redact)
	case len(broken) > 0:
		f.Error = rowError(bench.CheckpointFailed, strings.Join(append(broken, untrue...), "; "), e.Redact)
	case len(untrue) > 0:
		f.Error = rowError(bench.AssertionFailed, strings.Join(untrue, " "), e.Redact)
	}
}

// rowError returns an error as rows have it: without secrets, and not too long.
func rowError(kind bench.ErrorType, message string, redact func(string) string) *bench.RowError {
	if redact != nil {
		message = redact(message)
	}
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return &bench.RowError{Type: kind, Message: message}
}

// Report writes the figures into the row that reports their attempt. The row
// has the requests that were counted already.
func (f Figures) Report(row *bench.Row) {
	m := f.Measures
	row.Success, row.OutputValid, row.Error = f.Error == nil, f.OutputValid, f.Error
	row.RouteOK = f.RouteOK
	row.SDKLatencyMS, row.TimingBreakdown = m.SDKLatencyMS, m.Timing
	row.Tokens, row.Cost = m.Tokens, f.Cost
	row.Turns, row.ToolCalls, row.ToolErrors, row.InternalRetryCount = m.Turns, m.ToolCalls, m.ToolErrors, f.InternalRetries
	row.ToolUse = m.ToolUse
	row.APICalls = m.APIToolCalls
	if counted := row.APIRequests; counted != nil {
		row.APICalls = counted.REST + counted.GraphQL
	}
}

// Attempt returns the figures as the list of attempts in a row has them, with
// the attempt's latency in milliseconds.
func (f Figures) Attempt(latencyMS float64) bench.Attempt {
	return bench.Attempt{Error: f.Error, LatencyMSWall: latencyMS, Tokens: f.Measures.Tokens, Cost: f.Cost}
}
