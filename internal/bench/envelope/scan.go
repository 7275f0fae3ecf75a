package envelope

import (
	"encoding/json"
	"strings"
)

// maxDepth bounds the nesting of objects and arrays, and so the recursion.
const maxDepth = 512

// find returns the text of the envelope that counts, empty if there is none.
func find(text string) string {
	s := scanner{text: text}
	s.scan()
	if s.found.complete != "" {
		return s.found.complete
	}
	return s.found.incomplete
}

// scanner reads the JSON objects (RFC 8259) that stand in a text.
//
// It runs in linear time because an object that turns out to be broken is not
// read again: what it held before the error is known already, and reading goes
// on at the error. The one exception is an error in a string or right behind
// one: the quote that opened it may have been prose and the string may have
// swallowed the beginning of an object, so reading goes on inside of it. A
// brace in there is followed by no quote but the one that closes the string,
// so at most one object is tried in it that goes past its end, and no byte is
// looked at more than a few times.
type scanner struct {
	text string
	pos  int
	// quote is where the string began that was read last, -1 if something that
	// [scanner.take] took was read after it.
	quote int
	// inner are the envelopes in the object that is being read, which count
	// only if that object is broken.
	inner candidates
	found candidates
}

// candidates are the last envelopes that were read, empty if there were none.
type candidates struct{ complete, incomplete string }

func (c *candidates) add(newer candidates) {
	if newer.complete != "" {
		c.complete = newer.complete
	}
	if newer.incomplete != "" {
		c.incomplete = newer.incomplete
	}
}

func (s *scanner) scan() {
	for {
		brace := strings.IndexByte(s.text[s.pos:], '{')
		if brace < 0 {
			return
		}
		s.pos += brace
		s.inner = candidates{}
		if !s.object(0) && s.quote >= 0 {
			s.pos = s.quote + 1
		}
		s.found.add(s.inner)
	}
}

// object reads the object that begins at the next byte. It leaves its own text
// in s.inner if it is an envelope, and reports false with s.pos at the error
// if it is no object.
func (s *scanner) object(depth int) bool {
	start, before := s.pos, s.inner
	var has fieldSet
	field := func() bool {
		name, ok := s.string()
		if !ok || !s.take(':') {
			return false
		}
		boolean, ok := s.value(depth + 1)
		has.add(name, boolean)
		return ok
	}
	if depth == maxDepth || !s.take('{') || !s.list(field, '}') {
		return false
	}
	s.inner = before
	s.inner.add(has.candidates(s.text[start:s.pos]))
	return true
}

func (s *scanner) array(depth int) bool {
	element := func() bool {
		_, ok := s.value(depth + 1)
		return ok
	}
	return depth < maxDepth && s.take('[') && s.list(element, ']')
}

// list reads elements up to the end of their object or array.
func (s *scanner) list(element func() bool, end byte) bool {
	if s.take(end) {
		return true
	}
	for element() {
		if s.take(end) {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
	return false
}

// value reads any value and tells whether it is true or false.
func (s *scanner) value(depth int) (boolean, ok bool) {
	switch s.next() {
	case '{':
		return false, s.object(depth)
	case '[':
		return false, s.array(depth)
	case '"':
		_, ok := s.string()
		return false, ok
	case 't':
		return true, s.literal("true")
	case 'f':
		return true, s.literal("false")
	case 'n':
		return false, s.literal("null")
	default:
		return false, s.number()
	}
}

// next skips white space and returns the byte that follows, 0 at the end.
func (s *scanner) next() byte {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// take skips white space and then c, if that is what follows.
func (s *scanner) take(c byte) bool {
	if s.next() != c {
		return false
	}
	s.pos++
	s.quote = -1
	return true
}

func (s *scanner) literal(word string) bool {
	if !strings.HasPrefix(s.text[s.pos:], word) {
		return false
	}
	s.pos += len(word)
	return true
}

func (s *scanner) number() bool {
	s.skip("-")
	if !s.skip("0") && !s.digits() {
		return false
	}
	if s.skip(".") && !s.digits() {
		return false
	}
	if s.skip("eE") {
		s.skip("+-")
		return s.digits()
	}
	return true
}

// skip skips one byte if it is one of those given.
func (s *scanner) skip(oneOf string) bool {
	if s.pos == len(s.text) || strings.IndexByte(oneOf, s.text[s.pos]) < 0 {
		return false
	}
	s.pos++
	return true
}

func (s *scanner) digits() bool {
	start := s.pos
	for s.skip("0123456789") {
	}
	return s.pos > start
}

// string reads a string and returns what stands between its quotes. Control
// characters end it with an error, so a stray quote reaches no further than
// its line.
func (s *scanner) string() (string, bool) {
	if s.next() != '"' {
		return "", false
	}
	s.quote = s.pos
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '"':
			s.pos++
			return s.text[s.quote+1 : s.pos-1], true
		case c < ' ':
			return "", false
		case c == '\\':
			if !s.escape() {
				return "", false
			}
		}
	}
	return "", false
}

// escape moves from a backslash to the last byte of its sequence.
func (s *scanner) escape() bool {
	s.pos++
	if s.pos == len(s.text) || strings.IndexByte(`"\/bfnrtu`, s.text[s.pos]) < 0 {
		return false
	}
	if s.text[s.pos] != 'u' {
		return true
	}
	for range 4 {
		s.pos++
		if s.pos == len(s.text) || strings.IndexByte("0123456789abcdefABCDEF", s.text[s.pos]) < 0 {
			return false
		}
	}
	return true
}

// fieldSet says which fields an object has.
type fieldSet struct{ ok, data, error, meta bool }

// longestEscapedName is the length of the longest of the four names with every
// letter as \uXXXX.
const longestEscapedName = 6 * len(fieldError)

// add notes a field by the text between its quotes. As in encoding/json, a
// field that is there twice has its last value.
func (f *fieldSet) add(quoted string, boolean bool) {
	name := quoted
	if len(quoted) <= longestEscapedName && strings.Contains(quoted, `\`) {
		// Text that the scanner took for a string does decode.
		_ = json.Unmarshal([]byte(`"`+quoted+`"`), &name)
	}
	switch name {
	case fieldOK:
		f.ok = boolean
	case fieldData:
		f.data = true
	case fieldError:
		f.error = true
	case fieldMeta:
		f.meta = true
	}
}

// candidates returns the object as the kind of envelope that it is.
func (f *fieldSet) candidates(object string) candidates {
	switch {
	case f.ok && f.data && f.error && f.meta:
		return candidates{complete: object}
	case f.ok && (f.data || f.error || f.meta):
		return candidates{incomplete: object}
	default:
		return candidates{}
	}
}
