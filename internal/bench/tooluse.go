package bench

import "math"

// ToolUse is how the agent used a tool, or a command of its shell, in an
// attempt.
type ToolUse struct {
	// Name is the tool's, or the command's with its subcommands: "gh pr view".
	Name  string `json:"name"`
	Calls int    `json:"calls"`
	// Errors are the calls that failed, BadArguments those of them whose error
	// says that the call was written wrongly.
	Errors       int `json:"errors,omitempty"`
	BadArguments int `json:"bad_arguments,omitempty"`
	// Retries are the calls whose previous call by the same name failed.
	Retries int `json:"retries,omitempty"`
	// DeadEnds are the failed calls after which none by the same name succeeded.
	DeadEnds int `json:"dead_ends,omitempty"`
	// Bytes is the size of what the calls printed or returned.
	Bytes int64 `json:"bytes,omitempty"`
}

// MaxToolUse is how many tools and commands a row names.
const MaxToolUse = 50

// UseMeasure is one of the figures of a [ToolUse].
type UseMeasure string

// The measures, those that say the most about a tool first.
const (
	UseBadArguments UseMeasure = "badArguments"
	UseDeadEnds     UseMeasure = "deadEnds"
	UseErrors       UseMeasure = "errors"
	UseRetries      UseMeasure = "retries"
	UseCalls        UseMeasure = "calls"
	UseBytes        UseMeasure = "bytes"
)

// OfFailure reports whether the measure counts what went wrong, which can be
// compared between tools that have nothing else in common.
func (m UseMeasure) OfFailure() bool { return m != UseCalls && m != UseBytes }

// Figure returns one of the figures.
func (u ToolUse) Figure(m UseMeasure) float64 {
	switch m {
	case UseCalls:
		return float64(u.Calls)
	case UseBadArguments:
		return float64(u.BadArguments)
	case UseErrors:
		return float64(u.Errors)
	case UseRetries:
		return float64(u.Retries)
	case UseDeadEnds:
		return float64(u.DeadEnds)
	case UseBytes:
		return float64(u.Bytes)
	default:
		return 0
	}
}

// UseChange is a difference in how the two modes' agents used a tool: a lead to
// why they did better or worse, and no proof of it.
type UseChange struct {
	// Name is as in [ToolUse].
	Name    string     `json:"name"`
	Measure UseMeasure `json:"measure"`
	// Baseline and Candidate are means per attempt, of the scenarios that both
	// modes have, each counted alike.
	Baseline  float64 `json:"baseline"`
	Candidate float64 `json:"candidate"`
	// Score is the difference in standard errors; changes are sorted by it. It is 0
	// of a tool that one mode alone used.
	Score float64 `json:"score"`
	// Alike is true if no attempt differed from others of its mode and scenario: the
	// standard error is then one that is assumed.
	Alike bool `json:"alike,omitempty"`
	// Alone is true if one mode used the tool and the other nothing of its program or
	// server. Failed are then the calls of it that failed, per attempt.
	Alone  bool    `json:"alone,omitempty"`
	Failed float64 `json:"failed,omitempty"`
}

// useLabels put measures into words.
var useLabels = map[UseMeasure]string{
	UseBadArguments: "called with wrong arguments", UseDeadEnds: "failed, with no success after", UseErrors: "failed", UseRetries: "called again after a failure",
	UseCalls: "called", UseBytes: "bytes returned",
}

// Label says in a few words what is counted.
func (m UseMeasure) Label() string { return useLabels[m] }

// FailureNotice says what counts as a failed call.
const FailureNotice = "A call counts as failed if it returns an error or an exit status other than 0, which of some commands is an answer: that of gh pr checks says that a check is red."

// Label says in a few words what is counted: "called by the candidate alone, none
// failed".
func (c UseChange) Label() string {
	if !c.Alone {
		return c.Measure.Label()
	}
	who, failed := "candidate", "none"
	if c.Baseline > 0 {
		who = "baseline"
	}
	switch {
	case c.Failed == 0:
	case c.Failed == c.Baseline+c.Candidate:
		failed = "all"
	default:
		failed = useText(c.Failed)
	}
	return "called by the " + who + " alone, " + failed + " failed"
}

// Figures returns the baseline's and the candidate's mean as text.
func (c UseChange) Figures() (baseline, candidate string) {
	if c.Measure == UseBytes {
		return CountText(math.Round(c.Baseline)), CountText(math.Round(c.Candidate))
	}
	return useText(c.Baseline), useText(c.Candidate)
}

// useText writes a mean per attempt: with more decimals where one would say that a
// tool was never called.
func useText(mean float64) string { return NumberText(mean, decimalsOf(mean)) }

// ScoreText writes the difference in standard errors, where there is one.
func (c UseChange) ScoreText() string {
	switch {
	case c.Alone:
		return NoFigure
	case c.Alike:
		return "never varies"
	default:
		return NumberText(c.Score, 1)
	}
}

// Text says the change: "called 0.2 → 2.1 times a session".
func (c UseChange) Text() string {
	from, to := c.Figures()
	switch {
	case c.Alone:
		return c.Label() + " (" + from + " → " + to + " times a session)"
	case c.Measure == UseBytes:
		return "returned " + from + " → " + to + " bytes a session"
	default:
		return c.Label() + " " + from + " → " + to + " times a session"
	}
}
