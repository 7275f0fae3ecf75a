package stubmodel

import (
	"slices"
	"strings"
)

// Call is the call of a tool.
type Call struct {
	// Name is the tool's, as the agent calls it; see [Shell] and [Tool] for what
	// every agent has.
	Name string
	// Arguments become JSON; a [json.RawMessage] is sent as it is.
	Arguments any
	// server is that of an MCP server's tool.
	server string
	// command is a shell's.
	command string
}

// Shell returns a call of a command in the agent's shell, whatever that is
// called.
func Shell(command string) Call { return Call{Name: "bash", command: command} }

// Tool returns a call of a tool of an MCP server, whatever the agent calls it.
func Tool(server, tool string, arguments any) Call {
	return Call{Name: tool, Arguments: arguments, server: server}
}

// shells are the names that agents have for a shell, and what they call its
// command.
var shells = []struct{ tool, command string }{{"bash", "command"}, {"Bash", "command"}, {"exec_command", "cmd"}}

// resolve returns a call as the request's agent has it, and the namespace that
// the tool is in, empty for none. What the agent has not is called by its first
// name.
func (r Request) resolve(c Call) (call Call, namespace string) {
	switch {
	case c.command != "":
		shell := shells[0]
		for _, s := range shells {
			if slices.Contains(r.Tools, s.tool) {
				shell = s
			}
		}
		c.Name, c.Arguments = shell.tool, map[string]string{shell.command: c.command}
		if shell.command == "command" {
			c.Arguments = map[string]string{"command": c.command, "description": "work"}
		}
	case c.server != "":
		names := []string{c.server + "_" + c.Name, "mcp__" + c.server + "__" + c.Name}
		name := names[0]
		for _, n := range names {
			if slices.Contains(r.Tools, n) {
				name = n
			}
		}
		c.Name = name
	}
	for _, space := range r.namespaces {
		if name, found := strings.CutPrefix(c.Name, space+namespaceMark); found {
			return Call{Name: name, Arguments: c.Arguments}, space
		}
	}
	return c, ""
}
