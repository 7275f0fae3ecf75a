package benchcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/target/live"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// lent is a repository on GitHub for the time of a run. Closing it removes
// what was seeded for the run, and ends the tokens.
type lent struct {
	*live.Target
	app    *app
	remote *remote
	flags  *suiteFlags
	enter  func(verify.Step)
	// seedID is that of the fixtures.
	seedID string
	// seeded is true once something may be there that goes with the run.
	seeded bool
	close  func() error
}

// liveFor makes the target of a suite that runs on GitHub.
func (a *app) liveFor(ctx context.Context, s *verify.Suite, p *prepared) (_ target.Target, err error) {
	l := &lent{app: a, remote: p.remote, flags: p.flags, enter: p.enter, seedID: s.SeedID}
	l.close = sync.OnceValue(func() error { return l.giveBack(context.WithoutCancel(ctx)) })
	defer func() {
		if err != nil {
			// It has told what went wrong.
			_ = l.Close()
		}
	}()
	id, version, err := p.remote.look(ctx)
	if err != nil {
		return nil, err
	}
	if version != "" {
		s.Run.Tools[gitHubVersion] = version
	}
	tokens, err := a.tokens(ctx, p.remote)
	if err != nil {
		return nil, err
	}
	manifest, err := l.fixtures(ctx, s)
	if err != nil {
		return nil, err
	}
	p.remote.seedID = l.seedID
	if err := p.remote.noteTags(ctx); err != nil {
		return nil, err
	}
	l.Target, err = live.New(live.Options{
		Manifest: manifest, RepositoryID: id, RESTURL: p.remote.at.rest, GraphQLURL: p.remote.at.graphql,
		Agent: tokens.agent, AgentLogin: tokens.login, Verifier: tokens.verifier, Remove: l.remote.remove,
		Patience: &github.Patience{Now: a.now, Random: rand.Float64},
		Reset: func(ctx context.Context, m bench.Manifest, resources []string) (bench.Manifest, error) {
			return l.remote.reset(ctx, m, resources, a.seedOptions(l.remote, l.seedID, s.RunID))
		},
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// seedOptions are those of seedings on GitHub.
func (a *app) seedOptions(r *remote, seedID, runID string) fixture.Options {
	return fixture.Options{Repo: r.repo, SeedID: seedID, RunID: runID, Now: a.now(), Wait: wait, Pace: r.pace}
}

// runLife is how long fixtures that go with a run are meant to be there, if
// the run cannot remove them.
const runLife = 24 * time.Hour

// fixtures returns what a suite's scenarios act on: those of the manifest, put
// back as they were, or those of a seeding for this run.
func (l *lent) fixtures(ctx context.Context, s *verify.Suite) (bench.Manifest, error) {
	needed := requiredBy(s.Scenarios)
	if l.flags.manifest == "" {
		l.seeded = !l.flags.keepFixtures
		return l.seed(ctx, s, needed)
	}
	m, err := fixture.Read(l.flags.manifest)
	switch {
	case errors.Is(err, fs.ErrNotExist) && l.flags.seedIfMissing:
	case err != nil:
		return m, err
	case !strings.EqualFold(m.Repo.FullName, l.remote.repo):
		return m, fault.Invalidf("fixture manifest %s is of %s, not of %s: name another one, or make it with `bench fixtures seed --repo %s --out %s`",
			l.flags.manifest, m.Repo.FullName, l.remote.repo, l.remote.repo, l.flags.manifest)
	default:
		s.SeedID, l.seedID = fixture.SeedID(m), fixture.SeedID(m)
		lacking := slices.DeleteFunc(slices.Clone(needed), func(name string) bool { return m.Resources[name] != nil })
		if len(lacking) == 0 {
			return l.remote.reset(ctx, m, needed, l.app.seedOptions(l.remote, l.seedID, s.RunID))
		}
		if !l.flags.seedIfMissing {
			return m, fault.Wrap(fault.Invalid, missingFixtures{manifest: l.flags.manifest, resources: lacking})
		}
		needed = union(needed, fixture.Resources(m))
	}
	if m, err = l.seed(ctx, s, needed); err != nil {
		return m, err
	}
	return m, fixture.Write(l.flags.manifest, m)
}

// seed seeds, and takes the scenarios out of the suite that need what cannot
// be seeded.
func (l *lent) seed(ctx context.Context, s *verify.Suite, resources []string) (bench.Manifest, error) {
	opts := l.app.seedOptions(l.remote, s.SeedID, s.RunID)
	opts.Resources = append([]string{}, resources...)
	if l.seeded {
		opts.Expires = opts.Now.Add(runLife)
	}
	skipped := map[string]error{}
	opts.Skipped = func(resource string, reason error) { skipped[resource] = reason }
	m, err := fixture.Seed(ctx, fixture.Clients{Owner: l.remote.seeder}, opts)
	if err != nil {
		return m, err
	}
	return m, withoutSkipped(s, skipped)
}

// withoutSkipped takes scenarios out of a suite whose fixtures cannot be
// seeded, and has reports say so. That none is left is an error of kind
// invalid.
func withoutSkipped(s *verify.Suite, skipped map[string]error) error {
	if len(skipped) == 0 {
		return nil
	}
	var runnable []bench.Scenario
	lost := map[string][]string{}
	for _, sc := range s.Scenarios {
		at := slices.IndexFunc(sc.Requires(), func(name string) bool { return skipped[name] != nil })
		if at < 0 {
			runnable = append(runnable, sc)
			continue
		}
		name := sc.Requires()[at]
		lost[name] = append(lost[name], sc.ID)
	}
	for _, name := range slices.Sorted(maps.Keys(lost)) {
		s.NotRunnable = append(s.NotRunnable, fmt.Sprintf("not runnable, because fixture resource %s cannot be seeded (%v): %s", name, skipped[name], strings.Join(lost[name], ", ")))
	}
	if len(runnable) == 0 {
		return fault.Invalidf("no scenario can run: %s", strings.Join(s.NotRunnable, "; "))
	}
	s.Scenarios = runnable
	return nil
}

// requiredBy returns the fixture resources that scenarios require, sorted. Those
// of other worlds are made with these.
func requiredBy(scenarios []bench.Scenario) []string {
	resources := []string{}
	for _, sc := range scenarios {
		if sc.World() == "" {
			resources = append(resources, sc.Requires()...)
		}
	}
	slices.Sort(resources)
	return slices.Compact(resources)
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// Close gives the repository back. What goes wrong is told, and does not touch
// the run's result. It may be called more than once.
func (l *lent) Close() error { return l.close() }

// cleanUpTime bounds the clean-up after a run.
const cleanUpTime = 10 * time.Minute

func (l *lent) giveBack(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, cleanUpTime)
	defer cancel()
	var problems []error
	m := bench.Manifest{}
	if l.Target != nil {
		problems = append(problems, l.Target.Close())
		m = l.Target.Manifest()
	}
	switch {
	case l.seeded:
		l.enter(verify.StepCleanUp)
		problems = append(problems, l.cleanUp(ctx, m))
	case l.flags.manifest != "" && l.Target != nil:
		// What was put back may be another object now.
		problems = append(problems, fixture.Write(l.flags.manifest, m))
	}
	problems = append(problems, l.remote.credentials.revoke(ctx))
	err := errors.Join(problems...)
	if err != nil {
		fmt.Fprintf(l.app.stderr, "bench: %s is not given back as it was: %v; what is left goes with `bench fixtures cleanup --all --older-than 0s --repo %s`\n", l.remote.repo, err, l.remote.repo)
	}
	return err
}

// cleanUp removes what was seeded. Without a manifest the seeding did not end.
func (l *lent) cleanUp(ctx context.Context, m bench.Manifest) error {
	if m.Resources == nil {
		m = l.remote.unfinished(l.seedID)
	}
	removed, err := fixture.Cleanup(ctx, l.remote.seeder, m)
	if err == nil {
		fmt.Fprintf(l.app.stderr, "removed from %s: %s\n", l.remote.repo, removed)
	}
	return err
}

// unfinished is the manifest of a seeding that was broken off.
func (r *remote) unfinished(seedID string) bench.Manifest {
	owner, name, _ := strings.Cut(r.repo, "/")
	return bench.Manifest{
		Version: bench.ManifestVersion, Repo: bench.ManifestRepo{Owner: owner, Name: name, FullName: r.repo},
		Resources: map[string]map[string]any{bench.MetadataResource: {"seed_id": seedID}},
	}
}

// reset puts fixtures back as they were seeded.
func (r *remote) reset(ctx context.Context, m bench.Manifest, resources []string, opts fixture.Options) (bench.Manifest, error) {
	return fixture.Reset(ctx, fixture.Clients{Owner: r.seeder}, m, resources, opts)
}
