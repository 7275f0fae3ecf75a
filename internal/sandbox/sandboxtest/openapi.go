package sandboxtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ghx-dev/bench-action/internal/sandbox"
)

// openAPI is GitHub's description of its REST API.
type openAPI struct {
	doc      map[string]any
	compiler *jsonschema.Compiler
	mu       sync.Mutex
	schemas  map[string]*jsonschema.Schema
	paths    []apiPath
}

// apiPath is a path of the description in its parts.
type apiPath struct {
	template string
	parts    []string
}

// describedVersion is the version of the API that the description is of: it has what
// later ones have taken away.
const describedVersion = "2022-11-28"

// openAPIURL names the description in references.
const openAPIURL = "https://api.github.com/openapi.json"

// loadOpenAPI reads the description once; nil where there is none.
var loadOpenAPI = sync.OnceValue(func() *openAPI {
	data, has := published()
	if !has {
		return nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	a := &openAPI{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	a.doc, _ = nullable(doc).(map[string]any)
	a.compiler.DefaultDraft(jsonschema.Draft4)
	a.compiler.AssertFormat()
	// The validator knows templates without operators only.
	a.compiler.RegisterFormat(&jsonschema.Format{Name: "uri-template", Validate: func(any) error { return nil }})
	if err := a.compiler.AddResource(openAPIURL, a.doc); err != nil {
		panic(err)
	}
	paths, _ := a.doc["paths"].(map[string]any)
	for template := range paths {
		a.paths = append(a.paths, apiPath{template, strings.Split(template, "/")})
	}
	return a
})

// nullable turns OpenAPI's word for what may be null into JSON Schema's.
func nullable(value any) any {
	switch v := value.(type) {
	case []any:
		for n := range v {
			v[n] = nullable(v[n])
		}
	case map[string]any:
		for key := range v {
			v[key] = nullable(v[key])
		}
		if v["nullable"] != true {
			return v
		}
		delete(v, "nullable")
		return map[string]any{"anyOf": []any{v, map[string]any{"enum": []any{nil}}}}
	}
	return value
}

// find returns the template of a path, the one with most literal parts; empty
// if there is none. One part of a template may stand for several.
func (a *openAPI) find(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) > 2 && parts[1] == "repositories" {
		parts = append([]string{"", "repos", "{owner}", "{repo}"}, parts[3:]...)
	}
	best, most := "", -1
	for _, p := range a.paths {
		if n := matched(p.parts, parts); n > most || n == most && p.template < best {
			best, most = p.template, n
		}
	}
	return best
}

// matched returns how many parts of a path a template names, -1 if the path is
// none of its.
func matched(template, path []string) int {
	more := len(path) - len(template)
	if many := slices.IndexFunc(template, manyParts); more > 0 && many >= 0 {
		path = slices.Concat(path[:many], []string{strings.Join(path[many:many+more+1], "/")}, path[many+more+1:])
	}
	if len(path) != len(template) {
		return -1
	}
	literal := 0
	for n, part := range template {
		switch {
		case part == path[n]:
			literal++
		case !strings.Contains(part, "{"):
			return -1
		}
	}
	return literal
}

// manyParts reports whether a part of a template may have slashes in it: a path or
// the name of a ref or label.
func manyParts(part string) bool {
	return slices.Contains([]string{"{path}", "{ref}", "{branch}", "{tag}", "{basehead}", "{name}"}, part)
}

var (
	olderStatuses = regexp.MustCompile(`^(/repos/[^/]+/[^/]+|/repositories/[^/]+)/statuses/(.+)$`)
	teamOfAnswers = regexp.MustCompile(`^/organizations/\d+/team/(\d+)`)
)

// described returns the path that GitHub describes of one that it answers at:
// two are older, one is a slash short, and answers name teams by another.
func described(x sandbox.Heard) string {
	switch {
	case teamOfAnswers.MatchString(x.Path):
		return teamOfAnswers.ReplaceAllString(x.Path, "/teams/$1")
	case x.Method != http.MethodGet:
		return x.Path
	case strings.HasSuffix(x.Path, "/contents"):
		return x.Path + "/"
	default:
		return olderStatuses.ReplaceAllString(x.Path, "$1/commits/$2/statuses")
	}
}

// checkREST compares an exchange with the description.
func checkREST(x sandbox.Heard) []string {
	a := loadOpenAPI()
	if version := x.Header.Get("X-GitHub-Api-Version-Selected"); a == nil || version != describedVersion {
		return nil
	}
	if x.Method == http.MethodHead {
		x.Method = http.MethodGet
	}
	template := a.find(described(x))
	operation, known := a.at("paths", template, strings.ToLower(x.Method))
	if template == "" || !known {
		if x.Status < 400 && !undescribed.MatchString(x.Path) {
			return []string{fmt.Sprintf("%s %s: the description has no such operation", x.Method, x.Path)}
		}
		return nil
	}
	name := fmt.Sprintf("%s %s: %d", x.Method, template, x.Status)
	if a.excused(name) {
		return nil
	}
	complaints := a.compare(name, operation, []string{"paths", template, strings.ToLower(x.Method)}, x)
	if x.Status == http.StatusOK && feeds.MatchString(template) {
		complaints = a.ofFeed(complaints, x)
	}
	return complaints
}

// undescribed are paths that GitHub answers and no longer describes: a ref by the
// list's name, archives of the default branch, and POST to a gist, by which gh changes it.
var undescribed = regexp.MustCompile(`^/(repos/[^/]+/[^/]+|repositories/\d+)/(git/refs/.+|zipball|tarball)$|^/gists/[^/]+$`)

// at returns what is at a place of the description; references are followed.
func (a *openAPI) at(place ...string) (map[string]any, bool) {
	value := a.doc
	for _, key := range place {
		next, ok := value[key].(map[string]any)
		if !ok {
			return nil, false
		}
		value = next
		if ref, isRef := value["$ref"].(string); isRef {
			if value, ok = a.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...); !ok {
				return nil, false
			}
		}
	}
	return value, true
}

