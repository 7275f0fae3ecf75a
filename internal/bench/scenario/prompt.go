package scenario

import (
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// FirstPrompt returns the first prompt of an attempt: the task as the scenario words
// it and, for an atomic scenario, the contract of its answer. All that an agent is
// told about its task is put together in this file. It knows no modes, so the words
// are the same in all of them.
//
// The nonce stands in the first line. Where it differs from attempt to
// attempt, a provider that caches the beginnings of prompts has nothing of an
// earlier attempt to read. An empty nonce has no line.
//
// The scenario's assertions are to be those of its file, not those of a mode.
func FirstPrompt(s Resolved, nonce string) string {
	var parts []string
	if nonce != "" {
		parts = append(parts, "Attempt: "+nonce)
	}
	parts = append(parts, strings.TrimSpace(s.Prompt))
	if s.Scenario.Type != bench.Workflow {
		parts = append(parts, AnswerContract(s.Scenario.Assertions))
	}
	return strings.Join(parts, "\n\n")
}

// ContinuationPrompt asks an agent to complete an answer that has no complete
// envelope (rule N8). The assertions are those that [FirstPrompt] had.
func ContinuationPrompt(a bench.Assertions) string {
	return "Your answer does not contain the result. If the task is not finished, finish it.\n\n" + AnswerContract(a)
}
