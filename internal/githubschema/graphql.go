package githubschema

import (
	_ "embed"
	"fmt"
	"sync"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

//go:embed data/schema.graphql.gz
var schemaData []byte

// newerSchema is what GitHub has and its published schema lacks: that one lags
// behind.
//
//go:embed data/newer.graphql
var newerSchema string

// GraphQL returns GitHub's GraphQL schema, without descriptions. Do not change
// it.
func GraphQL() *ast.Schema { return graphqlSchema() }

var graphqlSchema = sync.OnceValue(func() *ast.Schema {
	schema, err := gqlparser.LoadSchema(
		&ast.Source{Name: "schema.graphql", Input: string(unpack(schemaData))}, &ast.Source{Name: "newer.graphql", Input: newerSchema},
	)
	if err != nil {
		panic(fmt.Sprintf("the embedded GraphQL schema: %v", err))
	}
	return schema
})

// Formats of strings that only GraphQL names.
const (
	formatID     = "id"
	formatCommit = "commit"
	formatDigits = "digits"
)

// scalar returns the shape of a scalar.
func scalar(name string) *Shape {
	switch name {
	case "Int":
		return &Shape{Kind: Integer}
	case "Float":
		return &Shape{Kind: Number}
	case "Boolean":
		return &Shape{Kind: Boolean}
	}
	formats := map[string]string{
		"DateTime": "date-time", "PreciseDateTime": "date-time", "GitTimestamp": "date-time", "Date": "date", "URI": "uri",
		"ID": formatID, "GitObjectID": formatCommit, "BigInt": formatDigits,
	}
	return &Shape{Kind: String, Format: formats[name]}
}

// leaf returns the shape of a scalar or an enum.
func leaf(definition *ast.Definition) *Shape {
	if definition.Kind != ast.Enum {
		return scalar(definition.Name)
	}
	shape := &Shape{Kind: String}
	for _, value := range definition.EnumValues {
		shape.Enum = append(shape.Enum, value.Name)
	}
	return shape
}

// wrapped puts the lists of a type around the shape of what is in them.
func wrapped(t *ast.Type, base *Shape) *Shape {
	shape := base
	if t.Elem != nil {
		shape = &Shape{Kind: List, Elem: wrapped(t.Elem, base)}
	}
	if !t.NonNull {
		return shape.OrNull()
	}
	return shape
}
