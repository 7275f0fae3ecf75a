package githubschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Complaints returns why GitHub refuses a request's body, in its words; nil if
// it does not. The value is as encoding/json decodes one, with numbers as
// [json.Number]. Fields that are not published are let pass, as GitHub does, and
// so is null for an optional field that is no object: GitHub takes it more often
// than it says, and refuses it more often than this.
//
// The words are those of the validator that GitHub has used longest: each
// names the part of the schema, not the way there.
func (s *Shape) Complaints(value any) []string {
	return s.complaints("links/0/schema", value, nil)
}

func (s *Shape) complaints(place string, value any, said []string) []string {
	if value == nil && s.Nullable || s.Kind == Any && s.OneOf == nil {
		return said
	}
	kind := kindOf(value)
	for _, one := range flat([]*Shape{s}) {
		switch {
		case one.Kind == Any:
			return said
		case kind == one.Kind || kind == Integer && one.Kind == Number:
			return one.within(value, said)
		}
	}
	return append(said, fmt.Sprintf("For '%s', %s is not %s.", place, inspected(value), s.wanted()))
}

// within returns what is wrong with a value of the right kind.
func (s *Shape) within(value any, said []string) []string {
	switch v := value.(type) {
	case string:
		return s.textComplaints(v, said)
	case json.Number:
		return s.numberComplaints(v, said)
	case []any:
		said = s.bounded(len(v), "item", said)
		for _, element := range v {
			said = s.Elem.complaints("items", element, said)
		}
	case map[string]any:
		return s.fieldComplaints(v, said)
	}
	return said
}

func (s *Shape) textComplaints(text string, said []string) []string {
	if s.Enum != nil && !slices.Contains(s.Enum, text) {
		said = append(said, fmt.Sprintf("%s is not a member of [%s].", text, strings.Join(quoted(s.Enum), ", ")))
	}
	if s.Format == "date-time" && !isTime(text) {
		said = append(said, text+" is not a valid date-time.")
	}
	if s.Least == nil && s.Most == nil {
		return said
	}
	return s.bounded(utf8.RuneCountInString(text), "character", said)
}

// isTime reports whether a text is a time. Dates alone are taken too: PyGithub
// sends those.
func isTime(text string) bool {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return false
}

func (s *Shape) numberComplaints(number json.Number, said []string) []string {
	if s.Least == nil && s.Most == nil {
		return said
	}
	value, err := number.Float64()
	switch {
	case err != nil:
	case s.Least != nil && value < float64(*s.Least):
		said = append(said, fmt.Sprintf("%s must be greater than or equal to %d.", number, *s.Least))
	case s.Most != nil && value > float64(*s.Most):
		said = append(said, fmt.Sprintf("%s must be less than or equal to %d.", number, *s.Most))
	}
	return said
}

// bounded says that a text or list has too few or too many parts.
func (s *Shape) bounded(n int, part string, said []string) []string {
	few, many := "At least %s required; only %d %s supplied.", "Only %s allowed; %d %s supplied."
	if part == "item" {
		few, many = "%s required; only %d %s supplied.", "No more than %s allowed; %d %s supplied."
	}
	were := "were"
	if n == 1 {
		were = "was"
	}
	switch have := int64(n); {
	case s.Least != nil && have < *s.Least:
		return append(said, fmt.Sprintf(few, parts(*s.Least, part, !strings.HasPrefix(few, "%")), n, were))
	case s.Most != nil && have > *s.Most:
		return append(said, fmt.Sprintf(many, parts(*s.Most, part, true), n, were))
	}
	return said
}

// parts counts parts, with a verb if that is asked for.
func parts(n int64, part string, verb bool) string {
	ending, is := "s", " are"
	if n == 1 {
		ending, is = "", " is"
	}
	if !verb {
		is = ""
	}
	return fmt.Sprintf("%d %s%s%s", n, part, ending, is)
}

func (s *Shape) fieldComplaints(object map[string]any, said []string) []string {
	var missing []string
	named := 0
	for _, f := range s.Fields {
		value, has := object[f.Name]
		if has {
			named++
		}
		switch {
		case !has && !f.Optional:
			missing = append(missing, f.Name)
		case has && !(value == nil && f.Optional && f.Shape.isPlain()):
			said = f.Shape.complaints("properties/"+f.Name, value, said)
		}
	}
	if s.Elem != nil && named < len(object) {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			// Null takes away what has the name.
			if s.Listed(name) == nil && object[name] != nil {
				said = s.Elem.complaints("additionalProperties", object[name], said)
			}
		}
	}
	slices.SortStableFunc(missing, func(a, b string) int { return slices.Index(s.Required, a) - slices.Index(s.Required, b) })
	switch len(missing) {
	case 0:
		return said
	case 1:
		return append(said, quoted(missing)[0]+" wasn't supplied.")
	default:
		return append(said, strings.Join(quoted(missing), ", ")+" weren't supplied.")
	}
}

// isPlain reports whether a value is no object, and cannot be one.
func (s *Shape) isPlain() bool {
	return !slices.ContainsFunc(flat([]*Shape{s}), func(one *Shape) bool { return one.Kind == Object })
}

// wanted names the kinds that a value can be.
func (s *Shape) wanted() string {
	names := map[Kind]string{Object: "object", List: "array", String: "string", Integer: "integer", Number: "number", Boolean: "boolean"}
	var kinds []string
	for _, one := range flat([]*Shape{s}) {
		kinds = append(kinds, names[one.Kind])
	}
	if s.Nullable {
		kinds = append(kinds, "null")
	}
	article := "a "
	if strings.Contains("aio", kinds[0][:1]) {
		article = "an "
	}
	return article + strings.Join(kinds, " or ")
}

func quoted(texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, strconv.Quote(text))
	}
	return out
}

// inspected writes a value as GitHub's own language does.
func inspected(value any) string {
	switch v := value.(type) {
	case nil:
		return "nil"
	case []any:
		var parts []string
		for _, element := range v {
			parts = append(parts, inspected(element))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, strconv.Quote(name)+"=>"+inspected(v[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case string:
		return strconv.Quote(v)
	default:
		return fmt.Sprint(v)
	}
}
