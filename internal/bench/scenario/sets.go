package scenario

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// DefaultSet is the set that runs if none is named.
const DefaultSet = "default"

// fullSet has everything that needs seeded fixtures. A folder that has it is
// complete: it has all sets of rule S10, and a scenario for every capability.
const fullSet = "full-seeded"

// setRule is what rule S10 says about a set.
type setRule struct {
	name string
	// beside names sets beside which there must be this one: a folder of
	// somebody's own scenarios needs none of them. The other rules hold for a
	// set that exists.
	beside []string
	// size is how many scenarios the set has, least how many at the least; 0
	// means any number.
	size, least int
	// purposes is true if each scenario of the set says what it is for.
	purposes bool
	// readOnly is true if no scenario of the set may change anything.
	readOnly bool
	// includes names a set whose scenarios all belong to this one.
	includes string
	// unionOf names the sets whose scenarios, in their order, make up this one
	// exactly.
	unionOf []string
	// everything is true if all scenarios that stand on fixtures belong to the
	// set, among them an atomic one for every capability.
	everything bool
}

// setRules returns the sets of rule S10.
func setRules() []setRule {
	standard := []string{DefaultSet, "workflows", "ci-verify-pr", "ci-verify-release", fullSet}
	full := []string{fullSet}
	return []setRule{
		{name: DefaultSet, beside: standard, size: 6, readOnly: true},
		{name: "workflows", beside: standard},
		{name: "ci-verify-pr", beside: standard, size: 2},
		{name: "ci-verify-release", beside: standard, size: 5, includes: "ci-verify-pr"},
		{name: "pr-review-reads", beside: full, readOnly: true},
		{name: "pr-thread-mutations", beside: full},
		{name: "ci-diagnostics", beside: full, readOnly: true},
		{name: "ci-log-analysis", beside: full, readOnly: true},
		{name: "pr-operations-all", beside: full},
		{name: "all", beside: full, unionOf: []string{"pr-exec", "issues", "release-delivery", "workflows", "projects-v2"}},
		{name: "pr-exec", beside: full},
		{name: "issues", beside: full},
		{name: "release-delivery", beside: full},
		{name: "projects-v2", beside: full},
		{name: fullSet, everything: true},
		{name: "ci-evidence", least: 12, purposes: true},
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
	for _, rule := range setRules() {
		problems = append(problems, rule.check(read)...)
	}
	return problems
}

// required reports whether there must be such a set in a folder.
func (r setRule) required(read folder) bool {
	return slices.ContainsFunc(r.beside, func(other string) bool {
		_, exists := read.sets[other]
		return exists
	})
}

func (r setRule) check(read folder) jsondoc.Problems {
	ids, exists := read.sets[r.name]
	var problems jsondoc.Problems
	report := func(format string, args ...any) {
		problems = append(problems, read.setsDoc.Problem([]string{r.name}, format, args...))
	}
	if !exists {
		if r.required(read) {
			report("is missing: want a list of scenario ids")
		}
		return problems
	}
	if r.size > 0 && len(ids) != r.size {
		report("must have %d scenarios, has %d", r.size, len(ids))
	}
	if len(ids) < r.least {
		report("must have %d scenarios or more, has %d", r.least, len(ids))
	}
	if r.purposes {
		problems = append(problems, r.checkPurposes(read)...)
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
	if r.everything {
		r.checkEverything(read, report)
	}
	return problems
}

// checkPurposes reports scenarios of the set that do not say what they are for.
func (r setRule) checkPurposes(read folder) (problems jsondoc.Problems) {
	for _, s := range read.sources {
		if s.scenario.Purpose == "" && slices.Contains(read.sets[r.name], s.scenario.ID) {
			problems = append(problems, s.doc.Problem([]string{"purpose"},
				"is missing: scenarios of %s say what a good and a poor tool differ in", r.name))
		}
	}
	return problems
}

func (r setRule) checkUnion(read folder, report func(format string, args ...any)) {
	var union []string
	for _, part := range r.unionOf {
		union = append(union, without(read.sets[part], union)...)
	}
	parts, ids := strings.Join(r.unionOf, ", "), read.sets[r.name]
	missing, extra := without(union, ids), without(ids, union)
	if len(missing) > 0 {
		report("must have exactly the scenarios of %s, lacks %s", parts, strings.Join(missing, ", "))
	}
	if len(extra) > 0 {
		report("must have exactly the scenarios of %s, has also %s", parts, strings.Join(extra, ", "))
	}
	if len(missing)+len(extra) == 0 && !slices.Equal(ids, union) {
		report("must have the scenarios of %s in their order: want %s", parts, strings.Join(union, ", "))
	}
}

func (r setRule) checkEverything(read folder, report func(format string, args ...any)) {
	ids := read.sets[r.name]
	var onFixtures []string
	uncovered := CapabilityIDs()
	for _, s := range read.sources {
		// What is in a world of its own needs nothing that is seeded.
		if s.scenario.Fixture != nil && s.scenario.World() == "" && len(s.scenario.Fixture.Requires)+len(s.scenario.Fixture.Bindings) > 0 {
			onFixtures = append(onFixtures, s.scenario.ID)
		}
		if s.scenario.Assertions.Outcome() == bench.OutcomeSuccess && slices.Contains(ids, s.scenario.ID) {
			uncovered = without(uncovered, []string{s.scenario.Task})
		}
	}
	if missing := without(onFixtures, ids); len(missing) > 0 {
		report("must have every scenario that stands on fixtures, lacks %s", strings.Join(missing, ", "))
	}
	// What a broken file covers is not known.
	if len(uncovered) > 0 && len(read.sources) == len(read.files) {
		report("must have an atomic scenario for every capability, lacks one for %s", strings.Join(uncovered, ", "))
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
