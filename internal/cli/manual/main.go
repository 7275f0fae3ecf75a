// Command manual writes what comes with the programs of a release: pages of the manual,
// and completions for shells.
//
//	go run ./internal/cli/manual FOLDER
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/ghx-dev/bench-action/internal/cli/appcli"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
)

// section is that of user commands.
const section = "1"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manual FOLDER")
		os.Exit(2)
	}
	for _, program := range []*cobra.Command{benchcli.Commands(), appcli.Commands()} {
		if err := write(filepath.Join(os.Args[1], program.Name()), program, date(os.Getenv)); err != nil {
			fmt.Fprintln(os.Stderr, "manual:", err)
			os.Exit(1)
		}
	}
}

// date is when what is released was committed, as SOURCE_DATE_EPOCH has it: two builds
// of one commit are to be the same. Without it, pages have the beginning of time.
func date(getenv func(string) string) time.Time {
	seconds, err := strconv.ParseInt(getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		seconds = 0
	}
	return time.Unix(seconds, 0).UTC()
}

// write writes man/*.1 and completions/*, made anew, into a folder.
func write(folder string, program *cobra.Command, date time.Time) error {
	pages, completions := filepath.Join(folder, "man"), filepath.Join(folder, "completions")
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := errors.Join(os.MkdirAll(pages, 0o755), os.MkdirAll(completions, 0o755)); err != nil {
		return err
	}
	name := program.Name()
	program.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: section, Date: &date, Source: name, Manual: name + " manual"}
	return errors.Join(
		doc.GenManTree(program, header, pages),
		program.GenBashCompletionFileV2(filepath.Join(completions, name+".bash"), true),
		program.GenZshCompletionFile(filepath.Join(completions, "_"+name)),
		program.GenFishCompletionFile(filepath.Join(completions, name+".fish"), true),
		program.GenPowerShellCompletionFileWithDesc(filepath.Join(completions, name+".ps1")),
	)
}
