package scenario_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// resolved returns the shipped scenarios, bound to the fixtures and to their
// worlds, which are made once.
func resolved(t *testing.T) []scenario.Resolved {
	t.Helper()
	all, err := resolveShipped()
	require.NoError(t, err)
	return all
}

var resolveShipped = sync.OnceValues(func() ([]scenario.Resolved, error) {
	ctx := context.Background()
	library, err := loadShipped()
	if err != nil {
		return nil, err
	}
	sandbox, err := target.NewSandbox(nil)
	if err != nil {
		return nil, err
	}
	defer sandbox.Close()
	manifest, err := verify.SeedSandbox(ctx, sandbox, fixture.Options{Repo: target.FixturesRepo, SeedID: fixture.DefaultSeedID})
	if err != nil {
		return nil, err
	}
	sandbox.FindWorlds(library.World, nil)
	var all []scenario.Resolved
	for _, s := range library.All() {
		m := manifest
		if s.World() != "" {
			place, err := sandbox.Prepare(ctx, target.Needs{World: s.World()})
			if err != nil {
				return nil, err
			}
			m = place.Manifest
			if err := place.Close(); err != nil {
				return nil, err
			}
		}
		r, err := scenario.Resolve(s, m)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
})

func TestFirstPrompts(t *testing.T) {
	atomic := func(a bench.Assertions) scenario.Resolved {
		return scenario.Resolved{
			Scenario: bench.Scenario{Type: bench.Atomic, Assertions: a}, Prompt: "View the repository.\n",
		}
	}
	cases := []struct {
		name, reason string
		resolved     scenario.Resolved
	}{
		{"atomic", "a task whose result is an object, as most are", atomic(bench.Assertions{
			ExpectedOutcome: bench.OutcomeSuccess, RequiredFields: []string{"ok", "data", "error", "meta"},
			RequiredDataFields: []string{"id", "name", "url"}, RequiredMetaFields: []string{"route_used"},
			ExpectedRouteUsed: bench.RouteGraphQL, DataType: "object",
		})},
		{"bare", "without assertions, the form of an envelope is told all the same", atomic(bench.Assertions{})},
		{"list", "data that is a list", atomic(bench.Assertions{DataType: "array"})},
		{"object", "data that is an object, whatever is in it", atomic(bench.Assertions{DataType: "object"})},
		{"expected_error", "the code of an error cannot be guessed, and it is told without saying that there will be one", atomic(bench.Assertions{
			ExpectedOutcome: bench.OutcomeError, ExpectedErrorCode: bench.ErrorCodes{"NOT_FOUND"},
		})},
		{"trace", "a trace of attempts, and fields of one's own", atomic(bench.Assertions{
			RequiredFields: []string{"ok", "summary"}, RequiredMetaFields: []string{"capability_id", "route_used", "attempts"}, RequireAttemptTrace: true,
		})},
		{"workflow", "a workflow has no envelope", scenario.Resolved{
			Scenario: bench.Scenario{Type: bench.Workflow}, Prompt: "Resolve the threads of #5.",
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			testkit.CheckGolden(t, c.reason, "testdata/"+c.name+".txt", []byte(scenario.FirstPrompt(c.resolved, "N0NCE")+"\n"))
		})
	}
	testkit.CheckGolden(t, "the request for an envelope that is not there", "testdata/continuation.txt",
		[]byte(scenario.ContinuationPrompt(bench.Assertions{RequiredDataFields: []string{"id"}})+"\n"))
}

func TestTheNonceIsTheFirstLineAndNothingElse(t *testing.T) {
	for _, s := range resolved(t) {
		one, rest, _ := strings.Cut(scenario.FirstPrompt(s, "ONE"), "\n")
		two, same, _ := strings.Cut(scenario.FirstPrompt(s, "TWO"), "\n")
		assert.Contains(t, one, "ONE")
		assert.NotEqual(t, one, two)
		assert.Equal(t, rest, same)
		assert.Equal(t, strings.TrimSpace(rest), scenario.FirstPrompt(s, ""), "without a nonce there is no such line")
	}
}

func TestS7EveryRequiredFieldIsNamed(t *testing.T) {
	for _, s := range resolved(t) {
		text, a := scenario.FirstPrompt(s, "N0NCE"), s.Scenario.Assertions
		if s.Scenario.Type == bench.Workflow {
			assert.NotContains(t, text, `"ok"`, "a workflow has no envelope")
			continue
		}
		envelopes := []string{"ok", "data", "error", "meta", "code", "message", "retryable", "details"}
		for _, field := range slices.Concat(envelopes, a.RequiredFields, a.RequiredDataFields, a.RequiredMetaFields) {
			assert.Contains(t, text, `"`+field+`"`, "%s: the agent is told what its answer must have", s.Scenario.ID)
		}
	}
}

func TestS4NoModeIsToldTheRoute(t *testing.T) {
	for _, route := range []bench.Route{bench.RouteCLI, bench.RouteGraphQL, bench.RouteREST} {
		text := scenario.AnswerContract(bench.Assertions{ExpectedRouteUsed: route})
		assert.Contains(t, text, `"route_used" if the tool reports it`)
		assert.NotContains(t, text, string(route))
	}
}

func TestN8ARequestIsNoAnswer(t *testing.T) {
	for _, s := range resolved(t) {
		for _, text := range []string{scenario.FirstPrompt(s, "N0NCE"), scenario.ContinuationPrompt(s.Scenario.Assertions)} {
			_, found := envelope.Extract(text)
			assert.False(t, found, "%s: an agent that repeats the request has not answered", s.Scenario.ID)
		}
	}
}

func TestN8AContinuationStatesTheSameContract(t *testing.T) {
	for _, s := range resolved(t) {
		assert.Contains(t, scenario.ContinuationPrompt(s.Scenario.Assertions), scenario.AnswerContract(s.Scenario.Assertions))
	}
}

func TestTheContractIsNotStatedTwice(t *testing.T) {
	for _, s := range resolved(t) {
		assert.NotContains(t, s.Prompt, `"ok"`, "%s: its words leave the form of the answer to the contract", s.Scenario.ID)
	}
}
