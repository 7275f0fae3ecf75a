package benchcli

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/scenarios"
)

// diagnosis is what doctor found about one thing.
type diagnosis struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	// Mend is what to do, empty where nothing is wrong.
	Mend string `json:"mend,omitempty"`
	// Optional is true for what runs with the scripted agent do without.
	Optional bool `json:"optional,omitempty"`
}

func (a *app) doctorCommand() *cobra.Command {
	var dir, model, provider, experiment string
	var asJSON bool
	var f agentFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what works here, and what to do about what does not",
		Long: `doctor tries what the benchmark needs. For agents with a model it says for each
mode which programs are there, in which version, and how agents are held to the
proxy; a mode that lacks something comes with the command that mends it, and is
no failure, because the other modes run without it. With --model it asks that model
for one answer with a tool call, as runs do first. With --config it looks at what the
benchmark of that configuration needs instead, as bench harness run does first.`,
		Example: `  bench doctor
  bench doctor --model openai/gpt-5.3-codex
  bench doctor --provider claude-code --model anthropic/claude-sonnet-4-5
  bench doctor --ghx-command 'node packages/core/bin/ghx'
  bench doctor --config experiment_config.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var found []diagnosis
			if experiment != "" {
				found = a.diagnoseExperiment(cmd.Context(), dir, experiment)
			} else {
				found = append(a.diagnose(cmd.Context(), dir), a.diagnoseAgents(cmd.Context(), f)...)
			}
			if model != "" {
				found = append(found, a.diagnoseModel(cmd.Context(), f, provider, model))
			}
			for _, d := range found {
				if !d.OK && !d.Optional {
					a.verdict = exitInfrastructure
				}
			}
			if asJSON {
				return a.printJSON(found)
			}
			table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, d := range found {
				mark := "ok"
				switch {
				case d.OK:
				case d.Optional:
					mark = "missing"
				default:
					mark = "PROBLEM"
				}
				fmt.Fprintf(table, "%s\t%s\t%s\n", mark, d.Name, d.Detail)
				if d.Mend != "" {
					fmt.Fprintf(table, "\t\tmend: %s\n", d.Mend)
				}
			}
			return table.Flush()
		},
	}
	cmd.Flags().StringVar(&dir, "output-dir", verify.DefaultDir, "where runs are to be kept")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&experiment, "config", "", "look at what the benchmark of this `FILE` needs, most often "+harness.ConfigFile)
	cmd.Flags().StringVar(&provider, "provider", opencode.Name, "ask the model as this agent does: "+strings.Join(providerNames()[1:], ", "))
	cmd.Flags().StringVar(&model, "model", "", "ask this model, `PROVIDER/MODEL`, for one answer with a tool call")
	f.addModel(cmd.Flags())
	f.addPrograms(cmd.Flags())
	f.addModeFiles(cmd.Flags())
	return cmd
}

func (a *app) diagnose(ctx context.Context, dir string) []diagnosis {
	return []diagnosis{
		{Name: "bench", OK: true, Detail: version()},
		diagnoseScenarios(),
		diagnoseFolder(dir),
		a.diagnoseSandbox(ctx),
		{Name: "scripted agent", OK: true, Detail: "ready; no model is involved"},
	}
}

func diagnoseScenarios() diagnosis {
	found := scenario.Check(scenarios.Files, fixture.Made())
	d := diagnosis{Name: "scenarios", OK: len(found.Problems) == 0, Detail: fmt.Sprintf("%d problems, %d warnings", len(found.Problems), len(found.Warnings))}
	if !d.OK {
		d.Mend = "bench scenarios check"
	}
	return d
}

func diagnoseFolder(dir string) diagnosis {
	d := diagnosis{Name: "output folder", Detail: dir + " can be written"}
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(dir, "doctor-*"); err == nil {
			_, err = probe.WriteString("probe")
			_ = probe.Close()
			_ = os.Remove(probe.Name())
		}
	}
	if d.OK = err == nil; !d.OK {
		d.Detail, d.Mend = err.Error(), "name another folder with --output-dir"
	}
	return d
}

func (a *app) diagnoseSandbox(ctx context.Context) diagnosis {
	d := diagnosis{Name: "sandbox", OK: true, Detail: "GitHub inside this process, seeded over loopback"}
	sandbox, err := target.NewSandbox(nil)
	if err == nil {
		defer sandbox.Close()
		_, err = verify.SeedSandbox(ctx, sandbox, fixture.Options{
			Repo: target.FixturesRepo, SeedID: fixture.DefaultSeedID, RunID: "doctor", Now: a.now(),
		})
	}
	if err != nil {
		d.OK, d.Detail, d.Mend = false, err.Error(), "allow this program to listen on 127.0.0.1"
	}
	return d
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return a.printJSON(map[string]string{"version": version()})
			}
			fmt.Fprintln(a.stdout, "bench "+version())
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// release is set by the linker where a build knows no module version and no
// commit, as in an image.
var release string

// version returns the module's version, or the commit that it was built from.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision := ""
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value
		}
	}
	switch {
	case info.Main.Version != "" && info.Main.Version != "(devel)":
		return info.Main.Version
	case revision != "":
		return revision
	default:
		return "devel"
	}
}
