package ghxbuild

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	shellquote "github.com/kballard/go-shellquote"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Package is the name of ghx's package, ghxFolder where a ghx workspace has
// it.
const (
	Package   = "@ghx-dev/core"
	ghxFolder = "packages/core"
)

// maxManifest is the size of the largest package.json that is read, in bytes.
const maxManifest = 1 << 20

// manifest is what a package.json says.
type manifest struct {
	Name           string
	PackageManager string
	Bin            programs
}

// programs are a package's, by name.
type programs map[string]string

// UnmarshalJSON reads no programs from what does not name them: a text names one
// after the package.
func (p *programs) UnmarshalJSON(text []byte) error {
	named := map[string]string{}
	if json.Unmarshal(text, &named) == nil {
		*p = named
	}
	return nil
}

// manifestOf reads the manifest of a package in a folder of a workspace. What somebody
// proposes is not trusted to be a file that ends, nor one in the folder.
func manifestOf(workspace, folder string) (m manifest, err error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return m, err
	}
	defer root.Close()
	name := path.Join(folder, "package.json")
	info, err := root.Stat(name)
	if err != nil {
		return m, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxManifest {
		return m, fault.Invalidf("%s is no manifest of a package", name)
	}
	data, err := root.ReadFile(name)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(data, &m)
}

// PackageManager returns the package manager of a ghx workspace as its manifest has
// it, "pnpm@10.34.9", empty where that names none. IsGHX is false elsewhere.
func PackageManager(folder string) (manager string, isGHX bool) {
	if _, is, _ := manifestOfGHX(folder); !is { // what cannot be read is none
		return "", false
	}
	m, _ := manifestOf(folder, ".") // without one it names none
	return m.PackageManager, true
}

// manifestOfGHX returns the manifest of ghx in a folder; it reports false where that is
// no ghx workspace. A manifest that cannot be read is an error of kind invalid: the
// installed ghx would be measured in place of what is proposed.
func manifestOfGHX(folder string) (m manifest, is bool, err error) {
	m, err = manifestOf(folder, ghxFolder)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return m, false, nil
	case err != nil:
		return m, false, fault.Invalidf("%s/package.json cannot be read, so it is not known whether this is a ghx workspace: %w; mend it, or set build-command and ghx-command", ghxFolder, err)
	default:
		return m, m.Name == Package, nil
	}
}

// commandOf returns the command of the ghx that was built in a folder, empty
// if that is no ghx workspace.
func commandOf(folder string) (string, error) {
	m, is, err := manifestOfGHX(folder)
	if err != nil || !is {
		return "", err
	}
	program := filepath.FromSlash(m.Bin["ghx"])
	if !filepath.IsLocal(program) {
		return "", fault.Invalidf("the package in %s names no program ghx of its own: set ghx-command", ghxFolder)
	}
	return shellquote.Join("node", filepath.Join(folder, ghxFolder, program)), nil
}

// at makes the paths of files in a folder absolute. One that leads out of it
// by a link is refused, and so is a script that names other files of ours: the
// folder is what somebody proposes, and what a command names is made readable
// for an agent.
func (b Built) at(folder string) (Built, error) {
	var problems []error
	in := func(command string) string {
		// A command that cannot be split is refused by whoever runs it.
		words, err := shellquote.Split(command)
		if err != nil || len(words) == 0 {
			return command
		}
		for i, word := range words {
			file, found, err := FileIn(folder, word)
			problems = append(problems, err)
			if found {
				words[i] = file
				problems = append(problems, checkScript(folder, file))
			}
		}
		return shellquote.Join(words...)
	}
	b.Command, b.Base = in(b.Command), in(b.Base)
	if file, found, err := FileIn(folder, b.Skill); found {
		b.Skill = file
	} else {
		problems = append(problems, err)
	}
	b.Folder = folder
	return b, errors.Join(problems...)
}

// ModeFiles returns the paths of mode files where it was built. One that is a link
// out of there is refused.
func (b Built) ModeFiles(names []string) (files []string, err error) {
	for _, name := range names {
		file, found, err := FileIn(b.Folder, name)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, fault.Invalidf("mode file %s is neither in the repository nor made by the build", name)
		}
		files = append(files, file)
	}
	return files, nil
}

// FileIn returns the absolute path of a file that a word names in a folder.
func FileIn(folder, word string) (string, bool, error) {
	if word == "" {
		return "", false, nil
	}
	file := word
	if !filepath.IsAbs(word) {
		file = filepath.Join(folder, word)
	}
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", false, fault.Infraf("find %s: %w", folder, err)
	}
	within := strings.HasPrefix(file, folder+string(filepath.Separator))
	if !within || !IsFile(file) {
		// It is no file of the folder's, but a word or a program of the system.
		return "", false, nil
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", false, fault.Infraf("find %s: %w", word, err)
	}
	if !strings.HasPrefix(real, root+string(filepath.Separator)) {
		return "", false, fault.Invalidf("%s leads out of the workspace, to %s", word, real)
	}
	return file, true, nil
}

// IsFile reports whether a path leads to a file.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// systemFolders have the interpreters, which everybody may read.
func systemFolders() []string { return []string{"/bin", "/usr/bin", "/usr/local/bin"} }

// checkScript refuses a script whose first line names a file outside of a
// folder, other than an interpreter of the system's.
func checkScript(folder, file string) error {
	const longest = 256 // the kernel reads no more
	opened, err := os.Open(file)
	if err != nil {
		return fault.Infraf("read %s: %w", file, err)
	}
	defer opened.Close()
	line, err := bufio.NewReader(io.LimitReader(opened, longest)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fault.Infraf("read %s: %w", file, err)
	}
	words, isScript := strings.CutPrefix(line, "#!")
	if !isScript {
		return nil
	}
	for i, word := range strings.Fields(words) {
		if i == 0 && slices.Contains(systemFolders(), filepath.Dir(word)) {
			continue
		}
		_, found, err := FileIn(folder, word)
		if err != nil {
			return err
		}
		if !found && (filepath.IsAbs(word) || IsFile(word)) {
			return fault.Invalidf("the first line of %s names %s, which is not in the workspace: let it name an interpreter of the system's alone", filepath.Base(file), word)
		}
	}
	return nil
}
