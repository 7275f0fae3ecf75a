package benchcli

import (
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/redact"
)

// Commands returns bench with all its commands, to be read and not run: for pages of the
// manual, and to tell whether documents name commands and flags that there are.
func Commands() *cobra.Command {
	a := &app{
		stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" },
		now: func() time.Time { return time.Time{} }, random: func() string { return "" }, secrets: redact.New(),
	}
	root := a.rootCommand()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}
