package toolset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	shellquote "github.com/kballard/go-shellquote"
)

// Program is an installed program.
type Program struct {
	// Name is what agents call it.
	Name string
	// Words start it: absolute paths of what is executed, and arguments.
	Words []string
	// Needs are the files and folders, by absolute path, that whoever runs it
	// must be able to read.
	Needs []string
	// files are those that the command itself names, by absolute path.
	files []string
	// ask are the arguments that ask for its version: nil for --version, none
	// where it tells none.
	ask []string
}

// resolve finds the program of a command. Scripts that name their interpreter
// are started by that, so that it need not be on the agent's PATH. Of what a
// script's first line names only the interpreter is needed, and that alone:
// the script may be what somebody proposes, and what is needed may be copied
// for agents.
func resolve(name, command string) (Program, error) {
	words, err := shellquote.Split(command)
	if err != nil || len(words) == 0 {
		return Program{}, fmt.Errorf("the command %q of %s cannot be read: %w", command, name, err)
	}
	return resolveWords(name, words, treeOf)
}

// resolveWords is resolve for a command's words. What a file needs to run is what
// tree says.
func resolveWords(name string, words []string, tree func(file string) string) (Program, error) {
	path, err := lookUp(words[0])
	if err != nil {
		return Program{}, notFound(name, words[0], err)
	}
	p := Program{Name: name, Words: append([]string{path}, words[1:]...)}
	interpreter, err := interpreterOf(path)
	if err != nil {
		return Program{}, fmt.Errorf("%s cannot be run: %w", name, err)
	}
	for i, word := range p.Words {
		if full, isFile := fileAt(word); isFile {
			p.Words[i] = full
			p.Needs, p.files = append(p.Needs, tree(full)), append(p.files, full)
		}
	}
	if interpreter != nil {
		p.Words = append(interpreter, p.Words...)
		p.Needs = append([]string{interpreter[0]}, p.Needs...)
	}
	return p, nil
}

// notFound is why a program cannot be started.
func notFound(name, word string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return mendable{fmt.Errorf("%s cannot be run: %s may not be executed", name, word), "chmod +x " + shellquote.Join(word)}
	}
	return fmt.Errorf("%s is not there: %w", name, err)
}

// lookUp returns the absolute path of a program, without links.
func lookUp(name string) (string, error) {
	found, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	if found, err = filepath.Abs(found); err != nil {
		return "", err
	}
	path, isFile := fileAt(found)
	if !isFile {
		return "", fmt.Errorf("%s is no file", found)
	}
	return path, nil
}

// fileAt returns the absolute path of a word that is one of an existing file.
func fileAt(word string) (string, bool) {
	if !strings.ContainsRune(word, filepath.Separator) {
		return "", false
	}
	path, err := filepath.Abs(word)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", false
	}
	info, err := os.Stat(path)
	return path, err == nil && info.Mode().IsRegular()
}

// interpreterOf returns the words that start a script, nil for a program.
func interpreterOf(path string) ([]string, error) {
	const longest = 256
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, longest)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	words := strings.Fields(strings.TrimPrefix(string(line), "#!"))
	if !bytes.HasPrefix(line, []byte("#!")) || len(words) == 0 {
		return nil, nil
	}
	if filepath.Base(words[0]) == "env" && len(words) > 1 {
		words = words[1:]
		if words[0] == "-S" && len(words) > 1 {
			words = words[1:]
		}
	}
	if words[0], err = lookUp(words[0]); err != nil {
		return nil, mendable{fmt.Errorf("its interpreter is not there: %w", err), "name one that is there in the first line of " + path}
	}
	if !isForAll(words[0]) {
		return nil, fmt.Errorf("others may not read and run its interpreter %s", words[0])
	}
	return words, nil
}

// isForAll reports whether a path is that of a program which everybody may read
// and run.
func isForAll(path string) bool {
	const othersReadAndRun = 0o005
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&othersReadAndRun == othersReadAndRun
}

// treeOf returns what must be there for a file to run: for a module of Node's
// its package, and all that it finds its dependencies in; else the file alone.
func treeOf(path string) string {
	root := packageOf(path)
	if root == "" {
		return path
	}
	if workspace := workspaceOf(root); workspace != "" {
		return workspace
	}
	inModules := strings.LastIndex(root, string(filepath.Separator)+modules+string(filepath.Separator))
	if info, err := os.Stat(filepath.Join(root, modules)); inModules < 0 || err == nil && info.IsDir() {
		return root
	}
	return root[:inModules+1+len(modules)]
}

// modules is where Node.js finds packages.
const modules = "node_modules"

// packageOf returns the nearest folder above path with a package.json, empty
// if there is none.
func packageOf(path string) string { return above(path, "package.json") }

// workspaceOf returns the folder of the workspace that a folder is in, whose
// packages find each other by links; empty if it is in none.
func workspaceOf(folder string) string {
	return above(filepath.Join(folder, "package.json"), "pnpm-workspace.yaml", "pnpm-lock.yaml")
}

// above returns the nearest folder above path that has one of the files. It
// goes no further than to a folder in which everybody may write, such as /tmp:
// what lies there says nothing about the program.
func above(path string, names ...string) string {
	for folder := filepath.Dir(path); !isOpen(folder); folder = filepath.Dir(folder) {
		for _, name := range names {
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				return folder
			}
		}
		if folder == filepath.Dir(folder) {
			break
		}
	}
	return ""
}

// isOpen reports whether everybody may write in a folder.
func isOpen(folder string) bool {
	const othersWrite = 0o002
	info, err := os.Stat(folder)
	return err == nil && info.Mode()&othersWrite != 0
}

// versionPattern finds a version in what programs say of theirs.
var versionPattern = regexp.MustCompile(`\d+\.\d+\.\d+[0-9A-Za-z.+-]*`)

// Unversioned is the version of a program that does not tell one, such as one
// that was built without.
const Unversioned = "unknown version"

// Version asks the program for its version.
func (p Program) Version(ctx context.Context, run Run) (string, error) {
	ask := p.ask
	switch {
	case ask == nil:
		ask = []string{"--version"}
	case len(ask) == 0:
		return p.hash()
	}
	out, err := run(ctx, append([]string{p.Name}, ask...)...)
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", p.Name, err)
	}
	if version := versionPattern.FindString(out); version != "" {
		return version, nil
	}
	return Unversioned, nil
}

// hash is the version of a program that tells none: a hash of its files.
func (p Program) hash() (string, error) {
	sum := sha256.New()
	for _, name := range p.files {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("read %s for its version: %w", p.Name, err)
		}
		sum.Write(data)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)[:6]), nil
}

// minNode is the first version of Node.js that goes by HTTPS_PROXY.
const minNodeMajor, minNodeMinor = 22, 21

// checkNode refuses a Node.js that ignores the proxy, for a program that it
// runs.
func (p Program) checkNode(ctx context.Context, run Run) error {
	if filepath.Base(p.Words[0]) != "node" {
		return nil
	}
	out, err := run(ctx, p.Words[0], "--version")
	if err != nil {
		return fmt.Errorf("ask Node.js for its version: %w", err)
	}
	version := versionPattern.FindString(out)
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	first, errMajor := strconv.Atoi(major)
	second, errMinor := strconv.Atoi(minor)
	if errors.Join(errMajor, errMinor) != nil || first < minNodeMajor || first == minNodeMajor && second < minNodeMinor {
		return fmt.Errorf("%s runs on Node.js %s, which ignores the proxy: it needs %d.%d or newer", p.Name, version, minNodeMajor, minNodeMinor)
	}
	return nil
}
