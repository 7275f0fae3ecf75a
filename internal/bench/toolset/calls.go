package toolset

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// World is what a sandbox has, by the names that tools give their inputs.
type World struct{ values map[string]any }

// Resources are the fixtures that fixed calls need.
func Resources() []string { return []string{"issue", "pr"} }

// WorldOf returns what a manifest tells.
func WorldOf(m bench.Manifest) World {
	w := World{map[string]any{}}
	know := func(path string, names ...string) {
		value, err := m.Lookup(path)
		if err != nil {
			return
		}
		for _, name := range names {
			w.values[plain(name)] = value
		}
	}
	know("repo.owner", "owner")
	know("repo.name", "name", "repo", "repo_name")
	know("repo.full_name", "repository", "repo_full_name")
	know("repo.default_branch", "branch", "ref", "sha")
	know("resources.issue.number", "issue_number", "issue")
	know("resources.pr.number", "pr_number", "pull_number", "pull_request_number")
	return w
}

// plain is a name without what spellings differ in: issueNumber, issue_number.
func plain(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// reading are the words in names of what only reads.
var reading = []string{"view", "list", "get", "show", "read", "status", "files"}

var separator = regexp.MustCompile(`[._/-]`)

// Calls returns calls of items that only read and whose required inputs are known
// here, the simplest names first, at most that many. Nothing was called yet: they
// have no size.
func (w World) Calls(items []Item, most int) []Answer {
	items = slices.DeleteFunc(slices.Clone(items), func(i Item) bool {
		return !slices.ContainsFunc(separator.Split(i.Name, -1), func(word string) bool { return slices.Contains(reading, strings.ToLower(word)) })
	})
	parts := func(i Item) int { return len(separator.Split(i.Name, -1)) }
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(parts(a), parts(b)), cmp.Compare(a.Name, b.Name))
	})
	calls := []Answer{}
	for _, item := range items {
		arguments, known := w.arguments(item)
		if known && len(calls) < most {
			calls = append(calls, Answer{Item: item.Name, Arguments: arguments, Call: item.Name + " " + arguments})
		}
	}
	return calls
}

// arguments returns an item's required inputs as JSON: those of the world, and the
// first value of those that have a list of values.
func (w World) arguments(item Item) (string, bool) {
	values := map[string]any{}
	// Beside repo, a name is that of something else.
	other := slices.ContainsFunc(item.Parameters, func(p Parameter) bool { return p.Name == "repo" })
	for _, p := range item.Parameters {
		if !p.Required {
			continue
		}
		value, known := w.values[plain(p.Name)]
		known = known && !(other && p.Name == "name")
		if !known {
			value, known = firstOf(p.Schema)
		}
		if !known {
			return "", false
		}
		values[p.Name] = value
	}
	return compact(values), true
}

// firstOf returns the first value that a schema lists.
func firstOf(schema string) (any, bool) {
	var listed struct {
		Enum []any `json:"enum"`
	}
	if json.Unmarshal([]byte(schema), &listed) != nil || len(listed.Enum) == 0 {
		return nil, false
	}
	return listed.Enum[0], true
}
