package audit_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/audit"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// strong returns a scenario of testdata, which no wrong agent passes. Its parts
// may be changed.
func strong(t *testing.T, id string) bench.Scenario {
	t.Helper()
	loaded, err := weak()
	require.NoError(t, err)
	s, err := loaded.Scenario(id)
	require.NoError(t, err)
	s.Assertions.Checkpoints, s.Footprint = slices.Clone(s.Assertions.Checkpoints), slices.Clone(s.Footprint)
	for i := range s.Footprint {
		s.Footprint[i].Fields = maps.Clone(s.Footprint[i].Fields)
	}
	ground := *s.Fixture
	ground.Bindings = maps.Clone(ground.Bindings)
	s.Fixture = &ground
	if e := s.Assertions.ExpectedData; e != nil {
		data := *e
		data.Fields = maps.Clone(e.Fields)
		s.Assertions.ExpectedData = &data
	}
	return s
}

// The scenarios of testdata.
const (
	tidies = "tidy-issue-wf"
	reads  = "read-issue-001"
	misses = "missing-issue-001"
)

// anything is the condition that allows every value.
var anything = map[string]any{"any": true}

func TestS19EveryWeakCheckIsFound(t *testing.T) {
	testkit.NeedComplete(t)
	for name, c := range map[string]struct {
		scenario string
		weaken   func(s *bench.Scenario)
		// kinds are those that are tried; passing are some of the mutants that
		// pass then.
		kinds   []audit.Kind
		passing []string
	}{
		"a comment that no checkpoint looks for": {
			tidies, func(s *bench.Scenario) { s.Assertions.Checkpoints = s.Assertions.Checkpoints[1:] },
			[]audit.Kind{audit.LeaveOut}, []string{"leave-out 1 addComment", "leave-out 1 POST issues/comments"},
		},
		"an end that no checkpoint looks for": {
			tidies, func(s *bench.Scenario) { s.Assertions.Checkpoints = s.Assertions.Checkpoints[:1] },
			[]audit.Kind{audit.LeaveOut}, []string{"leave-out 2 closeIssue", "leave-out 2 PATCH issues"},
		},
		"a footprint that lets all issues change": {
			tidies, func(s *bench.Scenario) {
				s.Footprint[0].Name, s.Footprint[0].Times, s.Footprint[0].Fields["body"] = "*", 9, anything
				s.Footprint[1].Name, s.Footprint[1].Times = "*", 9
				s.Footprint[1].Fields["title"], s.Footprint[1].Fields["body"] = anything, anything
			},
			[]audit.Kind{audit.ExtraWrite, audit.Twice},
			[]string{
				"twice 1 addComment", "twice 1 POST issues/comments", "extra-write: edits another issue's title", "extra-write: comments on another issue",
				"extra-write: wipes the issue's body", "extra-write: comments on the issue",
			},
		},
		"a footprint for one comment too many": {
			tidies, func(s *bench.Scenario) { s.Footprint[0].Times = 2 }, []audit.Kind{audit.Twice}, []string{"twice 1 addComment", "twice 1 POST issues/comments"},
		},
		"a footprint for any words, and no checkpoint on them": {
			tidies, func(s *bench.Scenario) {
				s.Footprint[0].Fields["body"] = anything
				s.Assertions.Checkpoints = s.Assertions.Checkpoints[1:]
			}, []audit.Kind{audit.OtherValue},
			[]string{"other-value 1 addComment body = another", "other-value 1 addComment body = with more", "other-value 1 POST issues/comments body = another"},
		},
		"a footprint for any reason": {
			tidies, func(s *bench.Scenario) { s.Footprint[1].Fields["state_reason"] = anything }, []audit.Kind{audit.OtherValue},
			[]string{"other-value 2 closeIssue stateReason = NOT_PLANNED", "other-value 2 PATCH issues state_reason = not_planned"},
		},
		"a footprint for any issue": {
			tidies, func(s *bench.Scenario) {
				s.Footprint[0].Name, s.Assertions.Checkpoints = "* on {{repo.full_name}}#*", s.Assertions.Checkpoints[1:]
			}, []audit.Kind{audit.OtherObject},
			[]string{"other-object 1 addComment subjectId 1", "other-object 1 POST issues/comments issue_number 2"},
		},
		"a footprint and no checkpoint": {
			tidies, func(s *bench.Scenario) { s.Assertions.Checkpoints = nil }, []audit.Kind{audit.LeaveOutAll}, []string{"leave-out-all"},
		},
		"data that are not compared": {
			reads, func(s *bench.Scenario) { s.Assertions.ExpectedData = nil }, []audit.Kind{audit.MadeUp, audit.OtherAnswer, audit.OtherVariation},
			[]string{"made-up", "other-answer title other", "other-answer labels first left out", "other-answer labels[] other", "other-variation"},
		},
		"a field that is not compared": {
			reads, func(s *bench.Scenario) { delete(s.Assertions.ExpectedData.Fields, "title") }, []audit.Kind{audit.OtherAnswer}, []string{"other-answer title other"},
		},
		"a list of which a part will do": {
			reads, func(s *bench.Scenario) {
				s.Assertions.ExpectedData.Fields["labels"] = `{"$one_of": [.labels, .labels[1:], .labels[:-1]]}`
			}, []audit.Kind{audit.OtherAnswer},
			[]string{"other-answer labels first left out"},
		},
		"data that need not be there": {
			reads, func(s *bench.Scenario) {
				s.Assertions.ExpectedData, s.Assertions.RequiredDataFields, s.Assertions.DataType = nil, nil, ""
			}, []audit.Kind{audit.MadeUp}, []string{"made-up empty", "made-up null"},
		},
		"an outcome that does not matter": {
			reads, func(s *bench.Scenario) {
				s.Assertions = bench.Assertions{ExpectedOutcome: bench.OutcomeError}
			}, []audit.Kind{audit.OtherAnswer}, nil,
		},
		"any code": {
			misses, func(s *bench.Scenario) { s.Assertions.ExpectedErrorCode = bench.ErrorCodes{"NOT_FOUND", "AUTH"} }, []audit.Kind{audit.OtherAnswer}, nil,
		},
		"an error about nothing that the fixtures name": {
			misses, func(s *bench.Scenario) {
				s.Input = map[string]any{"issueNumber": 999999999}
				delete(s.Fixture.Bindings, "input.issueNumber")
			}, []audit.Kind{audit.Unasked, audit.OtherVariation}, []string{"unasked irrelevant", "other-variation"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := strong(t, c.scenario)
			c.weaken(&s)
			options := optionsFor(t, s)
			options.Kinds = c.kinds
			report := run(t, options)
			assert.Subset(t, namesOf(report.Weak()), c.passing)
			for _, m := range report.Weak() {
				assert.NotEmpty(t, m.Words)
				assert.NotEmpty(t, m.Mend)
				assert.Contains(t, c.kinds, m.Kind)
			}
		})
	}
}

