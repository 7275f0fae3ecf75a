package envelope_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
)

const (
	succeeded = `Done. {"ok":true,"data":{"id":1},"error":null,"meta":{"attempts":[{"status":"error"},{"status":"error"},{"status":"success"},"error"]}}`
	failed    = `{"ok":false,"data":null,"error":{"code":"NOT_FOUND","message":"no"},"meta":{}}`
	torn      = `{"ok":false,"data":null,"error":null,"meta":{}}`
	both      = `{"ok":true,"data":{"id":1},"error":{"code":"NOT_FOUND","message":"no"},"meta":{}}`
)

func TestS8Judge(t *testing.T) {
	success := bench.Assertions{ExpectedOutcome: bench.OutcomeSuccess}
	expectedError := bench.Assertions{ExpectedOutcome: bench.OutcomeError, ExpectedErrorCode: bench.ErrorCodes{"NOT_FOUND"}}
	invalidExpected := bench.Assertions{ExpectValidOutput: new(bool), RequiredDataFields: []string{"id"}}

	cases := []struct {
		name, answer         string
		assertions           bench.Assertions
		toolCalls            int
		found, valid, passes bool
		reasons              []string
	}{
		{name: "a success where one is expected", answer: succeeded, assertions: success,
			found: true, valid: true, passes: true},
		{name: "the older form expects the same", answer: succeeded, assertions: bench.Assertions{MustSucceed: yes()},
			found: true, valid: true, passes: true},
		{name: "an error where success is expected", answer: failed, assertions: success,
			found: true, valid: true,
			reasons: []string{`The outcome is ok false with the error "NOT_FOUND", want success.`}},
		{name: "ok false without an error is no success", answer: torn, assertions: success,
			found: true, valid: true,
			reasons: []string{`The outcome is ok false without an error, want success.`}},
		{name: "ok true with an error is no success", answer: both, assertions: success,
			found: true, valid: true,
			reasons: []string{`The outcome is ok true with the error "NOT_FOUND", want success.`}},
		{name: "the expected error", answer: failed, assertions: expectedError,
			found: true, valid: true, passes: true},
		{name: "the expected error by the older form", answer: failed,
			assertions: bench.Assertions{MustSucceed: new(bool), ExpectedErrorCode: bench.ErrorCodes{"NOT_FOUND"}},
			found:      true, valid: true, passes: true},
		{name: "the expected error beside a success", answer: both, assertions: expectedError,
			found: true, valid: true,
			reasons: []string{`The answer's ok is true, beside an error.`}},
		{name: "a success where an error is expected", answer: succeeded, assertions: expectedError,
			found: true,
			reasons: []string{
				`There is no error, want one with the code "NOT_FOUND".`,
				`The outcome is ok true without an error, want an error.`,
			}},
		{name: "another error than the expected one", answer: failed,
			assertions: bench.Assertions{ExpectedOutcome: bench.OutcomeError, ExpectedErrorCode: bench.ErrorCodes{"VALIDATION"}},
			found:      true,
			reasons:    []string{`The error's code is "NOT_FOUND", want "VALIDATION".`}},
		{name: "an assertion that is not met makes the output invalid", answer: succeeded,
			assertions: bench.Assertions{RequiredDataFields: []string{"title"}},
			found:      true,
			reasons:    []string{`The data has no field "title".`}},
		{name: "invalid output where that is expected", answer: `{"ok":true,"data":{},"error":null,"meta":{}}`, assertions: invalidExpected,
			found: true, passes: true},
		{name: "valid output where it is expected not to be", answer: succeeded, assertions: invalidExpected,
			found: true, valid: true,
			reasons: []string{`The output is valid, want it not to be.`}},
		{name: "valid output where it is asked for", answer: succeeded, assertions: bench.Assertions{ExpectValidOutput: yes()},
			found: true, valid: true, passes: true},
		{name: "an error that is no object", answer: `{"ok":true,"data":1,"error":"?","meta":{}}`, assertions: success,
			found: true,
			reasons: []string{
				`The error is a text, want null or an object.`,
				`The outcome is ok true with an error that is a text, want success.`,
			}},
		{name: "no envelope has no outcome, whatever is expected", answer: "I did it.", assertions: invalidExpected,
			reasons: []string{`The answer has no result envelope, so its outcome is unknown.`}},
		{name: "an answer that is too long is told so", answer: `{"ok":true,"data":"` + strings.Repeat("a", envelope.MaxLength) + `","error":null,"meta":{}}`, assertions: success,
			reasons: []string{`Of the answer of 4194348 bytes the last 4194304 are read, and have no result envelope, so its outcome is unknown.`}},
		{name: "no tool call where one is required", answer: succeeded, assertions: bench.Assertions{RequireToolCalls: true},
			found: true, valid: true,
			reasons: []string{`The agent made no tool call, want at least one.`}},
		{name: "too few tool calls", answer: succeeded, assertions: bench.Assertions{MinToolCalls: count(2)}, toolCalls: 1,
			found: true, valid: true,
			reasons: []string{`The agent made 1 tool calls, want at least 2.`}},
		{name: "too many tool calls", answer: succeeded, assertions: bench.Assertions{MaxToolCalls: count(2)}, toolCalls: 3,
			found: true, valid: true,
			reasons: []string{`The agent made 3 tool calls, want at most 2.`}},
		{name: "bounds on tool calls are inclusive", answer: succeeded, toolCalls: 2,
			assertions: bench.Assertions{RequireToolCalls: true, MinToolCalls: count(2), MaxToolCalls: count(2)},
			found:      true, valid: true, passes: true},
		{name: "at most no tool calls", answer: succeeded, assertions: bench.Assertions{MaxToolCalls: count(0)}, toolCalls: 1,
			found: true, valid: true,
			reasons: []string{`The agent made 1 tool calls, want at most 0.`}},
		{name: "tool calls are asked of an answer without an envelope too", answer: "", assertions: bench.Assertions{RequireToolCalls: true},
			reasons: []string{
				`The answer has no result envelope, so its outcome is unknown.`,
				`The agent made no tool call, want at least one.`,
			}},
		{name: "an attempt trace where one is required", answer: succeeded, assertions: bench.Assertions{RequireAttemptTrace: true},
			found: true, valid: true, passes: true},
		{name: "no attempt trace where one is required", answer: failed,
			assertions: bench.Assertions{ExpectedOutcome: bench.OutcomeError, RequireAttemptTrace: true},
			found:      true, valid: true,
			reasons: []string{`The meta has no list of attempts.`}},
		{name: "an empty attempt trace is none", answer: `{"ok":true,"data":1,"error":null,"meta":{"attempts":[]}}`,
			assertions: bench.Assertions{RequireAttemptTrace: true},
			found:      true, valid: true,
			reasons: []string{`The meta has no list of attempts.`}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			j := envelope.Judge(c.answer, c.assertions, c.toolCalls)
			assert.Equal(t, c.found, j.Found, "found")
			assert.Equal(t, c.valid, j.OutputValid, "output valid")
			assert.Equal(t, c.passes, j.Success, "success")
			assert.Equal(t, c.reasons, j.Reasons)
			env, _ := envelope.Extract(c.answer)
			assert.Equal(t, env, j.Envelope)
		})
	}
}

