package settings

import (
	"path/filepath"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// ofTasks reports whether a benchmark other than ghx is run: the repository's agent does
// its tasks, and is compared with the agent of the base commit.
func (s Settings) ofTasks() bool { return s.Benchmark != DefaultBenchmark }

// ofGHXAlone are the settings that say how ghx is measured, and what says the like in the
// configuration of another benchmark, if anything does.
var ofGHXAlone = [...]struct{ setting, key string }{
	{"scenario_set", "gate_split"}, {"scenarios", "gate_split"}, {"modes", ""}, {"mode_files", ""}, {"baseline_mode", ""}, {"candidate_mode", ""},
	{"agent", ""}, {"target", ""},
}

// toTasks leaves out what is set for ghx, by defaults of the organisation for example.
// The file itself is not to set that: the problems name its lines.
func (s *Settings) toTasks(doc *jsondoc.Document) (problems jsondoc.Problems) {
	report := func(setting, format string, args ...any) {
		problems = append(problems, doc.Problem([]string{setting}, format, args...))
	}
	for _, of := range ofGHXAlone {
		if _, set := doc.At(of.setting); !set {
			continue
		}
		instead := ""
		if of.key != "" {
			instead = ", and set " + of.key + " in " + s.Experiment
		}
		report(of.setting, "is for benchmark %s, and benchmark is %s: leave it out%s", DefaultBenchmark, s.Benchmark, instead)
	}
	// With the best of the past, a file of the pull request would be compared.
	if _, set := doc.At("profile"); set && s.Profile != bench.ProfileRegression {
		report("profile", "is %s, and of %s the App asks whether the agent is worse than that of the base commit: leave it out, or write %s", s.Profile, s.Benchmark, bench.ProfileRegression)
	}
	if s.Model == Scripted {
		report("model", "is %s, which is an agent for benchmark %s: name the model of your agent", Scripted, DefaultBenchmark)
	}
	if !filepath.IsLocal(s.Experiment) {
		report("experiment_config", "is %q: name a file of the repository by its path in it", s.Experiment)
	}
	usual := Defaults()
	s.Profile, s.ScenarioSet, s.Scenarios, s.Modes, s.ModeFiles, s.BaselineMode = bench.ProfileRegression, "", nil, nil, nil, ""
	s.CandidateMode, s.Agent, s.Target = usual.CandidateMode, usual.Agent, usual.Target
	if !s.Profile.Takes(s.Repetitions) {
		if _, set := doc.At("repetitions"); !set {
			s.Repetitions = bench.Repetitions{}
		}
	}
	return problems
}

// resolveTasks is [Resolve] of a benchmark other than ghx: a command may change the model
// and how often each task is done.
func resolveTasks(s Settings, c command.Command) (Plan, error) {
	p := commonPlan(s, c)
	p.Experiment = s.Experiment
	if c.Set != "" || len(c.Scenarios) > 0 || len(c.Modes) > 0 || c.Profile != "" && c.Profile != bench.ProfileRegression {
		return Plan{}, fault.Invalidf("What is run of `%s` is for `%s` to say: a command may name `--repetitions` and `--model`.", s.Benchmark, s.Experiment)
	}
	if p.Model == Scripted {
		return Plan{}, fault.Invalidf("The model `%s` is an agent for benchmark `%s`: name the model of your agent.", Scripted, DefaultBenchmark)
	}
	p.Profile, p.Repetitions = bench.ProfileRegression, repetitions(s, c, bench.ProfileRegression)
	return p.withEvidence(s.Margins)
}

// OfTasks reports whether the plan is one of a benchmark other than ghx. What tasks there
// are the benchmark says once it runs, and what is compared are two commits: such a plan
// has neither scenarios nor modes.
func (p Plan) OfTasks() bool { return p.Benchmark != "" && p.Benchmark != DefaultBenchmark }

// Alike reports whether the cells of two plans are of one benchmark and model, so that one is
// thought to cost, and to take, what another does.
func (p Plan) Alike(q Plan) bool {
	return p.Model == q.Model && p.OfTasks() == q.OfTasks() && (!p.OfTasks() || p.Benchmark == q.Benchmark && p.Experiment == q.Experiment)
}

// Empty reports whether there is no plan.
func (p Plan) Empty() bool { return p.Model == "" }

// Between returns the plan with what is compared: of a plan of tasks the agent of the base
// commit and that of the head.
func (p Plan) Between(base, head string) Plan {
	if p.OfTasks() {
		p.Baseline, p.Candidate = bench.AgentOf(base), bench.AgentOf(head)
		p.Modes = []bench.Mode{p.Baseline, p.Candidate}
	}
	return p
}