func TestS19NoWrongAgentPassesWhereChecksAreStrong(t *testing.T) {
	options := optionsFor(t, strong(t, tidies), strong(t, reads), strong(t, misses))
	options.Kinds = slices.DeleteFunc(audit.Kinds(), func(k audit.Kind) bool { return k == audit.OtherVariation })
	report := run(t, options)
	assert.Empty(t, report.Problems)
	assert.Equal(t, 4, report.Plays)
	assert.Empty(t, namesOf(report.Weak()))
	tried := map[audit.Kind]bool{}
	for _, m := range report.Mutants {
		tried[m.Kind] = true
	}
	assert.Len(t, tried, len(options.Kinds), "every kind is tried")
}

func TestS15TheConstantsOfAnotherVariationFail(t *testing.T) {
	options := optionsFor(t, strong(t, reads), strong(t, misses))
	options.Kinds = []audit.Kind{audit.OtherVariation}
	report := run(t, options)
	assert.Len(t, report.Mutants, 2)
	assert.Empty(t, namesOf(report.Weak()))
}

func TestAMutantThatDoesTheSameIsNotWrong(t *testing.T) {
	options := optionsFor(t, strong(t, tidies))
	options.Kinds = []audit.Kind{audit.Twice, audit.OtherValue}
	equal := map[string]bool{}
	for _, m := range run(t, options).Mutants {
		if m.Result == audit.Equal {
			equal[m.Name] = true
		}
	}
	assert.True(t, equal["twice 2 closeIssue"], "what is closed stays closed")
	assert.True(t, equal["other-value 2 closeIssue stateReason left out"], "it is what GitHub takes it for")
	assert.False(t, equal["twice 1 addComment"])
}

func TestWhatIsNotAskedForIsNotJudged(t *testing.T) {
	options := optionsFor(t, strong(t, reads))
	options.Kinds = []audit.Kind{audit.OtherAnswer}
	results := map[string]audit.Result{}
	for _, m := range run(t, options).Mutants {
		results[m.Name] = m.Result
	}
	assert.Equal(t, audit.Equal, results["other-answer comments other"])
	assert.Equal(t, audit.Equal, results["other-answer comments left out"])
	assert.Equal(t, audit.Failed, results["other-answer number other"])
}