func yes() *bool { value := true; return &value }

func count(n int) *int { return &n }

func TestS8InternalRetriesAreAttemptsWithStatusError(t *testing.T) {
	assert.Equal(t, 2, envelope.Judge(succeeded, bench.Assertions{}, 0).InternalRetries)
	assert.Zero(t, envelope.Judge(failed, bench.Assertions{}, 0).InternalRetries, "no attempts")
	assert.Zero(t, envelope.Judge(`{"ok":true,"data":1,"error":null,"meta":{"attempts":"error"}}`, bench.Assertions{}, 0).InternalRetries)
}

func TestN8AnswersWithoutACompleteEnvelopeAreToBeCompleted(t *testing.T) {
	assert.False(t, envelope.Judge("All merged.", bench.Assertions{}, 0).Found)

	j := envelope.Judge(`{"ok":true,"data":{"id":1},"error":null}`, bench.Assertions{}, 0)
	assert.False(t, j.Found, "an envelope without meta is not complete")
	assert.False(t, j.OutputValid)
	assert.Equal(t, []string{`The envelope has no field "meta".`}, j.Reasons)

	assert.True(t, envelope.Judge(`{"ok":true,"data":1,"error":"?","meta":1}`, bench.Assertions{}, 0).Found,
		"what is complete but wrong is an answer and not asked for again")
}
