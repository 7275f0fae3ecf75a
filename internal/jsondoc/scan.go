package jsondoc

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxNumberLength bounds a number's digits, so that arithmetic on it is cheap.
const maxNumberLength = 100

// maxInt is the first whole number beyond an int, as a float64.
const maxInt = 1 << 63

// word reads true, false or null.
func (p *parser) word(n *node) bool {
	word := string(p.letters())
	switch word {
	case "true", "false":
		n.value = word == "true"
	case "null":
		n.value = nil
	default:
		return p.fail("%s is no JSON value: want true, false, null, a number, or a string in double quotes", strconv.Quote(clip(word)))
	}
	p.advance(len(word))
	return true
}

func (p *parser) number(n *node) bool {
	rest := p.data[p.at:]
	length := 0
	for length < len(rest) && strings.IndexByte("+-.0123456789eE", rest[length]) >= 0 {
		length++
	}
	digits := string(rest[:min(length, maxNumberLength)])
	if length > maxNumberLength {
		return p.fail("the number has more than %d characters", maxNumberLength)
	}
	if !json.Valid([]byte(digits)) {
		return p.fail("%s is no JSON number: want one like -12, 3.5 or 6e2", digits)
	}
	value, ok := numberValue(digits)
	if !ok {
		return p.fail("%s does not fit a 64-bit floating point number", digits)
	}
	n.value = value
	p.advance(length)
	return true
}

// numberValue returns an int for a whole number that fits one, however it is
// written, else the nearest float64, as an int if that is whole; false if the
// number is too large or too close to 0 for a float64.
func numberValue(digits string) (any, bool) {
	value, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return nil, false
	}
	if value == 0 {
		mantissa, _, _ := strings.Cut(strings.ToLower(digits), "e")
		return 0, !strings.ContainsAny(mantissa, "123456789")
	}
	exact, ok := new(big.Rat).SetString(digits)
	if ok && exact.IsInt() && exact.Num().IsInt64() {
		return int(exact.Num().Int64()), true
	}
	if value == math.Trunc(value) && math.Abs(value) < maxInt {
		return int(value), true
	}
	return value, true
}

// quoted reads a string, whose opening quote is next.
func (p *parser) quoted() (string, bool) {
	line, column := p.line, p.column
	p.advance(1)
	var text strings.Builder
	for p.at < len(p.data) {
		c := p.data[p.at]
		switch {
		case c == '"':
			p.advance(1)
			return text.String(), true
		case c == '\\':
			if !p.escape(&text) {
				return "", false
			}
		case c == '\n' || c == '\r':
			p.problemAt(line, column, p.path, `the string has no closing quote in its line: want "\n" for a line break in a string`)
			return "", false
		case c < ' ':
			return "", p.fail("the string has a control character in it: want %s", escaped(c))
		default:
			r, size := utf8.DecodeRune(p.data[p.at:])
			if r == utf8.RuneError && size == 1 {
				return "", p.fail("byte 0x%02x is not UTF-8: save the file as UTF-8", c)
			}
			text.Write(p.data[p.at : p.at+size])
			p.advance(size)
		}
	}
	p.problemAt(line, column, p.path, "the string has no closing quote before the end of the file")
	return "", false
}

func escaped(c byte) string {
	if c == '\t' {
		return `"\t"`
	}
	return fmt.Sprintf(`"\u%04x"`, c)
}

// shortEscapes has the letters of two-character escapes, shortEscaped what
// they stand for.
const (
	shortEscapes = `"\/bfnrt`
	shortEscaped = "\"\\/\b\f\n\r\t"
)

// escape reads an escape sequence, whose backslash is next.
func (p *parser) escape(text *strings.Builder) bool {
	if p.at+1 == len(p.data) {
		p.advance(1)
		return p.fail("the string has no closing quote before the end of the file")
	}
	c := p.data[p.at+1]
	if i := strings.IndexByte(shortEscapes, c); i >= 0 {
		text.WriteByte(shortEscaped[i])
		p.advance(2)
		return true
	}
	if c != 'u' {
		return p.fail(`unknown escape: want one of \" \\ \/ \b \f \n \r \t, or \u and four hexadecimal digits`)
	}
	unit, ok := p.codeUnit(p.at)
	if !ok {
		return p.fail(`want four hexadecimal digits after \u`)
	}
	if !utf16.IsSurrogate(unit) {
		text.WriteRune(unit)
		p.advance(len(`\uXXXX`))
		return true
	}
	second, ok := p.codeUnit(p.at + len(`\uXXXX`))
	pair := utf16.DecodeRune(unit, second)
	if !ok || pair == utf8.RuneError {
		return p.fail(`half of a surrogate pair: want two \u escapes that belong together`)
	}
	text.WriteRune(pair)
	p.advance(2 * len(`\uXXXX`))
	return true
}

// codeUnit reads a \uXXXX at the offset.
func (p *parser) codeUnit(at int) (rune, bool) {
	end := at + len(`\uXXXX`)
	if end > len(p.data) || p.data[at] != '\\' || p.data[at+1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(p.data[at+2:end]), 16, 16)
	return rune(unit), err == nil
}
