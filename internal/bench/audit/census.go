package audit

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jq"
)

// object is something on GitHub that a wrong agent may take for another one: an
// object of JSON with kind and, where they have them, number, id, node_id, name
// and state.
type object map[string]any

// The fields by which requests name objects.
const (
	fieldKind   = "kind"
	fieldNumber = "number"
	fieldID     = "id"
	fieldNodeID = "node_id"
	fieldName   = "name"
	fieldState  = "state"
)

func (o object) kind() string { return fmt.Sprint(o[fieldKind]) }

// same reports whether both are one object.
func (o object) same(other object) bool {
	return encode(map[string]any(o)) == encode(map[string]any(other))
}

// vocabulary are the kinds that a write sets on something, rather than acts on.
var vocabulary = []string{"label", "milestone", "branch", "user", "project field", "option", "workflow"}

// census is what there is in a world.
type census []object

// question is how objects are found: by a REST path or a query, and a jq
// expression that gives their list. It is asked for each object of a kind, if
// there is one; the path has {repo} and the object's {name} in it.
type question struct {
	Each    string `json:"each"`
	Path    string `json:"path"`
	Query   string `json:"query"`
	Objects string `json:"objects"`
	program *jq.Program
}

//go:embed census.json
var censusData []byte

var questions = sync.OnceValue(func() []question {
	var all []question
	mustRead("census.json", censusData, &all)
	for i := range all {
		all[i].program = mustCompile("census.json", all[i].Objects)
	}
	return all
})

// mustRead reads an embedded file.
func mustRead(file string, data []byte, into any) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		panic(fmt.Sprintf("audit: read %s: %v", file, err))
	}
}

// mustCompile compiles an expression of an embedded file.
func mustCompile(file, source string) *jq.Program {
	program, err := jq.Compile(source)
	if err != nil {
		panic(fmt.Sprintf("audit: %s: %v", file, err))
	}
	return program
}

// takeCensus asks as the verifier what there is in a place.
func takeCensus(ctx context.Context, place *target.Place) (census, error) {
	var all census
	for _, q := range questions() {
		asked := []object{{}}
		if q.Each != "" {
			asked = all.of(q.Each)
		}
		for _, about := range asked {
			found, err := q.answer(ctx, place, about)
			if err != nil {
				return nil, fault.Infraf("look for what a wrong agent may act on: %w", err)
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// of returns the objects of a kind.
func (c census) of(kind string) census {
	return slices.DeleteFunc(slices.Clone(c), func(o object) bool { return o.kind() != kind })
}

// answer returns the objects that a question finds.
func (q question) answer(ctx context.Context, place *target.Place, about object) (all census, err error) {
	value, err := q.ask(ctx, place, about)
	if err != nil {
		return nil, err
	}
	found, err := q.program.Run(ctx, value)
	list, _ := found.([]any)
	for _, one := range list {
		if o, is := one.(map[string]any); is {
			all = append(all, o)
		}
	}
	return all, err
}

// ask returns what GitHub answers; of a query its data.
func (q question) ask(ctx context.Context, place *target.Place, about object) (any, error) {
	repo := place.Manifest.Repo
	path := strings.NewReplacer("{repo}", repo.FullName, "{name}", fmt.Sprint(about[fieldName])).Replace(q.Path)
	r := request{method: http.MethodGet, host: apiHost, uri: path, header: http.Header{}}
	if q.Query != "" {
		given := map[string]any{"owner": repo.Owner}
		if strings.Contains(q.Query, "$name") {
			given["name"] = repo.Name
		}
		r.method, r.uri, r.body = http.MethodPost, graphqlPath, []byte(encode(map[string]any{"query": q.Query, "variables": given}))
	}
	r.header.Set("Authorization", "token "+place.Verifier.Token)
	out := r.send(ctx, place.GitHub)
	value, err := jq.Decode(out.body.Bytes())
	switch {
	case err != nil || out.status >= http.StatusBadRequest:
		return nil, fmt.Errorf("%s %s answered %d: %s", r.method, r.uri, out.status, brief(out.body.String()))
	case q.Query != "":
		reply, _ := value.(map[string]any)
		if reply["errors"] != nil {
			return nil, fmt.Errorf("a query answered %s", brief(encode(reply["errors"])))
		}
		return reply["data"], nil
	default:
		return value, nil
	}
}

// names tells of which kinds an object is that a parameter, or a field of an
// input, names by its number or name.
var names = map[string][]string{
	"issue_number": {"issue", "pull request"}, "issueNumber": {"issue"},
	"pull_number": {"pull request"}, "prNumber": {"pull request"},
	"milestone_number": {"milestone"}, "milestone": {"milestone"},
	"project_number": {"project"}, "projectNumber": {"project"},
	"labels": {"label"}, "name": {"label"}, "label": {"label"},
	"assignees": {"user"}, "assignee": {"user"}, "reviewers": {"user"},
	"base": {"branch"}, "head": {"branch"}, "ref": {"branch"}, "target_commitish": {"branch"}, "baseRefName": {"branch"}, "headRefName": {"branch"},
	"tag_name": {"release"}, "tagName": {"release"}, "workflow_id": {"workflow"}, "workflowId": {"workflow"},
}

// find returns the object that a value names in a field of a request, with the
// object's field that it is; nil if it names none.
func (c census) find(field string, value any) (found object, by string) {
	text := fmt.Sprint(value)
	for _, o := range c {
		for _, by := range []string{fieldNodeID, fieldID, fieldNumber, fieldName} {
			if o[by] == nil || fmt.Sprint(o[by]) != text {
				continue
			}
			if by == fieldNodeID || by == fieldID || slices.Contains(names[field], o.kind()) {
				return o, by
			}
		}
	}
	return nil, ""
}

// others returns other objects of a kind that can be named in the same way,
// those in the same state, and on the same project, first.
func (c census) others(than object, by string) []object {
	var alike, different []object
	for _, o := range c {
		switch {
		case o.kind() != than.kind() || o[by] == nil || o.same(than) || o["field"] != than["field"]:
		case o[fieldState] == than[fieldState] && o["project"] == than["project"]:
			alike = append(alike, o)
		default:
			different = append(different, o)
		}
	}
	return append(alike, different...)
}
