package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// hunt is one search for mutants that survive.
type hunt struct {
	*builder
	mutants []*mutant
	// tested are the packages whose tests are to notice; tests are those of them
	// that come by a mutant.
	tested []listed
	tests  []*test
	begun  time.Time
	say    func(format string, values ...any)
}

// run does what is asked for, and returns the exit code.
func (o *options) run(ctx context.Context, out, progress io.Writer) (int, error) {
	h := &hunt{begun: time.Now()}
	h.say = func(format string, values ...any) {
		fmt.Fprintf(progress, "%6.1fs %s\n", time.Since(h.begun).Seconds(), fmt.Sprintf(format, values...))
	}
	untrue, err := o.find(ctx, h)
	if err != nil {
		return exitWrong, err
	}
	bounded := ctx
	if o.budget > 0 {
		within, cancel := context.WithDeadline(ctx, h.begun.Add(o.budget))
		defer cancel()
		bounded = within
	}
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return exitWrong, err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // Nothing follows.
	h.folder = folder
	if err := os.Mkdir(h.reached(), folderPerm); err != nil {
		return exitWrong, err
	}
	if h.limits, err = limitsHere(ctx, maxTasks, maxMemory, folders{h.root, folder, h.reached()}); err != nil {
		h.limits = nil
		h.say("NOT LIMITED: what mutants make of tests may take all processes and memory of this machine, and remove what you may remove: %s", err)
	}
	if len(h.mutants) > 0 {
		// Without time left nothing was tried, and nothing is wrong.
		err := h.prepare(bounded, o.long)
		if ctx.Err() != nil || err != nil && bounded.Err() == nil {
			return exitWrong, cmp.Or(ctx.Err(), err)
		}
		if err == nil {
			h.tryAll(bounded)
		}
	}
	h.say("done")
	r := report{mutants: h.mutants, untrue: untrue, least: o.least}
	return r.write(out), nil
}

// find finds what is to be tried. It returns the names of equivalent mutants
// that there are none of.
func (o *options) find(ctx context.Context, h *hunt) ([]string, error) {
	if err := o.readJudged(); err != nil {
		return nil, err
	}
	patterns, files, err := o.patterns()
	if err != nil {
		return nil, err
	}
	p, err := load(ctx, o.folder, patterns)
	if err != nil {
		return nil, err
	}
	h.builder = &builder{program: p}
	var changed lines
	if o.since != "" {
		if changed, err = changedSince(ctx, p.root, o.since); err != nil {
			return nil, err
		}
	}
	listed := equivalents{}
	if o.list != "" {
		text, err := os.ReadFile(o.list)
		if err != nil {
			return nil, err
		}
		if listed, err = parseEquivalents(string(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", o.list, err)
		}
	}
	var all []*mutant
	for _, t := range p.targets {
		all = append(all, p.mutants(t)...)
	}
	untrue := listed.mark(p.targets, all)
	if all, err = files.leave(p, all); err != nil {
		return nil, err
	}
	for _, m := range all {
		if changed.touch(m) {
			m.number = len(h.mutants)
			h.mutants = append(h.mutants, m)
		}
	}
	h.say("%d of %d mutants in %d packages", len(h.mutants), len(all), len(p.targets))
	h.tested, err = p.testedBy(ctx, h.mutants, o.tests)
	return untrue, err
}

// readJudged adds what the file of judged packages says: all of them if none
// was named, and the tests of those that are broken.
func (o *options) readJudged() error {
	if o.judged == "" {
		return nil
	}
	text, err := os.ReadFile(o.judged)
	if err != nil {
		return err
	}
	named := o.packages
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 || len(named) > 0 && !slices.Contains(named, fields[0]) {
			continue
		}
		o.tests = append(o.tests, fields[1:]...)
		if len(named) == 0 {
			o.packages = append(o.packages, fields[0])
		}
	}
	return nil
}

// testedBy returns the packages whose tests are to notice: the mutants' own,
// and those that patterns name and whose tests need one of them.
func (p *program) testedBy(ctx context.Context, mutants []*mutant, patterns []string) ([]listed, error) {
	own := map[string]bool{}
	for _, m := range mutants {
		own[m.target.path] = true
	}
	if len(own) == 0 {
		return nil, nil
	}
	arguments := append([]string{"-test"}, slices.Sorted(maps.Keys(own))...)
	packages, err := list(ctx, p.root, append(arguments, patterns...))
	if err != nil {
		return nil, err
	}
	folders := map[string]string{}
	var tested []listed
	for _, from := range packages {
		path, isTest := strings.CutSuffix(from.ImportPath, ".test")
		if !isTest {
			folders[from.ImportPath] = from.Dir
			continue
		}
		needs := slices.ContainsFunc(from.Deps, func(needed string) bool {
			needed, _, _ = strings.Cut(needed, " ")
			return own[needed]
		})
		if own[path] || needs {
			tested = append(tested, listed{ImportPath: path})
		}
	}
	for i := range tested {
		tested[i].Dir = folders[tested[i].ImportPath]
	}
	return tested, nil
}

