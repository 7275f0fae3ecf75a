// Package scenario turns a folder of files into checked scenarios and sets,
// and a scenario and a fixture manifest into what an agent is told.
//
// [Load] reads a folder whole and refuses it whole, with every problem at
// once; [Check] says the same without refusing, and adds warnings. [Select]
// picks scenarios, [Resolve] binds one to the fixtures.
package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/scenarios"
)

// SetsFile is the file of a scenario folder that names its sets.
const SetsFile = "sets.json"

// schemaKey is the field by which a file tells editors its schema.
const schemaKey = "$schema"

// notScenarios returns the JSON files at the root of a scenario folder that
// are something else.
func notScenarios() []string {
	return []string{
		SetsFile, "schema.json", "sets.schema.json", "world.schema.json", "expectations.json", "expectations.schema.json",
		"audit.json", "audit.schema.json",
	}
}

// notScenario reports whether a JSON file is something else than a scenario.
func notScenario(file string) bool {
	return slices.Contains(notScenarios(), file) || strings.HasPrefix(file, world.Folder+"/") || strings.HasPrefix(file, FilesFolder+"/")
}

var (
	scenarioSchema = sync.OnceValue(func() *jsondoc.Schema { return mustCompile("schema.json") })
	setsSchema     = sync.OnceValue(func() *jsondoc.Schema { return mustCompile("sets.schema.json") })
)

// mustCompile compiles a schema that ships with the program.
func mustCompile(file string) *jsondoc.Schema {
	data, err := scenarios.Files.ReadFile(file)
	if err != nil {
		panic(fmt.Sprintf("scenario: read schema: %v", err))
	}
	schema, err := jsondoc.CompileSchema(file, data)
	if err != nil {
		panic(fmt.Sprintf("scenario: %v", err))
	}
	return schema
}

// folder is what a scenario folder holds, as far as it fits its schemas.
type folder struct {
	sources []source
	// worlds are those that scenarios are in, by name; nil for one that cannot
	// be used.
	worlds map[string]*world.World
	// files are those of all scenarios, also of the ones with problems.
	files []string
	// sets is nil if the sets cannot be read; setsDoc says where they are.
	sets    map[string][]string
	setsDoc *jsondoc.Document
}

// source is a scenario and the file that states it.
type source struct {
	scenario bench.Scenario
	doc      *jsondoc.Document
}

func readFolder(fsys fs.FS) (folder, jsondoc.Problems) {
	files, problems := jsonFiles(fsys)
	read := folder{files: slices.DeleteFunc(files, notScenario)}
	for _, file := range read.files {
		s, found := readScenario(fsys, file)
		if len(found) == 0 {
			read.sources = append(read.sources, s)
		}
		problems = append(problems, found...)
	}
	problems = append(problems, read.readWorlds(fsys)...)
	problems = append(problems, read.readTaskFiles(fsys)...)
	doc, found := readDocument(fsys, SetsFile, setsSchema())
	if len(found) == 0 {
		read.setsDoc, read.sets = doc, setsOf(doc)
	}
	return read, append(problems, found...)
}

// knownIDs returns the ids that a set may name: those that scenarios have, and
// those that files' names promise, so that a broken file does not make every
// mention of it a problem too.
func (f folder) knownIDs() []string {
	var ids []string
	for _, file := range f.files {
		ids = append(ids, idOfFile(file))
	}
	for _, s := range f.sources {
		ids = append(ids, s.scenario.ID)
	}
	return ids
}

func idOfFile(file string) string { return strings.TrimSuffix(path.Base(file), ".json") }

// jsonFiles returns the JSON files of all folders, sorted.
func jsonFiles(fsys fs.FS) ([]string, jsondoc.Problems) {
	var files []string
	var problems jsondoc.Problems
	// The callback returns no error, so neither does WalkDir.
	_ = fs.WalkDir(fsys, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			problems = append(problems, atStart(file, "cannot be read: %v", err))
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
		case !entry.IsDir() && path.Ext(file) == ".json":
			files = append(files, file)
		}
		return nil
	})
	return files, problems
}

// readDocument reads a file and checks it against its schema.
func readDocument(fsys fs.FS, file string, schema *jsondoc.Schema) (*jsondoc.Document, jsondoc.Problems) {
	data, err := fs.ReadFile(fsys, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, jsondoc.Problems{atStart(file, "the file is missing")}
	}
	if err != nil {
		return nil, jsondoc.Problems{atStart(file, "cannot be read: %v", err)}
	}
	doc, problems := jsondoc.Parse(file, data)
	if doc == nil {
		return nil, problems
	}
	return doc, append(problems, schema.Validate(doc)...)
}

// atStart returns a problem with a file as a whole.
func atStart(file, format string, args ...any) jsondoc.Problem {
	return jsondoc.Problem{File: file, Line: 1, Column: 1, Message: fmt.Sprintf(format, args...)}
}

func readScenario(fsys fs.FS, file string) (source, jsondoc.Problems) {
	doc, problems := readDocument(fsys, file, scenarioSchema())
	if len(problems) > 0 {
		return source{}, problems
	}
	var s bench.Scenario
	if err := doc.Decode(&s); err != nil {
		return source{}, jsondoc.Problems{atStart(file, "cannot be read: %v", err)}
	}
	if s.Type == "" {
		s.Type = bench.Atomic
	}
	s.Hash = hash(doc)
	exactNumbers(&s, doc)
	return source{scenario: s, doc: doc}, nil
}

// exactNumbers takes the scenario's free-form values from the document, which
// reads whole numbers as int.
func exactNumbers(s *bench.Scenario, doc *jsondoc.Document) {
	object := func(path ...string) map[string]any {
		value, _ := doc.At(path...)
		object, _ := value.(map[string]any)
		return object
	}
	s.Input = object("input")
	read := func(r *bench.Read, path ...string) {
		r.Input, r.Variables = object(append(path, "input")...), object(append(path, "variables")...)
	}
	if e := s.Assertions.ExpectedData; e != nil {
		read(&e.Read, "assertions", "expected_data", "read")
	}
	for i := range s.Footprint {
		s.Footprint[i].Fields = object("footprint", strconv.Itoa(i), "fields")
	}
	for i := range s.Assertions.Checkpoints {
		c := &s.Assertions.Checkpoints[i]
		c.VerificationInput = object(checkpointPath(i, "verification_input")...)
		c.ExpectedValue, _ = doc.At(checkpointPath(i, "expected_value")...)
		if c.Read != nil {
			read(c.Read, checkpointPath(i, "read")...)
		}
	}
}

// hash is the SHA-256 of the document's canonical JSON, without the field that
// names the schema for editors.
func hash(doc *jsondoc.Document) string {
	content := maps.Clone(doc.Value().(map[string]any))
	delete(content, schemaKey)
	sum := sha256.Sum256([]byte(canonicalJSON(content)))
	return hex.EncodeToString(sum[:])
}

func setsOf(doc *jsondoc.Document) map[string][]string {
	sets := map[string][]string{}
	for name, value := range doc.Value().(map[string]any) {
		// The schema's name is no list.
		ids, _ := value.([]any)
		for _, id := range ids {
			sets[name] = append(sets[name], id.(string))
		}
	}
	return sets
}
