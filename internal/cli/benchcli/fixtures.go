package benchcli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// snapshotExtension ends the name of the sandbox snapshot that lies beside a
// manifest.
const snapshotExtension = ".sandbox"

// snapshotPath returns where the snapshot of a manifest lies:
// fixtures/latest.json has fixtures/latest.sandbox.
func snapshotPath(manifest string) string {
	return strings.TrimSuffix(manifest, filepath.Ext(manifest)) + snapshotExtension
}

// missingFixtures is an error about resources that a manifest lacks.
type missingFixtures struct {
	manifest  string
	resources []string
}

// Error names the resources and the mend.
func (m missingFixtures) Error() string {
	return fmt.Sprintf("fixture manifest %s lacks %s: run `bench fixtures seed --out %s`, or add --seed-if-missing",
		m.manifest, strings.Join(m.resources, ", "), m.manifest)
}

// loadSandbox makes a sandbox of a manifest and its snapshot. An error about a
// file that does not exist is fs.ErrNotExist.
func (a *app) loadSandbox(path string, needed []string) (*target.Sandbox, error) {
	manifest, err := fixture.Read(path)
	if err != nil {
		return nil, err
	}
	lacking := missingFixtures{manifest: path}
	for _, name := range needed {
		if _, seeded := manifest.Resources[name]; !seeded {
			lacking.resources = append(lacking.resources, name)
		}
	}
	if len(lacking.resources) > 0 {
		return nil, fault.Wrap(fault.Invalid, lacking)
	}
	snapshot, err := os.ReadFile(snapshotPath(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Invalidf("fixture manifest %s has no sandbox snapshot %s beside it: make both with `bench fixtures seed --out %s`: %w", path, snapshotPath(path), path, fs.ErrNotExist)
	case err != nil:
		return nil, fault.Infraf("read sandbox snapshot: %w", err)
	}
	sandbox, err := target.LoadSandbox(snapshot, manifest)
	if err != nil {
		return nil, fault.Invalidf("sandbox snapshot %s cannot be used: %w; make it again with `bench fixtures seed --out %s`", snapshotPath(path), err, path)
	}
	return sandbox, nil
}

// saveSandbox writes a sandbox's manifest and snapshot. The snapshot comes
// first, so that a manifest always has one.
func (a *app) saveSandbox(sandbox *target.Sandbox, path string) error {
	var snapshot bytes.Buffer
	if err := sandbox.Save(&snapshot); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fault.Infraf("write sandbox snapshot: %w", err)
	}
	if err := os.WriteFile(snapshotPath(path), snapshot.Bytes(), 0o644); err != nil {
		return fault.Infraf("write sandbox snapshot: %w", err)
	}
	return fixture.Write(path, sandbox.Manifest())
}

func (a *app) fixturesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fixtures",
		Short: "Seed, look at and remove what scenarios act on",
		Long: `Fixtures are the issues, pull requests and workflow runs that scenarios act on.
A manifest lists them. For the sandbox, a snapshot of the whole world lies
beside the manifest, so that other commands can use it.`,
	}
	cmd.AddCommand(a.seedCommand(), a.statusCommand(), a.cleanupCommand())
	return cmd
}

func (a *app) seedCommand() *cobra.Command {
	var repo, out, seedID string
	var resources []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "seed",
		Short: "Make the fixtures and write their manifest",
		Example: `  bench fixtures seed
  bench fixtures seed --out fixtures/latest.json --seed-id local`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if repo != target.FixturesRepo {
				return fault.Invalidf("--repo %s: the sandbox has %s alone", repo, target.FixturesRepo)
			}
			sandbox, err := target.NewSandbox()
			if err != nil {
				return err
			}
			defer sandbox.Close()
			manifest, err := verify.SeedSandbox(cmd.Context(), sandbox, fixture.Options{
				Repo: repo, SeedID: seedID, Resources: resources, RunID: verify.NewRunID(a.now(), a.random()), Now: a.now(),
			})
			if err != nil {
				return err
			}
			if err := a.saveSandbox(sandbox, out); err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(manifest)
			}
			fmt.Fprintf(a.stdout, "Seeded %s in the sandbox: %s\n%s  manifest\n%s  snapshot\n",
				repo, strings.Join(fixture.Resources(manifest), ", "), out, snapshotPath(out))
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&repo, "repo", target.FixturesRepo, "the fixtures repository")
	flags.StringVar(&out, "out", fixture.DefaultManifest, "write the manifest to this `FILE`, and the snapshot beside it")
	flags.StringVar(&seedID, "seed-id", fixture.DefaultSeedID, "name of the seeding")
	flags.StringSliceVar(&resources, "resource", nil, "seed only these resources (default: all)")
	flags.BoolVar(&asJSON, "json", false, "print the manifest")
	return cmd
}

func (a *app) statusCommand() *cobra.Command {
	var path string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Compare the fixtures with their manifest",
		Example: "  bench fixtures status --out fixtures/latest.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withFixtures(cmd.Context(), path, func(client *github.Client, m bench.Manifest) error {
				states, err := fixture.Status(cmd.Context(), client, m)
				if err != nil {
					return err
				}
				if asJSON {
					return a.printJSON(states)
				}
				return a.printStates(states)
			})
		},
	}
	cmd.Flags().StringVar(&path, "out", fixture.DefaultManifest, "the manifest `FILE`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
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

func (a *app) cleanupCommand() *cobra.Command {
	var path string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "cleanup",
		Short:   "Remove the fixtures of a manifest",
		Example: "  bench fixtures cleanup --out fixtures/latest.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withFixtures(cmd.Context(), path, func(client *github.Client, m bench.Manifest) error {
				removed, err := fixture.Cleanup(cmd.Context(), client, m)
				if err != nil {
					return err
				}
				for _, file := range []string{path, snapshotPath(path)} {
					if err := os.Remove(file); err != nil {
						return fault.Infraf("remove the fixtures' files: %w", err)
					}
				}
				if asJSON {
					return a.printJSON(removed)
				}
				fmt.Fprintf(a.stdout, "Removed %s, and %s with its snapshot\n", removed, path)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&path, "out", fixture.DefaultManifest, "the manifest `FILE`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// withFixtures opens the sandbox of a manifest for the owner of its
// repository.
func (a *app) withFixtures(ctx context.Context, path string, use func(*github.Client, bench.Manifest) error) error {
	sandbox, err := a.loadSandbox(path, nil)
	if err != nil {
		return err
	}
	defer sandbox.Close()
	keys, err := sandbox.Open(ctx)
	if err != nil {
		return err
	}
	defer keys.Close()
	client, err := verify.Client(keys.Owner)
	if err != nil {
		return err
	}
	return use(client, sandbox.Manifest())
}

func (a *app) printJSON(value any) error {
	encoder := json.NewEncoder(a.stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
