package toolset_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// machine is a folder with programs, which alone are on PATH.
type machine struct {
	t    *testing.T
	root string
}

func newMachine(t *testing.T) machine {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Setenv("PATH", filepath.Join(root, "bin"))
	return machine{t, root}
}

// write makes a file, executable if it is a script, and returns its path.
func (m machine) write(path, content string) string {
	m.t.Helper()
	path = filepath.Join(m.root, path)
	require.NoError(m.t, os.MkdirAll(filepath.Dir(path), 0o755))
	perm := os.FileMode(0o644)
	if strings.HasPrefix(content, "#!") || strings.HasPrefix(content, "\x7fELF") {
		perm = 0o755
	}
	require.NoError(m.t, os.WriteFile(path, []byte(content), perm))
	return path
}

// link makes bin/name a link to a path.
func (m machine) link(name, to string) {
	m.t.Helper()
	require.NoError(m.t, os.MkdirAll(filepath.Join(m.root, "bin"), 0o755))
	require.NoError(m.t, os.Symlink(to, filepath.Join(m.root, "bin", name)))
}

const (
	elf  = "\x7fELF program"
	node = "#!/usr/bin/env node\nmain()\n"
)

// program returns the program of that name in a mode.
func program(t *testing.T, s *toolset.Set, mode bench.Mode, name string) toolset.Program {
	t.Helper()
	for _, p := range s.Programs(mode) {
		if p.Name == name {
			return p
		}
	}
	require.Fail(t, "there is no "+name, "%+v", s.Problems(mode))
	return toolset.Program{}
}