// compare compares an answer with an operation.
func (a *openAPI) compare(name string, operation map[string]any, place []string, x sandbox.Heard) []string {
	responses, _ := operation["responses"].(map[string]any)
	status := strconv.Itoa(x.Status)
	if _, listed := responses[status]; !listed {
		if x.Status >= 400 || x.Status == 304 {
			// Few of the errors that an operation may have are listed.
			return a.validate(name, []string{"components", "schemas", "basic-error"}, x)
		}
		return []string{name + " is a status that the description does not list"}
	}
	place = append(place, "responses", status)
	response, _ := a.at(place...)
	content, _ := response["content"].(map[string]any)
	media, _, err := mime.ParseMediaType(x.Header.Get("Content-Type"))
	switch {
	case len(content) == 0 || len(x.Answer) == 0 || !strings.HasSuffix(media, "json"):
		return nil
	case strings.Contains(x.Accept, "application/octet-stream"):
		// A file as it was uploaded, which may be JSON itself.
		return nil
	case err != nil:
		return []string{fmt.Sprintf("%s: content type %q", name, x.Header.Get("Content-Type"))}
	}
	as := "application/json"
	if _, has := content[as]; !has {
		as = cmp.Or(media, as)
	}
	for shape := range content {
		if shape != "application/json" && slices.ContainsFunc(strings.Split(x.Accept, ","), func(asked string) bool { return unversioned(asked) == unversioned(shape) }) {
			as = shape
		}
	}
	// The place of a referenced response is another one.
	raw, _ := a.raw(place)
	if ref, isRef := raw["$ref"].(string); isRef {
		place = strings.Split(strings.TrimPrefix(ref, "#/"), "/")
	}
	return a.validate(name, append(place, "content", as, "schema"), x)
}

// unversioned is a media type of GitHub's without the version of its API, as in v3.star.
func unversioned(media string) string {
	media, _, _ = strings.Cut(strings.TrimSpace(media), ";")
	return strings.Replace(media, "vnd.github.v3.", "vnd.github.", 1)
}

