package runner_test

import (
	"slices"
	"strings"
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

func TestS14AWriteThatIsExpectedToFailIsRefused(t *testing.T) {
	type refusal struct {
		names   string
		missing bool
	}
	for name, c := range map[string]struct {
		code     string
		foreseen bool
		refused  []refusal
		wrong    bool
	}{
		"nothing was refused":                               {"NOT_FOUND", false, nil, true},
		"it was not found":                                  {"NOT_FOUND", false, []refusal{{"4711", true}}, false},
		"something else was not found":                      {"NOT_FOUND", false, []refusal{{"12", true}}, true},
		"it was refused, and is there":                      {"NOT_FOUND", false, []refusal{{"4711", false}}, true},
		"a write was refused":                               {"VALIDATION", false, []refusal{{"4711", false}}, false},
		"it was not found, where it is there":               {"VALIDATION", false, []refusal{{"4711", true}}, true},
		"it may be foreseen":                                {"VALIDATION", true, nil, false},
		"a second refusal will do, after another of a kind": {"NOT_FOUND", false, []refusal{{"12", true}, {"4711", true}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := fake.Atomic("a-001")
				s.Task = "issue.close"
				s.Assertions = bench.Assertions{ExpectedOutcome: bench.OutcomeError, ExpectedErrorCode: bench.ErrorCodes{c.code}, MayBeForeseen: c.foreseen}
				s.Fixture = &bench.Fixture{Requires: []string{"gone"}, Bindings: map[string]string{"input.owner": "repo.owner", "input.issueNumber": "resources.gone.number"}}
				r := newRig(s)
				r.target.Resources = map[string]map[string]any{"gone": {"number": 4711}}
				r.target.Asked = []string{"4711"}
				r.target.Refused = func(things [][]string, missing bool) bool {
					return slices.Contains(c.refused, refusal{things[0][0], missing})
				}
				r.provider.OnPrompt = says(strings.Replace(missing, "NOT_FOUND", c.code, 1))
				row := r.one(t)
				assert.Equal(t, !c.wrong, row.Success)
				if c.wrong {
					assert.Equal(t, &bench.RowError{Type: bench.AssertionFailed, Message: "GitHub has not refused the agent what the task asks for."}, row.Error)
				}
			})
		})
	}
}
