// Package audit makes wrong agents out of right ones, and tells which of them
// pass (rule S19).
//
// A right play of a scenario is run once, and what it asks of GitHub and answers
// is recorded. A wrong agent, a mutant, does and answers nearly the same: it
// leaves a write out, does it twice, to another object, with another value, does
// something else besides, or answers what is not true. It is judged by the code
// that judges real attempts. One that passes shows that the scenario's checks
// are weak, unless what it does is right too.
package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
)

// Play is a right way to do a scenario.
type Play struct {
	Mode bench.Mode
	// Name is empty for a mode's usual play.
	Name  string
	Agent agent.Provider
}

// Options say what is audited.
type Options struct {
	Scenarios []bench.Scenario
	// Plays are the right ways to do a scenario.
	Plays func(scenarioID string) []Play
	// Modes are those whose plays are audited; nil means all.
	Modes []bench.Mode
	// Kinds are those of mutants that are made; nil means all.
	Kinds []Kind
	// Accepted are the mutants that pass rightly.
	Accepted []Acceptance
	// Config and Deps are those of attempts, see [runner.Once]: no scenarios, no
	// provider.
	Config runner.Config
	Deps   runner.Deps
	// Workers is how many attempts are made at once, at least 1.
	Workers int
	// Observe is told how far it is, one call at a time; nil if nobody wants to
	// know.
	Observe func(Progress)
}

// Progress is how far an audit is.
type Progress struct {
	// Done and Total count plays.
	Done, Total int
	// Mutants counts those that were tried.
	Mutants int
}

// job is a play that is audited.
type job struct {
	scenario bench.Scenario
	play     Play
	census   func(ctx context.Context) (census, error)
}

// Run audits. An error is of kind infrastructure, or invalid where a target
// cannot show what is changed.
func Run(ctx context.Context, o Options) (Report, error) {
	jobs, all := o.jobs()
	results := make([]Report, len(jobs))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range jobs {
			next <- i
		}
	}()
	var mu sync.Mutex
	progress := Progress{Total: len(jobs)}
	var workers sync.WaitGroup
	for range max(1, o.Workers) {
		workers.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					continue
				}
				var err error
				if results[i], err = o.audit(ctx, jobs[i]); err != nil {
					cancel(fmt.Errorf("audit %s: %w", jobs[i].scenario.ID, err))
				}
				mu.Lock()
				progress.Done++
				progress.Mutants += len(results[i].Mutants)
				if o.Observe != nil {
					o.Observe(progress)
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return Report{}, context.Cause(ctx)
	}
	for _, result := range results {
		all.Plays++
		all.Mutants = append(all.Mutants, result.Mutants...)
		all.Problems = append(all.Problems, result.Problems...)
	}
	all.Tried = len(all.Mutants)
	all.accept(o)
	return all, nil
}

// jobs returns the plays to audit. A scenario without any is a problem.
func (o Options) jobs() (jobs []job, report Report) {
	report = Report{Mutants: []Mutant{}, Problems: []Problem{}}
	for _, s := range o.Scenarios {
		census, plays := o.censusOf(s), o.Plays(s.ID)
		for _, play := range plays {
			if o.Modes == nil || slices.Contains(o.Modes, play.Mode) {
				jobs = append(jobs, job{s, play, census})
			}
		}
		if len(plays) == 0 {
			report.problem(job{scenario: s}, "has no right play to make wrong agents of: write a plan for it")
		}
	}
	return jobs, report
}

// iteration is that whose variation is audited, and otherIteration that whose
// answers must not pass there.
const (
	iteration      = 1
	otherIteration = 2
)

// censusOf returns a function that finds out, once, what there is in a
// scenario's world.
func (o Options) censusOf(s bench.Scenario) func(context.Context) (census, error) {
	var once sync.Once
	var found census
	var err error
	return func(ctx context.Context) (census, error) {
		once.Do(func() {
			var place *target.Place
			place, err = o.Deps.Target.Prepare(ctx, target.Needs{Resources: s.Requires(), Variation: o.Config.Variations.Of(iteration), World: s.World()})
			if err != nil {
				return
			}
			defer place.Close()
			found, err = takeCensus(ctx, place)
		})
		return found, err
	}
}

