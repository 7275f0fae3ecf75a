package toolset

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// maxSkill is the size of the largest skill text that agents are given.
const maxSkill = 256 << 10

// readSkill returns the text of a skill file: the one that is named, or the
// one that is installed with a program.
func readSkill(named string, program Program) (string, error) {
	file := named
	if file == "" {
		if file = skillBeside(program); file == "" {
			return "", fmt.Errorf("no skill text lies beside %s", program.Words[len(program.Words)-1])
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("the skill text is not there: %w", err)
	}
	if info.Size() > maxSkill {
		return "", fmt.Errorf("the skill text %s is larger than %d bytes", file, maxSkill)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("the skill text cannot be read: %w", err)
	}
	return string(text), nil
}

// skillBeside returns the path of the skill text in the package of one of the
// program's files, empty if there is none. Packages keep it in
// skills/<name>/SKILL.md.
func skillBeside(program Program) string {
	for _, word := range slices.Backward(program.Words) {
		path, isFile := fileAt(word)
		if !isFile {
			continue
		}
		if root := packageOf(path); root != "" {
			// The pattern is well formed.
			if found, _ := filepath.Glob(filepath.Join(root, "skills", "*", "SKILL.md")); len(found) > 0 {
				return found[0]
			}
		}
	}
	return ""
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