// prepare builds the mutants and measures the tests, of which those that run
// for long are split.
func (h *hunt) prepare(ctx context.Context, long time.Duration) error {
	written := map[string][]byte{}
	for _, t := range h.targets {
		sources, err := h.instrument(t, h.mutants)
		if err != nil {
			return fmt.Errorf("%s: %w", t.path, err)
		}
		maps.Copy(written, sources)
	}
	h.mutants = slices.DeleteFunc(h.mutants, func(m *mutant) bool {
		if !m.alone() {
			return false
		}
		_, compiles := h.rewrite(m)
		return !compiles
	})
	binaries, err := h.build(ctx, "all", written, h.tested)
	if err != nil {
		return err
	}
	h.say("built the tests of %d packages", len(binaries))
	tests := make([][]*test, len(binaries))
	failures := make([]error, len(binaries))
	inParallel(len(binaries), func(i int) { tests[i], failures[i] = binaries[i].measure(ctx, long) })
	h.tests = slices.Concat(tests...)
	h.say("%d tests come by mutants", len(h.tests))
	return cmp.Or(failures...)
}

// inParallel does things, as many at a time as there are processors.
func inParallel(count int, do func(i int)) {
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(count, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range count {
		next <- i
	}
	close(next)
	workers.Wait()
}

// tryAll tries the mutants until the context ends.
func (h *hunt) tryAll(ctx context.Context) {
	order := trialOrder(h.mutants)
	inParallel(len(order), func(i int) {
		m := order[i]
		if ctx.Err() != nil {
			return
		}
		m.verdict = h.try(ctx, m)
		for range again {
			// A test of time fails now and then on a busy machine.
			if m.equivalent == "" || m.verdict != killed && m.verdict != timedOut {
				break
			}
			m.verdict = h.try(ctx, m)
		}
		if said, missed := missedAs[m.verdict]; missed && m.equivalent == "" {
			h.say("%s: %s", m, said)
		}
	})
}

// trialOrder returns the mutants in the order of their trials: those that are listed as
// equivalent, which take all tests, last, and before them those that take a build of their
// own. The others come in an order that says nothing, so that those which were tried stand
// for all.
func trialOrder(mutants []*mutant) []*mutant {
	return slices.SortedFunc(slices.Values(mutants), func(a, b *mutant) int {
		return cmp.Or(
			lastIf(a.equivalent != "", b.equivalent != ""),
			lastIf(a.alone(), b.alone()),
			strings.Compare(a.draw(), b.draw()),
		)
	})
}

// lastIf orders what is so after what is not.
func lastIf(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return +1
	default:
		return -1
	}
}

// again is how often a mutant is tried again that is listed as equivalent, and
// was noticed.
const again = 2

func (h *hunt) try(ctx context.Context, m *mutant) verdict {
	tests := h.noticing(m)
	switch {
	case len(tests) == 0:
		return notCovered
	case m.alone():
		return h.tryAlone(ctx, m, tests)
	default:
		return try(ctx, m.number, tests)
	}
}

// noticing returns the tests that may notice a mutant: those that come by it,
// or for one with a build of its own, by another one of its function, or else
// all of its package.
func (h *hunt) noticing(m *mutant) []*test {
	if !m.alone() {
		return h.testsOf(func(t *test) bool { return t.reached[m.number] })
	}
	around := h.testsOf(func(t *test) bool {
		return slices.ContainsFunc(h.mutants, func(other *mutant) bool {
			return other.target == m.target && other.function == m.function && t.reached[other.number]
		})
	})
	if len(around) > 0 {
		return around
	}
	return h.testsOf(func(t *test) bool { return t.in.path == m.target.path })
}

func (h *hunt) testsOf(which func(*test) bool) []*test {
	return slices.Collect(func(yield func(*test) bool) {
		for _, t := range h.tests {
			if which(t) && !yield(t) {
				return
			}
		}
	})
}

// tryAlone builds a mutant by itself, and tries it with tests.
func (h *hunt) tryAlone(ctx context.Context, m *mutant, tests []*test) verdict {
	text, _ := h.rewrite(m)
	name := strconv.Itoa(m.number)
	defer os.RemoveAll(filepath.Join(h.folder, name)) //nolint:errcheck // The folder around is removed too.
	own := map[string]*binary{}
	var again []*test
	for _, t := range tests {
		if own[t.in.path] == nil {
			built, err := h.build(ctx, name, map[string][]byte{m.source.name: text}, []listed{{ImportPath: t.in.path, Dir: t.in.folder}})
			if err != nil || len(built) == 0 {
				return notTried
			}
			own[t.in.path] = built[0]
		}
		again = append(again, &test{in: own[t.in.path], pattern: t.pattern, took: t.took})
	}
	return try(ctx, m.number, again)
}

// alone reports whether the mutant takes a build of its own.
func (m *mutant) alone() bool { return m.prefix == "" }

// draw says nothing of the mutant, and is the same each time.
func (m *mutant) draw() string {
	sum := sha256.Sum256([]byte(m.name()))
	return string(sum[:])
}
