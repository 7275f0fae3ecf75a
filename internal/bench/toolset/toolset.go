// Package toolset knows the programs that agents work with: which mode has
// which, how they are started, what has to be installed for that, and what an
// agent is told of them.
//
// It also compares what two of them show to agents before anything is asked of a
// model, see [Diff]: names, parameters and descriptions of tools, capabilities and
// commands, instructions and skill texts, what they cost in every prompt, and how
// large the answers to fixed calls are. What it is given for that comes from programs
// that nobody has judged: it is bounded and cleaned by whoever collects it, see [Clean].
package toolset

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"runtime"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// The names under which agents call their programs.
const (
	GH        = "gh"
	GHX       = "ghx"
	MCPServer = "github-mcp-server"
)

// Options say where programs are. A command is a program, a name or a path,
// and its first arguments, quoted as in a shell.
type Options struct {
	// Library has the modes; nil means the shipped ones.
	Library *Library
	// GH, GHX and MCPServer are the commands of gh, ghx and github-mcp-server
	// in modes whose files name none; empty means the program of that name.
	GH, GHX, MCPServer string
	// GHXBase is the command of the ghx that modes of the base commit have;
	// there is none if it is empty.
	GHXBase string
	// GHXSkill and GHXBaseSkill are files with the skill text of the two;
	// empty means the one that lies beside the program.
	GHXSkill, GHXBaseSkill string
	// AllowHosts are the hosts that agents may reach beside GitHub and their
	// model; "*.name" is all below it.
	AllowHosts []string
}

// Set is the programs of every mode, as far as they are there.
type Set struct {
	library  *Library
	programs map[bench.Mode][]Program
	skills   map[bench.Mode]string
	problems map[bench.Mode][]Problem
}

// Problem is something that a mode lacks.
type Problem struct {
	// What is a sentence without a period, Mend one command that helps.
	What, Mend string
}

// Find looks for all programs. What is not there is a problem of the modes
// that need it, see [Set.Problems].
func Find(opts Options) *Set {
	s := &Set{library: opts.Library, programs: map[bench.Mode][]Program{}, skills: map[bench.Mode]string{}, problems: map[bench.Mode][]Problem{}}
	if s.library == nil {
		s.library = Shipped()
	}
	for _, m := range s.library.modes {
		for i := range m.Commands {
			s.add(m, i, opts)
		}
		for _, name := range slices.Sorted(maps.Keys(m.MCP)) {
			if host := m.MCP[name].host(); host != "" && !opts.allows(host) {
				s.problem(m.Name, fmt.Sprintf("its MCP server %s is at %s, which agents may not reach", name, host), "allow it with --allow-host "+host)
			}
		}
	}
	return s
}

func (s *Set) problem(mode bench.Mode, what, mend string) {
	s.problems[mode] = append(s.problems[mode], Problem{what, mend})
}

// allows reports whether agents may reach a host.
func (o Options) allows(host string) bool {
	return slices.ContainsFunc(o.AllowHosts, func(allowed string) bool {
		below, any := strings.CutPrefix(allowed, "*.")
		return strings.EqualFold(host, allowed) || any && strings.HasSuffix(strings.ToLower(host), "."+strings.ToLower(below))
	})
}

// host returns the host of a server that is spoken to by HTTP, empty for others.
func (s Server) host() string {
	address, err := url.Parse(s.URL)
	if err != nil {
		return s.URL
	}
	return address.Hostname()
}

// known is what flags say of a command.
type known struct{ command, skill, skillFlag, mend string }

// knownOf returns what flags say of a mode's command, where its file does not.
func (o Options) knownOf(m *ModeFile, name string) known {
	switch {
	case name == GH:
		return known{command: o.GH, mend: mendGH()}
	case name == MCPServer:
		return known{command: o.MCPServer, mend: mendMCPServer()}
	case name == GHX && m.Of == OfBase:
		return known{command: o.GHXBase, skill: o.GHXBaseSkill, skillFlag: "--base-ghx-skill FILE"}
	case name == GHX:
		return known{command: o.GHX, skill: o.GHXSkill, skillFlag: "--ghx-skill FILE"}
	default:
		return known{}
	}
}

// at says an error with the place in the mode's file that it is about; shipped ones
// are nobody's to mend.
func (m *ModeFile) at(err error, path ...string) string {
	if m.Shipped() {
		return err.Error()
	}
	return m.document.Problem(path, "%v", err).String()
}

// add adds the command at a place of the file to its mode.
func (s *Set) add(m *ModeFile, place int, opts Options) {
	c := m.Commands[place]
	told := opts.knownOf(m, c.Name)
	mend := cmp.Or(c.Mend, told.mend, "install "+c.Name+", or name it with command in the mode's file")
	if m.Of == OfBase && c.Name == GHX && c.Command == "" && told.command == "" {
		s.problem(m.Name, "the ghx of the base commit is not named", "name it with --base-ghx COMMAND")
		return
	}
	program, err := m.program(c, cmp.Or(told.command, c.Name))
	switch {
	case err != nil && c.Optional:
		return
	case err != nil:
		s.problem(m.Name, m.at(err, "commands", fmt.Sprint(place)), cmp.Or(strings.TrimPrefix(mendOf(err), ": "), mend))
		return
	}
	s.programs[m.Name] = append(s.programs[m.Name], program)
	if c.Skill == "" {
		return
	}
	text, err := m.skill(c, told.skill, program)
	if err != nil {
		s.problem(m.Name, m.at(err, "commands", fmt.Sprint(place), "skill"), cmp.Or(strings.TrimPrefix(mendOf(err), ": "), "name the file with "+cmp.Or(told.skillFlag, "skill in the mode's file")))
		return
	}
	s.skills[m.Name] += fmt.Sprintf("\n\nThe skill of %s:\n\n%s", c.Name, text)
}

