package audit

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/jq"
)

// write is one that nobody asked for.
type write struct {
	Operation string `json:"operation"`
	// Params and Input are jq expressions on a scene's world, for the variables
	// of the path beside owner and repo and for the body or input; where they
	// give null for one of them, there is no such write.
	Params string `json:"params"`
	Input  string `json:"input"`

	params, input *jq.Program
}

// compile reads the expressions of a write of a file.
func (w *write) compile(file string) {
	if w.Params != "" {
		w.params = mustCompile(file, w.Params)
	}
	if w.Input != "" {
		w.input = mustCompile(file, w.Input)
	}
}

// extra is a write with a name that says what it does.
type extra struct {
	Name string `json:"name"`
	write
}

//go:embed extra.json
var extraData []byte

var extraTable = sync.OnceValue(func() []extra {
	const file = "extra.json"
	var all []extra
	mustRead(file, extraData, &all)
	for i := range all {
		all[i].compile(file)
	}
	return all
})

// in returns the write in a world; ok is false where there is none.
func (w write) in(world map[string]any) (a act, ok bool) {
	repo, _ := world["repo"].(map[string]any)
	a = act{operation: w.Operation, params: map[string]string{"owner": fmt.Sprint(repo["owner"]), "repo": fmt.Sprint(repo["name"])}}
	if w.params != nil {
		params, err := w.params.Run(context.Background(), world)
		named, is := params.(map[string]any)
		if err != nil || !is || lacks(params) {
			return act{}, false
		}
		for name, value := range named {
			a.params[name] = fmt.Sprint(value)
		}
	}
	if w.input != nil {
		input, err := w.input.Run(context.Background(), world)
		if err != nil || lacks(input) {
			return act{}, false
		}
		a.input = input
	}
	return a, true
}

// lacks reports whether a value is null, or an object or list with null in it.
func lacks(value any) bool {
	found := false
	walk(value, nil, func(_ place, inner any) { found = found || inner == nil })
	return found
}

// extras does, after the right play, something else besides.
func extras(right recording, s scene) []mutant {
	var made []mutant
	for _, e := range extraTable() {
		a, ok := e.in(s.world)
		if !ok {
			continue
		}
		made = append(made, mutant{
			kind: ExtraWrite, name: fmt.Sprintf("%s: %s", ExtraWrite, e.Name), words: fmt.Sprintf("%s besides: %s", e.Name, a.words()),
			does: right.doing(append(slices.Clone(right.requests), a.request())), same: true,
		})
	}
	return made
}

// kindsInWorld are the names by which expressions know kinds of objects.
var kindsInWorld = map[string]string{
	"issue": "issue", "pull": "pull request", "comment": "comment", "run": "workflow run", "workflow": "workflow", "dispatchable": "workflow to dispatch", "release": "release",
	"label": "label", "thread": "review thread", "project": "project", "item": "project item",
}

// withWorld returns the scene with what expressions are applied to: repo and
// agent; labels and users by name; head_sha, the default branch's commit; and of
// each kind the object that the task names, or else any, and under other one
// that it does not name.
func (s scene) withWorld(repo bench.ManifestRepo, agent string) scene {
	other := map[string]any{}
	s.world = map[string]any{
		"repo":  map[string]any{"owner": repo.Owner, "name": repo.Name, "full_name": repo.FullName, "default_branch": repo.DefaultBranch},
		"agent": agent, "other": other, "labels": s.census.names("label"), "users": s.census.names("user"), "head_sha": nil,
	}
	for name, kind := range kindsInWorld {
		s.world[name], other[name] = nil, nil
		for _, o := range slices.Concat(s.named, s.census) {
			if o.kind() != kind {
				continue
			}
			if s.world[name] == nil {
				s.world[name] = map[string]any(o)
			}
			if other[name] == nil && !slices.ContainsFunc(s.named, o.same) {
				other[name] = map[string]any(o)
			}
		}
	}
	for _, o := range s.census {
		if o.kind() == "branch" && o[fieldName] == repo.DefaultBranch {
			s.world["head_sha"] = o["sha"]
		}
	}
	// A copy, because programs write in what they are given, and the census is
	// that of several plays.
	copied, _ := jq.Decode([]byte(encode(s.world)))
	s.world, _ = copied.(map[string]any)
	return s
}

// names returns the names of the objects of a kind.
func (c census) names(kind string) []any {
	list := []any{}
	for _, o := range c.of(kind) {
		list = append(list, o[fieldName])
	}
	return list
}
