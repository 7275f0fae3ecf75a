package runner

import "github.com/ghx-dev/bench-action/internal/bench"

// Instructions returns what an agent is told about its tools, by mode. The
// words about the task are the same in every mode.
func Instructions() map[bench.Mode]string {
	const ghx = "Work on GitHub with the `ghx` command in your shell: `ghx run <capability>` with the input as JSON. " +
		"Use `gh` only where ghx has no capability for the task."
	return map[bench.Mode]string{
		bench.AgentDirect: "Work on GitHub with the `gh` command in your shell.",
		bench.MCP:         "Work on GitHub with the tools of the GitHub MCP server.",
		bench.GHX:         ghx,
		bench.GHXBase:     ghx,
	}
}
