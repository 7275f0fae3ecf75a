package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed chosen.go
var chosenFile string

// chosenSource is the code by which mutants ask whether they act.
func chosenSource() string { return strings.Replace(chosenFile, "package main", "package chosen", 1) }

// Where [chosenSource] is put, for the compiler alone: it is in no folder. An
// import of it is named so that nothing is shadowed.
const (
	chosenFolder = "internal/mutants__/chosen"
	chosenName   = "mutants__"
)

// program is the packages whose code is broken on purpose, with their types.
type program struct {
	// root is the module's folder; module its path.
	root, module string
	set          *token.FileSet
	targets      []*target
	// compiled has the packages that these import; chosen is that by which mutants ask.
	compiled types.Importer
	chosen   *types.Package
}

// target is one of the packages.
type target struct {
	// path is the import path, folder relative to the root.
	path, folder string
	files        []*source
	types        *types.Package
	info         *types.Info
}

// source is a Go file; its name is relative to the root.
type source struct {
	name   string
	text   []byte
	syntax *ast.File
}

// listed is a package as `go list -json` tells.
type listed struct {
	ImportPath, Dir, Export, ForTest string
	DepOnly                          bool
	GoFiles, Deps                    []string
	Module                           *struct{ Path, Dir string }
}

// load reads and type-checks the packages that patterns name, relative to a
// folder.
func load(ctx context.Context, folder string, patterns []string) (*program, error) {
	packages, err := list(ctx, folder, append([]string{"-export", "-deps"}, patterns...))
	if err != nil {
		return nil, err
	}
	// The code by which mutants ask has needs of its own.
	needs, err := list(ctx, folder, []string{"-export", "-deps", "os", "runtime/metrics", "strconv", "sync/atomic", "time"})
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range append(needs, packages...) {
		exports[p.ImportPath] = p.Export
	}
	p := &program{set: token.NewFileSet()}
	p.compiled = importer.ForCompiler(p.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, from := range packages {
		if from.DepOnly {
			continue
		}
		if from.Module == nil {
			return nil, fmt.Errorf("%s is in no module", from.ImportPath)
		}
		p.root, p.module = from.Module.Dir, from.Module.Path
		t, err := p.read(from)
		if err != nil {
			return nil, err
		}
		if len(t.files) > 0 {
			p.targets = append(p.targets, t)
		}
	}
	if len(p.targets) == 0 {
		return nil, fmt.Errorf("no package of %s has Go code", strings.Join(patterns, " "))
	}
	parsed, err := parser.ParseFile(p.set, "chosen.go", chosenSource(), parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	p.chosen, err = (&types.Config{Importer: p.compiled}).Check(p.chosenPath(), p.set, []*ast.File{parsed}, nil)
	return p, err
}

func (p *program) chosenPath() string { return p.module + "/" + chosenFolder }

// Import makes the program an importer that knows the code by which mutants
// ask.
func (p *program) Import(path string) (*types.Package, error) {
	if path == p.chosenPath() {
		return p.chosen, nil
	}
	return p.compiled.Import(path)
}

// read parses and type-checks a package, without generated files.
func (p *program) read(from listed) (*target, error) {
	t := &target{path: from.ImportPath, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Implicits: map[ast.Node]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}}
	var all []*ast.File
	for _, name := range from.GoFiles {
		full := filepath.Join(from.Dir, name)
		text, err := os.ReadFile(full)
		if err != nil {
			return nil, err
		}
		relative, err := filepath.Rel(p.root, full)
		if err != nil {
			return nil, err
		}
		syntax, err := parser.ParseFile(p.set, relative, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		t.folder = filepath.ToSlash(filepath.Dir(relative))
		all = append(all, syntax)
		t.files = append(t.files, &source{name: relative, text: text, syntax: syntax})
	}
	var err error
	t.types, err = (&types.Config{Importer: p.compiled}).Check(t.path, p.set, all, t.info)
	return t, err
}

// list runs `go list -json` in a folder.
func list(ctx context.Context, folder string, arguments []string) ([]listed, error) {
	out, err := goCommand(ctx, folder, append([]string{"list", "-json=ImportPath,Dir,Export,ForTest,DepOnly,GoFiles,Deps,Module"}, arguments...)...)
	if err != nil {
		return nil, err
	}
	var packages []listed
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages, nil
		}
		if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

// goCommand runs go in a folder. The error has what it said.
func goCommand(ctx context.Context, folder string, arguments ...string) ([]byte, error) {
	return output(ctx, folder, "go", arguments...)
}

func output(ctx context.Context, folder, program string, arguments ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, arguments...)
	cmd.Dir = folder
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", program, arguments[0], err, said.String())
	}
	return out, nil
}
