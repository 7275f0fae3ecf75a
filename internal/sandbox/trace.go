package sandbox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// Trace has the audit log tell, from now on, what requests that read are about.
// A copy of the world starts without.
func (w *World) Trace() { w.tracing.Store(true) }

// traced is an answer to a request that reads, which has what it is about
// logged, if that is asked for.
func (w *World) traced(x *exchange, answer func(*model.State) rest.Response) func(*model.State) rest.Response {
	return func(s *model.State) rest.Response {
		if w.tracing.Load() {
			x.logged.Objects = mentioned(s, x)
		}
		return answer(s)
	}
}

// fetched has it logged that git asked for a repository, if that is asked for.
func (w *World) fetched(x *exchange, s *model.State, repo *model.Repo) {
	if w.tracing.Load() {
		x.logged.Objects = []string{repositoryNoun + s.FullName(repo)}
	}
}

// repositoryNoun begins the names of repositories.
const repositoryNoun = "repository "

// mentioned returns what a request names: by its path or, of GraphQL, by its
// variables.
func mentioned(s *model.State, x *exchange) []string {
	if !x.logged.GraphQL {
		return pathObjects(s, plainPath(s, x))
	}
	var query graphqlRequest
	if query.read(x.body) != nil {
		return nil
	}
	return variableObjects(s, query.Variables)
}

// plainPath is the path of the REST API that a request is for, with the name of
// its repository.
func plainPath(s *model.State, x *exchange) string {
	path := withoutEnterprise(x.in).URL.Path
	if below, found := strings.CutPrefix(path, "/repositories/"); found {
		number, rest, _ := strings.Cut(below, "/")
		id, _ := strconv.ParseInt(number, 10, 64)
		if repo := s.Repos.Get(id); repo != nil {
			return "/repos/" + s.FullName(repo) + "/" + rest
		}
	}
	return path
}

// pathObjects returns the object that a path of the REST API names: an issue
// or pull request by its number, what else there is by its id, or else the
// repository.
func pathObjects(s *model.State, path string) []string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	const owner, name, kind = 1, 2, 3
	if len(parts) <= name || parts[0] != "repos" {
		return nil
	}
	repo := s.Repo(parts[owner], parts[name])
	if repo == nil {
		return nil
	}
	numbered := len(parts) > kind && (parts[kind] == "issues" || parts[kind] == "pulls")
	for _, part := range parts[min(len(parts), kind):] {
		number, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			continue
		}
		if i := s.Issue(repo, int(number)); numbered && i != nil {
			return []string{changes.Issue(s, i).String()}
		}
		if o, found := changes.Find(s, number); found {
			return []string{o.String()}
		}
	}
	return []string{repositoryNoun + s.FullName(repo)}
}

// variableObjects returns what variables of GraphQL name: by node ids wherever
// they stand, by owner, name and number at the top.
func variableObjects(s *model.State, variables map[string]any) []string {
	found := nodeObjects(s, variables)
	text := func(names ...string) string {
		for _, n := range names {
			if v, ok := variables[n].(string); ok {
				return v
			}
		}
		return ""
	}
	repo := s.Repo(text("owner"), text("name", "repo"))
	if repo == nil {
		return found
	}
	object := repositoryNoun + s.FullName(repo)
	for name, value := range variables {
		number, err := strconv.Atoi(fmt.Sprint(value))
		if i := s.Issue(repo, number); err == nil && strings.HasSuffix(strings.ToLower(name), "number") && i != nil {
			object = changes.Issue(s, i).String()
		}
	}
	return append(found, object)
}

// nodeObjects returns the objects whose node ids stand in a value, in order of
// their names.
func nodeObjects(s *model.State, value any) []string {
	var found []string
	switch v := value.(type) {
	case string:
		if _, id, isNode := model.ParseNodeID(v); isNode {
			if o, known := changes.Find(s, id); known {
				found = append(found, o.String())
			}
		}
	case []any:
		for _, each := range v {
			found = append(found, nodeObjects(s, each)...)
		}
	case map[string]any:
		for _, each := range v {
			found = append(found, nodeObjects(s, each)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
