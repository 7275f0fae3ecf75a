package gql

import "github.com/vektah/gqlparser/v2/ast"

// Schema returns the API's schema.
func Schema(a *API) *ast.Schema { return a.engine.Schema() }