// beside says that a skill lies in its program's package.
const beside = "beside"

// skill returns what agents are told of a command. A file that a flag names goes
// before all.
func (m *ModeFile) skill(c Command, flagged string, program Program) (string, error) {
	if flagged != "" || c.Skill == beside {
		return readSkill(flagged, program)
	}
	text, err := m.read(c.Skill)
	if err != nil {
		return "", fmt.Errorf("the skill text of %s: %w", c.Name, err)
	}
	return text, nil
}

// Setups returns what agents start with, by mode.
func (s *Set) Setups(as Agent) map[bench.Mode]agent.Setup {
	all := s.library.Setups()
	for mode, setup := range all {
		setup.Instructions += s.skills[mode]
		setup.Commands = nil
		for _, p := range s.programs[mode] {
			setup.Commands = append(setup.Commands, p.Name)
		}
		for name, server := range setup.MCP {
			server.Env, server.Headers = as.fillAll(server.Env), as.fillAll(server.Headers)
			setup.MCP[name] = server
		}
		all[mode] = setup
	}
	return all
}

// Skill returns the end of a mode's instructions that is the skills of its programs,
// empty without any.
func (s *Set) Skill(mode bench.Mode) string { return s.skills[mode] }

// Hidden returns the names of the programs that a mode must not have, sorted:
// those that its file names, and those that only other modes have.
func (s *Set) Hidden(mode bench.Mode) []string {
	own, hidden := map[string]bool{}, map[string]bool{}
	for _, m := range s.library.modes {
		for _, c := range m.Commands {
			switch {
			case m.Name == mode:
				own[c.Name] = true
			case !c.Optional:
				hidden[c.Name] = true
			}
		}
		if m.Name == mode {
			for _, name := range m.Absent {
				hidden[name] = true
			}
		}
	}
	maps.DeleteFunc(hidden, func(name string, _ bool) bool { return own[name] })
	return slices.Sorted(maps.Keys(hidden))
}

// Starts returns the words that start the program which a command line begins
// with, nil if that is none of the mode's.
func (s *Set) Starts(mode bench.Mode, line string) []string {
	name, _, _ := strings.Cut(line, " ")
	for _, p := range s.programs[mode] {
		if p.Name == name {
			return p.Words
		}
	}
	return nil
}

// Made returns the file of the program that a mode is about, its last command's;
// empty where that is none, or was installed as a package.
func (s *Set) Made(mode bench.Mode) string {
	programs := s.programs[mode]
	if len(programs) == 0 {
		return ""
	}
	files := programs[len(programs)-1].files
	if len(files) == 0 || strings.Contains(files[len(files)-1], "/"+modules+"/") {
		return ""
	}
	return files[len(files)-1]
}

// VersionName returns under which name a program's version is told in a run of
// modes.
func (s *Set) VersionName(mode bench.Mode, p Program, modes []bench.Mode) string {
	if mode.Shipped() && p.Name == GHX {
		return string(mode)
	}
	for _, other := range modes {
		for _, q := range s.programs[other] {
			if q.Name == p.Name && !slices.Equal(q.Words, p.Words) {
				return string(mode) + "/" + p.Name
			}
		}
	}
	return p.Name
}

// File returns the file of a mode; nil if there is none.
func (s *Set) File(mode bench.Mode) *ModeFile {
	m, err := s.library.Mode(mode)
	if err != nil {
		return nil
	}
	return m
}

// Environment returns what a mode adds to its agents' environment, as NAME=value.
func (m *ModeFile) Environment(a Agent) []string {
	var env []string
	for _, name := range slices.Sorted(maps.Keys(m.Env)) {
		env = append(env, name+"="+a.fill(m.Env[name]))
	}
	return env
}

// Programs returns the programs of a mode.
func (s *Set) Programs(mode bench.Mode) []Program { return s.programs[mode] }

// Problems returns what a mode lacks, nil if it can run.
func (s *Set) Problems(mode bench.Mode) []Problem { return s.problems[mode] }

// Check returns an error of kind invalid that says what modes lack, and how to
// mend it.
func (s *Set) Check(modes []bench.Mode) error {
	for _, mode := range modes {
		for _, p := range s.problems[mode] {
			return fault.Invalidf("mode %s cannot run: %s; mend: %s", mode, p.What, p.Mend)
		}
	}
	return nil
}

// mendGH installs GitHub's command line tool.
func mendGH() string {
	if runtime.GOOS == "linux" {
		return "sudo apt-get install -y gh"
	}
	return "brew install gh"
}

// mendMCPServer installs GitHub's MCP server.
func mendMCPServer() string {
	if runtime.GOOS != "linux" {
		return "brew install github-mcp-server"
	}
	arch := map[string]string{"amd64": "x86_64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	const release = "https://github.com/github/github-mcp-server/releases/download/v0.20.0/github-mcp-server_Linux_"
	return "curl -fsSL " + release + arch + ".tar.gz | sudo tar -xz -C /usr/local/bin github-mcp-server"
}

// Run runs a command where an agent would, and returns what it printed on
// standard output. Its error has what the command printed on standard error.
type Run func(ctx context.Context, words ...string) (string, error)
