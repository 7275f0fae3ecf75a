// Package settings reads what a repository has set for the benchmark, in its
// .github/bench.yml, and makes of it, and of what a command changes of it, the
// [Plan] of a run.
//
// The App reads the file from the base branch, so that a pull request cannot
// change what it is measured by. Another file, on the default branch of a fixtures
// repository, says whose fixtures that takes: see [CheckConsent].
//
// A [Server] is what whoever runs the App's server has set, in the environment and a
// file; of all that is wrong there it is said how to mend it.
package settings

import (
	"cmp"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// Path is where the settings are in a repository.
const Path = ".github/bench.yml"

// DefaultsRepo is the repository of an account whose file at [Path] says what those of
// its other repositories leave out.
const DefaultsRepo = ".github"

// Scripted is the model of a trial without a model.
const Scripted = "scripted"

// SandboxTarget is the target that is no repository.
const SandboxTarget = "sandbox"

// The defaults of what a file leaves out.
const (
	DefaultProfile        = bench.VerifyPR
	DefaultWorkflow       = "bench.yml"
	DefaultTimeoutMinutes = 60
	DefaultCheckName      = "bench"
	DefaultSkipLabel      = "skip-bench"
	DefaultBenchmark      = "ghx"
	DefaultExperiment     = "experiment_config.yaml"
	DefaultAgent          = "opencode"

	DefaultRunUSD         = 10
	DefaultPullRequestUSD = 50
	DefaultDayUSD         = 100
	DefaultBaselineUSD    = 20
)

// Executor is where a run is done.
type Executor string

// The executors.
const (
	// Local runs on the App's machine.
	Local Executor = "local"
	// Dispatch starts a workflow of the repository.
	Dispatch Executor = "dispatch"
)

// Forks says what happens to pull requests from forks.
type Forks string

// What may happen to them.
const (
	// ForksNever are not measured.
	ForksNever Forks = "never"
	// ForksApprove are measured at a commit that somebody approved.
	ForksApprove Forks = "approve"
)

// Settings are a repository's. The JSON names are those of the file.
type Settings struct {
	Triggers Triggers `json:"triggers"`
	Labels   Labels   `json:"labels"`
	// Paths are patterns of a workflow's paths; none means every path.
	Paths   []string          `json:"paths"`
	Profile bench.GateProfile `json:"profile"`
	// ScenarioSet and Scenarios are both empty for the profile's own set; at
	// most one is not.
	ScenarioSet string   `json:"scenario_set"`
	Scenarios   []string `json:"scenarios"`
	// Modes and BaselineMode are the profile's own where a file names none.
	Modes         []bench.Mode `json:"modes"`
	BaselineMode  bench.Mode   `json:"baseline_mode"`
	CandidateMode bench.Mode   `json:"candidate_mode"`
	// ModeFiles are paths in the repository, of files of the measured commit.
	ModeFiles []string `json:"mode_files"`
	// Repetitions are those of every profile that takes them, zero for the
	// profile's own.
	Repetitions bench.Repetitions `json:"repetitions,omitzero"`
	Margins     Margins           `json:"margins"`
	// Model is "provider/model" or [Scripted].
	Model string `json:"model"`
	// Agent is the program that works with the model.
	Agent string `json:"agent"`
	// Target is [SandboxTarget] or "owner/name".
	Target    string   `json:"target"`
	Executor  Executor `json:"executor"`
	Workflow  string   `json:"workflow"`
	Benchmark string   `json:"benchmark"`
	// Experiment is a path in the repository, of the configuration of a benchmark
	// other than [DefaultBenchmark].
	Experiment     string   `json:"experiment_config"`
	TimeoutMinutes int      `json:"timeout_minutes"`
	Budget         Budget   `json:"budget"`
	Baseline       Baseline `json:"baseline"`
	Commands       Commands `json:"commands"`
	Forks          Forks    `json:"forks"`
	// Comment is when the comment on the pull request is written.
	Comment comment.When `json:"comment"`
	// OnNoVerdict is neutral, failure or action_required.
	OnNoVerdict comment.Conclusion `json:"on_no_verdict"`
	CheckName   string             `json:"check_name"`
}

// Margins are how much worse a candidate may be where evidence decides.
type Margins struct {
	// Success is a drop of the success rate in percentage points; Cost and
	// Latency are the candidate's figure over the baseline's.
	Success float64 `json:"success"`
	Cost    float64 `json:"cost"`
	Latency float64 `json:"latency"`
}

// Triggers are what starts a run by itself.
type Triggers struct {
	// PullRequest are actions of the pull_request event.
	PullRequest []string `json:"pull_request"`
	MergeGroup  bool     `json:"merge_group"`
	Drafts      bool     `json:"drafts"`
	// SkipMarker has [skip bench] in the head commit's message be heeded.
	SkipMarker bool `json:"skip_marker"`
}

// Labels steer single pull requests. An empty name means no such label.
type Labels struct {
	Run  string `json:"run"`
	Skip string `json:"skip"`
}

// Budget is the most that may be spent, in USD.
type Budget struct {
	Run         float64 `json:"run"`
	PullRequest float64 `json:"pull_request"`
	Day         float64 `json:"day"`
	// Baseline is for a day's runs of the default branch; they count as the day's
	// too.
	Baseline float64 `json:"baseline"`
}

// Within returns a budget that no bound is exceeded by; a bound of 0 is none.
func (b Budget) Within(runUSD, dayUSD float64) Budget {
	if runUSD > 0 {
		b.Run = min(b.Run, runUSD)
	}
	if dayUSD > 0 {
		b.Day = min(b.Day, dayUSD)
	}
	return b
}

// Baseline says when the default branch is measured.
type Baseline struct {
	// Push has each push measured that touches the paths.
	Push bool `json:"push"`
	// Every is how often it is measured although nobody has pushed; empty is never.
	Every Every `json:"every"`
}

// Every is how often something is done.
type Every string

// How often.
const (
	EveryDay  Every = "day"
	EveryWeek Every = "week"
)

// Period returns the time between two, 0 for never.
func (e Every) Period() time.Duration {
	const day = 24 * time.Hour
	return map[Every]time.Duration{EveryDay: day, EveryWeek: 7 * day}[e]
}

// Commands say who may give them.
type Commands struct {
	// Permission is the least one: write, maintain or admin.
	Permission string `json:"permission"`
}

// Defaults returns the settings of a file that says nothing. They have no
// model, which every file names.
func Defaults() Settings {
	return Settings{
		Triggers: Triggers{PullRequest: []string{"opened", "reopened", "synchronize", "ready_for_review"}, SkipMarker: true},
		Labels:   Labels{Skip: DefaultSkipLabel},
		Profile:  DefaultProfile, Modes: DefaultProfile.UsualModes(), BaselineMode: DefaultProfile.UsualModes()[0],
		CandidateMode: bench.GHX, Agent: DefaultAgent,
		Margins: Margins{Success: evidence.DefaultSuccessDropPct, Cost: evidence.DefaultCostRatio, Latency: evidence.DefaultLatencyRatio},
		Target:  SandboxTarget, Executor: Dispatch, Workflow: DefaultWorkflow, Benchmark: DefaultBenchmark, Experiment: DefaultExperiment, TimeoutMinutes: DefaultTimeoutMinutes,
		Budget:   Budget{Run: DefaultRunUSD, PullRequest: DefaultPullRequestUSD, Day: DefaultDayUSD, Baseline: DefaultBaselineUSD},
		Commands: Commands{Permission: "write"}, Forks: ForksApprove, Comment: comment.Always, OnNoVerdict: comment.Neutral, CheckName: DefaultCheckName,
	}
}

// Rules returns what keeps a pull request from being measured by itself.
func (s Settings) Rules() ghevent.Rules {
	return ghevent.Rules{
		SkipMarker: s.Triggers.SkipMarker, Drafts: s.Triggers.Drafts, RunLabel: s.Labels.Run, SkipLabel: s.Labels.Skip, Paths: s.Paths,
	}
}

//go:embed bench.schema.json
var schemaFile []byte

var schema = compiled("bench.schema.json", schemaFile)

// compiled compiles a schema of this program once it is needed.
func compiled(name string, file []byte) func() *jsondoc.Schema {
	return sync.OnceValue(func() *jsondoc.Schema {
		made, err := jsondoc.CompileSchema(name, file)
		if err != nil {
			panic(fmt.Sprintf("settings: %v", err))
		}
		return made
	})
}

// Schema returns the JSON Schema of the file, for editors.
func Schema() []byte { return slices.Clone(schemaFile) }

// Known are the names that settings may refer to; nil slices are not checked.
type Known struct {
	Sets, Scenarios []string
}

// Parse reads a settings file. What it leaves out is as the defaults of its
// organisation say, the text of such a file too, empty for none. The problems name lines
// of the file; where there are any, the settings are not to be used.
func Parse(data []byte, organisation string, known Known) (Settings, jsondoc.Problems) {
	s := Defaults()
	s.Modes, s.BaselineMode = nil, ""
	if organisation != "" {
		if _, problems := s.read([]byte(organisation)); len(problems) > 0 {
			p := problems.Sorted()[0]
			return Settings{}, jsondoc.Problems{{File: Path, Line: 1, Column: 1, Message: fmt.Sprintf("has defaults that cannot be used: %s of the repository %s, line %d: %s %s", Path, DefaultsRepo, p.Line, p.Path, p.Message)}}
		}
	}
	doc, problems := s.read(data)
	if len(problems) > 0 {
		return Settings{}, problems
	}
	if s.ofTasks() {
		if problems := s.toTasks(doc); len(problems) > 0 {
			return Settings{}, problems.Sorted()
		}
	}
	usual := s.Profile.UsualModes()
	s.BaselineMode = cmp.Or(s.BaselineMode, usual[0])
	if s.Modes == nil {
		s.Modes = usual
	}
	if problems := check(doc, s, known); len(problems) > 0 {
		return Settings{}, problems.Sorted()
	}
	return s, nil
}

// read reads a file over the settings.
func (s *Settings) read(data []byte) (*jsondoc.Document, jsondoc.Problems) {
	doc, problems := jsondoc.ParseYAML(Path, data)
	if len(problems) > 0 {
		return doc, problems
	}
	if problems := schema().Validate(doc); len(problems) > 0 {
		return doc, problems
	}
	if text, is := doc.At("repetitions"); is {
		if _, err := bench.ParseRepetitions(fmt.Sprint(text)); err != nil {
			return doc, jsondoc.Problems{doc.Problem([]string{"repetitions"}, "cannot be read: %v", err)}
		}
	}
	_, set := doc.At("scenario_set")
	_, named := doc.At("scenarios")
	if set || named {
		s.ScenarioSet, s.Scenarios = "", nil // one takes the place of the other
	}
	if err := doc.Decode(s); err != nil {
		return doc, jsondoc.Problems{doc.Problem(nil, "cannot be read: %v", err)}
	}
	return doc, nil
}

// check finds what a schema cannot say.
func check(doc *jsondoc.Document, s Settings, known Known) jsondoc.Problems {
	var problems jsondoc.Problems
	report := func(path []string, format string, args ...any) {
		problems = append(problems, doc.Problem(path, format, args...))
	}
	if s.Model == "" {
		report(nil, "lacks model: name one as provider/model, or scripted for a trial without one")
	}
	if _, set := doc.At("experiment_config"); set && !s.ofTasks() {
		report([]string{"experiment_config"}, "is for other benchmarks than %s: leave it out, or name one in benchmark", DefaultBenchmark)
	}
	if r := s.Repetitions; r.Most > 0 && !s.Profile.Takes(r) {
		report([]string{"repetitions"}, "is %s, which profile %s cannot judge: %s", r, s.Profile, takes(s.Profile))
	}
	if most := bench.MaxRepetitions; s.Repetitions.Most > most {
		report([]string{"repetitions"}, "is %s: %d are the most", s.Repetitions, most)
	}
	if _, err := ghevent.ParsePaths(s.Paths); err != nil {
		report([]string{"paths"}, "%v", err)
	}
	if s.ScenarioSet != "" && len(s.Scenarios) > 0 {
		report([]string{"scenarios"}, "cannot be set beside scenario_set: leave one of them out")
	}
	for i, id := range s.Scenarios {
		if unknown(known.Scenarios, id) {
			report([]string{"scenarios", fmt.Sprint(i)}, "names the scenario %q, which there is not%s", id, jsondoc.DidYouMean(id, known.Scenarios))
		}
	}
	if s.ScenarioSet != "" && unknown(known.Sets, s.ScenarioSet) {
		report([]string{"scenario_set"}, "names the set %q, which there is not%s", s.ScenarioSet, jsondoc.DidYouMean(s.ScenarioSet, known.Sets))
	}
	problems = append(problems, checkModes(doc, s)...)
	if strings.EqualFold(s.Labels.Run, s.Labels.Skip) {
		report([]string{"labels"}, "has the same label to run and to skip: use two")
	}
	if s.Triggers.wants("labeled") && s.Labels.Run == "" {
		report([]string{"triggers", "pull_request"}, "has labeled, but labels.run names no label: set it, or leave labeled out")
	}
	for _, limit := range []struct {
		name, above   string
		amount, bound float64
	}{{"run", "pull_request", s.Budget.Run, s.Budget.PullRequest}, {"pull_request", "day", s.Budget.PullRequest, s.Budget.Day}, {"baseline", "day", s.Budget.Baseline, s.Budget.Day}} {
		if _, set := doc.At("budget", limit.name); set && limit.amount > limit.bound {
			report([]string{"budget", limit.name}, "is %v, above the %v of budget.%s: lower it, or raise the other", limit.amount, limit.bound, limit.above)
		}
	}
	return problems
}

func checkModes(doc *jsondoc.Document, s Settings) jsondoc.Problems {
	var problems jsondoc.Problems
	report := func(path []string, format string, args ...any) {
		problems = append(problems, doc.Problem(path, format, args...))
	}
	// What modes the files describe is known once there is a commit.
	shipped := strings.Split(bench.JoinModes(bench.Modes(), ","), ",")
	for i, mode := range s.Modes {
		if len(s.ModeFiles) == 0 && !mode.Shipped() {
			mend := cmp.Or(jsondoc.DidYouMean(string(mode), shipped), ": name its file in mode_files")
			report([]string{"modes", fmt.Sprint(i)}, "names the mode %q, which there is not%s", mode, mend)
		}
	}
	if len(problems) > 0 {
		return problems
	}
	for i, file := range s.ModeFiles {
		if !filepath.IsLocal(file) {
			report([]string{"mode_files", fmt.Sprint(i)}, "is %q: name a file of the repository by its path in it", file)
		}
	}
	if s.BaselineMode == s.CandidateMode {
		report([]string{"candidate_mode"}, "is %s, as baseline_mode is: name two modes", s.CandidateMode)
	}
	for name, mode := range map[string]bench.Mode{"baseline_mode": s.BaselineMode, "candidate_mode": s.CandidateMode} {
		if !slices.Contains(s.Modes, mode) {
			report([]string{"modes"}, "lacks %s, which is compared: add it, or name another in %s", mode, name)
		}
	}
	return problems
}

func takes(profile bench.GateProfile) string {
	if profile.ByEvidence() {
		return "it takes 2 or more"
	}
	return fmt.Sprintf("name one number, or profile %s or %s, which decide on the way how many it takes", bench.ProfileRegression, bench.ProfileClaim)
}

func unknown(names []string, name string) bool { return names != nil && !slices.Contains(names, name) }

func (t Triggers) wants(action string) bool { return slices.Contains(t.PullRequest, action) }
