package actions

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// Inputs are the action's inputs, checked.
type Inputs struct {
	// Benchmark is [BenchmarkGHX], or one whose configuration is in
	// ExperimentConfig, a path in the workspace.
	Benchmark, ExperimentConfig                 string
	Provider, Model, ModelVariant, ModelBaseURL string
	ModelKey, Token                             string
	Profile                                     bench.GateProfile
	ScenarioSet                                 string
	// Scenarios, if there are any, are run in place of the set.
	Scenarios []string
	// ScenariosPath is a folder in the workspace, empty for the built-in ones.
	ScenariosPath string
	Modes         []bench.Mode
	// ModeFiles are paths in the workspace.
	ModeFiles           []string
	Baseline, Candidate bench.Mode
	// The margins are 0 for the usual ones.
	MarginSuccess, MarginCost, MarginLatency float64
	Repetitions                              bench.Repetitions
	Concurrency                              int
	Order                                    string
	BuildCommand                             string
	BuildTimeout                             time.Duration
	// BuildHosts are nil where builds have the whole network.
	BuildHosts                           []string
	GHXCommand, GHXSkill, BaseGHXCommand string
	// BaseCommit is empty for the event's own.
	BaseCommit        string
	AllowHosts, Paths []string
	// RequireIsolation refuses a runner whose kernel does not hold agents.
	RequireIsolation bool
	RunDrafts        bool
	// SkipMarker has [skip bench] in the head commit's message be heeded.
	SkipMarker bool
	// Target is [TargetSandbox] or "owner/repo", where the tokens, or those of
	// the App, are for.
	Target                                              string
	FixturesToken, AgentToken                           string
	FixtureAppID, FixtureAppInstallation, FixtureAppKey string
	SeedID                                              string
	// CleanUp has what was seeded in a repository be removed.
	CleanUp bool
	// Shard is "i/n" with i from 1 to n, or empty.
	Shard string
	// Results are folders in the workspace, Artifacts patterns for names of those of
	// another run.
	Results, Artifacts []string
	Resume             bool
	// Rows is a folder in the workspace, empty for none.
	Rows string
	// MaxCostUSD and Timeout are 0 for no limit.
	MaxCostUSD   float64
	Timeout      time.Duration
	Expectations string
	Comment      comment.When
	CheckName    string
	FailOn       FailOn
	// OnNoVerdict is a conclusion of a check run: neutral, failure or
	// action_required.
	OnNoVerdict comment.Conclusion
	OutputDir   string
	// OnlySecretsLack is true of inputs that are wrong for nothing but secrets that
	// are not there, which is so by itself in some runs: see [Event.Secretless].
	OnlySecretsLack bool
}

// Merges reports whether the job judges what others have run.
func (in Inputs) Merges() bool { return len(in.Results)+len(in.Artifacts) > 0 }

// inputPrefix begins the environment variables in which a runner passes
// inputs.
const inputPrefix = "INPUT_"

// variable returns the environment variable in which a runner passes an input.
func variable(name string) string {
	return inputPrefix + strings.ReplaceAll(strings.ToUpper(name), " ", "_")
}

// runtimeSecrets are the variables in which a runner passes tokens of its own
// to the action.
var runtimeSecrets = [...]string{"ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"}

// Secrets returns the values in an environment of NAME=value that must reach
// no log: the secret inputs and the runner's own tokens. It checks nothing, so
// that they can be masked before an input is complained about.
func Secrets(environ []string) []string {
	secret := map[string]bool{}
	for _, name := range runtimeSecrets {
		secret[name] = true
	}
	for _, in := range Declared() {
		secret[variable(in.Name)] = in.Secret
	}
	var values []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if value = strings.TrimSpace(value); secret[name] && value != "" {
			values = append(values, value)
		}
	}
	return values
}

// ReadInputs reads and checks the inputs in an environment of NAME=value. The
// error is of kind invalid and tells of every problem at once, one a line; beside it
// the inputs are as far as they could be read, to tell of it on GitHub. GetInput of
// go-githubactions would not do: it tells neither what was given nor what is unknown.
func ReadInputs(environ []string) (Inputs, error) {
	r := reading{given: map[string]string{}, declared: map[string]Input{}}
	for _, in := range Declared() {
		r.declared[in.Name] = in
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, inputPrefix) {
			r.given[name] = value
		}
	}
	r.setDefaults()
	in := r.inputs()
	if in.isOther() && !r.set(inCheckName) {
		in.CheckName = in.Benchmark
	}
	r.contradictions(in)
	r.unknown()
	if len(r.problems) == 0 {
		return in, nil
	}
	in.OnlySecretsLack = len(r.problems) == r.lacking
	return in, fault.Invalidf("%s", strings.Join(r.problems, "\n"))
}

