package ghevent

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Paths is patterns in order: a path is in if the last pattern that matches it is
// not one that begins with "!". The language is that of paths in a workflow's
// triggers: * is anything but "/", ** anything, ? and +
// repeat the character before, [ ] is a set, \ takes away the meaning.
// https://docs.github.com/actions/reference/workflow-syntax-for-github-actions#filter-pattern-cheat-sheet
type Paths []pattern

type pattern struct {
	match   *regexp.Regexp
	exclude bool
}

// ParsePaths reads patterns. The error is one sentence.
func ParsePaths(texts []string) (Paths, error) {
	var all Paths
	for _, text := range texts {
		body, exclude := strings.CutPrefix(text, "!")
		match, err := compile(body)
		if err != nil {
			return nil, fmt.Errorf("the pattern %q cannot be read: %w", text, err)
		}
		all = append(all, pattern{match: match, exclude: exclude})
	}
	if len(all) > 0 && !slices.ContainsFunc(all, func(p pattern) bool { return !p.exclude }) {
		return nil, fmt.Errorf("all patterns begin with \"!\", so nothing can match: put the pattern \"**\" first")
	}
	return all, nil
}

// Any reports whether one of the paths is in.
func (all Paths) Any(paths []string) bool { return slices.ContainsFunc(paths, all.in) }

func (all Paths) in(path string) bool {
	in := false
	for _, p := range all {
		if p.match.MatchString(path) {
			in = !p.exclude
		}
	}
	return in
}

// compile turns a pattern into a regular expression.
func compile(pattern string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	repeatable := false
	for at := 0; at < len(pattern); {
		rest := pattern[at:]
		piece, size := "", 1
		switch {
		case strings.HasPrefix(rest, "**/") && (at == 0 || pattern[at-1] == '/'):
			piece, size = `(?:.*/)?`, len("**/")
		case strings.HasPrefix(rest, "**"):
			piece, size = `.*`, len("**")
		case rest[0] == '*':
			piece = `[^/]*`
		case rest[0] == '?' || rest[0] == '+':
			if !repeatable {
				return nil, fmt.Errorf("there is no character before %q to repeat: write \\%c for the character itself", rest[:1], rest[0])
			}
			piece = rest[:1]
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			if end < 2 {
				return nil, fmt.Errorf("%q has no end, or nothing in it", rest)
			}
			piece, size = rest[:end+1], end+1
		default:
			piece, size = literal(rest)
		}
		b.WriteString(piece)
		at += size
		repeatable = !strings.ContainsRune("*?+", rune(rest[0]))
	}
	b.WriteString(`\z`)
	return regexp.Compile(b.String())
}

// literal returns the expression of the pattern's first character, which may
// be written with a backslash, and its size in the pattern.
func literal(rest string) (piece string, size int) {
	runes := []rune(rest)
	if runes[0] == '\\' && len(runes) > 1 {
		return regexp.QuoteMeta(string(runes[1])), 1 + len(string(runes[1]))
	}
	return regexp.QuoteMeta(string(runes[0])), len(string(runes[0]))
}
