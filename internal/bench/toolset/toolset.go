// Package toolset knows the programs that agents work with: which mode has
// which, how they are started, what has to be installed for that, and what an
// agent is told of them.
package toolset

import (
	"context"
	"os/exec"
	"runtime"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// The names under which agents call their programs.
const (
	GH        = "gh"
	GHX       = "ghx"
	Git       = "git"
	MCPServer = "github-mcp-server"
)

// Options say where programs are. A command is a program, a name or a path,
// and its first arguments, quoted as in a shell.
type Options struct {
	// GH, GHX and MCPServer are commands; empty means the program of that
	// name.
	GH, GHX, MCPServer string
	// GHXBase is the command of the ghx that [bench.GHXBase] has; there is
	// none if it is empty.
	GHXBase string
	// GHXSkill and GHXBaseSkill are files with the skill text of the two;
	// empty means the one that lies beside the program.
	GHXSkill, GHXBaseSkill string
}

// Set is the programs of every mode, as far as they are there.
type Set struct {
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
	s := &Set{programs: map[bench.Mode][]Program{}, skills: map[bench.Mode]string{}, problems: map[bench.Mode][]Problem{}}
	shell := []bench.Mode{bench.AgentDirect, bench.GHX, bench.GHXBase}
	s.add(GH, opts.GH, mendGH(), shell...)
	s.addIfThere(Git, shell...)
	s.add(MCPServer, opts.MCPServer, mendMCPServer(), bench.MCP)
	s.addGHX(bench.GHX, opts.GHX, opts.GHXSkill, "npm install -g @ghx-dev/core")
	if opts.GHXBase == "" {
		s.problem(bench.GHXBase, "the ghx of the base commit is not named", "name it with --base-ghx COMMAND")
	} else {
		s.addGHX(bench.GHXBase, opts.GHXBase, opts.GHXBaseSkill, "build the base commit's ghx and name it with --base-ghx COMMAND")
	}
	return s
}

func (s *Set) problem(mode bench.Mode, what, mend string) {
	s.problems[mode] = append(s.problems[mode], Problem{what, mend})
}

// add adds a program to modes.
func (s *Set) add(name, command, mend string, modes ...bench.Mode) {
	if command == "" {
		command = name
	}
	program, err := resolve(name, command)
	for _, mode := range modes {
		if err != nil {
			s.problem(mode, err.Error(), mend)
			continue
		}
		s.programs[mode] = append(s.programs[mode], program)
	}
}

// addIfThere is add for a program that modes can do without.
func (s *Set) addIfThere(name string, modes ...bench.Mode) {
	if _, err := exec.LookPath(name); err == nil {
		s.add(name, name, "", modes...)
	}
}

func (s *Set) addGHX(mode bench.Mode, command, skillFile, mend string) {
	s.add(GHX, command, mend, mode)
	i := slices.IndexFunc(s.programs[mode], func(p Program) bool { return p.Name == GHX })
	if i < 0 {
		return
	}
	text, err := readSkill(skillFile, s.programs[mode][i])
	if err != nil {
		s.problem(mode, err.Error(), "name the file with "+skillFlag(mode))
		return
	}
	s.skills[mode] = text
}

func skillFlag(mode bench.Mode) string {
	if mode == bench.GHXBase {
		return "--base-ghx-skill FILE"
	}
	return "--ghx-skill FILE"
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
