// Command action is the main of the action's image: see action.yml.
package main

import (
	"os"

	"github.com/ghx-dev/bench-action/internal/cli/actioncli"
)

func main() { os.Exit(actioncli.Main()) }
