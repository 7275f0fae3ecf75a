package toolset

import (
	"cmp"
	"slices"
	"strings"
)

// items is an item before and after; one of them is nil where there is no other.
type items struct{ was, now *Item }

// pair finds out which items are the same: those of one kind and name, and of the
// rest those that are alike, which were renamed.
func pair(was, now []Item) []items {
	var all []items
	var removed, added []*Item
	byKey := map[string]*Item{}
	for i := range was {
		byKey[was[i].key()] = &was[i]
	}
	for i := range now {
		if before := byKey[now[i].key()]; before != nil {
			all = append(all, items{before, &now[i]})
			delete(byKey, now[i].key())
			continue
		}
		added = append(added, &now[i])
	}
	for i := range was {
		if byKey[was[i].key()] != nil {
			removed = append(removed, &was[i])
		}
	}
	renamed := renames(removed, added)
	for _, item := range removed {
		if !slices.ContainsFunc(renamed, func(p items) bool { return p.was == item }) {
			all = append(all, items{was: item})
		}
	}
	for _, item := range added {
		if !slices.ContainsFunc(renamed, func(p items) bool { return p.now == item }) {
			all = append(all, items{now: item})
		}
	}
	return append(renamed, all...)
}

// maxCompared bounds what renames compares with what, and maxWorded how much of a
// description, in bytes.
const (
	maxCompared = 300
	maxWorded   = 2000
)

// features are what an item is recognised by.
type features struct {
	item                         *Item
	described, parameters, named map[string]bool
}

func featuresOf(items []*Item) []features {
	var all []features
	for _, i := range items[:min(maxCompared, len(items))] {
		f := features{item: i, described: words(i.Description[:min(maxWorded, len(i.Description))]), parameters: map[string]bool{}, named: words(i.Name)}
		for _, p := range i.Parameters {
			f.parameters[p.Name+p.Schema] = true
		}
		all = append(all, f)
	}
	return all
}

// renames pairs items that are alike, the most alike first.
func renames(removed, added []*Item) []items {
	type candidate struct {
		items
		alike float64
	}
	var candidates []candidate
	now := featuresOf(added)
	for _, before := range featuresOf(removed) {
		for _, after := range now {
			if alike := likeness(before, after); alike > 0 {
				candidates = append(candidates, candidate{items{before.item, after.item}, alike})
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.alike, a.alike) })
	taken := map[*Item]bool{}
	var found []items
	for _, c := range candidates {
		if !taken[c.was] && !taken[c.now] {
			taken[c.was], taken[c.now] = true, true
			found = append(found, c.items)
		}
	}
	return found
}

// How much two descriptions, or two sets of parameters, must have in common where
// the other of the two is the same.
const (
	leastDescription = 0.6
	leastParameters  = 0.3
)

// likeness says how alike two items are; 0 for those that are not one renamed: the
// same description asks for some of the same parameters, the same parameters for
// most of the same words. Where nothing is described, names must have a word in
// common.
func likeness(was, now features) float64 {
	a, b := was.item, now.item
	if a.Kind != b.Kind {
		return 0
	}
	described, parameters, named := shared(was.described, now.described), shared(was.parameters, now.parameters), shared(was.named, now.named)
	none := len(a.Parameters)+len(b.Parameters) == 0
	same := parameters == 1 && a.Schema == b.Schema
	switch {
	case a.Description == "" && b.Description == "":
		if !same || named == 0 {
			return 0
		}
	case a.Description == b.Description:
		if parameters < leastParameters && !none {
			return 0
		}
	case described < leastDescription || !same:
		return 0
	}
	return described + parameters + named
}

// shared is the share of what two sets have that both have; 0 for empty ones.
func shared(a, b map[string]bool) float64 {
	both := 0
	for key := range a {
		if b[key] {
			both++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r > 127) }) {
		set[word] = true
	}
	return set
}
