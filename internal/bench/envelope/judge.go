package envelope

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Judgement is what rule S8 says of an answer, checkpoints apart.
type Judgement struct {
	// Found is true if the answer has an envelope with all of its fields. If
	// it is false the agent is to be asked to complete it (rule N8).
	Found       bool
	OutputValid bool
	// Success still needs the scenario's checkpoints to pass.
	Success bool
	// InternalRetries counts the entries of meta.attempts with status error.
	InternalRetries int
	// Reasons are whole sentences on why Success is false; nil if it is true.
	Reasons []string
	// Envelope may be incomplete or empty where Found is false.
	Envelope Envelope
}

// Judge applies rule S8 to an agent's answer. Assertions that do not hold for
// the mode (rule S4) are to be left out by the caller. Every part of the rule
// is asked for by itself: an answer without an envelope has no outcome and so
// never succeeds, even where valid output is not expected; require_tool_calls
// means at least one call, whatever the other two bounds are.
func Judge(answer string, a bench.Assertions, toolCalls int) Judgement {
	env, there := Extract(answer)
	if !there {
		reasons := problems{"The answer has no result envelope, so its outcome is unknown."}
		if len(answer) > MaxLength {
			reasons = nil
			reasons.addf("Of the answer of %d bytes the last %d are read, and have no result envelope, so its outcome is unknown.", len(answer), MaxLength)
		}
		reasons.checkToolCalls(toolCalls, a)
		return Judgement{Reasons: reasons}
	}
	invalid := Check(env, a)
	j := Judgement{Envelope: env, Found: len(env.Missing()) == 0, OutputValid: len(invalid) == 0}

	var reasons problems
	switch wantValid := a.ExpectValidOutput == nil || *a.ExpectValidOutput; {
	case wantValid:
		reasons = invalid
	case j.OutputValid:
		reasons.addf("The output is valid, want it not to be.")
	}
	reasons.checkOutcome(env, a.Outcome())
	reasons.checkToolCalls(toolCalls, a)

	attempts := attemptsOf(env)
	if a.RequireAttemptTrace && len(attempts) == 0 {
		reasons.addf("The meta has no list of attempts.")
	}
	j.InternalRetries = countErrors(attempts)
	j.Reasons = reasons
	j.Success = len(reasons) == 0
	return j
}

func (p *problems) checkOutcome(env Envelope, want bench.Outcome) {
	failure := env.Value(fieldError)
	_, isObject := failure.(map[string]any)
	switch {
	case want == bench.OutcomeError && !isObject:
		p.addf("The outcome is %s, want an error.", outcomeOf(env, failure))
	case want == bench.OutcomeError && env.OK:
		p.addf("The answer's ok is true, beside an error.")
	case want != bench.OutcomeError && (!env.OK || failure != nil):
		p.addf("The outcome is %s, want success.", outcomeOf(env, failure))
	}
}

func outcomeOf(env Envelope, failure any) string {
	if object, isObject := failure.(map[string]any); isObject {
		code, _ := object["code"].(string)
		return fmt.Sprintf("ok %t with the error %s", env.OK, quote(code))
	}
	if failure != nil {
		return fmt.Sprintf("ok %t with an error that is %s", env.OK, kindOf(failure))
	}
	return fmt.Sprintf("ok %t without an error", env.OK)
}

func (p *problems) checkToolCalls(calls int, a bench.Assertions) {
	if a.RequireToolCalls && calls == 0 {
		p.addf("The agent made no tool call, want at least one.")
	}
	if a.MinToolCalls != nil && calls < *a.MinToolCalls {
		p.addf("The agent made %d tool calls, want at least %d.", calls, *a.MinToolCalls)
	}
	if a.MaxToolCalls != nil && calls > *a.MaxToolCalls {
		p.addf("The agent made %d tool calls, want at most %d.", calls, *a.MaxToolCalls)
	}
}

// attemptsOf returns meta.attempts, nil if that is not a list.
func attemptsOf(env Envelope) []any {
	meta, _ := env.Value(fieldMeta).(map[string]any)
	attempts, _ := meta["attempts"].([]any)
	return attempts
}

func countErrors(attempts []any) int {
	count := 0
	for _, attempt := range attempts {
		if object, _ := attempt.(map[string]any); object["status"] == "error" {
			count++
		}
	}
	return count
}
