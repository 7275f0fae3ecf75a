// Package reduce makes the data of package githubschema out of what GitHub has
// published: its description of the REST API in OpenAPI 3.0, and its GraphQL
// schema. `make schemas` runs it.
package reduce
