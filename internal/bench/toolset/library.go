package toolset

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

//go:embed modes/*.yml
var shippedFiles embed.FS

// Library is the modes that there are: the shipped ones in the order in which
// reports show them, and those of the user's files. The zero value is of no use.
type Library struct{ modes []*ModeFile }

// Shipped returns the modes that are a part of this program.
var Shipped = sync.OnceValue(func() *Library {
	l := &Library{}
	for _, mode := range bench.Modes() {
		name := "modes/" + string(mode) + ".yml"
		data, err := shippedFiles.ReadFile(name)
		if err != nil {
			panic(fmt.Sprintf("toolset: %v", err))
		}
		m, err := parseMode(name, data, "")
		if err != nil {
			panic(fmt.Sprintf("toolset: %v", err))
		}
		l.modes = append(l.modes, m)
	}
	return l
})

// LoadLibrary returns the shipped modes and those of files. The error, of kind
// invalid, is all that is wrong with them.
func LoadLibrary(paths []string) (*Library, error) {
	l := &Library{modes: slices.Clone(Shipped().modes)}
	var problems []error
	for _, path := range paths {
		m, err := LoadMode(path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if known, err := l.Mode(m.Name); err == nil {
			where := "another file has it"
			if known.Shipped() {
				where = "it is shipped"
			}
			problems = append(problems, fault.Invalidf("mode file %s: there is a mode %s already (%s): choose another name", path, m.Name, where))
			continue
		}
		l.modes = append(l.modes, m)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fault.Wrap(fault.Invalid, err)
	}
	return l, nil
}

// Modes returns all modes, in order.
func (l *Library) Modes() []*ModeFile { return l.modes }

// Names returns the names of all modes, in order.
func (l *Library) Names() []bench.Mode {
	names := make([]bench.Mode, len(l.modes))
	for i, m := range l.modes {
		names[i] = m.Name
	}
	return names
}

// With returns the modes that have a capability, in order.
func (l *Library) With(capability string) (modes []bench.Mode) {
	for _, m := range l.modes {
		if m.Has(capability) {
			modes = append(modes, m.Name)
		}
	}
	return modes
}

// Mode returns the mode of a name. The error, of kind invalid, names all modes.
func (l *Library) Mode(name bench.Mode) (*ModeFile, error) {
	for _, m := range l.modes {
		if m.Name == name {
			return m, nil
		}
	}
	known := make([]string, len(l.modes))
	for i, m := range l.modes {
		known[i] = string(m.Name)
	}
	return nil, fault.Invalidf("unknown mode %q: use one of %s, or give its file with --mode-file%s",
		name, strings.Join(known, ", "), jsondoc.DidYouMean(string(name), known))
}

// Setups returns what agents start with, by mode, but for what a program brings:
// its skill. About the task they are told the same in every mode.
func (l *Library) Setups() map[bench.Mode]agent.Setup {
	all := map[bench.Mode]agent.Setup{}
	for _, m := range l.modes {
		all[m.Name] = m.setup()
	}
	return all
}

// task is what every agent is told.
const task = "You work on a task on GitHub, alone: nobody answers questions. You are logged in to GitHub already."

// elsewhere is what agents are told in its place where the task is not about
// GitHub.
const elsewhere = "You work on a task in your working folder, alone: nobody answers questions."

// Elsewhere returns the instructions of a setup for a task that is not about
// GitHub.
func Elsewhere(instructions string) string {
	return strings.TrimSpace(elsewhere + strings.TrimPrefix(instructions, task))
}

func (m *ModeFile) setup() agent.Setup {
	s := agent.Setup{Instructions: task, Shell: m.Shell}
	if m.Instructions != "" {
		s.Instructions += " " + m.Instructions
	}
	if m.guide != "" {
		s.Instructions += "\n\n" + m.guide
	}
	for _, c := range m.Commands {
		s.Commands = append(s.Commands, c.Name)
	}
	for name, server := range m.MCP {
		if s.MCP == nil {
			s.MCP = map[string]agent.MCPServer{}
		}
		s.MCP[name] = agent.MCPServer{Command: server.Command, Env: server.Env, URL: server.URL, Headers: server.Headers}
	}
	return s
}
