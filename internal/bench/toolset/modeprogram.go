package toolset

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	shellquote "github.com/kballard/go-shellquote"
)

// program finds the program of a mode's command, which is otherwise what a flag
// or the program's name says. What the mode's file names is in its folder.
func (m *ModeFile) program(c Command, otherwise string) (Program, error) {
	p, err := m.find(c, otherwise)
	if err != nil {
		return Program{}, err
	}
	p.ask = c.Version
	for _, name := range c.Needs {
		path, err := m.place(name)
		if err != nil {
			return Program{}, fmt.Errorf("what %s needs: %w", c.Name, err)
		}
		// What is in it goes with it.
		p.Needs = append(slices.DeleteFunc(p.Needs, func(need string) bool { return isIn(need, path) }), path)
	}
	return p, nil
}

func (m *ModeFile) find(c Command, otherwise string) (Program, error) {
	if c.Command == "" || m.Shipped() {
		return resolve(c.Name, cmp.Or(c.Command, otherwise))
	}
	words, err := shellquote.Split(c.Command)
	if err != nil || len(words) == 0 {
		return Program{}, fmt.Errorf("the command %q of %s cannot be read: %w", c.Command, c.Name, err)
	}
	for i, word := range words {
		if !strings.ContainsRune(word, filepath.Separator) {
			continue
		}
		path, err := m.place(word)
		switch {
		case err == nil:
			words[i] = path
		case i == 0 || !filepath.IsLocal(filepath.Clean(word)):
			return Program{}, fmt.Errorf("%s: %w", c.Name, err)
		}
		// What is not there is an argument of another kind, such as OWNER/REPO.
	}
	return resolveWords(c.Name, words, m.treeOf)
}

// treeOf is [treeOf] for a file that may be in the mode's folder: what is above
// that is not the mode's to hand out.
func (m *ModeFile) treeOf(file string) string {
	tree := treeOf(file)
	if isIn(file, m.folder) && !isIn(tree, m.folder) {
		return file
	}
	return tree
}

// isIn reports whether a path is a folder or below it.
func isIn(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}
