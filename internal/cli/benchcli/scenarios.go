package benchcli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

func (a *app) scenariosCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scenarios",
		Short: "Start, check, list, show, try and audit scenarios",
	}
	cmd.AddCommand(
		a.scenariosCheckCommand(), a.scenariosListCommand(), a.scenariosShowCommand(),
		a.scenariosNewCommand(), a.scenariosTryCommand(), a.scenariosFootprintCommand(), a.scenariosAuditCommand(),
	)
	return cmd
}

func (a *app) scenariosCheckCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [DIR]",
		Short: "Report everything that is wrong with a folder of scenarios",
		Long: `check reads every scenario, the sets and the worlds of a folder (the built-in
ones without DIR), makes each world once, and reports all problems at once, each
with file, line, column, place and what would be right. Warnings alone do not fail
it.`,
		Example: "  bench scenarios check\n  bench scenarios check my-scenarios",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := scenarioFiles(strings.Join(args, ""))
			if err != nil {
				return err
			}
			found, err := checkFolder(cmd.Context(), files)
			if err != nil {
				return err
			}
			if asJSON {
				if len(found.Problems) > 0 {
					a.verdict = exitInvalid
				}
				return a.printJSON(map[string]any{"problems": found.Problems, "warnings": found.Warnings})
			}
			for _, w := range found.Warnings {
				fmt.Fprintf(a.stdout, "warning: %s\n", w)
			}
			for _, p := range found.Problems {
				fmt.Fprintln(a.stdout, p)
			}
			if len(found.Problems) > 0 {
				return fault.Invalidf("%d problems in the scenarios, %d warnings", len(found.Problems), len(found.Warnings))
			}
			fmt.Fprintf(a.stdout, "No problems, %d warnings\n", len(found.Warnings))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// checkFolder returns what is wrong with a folder of scenarios and its worlds.
func checkFolder(ctx context.Context, files fs.FS) (scenario.Report, error) {
	found := scenario.Check(files, fixture.Made())
	for _, name := range world.Names(files) {
		file, err := world.Load(files, name)
		if err == nil {
			var problems jsondoc.Problems
			problems, err = target.CheckWorld(ctx, file)
			found.Problems = append(found.Problems, problems...)
		}
		if problems, told := errors.AsType[jsondoc.Problems](err); told {
			found.Problems, err = append(found.Problems, problems...), nil
		}
		if err != nil {
			return scenario.Report{}, err
		}
	}
	found.Problems = found.Problems.Sorted()
	return found, nil
}

func (a *app) scenariosListCommand() *cobra.Command {
	var dir, set string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List scenarios and the sets that they are in",
		Example: "  bench scenarios list\n  bench scenarios list --scenario-set ci-verify-pr",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			library, err := loadLibrary(dir)
			if err != nil {
				return err
			}
			all := library.All()
			if set != "" {
				if all, err = library.Set(set); err != nil {
					return err
				}
			}
			sets, err := setsOf(library)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printScenarioList(all, sets)
			}
			table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "SCENARIO\tCAPABILITIES\tWRITES\tSETS")
			for _, s := range all {
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", s.ID, strings.Join(s.Capabilities(), ", "), yesNo(scenario.Mutates(s)), strings.Join(sets[s.ID], ", "))
			}
			return table.Flush()
		},
	}
	cmd.Flags().StringVar(&dir, "scenarios", "", "read scenarios from this `DIR` instead of the built-in ones")
	cmd.Flags().StringVar(&set, "scenario-set", "", "list this `SET` only")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func loadLibrary(dir string) (*scenario.Library, error) {
	files, err := scenarioFiles(dir)
	if err != nil {
		return nil, err
	}
	return scenario.Load(files)
}

// setsOf returns the names of the sets that each scenario is in.
func setsOf(library *scenario.Library) (map[string][]string, error) {
	in := map[string][]string{}
	for _, name := range library.Sets() {
		members, err := library.Set(name)
		if err != nil {
			return nil, err
		}
		for _, s := range members {
			in[s.ID] = append(in[s.ID], name)
		}
	}
	return in, nil
}

func (a *app) printScenarioList(all []bench.Scenario, sets map[string][]string) error {
	type entry struct {
		ID           string   `json:"id"`
		Name         string   `json:"name"`
		Capabilities []string `json:"capabilities"`
		Mutates      bool     `json:"mutates"`
		Sets         []string `json:"sets"`
		Hash         string   `json:"hash"`
	}
	list := make([]entry, 0, len(all))
	for _, s := range all {
		list = append(list, entry{s.ID, s.Name, s.Capabilities(), scenario.Mutates(s), sets[s.ID], s.Hash})
	}
	return a.printJSON(list)
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func (a *app) scenariosShowCommand() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show one scenario: what the agent is told and what must hold",
		Example: "  bench scenarios show pr-merge-001",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			library, err := loadLibrary(dir)
			if err != nil {
				return err
			}
			s, err := library.Scenario(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(s)
			}
			return a.showScenario(s)
		},
	}
	cmd.Flags().StringVar(&dir, "scenarios", "", "read scenarios from this `DIR` instead of the built-in ones")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) showScenario(s bench.Scenario) error {
	fmt.Fprintf(a.stdout, "%s: %s\n\ncapabilities  %s\nwrites        %s\ntimeout       %s, %d retries\nfixtures      %s\nhash          %s\n",
		s.ID, s.Name, strings.Join(s.Capabilities(), ", "), yesNo(scenario.Mutates(s)), s.Timeout(), s.AllowedRetries,
		orNone(strings.Join(s.Requires(), ", ")), s.Hash)
	if s.Purpose != "" {
		fmt.Fprintf(a.stdout, "\nPurpose\n%s\n", indent(s.Purpose))
	}
	text := s.PromptTemplate + "\n\n" + scenario.AnswerContract(s.Assertions)
	if s.Type == bench.Workflow {
		text = s.Prompt
	}
	fmt.Fprintf(a.stdout, "\nPrompt\n%s\n", indent(text))
	assertions, err := json.MarshalIndent(s.Assertions, "  ", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\nAssertions\n  %s\n", assertions)
	return nil
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}
