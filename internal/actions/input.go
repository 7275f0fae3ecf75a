package actions

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Input declares an input of the action.
type Input struct {
	Name string
	// Default is what it is when a workflow does not set it.
	Default string
	// Required inputs have no default.
	Required bool
	// Secret inputs never reach a log.
	Secret bool
	// Help says what it is for, in one sentence.
	Help string
}

// The names of the inputs.
const (
	inGateProfile   = "gate-profile"
	inScenarioSet   = "scenario-set"
	inScenarios     = "scenarios"
	inModes         = "modes"
	inRepetitions   = "repetitions"
	inProvider      = "provider"
	inModel         = "model"
	inModelVariant  = "model-variant"
	inModelKey      = "model-api-key"
	inModelBaseURL  = "model-base-url"
	inAllowHosts    = "allow-hosts"
	inBuildCommand  = "build-command"
	inGHXCommand    = "ghx-command"
	inGHXSkill      = "ghx-skill"
	inBaseGHX       = "base-ghx-command"
	inBaselineMode  = "baseline-mode"
	inCandidateMode = "candidate-mode"
	inOrder         = "order"
	inPaths         = "paths"
	inDrafts        = "drafts"
	inToken         = "github-token"
	inSeedID        = "seed-id"
	inConcurrency   = "concurrency"
	inShard         = "shard"
	inResults       = "results"
	inResume        = "resume"
	inMaxCost       = "max-cost-usd"
	inTimeout       = "timeout-minutes"
	inExpectations  = "expectations"
	inComment       = "comment"
	inCheckName     = "check-name"
	inFailOn        = "fail-on"
	inOutputDir     = "output-dir"
)

// Declared lists the inputs in the order of action.yml.
func Declared() []Input {
	return []Input{
		{Name: inProvider, Required: true, Help: "The agent: opencode, or scripted, which has no model, is for trying out and concludes neutral."},
		{Name: inModel, Help: "The model, as PROVIDER/MODEL. Required unless the provider is scripted."},
		{Name: inModelVariant, Help: "OpenCode's variant of the model, such as high."},
		{Name: inModelKey, Secret: true, Help: "The API key of the model. Agents do not get it."},
		{Name: inModelBaseURL, Help: "The URL of an OpenAI-compatible API that has the model."},
		{Name: inGateProfile, Default: string(bench.VerifyPR), Help: "The thresholds: verify_pr or verify_release."},
		{Name: inScenarioSet, Default: "ci-verify-pr", Help: "The set of scenarios to run."},
		{Name: inScenarios, Help: "Scenario ids, separated by commas or line ends, to run in place of a set."},
		{Name: inModes, Default: "agent_direct,ghx", Help: "The modes to run: agent_direct, mcp, ghx, ghx@base."},
		{Name: inRepetitions, Default: "4", Help: "How often each scenario runs in each mode."},
		{Name: inBaselineMode, Default: string(bench.AgentDirect), Help: "The mode to compare with."},
		{Name: inCandidateMode, Default: string(bench.GHX), Help: "The mode to judge."},
		{Name: inOrder, Default: "interleaved", Help: "interleaved, or sequential: one mode after the other."},
		{Name: inBuildCommand, Default: BuildAuto, Help: "How the ghx to measure is built: auto builds a ghx workspace, none measures the installed one, anything else is run by a shell."},
		{Name: inGHXCommand, Help: "The command of the ghx to measure, where the build does not tell it."},
		{Name: inGHXSkill, Help: "The file with its skill text, where it does not lie beside it."},
		{Name: inBaseGHX, Help: "The command of the base commit's ghx, for mode ghx@base."},
		{Name: inAllowHosts, Help: "Further hosts that agents may reach, separated by commas or line ends."},
		{Name: inPaths, Help: "Patterns of paths, one a line; where a pull request touches none of them, nothing runs and the check is neutral."},
		{Name: inDrafts, Default: "skip", Help: "What to do with draft pull requests: skip or run."},
		{Name: inToken, Default: "${{ github.token }}", Secret: true, Help: "The token that reports with. It needs checks: write and pull-requests: write."},
		{Name: inSeedID, Help: "The name of the seeding of fixtures."},
		{Name: inConcurrency, Default: "1", Help: "How many cells run at once."},
		{Name: inShard, Help: "Run the part I/N of the plan only and publish nothing; another job merges the parts."},
		{Name: inResults, Help: "Folders or ledgers of shards, one a line: merge, judge and publish them, and run nothing."},
		{Name: inResume, Default: "false", Help: "Go on with the newest run in the output folder."},
		{Name: inMaxCost, Default: "0", Help: "Stop when so many USD are spent; 0 means no limit."},
		{Name: inTimeout, Default: "0", Help: "Stop cleanly after so many minutes, and report what is there; 0 means no limit."},
		{Name: inExpectations, Help: "A file with thresholds and prices."},
		{Name: inComment, Default: string(CommentAlways), Help: "When the pull request gets its comment: always, on-change, on-failure or never."},
		{Name: inCheckName, Default: "bench", Help: "The name of the check run."},
		{Name: inFailOn, Default: string(FailOnInfrastructure), Help: "What fails the job: gate (a failed gate too), infrastructure (what keeps a verdict from being reached) or never."},
		{Name: inOutputDir, Default: ".bench", Help: "Where the run's files are kept, in the workspace."},
	}
}

