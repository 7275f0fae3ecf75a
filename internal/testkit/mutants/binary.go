package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// binary is the tests of a package, built.
type binary struct {
	// path is the package's import path, folder where its tests run.
	path, folder string
	file         string
	// reached is the folder where its tests tell what they came by, limits are of
	// what they may use.
	reached string
	limits  *limits
}

// test is a test at the top level, an example, or the seeds of a fuzz test; or
// a part of a long one.
type test struct {
	in *binary
	// pattern is for -test.run.
	pattern string
	// took is how long it ran alone, with the start of its process.
	took time.Duration
	// reached are the numbers of the mutants that it came by.
	reached map[int]bool
}

// builder builds tests with other sources in the place of some.
type builder struct {
	*program
	// folder is for what is built and written.
	folder string
	limits *limits
}

// reached is the folder where tests tell what they came by.
func (b *builder) reached() string { return filepath.Join(b.folder, "reached") }

// build builds the tests of packages. Sources are by name.
func (b *builder) build(ctx context.Context, name string, sources map[string][]byte, packages []listed) ([]*binary, error) {
	out := filepath.Join(b.folder, name)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	replace := map[string]string{}
	put := func(place string, text []byte) error {
		at := filepath.Join(out, strconv.Itoa(len(replace))+".go")
		replace[filepath.Join(b.root, place)] = at
		return os.WriteFile(at, text, 0o600)
	}
	for place, text := range sources {
		if err := put(place, text); err != nil {
			return nil, err
		}
	}
	if err := put(filepath.FromSlash(chosenFolder+"/chosen.go"), []byte(chosenSource())); err != nil {
		return nil, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(out, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return nil, err
	}
	var built []*binary
	for _, p := range packages {
		at := &binary{path: p.ImportPath, folder: p.Dir, reached: b.reached(), limits: b.limits, file: filepath.Join(out, path.Base(p.ImportPath)+strconv.Itoa(len(built))+".test")}
		if _, err := goCommand(ctx, b.root, "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", file, "-o", at.file, p.ImportPath); err != nil {
			return nil, err
		}
		if _, err := os.Stat(at.file); err == nil {
			// A package without tests has no binary.
			built = append(built, at)
		}
	}
	return built, nil
}

var testName = regexp.MustCompile(`^(Test|Example|Fuzz)`)

// measure runs each test of a binary by itself, with no mutant acting, and
// returns those that come by a mutant. Those that run for long are split.
func (b *binary) measure(ctx context.Context, long time.Duration) ([]*test, error) {
	said, err := b.run(ctx, nil, "-test.list=.")
	if err != nil {
		return nil, fmt.Errorf("list the tests of %s: %w\n%s", b.path, err, said)
	}
	var tests []*test
	for name := range strings.FieldsSeq(said) {
		if !testName.MatchString(name) {
			continue
		}
		t := &test{in: b, pattern: "^" + name + "$"}
		said, err := t.measure(ctx)
		if err != nil {
			// The machine may have been busy.
			said, err = t.measure(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("%s of %s fails by itself, with no mutant: %w\n%s", name, b.path, err, said)
		}
		if len(t.reached) == 0 {
			continue
		}
		if t.took > long {
			tests = append(tests, t.split(ctx, said)...)
		}
		if len(t.reached) > 0 {
			tests = append(tests, t)
		}
	}
	return tests, nil
}

// longest is for how long a test may run that is measured.
const longest = 5 * time.Minute

// measure runs a test by itself, and returns what it said.
func (t *test) measure(ctx context.Context) (string, error) {
	file := filepath.Join(t.in.reached, filepath.Base(t.in.file))
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return "", err
	}
	begun := time.Now()
	said, err := t.in.run(ctx, []string{Reached + "=" + file}, "-test.v", "-test.run="+t.pattern, "-test.timeout="+longest.String())
	t.took = time.Since(begun)
	if err != nil {
		return said, err
	}
	text, err := os.ReadFile(file)
	t.reached = map[int]bool{}
	for number := range strings.FieldsSeq(string(text)) {
		t.reached[atoi(number)] = true
	}
	return said, err
}

var partName = regexp.MustCompile(`(?m)^=== RUN +[^/\n]+/([^/\n]+)`)

// split returns the parts of a test that pass by themselves, and leaves it the
// mutants that none of them comes by. What it said has their names. A test
// whose parts take much longer than the whole is not split.
func (t *test) split(ctx context.Context, said string) []*test {
	var parts []*test
	var total time.Duration
	without := maps.Clone(t.reached)
	names := map[string]bool{}
	for _, found := range partName.FindAllStringSubmatch(said, -1) {
		names[found[1]] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		part := &test{in: t.in, pattern: t.pattern + "/^" + regexp.QuoteMeta(name) + "$"}
		_, err := part.measure(ctx)
		if total += part.took; total > 3*t.took+patienceMore {
			return nil
		}
		if err == nil {
			parts = append(parts, part)
			maps.DeleteFunc(without, func(mutant int, _ bool) bool { return part.reached[mutant] })
		}
	}
	t.reached = without
	return parts
}

// run runs a binary where its tests expect to be, and returns what it said.
func (b *binary) run(ctx context.Context, environment []string, arguments ...string) (string, error) {
	// A file, since processes that a test leaves behind would hold a pipe open.
	said, err := os.CreateTemp(filepath.Dir(b.file), "said")
	if err != nil {
		return "", err
	}
	defer os.Remove(said.Name()) //nolint:errcheck // The folder is removed too.
	defer said.Close()
	cmd := exec.CommandContext(ctx, b.file, arguments...) //nolint:gosec // It was built here.
	cmd.Dir = b.folder
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdout, cmd.Stderr = said, said
	failure := b.limits.run(cmd)
	text, err := os.ReadFile(said.Name())
	return string(text), cmp.Or(failure, err)
}

// How long tests may run with a mutant: a multiple of what they took, which is less
// for those that take long, and more on top of it for a machine that is busy.
const (
	patience     = 10
	patienceLong = 3
	patienceFrom = 5 * time.Second
	patienceMore = 2 * time.Second
	// quick is for how long tests run that are tried first, and those that are tried
	// next run for so many times as long, but for no longer than together: what waits
	// for ever ends late where many run in one process.
	quick, slower, together = 200 * time.Millisecond, 5, 10 * time.Second
)

// try runs tests with a mutant that acts until one notices, the quick ones
// first.
func try(ctx context.Context, mutant int, tests []*test) verdict {
	for _, some := range batches(tests) {
		if v := some.try(ctx, mutant); v != survived {
			return v
		}
	}
	return survived
}

// batch is tests of one binary that run in one process.
type batch []*test

func batches(tests []*test) []batch {
	tests = slices.SortedStableFunc(slices.Values(tests), func(a, b *test) int { return cmp.Compare(a.took, b.took) })
	type place struct {
		in    *binary
		limit time.Duration
	}
	var order []batch
	places := map[place]int{}
	total, limit := time.Duration(0), quick
	for _, t := range tests {
		for total += t.took; total > limit; {
			limit = min(limit*slower, limit+together)
		}
		at, is := places[place{t.in, limit}]
		if !is {
			at = len(order)
			places[place{t.in, limit}] = at
			order = append(order, nil)
		}
		order[at] = append(order[at], t)
	}
	return order
}

// timedOutMessage is what tests say that have run for too long.
const timedOutMessage = "panic: test timed out after"

// late reports whether the tests take long with no mutant, too: a machine that
// busy tells nothing.
func (b batch) late(ctx context.Context, timeout time.Duration, arguments []string) bool {
	begun := time.Now()
	_, err := b[0].in.run(ctx, nil, arguments...)
	return err != nil || time.Since(begun) > timeout/2
}

func (b batch) try(ctx context.Context, mutant int) verdict {
	var took time.Duration
	patterns := make([]string, len(b))
	for i, t := range b {
		took += t.took
		patterns[i] = t.pattern
	}
	timeout := patience*min(took, patienceFrom) + patienceLong*max(0, took-patienceFrom) + patienceMore
	// Where the process cannot end itself, it is ended.
	bounded, cancel := context.WithTimeout(ctx, timeout+patienceMore)
	defer cancel()
	arguments := []string{"-test.failfast", "-test.timeout=" + timeout.String(), "-test.run=" + strings.Join(patterns, "|")}
	said, err := b[0].in.run(bounded, []string{Acts + "=" + strconv.Itoa(mutant)}, arguments...)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return notTried
	case err == nil:
		return survived
	case errors.Is(err, errTasks):
		return timedOut
	case !errors.As(err, &exit):
		// The machine could not run it.
		return notTried
	case exit.ExitCode() == TooMuchMemory:
		return timedOut
	case bounded.Err() != nil || strings.Contains(said, timedOutMessage):
		if b.late(ctx, timeout, arguments) {
			return notTried
		}
		return timedOut
	default:
		return killed
	}
}
