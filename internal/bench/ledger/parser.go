package ledger

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// parser reads JSON from the front of a line. Its methods skip white space,
// read one thing and report whether it was there; after a false the parser is
// of no more use. It need not take all that encoding/json takes, because
// encoding/json is asked again after a false, but it takes nothing that
// encoding/json would refuse or read otherwise.
type parser struct {
	line []byte
	at   int
	seen *interner
}

// maxSkipDepth is how deeply a value that is skipped may be nested.
const maxSkipDepth = 64

func (p *parser) space() {
	for p.at < len(p.line) {
		switch p.line[p.at] {
		case ' ', '\t', '\r', '\n':
			p.at++
		default:
			return
		}
	}
}

// next reads a punctuation character, if it is the next.
func (p *parser) next(c byte) bool {
	p.space()
	if p.at < len(p.line) && p.line[p.at] == c {
		p.at++
		return true
	}
	return false
}

// end reports whether nothing is left.
func (p *parser) end() bool {
	p.space()
	return p.at == len(p.line)
}

func (p *parser) word(w string) bool {
	p.space()
	if bytes.HasPrefix(p.line[p.at:], []byte(w)) {
		p.at += len(w)
		return true
	}
	return false
}

func (p *parser) null() bool { return p.word("null") }

// object reads an object. It calls field with every name, which is to read
// the value.
func (p *parser) object(field func(name []byte) bool) bool {
	if !p.next('{') {
		return false
	}
	if p.next('}') {
		return true
	}
	for {
		name, plain := p.quoted()
		if !plain || !p.next(':') || !field(name) {
			return false
		}
		if !p.next(',') {
			return p.next('}')
		}
	}
}

// array reads an array. It calls element to read each of its values.
func (p *parser) array(element func() bool) bool {
	if !p.next('[') {
		return false
	}
	if p.next(']') {
		return true
	}
	for {
		if !element() {
			return false
		}
		if !p.next(',') {
			return p.next(']')
		}
	}
}

// quoted reads a string that has no escapes and is UTF-8, and returns what is
// between its quotes.
func (p *parser) quoted() (text []byte, plain bool) {
	if !p.next('"') {
		return nil, false
	}
	ascii := true
	for i := p.at; i < len(p.line); i++ {
		switch c := p.line[i]; {
		case c == '"':
			text = p.line[p.at:i]
			p.at = i + 1
			return text, ascii || utf8.Valid(text)
		case c == '\\' || c < ' ':
			return nil, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false
}

// text reads a string of any kind. Repeated says that other rows may have the
// same.
func (p *parser) text(repeated bool) (string, bool) {
	p.space()
	start := p.at
	if text, plain := p.quoted(); plain {
		if repeated {
			return p.seen.string(text), true
		}
		return string(text), true
	}
	p.at = start
	if !p.skipString() {
		return "", false
	}
	var s string
	err := json.Unmarshal(p.line[start:p.at], &s)
	return s, err == nil
}

// digits reads at least one digit.
func (p *parser) digits() bool {
	start := p.at
	for p.at < len(p.line) && p.line[p.at] >= '0' && p.line[p.at] <= '9' {
		p.at++
	}
	return p.at > start
}

// integer reads a JSON number that has neither fraction nor exponent and
// returns its characters.
func (p *parser) integer() ([]byte, bool) {
	p.space()
	start := p.at
	if p.at < len(p.line) && p.line[p.at] == '-' {
		p.at++
	}
	first := p.at
	if !p.digits() || (p.line[first] == '0' && p.at > first+1) {
		return nil, false
	}
	return p.line[start:p.at], true
}

// numeral reads any JSON number and returns its characters; whole says that
// it has neither fraction nor exponent.
func (p *parser) numeral() (text []byte, whole, ok bool) {
	p.space()
	start := p.at
	if _, ok := p.integer(); !ok {
		return nil, false, false
	}
	whole = true
	if p.at < len(p.line) && p.line[p.at] == '.' {
		whole = false
		p.at++
		if !p.digits() {
			return nil, false, false
		}
	}
	if p.at < len(p.line) && (p.line[p.at] == 'e' || p.line[p.at] == 'E') {
		whole = false
		p.at++
		if p.at < len(p.line) && (p.line[p.at] == '+' || p.line[p.at] == '-') {
			p.at++
		}
		if !p.digits() {
			return nil, false, false
		}
	}
	return p.line[start:p.at], whole, true
}

// maxExactDigits is how many digits a whole number may have to be exact as a
// float64 for sure.
const maxExactDigits = 15

func (p *parser) float() (float64, bool) {
	text, whole, ok := p.numeral()
	if !ok {
		return 0, false
	}
	if whole && len(text) <= maxExactDigits && text[0] != '-' {
		n := 0
		for _, c := range text {
			n = n*10 + int(c-'0')
		}
		return float64(n), true
	}
	f, err := strconv.ParseFloat(string(text), 64)
	return f, err == nil
}

// skip reads a value of any kind.
func (p *parser) skip(depth int) bool {
	p.space()
	if p.at == len(p.line) || depth > maxSkipDepth {
		return false
	}
	switch p.line[p.at] {
	case '{':
		return p.object(func([]byte) bool { return p.skip(depth + 1) })
	case '[':
		return p.array(func() bool { return p.skip(depth + 1) })
	case '"':
		return p.skipString()
	case 't':
		return p.word("true")
	case 'f':
		return p.word("false")
	case 'n':
		return p.null()
	default:
		_, _, ok := p.numeral()
		return ok
	}
}

func (p *parser) skipString() bool {
	if !p.next('"') {
		return false
	}
	for p.at < len(p.line) {
		c := p.line[p.at]
		p.at++
		switch {
		case c == '"':
			return true
		case c < ' ':
			return false
		case c == '\\' && !p.escape():
			return false
		}
	}
	return false
}

// escape reads what follows a backslash.
func (p *parser) escape() bool {
	if p.at == len(p.line) {
		return false
	}
	c := p.line[p.at]
	p.at++
	if c != 'u' {
		return bytes.IndexByte([]byte(`"\/bfnrt`), c) >= 0
	}
	const hexDigits = 4
	for range hexDigits {
		if p.at == len(p.line) || bytes.IndexByte([]byte("0123456789abcdefABCDEF"), p.line[p.at]) < 0 {
			return false
		}
		p.at++
	}
	return true
}

// interner keeps one copy of the short strings that rows repeat.
type interner struct{ known map[string]string }

// The most strings that an interner keeps, and the longest, in bytes.
const (
	maxInterned    = 4096
	maxInternedLen = 64
)

func newInterner() *interner { return &interner{known: map[string]string{}} }

func (n *interner) string(text []byte) string {
	if len(text) > maxInternedLen {
		return string(text)
	}
	if s, ok := n.known[string(text)]; ok {
		return s
	}
	s := string(text)
	if len(n.known) < maxInterned {
		n.known[s] = s
	}
	return s
}
