package ledger

import "bytes"

// indented returns JSON that has no space between its tokens in lines, as
// [encoding/json.Indent] does with two spaces: that looks at each byte as if it might not
// be JSON, and a plan of thousands of cells takes it longer than to be encoded.
func indented(compact []byte) []byte {
	const growth = 2
	out := make([]byte, 0, growth*len(compact))
	depth := 0
	newLine := func() {
		out = append(out, '\n')
		for range depth {
			out = append(out, ' ', ' ')
		}
	}
	for i := 0; i < len(compact); i++ {
		switch c := compact[i]; c {
		case '"':
			end := i + stringLength(compact[i:])
			out = append(out, compact[i:end]...)
			i = end - 1
		case '{', '[':
			out = append(out, c)
			if next := compact[i+1]; next == '}' || next == ']' {
				out = append(out, next)
				i++
				continue
			}
			depth++
			newLine()
		case '}', ']':
			depth--
			newLine()
			out = append(out, c)
		case ',':
			out = append(out, c)
			newLine()
		case ':':
			out = append(out, c, ' ')
		default:
			out = append(out, c)
		}
	}
	return out
}

// stringLength returns the length of the string that JSON begins with, with its quotes.
func stringLength(text []byte) int {
	for i := 1; ; {
		end := i + bytes.IndexByte(text[i:], '"')
		escapes := 0
		for text[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end + 1
		}
		i = end + 1
	}
}