// BuildAuto and BuildNone are the build commands that are none.
const (
	BuildAuto = "auto"
	BuildNone = "none"
)

// CommentWhen says when a pull request gets its comment.
type CommentWhen string

// The choices.
const (
	CommentAlways    CommentWhen = "always"
	CommentOnChange  CommentWhen = "on-change"
	CommentOnFailure CommentWhen = "on-failure"
	CommentNever     CommentWhen = "never"
)

// FailOn says what fails the job.
type FailOn string

// The choices.
const (
	FailOnGate           FailOn = "gate"
	FailOnInfrastructure FailOn = "infrastructure"
	FailOnNever          FailOn = "never"
)

// Inputs are the action's inputs, checked.
type Inputs struct {
	Provider, Model, ModelVariant, ModelBaseURL string
	ModelKey, Token                             string
	Profile                                     bench.GateProfile
	ScenarioSet                                 string
	Scenarios                                   []string
	Modes                                       []bench.Mode
	Baseline, Candidate                         bench.Mode
	Repetitions, Concurrency                    int
	Order                                       string
	BuildCommand                                string
	GHXCommand, GHXSkill, BaseGHXCommand        string
	AllowHosts, Paths                           []string
	RunDrafts                                   bool
	SeedID                                      string
	// Shard is "i/n", or empty.
	Shard   string
	Results []string
	Resume  bool
	// MaxCostUSD and Timeout are 0 for no limit.
	MaxCostUSD   float64
	Timeout      time.Duration
	Expectations string
	Comment      CommentWhen
	CheckName    string
	FailOn       FailOn
	OutputDir    string
}

// variable returns the environment variable in which a runner passes an input.
func variable(name string) string {
	return "INPUT_" + strings.ReplaceAll(strings.ToUpper(name), " ", "_")
}

// ReadInputs reads and checks the inputs in an environment of NAME=value. The
// error is of kind invalid and tells of every problem at once.
func ReadInputs(environ []string) (Inputs, error) {
	r := reading{given: map[string]string{}}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "INPUT_") {
			r.given[name] = value
		}
	}
	in := r.inputs()
	r.contradictions(in)
	r.unknown()
	if len(r.problems) == 0 {
		return in, nil
	}
	return Inputs{}, fault.Invalidf("%s", strings.Join(r.problems, "\n"))
}

// reading collects what is wrong.
type reading struct {
	given    map[string]string
	problems []string
}

func (r *reading) problem(name, format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf("input %s: ", name)+fmt.Sprintf(format, args...))
}

// text returns an input without the space around it, or its default.
func (r *reading) text(name string) string {
	i := slices.IndexFunc(Declared(), func(in Input) bool { return in.Name == name })
	declared := Declared()[i]
	value := strings.TrimSpace(r.given[variable(name)])
	if value == "" && declared.Required {
		r.problem(name, "it is required")
	}
	if strings.Contains(declared.Default, "${{") {
		return value
	}
	return cmp.Or(value, declared.Default)
}

// list returns the parts of an input that is separated by the characters.
func (r *reading) list(name, separators string) []string {
	return strings.FieldsFunc(r.text(name), func(c rune) bool { return strings.ContainsRune(separators+"\r\n", c) })
}

