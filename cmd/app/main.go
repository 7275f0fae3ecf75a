// Command app is the server of the GitHub App: see `bench-app --help`.
package main

import (
	"os"

	"github.com/ghx-dev/bench-action/internal/cli/appcli"
)

func main() { os.Exit(appcli.Main()) }
