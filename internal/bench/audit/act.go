package audit

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/jq"
)

// act is one thing that a request has GitHub do: a REST operation, or one field
// of a mutation.
type act struct {
	// operation is "PATCH /repos/{owner}/{repo}/issues/{issue_number}" or
	// "mutation closeIssue".
	operation string
	// params are the variables of a REST operation's path, by name.
	params map[string]string
	// input is the body, or the mutation's argument "input"; nil for none.
	input any
	// shape is what the input can be, nil where that is not known.
	shape *githubschema.Shape
	// opaque is true if it is not known how to tell the parts of the request,
	// as with a push of git.
	opaque bool
}

// mutationPrefix begins the operation of an act of the GraphQL API.
const mutationPrefix = "mutation "

// mutation returns the name of the mutation that the act is.
func (a act) mutation() (name string, is bool) { return strings.CutPrefix(a.operation, mutationPrefix) }

// name is short for the operation: the mutation's name, or the method and the
// last parts of the path that are no variables.
func (a act) name() string {
	if name, is := a.mutation(); is {
		return name
	}
	method, path, _ := strings.Cut(a.operation, " ")
	path = strings.TrimPrefix(path, "/repos/{owner}/{repo}")
	var fixed []string
	for segment := range strings.SplitSeq(path, "/") {
		if segment != "" && !strings.HasPrefix(segment, "{") {
			fixed = append(fixed, segment)
		}
	}
	return method + " " + strings.Join(fixed, "/")
}

// request is one HTTP request to GitHub.
type request struct {
	// method, host and uri are as the agent sent them; the uri has the query.
	method, host, uri string
	header            http.Header
	body              []byte
	// wrote is true if it may have changed something.
	wrote bool
	// acts are what a request does that wrote.
	acts []act
}

// apiHost is the name of GitHub's APIs, graphqlPath ends the path of a request
// to the GraphQL one.
const (
	apiHost     = "api.github.com"
	graphqlPath = "/graphql"
)

func (r request) path() string {
	path, _, _ := strings.Cut(r.uri, "?")
	return path
}

// graphql reports whether the request goes to the GraphQL API.
func (r request) graphql() bool {
	return r.method == http.MethodPost && strings.HasSuffix(r.path(), graphqlPath)
}

// understand returns what a request does.
func understand(r request) []act {
	unknown := []act{{operation: r.method + " " + r.path(), opaque: true}}
	if r.graphql() {
		if acts := mutations(r.body); len(acts) > 0 {
			return acts
		}
		return unknown
	}
	operation, known := githubschema.Find(r.method, r.path())
	if !known || r.host != apiHost && !onLoopback(r.host) {
		return unknown
	}
	a := act{operation: operation.String(), params: variablesOf(operation.Path, r.path()), shape: operation.Body}
	if len(r.body) > 0 {
		var err error
		if a.input, err = jq.Decode(r.body); err != nil {
			return unknown
		}
	}
	return []act{a}
}

// onLoopback reports whether a host is the recorder's own.
func onLoopback(host string) bool { return strings.HasPrefix(host, "127.0.0.1:") }

// variablesOf returns the variables of a path that fits a template.
func variablesOf(template, path string) map[string]string {
	names, values := strings.Split(template, "/"), strings.Split(path, "/")
	params := map[string]string{}
	for i, name := range names {
		name, isVariable := strings.CutPrefix(name, "{")
		if !isVariable || i >= len(values) {
			continue
		}
		value := values[i]
		if i == len(names)-1 {
			value = strings.Join(values[i:], "/") // a path of a file has slashes
		}
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		params[strings.TrimSuffix(name, "}")] = value
	}
	return params
}

// with returns the requests that do other acts in the place of the request's
// own. They are of the API that it goes to.
func (r request) with(acts []act) []request {
	if len(acts) == 0 {
		return nil
	}
	if r.graphql() && !acts[0].opaque {
		r.acts, r.body = acts, mutationBody(acts)
		return []request{r}
	}
	_, query, hasQuery := strings.Cut(r.uri, "?")
	var requests []request
	for _, a := range acts {
		r.acts = []act{a}
		if !a.opaque {
			method, path, _ := strings.Cut(a.operation, " ")
			r.method, r.uri, r.body = method, filled(path, a.params), nil
			if hasQuery {
				r.uri += "?" + query
			}
			if a.input != nil {
				r.body = []byte(encode(a.input))
			}
		}
		requests = append(requests, r)
	}
	return requests
}

// filled fills the variables of a path in.
func filled(template string, params map[string]string) string {
	segments := strings.Split(template, "/")
	for i, segment := range segments {
		name, is := strings.CutPrefix(segment, "{")
		if !is {
			continue
		}
		name = strings.TrimSuffix(name, "}")
		segments[i] = url.PathEscape(params[name])
		if slices.Contains(withSlashes, name) {
			segments[i] = strings.ReplaceAll(segments[i], "%2F", "/")
		}
	}
	return strings.Join(segments, "/")
}

// withSlashes are the variables of paths whose values have slashes as they are.
var withSlashes = []string{"path", "ref", "branch"}

// request returns a request that does one thing by itself.
func (a act) request() request {
	r := request{method: http.MethodPost, host: apiHost, header: http.Header{"Content-Type": {"application/json"}}, wrote: true}
	if _, is := a.mutation(); is {
		r.uri = graphqlPath
	}
	return r.with([]act{a})[0]
}

// words say what an act does.
func (a act) words() string {
	if name, is := a.mutation(); is {
		return fmt.Sprintf("%s %s", name, brief(encode(a.input)))
	}
	method, path, _ := strings.Cut(a.operation, " ")
	text := method + " " + filled(path, a.params)
	if a.input != nil {
		text += " " + brief(encode(a.input))
	}
	return text
}

// maxWords is how many characters of a body a sentence has.
const maxWords = 160

func brief(text string) string {
	if runes := []rune(text); len(runes) > maxWords {
		return string(runes[:maxWords-1]) + "…"
	}
	return text
}

// deed is an act at its place in a recording.
type deed struct {
	act
	// sent is the index of its request, within that among the request's acts.
	sent, within int
}

// deeds lists what a recording's requests do, in order.
func (r recording) deeds() []deed {
	var all []deed
	for i, request := range r.requests {
		for j, a := range request.acts {
			all = append(all, deed{a, i, j})
		}
	}
	return all
}

// instead returns the requests with others acts in the place of one.
func (r recording) instead(of deed, acts ...act) []request {
	changed := slices.Replace(slices.Clone(r.requests[of.sent].acts), of.within, of.within+1, acts...)
	return slices.Replace(slices.Clone(r.requests), of.sent, of.sent+1, r.requests[of.sent].with(changed)...)
}
