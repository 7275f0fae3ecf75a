package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/jq"
)

// place is where a value is inside another one: names of fields and indexes of
// lists.
type place []any

// String returns the place as in "comments[0].line".
func (p place) String() string { return p.written(func(i int) string { return fmt.Sprint(i) }) }

// alike returns the place without its indexes, as in "comments[].line": what
// elements of a list have in common.
func (p place) alike() string { return p.written(func(int) string { return "" }) }

func (p place) written(index func(int) string) string {
	var text strings.Builder
	for _, step := range p {
		switch step := step.(type) {
		case int:
			text.WriteString("[" + index(step) + "]")
		default:
			if text.Len() > 0 {
				text.WriteString(".")
			}
			fmt.Fprint(&text, step)
		}
	}
	return text.String()
}

// below returns the place one step further.
func (p place) below(step any) place { return append(slices.Clone(p), step) }

// walk visits a value and all that is inside it, fields in order of their
// names.
func walk(value any, at place, visit func(place, any)) {
	visit(at, value)
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			walk(value[name], at.below(name), visit)
		}
	case []any:
		for i := range value {
			walk(value[i], at.below(i), visit)
		}
	}
}

// isLeaf reports whether there is nothing inside a value.
func isLeaf(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		return len(value) == 0
	case []any:
		return len(value) == 0
	default:
		return true
	}
}

// changed returns a copy of a value with another one at a place, which is
// there.
func changed(value any, at place, to any) any {
	return edited(value, at, func(any) (any, bool) { return to, true })
}

// without returns a copy of a value without the field or element at a place.
func without(value any, at place) any {
	return edited(value, at, func(any) (any, bool) { return nil, false })
}

// edited returns a copy of a value with what an edit makes of the one at a
// place; the edit may say that it is gone.
func edited(value any, at place, edit func(any) (to any, stays bool)) any {
	if len(at) == 0 {
		to, _ := edit(value)
		return to
	}
	inner := func(now any) (any, bool) {
		if len(at) == 1 {
			return edit(now)
		}
		return edited(now, at[1:], edit), true
	}
	switch step := at[0].(type) {
	case int:
		list := slices.Clone(value.([]any))
		to, stays := inner(list[step])
		if !stays {
			return slices.Delete(list, step, step+1)
		}
		list[step] = to
		return list
	default:
		object, name := maps.Clone(value.(map[string]any)), step.(string)
		to, stays := inner(object[name])
		if stays {
			object[name] = to
		} else {
			delete(object, name)
		}
		return object
	}
}

// encode writes JSON. Values are decoded ones, so they can be written.
func encode(value any) string {
	text, _ := jq.Marshal(value)
	return string(text)
}
