package benchcli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func (a *app) fixturesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fixtures",
		Short: "Seed, look at, put back and remove what scenarios act on",
		Long: `Fixtures are the issues, pull requests and workflow runs that scenarios act on.
A manifest lists them. They are in a repository on GitHub, or in the sandbox:
then a snapshot of the whole world lies beside the manifest, so that other
commands can use it.

For GitHub, tokens are in the environment: BENCH_FIXTURES_TOKEN, or the settings
of a GitHub App in BENCH_FIXTURE_GH_APP_ID, BENCH_FIXTURE_GH_APP_INSTALLATION_ID
and BENCH_FIXTURE_GH_APP_PRIVATE_KEY (or BENCH_FIXTURE_GH_APP_PRIVATE_KEY_PATH).`,
	}
	cmd.AddCommand(a.seedCommand(), a.statusCommand(), a.resetCommand(), a.cleanupCommand())
	return cmd
}

// fixtureFlags are the flags of commands about fixtures.
type fixtureFlags struct {
	repo, out, seedID, apiURL string
	resources                 []string
	sandbox, json             bool
}

func (f *fixtureFlags) addFile(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.out, "out", fixture.DefaultManifest, "the manifest `FILE`")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	addAPIURL(cmd.Flags(), &f.apiURL)
}

func (a *app) seedCommand() *cobra.Command {
	var f fixtureFlags
	cmd := &cobra.Command{
		Use:   "seed",
		Short: "Make the fixtures and write their manifest",
		Long: `seed makes the fixtures in a repository on GitHub if the environment has a
credential for that, and in the sandbox if it has none or --sandbox is given.
What is there from a seeding with the same id is used again, so a seeding that
was broken off goes on.`,
		Example: `  bench fixtures seed
  bench fixtures seed --out fixtures/latest.json --seed-id local --sandbox
  BENCH_FIXTURES_TOKEN=… bench fixtures seed --repo aryeko/ghx-bench-fixtures`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.sandbox || !a.hasCredentials() {
				return a.seedSandbox(cmd.Context(), f)
			}
			return a.seedGitHub(cmd.Context(), f)
		},
	}
	f.addFile(cmd)
	flags := cmd.Flags()
	flags.Lookup("out").Usage = "write the manifest to this `FILE`, and a sandbox's snapshot beside it"
	flags.Lookup("json").Usage = "print the manifest"
	flags.StringVar(&f.repo, "repo", target.FixturesRepo, "the fixtures repository")
	flags.StringVar(&f.seedID, "seed-id", fixture.DefaultSeedID, "name of the seeding")
	flags.StringSliceVar(&f.resources, "resource", nil, "seed only these resources (default: all)")
	flags.BoolVar(&f.sandbox, "sandbox", false, "seed the sandbox, whatever the environment has")
	return cmd
}

func (a *app) seedSandbox(ctx context.Context, f fixtureFlags) error {
	if f.repo != target.FixturesRepo {
		return fault.Invalidf("--repo %s: the sandbox has %s alone; to seed on GitHub, set %s or the variables of a GitHub App, see `bench fixtures --help`", f.repo, target.FixturesRepo, FixturesTokenVariable)
	}
	sandbox, err := target.NewSandbox(nil)
	if err != nil {
		return err
	}
	defer sandbox.Close()
	manifest, err := verify.SeedSandbox(ctx, sandbox, fixture.Options{
		Repo: f.repo, SeedID: f.seedID, Resources: f.resources, RunID: verify.NewRunID(a.now(), a.random()), Now: a.now(),
	})
	if err != nil {
		return err
	}
	if err := a.saveSandbox(sandbox, f.out); err != nil {
		return err
	}
	if f.json {
		return a.printJSON(manifest)
	}
	fmt.Fprintf(a.stdout, "Seeded %s in the sandbox: %s\n%s  manifest\n%s  snapshot\n",
		f.repo, strings.Join(fixture.Resources(manifest), ", "), f.out, snapshotPath(f.out))
	return nil
}

