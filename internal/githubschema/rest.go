package githubschema

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Operation is an operation of the REST API.
type Operation struct {
	// Method is in upper case. Path has its variables in braces.
	Method, Path string
	// ID is GitHub's name for the operation, such as "issues/update".
	ID string
	// Documentation is the address of the page about it.
	Documentation string
	Parameters    []Parameter
	// Body is what it takes as JSON, nil if it takes none.
	Body *Shape
	// Status is that of success, and Answer the JSON then, nil if there is
	// none.
	Status int
	Answer *Shape
}

// Parameter is a part of an operation's path or query.
type Parameter struct {
	Name string
	// In is "path" or "query".
	In       string
	Required bool
	// Many is true for a variable of a path that may have slashes in it.
	Many  bool
	Shape *Shape
}

// String returns method and path, as in "GET /repos/{owner}/{repo}".
func (o *Operation) String() string { return o.Method + " " + o.Path }

//go:embed data/rest.json.gz
var restData []byte

// restDocument reads the data, which a test holds to be right.
var restDocument = sync.OnceValue(func() Document {
	document, err := Decode(unpack(restData))
	if err != nil {
		panic(fmt.Sprintf("the embedded operations: %v", err))
	}
	return document
})

// unpack returns what an embedded file holds.
func unpack(packed []byte) []byte {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(fmt.Sprintf("embedded data: %v", err))
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		panic(fmt.Sprintf("embedded data: %v", err))
	}
	return text
}

// Operations returns all operations, ordered by path and method. Do not change
// them.
func Operations() []*Operation { return restDocument().Operations }

// Paths of repositories are published by their names; links that GitHub makes
// name them by their id.
const (
	reposRoot        = "/repos/{owner}/{repo}"
	repositoriesRoot = "/repositories/{repository_id}"
)

// Find returns the operation that a request of a method to a path is: a HEAD is
// as its GET. What follows a "?" does not count. In a path that is still to be
// filled in, what is in braces is the value of a variable.
func Find(method, path string) (op *Operation, known bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	path, _, _ = strings.Cut(path, "?")
	segments := strings.Split(path, "/")
	most := -1
	for _, candidate := range Operations() {
		if candidate.Method != method {
			continue
		}
		template := candidate.Path
		if rest, is := strings.CutPrefix(template, reposRoot); is && len(segments) > 1 && segments[1] == "repositories" {
			template = repositoriesRoot + rest
		}
		if literal, is := candidate.matches(strings.Split(template, "/"), segments); is && literal > most {
			op, most = candidate, literal
		}
	}
	return op, op != nil
}

// matches reports whether a path is one of a template's, and how many of its
// segments the template names.
func (o *Operation) matches(template, path []string) (literal int, is bool) {
	if len(template) == 0 {
		return 0, len(path) == 0
	}
	name, variable := strings.CutPrefix(template[0], "{")
	name = strings.TrimSuffix(name, "}")
	switch {
	case len(path) == 0:
		// The root of a repository's files has an empty path.
		return 0, len(template) == 1 && name == "path" && o.many(name)
	case !variable && template[0] != path[0]:
		return 0, false
	case !variable:
		literal, is = o.matches(template[1:], path[1:])
		return literal + 1, is
	case path[0] == "" && name != "path":
		return 0, false
	}
	most := 1
	if o.many(name) {
		most = len(path) - len(template) + 1
	}
	for n := most; n >= 1; n-- {
		if literal, is = o.matches(template[1:], path[n:]); is {
			return literal, true
		}
	}
	return 0, false
}

// many reports whether a variable of the path may have slashes in it.
func (o *Operation) many(name string) bool {
	return slices.ContainsFunc(o.Parameters, func(p Parameter) bool { return p.Name == name && p.Many })
}
