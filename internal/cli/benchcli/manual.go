package benchcli

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// ManualCommand is of a program itself, for its release: it writes the pages of the manual
// and the completions for shells that come with it. Users have them from there, so that it
// is not shown to them.
func ManualCommand(getenv func(string) string) *cobra.Command {
	return &cobra.Command{
		Use: "manual FOLDER", Hidden: true, Args: cobra.ExactArgs(1),
		Short: "Write the pages of the manual, and completions for shells, into a folder",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := writeManual(args[0], cmd.Root(), releaseDate(getenv)); err != nil {
				return fault.Infraf("write the manual: %w", err)
			}
			return nil
		},
	}
}

// releaseDate is when what is released was committed, as SOURCE_DATE_EPOCH has it: two builds
// of one commit are to be the same. Without it, pages have the beginning of time.
func releaseDate(getenv func(string) string) time.Time {
	seconds, err := strconv.ParseInt(getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		seconds = 0
	}
	return time.Unix(seconds, 0).UTC()
}

// writeManual writes man/*.1 and completions/* into a folder.
func writeManual(folder string, program *cobra.Command, date time.Time) error {
	pages, completions := filepath.Join(folder, "man"), filepath.Join(folder, "completions")
	if err := errors.Join(os.MkdirAll(pages, 0o755), os.MkdirAll(completions, 0o755)); err != nil {
		return err
	}
	name := program.Name()
	program.DisableAutoGenTag = true
	// Section 1 is that of user commands.
	header := &doc.GenManHeader{Section: "1", Date: &date, Source: name, Manual: name + " manual"}
	return errors.Join(
		doc.GenManTree(program, header, pages),
		program.GenBashCompletionFileV2(filepath.Join(completions, name+".bash"), true),
		program.GenZshCompletionFile(filepath.Join(completions, "_"+name)),
		program.GenFishCompletionFile(filepath.Join(completions, name+".fish"), true),
		program.GenPowerShellCompletionFileWithDesc(filepath.Join(completions, name+".ps1")),
	)
}
