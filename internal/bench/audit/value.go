package audit

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/githubschema"
)

// valued writes another value in one place of one write, leaves one out, or has
// one element of a list more.
func valued(right recording, s scene) []mutant {
	var made []mutant
	for i, d := range right.deeds() {
		add := func(what string, other act) {
			made = append(made, mutant{
				kind: OtherValue, name: fmt.Sprintf("%s %d %s %s", OtherValue, i+1, d.name(), what),
				words: "does in its place " + other.words(), does: right.doing(right.instead(d, other)), same: true,
			})
		}
		for _, name := range s.census.settings(d.act) {
			for _, to := range s.values(d.params[name], nil, place{name}) {
				add(name+" = "+to.name, d.withParam(name, fmt.Sprint(to.value)))
			}
		}
		walk(d.input, nil, func(at place, value any) {
			if len(at) == 0 || s.census.actsOn(fieldOf(at), value) {
				return
			}
			other := d.act
			for _, to := range s.values(value, shapeAt(d.shape, at), at) {
				other.input = changed(d.input, at, to.value)
				add(fmt.Sprintf("%s = %s", at, to.name), other)
			}
			if optional(d.shape, at) {
				other.input = without(d.input, at)
				add(at.String()+" left out", other)
			}
		})
	}
	return made
}

// settings returns the variables of an act's path that name no object which it
// acts on, but something that it sets, or a file or branch.
func (c census) settings(a act) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(a.params)), func(name string) bool {
		return name == "owner" || name == "repo" || c.actsOn(name, a.params[name])
	})
}

// actsOn reports whether a value names an object that an act acts on, see
// [onOthers].
func (c census) actsOn(field string, value any) bool {
	o, _ := c.find(field, value)
	return o != nil && !slices.Contains(vocabulary, o.kind())
}

// withParam returns the act with another value in a variable of its path.
func (a act) withParam(name, value string) act {
	a.params = maps.Clone(a.params)
	a.params[name] = value
	return a
}

// named is a value with a name that is the same in every variation.
type named struct {
	name  string
	value any
}

// values returns values that may be in the place of another one.
func (s scene) values(of any, shape *githubschema.Shape, at place) []named {
	if shape != nil && shape.Enum != nil {
		var others []named
		for _, value := range shape.Enum {
			if !strings.EqualFold(value, fmt.Sprint(of)) {
				others = append(others, named{value, value})
			}
		}
		return others
	}
	if o, by := s.census.find(fieldOf(at), of); o != nil {
		if others := s.census.others(o, by); len(others) > 0 {
			return []named{{"another " + o.kind(), others[0][by]}}
		}
	}
	switch of := of.(type) {
	case []any:
		return s.lists(of, at)
	case map[string]any:
		return nil
	case nil:
		return nil
	case string:
		others := []named{{"another", another(of)}}
		if strings.Contains(of, " ") {
			others = append(others, named{"with more", of + " And more."})
		}
		return others
	default:
		return []named{{"another", another(of)}}
	}
}

// lists returns lists with an element more, or none.
func (s scene) lists(of []any, at place) []named {
	if len(of) == 0 {
		return nil
	}
	lists := []named{{"none", []any{}}}
	if len(of) > 1 {
		lists = append(lists, named{"one less", slices.Clone(of[1:])})
	}
	more := another(of[0])
	if o, by := s.census.find(fieldOf(at), of[0]); o != nil {
		others := slices.DeleteFunc(s.census.others(o, by), func(o object) bool { return slices.Contains(of, o[by]) })
		if len(others) == 0 {
			return lists
		}
		more = others[0][by]
	}
	return append(lists, named{"one more", append(slices.Clone(of), more)})
}

// fieldOf returns the name of the field that a place is in.
func fieldOf(at place) string {
	for i := len(at) - 1; i >= 0; i-- {
		if name, is := at[i].(string); is {
			return name
		}
	}
	return ""
}

// shapeAt returns what a value at a place can be, nil where that is not known.
func shapeAt(shape *githubschema.Shape, at place) *githubschema.Shape {
	for _, step := range at {
		switch {
		case shape == nil:
			return nil
		default:
			next, err := shape.At(fmt.Sprint(step))
			if err != nil {
				return nil
			}
			shape = next
		}
	}
	return shape
}

// optional reports whether a field may be left out.
func optional(shape *githubschema.Shape, at place) bool {
	name, is := at[len(at)-1].(string)
	above := shapeAt(shape, at[:len(at)-1])
	if !is || above == nil {
		return false
	}
	return slices.ContainsFunc(above.Fields, func(f githubschema.Field) bool { return f.Name == name && f.Optional })
}

// opposites are words that stand for states, each with another one.
var opposites = map[string]string{
	"open": "closed", "closed": "open", "merged": "open", "completed": "in_progress", "queued": "completed", "in_progress": "completed",
	"success": "failure", "failure": "success", "active": "disabled_manually", "approved": "changes_requested", "changes_requested": "approved",
	"commented": "approved", "clean": "blocked", "mergeable": "conflicting", "admin": "read", "public": "private", "private": "public",
}

var (
	address     = regexp.MustCompile(`^https?://`)
	instant     = regexp.MustCompile(`^\d{4}-\d\d-\d\dT`)
	hexadecimal = regexp.MustCompile(`^[0-9a-f]{7,40}$`)
)

// another returns a value of the same type and form that is another one.
func another(value any) any {
	switch value := value.(type) {
	case bool:
		return !value
	case int:
		return value + 1
	case float64:
		return value + 1
	case string:
		return anotherText(value)
	case nil:
		return "something"
	case []any:
		return []any{"something"}
	default:
		return map[string]any{"something": "else"}
	}
}

func anotherText(text string) string {
	word, isState := opposites[strings.ToLower(text)]
	switch {
	case isState && text == strings.ToUpper(text):
		return strings.ToUpper(word)
	case isState:
		return word
	case address.MatchString(text):
		return text + "0"
	case instant.MatchString(text):
		return "2001-02-03T04:05:06Z"
	case hexadecimal.MatchString(text) && text[0] == '0':
		return "1" + text[1:]
	case hexadecimal.MatchString(text):
		return "0" + text[1:]
	case text == somethingElse:
		return "Nothing of the kind"
	default:
		return somethingElse
	}
}

// somethingElse is what is written in the place of a text.
const somethingElse = "Something else"