// reading collects what is wrong.
type reading struct {
	given    map[string]string
	declared map[string]Input
	problems []string
	// lacking counts those of the problems that are secrets which are not there.
	lacking int
}

// lack is a problem of a secret that is not there.
func (r *reading) lack(name, format string, args ...any) {
	r.lacking++
	r.problem(name, format, args...)
}

func (r *reading) problem(name, format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf("input %s: ", name)+fmt.Sprintf(format, args...))
}

// UsualSet returns the scenario set of a profile where no input names one.
func UsualSet(profile bench.GateProfile) string {
	if profile.ByEvidence() {
		return "ci-evidence"
	}
	return "ci-verify-pr"
}

// setDefaults sets the defaults that depend on what is asked.
func (r *reading) setDefaults() {
	profile := bench.GateProfile(r.text(inGateProfile))
	usual := profile.UsualModes()
	defaults := map[string]string{
		inScenarioSet: UsualSet(profile), inRepetitions: profile.UsualRepetitions().String(),
		inModes: bench.JoinModes(usual, ","), inBaselineMode: string(usual[0]),
	}
	for name, value := range defaults {
		declared := r.declared[name]
		declared.Default = value
		r.declared[name] = declared
	}
}

// set reports whether an input is another than its default. Whether a workflow
// gave it cannot be known: the runner passes defaults too.
func (r *reading) set(name string) bool { return r.text(name) != r.declared[name].Default }

// text returns an input without the space around it, or its default. A default
// that is an expression is for the runner to fill in.
func (r *reading) text(name string) string {
	value := strings.TrimSpace(r.given[variable(name)])
	if strings.Contains(r.declared[name].Default, "${{") {
		return value
	}
	return cmp.Or(value, r.declared[name].Default)
}

