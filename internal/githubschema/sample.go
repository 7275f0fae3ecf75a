package githubschema

import (
	"fmt"
	"slices"
	"time"
)

// Sample returns an example of a shape as encoding/json would decode it, but
// that whole numbers are int: every field is there, lists have two elements,
// and, apart from enums and booleans, no two values are equal. Enums have their
// first value, and in the second element of a list their second.
func Sample(s *Shape) any {
	return (&sampler{}).value(s)
}

// twoElements is how deep lists lie in each other with two elements each. Those
// further below have one.
const twoElements = 3

type sampler struct {
	count   int
	depth   int
	element int
}

// sampleTime is the time from which those of samples are counted.
var sampleTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (m *sampler) value(s *Shape) any {
	m.count++
	switch s.Kind {
	case Object:
		object := map[string]any{}
		for _, f := range s.Fields {
			object[f.Name] = m.value(f.Shape)
		}
		if s.Elem != nil {
			object[fmt.Sprintf("key%d", m.count)] = m.value(s.Elem)
		}
		return object
	case List:
		return m.list(s.Elem)
	case Integer:
		return m.count
	case Number:
		return float64(m.count) + 0.5
	case Boolean:
		return m.count%2 == 1
	case Any:
		if s.OneOf != nil {
			return m.value(slices.MinFunc(s.OneOf, func(a, b *Shape) int { return richness(a) - richness(b) }))
		}
	case String:
	}
	return m.text(s)
}

// richness orders kinds, the one of which most can be asked first.
func richness(s *Shape) int {
	return slices.Index([]Kind{Object, List, String, Integer, Number, Boolean, Any}, s.Kind)
}

func (m *sampler) list(of *Shape) []any {
	outer := *m
	m.depth++
	elements := 2
	if m.depth > twoElements {
		elements = 1
	}
	var list []any
	for m.element = range elements {
		list = append(list, m.value(of))
	}
	m.depth, m.element = outer.depth, outer.element
	return list
}

func (m *sampler) text(s *Shape) string {
	if s.Enum != nil {
		return s.Enum[m.element%len(s.Enum)]
	}
	switch s.Format {
	case "date-time":
		return sampleTime.Add(time.Duration(m.count) * time.Minute).Format(time.RFC3339)
	case "date":
		return sampleTime.AddDate(0, 0, m.count).Format(time.DateOnly)
	case "uri", "uri-template":
		return fmt.Sprintf("https://github.com/sample/%d", m.count)
	case "email":
		return fmt.Sprintf("sample%d@example.com", m.count)
	case formatCommit:
		return fmt.Sprintf("%040x", m.count)
	case formatDigits:
		return fmt.Sprint(m.count)
	default:
		return fmt.Sprintf("sample %d", m.count)
	}
}
