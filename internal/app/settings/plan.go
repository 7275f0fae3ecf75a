package settings

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Plan is what a run measures. It is stored with the run, so that a change of
// the settings meanwhile changes no run.
type Plan struct {
	Profile bench.GateProfile `json:"profile"`
	// Set names the scenario set, empty where Scenarios were named one by one.
	Set string `json:"set,omitempty"`
	// Scenarios are the ids of all, also of those of a set.
	Scenarios []string     `json:"scenarios"`
	Modes     []bench.Mode `json:"modes"`
	Baseline  bench.Mode   `json:"baseline"`
	Candidate bench.Mode   `json:"candidate"`
	// ModeFiles are paths in the repository of modes that are not shipped.
	ModeFiles   []string          `json:"mode_files,omitempty"`
	Repetitions bench.Repetitions `json:"repetitions"`
	// Margins are those of a profile that decides by evidence, zero of others.
	Margins Margins `json:"margins,omitzero"`
	Model   string  `json:"model"`
	// Agent is the provider of agents, [Scripted] where no model works.
	Agent     string `json:"agent"`
	Benchmark string `json:"benchmark"`
	// Experiment is the path in the repository of the configuration of a benchmark other
	// than ghx, empty for that.
	Experiment string        `json:"experiment,omitempty"`
	Target     string        `json:"target"`
	Executor   Executor      `json:"executor"`
	Workflow   string        `json:"workflow,omitempty"`
	Timeout    time.Duration `json:"timeout"`
	// MaxUSD ends the run once it is spent.
	MaxUSD float64 `json:"max_usd"`
	// EstimateUSD is what it is thought to cost, 0 if that is not known.
	EstimateUSD float64 `json:"estimate_usd,omitempty"`
	// EstimateTime is how long it is thought to take, 0 if that is not known.
	EstimateTime time.Duration `json:"estimate_time,omitempty"`
}

// UnmarshalJSON reads a plan, also of a server that knew one agent and one
// candidate.
func (p *Plan) UnmarshalJSON(data []byte) error {
	type plain Plan
	read := plain{Candidate: bench.GHX, Agent: DefaultAgent}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	if *p = Plan(read); p.Model == Scripted {
		p.Agent = Scripted
	}
	return nil
}

// Cells returns how many cells the plan has at most, but for blocks that take the
// place of void ones.
func (p Plan) Cells() int { return len(p.Scenarios) * len(p.Modes) * p.Repetitions.Most }

// MostRepetitions returns how many repetitions a scenario may have with those
// that take the place of void ones.
func (p Plan) MostRepetitions() int {
	if !p.Profile.ByEvidence() {
		return p.Repetitions.Most
	}
	if p.OfTasks() {
		return 2 * p.Repetitions.Most // of how many tasks is not known
	}
	return evidence.WithRefills(p.Repetitions.Most, len(p.Scenarios))
}

// maxTasks is how many tasks a benchmark may have.
const maxTasks = 10_000

// MostCells returns how many cells may have a row.
func (p Plan) MostCells() int {
	if p.OfTasks() {
		const compared = 2
		return maxTasks * compared * p.MostRepetitions()
	}
	return len(p.Scenarios) * len(p.Modes) * p.MostRepetitions()
}

// Shown returns the plan as comments show it.
func (p Plan) Shown() comment.Plan {
	shown := comment.Plan{
		Profile: p.Profile, Set: p.Set, Modes: p.Modes, Repetitions: p.Repetitions, Model: p.Model, Cells: p.Cells(),
		Simulated: p.Model == Scripted, CostUSD: p.EstimateUSD, MaxUSD: p.MaxUSD, Duration: p.EstimateTime, Foreseen: p.Foreseen(),
	}
	if p.Set == "" {
		shown.Scenarios = p.Scenarios
	}
	if p.OfTasks() {
		shown.Benchmark = p.Benchmark
	}
	return shown
}

// Measures reports whether both plans ask the same in the same way, wherever it is
// done and whatever it may cost.
func (p Plan) Measures(q Plan) bool {
	return p.Profile == q.Profile && p.Model == q.Model && p.Benchmark == q.Benchmark && p.Experiment == q.Experiment && p.Baseline == q.Baseline && p.Candidate == q.Candidate && p.Agent == q.Agent &&
		p.Repetitions == q.Repetitions && p.Margins == q.Margins && sameInAnyOrder(p.Modes, q.Modes) && sameInAnyOrder(p.ModeFiles, q.ModeFiles) && p.SameScenarios(q)
}

// SameScenarios reports whether both plans have the same ones.
func (p Plan) SameScenarios(q Plan) bool { return sameInAnyOrder(p.Scenarios, q.Scenarios) }

