package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// published are the operations that take a body.
type published struct {
	// byPattern has them by the pattern of the route that serves each.
	byPattern map[string]*githubschema.Operation
	// inside are those of [insideOthers].
	inside []*githubschema.Operation
}

// publishedBodies are read when the first request has one.
var publishedBodies = sync.OnceValue(func() published {
	byName := map[string]*githubschema.Operation{}
	for _, op := range githubschema.Requests() {
		byName[unnamed(op.String())] = op
	}
	all := published{byPattern: map[string]*githubschema.Operation{}}
	for _, rt := range routes() {
		all.byPattern[rt.pattern] = byName[unnamed(strings.Replace(rt.pattern, "/organizations/{org_id}/team/", "/teams/", 1))]
	}
	for _, name := range insideOthers {
		if op := byName[unnamed(name)]; op != nil {
			all.inside = append(all.inside, op)
		}
	}
	return all
})

// published returns what GitHub has published of the body that a request takes,
// nil if it takes none.
func (op *operation) published(c *call) *githubschema.Operation {
	if !op.writes() {
		return nil
	}
	all := publishedBodies()
	if known := all.byPattern[op.pattern]; known != nil {
		return known
	}
	for _, one := range all.inside {
		if one.Method == c.Method && endsAs(c.URL.Path, strings.TrimPrefix(one.Path, reposPath)) {
			return one
		}
	}
	return nil
}

// requiresNothing reports whether the body of a request has no field that must be
// there.
func (op *operation) requiresNothing(c *call) bool {
	known := op.published(c)
	return known != nil && known.Body != nil && !slices.ContainsFunc(known.Body.Fields, func(f githubschema.Field) bool { return !f.Optional })
}

// endsAs reports whether a path ends with parts as in a pattern.
func endsAs(path, pattern string) bool {
	have, want := strings.Split(path, "/"), strings.Split(strings.TrimPrefix(pattern, "/"), "/")
	if len(have) < len(want) {
		return false
	}
	for n, part := range have[len(have)-len(want):] {
		if part != want[n] && !strings.HasPrefix(want[n], "{") {
			return false
		}
	}
	return true
}

// refuseBody returns the refusal of a request whose body is not what GitHub has
// published, or of which the handler has read less than GitHub does; nil for
// others. What the handler says of who asks and of what is there goes before, as
// with GitHub, and what it says of the values that are asked for comes after.
//
// The caller takes back what a refused request has changed.
func (op *operation) refuseBody(c *call, answer reply, failed error) *Response {
	if answer.status >= http.StatusMultipleChoices {
		return nil
	}
	if problem, isProblem := errors.AsType[*model.Problem](failed); failed != nil && !(isProblem && problem.Kind == model.Invalid) {
		return nil
	}
	known := op.published(c)
	if known == nil || failed != nil && op.ownWords {
		return nil
	}
	value, err := op.value(c, known)
	if err != nil {
		return new(errorResponse(err))
	}
	if _, isList := value.([]any); isList && known.Body.Kind == githubschema.Object {
		// The handler takes what GitHub takes without telling.
		return nil
	}
	shape := freed(known.Body, value, op.freeing)
	if complaints := shape.Complaints(value); len(complaints) > 0 {
		refusal := documented(http.StatusUnprocessableEntity, known.Documentation, invalidBody+"\n\n"+strings.Join(complaints, "\n"))
		return &refusal
	}
	dropped := c.undecoded
	if failed == nil {
		dropped = kept(answer, unread(known.Body, value, c.read, ""), value)
	}
	if len(dropped) == 0 {
		return nil
	}
	return lackingFields(known, dropped)
}

// freed returns the shape of a value without what must be there beside a field that is,
// which [particulars] name with dots between the objects that it is in.
func freed(shape *githubschema.Shape, value any, freeing string) *githubschema.Shape {
	name, rest, deeper := strings.Cut(freeing, ".")
	object, isObject := value.(map[string]any)
	if !isObject || object[name] == nil {
		return shape
	}
	free := *shape
	free.Fields = slices.Clone(shape.Fields)
	for n := range free.Fields {
		switch field := &free.Fields[n]; {
		case !deeper:
			field.Optional = true
		case field.Name == name:
			field.Shape = freed(field.Shape, object[name], rest)
		}
	}
	return &free
}

// invalidBody begins what GitHub says of a body that is not as published.
const invalidBody = "Invalid request."

// value returns the body of a request, as [githubschema.Shape.Complaints] takes
// one. An empty body is an empty object; a request to delete may have its fields
// in the query instead.
func (op *operation) value(c *call, known *githubschema.Operation) (any, error) {
	object := map[string]any{}
	if body := bytes.TrimSpace(c.body); len(body) > 0 {
		if !json.Valid(body) {
			return nil, errNoJSON
		}
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, errNoJSON
		}
		var isObject bool
		if object, isObject = value.(map[string]any); !isObject {
			if known.Body.Kind == githubschema.Object && !op.listToo {
				return nil, errNoObject
			}
			return value, nil
		}
	}
	if c.Method == http.MethodDelete {
		for name, values := range c.URL.URL.Query() {
			if _, has := object[name]; !has {
				object[name] = values[0]
			}
		}
	}
	return object, nil
}

// kept takes out of fields what an answer shows to be as was asked for.
func kept(answer reply, fields []string, value any) []string {
	if len(fields) == 0 {
		return nil
	}
	text, err := encode(answer.body)
	if err != nil {
		return fields
	}
	var shown map[string]json.RawMessage
	if json.Unmarshal(text, &shown) != nil {
		return fields
	}
	asked, _ := value.(map[string]any)
	return slices.DeleteFunc(fields, func(name string) bool {
		want, err := encode(asked[name])
		return err == nil && bytes.Equal(want, shown[name])
	})
}

// lackingFields is the refusal of a request that says something that GitHub
// takes and the sandbox does not (rule S20).
func lackingFields(op *githubschema.Operation, fields []string) *Response {
	body := errorBody{Message: fmt.Sprintf("This sandbox does not have %s of %s yet; GitHub does.", strings.Join(fields, ", "), op), DocumentationURL: op.Documentation}
	refusal := body.response(http.StatusNotImplemented)
	for _, name := range fields {
		refusal.Lacking = append(refusal.Lacking, op.String()+" "+name)
	}
	return &refusal
}
