package toolset

import (
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"syscall"
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

// skillBeside opens the skill text in the package of one of the files that the
// program's command names; nil if there is none.
func skillBeside(program Program) *os.File {
	for _, file := range slices.Backward(program.files) {
		if folder := packageOf(file); folder != "" {
			if skill := skillOf(folder); skill != nil {
				return skill
			}
		}
	}
	return nil
}

const (
	// skillsFolder is where a package keeps skills, each in a folder with a
	// skillFile.
	skillsFolder = "skills"
	skillFile    = "SKILL.md"
	// maxSkills is how many entries of a package's skills are looked at.
	maxSkills = 100
)

// skillOf opens the first skill text of a package; nil if there is none. A
// link that leads out of the package is not followed, and what is no file is
// passed over: the package may be what somebody proposes, who is not to have
// our files told to an agent, nor us wait for a pipe.
func skillOf(folder string) *os.File {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil
	}
	defer root.Close()
	skills, err := openAtOnce(root, skillsFolder)
	if err != nil {
		return nil
	}
	defer skills.Close()
	// Those that were read before an error count.
	names, _ := skills.Readdirnames(maxSkills)
	slices.Sort(names)
	for _, name := range names {
		file, err := openAtOnce(root, path.Join(skillsFolder, name, skillFile))
		if err != nil {
			continue
		}
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			return file
		}
		_ = file.Close() // nothing was written
	}
	return nil
}

// openAtOnce opens what is there to read it. It does not wait for who writes
// to a pipe.
func openAtOnce(root *os.Root, name string) (*os.File, error) {
	return root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
