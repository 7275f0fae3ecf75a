package toolset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Content returns a hash of what the programs of modes are, with their skills:
// wherever they lie, what has the same is the same tool. Files and folders that are
// excepted are no part of them. It is empty where it cannot be told: without a
// program, and of a script alone or a program that is told what to run, which may
// lead to anything. An error says which file cannot be read.
func (s *Set) Content(except []string, modes ...bench.Mode) (string, error) {
	sum, known := sha256.New(), false
	var outside []string
	for _, name := range except {
		if path, err := filepath.Abs(name); err == nil && name != "" {
			outside = append(outside, path)
		}
	}
	for _, mode := range modes {
		told := s.File(mode).tells()
		for _, p := range s.programs[mode] {
			if told[""] || !p.whole(told[p.Name]) {
				return "", nil
			}
			known = true
			if err := p.addTo(sum, outside); err != nil {
				return "", fmt.Errorf("read %s: %w", p.Name, err)
			}
		}
		fmt.Fprintf(sum, "skill %q\n", s.skills[mode])
	}
	if !known {
		return "", nil
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

// tells returns the names of the mode's programs that its MCP servers tell what to run,
// and an empty one where a server is elsewhere.
func (m *ModeFile) tells() map[string]bool {
	told := map[string]bool{}
	for _, server := range m.MCP {
		switch {
		case len(server.Command) == 0:
			told[""] = true
		case len(server.Command) > 1:
			told[server.Command[0]] = true
		}
	}
	return told
}

// whole reports whether what the program needs is all that it is: it is no script and
// not told what to run, or there is more than what its words name.
func (p Program) whole(told bool) bool {
	more := func(need string) bool { return need != p.Words[0] && !slices.Contains(p.files, need) }
	return len(p.Words) == 1 && !told || slices.ContainsFunc(p.Needs, more)
}

// addTo adds the words that start a program, and all that it needs.
func (p Program) addTo(sum hash.Hash, except []string) error {
	for _, word := range p.Words {
		if filepath.IsAbs(word) {
			word = filepath.Base(word)
		}
		fmt.Fprintf(sum, "word %q\n", word)
	}
	for _, need := range p.Needs {
		err := filepath.WalkDir(need, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if slices.Contains(except, path) {
				if entry.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			// A need is above all that is below it.
			name, _ := filepath.Rel(need, path)
			return addFile(sum, name, path, entry)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// addFile adds a file with its name, and a link with where it leads to.
func addFile(sum hash.Hash, name, path string, entry fs.DirEntry) error {
	switch {
	case entry.Type()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		fmt.Fprintf(sum, "link %q %q\n", name, to)
		return err
	case !entry.Type().IsRegular():
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(sum, "file %q %t %d\n", name, info.Mode()&0o111 != 0, info.Size())
	_, err = io.Copy(sum, file)
	return err
}