func (a *app) seedGitHub(ctx context.Context, f fixtureFlags) (err error) {
	r, err := a.remote(f.repo, f.apiURL, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.credentials.revoke(ctx)) }()
	if _, _, err := r.look(ctx); err != nil {
		return err
	}
	opts := a.seedOptions(r, f.seedID, verify.NewRunID(a.now(), a.random()))
	opts.Resources = f.resources
	skipped := map[string]error{}
	opts.Skipped = func(resource string, reason error) { skipped[resource] = reason }
	manifest, err := fixture.Seed(ctx, fixture.Clients{Owner: r.seeder}, opts)
	switch {
	case fault.KindOf(err) == fault.Invalid:
		return err
	case err != nil:
		return fmt.Errorf("%w; what is there already is used by the next `bench fixtures seed`, or removed with `bench fixtures cleanup --all --older-than 0s --repo %s`", err, f.repo)
	}
	for _, name := range slices.Sorted(maps.Keys(skipped)) {
		fmt.Fprintf(a.stderr, "bench: not seeded: %s: %v\n", name, skipped[name])
	}
	// A snapshot that is left from a sandbox is of another world.
	if err := forget(f.out); err != nil {
		return err
	}
	if err := fixture.Write(f.out, manifest); err != nil {
		return err
	}
	if f.json {
		return a.printJSON(manifest)
	}
	fmt.Fprintf(a.stdout, "Seeded %s on GitHub: %s\n%s  manifest\n", f.repo, strings.Join(fixture.Resources(manifest), ", "), f.out)
	return nil
}

func (a *app) statusCommand() *cobra.Command {
	var f fixtureFlags
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Compare the fixtures with their manifest",
		Example: "  bench fixtures status --out fixtures/latest.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withSeeded(cmd.Context(), f.out, f.apiURL, func(s *seeded) error {
				states, err := fixture.Status(cmd.Context(), s.clients.Owner, s.manifest)
				if err != nil {
					return err
				}
				if f.json {
					return a.printJSON(states)
				}
				return a.printStates(states)
			})
		},
	}
	f.addFile(cmd)
	return cmd
}

func (a *app) printStates(states []fixture.State) error {
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, s := range states {
		mark := "ok"
		if !s.OK {
			mark = "CHANGED"
			a.verdict = exitGateFailed
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", mark, s.Resource, s.Detail)
	}
	return table.Flush()
}

func (a *app) resetCommand() *cobra.Command {
	var f fixtureFlags
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Put the fixtures back as they were seeded",
		Long: `reset changes only what has changed. What cannot be put back, such as a merged
pull request, is made anew, and the manifest names the new one.`,
		Example: `  bench fixtures reset --out fixtures/latest.json
  bench fixtures reset --resource pr_mergeable,issue`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withSeeded(cmd.Context(), f.out, f.apiURL, func(s *seeded) error { return a.reset(cmd.Context(), f, s) })
		},
	}
	f.addFile(cmd)
	cmd.Flags().StringSliceVar(&f.resources, "resource", nil, "put back only these resources (default: all in the manifest)")
	return cmd
}

func (a *app) reset(ctx context.Context, f fixtureFlags, s *seeded) error {
	resources := f.resources
	if len(resources) == 0 {
		resources = fixture.Resources(s.manifest)
	}
	manifest, err := fixture.Reset(ctx, s.clients, s.manifest, resources, s.options)
	if err != nil {
		return err
	}
	if err := s.save(manifest); err != nil {
		return err
	}
	if f.json {
		return a.printJSON(manifest)
	}
	fmt.Fprintf(a.stdout, "As seeded %s: %s\n", s.place, strings.Join(resources, ", "))
	return nil
}

