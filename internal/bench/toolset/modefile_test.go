package toolset_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// library returns the shipped modes and that of a file.
func (m machine) library(file string) *toolset.Library {
	m.t.Helper()
	l, err := toolset.LoadLibrary([]string{file})
	require.NoError(m.t, err)
	return l
}

func TestAFileDescribesAMode(t *testing.T) {
	m := newMachine(t)
	gh := m.write("bin/gh", elf)
	sh := m.write("bin/sh", elf)
	tool := m.write("mine/bin/tool", "#!/usr/bin/env sh\n")
	m.write("mine/lib.sh", "")
	m.write("mine/skill.md", "use it well")
	m.write("mine/guide.md", "be quick")
	file := m.write("mine.yml", `
name: mine@v2
description: A tool of mine
of: installed
commands:
  - {name: gh}
  - {name: tool, command: ./mine/bin/tool --fast a/b, needs: [mine], version: [version, -s], skill: mine/skill.md}
mcp:
  s: {command: [tool, serve], env: {TOOL_TOKEN: "{{github_token}}", LIST: "a,b"}}
  far: {url: "https://mcp.example.com/x", headers: {X-Repo: "{{repository}}"}}
instructions: Use tool.
instructions_file: mine/guide.md
env: {TOOL_HOST: api.github.com}
preflight: tool ping
absent: [hub]
`)
	l := m.library(file)
	assert.Equal(t, append(bench.Modes(), "mine@v2"), l.Names())
	s := toolset.Find(toolset.Options{Library: l, AllowHosts: []string{"*.example.com"}})
	require.NoError(t, s.Check([]bench.Mode{"mine@v2"}))
	p := program(t, s, "mine@v2", "tool")
	assert.Equal(t, []string{sh, tool, "--fast", "a/b"}, p.Words)
	assert.Equal(t, []string{sh, filepath.Join(m.root, "mine")}, p.Needs, "the folder goes as a whole")
	assert.Equal(t, []string{gh}, program(t, s, "mine@v2", "gh").Words)

	setup := s.Setups(toolset.Agent{Token: "worthless", Repo: "o/r"})["mine@v2"]
	assert.Contains(t, setup.Instructions, " Use tool.\n\nbe quick\n\nThe skill of tool:\n\nuse it well")
	setup.Instructions = ""
	assert.Equal(t, agent.Setup{Shell: true, Commands: []string{"gh", "tool"}, MCP: map[string]agent.MCPServer{
		"s":   {Command: []string{"tool", "serve"}, Env: map[string]string{"TOOL_TOKEN": "worthless", "LIST": "a,b"}},
		"far": {URL: "https://mcp.example.com/x", Headers: map[string]string{"X-Repo": "o/r"}},
	}}, setup)
	assert.Equal(t, []string{"TOOL_HOST=api.github.com"}, s.File("mine@v2").Environment(toolset.Agent{}))
	assert.Equal(t, []string{"ghx", "github-mcp-server", "hub"}, s.Hidden("mine@v2"))
	assert.Equal(t, []string{"ghx", "github-mcp-server", "tool"}, s.Hidden(bench.AgentDirect), "what another mode is about is kept from it")

	s = toolset.Find(toolset.Options{Library: l, AllowHosts: []string{"example.com"}})
	assert.EqualError(t, s.Check([]bench.Mode{"mine@v2"}),
		"mode mine@v2 cannot run: its MCP server far is at mcp.example.com, which agents may not reach; mend: allow it with --allow-host mcp.example.com")
}

