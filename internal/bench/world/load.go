// Package world reads files that describe a world: accounts, repositories with
// their history, issues, pull requests, runs, releases and boards.
//
// [Load] reads a file and says everything that is wrong with it, with file,
// line and column. [World.Draw] makes a [Plan] of it for one variation: the
// same one for the same seed and number, byte for byte. What makes the plan
// true through GitHub's API is package target.
package world

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/scenarios"
)

// Limits of a world; what goes beyond is refused.
const (
	// MaxObjects bounds the objects of a world: commits, issues, comments and
	// so on.
	MaxObjects = 10_000
	// MaxLines bounds the lines of a part of a log.
	MaxLines = 100_000
	// MaxFile and MaxFolder bound a world's file and the files of its folder,
	// in bytes.
	MaxFile   = 1 << 20
	MaxFolder = 16 << 20
)

// Folder is the folder of a scenario folder that has the worlds.
const Folder = "worlds"

// schemaFile is the JSON Schema of a world's file.
const schemaFile = "world.schema.json"

var schema = sync.OnceValue(func() *jsondoc.Schema {
	data, err := scenarios.Files.ReadFile(schemaFile)
	if err != nil {
		panic(fmt.Sprintf("world: read schema: %v", err))
	}
	compiled, err := jsondoc.CompileSchema(schemaFile, data)
	if err != nil {
		panic(fmt.Sprintf("world: %v", err))
	}
	return compiled
})

// World is a file that describes a world, and the files beside it. It is not
// changed after loading.
type World struct {
	// Name is the file's, without its extension.
	Name string
	// Hash identifies the content: hex SHA-256 over the file and its folder.
	Hash string

	doc *jsondoc.Document
	// files are those of the world's folder by path.
	files map[string]string
	made  func() (Made, error)
}

// extensions are those that a world's file may have.
func extensions() []string { return []string{".yaml", ".yml", ".json"} }

// Load reads a world of a scenario folder by its name. What is wrong with it is
// one error of kind invalid that lists all problems.
func Load(fsys fs.FS, name string) (*World, error) {
	for _, extension := range extensions() {
		file := path.Join(Folder, name+extension)
		if _, err := fs.Stat(fsys, file); err == nil {
			return LoadFile(fsys, file)
		}
	}
	return nil, fault.Invalidf("there is no world %q: want a file %s/%s.yaml%s", name, Folder, name, jsondoc.DidYouMean(name, Names(fsys)))
}

// Names returns the names of a scenario folder's worlds, sorted.
func Names(fsys fs.FS) []string {
	entries, err := fs.ReadDir(fsys, Folder)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if ext := path.Ext(e.Name()); !e.IsDir() && slices.Contains(extensions(), ext) {
			names = append(names, strings.TrimSuffix(e.Name(), ext))
		}
	}
	return names
}

// LoadFile reads a world's file and the folder of the same name beside it.
func LoadFile(fsys fs.FS, file string) (*World, error) {
	data, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, fault.Invalidf("world %s cannot be read: %w", file, err)
	}
	parse := jsondoc.Parse
	if path.Ext(file) != ".json" {
		parse = func(file string, data []byte) (*jsondoc.Document, jsondoc.Problems) {
			return jsondoc.ParseYAMLUpTo(file, data, MaxFile)
		}
	}
	if len(data) > MaxFile {
		return nil, fault.Invalidf("%s:1:1: the file has %d bytes: want at most %d", file, len(data), MaxFile)
	}
	doc, problems := parse(file, data)
	if doc != nil {
		problems = append(problems, schema().Validate(doc)...)
	}
	if len(problems) > 0 {
		return nil, problems.Err()
	}
	w := &World{Name: strings.TrimSuffix(path.Base(file), path.Ext(file)), doc: doc}
	if w.files, err = readFolder(fsys, strings.TrimSuffix(file, path.Ext(file))); err != nil {
		return nil, err
	}
	w.Hash = w.hash(data)
	w.made = sync.OnceValues(w.makes)
	return w, nil
}

// readFolder reads the files of a world's folder, which need not be there.
func readFolder(fsys fs.FS, folder string) (map[string]string, error) {
	files, size := map[string]string{}, 0
	err := fs.WalkDir(fsys, folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, file)
		if size += len(data); size > MaxFolder {
			return fault.Invalidf("the folder %s has more than %d bytes", folder, MaxFolder)
		}
		files[strings.TrimPrefix(file, folder+"/")] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Invalidf("the world's folder cannot be read: %w", err)
	}
	return files, nil
}

func (w *World) hash(data []byte) string {
	sum := sha256.New()
	sum.Write(data)
	for _, file := range sortedKeys(w.files) {
		fmt.Fprintf(sum, "\x00%s\x00%d\x00%s", file, len(w.files[file]), w.files[file])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// File returns a file of the world's folder.
func (w *World) File(name string) (text string, exists bool) {
	text, exists = w.files[name]
	return text, exists
}
