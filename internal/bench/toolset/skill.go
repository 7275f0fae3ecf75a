package toolset

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// maxSkill is the size of the largest skill text that agents are given.
const maxSkill = 256 << 10

// readSkill returns the text of a skill file: the one that is named, or the
// one that is installed with a program.
func readSkill(named string, program Program) (string, error) {
	if named != "" {
		file, err := os.Open(named)
		if err != nil {
			return "", fmt.Errorf("the skill text is not there: %w", err)
		}
		return readAll(file)
	}
	file := skillBeside(program)
	if file == nil {
		return "", fmt.Errorf("no skill text lies beside %s", program.Words[len(program.Words)-1])
	}
	return readAll(file)
}

// readAll reads a skill file and closes it.
func readAll(file *os.File) (string, error) {
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSkill+1))
	if err != nil {
		return "", fmt.Errorf("the skill text cannot be read: %w", err)
	}
	if len(text) > maxSkill {
		return "", fmt.Errorf("the skill text %s is larger than %d bytes", file.Name(), maxSkill)
	}
	return string(text), nil
}

// skillBeside opens the skill text in the package of one of the program's
// files; nil if there is none. Packages keep it in skills/<name>/SKILL.md. A
// link that leads out of the package is not followed: the package may be what
// somebody proposes, who is not to have our files told to an agent.
func skillBeside(program Program) *os.File {
	for _, word := range slices.Backward(program.Words) {
		path, isFile := fileAt(word)
		if !isFile {
			continue
		}
		folder := packageOf(path)
		if folder == "" {
			continue
		}
		root, err := os.OpenRoot(folder)
		if err != nil {
			continue
		}
		defer root.Close()
		// The pattern is well formed.
		found, _ := fs.Glob(root.FS(), "skills/*/SKILL.md")
		for _, name := range found {
			if file, err := root.Open(name); err == nil {
				return file
			}
		}
	}
	return nil
}

// Instructions returns what an agent is told about its tools, by mode. About
// the task it is told the same in every mode.
func (s *Set) Instructions() map[bench.Mode]string {
	const (
		task  = "You work on a task on GitHub, alone: nobody answers questions. You are logged in to GitHub already."
		shell = " Work in your shell with the `%s` command."
	)
	all := map[bench.Mode]string{
		bench.AgentDirect: task + fmt.Sprintf(shell, GH),
		bench.MCP:         task + " Work with the tools of the GitHub MCP server. You have no shell.",
	}
	for _, mode := range []bench.Mode{bench.GHX, bench.GHXBase} {
		text := task + fmt.Sprintf(shell, GHX) + " Where the task asks what the tool reports about a call, run it with --verbose."
		if skill := s.skills[mode]; skill != "" {
			text += "\n\nThe skill of ghx:\n\n" + skill
		}
		all[mode] = text
	}
	return all
}
