// Package footprint judges what an attempt changed on GitHub against what its
// scenario allows (rule S12).
//
// What counts is the net change, and acts that cannot be undone: a comment that
// was deleted again has been read by those who were told of it.
package footprint

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Judge returns the net changes of an attempt, with those that are not allowed
// marked and first, among them what was undone and has left something that cannot
// be. Seen are the changes in the order in which they were made, agent is the
// login of who alone may make them. Changes that follow from others by GitHub's
// own rules are allowed, as those are judged from which they follow, unless these
// were undone.
//
// The allowances have their references filled in.
func Judge(allowed []bench.Allowance, agent string, seen []bench.Change) []bench.Change {
	used := make([]int, len(allowed))
	judged := Net(seen)
	for i, c := range judged {
		if c.Cause == "" {
			judged[i].Unallowed = judge(allowed, used, agent, c)
		}
	}
	net := len(judged)
	undone := undone{seen, detours(seen)}
	for k, c := range seen {
		if c.Unallowed = undone.leaves(k); c.Unallowed == "" {
			continue
		}
		at := slices.IndexFunc(judged[:net], func(other bench.Change) bool { return objectOf(other) == objectOf(c) })
		switch {
		case at >= 0 && c.Cause != "":
			judged[at].Unallowed = c.Unallowed
		case at < 0 || judged[at].Unallowed == "":
			judged = append(judged, c)
		}
	}
	slices.SortStableFunc(judged, func(a, b bench.Change) int { return cmp.Compare(rank(a), rank(b)) })
	return judged
}

// rank orders changes: those that are not allowed, those that are, and what
// followed from others.
func rank(c bench.Change) int {
	switch {
	case c.Unallowed != "":
		return 0
	case c.Cause == "":
		return 1
	default:
		return 2
	}
}

// judge says why a change is not allowed, nothing if it is, and notes which
// allowance was used.
func judge(allowed []bench.Allowance, used []int, agent string, c bench.Change) string {
	if agent != "" && c.Actor != "" && !strings.EqualFold(c.Actor, agent) {
		return fmt.Sprintf("it was done by %s, not by %s", c.Actor, agent)
	}
	nearest := "nothing of the kind may be " + string(c.Kind)
	for i, a := range allowed {
		if a.Change != c.Kind || a.Object != c.Object || !Matches(a.Name, c.Name) {
			continue
		}
		if why := mismatch(a, c); why != "" {
			nearest = why
			continue
		}
		if used[i] == max(1, a.Times) {
			nearest = fmt.Sprintf("it may be %s %s", c.Kind, times(used[i]))
			continue
		}
		used[i]++
		return ""
	}
	return nearest
}

func times(n int) string {
	if n == 1 {
		return "once alone"
	}
	return fmt.Sprintf("%d times at most", n)
}

// mismatch says in what a change differs from what is allowed of its object. The
// fields of a new one that are false or 0 are not told of.
func mismatch(a bench.Allowance, c bench.Change) string {
	named := map[string]bool{}
	for _, f := range c.Fields {
		named[f.Name] = true
		want, listed := a.Fields[f.Name]
		switch {
		case !listed && Implied(c.Object, f.Name) && (f.Name != "number" || f.Before == nil):
		case !listed:
			return fmt.Sprintf("its %s may not change (%s)", f.Name, transition(f))
		default:
			if why := (condition{want}).refuses(f.Before, f.After); why != "" {
				return fmt.Sprintf("its %s %s", f.Name, why)
			}
		}
	}
	if c.Kind != bench.ChangeCreated || c.Partial {
		return ""
	}
	for _, name := range sortedNames(a.Fields) {
		if named[name] {
			continue
		}
		want := condition{a.Fields[name]}
		if why := want.refuses(nil, nil); why != "" && want.refuses(nil, false) != "" && want.refuses(nil, 0) != "" {
			return fmt.Sprintf("its %s %s", name, why)
		}
	}
	return ""
}

func transition(f bench.FieldChange) string {
	if f.Before == nil {
		return "to " + shown(f.After)
	}
	return shown(f.Before) + " → " + shown(f.After)
}

// GuardsNothing says why a list of allowances guards nothing, nothing if it
// does: one that has an attempt change any object of a kind in any way, be it
// that of the repository alone. What is new has a name that nobody knows before.
func GuardsNothing(allowed []bench.Allowance) (index int, why string) {
	for i, a := range allowed {
		name := strings.Trim(a.Name, "* ")
		if a.Change != bench.ChangeCreated && strings.Contains(a.Name, "*") {
			name = strings.Trim(ofRepository.ReplaceAllString(name, ""), "*#:/ ")
			name = strings.TrimPrefix(name, "on")
		}
		if strings.TrimSpace(name) == "" {
			return i, fmt.Sprintf("lets every %s be %s: name the one that is meant", a.Object, a.Change)
		}
	}
	return 0, ""
}

// ofRepository are references that every object of the repository has in its
// name.
var ofRepository = regexp.MustCompile(`\{\{\s*(repo\.\w+|input\.(owner|name))\s*\}\}`)

// Matches reports whether a name is the pattern's, in which * stands for any text.
func Matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(name, first) || len(name) < len(first)+len(last) || !strings.HasSuffix(name, last) {
		return false
	}
	middle := name[len(first) : len(name)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(middle, part)
		if !found {
			return false
		}
		middle = after
	}
	return true
}