// list returns the parts of an input that are separated by line ends and the
// given characters.
func (r *reading) list(name, separators string) []string {
	var parts []string
	for part := range strings.FieldsFuncSeq(r.text(name), func(c rune) bool { return strings.ContainsRune(separators+"\r\n", c) }) {
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

// repetitions reads how often each scenario runs. What fits the profile is the
// command line's to say.
func (r *reading) repetitions() bench.Repetitions {
	n, err := bench.ParseRepetitions(r.text(inRepetitions))
	if err != nil {
		r.problem(inRepetitions, "%v", err)
	}
	return n
}

// amount reads a number from 0 up to a limit.
func (r *reading) amount(name string, most float64) float64 {
	f, err := strconv.ParseFloat(r.text(name), 64)
	switch {
	case err != nil || f < 0 || math.IsInf(f, 0) || math.IsNaN(f):
		r.problem(name, "it is %q, want a number of 0 or more", r.text(name))
		return 0
	case f > most:
		r.problem(name, "it is %q, want at most %v", r.text(name), most)
		return 0
	}
	return f
}

// margin reads a number above 0, or 0 where none is given. What fits the profile
// is the command line's to say.
func (r *reading) margin(name string) float64 {
	if r.text(name) == "" {
		return 0
	}
	f, err := strconv.ParseFloat(r.text(name), 64)
	if err != nil || !(f > 0) || math.IsInf(f, 0) {
		r.problem(name, "it is %q, want a number above 0", r.text(name))
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

// choice reads an input that is one of a few words. Without a default it is
// required.
func choice[T ~string](r *reading, name string, choices ...T) T {
	value := T(r.text(name))
	switch {
	case slices.Contains(choices, value):
	case value == "":
		r.problem(name, "it is required: %s", words(choices))
	default:
		r.problem(name, "it is %q, want %s", string(value), words(choices))
	}
	return value
}

// words joins words as a sentence does: "a, b or c".
func words[T ~string](all []T) string {
	var b strings.Builder
	for i, word := range all {
		switch {
		case i > 0 && i == len(all)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(string(word))
	}
	return b.String()
}

// mode returns the mode of that name, the empty one if there is none. What files
// describe is found out when they are read.
func (r *reading) mode(name, value string) bench.Mode {
	parse := bench.ParseShippedMode
	if r.text(inModeFiles) != "" {
		parse = bench.ParseMode
	}
	mode, err := parse(value)
	if err != nil {
		r.problem(name, "%v", err)
	}
	return mode
}

// modes reads the modes to run. One given twice is a slip: it would run once.
func (r *reading) modes() []bench.Mode {
	var modes []bench.Mode
	for _, name := range r.list(inModes, ",") {
		mode := r.mode(inModes, name)
		if mode != "" && slices.Contains(modes, mode) {
			r.problem(inModes, "%s is named twice", mode)
		}
		modes = append(modes, mode)
	}
	return modes
}

// minutes reads a whole number of minutes, one at least.
func (r *reading) minutes(name string) time.Duration {
	n := r.whole(name, 1)
	if n > maxTimeoutMinutes {
		r.problem(name, "it is %q, want at most %d", r.text(name), maxTimeoutMinutes)
	}
	return time.Duration(min(n, maxTimeoutMinutes)) * time.Minute
}

// maxTimeoutMinutes is five days, after which GitHub ends a job anyway.
const maxTimeoutMinutes = 5 * 24 * 60

func (r *reading) inputs() Inputs {
	return Inputs{
		Benchmark: choice(r, inBenchmark, append([]string{BenchmarkGHX}, others()...)...), ExperimentConfig: r.text(inExperiment),
		Provider: r.provider(), Model: r.text(inModel), ModelVariant: r.text(inModelVariant),
		ModelBaseURL: r.text(inModelBaseURL), ModelKey: r.text(inModelKey), Token: r.text(inToken),
		Profile:     choice(r, inGateProfile, bench.GateProfiles()...),
		ScenarioSet: r.text(inScenarioSet), Scenarios: r.list(inScenarios, ","), ScenariosPath: r.text(inScenariosPath), Modes: r.modes(), ModeFiles: r.list(inModeFiles, ""),
		Baseline: r.mode(inBaselineMode, r.text(inBaselineMode)), Candidate: r.mode(inCandidateMode, r.text(inCandidateMode)),
		MarginSuccess: r.margin(inMarginSuccess), MarginCost: r.margin(inMarginCost), MarginLatency: r.margin(inMarginLatency),
		Repetitions: r.repetitions(), Concurrency: r.whole(inConcurrency, 1),
		Order: choice(r, inOrder, orderInterleaved, orderSequential), BuildCommand: r.text(inBuildCommand),
		BuildTimeout: r.minutes(inBuildTimeout), BuildHosts: r.list(inBuildHosts, ","),
		GHXCommand: r.text(inGHXCommand), GHXSkill: r.text(inGHXSkill), BaseGHXCommand: r.text(inBaseGHX), BaseCommit: r.text(inBaseCommit),
		AllowHosts: r.list(inAllowHosts, ","), RequireIsolation: choice(r, inIsolation, isolationPrefer, isolationRequire) == isolationRequire, Paths: r.list(inPaths, ""),
		RunDrafts: choice(r, inDrafts, draftsSkip, draftsRun) == draftsRun, SeedID: r.text(inSeedID),
		Target: r.text(inTarget), FixturesToken: r.text(inFixturesToken), AgentToken: r.text(inAgentToken),
		FixtureAppID: r.text(inAppID), FixtureAppInstallation: r.text(inInstallation), FixtureAppKey: r.text(inAppKey), CleanUp: r.truth(inCleanUp),
		Shard: r.text(inShard), Results: r.list(inResults, ""), Artifacts: r.list(inArtifact, ""), Resume: r.truth(inResume), Rows: r.text(inRows),
		MaxCostUSD:   r.amount(inMaxCost, math.MaxFloat64),
		Timeout:      time.Duration(r.amount(inTimeout, maxTimeoutMinutes) * float64(time.Minute)),
		Expectations: r.text(inExpectations),
		Comment:      choice(r, inComment, comment.Always, comment.OnChange, comment.OnFailure, comment.Never),
		CheckName:    r.text(inCheckName),
		FailOn:       choice(r, inFailOn, FailOnGate, FailOnInfrastructure, FailOnNever),
		OnNoVerdict:  choice(r, inOnNoVerdict, comment.Neutral, comment.Failure, comment.ActionRequired),
		SkipMarker:   r.truth(inSkipMarker),
		OutputDir:    r.text(inOutputDir),
	}
}

// unknown finds inputs that the action does not have. The runner warns of them
// only, and passes them on.
func (r *reading) unknown() {
	var names []string
	known := map[string]bool{}
	for _, in := range Declared() {
		names = append(names, in.Name)
		known[variable(in.Name)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(r.given)) {
		if !known[name] {
			wrong := strings.ToLower(strings.TrimPrefix(name, inputPrefix))
			r.problems = append(r.problems, fmt.Sprintf("there is no input %s%s", wrong, jsondoc.DidYouMean(wrong, names)))
		}
	}
}
