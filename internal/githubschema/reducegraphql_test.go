package githubschema_test

import (
	"bytes"
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// reduceGraphQL returns a schema without its descriptions and directives but
// "deprecated", as package githubschema embeds it. A field that a type has
// twice is there once: version 15.26.1 of GitHub's has such.
func reduceGraphQL(published []byte) ([]byte, error) {
	document, err := parser.ParseSchemas(validator.Prelude, &ast.Source{Name: "schema.graphql", Input: string(published)})
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	for _, definition := range document.Definitions {
		definition.Fields = once(definition.Fields)
		definition.Directives = nil
		for _, f := range definition.Fields {
			f.Directives = deprecated(f.Directives)
			for _, argument := range f.Arguments {
				argument.Directives = nil
			}
		}
		for _, value := range definition.EnumValues {
			value.Directives = nil
		}
	}
	document.Directives = builtIn(document.Directives)
	schema, err := validator.ValidateSchemaDocument(document)
	if err != nil {
		return nil, fmt.Errorf("check the schema: %w", err)
	}
	var text bytes.Buffer
	formatter.NewFormatter(&text, formatter.WithIndent(""), formatter.WithoutDescription()).FormatSchema(schema)
	return text.Bytes(), nil
}

func once(fields ast.FieldList) ast.FieldList {
	var all ast.FieldList
	for _, f := range fields {
		if all.ForName(f.Name) == nil {
			all = append(all, f)
		}
	}
	return all
}

// deprecated keeps that a field is deprecated, without the reason.
func deprecated(directives ast.DirectiveList) ast.DirectiveList {
	directive := directives.ForName("deprecated")
	if directive == nil {
		return nil
	}
	directive.Arguments = nil
	return ast.DirectiveList{directive}
}

func builtIn(all ast.DirectiveDefinitionList) ast.DirectiveDefinitionList {
	var kept ast.DirectiveDefinitionList
	for _, d := range all {
		if d.Position.Src.BuiltIn {
			kept = append(kept, d)
		}
	}
	return kept
}
