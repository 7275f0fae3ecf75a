package graphql

import (
	"fmt"
	"slices"
	"unicode"

	"github.com/vektah/gqlparser/v2/ast"
)

// place is a place of the document: a step from the place around it, nil for
// the document itself. A step is a string or, for items of lists, an int.
type place struct {
	around *place
	step   any
}

func (p *place) path() []any {
	path := []any{}
	for ; p != nil; p = p.around {
		path = append(path, p.step)
	}
	slices.Reverse(path)
	return path
}

func (v *validator) push(step any) { v.place = &place{v.place, step} }
func (v *validator) pop()          { v.place = v.place.around }

// add reports an error at the current place.
func (v *validator) add(locations []Location, extensions map[string]any, format string, args ...any) {
	v.addAt(v.place, locations, extensions, format, args...)
}

// addAt reports an error at a place.
func (v *validator) addAt(p *place, locations []Location, extensions map[string]any, format string, args ...any) {
	v.keep(&Error{Message: fmt.Sprintf(format, args...), Path: p.path(), Locations: locations, Extensions: extensions})
}

// keep reports an error. Errors beyond the limit are dropped.
func (v *validator) keep(err *Error) {
	if !v.full() {
		v.errs = append(v.errs, err)
	}
}

// full reports whether further errors would be dropped, so that there is no
// point in looking for them.
func (v *validator) full() bool { return len(v.errs) >= v.limit }

// reportedBelow reports whether there is an error at the current place or
// inside of it.
func (v *validator) reportedBelow() bool {
	if len(v.errs) == 0 {
		return false
	}
	path := v.place.path()
	return slices.ContainsFunc(v.errs, func(e *Error) bool {
		return len(e.Path) >= len(path) && slices.Equal(e.Path[:len(path)], path)
	})
}

func at(positions ...*ast.Position) []Location {
	locations := make([]Location, len(positions))
	for i, p := range positions {
		locations[i] = Location{p.Line, p.Column}
	}
	return locations
}

// atSign is the place of a directive; the parser gives that of its name.
func atSign(d *ast.Directive) Location { return Location{d.Position.Line, d.Position.Column - 1} }

// atDots is the place of the dots of a fragment; the parser gives that of what
// follows them.
func (v *validator) atDots(after *ast.Position) []Location {
	if v.runes == nil {
		v.runes = []rune(v.text)
	}
	end := after.Start
	for end > 0 && (unicode.IsSpace(v.runes[end-1]) || v.runes[end-1] == ',') {
		end--
	}
	start := end - len("...")
	if start < 0 || string(v.runes[start:end]) != "..." {
		return at(after) // there is a comment in between
	}
	location := Location{Line: after.Line, Column: start + 1}
	for _, r := range v.runes[end:after.Start] {
		if r == '\n' {
			location.Line--
		}
	}
	if i := lastIndex(v.runes[:start], '\n'); i >= 0 {
		location.Column = start - i
	}
	return []Location{location}
}

func lastIndex(runes []rune, r rune) int {
	for i := len(runes) - 1; i >= 0; i-- {
		if runes[i] == r {
			return i
		}
	}
	return -1
}
