package model

import (
	"regexp"
	"strings"
)

// wildcards are the characters that make a name a pattern.
const wildcards = "*?["

// fnmatch reports whether a name is like a pattern of protected branches and of
// rulesets: by Ruby's File.fnmatch with FNM_PATHNAME, as GitHub says. There * is
// any text without a slash, **/ any folders, ? any character, [a-z] one of some.
func fnmatch(pattern, name string) bool {
	var text strings.Builder
	for rest := pattern; rest != ""; {
		end := strings.IndexByte(rest, ']')
		switch {
		case strings.HasPrefix(rest, "**/"):
			text.WriteString("(?:[^/]+/)*")
			rest = rest[3:]
			continue
		case rest[0] == '*':
			text.WriteString("[^/]*")
		case rest[0] == '?':
			text.WriteString("[^/]")
		case rest[0] == '[' && end > 1:
			set := strings.ReplaceAll(rest[1:end], `\`, `\\`)
			if strings.HasPrefix(set, "!") {
				set = "^" + set[1:]
			}
			text.WriteString("[" + strings.ReplaceAll(set, "[", `\[`) + "]")
			rest = rest[end+1:]
			continue
		default:
			text.WriteString(regexp.QuoteMeta(rest[:1]))
		}
		rest = rest[1:]
	}
	expression, err := regexp.Compile("^(?s:" + text.String() + ")$")
	return err == nil && expression.MatchString(name)
}
