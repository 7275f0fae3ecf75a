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

// restData are operations without the bodies that they take, and requestData
// those bodies: who looks at requests alone need not wait for all the rest.
var (
	//go:embed data/rest.json.gz
	restData []byte
	//go:embed data/requests.json.gz
	requestData []byte
)

// restDocument reads the data, which a test holds to be right.
var restDocument = sync.OnceValue(func() Document {
	document := decoded(restData)
	bodies := map[string]*Shape{}
	for _, op := range Requests() {
		bodies[op.String()] = op.Body
	}
	for _, op := range document.Operations {
		op.Body = bodies[op.String()]
	}
	return document
})

var requestDocument = sync.OnceValue(func() Document { return decoded(requestData) })

func decoded(data []byte) Document {
	document, err := Decode(unpack(data))
	if err != nil {
		panic(fmt.Sprintf("the embedded operations: %v", err))
	}
	return document
}

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

// Requests returns the operations that take a body, ordered by path and method,
// without what else [Operations] tells than their names, documentation and body.
// They are read sooner. Do not change them.
func Requests() []*Operation { return requestDocument().Operations }

// segment is a part of an operation's path between slashes.
type segment struct {
	// literal is the text of what is no variable.
	literal  string
	variable bool
	// many variables may have slashes in them, and empty ones be empty.
	many, empty bool
}

// templates are the paths of operations by method. That of a repository is
// published by the repository's name, and answers have links by its id.
var templates = sync.OnceValue(func() map[string][]template {
	all := map[string][]template{}
	for _, op := range Operations() {
		path := segmentsOf(op)
		all[op.Method] = append(all[op.Method], template{op, path})
		if strings.HasPrefix(op.Path, "/repos/{owner}/{repo}") {
			const names = 4 // "", "repos", owner and name
			byID := append([]segment{{}, {literal: "repositories"}, {variable: true}}, path[names:]...)
			all[op.Method] = append(all[op.Method], template{op, byID})
		}
	}
	return all
})

type template struct {
	op   *Operation
	path []segment
}

func segmentsOf(op *Operation) []segment {
	var path []segment
	for part := range strings.SplitSeq(op.Path, "/") {
		name, variable := strings.CutPrefix(part, "{")
		name = strings.TrimSuffix(name, "}")
		if !variable {
			path = append(path, segment{literal: part})
			continue
		}
		many := slices.ContainsFunc(op.Parameters, func(p Parameter) bool { return p.Name == name && p.Many })
		// The root of a repository's files has an empty path.
		path = append(path, segment{variable: true, many: many, empty: name == "path"})
	}
	return path
}

// Find returns the operation that a request of a method to a path is: a HEAD is
// as its GET. What follows a "?" does not count. In a path that is still to be
// filled in, what is in braces is the value of a variable.
func Find(method, path string) (op *Operation, known bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	most := noMatch
	for _, candidate := range templates()[method] {
		if literal := matches(candidate.path, parts); literal > most {
			op, most = candidate.op, literal
		}
	}
	return op, op != nil
}

// matches returns how many of a path's parts a template names, noMatch if the
// path is none of the template's.
func matches(path []segment, parts []string) int {
	literal := 0
	for n, s := range path {
		if len(parts) == n {
			if s.empty {
				return literal
			}
			return noMatch
		}
		switch {
		case !s.variable && s.literal == parts[n]:
			literal++
		case !s.variable || parts[n] == "" && !s.empty:
			return noMatch
		case s.many:
			// As much as can be goes into the variable.
			for rest := len(parts); rest > n; rest-- {
				if below := matches(path[n+1:], parts[rest:]); below != noMatch {
					return literal + below
				}
			}
			return noMatch
		}
	}
	if len(parts) > len(path) {
		return noMatch
	}
	return literal
}

const noMatch = -1