func TestAModeHasItsProgramsAlone(t *testing.T) {
	m := newMachine(t)
	for _, name := range []string{"gh", "git", "github-mcp-server"} {
		m.write("bin/"+name, elf)
	}
	ghx := m.write("other/ghx", elf)
	skill := m.write("skill.md", "use ghx")
	s := toolset.Find(toolset.Options{GHX: ghx, GHXSkill: skill})
	names := map[bench.Mode][]string{}
	for _, mode := range bench.Modes() {
		for _, p := range s.Programs(mode) {
			names[mode] = append(names[mode], p.Name)
		}
	}
	assert.Equal(t, map[bench.Mode][]string{
		bench.AgentDirect: {"gh", "git"}, bench.MCP: {"github-mcp-server"}, bench.GHX: {"gh", "git", "ghx"}, bench.GHXBase: {"gh", "git"},
	}, names)
	assert.NoError(t, s.Check([]bench.Mode{bench.AgentDirect, bench.MCP, bench.GHX}))
	err := s.Check([]bench.Mode{bench.GHX, bench.GHXBase})
	assert.EqualError(t, err, "mode ghx@base cannot run: the ghx of the base commit is not named; mend: name it with --base-ghx COMMAND")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestWhatIsMissingComesWithItsMend(t *testing.T) {
	newMachine(t)
	s := toolset.Find(toolset.Options{GHXBase: "./no/such/ghx"})
	for mode, want := range map[bench.Mode]string{
		bench.AgentDirect: "install", bench.MCP: "github-mcp-server", bench.GHX: "install", bench.GHXBase: "--base-ghx",
	} {
		problems := s.Problems(mode)
		require.NotEmpty(t, problems, mode)
		for _, p := range problems {
			assert.Contains(t, p.What, "is not there")
			assert.NotEmpty(t, p.Mend)
		}
		assert.Contains(t, problems[len(problems)-1].Mend, want)
	}
}

func TestAScriptIsStartedByItsInterpreter(t *testing.T) {
	m := newMachine(t)
	interpreter := m.write("bin/node", elf)
	m.write("bin/gh", elf)
	script := m.write("lib/node_modules/@ghx-dev/core/bin/ghx", node)
	m.write("lib/node_modules/@ghx-dev/core/package.json", "{}")
	m.write("lib/node_modules/@ghx-dev/core/node_modules/ajv/index.js", "")
	m.write("lib/node_modules/@ghx-dev/core/skills/github-ghx/SKILL.md", "the installed skill")
	m.link("ghx", "../lib/node_modules/@ghx-dev/core/bin/ghx")

	s := toolset.Find(toolset.Options{})
	ghx := program(t, s, bench.GHX, "ghx")
	assert.Equal(t, []string{interpreter, script}, ghx.Words)
	assert.Equal(t, []string{interpreter, filepath.Join(m.root, "lib/node_modules/@ghx-dev/core")}, ghx.Needs)
	assert.Contains(t, s.Setups(toolset.Agent{})[bench.GHX].Instructions, "the installed skill")

	t.Run("a command has its own words", func(t *testing.T) {
		s := toolset.Find(toolset.Options{GHX: "node --no-warnings '" + script + "' --flag"})
		assert.Equal(t, []string{interpreter, "--no-warnings", script, "--flag"}, program(t, s, bench.GHX, "ghx").Words)
	})
	t.Run("a skill that is named comes before the installed one", func(t *testing.T) {
		s := toolset.Find(toolset.Options{GHXSkill: m.write("other.md", "the other skill")})
		assert.Contains(t, s.Setups(toolset.Agent{})[bench.GHX].Instructions, "the other skill")
		assert.NotContains(t, s.Setups(toolset.Agent{})[bench.GHX].Instructions, "the installed skill")
	})
	t.Run("a command that cannot be read", func(t *testing.T) {
		s := toolset.Find(toolset.Options{GHX: "node 'half a quote"})
		assert.Contains(t, s.Problems(bench.GHX)[0].What, "cannot be read")
	})
	t.Run("an interpreter that is not there", func(t *testing.T) {
		s := toolset.Find(toolset.Options{GHX: m.write("py", "#!/usr/bin/env python9\n")})
		assert.Contains(t, s.Problems(bench.GHX)[0].What, "its interpreter is not there")
	})
}

// What is needed is made readable for agents, also what is root's.
func TestAScriptHandsOutNothingButItsInterpreter(t *testing.T) {
	m := newMachine(t)
	m.write("bin/gh", elf)
	sh := m.write("lib/bin/sh", elf)
	secret := m.write("ours/secret", "our secret")
	for _, folder := range []string{"ours", "lib"} {
		m.write(folder+"/package.json", "{}")
		m.write(folder+"/skills/x/SKILL.md", "our skill")
	}
	ghx := m.write("ghx", "#!"+sh+" "+secret+" ./secret\n")

	s := toolset.Find(toolset.Options{GHX: ghx})
	p := program(t, s, bench.GHX, "ghx")
	assert.Equal(t, []string{sh, secret, "./secret", ghx}, p.Words)
	assert.Equal(t, []string{sh, ghx}, p.Needs)
	assert.NotContains(t, s.Setups(toolset.Agent{})[bench.GHX].Instructions, "our skill")

	for _, mode := range []os.FileMode{0o700, 0o711, 0o744} {
		require.NoError(t, os.Chmod(sh, mode))
		problems := toolset.Find(toolset.Options{GHX: ghx}).Problems(bench.GHX)
		require.NotEmpty(t, problems, mode)
		assert.Contains(t, problems[0].What, "others may not read and run its interpreter "+sh)
	}
}

func TestAFolderThatAllMayWriteToSaysNothingAboutAProgram(t *testing.T) {
	for name, mode := range map[string]os.FileMode{"one as /tmp": 0o777 | os.ModeSticky, "one without the sticky bit": 0o777} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write("bin/gh", elf)
			ghx := m.write("tmp/mine/ghx", elf)
			m.write("tmp/mine/own/package.json", "{}")
			own := m.write("tmp/mine/own/ghx", elf)
			for _, planted := range []string{"package.json", "pnpm-workspace.yaml", "skills/x/SKILL.md"} {
				m.write("tmp/"+planted, "{}")
			}
			require.NoError(t, os.Chmod(filepath.Join(m.root, "tmp"), mode))

			s := toolset.Find(toolset.Options{GHX: ghx})
			assert.Equal(t, []string{ghx}, program(t, s, bench.GHX, "ghx").Needs)
			require.Len(t, s.Problems(bench.GHX), 1)
			assert.Contains(t, s.Problems(bench.GHX)[0].What, "no skill text lies beside")
			s = toolset.Find(toolset.Options{GHX: own})
			assert.Equal(t, []string{filepath.Dir(own)}, program(t, s, bench.GHX, "ghx").Needs, "no workspace is found")
		})
	}
}