// audit audits one play.
func (o Options) audit(ctx context.Context, j job) (Report, error) {
	var r Report
	right, tried, err := o.record(ctx, j, iteration)
	if err != nil {
		return r, err
	}
	if !tried.Succeeded() {
		r.problem(j, "the right play fails: "+tried.Error.Message)
		return r, nil
	}
	if len(tried.Unsupported) > 0 {
		r.problem(j, "the right play asks for what the sandbox lacks: "+strings.Join(tried.Unsupported, ", "))
	}
	found, err := j.census(ctx)
	if err != nil {
		return r, err
	}
	// Once more, as mutants are played: what they do is compared with that.
	again := o.play(ctx, j, right)
	if !again.Succeeded() || netOf(again) != netOf(tried) {
		r.problem(j, "the right play, repeated request by request, does something else: "+difference(tried, again))
		return r, nil
	}
	for _, m := range mutants(right, sceneOf(found, tried, right)) {
		o.try(ctx, j, m, again, &r)
	}
	r.forgive(tried.Scenario.Scenario)
	if o.Config.Variations.Seed == 0 || !o.wants(OtherVariation) {
		return r, nil
	}
	other, tried, err := o.record(ctx, j, otherIteration)
	if err != nil {
		return r, err
	}
	if !tried.Succeeded() {
		r.problem(j, "the right play fails in another variation: "+tried.Error.Message)
		return r, nil
	}
	o.try(ctx, j, mutant{kind: OtherVariation, name: string(OtherVariation), words: "does and answers what is right in another variation", does: other}, again, &r)
	return r, nil
}

func (o Options) wants(kind Kind) bool { return o.Kinds == nil || slices.Contains(o.Kinds, kind) }

// try plays a mutant, and notes what became of it.
func (o Options) try(ctx context.Context, j job, m mutant, right runner.Tried, r *Report) {
	if ctx.Err() != nil || !o.wants(m.kind) {
		return
	}
	tried := o.play(ctx, j, m.does)
	made := Mutant{Scenario: j.scenario.ID, Mode: j.play.Mode, Play: j.play.Name, Kind: m.kind, Name: m.name, Words: m.words, place: m.at, Result: Failed}
	switch {
	case !tried.Succeeded():
		made.Why = tried.Error.Message
	case m.same && m.steps && textOf(tried.Seen) == textOf(right.Seen), m.same && !m.steps && netOf(tried) == netOf(right):
		made.Result = Equal
	default:
		made.Result, made.Changes, made.Mend = Passed, footprint.Net(tried.Seen), mend(m, tried)
	}
	r.Mutants = append(r.Mutants, made)
}

// record has the right play played. An error is about a target that does not
// show what agents do.
func (o Options) record(ctx context.Context, j job, iteration int) (recording, runner.Tried, error) {
	to := &recorder{Target: o.Deps.Target}
	tried := o.once(ctx, j, to, j.play.Agent, iteration)
	return recording{requests: to.kept(), answer: tried.Answer, transcript: tried.Transcript}, tried, to.blind
}

// play has a recording played.
func (o Options) play(ctx context.Context, j job, does recording) runner.Tried {
	by := &player{Target: o.Deps.Target, recording: does}
	return o.once(ctx, j, by, by, iteration)
}

func (o Options) once(ctx context.Context, j job, on target.Target, by agent.Provider, iteration int) runner.Tried {
	cfg, deps := o.Config, o.Deps
	cfg.Scenarios = map[string]bench.Scenario{j.scenario.ID: j.scenario}
	deps.Target, deps.Provider = on, by
	return runner.Once(ctx, cfg, deps, bench.Cell{ScenarioID: j.scenario.ID, Mode: j.play.Mode, Iteration: iteration})
}

// netOf is what an attempt changed on the whole, to be compared.
func netOf(tried runner.Tried) string { return textOf(footprint.Net(tried.Seen)) }

// textOf are changes, to be compared. When they were made does not count, as
// each write takes a second of a sandbox's time, nor in which order.
func textOf(changes []bench.Change) string {
	var net []string
	for _, c := range changes {
		c.Fields = slices.SortedFunc(slices.Values(c.Fields), func(a, b bench.FieldChange) int { return strings.Compare(a.Name, b.Name) })
		text, _ := json.Marshal(c) // changes come from JSON
		net = append(net, moment.ReplaceAllString(string(text), "some time"))
	}
	slices.Sort(net)
	return strings.Join(net, "\n")
}

var moment = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

func difference(right, again runner.Tried) string {
	if !again.Succeeded() {
		return again.Error.Message
	}
	return fmt.Sprintf("it changes %s, and not %s", netOf(again), netOf(right))
}

// sceneOf returns what mutants of a right play are made of.
func sceneOf(found census, tried runner.Tried, right recording) scene {
	about, a := tried.Scenario.Scenario, tried.Scenario.Scenario.Assertions
	s := scene{
		census: found, sought: tried.Scenario.Named, workflow: about.Type == bench.Workflow,
		failing: a.Outcome() == bench.OutcomeError, codes: a.ExpectedErrorCode, refused: scenario.Mutates(about) && !a.MayBeForeseen,
	}
	name := func(field string, value any) {
		if o, _ := found.find(field, value); o != nil && !slices.ContainsFunc(s.named, o.same) {
			s.named = append(s.named, o)
		}
	}
	for _, d := range right.deeds() {
		for _, r := range found.references(d) {
			name(fieldOf(r.at)+r.param, r.to[r.by])
		}
	}
	for _, field := range slices.Sorted(maps.Keys(tried.Scenario.Input)) {
		name(field, tried.Scenario.Input[field])
	}
	return s.withWorld(tried.Manifest.Repo, tried.Agent)
}
