package sandboxtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/sandbox"
)

// checkGraphQL compares the selected fields with the schema, and the answer's
// values with the fields' types.
func checkGraphQL(x sandbox.Heard) []string {
	schema := githubschema.GraphQL()
	var request struct{ Query, OperationName string }
	if json.Unmarshal(x.Body, &request) != nil || x.Status != http.StatusOK {
		return nil
	}
	document, err := parser.ParseQuery(&ast.Source{Input: request.Query})
	if err != nil {
		return nil
	}
	operation := document.Operations.ForName(request.OperationName)
	var answer struct {
		Data   map[string]any
		Errors []any
	}
	decoder := json.NewDecoder(bytes.NewReader(x.Answer))
	decoder.UseNumber()
	if decoder.Decode(&answer) != nil {
		return []string{fmt.Sprintf("%.60q: the answer is no JSON object", request.Query)}
	}
	if operation == nil {
		// It is not said which of several is meant.
		return nil
	}
	j := &graphQLJudge{schema: schema, fragments: document.Fragments, failed: len(answer.Errors) > 0}
	root := schema.Query
	if operation.Operation == ast.Mutation {
		root = schema.Mutation
	}
	if answer.Data == nil {
		return nil
	}
	j.object(root, operation.SelectionSet, answer.Data)
	return j.complaints
}

// graphQLJudge walks through an answer beside its document.
type graphQLJudge struct {
	schema    *ast.Schema
	fragments ast.FragmentDefinitionList
	// failed is true for answers with errors, in which anything may be null.
	failed     bool
	complaints []string
}

func (j *graphQLJudge) complain(format string, args ...any) {
	j.complaints = append(j.complaints, fmt.Sprintf("GraphQL: "+format, args...))
}

// object compares an object with what was selected of its type.
func (j *graphQLJudge) object(typ *ast.Definition, selected ast.SelectionSet, got map[string]any) {
	concrete := typ
	if name, _ := got["__typename"].(string); name != "" && j.schema.Types[name] != nil {
		concrete = j.schema.Types[name]
		if possible := j.schema.GetPossibleTypes(typ); len(possible) > 0 && !slices.Contains(possible, concrete) {
			j.complain("%s cannot be a %s", typ.Name, name)
		}
	}
	for _, selection := range selected {
		switch s := selection.(type) {
		case *ast.Field:
			j.field(concrete, typ, s, got)
		case *ast.InlineFragment:
			j.fragment(typ, concrete, s.TypeCondition, s.SelectionSet, got)
		case *ast.FragmentSpread:
			if f := j.fragments.ForName(s.Name); f != nil {
				j.fragment(typ, concrete, f.TypeCondition, f.SelectionSet, got)
			}
		}
	}
}

// fragment compares what is selected of another type, as far as the object is
// known to be of it.
func (j *graphQLJudge) fragment(typ, concrete *ast.Definition, condition string, selected ast.SelectionSet, got map[string]any) {
	on := j.schema.Types[condition]
	switch {
	case condition == "" || condition == typ.Name:
		j.object(typ, selected, got)
	case on == nil:
		j.complain("there is no type %s", condition)
	case on == concrete || slices.Contains(j.schema.GetPossibleTypes(on), concrete):
		j.object(on, selected, got)
	}
}

func (j *graphQLJudge) field(concrete, typ *ast.Definition, f *ast.Field, got map[string]any) {
	if f.Name == "__typename" || f.Name == "__type" || f.Name == "__schema" {
		return
	}
	definition := typ.Fields.ForName(f.Name)
	if definition == nil {
		definition = concrete.Fields.ForName(f.Name)
	}
	if definition == nil {
		j.complain("%s.%s is not in the schema", typ.Name, f.Name)
		return
	}
	key := f.Alias
	value, there := got[key]
	if !there && len(f.Directives) == 0 && concrete == typ {
		j.complain("%s.%s was asked for and is not there", typ.Name, f.Name)
	}
	if there {
		j.value(typ.Name+"."+f.Name, definition.Type, f.SelectionSet, value)
	}
}

func (j *graphQLJudge) value(at string, typ *ast.Type, selected ast.SelectionSet, value any) {
	if value == nil {
		if typ.NonNull && !j.failed {
			j.complain("%s is null, which %s is not", at, typ)
		}
		return
	}
	if typ.Elem != nil {
		list, isList := value.([]any)
		if !isList {
			j.complain("%s is no list", at)
		}
		for _, element := range list {
			j.value(at, typ.Elem, selected, element)
		}
		return
	}
	definition := j.schema.Types[typ.NamedType]
	if object, isObject := value.(map[string]any); isObject && definition.IsCompositeType() {
		j.object(definition, selected, object)
		return
	}
	if !leafOf(definition, value) {
		j.complain("%s is %v, which is no %s", at, value, typ.NamedType)
	}
}

var (
	dateTime = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`)
	date     = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	hash     = regexp.MustCompile(`^[0-9a-f]{40}$`)
	whole    = regexp.MustCompile(`^-?\d+$`)
)

// leafOf reports whether a value is one of a scalar or an enum.
func leafOf(definition *ast.Definition, value any) bool {
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	switch definition.Name {
	case "Int":
		return isNumber && whole.MatchString(number.String())
	case "Float":
		return isNumber
	case "Boolean":
		_, isBool := value.(bool)
		return isBool
	case "DateTime", "PreciseDateTime":
		return dateTime.MatchString(text)
	case "Date":
		return date.MatchString(text)
	case "GitObjectID":
		return hash.MatchString(text)
	case "BigInt":
		return isText && whole.MatchString(text)
	}
	if definition.Kind == ast.Enum {
		return definition.EnumValues.ForName(text) != nil
	}
	return isText
}
