package footprint

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// What is done and undone is no net change, and yet it lasts where it has told
// people, pushed, or set off what GitHub does by rules of its own: the run of a
// pull request that was closed and opened again.

// Parts of objects beside their fields.
const (
	// existence is that there is such an object, mention that its text mentions
	// somebody.
	existence = "(existence)"
	mention   = "(mention)"
)

// tellers are the parts of objects that people are told of, by GitHub's reasons.
var tellers = map[string][]string{
	"assign":           {"assignees"},
	"review_requested": {"requested_reviewers", "requested_teams"},
	"mention":          {mention},
	"team_mention":     {"body"},
	"state_change":     {"state"},
	"subscribed":       {existence, "draft"},
}

// steering are the parts of objects by which it goes what GitHub does in
// consequence of other changes: which issues a merge closes, say.
var steering = map[string][]string{
	"pull request": {"body", "base.ref"},
	"issue":        {"linked_branches"},
	"workflow":     {"state"},
	"repository":   {"default_branch", "delete_branch_on_merge", "allow_auto_merge", "protection", "rulesets"},
}

// pushed are the objects that are what a push moves.
var pushed = []string{"branch", "tag", "ref"}

// part is a part of an object: a field, an element of a list, or one of those
// above.
type part struct {
	object, id, field, element string
}

// detour is what led a part away from a value and back to it.
type detour struct {
	part
	// name is that of the part's object.
	name string
	// steps are the indexes of the changes, in order.
	steps []int
}

func (d detour) has(k int) bool { return slices.Contains(d.steps, k) }

// causes reports whether something follows from a step of the detour or, where
// the part steers what follows from others, from anything that was done meanwhile.
func (d detour) causes(seen []bench.Change, c bench.Change) bool {
	if slices.Contains(steering[d.object], d.field) {
		first, last := seen[d.steps[0]], seen[d.steps[len(d.steps)-1]]
		return first.Act <= c.Act && c.Act <= last.Act
	}
	return slices.ContainsFunc(d.steps, func(step int) bool { return seen[step].Act == c.Act })
}

// step is what a change does to a part of its object.
type step struct {
	part
	before, after string
}

// detours returns those of what was asked for. That something lasting was made
// and is gone in the end is none: it counts as made.
func detours(seen []bench.Change) []detour {
	type visited struct {
		value string
		// by is the index of the change that led there.
		by int
	}
	var found []detour
	paths := map[part][]visited{}
	told := whomTold(seen)
	last := map[object]int{}
	for k, c := range seen {
		last[objectOf(c)] = k
	}
	for k, c := range seen {
		isGone := c.Kind == bench.ChangeDeleted && last[objectOf(c)] == k && slices.Contains(lasting, c.Object)
		if c.Cause != "" || isGone {
			continue
		}
		for _, s := range stepsOf(c, told) {
			path := paths[s.part]
			if n := len(path); n == 0 || path[n-1].value != s.before {
				path = []visited{{value: s.before}}
			}
			at := slices.IndexFunc(path, func(v visited) bool { return v.value == s.after })
			if at < 0 {
				paths[s.part] = append(path, visited{s.after, k})
				continue
			}
			d := detour{part: s.part, name: c.Name}
			for _, v := range path[at+1:] {
				d.steps = append(d.steps, v.by)
			}
			d.steps = append(d.steps, k)
			found, paths[s.part] = append(found, d), path[:at+1]
		}
	}
	return found
}

// whomTold returns those who were told of anything, by login, with what matches a
// mention of them.
func whomTold(seen []bench.Change) map[string]*regexp.Regexp {
	found := map[string]*regexp.Regexp{}
	for _, c := range seen {
		for _, t := range c.Told {
			found[t.Login] = regexp.MustCompile(`(?i)@` + regexp.QuoteMeta(t.Login) + `(?:[^\w-]|$)`)
		}
	}
	return found
}

// stepsOf returns what a change does to the parts of its object that it changes.
func stepsOf(c bench.Change, told map[string]*regexp.Regexp) []step {
	var steps []step
	add := func(field, element string, before, after any) {
		if !equal(before, after) {
			steps = append(steps, step{part{c.Object, identity(c), field, element}, string(canonical(before)), string(canonical(after))})
		}
	}
	add(existence, "", c.Kind == bench.ChangeDeleted, c.Kind == bench.ChangeCreated)
	for _, f := range c.Fields {
		if Implied(c.Object, f.Name) {
			continue
		}
		before, wasList := f.Before.([]any)
		after, isList := f.After.([]any)
		if wasList || isList {
			for _, element := range joined(before, after) {
				add(f.Name, string(canonical(element)), has(before, element), has(after, element))
			}
			continue
		}
		add(f.Name, "", f.Before, f.After)
		was, _ := f.Before.(string)
		is, _ := f.After.(string)
		for login, by := range told {
			if f.Name == "body" {
				add(mention, login, by.MatchString(was), by.MatchString(is))
			}
		}
	}
	return steps
}

func has(list []any, element any) bool {
	return slices.ContainsFunc(list, func(one any) bool { return equal(one, element) })
}

// undone are the lasting effects of what was done and undone.
type undone struct {
	seen    []bench.Change
	detours []detour
}

// leaves says what a change that was undone has left, or that a change is left of
// one that was undone; nothing for nothing.
func (u undone) leaves(k int) string { return cmp.Or(u.told(k), u.pushes(k), u.follows(k)) }

// told says who was told of what a change has in a detour, nothing for nobody.
func (u undone) told(k int) string {
	var who []string
	for _, t := range u.seen[k].Told {
		by := func(d detour) bool {
			// A team is told by its name, what is no list by its value.
			whole := d.element == "" || d.field == "requested_teams"
			return d.has(k) && slices.Contains(tellers[t.Reason], d.field) && (whole || strings.Trim(d.element, `"`) == t.Login)
		}
		if slices.ContainsFunc(u.detours, by) {
			who = append(who, fmt.Sprintf("%s (%s)", t.Login, t.Reason))
		}
	}
	if len(who) == 0 {
		return ""
	}
	return fmt.Sprintf("GitHub told %s of it, which cannot be undone", strings.Join(who, ", "))
}

// pushes says that a change pushes what was taken back, nothing if it does not.
func (u undone) pushes(k int) string {
	if slices.Contains(pushed, u.seen[k].Object) && slices.ContainsFunc(u.detours, func(d detour) bool { return d.has(k) }) {
		return "it was pushed and taken back, which cannot be undone"
	}
	return ""
}

// follows says that a change follows from what was undone, nothing if it does not,
// or is undone too.
func (u undone) follows(k int) string {
	c := u.seen[k]
	if c.Cause == "" || c.Act == 0 {
		return ""
	}
	at := slices.IndexFunc(u.detours, func(d detour) bool { return d.causes(u.seen, c) })
	if at < 0 || !u.remains(c) {
		return ""
	}
	return fmt.Sprintf("it follows from a change of %s %s that was undone", u.detours[at].object, u.detours[at].name)
}

// remains reports whether something is left of a change in the end.
func (u undone) remains(c bench.Change) bool {
	if len(c.Told) > 0 {
		return true
	}
	net, any := join(slices.DeleteFunc(slices.Clone(u.seen), func(other bench.Change) bool { return anyhow(other) != anyhow(c) }))
	if c.Kind != bench.ChangeChanged {
		return any
	}
	return slices.ContainsFunc(c.Fields, func(f bench.FieldChange) bool {
		return !Implied(c.Object, f.Name) && slices.ContainsFunc(net.Fields, func(n bench.FieldChange) bool { return n.Name == f.Name })
	})
}
