// Package bench is the vocabulary of the benchmark: modes, scenarios, cells,
// rows, summaries and verdicts.
//
// It holds plain types and the few functions that say what they mean. It knows
// no files, clocks or networks, and imports the standard library alone, so
// every other package can speak it.
package bench

import (
	"fmt"
	"slices"
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

// NoBaseline stands for the baseline of an agent that was run alone.
const NoBaseline Mode = "baseline"

// OfBase reports whether the mode's name says that its tool is that of the base commit,
// as [GHXBase] does.
func (m Mode) OfBase() bool { return strings.HasSuffix(string(m), "@base") }

// Modes lists the modes that are a part of this program, in the order in which
// reports show them. Others are files, see package toolset.
func Modes() []Mode { return []Mode{AgentDirect, MCP, GHX, GHXBase} }

// JoinModes writes the names of modes, with a separator between them.
func JoinModes(modes []Mode, separator string) string {
	names := make([]string, len(modes))
	for i, mode := range modes {
		names[i] = string(mode)
	}
	return strings.Join(names, separator)
}

// maxModeName is the length of the longest name of a mode.
const maxModeName = 40

// ParseMode returns the mode of a name, which a mode of this program or of
// somebody's file may have: letters, digits, "_", "-" and "@". Whether there is
// such a mode it does not say.
func ParseMode(name string) (Mode, error) {
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || c != '_' && c != '-' && c != '@') {
			return "", fmt.Errorf("%q is no name of a mode: it is of letters, digits, _, - and @, and begins with a letter or a digit", name)
		}
	}
	if name == "" || len(name) > maxModeName {
		return "", fmt.Errorf("%q is no name of a mode: it has 1 to %d characters", name, maxModeName)
	}
	return Mode(name), nil
}

// ParseShippedMode is ParseMode for the modes that are a part of this program.
// The error names all of them.
func ParseShippedMode(name string) (Mode, error) {
	if mode := Mode(name); mode.Shipped() {
		return mode, nil
	}
	return "", fmt.Errorf("unknown mode %q: use one of %s", name, JoinModes(Modes(), ", "))
}

// AgentOf returns the mode of the agent that a repository has at a commit, whose name is in
// full or empty where that is not known.
func AgentOf(commit string) Mode {
	const agent, shown = "agent", 7
	if commit == "" {
		return agent
	}
	return Mode(agent + "@" + commit[:min(shown, len(commit))])
}

// Shipped reports whether the mode is a part of this program.
func (m Mode) Shipped() bool { return slices.Contains(Modes(), m) }

// OwnCommit reports whether rows of the mode tell the commit of the mode's own
// tool. Those of agent_direct and mcp tell the suite's, which is that of ghx.
func (m Mode) OwnCommit() bool { return m != AgentDirect && m != MCP }

// ModeFact is what is known of a mode that is not a part of this program.
type ModeFact struct {
	// Hash is of the content of its file.
	Hash string `json:"hash"`
	// Git is what its tool is of, empty where that is not known.
	Git GitRef `json:"git"`
}

// VersionsOf returns the first two modes that are versions of one tool, whose names
// differ in what comes after an @ alone: the one to compare with, and the other,
// which is that without an @ if there is one. Nil if there are no two.
func VersionsOf(modes []Mode) []Mode {
	tool := func(m Mode) Mode {
		name, _, _ := strings.Cut(string(m), "@")
		return Mode(name)
	}
	for i, a := range modes {
		for _, b := range modes[i+1:] {
			switch {
			case tool(a) != tool(b):
			case tool(a) == a:
				return []Mode{b, a}
			default:
				return []Mode{a, b}
			}
		}
	}
	return nil
}
