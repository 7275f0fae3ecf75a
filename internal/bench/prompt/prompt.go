// Package prompt words everything that an agent is told about its task.
//
// It is the only place where that is put together. It knows no modes, so the
// words are the same in all of them; what an agent is told about its tools is
// not said here.
package prompt

import (
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

// First returns the first prompt of an attempt: the task as the scenario words
// it and, for an atomic scenario, the contract of its answer.
//
// The nonce stands in the first line. Where it differs from attempt to
// attempt, a provider that caches the beginnings of prompts has nothing of an
// earlier attempt to read. An empty nonce has no line.
//
// The scenario's assertions are to be those of its file, not those of a mode.
func First(s scenario.Resolved, nonce string) string {
	var parts []string
	if nonce != "" {
		parts = append(parts, "Attempt: "+nonce)
	}
	parts = append(parts, strings.TrimSpace(s.Prompt))
	if s.Scenario.Type != bench.Workflow {
		parts = append(parts, Contract(s.Scenario.Assertions))
	}
	return strings.Join(parts, "\n\n")
}

// Continuation asks an agent to complete an answer that has no complete
// envelope (rule N8). The assertions are those that [First] had.
func Continuation(a bench.Assertions) string {
	return "Your answer does not contain the result. If the task is not finished, finish it.\n\n" + Contract(a)
}
