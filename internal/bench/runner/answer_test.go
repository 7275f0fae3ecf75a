package runner_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

const missing = `{"ok":false,"data":null,"error":{"code":"NOT_FOUND","message":"none","retryable":false},"meta":{}}`

func TestS14AnAnswerComesFromGitHub(t *testing.T) {
	for name, c := range map[string]struct {
		outcome bench.Outcome
		answer  string
		silent  bool
		asked   []string
		wrong   string
	}{
		"a read":                                     {bench.OutcomeSuccess, fake.Envelope, false, nil, ""},
		"a read without a request":                   {bench.OutcomeSuccess, fake.Envelope, true, nil, "The agent answered without asking GitHub."},
		"an error that was asked for":                {bench.OutcomeError, missing, false, []string{"4711"}, ""},
		"an error without a request":                 {bench.OutcomeError, missing, true, nil, "The agent answered without asking GitHub."},
		"an error after asking for something else":   {bench.OutcomeError, missing, false, []string{"12"}, "The agent did not ask GitHub for 4711."},
		"a read may ask for what it likes meanwhile": {bench.OutcomeSuccess, fake.Envelope, false, []string{"12"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := fake.Atomic("a-001")
				s.Task = "issue.view"
				s.Assertions = bench.Assertions{ExpectedOutcome: c.outcome}
				if c.outcome == bench.OutcomeError {
					s.Assertions.ExpectedErrorCode = bench.ErrorCodes{"NOT_FOUND"}
				}
				s.Fixture = &bench.Fixture{Requires: []string{"gone"}, Bindings: map[string]string{
					"input.owner": "repo.owner", "input.issueNumber": "resources.gone.number",
				}}
				r := newRig(s)
				r.target.Resources = map[string]map[string]any{"gone": {"number": 4711}}
				r.target.Silent, r.target.Asked = c.silent, c.asked
				r.provider.OnPrompt = says(c.answer)
				row := r.one(t)
				if c.wrong == "" {
					assert.Nil(t, row.Error)
					return
				}
				assert.Equal(t, &bench.RowError{Type: bench.AssertionFailed, Message: c.wrong}, row.Error)
				assert.True(t, row.OutputValid, "its form is as it should be")
			})
		})
	}
}