func TestADependencyIsNeededWhereverItLies(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		others []string
		want   string
	}{
		"a program of its own":          {script: "tools/ghx", want: "tools/ghx"},
		"a package with its own":        {script: "p/bin/ghx", others: []string{"p/package.json", "p/node_modules/a/index.js"}, want: "p"},
		"a package among others":        {script: "p/node_modules/core/bin/ghx", others: []string{"p/node_modules/core/package.json", "p/node_modules/a/index.js"}, want: "p/node_modules"},
		"a package of a pnpm workspace": {script: "w/packages/core/bin/ghx", others: []string{"w/packages/core/package.json", "w/pnpm-workspace.yaml"}, want: "w"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write("bin/node", elf)
			m.write("bin/gh", elf)
			for _, other := range c.others {
				m.write(other, "{}")
			}
			s := toolset.Find(toolset.Options{GHX: m.write(c.script, node)})
			assert.Equal(t, filepath.Join(m.root, c.want), program(t, s, bench.GHX, "ghx").Needs[1])
		})
	}
}

func TestWithoutASkillGHXDoesNotRun(t *testing.T) {
	m := newMachine(t)
	m.write("bin/gh", elf)
	m.write("bin/ghx", elf)
	for file, want := range map[string]string{
		"": "no skill text lies beside", "no-such-file": "is not there", m.write("big.md", strings.Repeat("x", 1<<20)): "larger than",
	} {
		problems := toolset.Find(toolset.Options{GHXSkill: file}).Problems(bench.GHX)
		require.Len(t, problems, 1)
		assert.Contains(t, problems[0].What, want)
		assert.Equal(t, "name the file with --ghx-skill FILE", problems[0].Mend)
	}
}

func TestASkillThatLeadsOutOfItsPackageIsNotRead(t *testing.T) {
	m := newMachine(t)
	m.write("bin/gh", elf)
	secret := m.write("secret", "our secret")
	ghx := m.write("p/ghx", elf)
	m.write("p/package.json", "{}")
	for _, to := range []string{secret, "../../../secret", "/proc/self/environ"} {
		file := filepath.Join(m.root, "p/skills/x/SKILL.md")
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.Symlink(to, file))
		s := toolset.Find(toolset.Options{GHX: ghx})
		require.Len(t, s.Problems(bench.GHX), 1, to)
		assert.Contains(t, s.Problems(bench.GHX)[0].What, "no skill text lies beside")
		require.NoError(t, os.Remove(file))
	}
}

// find is [toolset.Find] for those who expect it not to wait for anybody.
func find(t *testing.T, ghx string) *toolset.Set {
	t.Helper()
	found := make(chan *toolset.Set, 1)
	go func() { found <- toolset.Find(toolset.Options{GHX: ghx}) }()
	select {
	case s := <-found:
		return s
	case <-time.After(5 * time.Second):
		require.FailNow(t, "it waits for somebody to write into a pipe")
		return nil
	}
}

func TestNobodyWaitsForAPipe(t *testing.T) {
	for name, c := range map[string]struct{ pipe, want string }{
		"in the place of the program":         {"p/ghx", "is no file"},
		"in the place of a skill":             {"p/skills/x/SKILL.md", "no skill text"},
		"in the place of a skill's folder":    {"p/skills/x", "no skill text"},
		"in the place of the skills' folder":  {"p/skills", "no skill text"},
		"in the place of one of several ones": {"p/skills/a/SKILL.md", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write("bin/gh", elf)
			m.write("p/package.json", "{}")
			ghx, pipe := filepath.Join(m.root, "p/ghx"), filepath.Join(m.root, c.pipe)
			if pipe != ghx {
				m.write("p/ghx", elf)
			}
			require.NoError(t, os.MkdirAll(filepath.Dir(pipe), 0o755))
			require.NoError(t, syscall.Mkfifo(pipe, 0o755))
			if c.want == "" {
				m.write("p/skills/b/SKILL.md", "the skill that is one")
				assert.Contains(t, find(t, ghx).Setups(toolset.Agent{})[bench.GHX].Instructions, "the skill that is one")
				return
			}
			problems := find(t, ghx).Problems(bench.GHX)
			require.Len(t, problems, 1)
			assert.Contains(t, problems[0].What, c.want)
		})
	}
}

