package benchcli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/suite"
	"github.com/ghx-dev/bench-action/internal/cli/taskrun"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func (a *app) harnessPrepareCommand() *cobra.Command {
	var f harnessFlags
	cmd := &cobra.Command{
		Use:   "prepare",
		Short: "Check and fetch what the benchmark needs, and run the baseline",
		Long: `prepare is run once, before an experiment. It checks keys and programs, fetches
the benchmark's data, makes the files of the folder ` + suite.Dir + `, and runs the agent as
it is. Terminal-Bench and BIRD-Interact are run as a whole and split into 70 %
for training and 30 % for the gate, alike in tasks that pass and that fail. What
is there already is left alone.`,
		Example: "  bench harness prepare",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := harness.ReadConfig(f.config)
			if err != nil {
				return err
			}
			out := a.steps(f.json)
			return a.locked("prepare", func(w suite.Workspace) error {
				if err := a.prepareHarness(cmd.Context(), config, w, out); err != nil {
					return err
				}
				if !f.json {
					fmt.Fprintf(out, "\n[prepare] done. Next: bench harness run\n")
					return nil
				}
				records, err := w.Records()
				if err != nil {
					return err
				}
				return a.printJSON(map[string]any{"benchmark": config.Benchmark, "records": records})
			})
		},
	}
	f.add(cmd.Flags())
	return cmd
}

func (a *app) prepareHarness(ctx context.Context, c harness.Config, w suite.Workspace, out io.Writer) error {
	host := a.harnessHost()
	p := harness.Provisioner{Host: host, Sayf: func(format string, args ...any) {
		fmt.Fprintf(out, "[prepare] "+format+"\n", args...)
	}}
	p.Sayf("benchmark: %s", c.Benchmark)
	if err := provide(ctx, p, c); err != nil {
		return err
	}
	err := w.Init(c.Threshold, func(file string, made bool) {
		if made {
			p.Sayf("created %s", file)
		} else {
			p.Sayf("%s already exists — skipping", file)
		}
	})
	if err != nil {
		return err
	}
	p.Sayf("workspace ready.")
	return suite.Baseline{
		Workspace: w, SplitFile: splitFiles()[c.Benchmark], FullSplit: c.GateSplit, Policy: c.TimeoutPolicy, Out: out,
		All:  baselineRunner(c, host, harness.WholeDataset),
		Full: baselineRunner(c, host, c.GateSplit),
	}.Run(ctx)
}

// baselineRunner returns a way to make the runner of a split's baseline.
func baselineRunner(c harness.Config, host harness.Host, split string) func() (harness.Runner, error) {
	return func() (harness.Runner, error) {
		return taskrun.Wary(host, c.TimeoutPolicy, func(h harness.Host) (harness.Runner, error) { return harnessRun{c, h, split, false}.runner() })
	}
}

// splitFiles are those of benchmarks without splits of their own.
func splitFiles() map[string]string {
	return map[string]string{
		harness.TerminalBench: harness.TerminalBenchSplitFile,
		harness.BirdInteract:  harness.BirdSplitFile,
	}
}

// provide checks and fetches what a benchmark needs.
func provide(ctx context.Context, p harness.Provisioner, c harness.Config) error {
	keys := harnessRun{config: c, host: p.Host}.agent().KeyVariables
	if c.UserModel != "" {
		keys = append(keys, harness.KeyVariable(c.UserModel))
	}
	switch c.Benchmark {
	case harness.TauBench:
		if c.Domain == "" {
			return fault.Invalidf("%s: domain is not set: name one, for example `domain: retail`", c.File)
		}
		if err := p.Keys(keys...); err != nil {
			return err
		}
		return p.Tau2Data(ctx, harness.Tau2(), c.Domain)
	case harness.TerminalBench:
		return provideTerminalBench(p, c, keys)
	case harness.BirdInteract:
		if err := p.Keys(keys...); err != nil {
			return err
		}
		return p.Bird(ctx, c, harness.BirdSources{ADK: harness.BirdADK(), Dataset: harness.BirdDataset(c.Dataset)})
	default:
		return p.Program(c.Command[0], "the benchmark's command must be a program that can be run")
	}
}

func provideTerminalBench(p harness.Provisioner, c harness.Config, keys []string) error {
	sandboxes := map[string]string{"e2b": "E2B_API_KEY", "daytona": "DAYTONA_API_KEY"}
	if key := sandboxes[c.EnvProvider]; key != "" {
		keys = append(keys, key)
	}
	if err := p.Keys(keys...); err != nil {
		return err
	}
	name := c.Harbor
	if name == "" {
		name = "harbor"
	}
	return p.Program(name, "install it with `uv tool install 'harbor[e2b]'`")
}
