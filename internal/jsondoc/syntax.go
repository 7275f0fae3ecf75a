package jsondoc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// explain records what is wrong with the syntax after the last token, in words
// for people who write JSON by hand. The decoder's error tells where in a
// string it is.
func (p *parser) explain(err error) bool {
	at := p.space(p.offset())
	in, length := p.tokens.StackIndex(p.tokens.StackDepth())
	switch {
	case in == '{' && length%2 == 1:
		if p.peek(at) != ':' {
			return p.fail(at, `want ":" after the field's name, found %s`, p.found(at))
		}
		return p.noValue(p.space(at+1), err)
	case in == '{' && length == 0:
		return p.noName(at, err)
	case in == '{':
		if p.peek(at) != ',' {
			name := p.tokens.StackPointer().LastToken()
			return p.fail(at, `want "," or "}" after the value of %s, found %s`, strconv.Quote(clip(name)), p.found(at))
		}
		return p.noName(p.space(at+1), err)
	case length > 0: // in an array
		next := p.space(at + 1)
		if comma := p.peek(at) == ','; comma && p.peek(next) != ']' {
			return p.noValue(next, err)
		} else if p.path = p.path[:p.tokens.StackDepth()-1]; comma { // that of the array
			return p.fail(next, `want another element after ",", or no "," before "]"`)
		}
		return p.fail(at, `want "," or "]" after an element, found %s`, p.found(at))
	case in != '[' && at == len(p.data):
		return p.fail(at, "the file is empty: want a JSON value")
	default:
		return p.noValue(at, err)
	}
}

func (p *parser) noName(at int, err error) bool {
	switch p.peek(at) {
	case '"':
		return p.noString(at, err)
	case '}':
		return p.fail(at, `want another field after ",", or no "," before "}"`)
	case '/':
		return p.fail(at, "JSON has no comments: want a field's name in double quotes")
	default:
		return p.fail(at, "want a field's name in double quotes, found %s", p.found(at))
	}
}

func (p *parser) noValue(at int, err error) bool {
	c := p.peek(at)
	switch {
	case c == '"':
		return p.noString(at, err)
	case c == '-' || '0' <= c && c <= '9':
		return p.number(&node{}, at)
	case len(p.letters(at)) > 0:
		return p.noWord(at)
	case c == '\'':
		return p.fail(at, `want a string in double quotes, found a single quote`)
	case c == '/':
		return p.fail(at, "JSON has no comments: want a value")
	default:
		return p.fail(at, "want a value, found %s", p.found(at))
	}
}

func (p *parser) noWord(at int) bool {
	return p.fail(at, "%s is no JSON value: want true, false, null, a number, or a string in double quotes", strconv.Quote(clip(string(p.letters(at)))))
}

// noString says what is wrong with the string that begins at an offset.
func (p *parser) noString(begin int, err error) bool {
	syntax, _ := errors.AsType[*jsontext.SyntacticError](err)
	at := int(syntax.ByteOffset)
	const unclosed = "the string has no closing quote before the end of the file"
	switch c := p.peek(at); {
	case at == len(p.data):
		return p.fail(begin, unclosed)
	case c == '\\' && at+1 == len(p.data):
		return p.fail(at+1, unclosed)
	case c == '\\' && !bytes.Contains([]byte(`"\/bfnrtu`), p.data[at+1:at+2]):
		return p.fail(at, `unknown escape: want one of \" \\ \/ \b \f \n \r \t, or \u and four hexadecimal digits`)
	case c == '\\' && !fourDigits(p.data[at+2:]):
		return p.fail(at, `want four hexadecimal digits after \u`)
	case c == '\\':
		return p.fail(at, `half of a surrogate pair: want two \u escapes that belong together`)
	case c == '\n' || c == '\r':
		return p.fail(begin, `the string has no closing quote in its line: want "\n" for a line break in a string`)
	case c == '\t':
		return p.fail(at, `the string has a control character in it: want "\t"`)
	case c < ' ':
		return p.fail(at, `the string has a control character in it: want "\u%04x"`, c)
	default:
		return p.fail(at, "byte 0x%02x is not UTF-8: save the file as UTF-8", c)
	}
}

// fourDigits reports whether four hexadecimal digits are next.
func fourDigits(rest []byte) bool {
	const digits = 4
	return len(rest)-len(bytes.TrimLeft(rest, "0123456789abcdefABCDEF")) >= digits
}

// offset is where the last token ended.
func (p *parser) offset() int { return int(p.tokens.InputOffset()) }

// peek returns the byte at an offset, a space at the end.
func (p *parser) peek(at int) byte {
	if at >= len(p.data) {
		return ' '
	}
	return p.data[at]
}

// space returns the first offset from one on that has no white space.
func (p *parser) space(at int) int {
	rest := p.data[min(at, len(p.data)):]
	return len(p.data) - len(bytes.TrimLeft(rest, " \t\r\n"))
}

// position returns the line and the column, in characters, of an offset that is
// no less than the one before.
func (p *parser) position(at int) (line, column int) {
	for ; p.at < at; p.at++ {
		switch c := p.data[p.at]; {
		case c == '\n':
			p.line, p.column = p.line+1, 1
		case utf8.RuneStart(c):
			p.column++
		}
	}
	return p.line, p.column
}

// found describes what is at an offset.
func (p *parser) found(at int) string {
	if at == len(p.data) {
		return "the end of the file"
	}
	r, size := utf8.DecodeRune(p.data[at:])
	if r == utf8.RuneError && size == 1 {
		return fmt.Sprintf("byte 0x%02x, which is not UTF-8", p.data[at])
	}
	return strconv.Quote(cmp.Or(clip(string(p.letters(at))), string(r)))
}

// letters returns the ASCII letters at an offset.
func (p *parser) letters(at int) []byte {
	rest := p.data[min(at, len(p.data)):]
	after := bytes.TrimLeft(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	return rest[:len(rest)-len(after)]
}

// clip shortens what a message repeats of a file.
func clip(text string) string {
	runes := []rune(text)
	if len(runes) <= maxShown {
		return text
	}
	return string(runes[:maxShown]) + "…"
}
