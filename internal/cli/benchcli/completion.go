package benchcli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
)

// words are what a shell may complete an argument with. Errors are no words:
// a shell has no place to tell them.
type words func(cmd *cobra.Command) []string

// completedFlags are the flags that a shell completes, by name, in every command
// that has them.
var completedFlags = map[string]words{
	"scenario": scenarioWords, "scenario-set": setWords,
	"mode": modeWords, "modes": modeWords, "baseline-mode": modeWords, "candidate-mode": modeWords, "mode-a": modeWords, "mode-b": modeWords,
	"gate-profile": profileWords, "run": runWords,
}

// completedArguments are the first arguments that a shell completes, by command.
var completedArguments = map[string]words{
	"bench run": modeWords, "bench surface": modeWords, "bench modes show": modeWords, "bench explain": cellWords, "bench compare": runWords, "bench measure": runFolderWords,
	"bench scenarios show": scenarioWords, "bench scenarios try": scenarioWords,
}

// complete has shells complete what commands are called with.
func complete(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		complete(sub)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if of := completedFlags[f.Name]; of != nil {
			// It fails for a flag that is there twice, and none is.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
				return listed(of(cmd), begun), cobra.ShellCompDirectiveNoFileComp
			})
		}
	})
	of := completedArguments[cmd.CommandPath()]
	if of == nil {
		return
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 && cmd.Name() != "compare" && cmd.Name() != "surface" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return listed(of(cmd), begun), cobra.ShellCompDirectiveNoFileComp
	}
}

// listed returns the words that go on with what is begun, which may be the last
// of a list with commas.
func listed(words []string, begun string) []string {
	before := begun[:strings.LastIndex(begun, ",")+1]
	var fitting []string
	for _, word := range words {
		if strings.HasPrefix(before+word, begun) {
			fitting = append(fitting, before+word)
		}
	}
	return fitting
}

// modeWords are the shipped modes and those of the mode files that are given.
func modeWords(cmd *cobra.Command) []string {
	modes := bench.Modes()
	// A command without the flag has no files, and files with mistakes no names. Cobra
	// parses flags twice here.
	files, _ := cmd.Flags().GetStringArray("mode-file")
	slices.Sort(files)
	files = slices.Compact(files)
	if library, err := toolset.LoadLibrary(files); err == nil {
		modes = library.Names()
	}
	return strings.Split(bench.JoinModes(modes, ","), ",")
}

func profileWords(*cobra.Command) []string {
	var names []string
	for _, profile := range bench.GateProfiles() {
		names = append(names, string(profile))
	}
	return names
}

// flagOf returns a flag's value, empty in a command that does not have it.
func flagOf(cmd *cobra.Command, name string) string {
	if flag := cmd.Flags().Lookup(name); flag != nil {
		return flag.Value.String()
	}
	return ""
}

func scenarioWords(cmd *cobra.Command) []string {
	library, err := loadLibrary(flagOf(cmd, "scenarios"))
	if err != nil {
		return nil
	}
	var ids []string
	for _, s := range library.All() {
		ids = append(ids, s.ID)
	}
	return ids
}

func setWords(cmd *cobra.Command) []string {
	library, err := loadLibrary(flagOf(cmd, "scenarios"))
	if err != nil {
		return nil
	}
	return library.Sets()
}

// runFolderWords are the folders of runs, the newest first.
func runFolderWords(cmd *cobra.Command) []string {
	base := flagOf(cmd, "output-dir")
	if base == "" {
		base = verify.DefaultDir
	}
	entries, _ := os.ReadDir(base) // without a folder there are none
	var folders []string
	for _, entry := range slices.Backward(entries) {
		folder := filepath.Join(base, entry.Name())
		if _, err := os.Stat(filepath.Join(folder, ledger.RunFile)); err == nil {
			folders = append(folders, folder)
		}
	}
	return folders
}

// runWords are the ids of runs, the newest first.
func runWords(cmd *cobra.Command) []string {
	folders := runFolderWords(cmd)
	for i := range folders {
		folders[i] = filepath.Base(folders[i])
	}
	return folders
}

// cellWords are the cells of the newest run.
func cellWords(cmd *cobra.Command) []string {
	folders := runFolderWords(cmd)
	if len(folders) == 0 {
		return nil
	}
	info, err := ledger.LoadRun(folders[0])
	if err != nil {
		return nil
	}
	var cells []string
	for _, cell := range info.Cells {
		cells = append(cells, cell.String())
	}
	return cells
}