func (r *reading) trimmed(name, separators string) []string {
	var parts []string
	for _, part := range r.list(name, separators) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

func (r *reading) whole(name string, least int) int {
	n, err := strconv.Atoi(r.text(name))
	if err != nil || n < least {
		r.problem(name, "it is %q, want a whole number of %d or more", r.text(name), least)
	}
	return n
}

func (r *reading) amount(name string) float64 {
	f, err := strconv.ParseFloat(r.text(name), 64)
	if err != nil || f < 0 || math.IsInf(f, 0) || math.IsNaN(f) {
		r.problem(name, "it is %q, want a number of 0 or more", r.text(name))
	}
	return f
}

func (r *reading) truth(name string) bool {
	b, err := strconv.ParseBool(r.text(name))
	if err != nil {
		r.problem(name, "it is %q, want true or false", r.text(name))
	}
	return b
}

func (r *reading) choice(name string, choices ...string) string {
	value := r.text(name)
	if !slices.Contains(choices, value) {
		r.problem(name, "it is %q, want %s", value, strings.Join(choices, ", "))
	}
	return value
}

func (r *reading) mode(name, value string) bench.Mode {
	mode, err := bench.ParseMode(value)
	if err != nil {
		r.problem(name, "%v", err)
	}
	return mode
}

func (r *reading) inputs() Inputs {
	in := Inputs{
		Provider: r.text(inProvider), Model: r.text(inModel), ModelVariant: r.text(inModelVariant),
		ModelBaseURL: r.text(inModelBaseURL), ModelKey: r.text(inModelKey), Token: r.text(inToken),
		Profile:     bench.GateProfile(r.choice(inGateProfile, string(bench.VerifyPR), string(bench.VerifyRelease))),
		ScenarioSet: r.text(inScenarioSet), Scenarios: r.trimmed(inScenarios, ","),
		Baseline: r.mode(inBaselineMode, r.text(inBaselineMode)), Candidate: r.mode(inCandidateMode, r.text(inCandidateMode)),
		Repetitions: r.whole(inRepetitions, 1), Concurrency: r.whole(inConcurrency, 1),
		Order: r.choice(inOrder, "interleaved", "sequential"), BuildCommand: r.text(inBuildCommand),
		GHXCommand: r.text(inGHXCommand), GHXSkill: r.text(inGHXSkill), BaseGHXCommand: r.text(inBaseGHX),
		AllowHosts: r.trimmed(inAllowHosts, ","), Paths: r.trimmed(inPaths, ""),
		RunDrafts: r.choice(inDrafts, "skip", "run") == "run", SeedID: r.text(inSeedID),
		Shard: r.text(inShard), Results: r.trimmed(inResults, ""), Resume: r.truth(inResume),
		MaxCostUSD: r.amount(inMaxCost), Timeout: time.Duration(r.amount(inTimeout) * float64(time.Minute)),
		Expectations: r.text(inExpectations),
		Comment:      CommentWhen(r.choice(inComment, string(CommentAlways), string(CommentOnChange), string(CommentOnFailure), string(CommentNever))),
		CheckName:    r.text(inCheckName),
		FailOn:       FailOn(r.choice(inFailOn, string(FailOnGate), string(FailOnInfrastructure), string(FailOnNever))),
		OutputDir:    r.text(inOutputDir),
	}
	for _, name := range r.trimmed(inModes, ",") {
		in.Modes = append(in.Modes, r.mode(inModes, name))
	}
	return in
}

// contradictions finds inputs that cannot be had together.
func (r *reading) contradictions(in Inputs) {
	set := func(name string) bool { return strings.TrimSpace(r.given[variable(name)]) != "" }
	judges := in.Shard == "" && len(in.Results) == 0
	switch {
	case in.Baseline == in.Candidate:
		r.problem(inCandidateMode, "it is %s, as %s is: name two modes", in.Candidate, inBaselineMode)
	case judges && !slices.Contains(in.Modes, in.Baseline):
		r.problem(inModes, "%s is not among them, and is to be compared with", in.Baseline)
	case judges && !slices.Contains(in.Modes, in.Candidate):
		r.problem(inModes, "%s is not among them, and is to be judged", in.Candidate)
	}
	if set(inScenarios) && set(inScenarioSet) {
		r.problem(inScenarios, "%s is given too: choose one", inScenarioSet)
	}
	if in.Shard != "" && len(in.Results) > 0 {
		r.problem(inResults, "%s is given too: a job either runs a part or merges all", inShard)
	}
	if in.Provider != "scripted" && in.Provider != "" && in.Model == "" && len(in.Results) == 0 {
		r.problem(inModel, "it is required with provider %s, for example openai/gpt-5.3-codex", in.Provider)
	}
	if slices.Contains(in.Modes, bench.GHXBase) && in.BaseGHXCommand == "" && in.Provider != "scripted" {
		r.problem(inBaseGHX, "it is required for mode %s", bench.GHXBase)
	}
	if u, err := url.Parse(in.ModelBaseURL); in.ModelBaseURL != "" && (err != nil || u.Host == "") {
		r.problem(inModelBaseURL, "it is %q, want a URL, for example https://gateway.example.com/v1", in.ModelBaseURL)
	}
	if !inside(in.OutputDir) {
		r.problem(inOutputDir, "it is %q, want a folder inside the workspace", in.OutputDir)
	}
	for _, pattern := range in.Paths {
		if _, err := path.Match(strings.TrimPrefix(pattern, "!"), ""); err != nil {
			r.problem(inPaths, "the pattern %q cannot be read: %v", pattern, err)
		}
	}
}

// inside reports whether a path stays in the folder that it is relative to.
func inside(p string) bool {
	clean := path.Clean(p)
	return !path.IsAbs(clean) && clean != ".." && !strings.HasPrefix(clean, "../")
}

// unknown finds inputs that the action does not have.
func (r *reading) unknown() {
	known := map[string]string{}
	for _, in := range Declared() {
		known[variable(in.Name)] = in.Name
	}
	for _, name := range slices.Sorted(maps.Keys(r.given)) {
		if known[name] != "" {
			continue
		}
		wrong := strings.ToLower(strings.TrimPrefix(name, "INPUT_"))
		r.problems = append(r.problems, fmt.Sprintf("there is no input %s%s", wrong, didYouMean(wrong)))
	}
}

// didYouMean names the input that is most like a name, if one is.
func didYouMean(wrong string) string {
	const farthest = 3
	best, distance := "", farthest+1
	for _, in := range Declared() {
		if d := levenshtein.ComputeDistance(wrong, in.Name); d < distance {
			best, distance = in.Name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean %s?", best)
}
