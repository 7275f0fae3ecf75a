package gitstore

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// headerWidth is the length at which a header is folded (RFC 2822).
	headerWidth = 78
	// encodedWidth is that of a header with encoded words (RFC 2047).
	encodedWidth = 76
)

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// needsEncoding reports whether a header's text must be written as encoded
// words.
func needsEncoding(text string) bool {
	return !isASCII(text) || strings.Contains(text, "=?")
}

// fromHeader returns the header that names the author.
func fromHeader(author Signature) string {
	const key = "From: "
	name, width := author.Name, headerWidth
	switch {
	case needsEncoding(name):
		width = encodedWidth
		name = encodeWords(len(key), name, isAddressPlain)
	case strings.ContainsAny(name, `()<>[]:;@,."\`):
		name = foldText(len(key), `"`+strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(name)+`"`)
	default:
		name = foldText(len(key), name)
	}
	header := key + name
	last := header[strings.LastIndexByte(header, '\n')+1:]
	if len(last)+len(" <"+author.Email+">") > width {
		header += "\n"
	}
	return header + " <" + author.Email + ">"
}

// subjectHeader returns the subject, mark before text.
func subjectHeader(mark, text string) string {
	key := "Subject: " + mark
	if needsEncoding(text) {
		return key + encodeWords(len(key), text, isSubjectPlain)
	}
	return strings.TrimRight(key+foldText(len(key), text), " ")
}

// foldText breaks ASCII text at spaces where it would exceed the width of a
// header. column is what is on the first line already.
func foldText(column int, text string) string {
	var b strings.Builder
	for text != "" {
		// A word goes with the space before it.
		end := len(text) - len(strings.TrimLeft(text, " "))
		if next := strings.IndexByte(text[end:], ' '); next >= 0 {
			end += next
		} else {
			end = len(text)
		}
		word := text[:end]
		if column+len(word) > headerWidth {
			b.WriteByte('\n')
			word = " " + strings.TrimPrefix(word, " ")
			column = 0
		}
		b.WriteString(word)
		column += len(word)
		text = text[end:]
	}
	return b.String()
}

// encodeWords returns UTF-8 text as encoded words in the Q encoding. plain says
// which characters need no escape. column is what is on the first line already.
func encodeWords(column int, text string, plain func(c byte) bool) string {
	const open, end = "=?UTF-8?q?", "?="
	var b strings.Builder
	b.WriteString(open)
	column += len(open)
	for text != "" {
		_, size := utf8.DecodeRuneInString(text)
		encoded := text[:size]
		if size > 1 || !plain(text[0]) {
			encoded = ""
			for i := range size {
				encoded += fmt.Sprintf("=%02X", text[i])
			}
		}
		if column+len(encoded)+len(end) > encodedWidth {
			b.WriteString(end + "\n " + open)
			column = 1 + len(open)
		}
		b.WriteString(encoded)
		column += len(encoded)
		text = text[size:]
	}
	return b.String() + end
}

// isSubjectPlain reports whether c may stand in an encoded word as it is.
func isSubjectPlain(c byte) bool {
	return ' ' < c && c < 0x7f && c != '=' && c != '?' && c != '_'
}

// isAddressPlain is isSubjectPlain for the name before an address.
func isAddressPlain(c byte) bool {
	switch {
	case '0' <= c && c <= '9', 'a' <= c|0x20 && c|0x20 <= 'z':
		return c < utf8.RuneSelf
	default:
		return strings.IndexByte("!*+-/", c) >= 0
	}
}