func (a *app) cleanupCommand() *cobra.Command {
	var f fixtureFlags
	var all bool
	var olderThan time.Duration
	cmd := &cobra.Command{
		Use:   "cleanup",
		Short: "Remove fixtures",
		Long: `cleanup removes what the seeding of a manifest has made, and the manifest. With
--seed-id it removes one seeding in a repository on GitHub by its name, and with
--all every one that is older than --older-than or past its own expiry, such as
those of runs that were killed. It never touches what was not made by a seeding.`,
		Example: `  bench fixtures cleanup --out fixtures/latest.json
  bench fixtures cleanup --seed-id mine --repo aryeko/ghx-bench-fixtures
  bench fixtures cleanup --all --older-than 24h --repo aryeko/ghx-bench-fixtures`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			one, given := f.seedID != "", cmd.Flags().Changed
			switch {
			case one && all, one && given("out"):
				return fault.Invalidf("--seed-id removes one seeding without its manifest: leave --all and --out out")
			case given("older-than") && !all, given("repo") && !all && !one:
				return fault.Invalidf("--older-than and --repo are for --all, and --repo is for --seed-id: without them, what the manifest names is removed")
			case one:
				return a.cleanUpSeeding(cmd.Context(), f)
			case all:
				return a.cleanUpAll(cmd.Context(), f, olderThan)
			}
			return a.withSeeded(cmd.Context(), f.out, f.apiURL, func(s *seeded) error { return a.cleanUp(cmd.Context(), f, s) })
		},
	}
	f.addFile(cmd)
	cmd.Flags().StringVar(&f.seedID, "seed-id", "", "remove the seeding with this `NAME`, without a manifest")
	cmd.Flags().StringVar(&f.repo, "repo", target.FixturesRepo, "with --seed-id and --all: the fixtures repository")
	cmd.Flags().BoolVar(&all, "all", false, "remove every seeding in the repository that is old enough")
	cmd.Flags().DurationVar(&olderThan, "older-than", defaultOlderThan, "with --all: how old a seeding is that is removed before it expires, for example 24h")
	return cmd
}

// defaultOlderThan is longer than any run.
const defaultOlderThan = 24 * time.Hour

func (a *app) cleanUp(ctx context.Context, f fixtureFlags, s *seeded) error {
	removed, err := fixture.Cleanup(ctx, s.clients.Owner, s.manifest)
	if err != nil {
		return err
	}
	if err := forget(f.out); err != nil {
		return err
	}
	if f.json {
		return a.printJSON(removed)
	}
	fmt.Fprintf(a.stdout, "Removed %s, and %s\n", removed, f.out)
	return nil
}

func (a *app) cleanUpAll(ctx context.Context, f fixtureFlags, olderThan time.Duration) error {
	if olderThan < 0 {
		return fault.Invalidf("--older-than is %s, want 0s or more, for example 24h", olderThan)
	}
	return a.removeFrom(ctx, f, func(r *remote) (fixture.Removed, error) {
		return fixture.CleanupAll(ctx, r.seeder, f.repo, olderThan, a.now())
	})
}

// seedName is what seedings are called.
var seedName = regexp.MustCompile(`^[a-z0-9-]+$`)

// cleanUpSeeding removes what a seeding has made whose manifest is not there.
func (a *app) cleanUpSeeding(ctx context.Context, f fixtureFlags) error {
	if !seedName.MatchString(f.seedID) {
		return fault.Invalidf("--seed-id %q is no name of a seeding, which has a-z, 0-9 and - alone", f.seedID)
	}
	return a.removeFrom(ctx, f, func(r *remote) (fixture.Removed, error) {
		return fixture.Cleanup(ctx, r.seeder, r.unfinished(f.seedID))
	})
}

// removeFrom removes fixtures from a repository on GitHub, and says which.
func (a *app) removeFrom(ctx context.Context, f fixtureFlags, remove func(*remote) (fixture.Removed, error)) (err error) {
	r, err := a.remote(f.repo, f.apiURL, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.credentials.revoke(ctx)) }()
	if _, _, err := r.look(ctx); err != nil {
		return err
	}
	removed, err := remove(r)
	if err != nil {
		return err
	}
	if f.json {
		return a.printJSON(removed)
	}
	fmt.Fprintf(a.stdout, "Removed from %s: %s\n", f.repo, removed)
	return nil
}

func (a *app) printJSON(value any) error {
	encoder := json.NewEncoder(a.stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
