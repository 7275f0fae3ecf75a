package audit

import (
	"fmt"
	"maps"
	"slices"
)

// maxOthers is how many other objects are acted on in the place of one.
const maxOthers = 2

// reference is a place of an act that names an object.
type reference struct {
	deed
	// param is the variable of the path, or at the place in the input.
	param string
	at    place
	// to is the object, by the field of it that names it.
	to object
	by string
}

// naming returns the act with another object in the place of the reference's.
func (r reference) naming(other object) act {
	a := r.act
	if r.param != "" {
		return a.withParam(r.param, fmt.Sprint(other[r.by]))
	}
	a.input = changed(a.input, r.at, other[r.by])
	return a
}

func (r reference) place() string {
	if r.param != "" {
		return r.param
	}
	return r.at.String()
}

// references returns the places of an act that name an object that it acts on,
// rather than something that it sets.
func (c census) references(d deed) []reference {
	var all []reference
	add := func(r reference, field string, value any) {
		if c.actsOn(field, value) {
			r.to, r.by = c.find(field, value)
			all = append(all, r)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.params)) {
		if name != "owner" && name != "repo" {
			add(reference{deed: d, param: name}, name, d.params[name])
		}
	}
	walk(d.input, nil, func(at place, value any) {
		if isLeaf(value) && value != nil && len(at) > 0 {
			add(reference{deed: d, at: at}, fieldOf(at), value)
		}
	})
	return all
}

// onOthers acts on other objects: with one write, and, where several writes name
// the same object, with all of them.
func onOthers(right recording, s scene) []mutant {
	var made []mutant
	uses := map[string][]reference{}
	var order []string
	for i, d := range right.deeds() {
		for _, r := range s.census.references(d) {
			key := encode(map[string]any(r.to))
			if uses[key] == nil {
				order = append(order, key)
			}
			uses[key] = append(uses[key], r)
			for n, other := range s.aside(r) {
				a := r.naming(other)
				made = append(made, mutant{
					kind: OtherObject, name: fmt.Sprintf("%s %d %s %s %d", OtherObject, i+1, d.name(), r.place(), n+1),
					words: fmt.Sprintf("does to another %s %s", other.kind(), a.words()), does: right.doing(right.instead(d, a)), same: true,
				})
			}
		}
	}
	for n, key := range order {
		if len(uses[key]) > 1 {
			made = append(made, s.wholly(right, uses[key], n+1)...)
		}
	}
	return made
}

// aside returns other objects that are acted on in the place of a reference's.
func (s scene) aside(r reference) []object {
	others := s.census.others(r.to, r.by)
	return others[:min(len(others), maxOthers)]
}

// wholly has all references to one object name another one.
func (s scene) wholly(right recording, references []reference, number int) []mutant {
	var made []mutant
	for n, other := range s.aside(references[0]) {
		does := right
		does.requests = slices.Clone(right.requests)
		for _, r := range references {
			if other[r.by] != nil {
				// The act may have had another reference changed already.
				r.act = does.requests[r.sent].acts[r.within]
				does.requests = does.instead(r.deed, r.naming(other))
			}
		}
		made = append(made, mutant{
			kind: OtherObject, name: fmt.Sprintf("%s all %s %d %d", OtherObject, references[0].to.kind(), number, n+1),
			words: fmt.Sprintf("does all of it to another %s (%v)", other.kind(), other[references[0].by]), does: does, same: true,
		})
	}
	return made
}
