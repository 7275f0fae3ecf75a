package githubschema_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/githubschema"
)

// openAPI is what is read of a description.
type openAPI struct {
	Info  struct{ Version string }
	Paths map[string]map[string]operation
	// Components are what descriptions share.
	Components struct {
		Schemas    map[string]*schema
		Parameters map[string]parameter
		Responses  map[string]response
	}
}

type operation struct {
	OperationID  string
	ExternalDocs struct{ URL string }
	Parameters   []parameter
	RequestBody  struct{ Content content }
	Responses    map[string]response
}

type parameter struct {
	Ref          string `json:"$ref"`
	Name, In     string
	Required     bool
	MultiSegment bool `json:"x-multi-segment"`
	Schema       *schema
}

type response struct {
	Ref     string `json:"$ref"`
	Content content
}

// content is by media type.
type content map[string]struct{ Schema *schema }

const jsonMedia = "application/json"

// reduceREST returns the operations of a description in OpenAPI but for their
// bodies, as package githubschema embeds them.
func reduceREST(description []byte) ([]byte, error) {
	return reduced(description, false, func(r *reducer, from *openAPI, op operation, out *githubschema.Operation) {
		for _, p := range op.Parameters {
			if name, is := strings.CutPrefix(p.Ref, "#/components/parameters/"); is {
				p = from.Components.Parameters[name]
			}
			out.Parameters = append(out.Parameters, githubschema.Parameter{
				Name: p.Name, In: p.In, Required: p.Required, Many: p.MultiSegment && p.In == "path", Shape: r.parameter(p),
			})
		}
		out.Status, out.Answer = r.success(op.Responses, from.Components.Responses)
	})
}

// parameter returns the shape of a parameter, with its default if it is of a query.
func (r *reducer) parameter(p parameter) *githubschema.Shape {
	shape := r.shape(p.Schema)
	if p.In != "query" || p.Schema == nil || p.Schema.Default == nil {
		return shape
	}
	with := *shape
	with.Default = string(p.Schema.Default)
	return &with
}

// reduceRequests returns the operations of a description that take a body, with
// that and its bounds alone.
func reduceRequests(description []byte) ([]byte, error) {
	return reduced(description, true, func(r *reducer, _ *openAPI, op operation, out *githubschema.Operation) {
		out.Body = r.json(op.RequestBody.Content)
	})
}

// reduced returns the operations of a description with what fill tells of each;
// for requests those with a body, and its bounds.
func reduced(description []byte, requests bool, fill func(*reducer, *openAPI, operation, *githubschema.Operation)) ([]byte, error) {
	var from openAPI
	if err := json.Unmarshal(description, &from); err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	r := reducer{components: from.Components.Schemas, known: map[string]*githubschema.Shape{}, bounds: requests}
	to := githubschema.Document{Version: from.Info.Version}
	for _, path := range slices.Sorted(maps.Keys(from.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(from.Paths[path])) {
			op := from.Paths[path][method]
			out := &githubschema.Operation{Method: strings.ToUpper(method), Path: path, ID: op.OperationID, Documentation: op.ExternalDocs.URL}
			if fill(&r, &from, op, out); requests && out.Body == nil {
				continue
			}
			to.Operations = append(to.Operations, out)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return githubschema.Encode(to), nil
}

// success returns the status of success, and the shape of what is answered: of
// several answers the first one that is JSON. A redirect is a success where
// nothing else is.
func (r *reducer) success(responses, shared map[string]response) (status int, answer *githubschema.Shape) {
	for _, text := range slices.Sorted(maps.Keys(responses)) {
		code, err := strconv.Atoi(text)
		if err != nil || code >= http.StatusBadRequest || code == http.StatusNotModified {
			continue // "default", an error, or an answer that the client has
		}
		given := responses[text]
		if name, is := strings.CutPrefix(given.Ref, "#/components/responses/"); is {
			given = shared[name]
		}
		if shape := r.json(given.Content); shape != nil && code < http.StatusMultipleChoices {
			return code, shape
		}
		status = cmp.Or(status, code)
	}
	return status, nil
}

// json returns the shape of content that is JSON, nil if none is.
func (r *reducer) json(c content) *githubschema.Shape {
	if media, has := c[jsonMedia]; has {
		return r.shape(media.Schema)
	}
	return nil
}