func TestAModeFileIsRefusedWithItsPlace(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a field that is none":                 {"name: a\ncomands: []", "2:1: comands: "},
		"a name that is none":                  {"name: a/b", "1:7: name: "},
		"a path out of the folder":             {"name: a\ninstructions_file: ../x", "../x is outside of the mode file's folder"},
		"an absolute path":                     {"name: a\ninstructions_file: /etc/passwd", "/etc/passwd is outside of the mode file's folder"},
		"a link out of the folder":             {"name: a\ninstructions_file: out", "out is a link that leads out of the mode file's folder"},
		"a checkout elsewhere":                 {"name: a\nof: checkout ..", ".. is outside"},
		"a file that is not there":             {"name: a\ninstructions_file: none", "none is not there: no such file"},
		"a folder for a file":                  {"name: a\ninstructions_file: folder", "folder is no file"},
		"a token":                              {"name: a\nenv: {X: ghp_0123456789abcdefghijklmnopqrstuvwxyz}", "2:10: env.X: looks like a secret"},
		"what is kept under a secret's name":   {"name: a\nenv: {MY_API_KEY: 0123456789abcd}", "env.MY_API_KEY: looks like a secret"},
		"a token in a header":                  {"name: a\nmcp: {s: {url: 'https://x.y', headers: {Authorization: Bearer abcdefghijklmnop}}}", "mcp.s.headers.Authorization: looks like a secret"},
		"a variable of ours":                   {"name: a\nenv: {X: $HOME}", "env.X: names a variable"},
		"a variable of ours in braces":         {"name: a\nenv: {X: 'a${OPENAI_API_KEY}'}", "env.X: names a variable"},
		"a placeholder that is none":           {"name: a\nenv: {X: '{{model_key}}'}", "env.X: has a placeholder that is none"},
		"a PATH":                               {"name: a\nenv: {PATH: /tmp}", "2:7: env.PATH: is not the mode's to set"},
		"a proxy":                              {"name: a\nenv: {https_proxy: x}", "env.https_proxy: is not the mode's to set"},
		"what has programs loaded":             {"name: a\nenv: {LD_PRELOAD: x}", "env.LD_PRELOAD: is not the mode's to set"},
		"a server that is no command":          {"name: a\nmcp: {s: {command: [x]}}", `mcp.s.command: begins with "x", which is none of the mode's commands`},
		"a server with a command and a URL":    {"name: a\nmcp: {s: {command: [x], url: 'http://x'}}", "mcp.s"},
		"an agent that can do nothing":         {"name: a\nshell: false", "the agent could do nothing"},
		"a command twice":                      {"name: a\ncommands: [{name: x}, {name: x}]", "is there twice: x"},
		"a command that is to be absent":       {"name: a\ncommands: [{name: x}]\nabsent: [x]", "must be absent too: x"},
		"a name that another mode has already": {"name: ghx", "there is a mode ghx already (it is shipped)"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write("secret", "x")
			m.write("modes/folder/x", "x")
			require.NoError(t, os.Symlink("../secret", filepath.Join(m.root, "modes/out")))
			_, err := toolset.LoadLibrary([]string{m.write("modes/m.yml", c.text)})
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func TestWhatAModeFileRunsIsInItsFolder(t *testing.T) {
	m := newMachine(t)
	m.write("secret", "#!/usr/bin/env sh\n")
	m.write("bin/sh", elf)
	m.write("package.json", "{}")
	own := m.write("modes/tool", "#!/usr/bin/env sh\n")
	require.NoError(t, os.Symlink("../secret", filepath.Join(m.root, "modes/out")))
	for command, want := range map[string]string{
		"./out":                            "leads out of the mode file's folder",
		"../secret":                        "is outside",
		m.root + "/secret":                 "is outside",
		"sh ../secret":                     "is outside",
		"sh " + m.root + "/secret":         "is outside",
		"./none":                           "is not there",
		"tool":                             "is not there",
		"./tool --from x/y --to owner/any": "",
	} {
		s := toolset.Find(toolset.Options{Library: m.library(m.write("modes/m.yml", "name: mine\ncommands: [{name: t, command: '"+command+"'}]"))})
		if want == "" {
			assert.Empty(t, s.Problems("mine"), command)
			assert.Equal(t, own, program(t, s, "mine", "t").Needs[1], "the package above the folder is not handed out")
			continue
		}
		require.Len(t, s.Problems("mine"), 1, command)
		assert.Contains(t, s.Problems("mine")[0].What, want, command)
	}
}

func TestAModeWithoutACommandHasItsMend(t *testing.T) {
	m := newMachine(t)
	l := m.library(m.write("m.yml", "name: mine\ncommands: [{name: a, mend: brew install a}, {name: b, optional: true}, {name: c}]"))
	assert.Equal(t, []toolset.Problem{
		{What: m.root + `/m.yml:2:13: commands[0]: a is not there: exec: "a": executable file not found in $PATH`, Mend: "brew install a"},
		{What: m.root + `/m.yml:2:73: commands[2]: c is not there: exec: "c": executable file not found in $PATH`, Mend: "install c, or name it with command in the mode's file"},
	}, toolset.Find(toolset.Options{Library: l}).Problems("mine"))
	for command, mend := range map[string]string{"../a": "put it into that folder, or below", "./no-such": "make it, or name another file", "./plain": "chmod +x ", "./odd": "name one that is there in the first line of ", "~/a": "name ./FILE beside the mode file, or a name on PATH"} {
		require.NoError(t, os.WriteFile(filepath.Join(m.root, "plain"), []byte("x"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(m.root, "odd"), []byte("#!/no/such/sh\n"), 0o700)) //nolint:gosec // it is to be a program
		l := m.library(m.write("m.yml", "name: mine\ncommands: [{name: a, command: "+command+", mend: brew install a}]"))
		problems := toolset.Find(toolset.Options{Library: l}).Problems("mine")
		require.Len(t, problems, 1)
		assert.True(t, strings.HasPrefix(problems[0].Mend, mend), "%s: %+v", command, problems[0])
	}
	_, err := l.Mode("mime")
	assert.EqualError(t, err, `unknown mode "mime": use one of agent_direct, mcp, ghx, ghx@base, mine, or give its file with --mode-file: did you mean "mine"?`)
}

func TestInstructionsForATaskThatIsNotAboutGitHub(t *testing.T) {
	m := newMachine(t)
	l := m.library(m.write("mine.yml", "name: mine\ninstructions: Use tool.\n"))
	assert.Equal(t, "You work on a task in your working folder, alone: nobody answers questions. Use tool.",
		toolset.Elsewhere(l.Setups()["mine"].Instructions))
}
