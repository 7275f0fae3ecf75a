package scenario

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// DefaultSet is the set that runs if none is named.
const DefaultSet = "default"

// setRule is what rule S10 says about a set.
type setRule struct {
	name string
	// required is true if there must be such a set beside another required
	// one: a folder of somebody's own scenarios needs none of them. The other
	// rules hold for a set that exists.
	required bool
	// size is how many scenarios the set has; 0 means any number.
	size int
	// readOnly is true if no scenario of the set may change anything.
	readOnly bool
	// includes names a set whose scenarios all belong to this one.
	includes string
	// unionOf names the sets whose scenarios make up this one exactly.
	unionOf []string
}

// setRules returns the sets of rule S10 that have rules.
func setRules() []setRule {
	return []setRule{
		{name: DefaultSet, required: true, size: 6, readOnly: true},
		{name: "workflows", required: true},
		{name: "ci-verify-pr", required: true, size: 2},
		{name: "ci-verify-release", required: true, size: 5, includes: "ci-verify-pr"},
		{name: "all", unionOf: []string{"pr-exec", "issues", "release-delivery", "workflows", "projects-v2"}},
	}
}

// checkSets checks that sets and scenarios fit each other, and the rules for
// sets.
func checkSets(read folder) jsondoc.Problems {
	var problems jsondoc.Problems
	used := map[string]bool{}
	known := read.knownIDs()
	for name, ids := range read.sets {
		for i, id := range ids {
			used[id] = true
			if !slices.Contains(known, id) {
				problems = append(problems, read.setsDoc.Problem([]string{name, strconv.Itoa(i)},
					"unknown scenario %q%s", id, jsondoc.DidYouMean(id, known)))
			}
		}
	}
	for _, s := range read.sources {
		if !used[s.scenario.ID] && !used[idOfFile(s.doc.File())] {
			problems = append(problems, s.doc.Problem([]string{"id"},
				"%q is in no set: add it to one in %s", s.scenario.ID, SetsFile))
		}
	}
	standard := hasStandardSets(read)
	for _, rule := range setRules() {
		rule.required = rule.required && standard
		problems = append(problems, rule.check(read)...)
	}
	return problems
}

// hasStandardSets reports whether a folder has any of the required sets.
func hasStandardSets(read folder) bool {
	return slices.ContainsFunc(setRules(), func(r setRule) bool {
		_, exists := read.sets[r.name]
		return r.required && exists
	})
}

func (r setRule) check(read folder) jsondoc.Problems {
	ids, exists := read.sets[r.name]
	var problems jsondoc.Problems
	report := func(format string, args ...any) {
		problems = append(problems, read.setsDoc.Problem([]string{r.name}, format, args...))
	}
	if !exists {
		if r.required {
			report("is missing: want a list of scenario ids")
		}
		return problems
	}
	if r.size > 0 && len(ids) != r.size {
		report("must have %d scenarios, has %d", r.size, len(ids))
	}
	if missing := without(read.sets[r.includes], ids); len(missing) > 0 {
		report("must have every scenario of %q, lacks %s", r.includes, strings.Join(missing, ", "))
	}
	if r.readOnly {
		for _, id := range mutating(read, ids) {
			report("must have reads alone, but %s changes something", id)
		}
	}
	if r.unionOf != nil {
		r.checkUnion(read, report)
	}
	return problems
}

func (r setRule) checkUnion(read folder, report func(format string, args ...any)) {
	union := map[string]bool{}
	for _, part := range r.unionOf {
		for _, id := range read.sets[part] {
			union[id] = true
		}
	}
	parts, ids := strings.Join(r.unionOf, ", "), read.sets[r.name]
	if missing := without(slices.Sorted(maps.Keys(union)), ids); len(missing) > 0 {
		report("must have exactly the scenarios of %s, lacks %s", parts, strings.Join(missing, ", "))
	}
	if extra := without(ids, slices.Collect(maps.Keys(union))); len(extra) > 0 {
		report("must have exactly the scenarios of %s, has also %s", parts, strings.Join(extra, ", "))
	}
}

// without returns the ids that are not among the others.
func without(ids, others []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(others, id) })
}

// mutating returns those of the ids whose scenario changes something.
func mutating(read folder, ids []string) []string {
	var found []string
	for _, s := range read.sources {
		if slices.Contains(ids, s.scenario.ID) && Mutates(s.scenario) {
			found = append(found, s.scenario.ID)
		}
	}
	return found
}
