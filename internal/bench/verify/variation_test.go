package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/scenarios"
)

var (
	variations    = flag.Int("variations", map[bool]int{false: 2, true: 3}[testkit.IsComplete()], "in how many variations the right plays of all modes are run")
	variationSeed = flag.Uint64("variation-seed", 1, "the seed of those variations")
)

// shippedScenarios returns the shipped scenarios.
func shippedScenarios(t testing.TB) []bench.Scenario {
	t.Helper()
	return shipped(t).All()
}

// playedIn returns the modes in which a scenario can be played.
func playedIn(t testing.TB, s bench.Scenario) []bench.Mode {
	t.Helper()
	data, err := os.ReadFile("../agent/scripted/plans/" + s.ID + ".json")
	require.NoError(t, err)
	var plan struct{ Modes map[bench.Mode]any }
	require.NoError(t, json.Unmarshal(data, &plan))
	return slices.Sorted(maps.Keys(plan.Modes))
}

// varied is a sandbox with variations, and what attempts there are made with.
type varied struct {
	sandbox *target.Sandbox
	deps    runner.Deps
}

func newVaried(t testing.TB) *varied {
	t.Helper()
	provider, err := scripted.New(scripted.Options{Pause: -1, Now: time.Now})
	require.NoError(t, err)
	v := &varied{sandbox: verify.VariedSandbox(fixture.Options{Repo: target.FixturesRepo, SeedID: fixture.DefaultSeedID})}
	v.sandbox.FindWorlds(func(name string) (*world.World, error) { return world.Load(scenarios.Files, name) }, nil)
	t.Cleanup(func() { _ = v.sandbox.Close(); _ = provider.Close() })
	v.deps = runner.Deps{
		Target: v.sandbox, Provider: provider, Now: time.Now,
		Wait: func(context.Context, time.Duration) error { return nil },
		Reader: func(access target.Access) (checkpoint.Reader, error) {
			client, err := verify.Client(access)
			return checkpoint.NewGitHubReader(client), err
		},
	}
	return v
}

// A variation is the same world, byte for byte, whether it is filled from within
// this process or over the network.
func TestS15AVariationIsTheSameHoweverItIsSeeded(t *testing.T) {
	v := bench.Variation{Seed: 7, Number: 3}
	opts := fixture.Options{Repo: target.FixturesRepo, SeedID: fixture.DefaultSeedID, Variation: &v}
	served, err := verify.SeededSandbox(t.Context(), opts)
	require.NoError(t, err)
	t.Cleanup(func() { _ = served.Close() })
	var want, got bytes.Buffer
	require.NoError(t, served.Save(&want))

	place, err := newVaried(t).sandbox.Prepare(t.Context(), target.Needs{Variation: &v})
	require.NoError(t, err)
	require.NoError(t, place.GitHub.(*sandbox.World).Save(&got))
	assert.Equal(t, want.Bytes(), got.Bytes())
	assert.Equal(t, served.Manifest(), place.Manifest)
}

// try has a scenario tried in a variation.
func (v *varied) try(ctx context.Context, s bench.Scenario, mode bench.Mode, number int) runner.Tried {
	return runner.Once(ctx, runner.Config{Routes: []bench.Mode{bench.GHX, bench.GHXBase},
		Scenarios: map[string]bench.Scenario{s.ID: s}, Variations: bench.Variations{Seed: *variationSeed}, FirstAnswer: time.Minute, Stall: time.Minute,
	}, v.deps, bench.Cell{ScenarioID: s.ID, Mode: mode, Iteration: number})
}

// dataOf returns what an answer says, nil for that of a workflow.
func dataOf(answer string) any {
	env, found := envelope.Extract(answer)
	if !found {
		return nil
	}
	return env.Value("data")
}

// mergeStates is in how many states, as GitHub tells them, the pull request may
// be that is asked about; those who answer with the last one's are wrong.
const mergeStates = 8

// The right plays of all modes pass in every variation. What they are given, or
// what they have to find and to change, differs from one to the next, and so does
// the answer of those that read.
//
// Variations are gone through one after the other, as each has worlds of its own
// to be seeded, and the sandbox keeps a few.
func TestS15RightPlaysPassAndDifferInEveryVariation(t *testing.T) {
	testkit.NeedComplete(t)
	v := newVaried(t)
	// The tests of the scripted agent play all of them, in one variation.
	chosen := shippedScenarios(t)
	if !testkit.IsComplete() {
		chosen = nil
		for three := range slices.Chunk(shippedScenarios(t), 3) {
			chosen = append(chosen, three[0])
		}
	}
	tasks, answers := map[string][]string{}, map[string][]string{}
	for number := range *variations {
		for _, s := range chosen {
			for _, mode := range playedIn(t, s) {
				tried := v.try(t.Context(), s, mode, number)
				require.Nil(t, tried.Error, "%s in mode %s, variation %d of seed %d: %s", s.ID, mode, number, *variationSeed, tried.Answer)
				resolved := tried.Scenario.Scenario
				play := s.ID + "/" + string(mode)
				tasks[play] = append(tasks[play], fmt.Sprint(tried.Scenario.Input, resolved.Footprint, resolved.Assertions.Checkpoints))
				answers[play] = append(answers[play], fmt.Sprint(dataOf(tried.Answer)))
			}
		}
	}
	for _, s := range chosen {
		reads := !scenario.Mutates(s) && s.Assertions.Outcome() == bench.OutcomeSuccess
		for _, mode := range playedIn(t, s) {
			differs, what := tasks, "task"
			if reads {
				differs, what = answers, "answer"
			}
			play, want := s.ID+"/"+string(mode), *variations
			if s.ID == "pr-merge-status-001" {
				want = min(want, mergeStates)
			}
			different := slices.Compact(slices.Sorted(slices.Values(differs[play])))
			assert.GreaterOrEqual(t, len(different), want, "%s: the %s is the same in two variations", play, what)
		}
	}
}

// parrot is a provider whose agents work rightly and then say what was right
// elsewhere.
type parrot struct {
	agent.Provider
	says string
}

func (p *parrot) Start(ctx context.Context, setup agent.Setup) (agent.Session, error) {
	session, err := p.Provider.Start(ctx, setup)
	return &parrotSession{session, p}, err
}

type parrotSession struct {
	agent.Session
	parrot *parrot
}

func (s *parrotSession) Prompt(ctx context.Context, p agent.Prompt) (agent.Turn, error) {
	turn, err := s.Session.Prompt(ctx, p)
	turn.Text = s.parrot.says
	return turn, err
}

// What was true in one iteration is not in another: an agent that says it fails.
func TestS15AnotherIterationsConstantsFail(t *testing.T) {
	testkit.NeedComplete(t)
	v := newVaried(t)
	parroting := &parrot{Provider: v.deps.Provider}
	other := *v
	other.deps.Provider = parroting
	before := map[string]string{}
	for number := range *variations {
		for _, s := range shippedScenarios(t) {
			if s.Assertions.ExpectedData == nil || scenario.Mutates(s) {
				continue
			}
			if parroting.says = before[s.ID]; number > 0 {
				assert.NotNil(t, other.try(t.Context(), s, bench.AgentDirect, number).Error, "%s, variation %d", s.ID, number)
			}
			before[s.ID] = v.try(t.Context(), s, bench.AgentDirect, number).Answer
		}
	}
}
