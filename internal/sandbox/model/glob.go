package model

import (
	"regexp"
	"strings"
)

// matchesAny reports whether a branch is meant by a workflow's patterns: the
// last one that matches decides, and one that begins with "!" takes out.
func matchesAny(patterns []string, branch string) bool {
	meant := false
	for _, pattern := range patterns {
		pattern, out := strings.CutPrefix(pattern, "!")
		if matches(pattern, branch) {
			meant = !out
		}
	}
	return meant
}

// matches reports whether a branch fits a pattern of GitHub's filters: * is
// any text without a slash, ** is any text, and ?, + and [] are as in regular
// expressions.
func matches(pattern, branch string) bool {
	var text strings.Builder
	for rest := pattern; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "**"):
			text.WriteString(".*")
			rest = rest[2:]
			continue
		case rest[0] == '*':
			text.WriteString("[^/]*")
		case strings.IndexByte("?+[]-", rest[0]) >= 0:
			text.WriteByte(rest[0])
		default:
			text.WriteString(regexp.QuoteMeta(rest[:1]))
		}
		rest = rest[1:]
	}
	expression, err := regexp.Compile("^(?s:" + text.String() + ")$")
	return err == nil && expression.MatchString(branch)
}
