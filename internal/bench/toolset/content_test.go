package toolset_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
)

// tool writes a mode of one command below a folder, and returns what is known of its
// content.
func (m machine) content(t *testing.T, folder, command string) string {
	t.Helper()
	mode := m.write(folder+"/mine.yml", "name: mine\nof: installed\ncommands:\n  - "+command+"\n")
	library, err := toolset.LoadLibrary([]string{mode})
	require.NoError(t, err)
	tools := toolset.Find(toolset.Options{Library: library})
	require.NoError(t, tools.Check([]bench.Mode{"mine"}))
	content, err := tools.Content([]string{filepath.Join(m.root, folder, "lib", ".bench")}, "mine")
	require.NoError(t, err)
	return content
}

func TestV7TheSameToolHasTheSameContentWhereverItLies(t *testing.T) {
	const program, with = "{name: mine, command: ./lib/mine}", "{name: mine, command: ./lib/mine, needs: [lib]}"
	m := newMachine(t)
	m.write("bin/sh", elf)
	tools := func(folder, of string) {
		m.write(folder+"/lib/mine", of)
		m.write(folder+"/lib/part.txt", "one")
		require.NoError(t, os.Symlink("part.txt", filepath.Join(m.root, folder, "lib", "link")))
	}
	tools("a", elf)
	tools("b", elf)
	alone, whole := m.content(t, "a", program), m.content(t, "a", with)
	assert.NotEmpty(t, alone)
	assert.NotEqual(t, alone, whole)
	assert.Equal(t, alone, m.content(t, "b", program))
	assert.Equal(t, whole, m.content(t, "b", with))

	m.write("b/lib/.bench/run-1/rows.jsonl", "{}")
	assert.Equal(t, whole, m.content(t, "b", with), "what a run writes is no part of the tool")
	for what, change := range map[string]func(folder string){
		"another part":    func(f string) { m.write(f+"/lib/part.txt", "two") },
		"one more":        func(f string) { m.write(f+"/lib/more.txt", "") },
		"a link":          func(f string) { _ = os.Remove(filepath.Join(m.root, f, "lib/link")); m.write(f+"/lib/link", "one") },
		"another program": func(f string) { m.write(f+"/lib/mine", elf+"2") },
		"one that is run": func(f string) { require.NoError(t, os.Chmod(filepath.Join(m.root, f, "lib/part.txt"), 0o755)) },
	} {
		folder := "c " + what
		tools(folder, elf)
		require.Equal(t, whole, m.content(t, folder, with))
		change(folder)
		assert.NotEqual(t, whole, m.content(t, folder, with), what)
	}
}

// What is not known to be the same may not use up the error budget of another tool.
func TestV7AScriptAloneTellsNoContent(t *testing.T) {
	m := newMachine(t)
	m.write("bin/python3", elf)
	m.write("a/tool.py", "import tool; tool.main()")
	m.write("a/mine", "#!/usr/bin/env python3\nimport tool; tool.main()\n")
	m.write("a/lib/tool.py", "")
	for command, known := range map[string]bool{
		"{name: mine, command: ./mine}":                                              false,
		"{name: mine, command: ./mine, needs: [lib]}":                                true,
		"{name: mine, command: python3 -m tool}":                                     false,
		"{name: mine, command: python3 ./tool.py}":                                   false,
		"{name: mine, command: python3 ./tool.py, needs: [lib]}":                     true,
		"{name: python3}\n  - {name: mine, command: ./mine}":                         false,
		"{name: python3}\n  - {name: mine, command: ./mine, needs: [lib/tool.py]}":   true,
		"{name: python3}\nmcp: {tool: {command: [python3, -m, tool]}}":               false,
		"{name: python3}\nmcp: {tool: {command: [python3]}}":                         true,
		"{name: python3, needs: [lib]}\nmcp: {tool: {command: [python3, -m, tool]}}": true,
	} {
		assert.Equal(t, known, m.content(t, "a", command) != "", command)
	}
	for why, mode := range map[string]string{
		"there is no program":     "name: mine\ninstructions: Be quick.\n",
		"the server is elsewhere": "name: mine\ncommands: [{name: python3}]\nmcp: {tool: {url: https://tool.example}}\n",
	} {
		library, err := toolset.LoadLibrary([]string{m.write("b/mine.yml", mode)})
		require.NoError(t, err)
		content, err := toolset.Find(toolset.Options{Library: library}).Content(nil, "mine")
		require.NoError(t, err)
		assert.Empty(t, content, why)
	}
}

func TestAFileThatCannotBeReadIsNamed(t *testing.T) {
	m := newMachine(t)
	program := m.write("bin/mine", elf)
	mode := m.write("a/mine.yml", "name: mine\nof: installed\ncommands:\n  - {name: mine}\n")
	library, err := toolset.LoadLibrary([]string{mode})
	require.NoError(t, err)
	tools := toolset.Find(toolset.Options{Library: library})
	require.NoError(t, os.Remove(program))
	_, err = tools.Content(nil, "mine")
	assert.ErrorContains(t, err, "read mine: ")
	assert.ErrorContains(t, err, program)
}
