package benchcli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// usage has a command, and those below it, complain about how they are called
// with errors of kind invalid that say what is meant and what is missing.
func usage(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		usage(sub)
	}
	switch check := cmd.Args; {
	case cmd.HasSubCommands():
		// It only holds others: alone it shows its help.
		cmd.Args = unknownCommand
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	case check != nil:
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return fault.Invalidf("%w; see `%s --help`", argumentsError(cmd, args, err), cmd.CommandPath())
			}
			return nil
		}
	}
}

func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return fault.Invalidf("unknown command %q%s; see `%s --help`", cmd.CommandPath()+" "+args[0], jsondoc.DidYouMean(args[0], names), cmd.CommandPath())
}

// countErrors begin what cobra says of how many arguments there are.
var countErrors = []string{"accepts ", "requires at least ", "unknown command "}

// argumentsError says which arguments of a command's usage line are missing, or
// are too many; it is the given error where that says something else.
func argumentsError(cmd *cobra.Command, args []string, err error) error {
	if !slices.ContainsFunc(countErrors, func(words string) bool { return strings.HasPrefix(err.Error(), words) }) {
		return err
	}
	var wanted []string
	optional := false
	for _, word := range strings.Fields(cmd.Use)[1:] {
		optional = optional || strings.HasPrefix(word, "[") || strings.HasSuffix(word, "...")
		if !strings.HasPrefix(word, "[") && !strings.HasPrefix(word, "-") {
			wanted = append(wanted, word)
		}
	}
	switch {
	case len(args) < len(wanted):
		said := strings.Join(wanted[len(args):], " and ")
		if example := firstExample(cmd); example != "" {
			said += ", as in `" + example + "`"
		}
		return fmt.Errorf("%s needs %s", cmd.CommandPath(), said)
	case len(args) > len(wanted) && !optional:
		return fmt.Errorf("%s takes no argument %q", cmd.CommandPath(), args[len(wanted)])
	default:
		return err
	}
}

// firstExample returns the first line of a command's examples that calls it.
func firstExample(cmd *cobra.Command) string {
	for line := range strings.Lines(cmd.Example) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, cmd.CommandPath()) {
			return line
		}
	}
	return ""
}

// flagError says which flag was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	meant := ""
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		meant = jsondoc.DidYouMean("--"+unknown.GetSpecifiedName(), names)
	}
	return fault.Invalidf("%w%s; see `%s --help`", err, meant, cmd.CommandPath())
}

// wrapUsage has help texts be no wider than a terminal.
func wrapUsage(root *cobra.Command, columns int) {
	if columns == 0 {
		return
	}
	cobra.AddTemplateFunc("wrapped", func(flags *pflag.FlagSet) string { return flags.FlagUsagesWrapped(columns) })
	template := strings.NewReplacer(
		".LocalFlags.FlagUsages", "wrapped .LocalFlags", ".InheritedFlags.FlagUsages", "wrapped .InheritedFlags",
	).Replace(root.UsageTemplate())
	root.SetUsageTemplate(template)
}