func sameInAnyOrder[T cmp.Ordered](a, b []T) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// Resolve returns what a command, or an event with the command [command.Run]
// alone, has measured. An error is of kind invalid and is an answer for who
// commanded: it names what there is not.
func Resolve(s Settings, c command.Command, library *scenario.Library) (Plan, error) {
	if s.ofTasks() {
		return resolveTasks(s, c)
	}
	p := commonPlan(s, c)
	p.Profile, p.Agent, p.Candidate, p.ModeFiles = cmp.Or(c.Profile, s.Profile), s.Agent, s.CandidateMode, s.ModeFiles
	if p.Model == Scripted {
		p.Agent = Scripted
	}
	p.Repetitions = repetitions(s, c, p.Profile)
	set, ids := scope(s, c, p.Profile)
	known := command.Known{Sets: library.Sets(), Scenarios: allIDs(library)}
	if err := (command.Command{Set: set, Scenarios: ids}).Check(known); err != nil {
		return Plan{}, err
	}
	if len(s.ModeFiles) == 0 {
		if err := c.CheckModes(); err != nil {
			return Plan{}, err
		}
	}
	p.Modes, p.Baseline = modes(s, c, p.Profile)
	for _, mode := range []bench.Mode{p.Baseline, p.Candidate} {
		if !slices.Contains(p.Modes, mode) {
			return Plan{}, fault.Invalidf("The modes lack `%s`, which is compared: name it too.", mode)
		}
	}
	selected, err := scenario.Select(library, set, ids)
	if err != nil {
		return Plan{}, err
	}
	p.Set = set
	for _, sc := range selected {
		p.Scenarios = append(p.Scenarios, sc.ID)
	}
	return p.withEvidence(s.Margins)
}

// commonPlan is what plans of all benchmarks have in common.
func commonPlan(s Settings, c command.Command) Plan {
	p := Plan{
		Model: cmp.Or(c.Model, s.Model), Benchmark: s.Benchmark, Target: s.Target, Executor: s.Executor,
		Timeout: time.Duration(s.TimeoutMinutes) * time.Minute, MaxUSD: s.Budget.Run,
	}
	if p.Executor == Dispatch {
		p.Workflow = s.Workflow
	}
	return p
}

// modes returns what is run and what is compared with: the settings' unless they
// are for a profile that asks something else, and the command's.
func modes(s Settings, c command.Command, profile bench.GateProfile) (run []bench.Mode, baseline bench.Mode) {
	run, baseline = s.Modes, s.BaselineMode
	if usual := profile.UsualModes(); s.CandidateMode == bench.GHX && !slices.Equal(usual, s.Profile.UsualModes()) {
		run, baseline = usual, usual[0]
	}
	if len(c.Modes) == 0 {
		return run, baseline
	}
	if !slices.Contains(c.Modes, baseline) && slices.Contains(c.Modes, s.BaselineMode) {
		baseline = s.BaselineMode
	}
	return c.Modes, baseline
}

// repetitions returns those of the command, else those of the settings, unless
// they are for a profile of another kind.
func repetitions(s Settings, c command.Command, profile bench.GateProfile) bench.Repetitions {
	switch {
	case c.Repetitions.Most > 0:
		return c.Repetitions
	case profile.Takes(s.Repetitions): // not where none are set
		return s.Repetitions
	default:
		return profile.UsualRepetitions()
	}
}

// scope returns the set or the scenarios: what the command names, else the
// set of a profile that it names, else what the settings name, else the set of
// their profile.
func scope(s Settings, c command.Command, profile bench.GateProfile) (set string, ids []string) {
	switch {
	case c.Set != "" || len(c.Scenarios) > 0:
		return c.Set, c.Scenarios
	case c.Profile == "" && (s.ScenarioSet != "" || len(s.Scenarios) > 0):
		return s.ScenarioSet, s.Scenarios
	case profile == bench.VerifyRelease:
		return releaseSet, nil
	case profile.ByEvidence():
		return evidenceSet, nil
	default:
		return pullSet, nil
	}
}

// The sets of the profiles.
const (
	pullSet     = "ci-verify-pr"
	releaseSet  = "ci-verify-release"
	evidenceSet = "ci-evidence"
)

func allIDs(library *scenario.Library) []string {
	var ids []string
	for _, sc := range library.All() {
		ids = append(ids, sc.ID)
	}
	return ids
}

// Spent is what was spent already, in USD.
type Spent struct {
	PullRequest, Day float64
	// Baseline is what the day's runs of the default branch have spent.
	Baseline float64
}

// Allowed returns the most that a run may spend now: the least of what the
// budgets leave. It reports false if a budget is used up, or if the estimate
// is above what is left. A run of the default branch is of no pull request.
func Allowed(b Budget, spent Spent, estimate float64, defaultBranch bool) (maxUSD float64, ok bool) {
	own := b.PullRequest - spent.PullRequest
	if defaultBranch {
		own = b.Baseline - spent.Baseline
	}
	left := min(b.Run, own, b.Day-spent.Day)
	return left, left > 0 && estimate <= left
}

// AsksNoModel reports whether the plan's model stands for an agent that asks none: the
// scripted one, or one that a benchmark brings along, which is the model's provider then.
func (p Plan) AsksNoModel() bool {
	provider, _, named := strings.Cut(p.Model, "/")
	return p.Model == Scripted || p.OfTasks() && named && provider == p.Benchmark
}
