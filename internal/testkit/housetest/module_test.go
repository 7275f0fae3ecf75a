package housetest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	// modulePath begins the import path of every package of ours.
	modulePath = "github.com/ghx-dev/bench-action/"
	// root is the module's folder, seen from here.
	repositoryRoot = "../../.."
)

// module is all packages of ours.
type module []*pkg

// pkg is the files of a folder, but for tests. Files for any system count.
type pkg struct {
	// folder is the package's place in the module, "." for its root.
	folder string
	files  []file
}

// file is a parsed Go file. Its name is relative to the module.
type file struct {
	name   string
	syntax *ast.File
	set    *token.FileSet
}

// load parses the module. Whether it compiles does not matter.
func load(t *testing.T) module {
	t.Helper()
	packages := map[string]*pkg{}
	err := filepath.WalkDir(repositoryRoot, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(repositoryRoot, at)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && foreign(at) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		folder := filepath.ToSlash(filepath.Dir(name))
		if packages[folder] == nil {
			packages[folder] = &pkg{folder: folder}
		}
		packages[folder].parse(t, filepath.ToSlash(name), at, nil)
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, len(packages), 10, "these are not all packages")
	var m module
	for _, folder := range slices.Sorted(maps.Keys(packages)) {
		m = append(m, packages[folder])
	}
	return m
}

// foreign reports whether a folder has no packages of the module.
func foreign(at string) bool {
	base := filepath.Base(at)
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" {
		return true
	}
	_, err := os.Stat(filepath.Join(at, "go.mod"))
	return err == nil
}

// parse adds a file; the source is read from the path if it is nil.
func (p *pkg) parse(t *testing.T, name, at string, source any) {
	t.Helper()
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, at, source, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	p.files = append(p.files, file{name, syntax, set})
}

// name is what the package calls itself.
func (p *pkg) name() string { return p.files[0].syntax.Name.Name }

// imports returns the paths that the package imports, sorted.
func (p *pkg) imports() []string {
	paths := map[string]bool{}
	for _, f := range p.files {
		for _, imported := range f.imports() {
			paths[imported] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// ours returns the folders of the packages of ours that it imports.
func (p *pkg) ours() []string {
	var folders []string
	for _, imported := range p.imports() {
		if folder, is := strings.CutPrefix(imported, modulePath); is {
			folders = append(folders, folder)
		}
	}
	return folders
}

// imports maps the names under which a file uses packages to their paths.
func (f file) imports() map[string]string {
	names := map[string]string{}
	for _, spec := range f.syntax.Imports {
		// What was parsed is quoted.
		imported, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "_" || name == "." {
			name = imported // any name of its own
		}
		names[name] = imported
	}
	return names
}

// at returns the place of a node, as "folder/file.go:12".
func (f file) at(n ast.Node) string {
	return f.name + ":" + strconv.Itoa(f.set.Position(n.Pos()).Line)
}

// lines counts the file's lines.
func (f file) lines() int { return f.set.File(f.syntax.FileStart).LineCount() }

// within reports whether a folder is covered by one of the patterns: a folder,
// or "folder/..." for it and all below.
func within(folder string, patterns ...string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		root, below := strings.CutSuffix(pattern, "/...")
		return folder == root || below && strings.HasPrefix(folder, root+"/")
	})
}

// inStandardLibrary reports whether an import path is of the standard library,
// whose first element has no dot.
func inStandardLibrary(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}
