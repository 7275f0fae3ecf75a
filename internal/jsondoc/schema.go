package jsondoc

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Schema is a compiled JSON Schema, draft 2020-12. It is safe for concurrent
// use.
type Schema struct {
	compiled *jsonschema.Schema
	source   *node
}

// CompileSchema compiles a schema that stands alone: references into it are
// followed, others are errors. Errors are of kind internal, since schemas are
// part of the program.
func CompileSchema(file string, data []byte) (*Schema, error) {
	document, problems := Parse(file, data)
	if len(problems) > 0 {
		return nil, fault.Internalf("read schema: %w", problems)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	address := "embedded:///" + file
	_ = compiler.AddResource(address, document.Value()) // What is wrong, Compile says.
	compiled, err := compiler.Compile(address)
	if err != nil {
		return nil, fault.Internalf("compile schema %q: %w", file, err)
	}
	return &Schema{compiled: compiled, source: document.root}, nil
}

// noLoader keeps schemas from reading files.
type noLoader struct{}

func (noLoader) Load(address string) (any, error) {
	return nil, fmt.Errorf("%s is not part of the program", address)
}

// Validate returns what is wrong with the document, sorted: one problem for
// each defect, at the value that has it, or at the name of a field that should
// not be there.
func (s *Schema) Validate(document *Document) Problems {
	err := s.compiled.Validate(document.Value())
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	t := translation{document: document, schema: s.source, meant: map[string]bool{}}
	return t.translate(invalid).Sorted()
}

// at returns the part of the schema that an error's URL points to.
func (n *node) at(schemaURL string) *node {
	_, fragment, _ := strings.Cut(schemaURL, "#")
	pointer, _ := url.PathUnescape(fragment)
	var path []string
	for _, token := range strings.Split(pointer, "/")[1:] {
		path = append(path, strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
	}
	found, _ := n.follow(path)
	return found
}

// Show writes a value for a message: scalars as JSON, long strings shortened,
// objects and arrays by name.
func Show(value any) string {
	switch value := value.(type) {
	case string:
		return strconv.Quote(clip(value))
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	default:
		return fmt.Sprint(value)
	}
}