func TestEveryModeIsToldTheSameApartFromItsTools(t *testing.T) {
	all := toolset.Shipped().Setups()
	require.Len(t, all, len(bench.Modes()))
	common, _, _ := strings.Cut(all[bench.AgentDirect].Instructions, " Work in")
	for mode, setup := range all {
		assert.True(t, strings.HasPrefix(setup.Instructions, common+" Work "), mode)
		assert.Equal(t, mode != bench.MCP, setup.Shell, mode)
		assert.Equal(t, setup.Shell, len(setup.MCP) == 0, mode)
	}
	assert.Equal(t, []string{"github-mcp-server", "stdio"}, all[bench.MCP].MCP["github"].Command)
	assert.Equal(t, all[bench.GHX], all[bench.GHXBase])
}

// answering is a Run that answers with a text, or fails.
func answering(out string, err error) toolset.Run {
	return func(context.Context, ...string) (string, error) { return out, err }
}

func TestN2GHXListsEveryCapabilityThatIsUsed(t *testing.T) {
	const list = `[{"capability_id": "pr.view"}, {"capability_id": "pr.merge"}]`
	wanted := []string{"pr.merge", "pr.view"}
	check := func(out string, err error, wanted ...string) (scenario.Names, error) {
		return toolset.CheckCapabilities(t.Context(), answering(out, err), wanted)
	}
	names, err := check(list, nil, wanted...)
	require.NoError(t, err)
	assert.Empty(t, names)

	_, err = check(list, nil, append(wanted, "pr.checks.rerun.all")...)
	require.ErrorContains(t, err, "pr.checks.rerun.all")
	assert.NotContains(t, err.Error(), "pr.merge")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))

	for _, out := range []string{"", "{}", "[]", "an error page"} {
		_, err := check(out, nil, wanted...)
		assert.ErrorContains(t, err, "cannot be read", out)
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	}
	_, err = check("", errors.New("exit status 7"), wanted...)
	assert.ErrorContains(t, err, "exit status 7")
}

func TestN2AnOlderGHXHasItsOwnNames(t *testing.T) {
	const list = `[{"capability_id": "pr.view"}, {"capability_id": "pr.merge.execute"}, {"capability_id": "workflow_dispatch.run"}]`
	names, err := toolset.CheckCapabilities(t.Context(), answering(list, nil), []string{"pr.merge", "pr.view", "workflow.dispatch"})
	require.NoError(t, err)
	assert.Equal(t, scenario.Names{"pr.merge": "pr.merge.execute", "workflow.dispatch": "workflow_dispatch.run"}, names)

	_, err = toolset.CheckCapabilities(t.Context(), answering(list, nil), []string{"pr.merge", "issue.delete"})
	require.EqualError(t, err, "this ghx does not have what the scenarios use: issue.delete; install a newer one, or choose other scenarios")
}

func TestANodeThatIgnoresTheProxyIsRefused(t *testing.T) {
	ghx := toolset.Program{Name: "ghx", Words: []string{"/usr/bin/node", "/x/ghx"}}
	for version, fine := range map[string]bool{
		"v22.21.0": true, "v22.21.1": true, "v24.0.0": true, "v22.20.9": false, "v20.19.0": false, "what?": false, "": false,
	} {
		err := toolset.CheckRuntime(t.Context(), answering(version+"\n", nil), ghx)
		if fine {
			assert.NoError(t, err, version)
			continue
		}
		assert.ErrorContains(t, err, "mend: npm install -g node@22", version)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	}
	assert.NoError(t, toolset.CheckRuntime(t.Context(), answering("", errors.New("is not asked")), toolset.Program{Words: []string{"/usr/bin/gh"}}))
}

func TestVersion(t *testing.T) {
	gh := toolset.Program{Name: "gh"}
	for out, want := range map[string]string{
		"gh version 2.62.0 (2024-11-14)\nhttps://…": "2.62.0", "git version 2.39.5": "2.39.5", "0.8.0\n": "0.8.0",
		"1.2.3-rc.1+g5": "1.2.3-rc.1+g5", "GitHub MCP Server\nVersion: version": "unknown version",
	} {
		version, err := gh.Version(t.Context(), answering(out, nil))
		require.NoError(t, err)
		assert.Equal(t, want, version)
	}
	_, err := gh.Version(t.Context(), answering("", errors.New("exit status 1")))
	assert.ErrorContains(t, err, "ask gh for its version: exit status 1")
}
