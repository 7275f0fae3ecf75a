package appcli

import (
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/redact"
)

// Commands returns bench-app with all its commands, to be read and not run, as
// benchcli.Commands does.
func Commands() *cobra.Command {
	p := &program{
		stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }, environ: func() []string { return nil },
		now: func() time.Time { return time.Time{} }, random: func() string { return "" },
		hostname: func() (string, error) { return "", nil }, secrets: redact.New(),
	}
	root := p.rootCommand()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}
