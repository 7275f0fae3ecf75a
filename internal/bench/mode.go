// Package bench is the vocabulary of the benchmark: modes, scenarios, cells,
// rows, summaries and verdicts.
//
// It holds plain types and the few functions that say what they mean. It knows
// no files, clocks or networks, and imports the standard library alone, so
// every other package can speak it.
package bench

import (
	"fmt"
	"strings"
)

// Mode is how the agent may reach GitHub.
type Mode string

// The modes that are compared.
const (
	// AgentDirect gives the agent the gh command in a shell.
	AgentDirect Mode = "agent_direct"
	// MCP gives the agent the tools of GitHub's MCP server.
	MCP Mode = "mcp"
	// GHX gives the agent the ghx command and its skill text.
	GHX Mode = "ghx"
	// GHXBase is GHX with the ghx of the base commit, so that a change can be
	// judged against what it changes.
	GHXBase Mode = "ghx@base"
)

// Modes lists every mode in the order in which reports show them.
func Modes() []Mode { return []Mode{AgentDirect, MCP, GHX, GHXBase} }

// JoinModes writes the names of modes, with a separator between them.
func JoinModes(modes []Mode, separator string) string {
	names := make([]string, len(modes))
	for i, mode := range modes {
		names[i] = string(mode)
	}
	return strings.Join(names, separator)
}

// ParseMode returns the mode of that name. The error names all modes.
func ParseMode(name string) (Mode, error) {
	for _, m := range Modes() {
		if string(m) == name {
			return m, nil
		}
	}
	return "", fmt.Errorf("unknown mode %q: use one of %s", name, JoinModes(Modes(), ", "))
}

// UsesGHX reports whether the agent works through ghx in this mode, so that
// assertions on ghx's routing apply (rule S4).
func (m Mode) UsesGHX() bool { return m == GHX || m == GHXBase }
