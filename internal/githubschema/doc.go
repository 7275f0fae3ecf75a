// Package githubschema knows what GitHub has published of its APIs: the
// operations of the REST API with what they take and answer, and the GraphQL
// schema. Its tests make its data out of GitHub's documents, without their prose;
// data/NOTICE tells where those come from.
//
// The data are read when they are first asked for, and once.
package githubschema