func TestARightPlayThatFailsIsAProblem(t *testing.T) {
	s := strong(t, reads)
	s.Assertions.ExpectedData.Fields["title"] = `"another title"`
	report := run(t, optionsFor(t, s))
	require.Len(t, report.Problems, 1)
	assert.Contains(t, report.Problems[0].String(), "read-issue-001 mcp: the right play fails: The data's title is")
	assert.Empty(t, report.Mutants)
}

// lackingTarget is one whose places lack something that agents ask for.
type lackingTarget struct{ target.Target }

func (l lackingTarget) Prepare(ctx context.Context, needs target.Needs) (*target.Place, error) {
	place, err := l.Target.Prepare(ctx, needs)
	if err == nil {
		place.Unsupported = func() []string { return []string{"GET /a", "Repository.b"} }
	}
	return place, err
}

func TestS20ARightPlayThatAsksForWhatTheSandboxLacksIsAProblem(t *testing.T) {
	options := optionsFor(t, strong(t, reads))
	options.Kinds = []audit.Kind{}
	options.Deps.Target = lackingTarget{options.Deps.Target}
	report := run(t, options)
	require.NotEmpty(t, report.Problems)
	assert.Contains(t, report.Problems[0].String(), "the right play asks for what the sandbox lacks: GET /a, Repository.b")
}

func TestAScenarioWithoutAPlayIsAProblem(t *testing.T) {
	report := run(t, optionsFor(t, fake.Atomic("unknown-001")))
	require.Len(t, report.Problems, 1)
	assert.Contains(t, report.Problems[0].String(), "unknown-001: has no right play")
}

func TestATargetThatShowsNoChangesIsRefused(t *testing.T) {
	options := optionsFor(t, strong(t, reads))
	options.Deps.Target = &fake.Target{}
	options.Plays = func(string) []audit.Play {
		return []audit.Play{{Mode: bench.MCP, Agent: &fake.Provider{}}}
	}
	_, err := audit.Run(t.Context(), options)
	require.Error(t, err)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

// The tables of the audit are of use only if what they say can be done.
func TestEveryExtraWriteChangesSomethingSomewhere(t *testing.T) {
	testkit.NeedComplete(t)
	shipped, err := library()
	require.NoError(t, err)
	closes, err := shipped.Scenario("pr-close-001")
	require.NoError(t, err)
	options := optionsFor(t, strong(t, tidies), strong(t, reads), closes)
	options.Kinds = []audit.Kind{audit.ExtraWrite}
	effective := map[string]bool{}
	for _, m := range run(t, options).Mutants {
		effective[m.Name] = effective[m.Name] || m.Result != audit.Equal
	}
	assert.Greater(t, len(effective), 45)
	for name, effect := range effective {
		assert.True(t, effect, name)
	}
}

func TestS12EveryDetourLeavesSomething(t *testing.T) {
	testkit.NeedComplete(t)
	shipped, err := library()
	require.NoError(t, err)
	closes, err := shipped.Scenario("pr-assignees-add-001")
	require.NoError(t, err)
	options := optionsFor(t, strong(t, reads), closes)
	options.Kinds = []audit.Kind{audit.Detour}
	left := map[string]bool{}
	for _, m := range run(t, options).Mutants {
		assert.NotEqual(t, audit.Passed, m.Result, m.Name)
		name := strings.TrimPrefix(strings.TrimPrefix(m.Name, "detour before: "), "detour after: ")
		left[name] = left[name] || strings.Contains(m.Why, footprint.CheckName)
	}
	assert.Len(t, left, 10)
	for name, something := range left {
		assert.True(t, something, name)
	}
}

func TestS14WhoDoesNotTryIsNotRefused(t *testing.T) {
	shipped, err := library()
	require.NoError(t, err)
	var chosen []bench.Scenario
	for _, id := range []string{"issue-close-not-found-001", "workflow-dispatch-refused-001", "pr-create-refused-001", "issue-view-not-found-001"} {
		s, err := shipped.Scenario(id)
		require.NoError(t, err)
		chosen = append(chosen, s)
	}
	options := optionsFor(t, chosen...)
	options.Kinds = []audit.Kind{audit.Unasked}
	tried := map[string]string{}
	for _, m := range run(t, options).Mutants {
		if m.Name == "unasked untried" {
			tried[m.Scenario] = m.Why
		}
	}
	const refused = "GitHub has not refused the agent what the task asks for."
	assert.Equal(t, map[string]string{"issue-close-not-found-001": refused, "workflow-dispatch-refused-001": refused}, tried, "what may be foreseen, and what is read, need not be refused")
}
