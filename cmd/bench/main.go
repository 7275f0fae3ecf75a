// Command bench runs the benchmark on a laptop: see `bench help`.
package main

import (
	"os"

	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
)

func main() { os.Exit(benchcli.Main()) }
