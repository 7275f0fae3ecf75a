package agent

import (
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Measures are the figures that a transcript comes to.
type Measures struct {
	// Tokens is the sum over every assistant message (rule R4).
	Tokens bench.Tokens
	// Cost is the sum of what the provider reports, in USD.
	Cost float64
	// Turns counts the assistant's messages.
	Turns int
	// ToolCalls counts every tool call, ToolErrors those that failed.
	ToolCalls  int
	ToolErrors int
	// APIToolCalls counts the tool calls whose name speaks of an API or HTTP,
	// for where requests were not counted (rule R7).
	APIToolCalls int
	// ToolUse is by tool and command, the most used first.
	ToolUse []bench.ToolUse
	// SDKLatencyMS is how long the last assistant message took, nil if its
	// times are unknown.
	SDKLatencyMS *float64
	// Timing is nil where no message tells its times.
	Timing *bench.TimingBreakdown
}

// Measure computes the figures of a transcript. It is the only place where
// they are computed, for every provider and for stored transcripts.
func Measure(t Transcript) Measures {
	var m Measures
	var timing bench.TimingBreakdown
	timed := false
	for _, message := range t.Messages {
		if message.Role != Assistant {
			continue
		}
		m.Turns++
		m.Tokens = m.Tokens.Add(message.Tokens)
		m.Cost += message.Cost
		m.countTools(message.Parts)
		m.SDKLatencyMS = nil
		if !message.Start.IsZero() && !message.End.IsZero() {
			took := span(message.Start, message.End)
			m.SDKLatencyMS = &took
			timed = true
		}
		addTiming(&timing, message)
	}
	if timed {
		m.Timing = &timing
	}
	m.ToolUse = toolUse(t)
	return m
}

func (m *Measures) countTools(parts []Part) {
	for _, p := range parts {
		if p.Type != PartTool || p.Tool == nil {
			continue
		}
		m.ToolCalls++
		if p.Tool.Error != "" {
			m.ToolErrors++
		}
		name := strings.ToLower(p.Tool.Name)
		if strings.Contains(name, "api") || strings.Contains(name, "http") {
			m.APIToolCalls++
		}
	}
}

// The names under which tools run shell commands and return structured
// answers.
const (
	bashTool             = "bash"
	structuredOutputTool = "StructuredOutput"
)

func addTiming(sum *bench.TimingBreakdown, message Message) {
	sum.ObservedAssistantTurns++
	if !message.Start.IsZero() && !message.End.IsZero() {
		sum.AssistantTotalMS += span(message.Start, message.End)
	}
	var firstReasoning, lastReasoning, firstTool, lastTool time.Time
	for _, p := range message.Parts {
		if p.Start.IsZero() || p.End.IsZero() {
			continue
		}
		took := span(p.Start, p.End)
		switch p.Type {
		case PartReasoning:
			sum.AssistantReasoningMS += took
			widen(&firstReasoning, &lastReasoning, p)
		case PartTool:
			sum.ToolTotalMS += took
			if p.Tool != nil && p.Tool.Name == bashTool {
				sum.ToolBashMS += took
			}
			if p.Tool != nil && p.Tool.Name == structuredOutputTool {
				sum.ToolStructuredOutputMS += took
			}
			widen(&firstTool, &lastTool, p)
		case PartText:
		}
	}
	if !message.Start.IsZero() && !firstReasoning.IsZero() {
		sum.AssistantPreReasoningMS += span(message.Start, firstReasoning)
	}
	if !lastReasoning.IsZero() && !firstTool.IsZero() {
		sum.AssistantBetweenReasoningAndToolMS += span(lastReasoning, firstTool)
	}
	if !message.End.IsZero() && !lastTool.IsZero() {
		sum.AssistantPostToolMS += span(lastTool, message.End)
	}
}

func widen(first, last *time.Time, p Part) {
	if start := stored(p.Start); first.IsZero() || start.Before(*first) {
		*first = start
	}
	if end := stored(p.End); end.After(*last) {
		*last = end
	}
}

// span returns the milliseconds from start to end, 0 if end comes first.
func span(start, end time.Time) float64 {
	return max(0, float64(stored(end).Sub(stored(start)))/float64(time.Millisecond))
}

// stored returns a time as it is once it was stored: without the reading of
// the monotonic clock, so that a stored transcript comes to the same figures.
func stored(t time.Time) time.Time { return t.Round(0) }
