package ledger

import (
	"encoding/json"
	"slices"
	"strconv"
)

// The functions here read a field's value into its place. As with
// encoding/json, null leaves a plain field as it is and makes a pointer nil.
// A pointer comes to point at the place given with it, so that nothing is
// allocated.

func (p *parser) stringTo(to *string) bool {
	if p.null() {
		return true
	}
	s, ok := p.text(true)
	*to = s
	return ok
}

// uniqueTo is stringTo for what hardly two rows have in common.
func (p *parser) uniqueTo(to *string) bool {
	if p.null() {
		return true
	}
	s, ok := p.text(false)
	*to = s
	return ok
}

func (p *parser) stringRefTo(to **string, place *string) bool {
	if p.null() {
		*to = nil
		return true
	}
	*to = place
	return p.stringTo(place)
}

func (p *parser) boolTo(to *bool) bool {
	switch {
	case p.word("true"):
		*to = true
	case p.word("false"):
		*to = false
	default:
		return p.null()
	}
	return true
}

// intTo reads whole numbers of a size that needs no check for overflow.
func intTo[T int | int64](p *parser, to *T) bool {
	if p.null() {
		return true
	}
	text, ok := p.integer()
	if !ok || len(text) > maxSafeDigits {
		return false
	}
	n, negative := T(0), text[0] == '-'
	if negative {
		text = text[1:]
	}
	for _, c := range text {
		n = n*10 + T(c-'0')
	}
	if negative {
		n = -n
	}
	*to = n
	return true
}

// maxSafeDigits is how many characters always fit into 64 bits.
const maxSafeDigits = 18

func (p *parser) uintTo(to *uint64) bool {
	if p.null() {
		return true
	}
	text, ok := p.integer()
	if !ok {
		return false
	}
	n, err := strconv.ParseUint(string(text), 10, 64)
	*to = n
	return err == nil
}

func (p *parser) floatTo(to *float64) bool {
	if p.null() {
		return true
	}
	f, ok := p.float()
	*to = f
	return ok
}

// boolRefTo reads a boolean that may be null.
func (p *parser) boolRefTo(to **bool, place *bool) bool {
	if p.null() {
		*to = nil
		return true
	}
	*to = place
	return p.boolTo(place)
}

// rawTo keeps a value as it is written.
func (p *parser) rawTo(to *json.RawMessage) bool {
	p.space()
	start := p.at
	if !p.skip(0) {
		return false
	}
	*to = slices.Clone(p.line[start:p.at])
	return true
}

func (p *parser) floatRefTo(to **float64, place *float64) bool {
	if p.null() {
		*to = nil
		return true
	}
	*to = place
	return p.floatTo(place)
}

// sliceTo reads an array. Element reads one value into a zero T.
func sliceTo[T any](p *parser, to *[]T, element func(*T) bool) bool {
	if p.null() {
		*to = nil
		return true
	}
	if *to != nil {
		return false // the name stands twice: encoding/json merges the two
	}
	all := []T{}
	if !p.array(func() bool {
		var zero T
		all = append(all, zero)
		return element(&all[len(all)-1])
	}) {
		return false
	}
	*to = all
	return true
}

// structTo reads an object, or null, into a place.
func (p *parser) structTo(field func(name []byte) bool) bool {
	return p.null() || p.object(field)
}

// structRefTo reads an object into the place that to comes to point at.
func structRefTo[T any](p *parser, to **T, place *T, field func(name []byte) bool) bool {
	if p.null() {
		*to = nil
		return true
	}
	if *to == nil {
		var zero T
		*place = zero
		*to = place
	}
	return p.object(field)
}

// stringsTo reads an object of strings; a null is an empty one.
func (p *parser) stringsTo(to *map[string]string) bool {
	if p.null() {
		*to = nil
		return true
	}
	if *to == nil {
		*to = map[string]string{}
	}
	return p.object(func(name []byte) bool {
		var value string
		ok := p.stringTo(&value)
		(*to)[p.seen.string(name)] = value
		return ok
	})
}