// raw is at without following a reference at the end.
func (a *openAPI) raw(place []string) (map[string]any, bool) {
	parent, ok := a.at(place[:len(place)-1]...)
	if !ok {
		return nil, false
	}
	value, ok := parent[place[len(place)-1]].(map[string]any)
	return value, ok
}

// validate compares an answer with the schema at a place.
func (a *openAPI) validate(name string, place []string, x sandbox.Heard) []string {
	schema, err := a.compile(place)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", name, err)}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(x.Answer))
	if len(x.Answer) == 0 {
		return nil
	}
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", name, err)}
	}
	err = schema.Validate(value)
	if failed, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return a.complaints(name, failed)
	}
	return nil
}

func (a *openAPI) compile(place []string) (*jsonschema.Schema, error) {
	var pointer strings.Builder
	for _, key := range place {
		pointer.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(key))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.schemas[pointer.String()]; known != nil {
		return known, nil
	}
	schema, err := a.compiler.Compile(openAPIURL + "#" + pointer.String())
	a.schemas[pointer.String()] = schema
	return schema, err
}

// complaints are the leaves of a failed validation, without the numbers of
// elements in lists.
func (a *openAPI) complaints(name string, e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		var at []string
		for _, part := range e.InstanceLocation {
			if _, err := strconv.Atoi(part); err == nil {
				part = "*"
			}
			at = append(at, part)
		}
		what, _ := json.Marshal(e.Error())
		_, text, _ := strings.Cut(string(what), "': ")
		complaint := fmt.Sprintf("%s: /%s: %s", name, strings.Join(at, "/"), strings.Trim(text, `"`))
		if a.excused(complaint) {
			return nil
		}
		return []string{complaint}
	}
	var all []string
	for _, cause := range e.Causes {
		all = append(all, a.complaints(name, cause)...)
	}
	return all
}

// excused reports whether the description is known to be wrong about an answer, or
// in what it has against one.
func (a *openAPI) excused(name string) bool {
	_, wrong := openAPIErrors()[name]
	return wrong || strings.Contains(name, "deployments") && strings.HasSuffix(name, noAddress) ||
		strings.Contains(name, "/pulls/") && noPlace.MatchString(name)
}

// noPlace matches what is said of a review's comment that has no place in the diff, as
// it is about a whole file or about lines that are gone. GitHub's description of its
// webhooks has those fields of the same comment null.
var noPlace = regexp.MustCompile(`/(line|original_line|position): got null, want integer$`)

// noAddress ends what is said of an address that there is not: of deployments'
// statuses the description has the empty text for the default, too.
const noAddress = "_url: '' is not valid uri: relative url"

// openAPIErrors are the known errors of the description, by operation and status or
// by complaint, with what is wrong.
func openAPIErrors() map[string]string {
	const repo = "/repos/{owner}/{repo}"
	return map[string]string{
		"PUT " + repo + "/contents/{path}: 409": "every error is both of the two things of which it must be one",
		"POST " + repo + "/git/blobs: 422":      "so it is here",
		"GET /app/installations: 200: /*/account: missing properties 'name', 'slug', 'created_at', 'updated_at'": "an account would have to be a user and an enterprise",
		"GET /app/installations: 200: /*/account: value must be \\u003cnil\\u003e":                               "as above",
		"GET " + repo + "/pulls/{pull_number}: 200: /auto_merge/commit_message: got null, want string":           "GitHub has none as long as nobody gave one",
		"GET " + repo + "/pulls/{pull_number}: 200: /auto_merge/commit_title: got null, want string":             "as above",
		"GET " + repo + "/pulls/{pull_number}: 200: /auto_merge: value must be \\u003cnil\\u003e":                "as above",
		"GET /search/issues: 200: /items/*/body: got null, want string":                                          "an issue without a body has none where it is found, either",
		"CreateEvent: /ref: got null, want string":                                                               "a new repository has no ref",
		"GET /search/code: 400":                                            "GitHub says in plain text which number is none",
		"POST " + repo + "/issues: 307":                                    "every operation redirects from the older name of a repository",
		"PUT " + repo + "/topics: 422: /errors/*: got object, want string": "errors of fields are objects",
	}
}
