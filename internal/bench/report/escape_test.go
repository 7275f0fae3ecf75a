package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// z marks where something invisible keeps GitHub from making more of a text.
const z = invisible

func TestEscapeLeavesGitHubNothingToMakeOfAText(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain words stay", "pr-checks-rerun-001 is 27.5% (2 of 3), it's fine", "pr-checks-rerun-001 is 27.5% (2 of 3), it's fine"},
		{"a mention", "ask @octocat", "ask @" + z + "octocat"},
		{"a team", "@acme/team", "@" + z + "acme/team"},
		{"an address", "me@acme.example", "me@" + z + "acme.example"},
		{"a commit", "acme/tool@0123abc", "acme/tool@" + z + "0123abc"},
		{"a mode is no mention", "ghx@base and ghx@base/2", "ghx@base and ghx@base/2"},
		{"a reference", "#12 and acme/tool#3", `\#` + z + `12 and acme/tool\#` + z + "3"},
		{"the older reference", "GH-12 gh-3 high-4", "GH-" + z + "12 gh-" + z + "3 high-4"},
		{"an address of a page", "https://evil.example", "https:" + z + "//evil.example"},
		{"an address without its scheme", "www.evil.example", "www" + z + ".evil.example"},
		{"a link", "[a](b)", `\[a\](b)`},
		{"a picture", "![a](b)", `\!\[a\](b)`},
		{"HTML", "<img src=x>", `\<img src=x\>`},
		{"an entity", "&lt;", `\&lt;`},
		{"table cells", "a | b", `a \| b`},
		{"code", "`a`", "\\`a\\`"},
		{"emphasis", "*a* _b_ ~~c~~", `\*a\* \_b\_ \~\~c\~\~`},
		{"a backslash", `a\|b`, `a\\\|b`},
		{"mathematics", "$x$", "<span>$</span>x<span>$</span>"},
		{"an emoji", ":tada: at 12:30", ":" + z + "tada: at 12:30"},
		{"a workflow command", "::error::x", ":" + z + ":" + z + "error:" + z + ":x"},
		{"the older workflow command", "##[error]x", `\#\#\[error\]x`},
		{"lines", "a\r\n# b\n\n- c\t d", `a \# b - c d`},
		{"a list item", "- a", `\- a`},
		{"a numbered item", "1. a", `1\. a`},
		{"a rule", "--- a", `\--- a`},
		{"a negative number is no list item", "-1 and 1.5", "-1 and 1.5"},
		{"controls and turned writing", "a\x1b[31m\x00\u202eb\u2066", `a\[31mb`},
		{"bytes that are not UTF-8", "a\xffb", "a\ufffdb"},
		{"nothing", " \n ", ""},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, escape(c.text)) })
	}
}

func TestCodeHoldsAnyText(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a @b #1 <c>", "`a @b #1 <c>`"},
		{"backticks within", "a `b` ``c``", "``` a `b` ``c`` ```"},
		{"a backtick at an end", "`a", "`` `a ``"},
		{"lines", "a\nb", "`a b`"},
		{"a workflow command of the older form", "##[x]", "`# #[x]`"},
		{"nothing", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, code(c.text)) })
	}
}

func TestOneLineCutsLongTexts(t *testing.T) {
	got := oneLine(strings.Repeat("é", maxText+1))
	assert.Equal(t, strings.Repeat("é", maxText)+"…", got)
	assert.Equal(t, strings.Repeat("é", maxText), oneLine(strings.Repeat("é", maxText)))
}

func FuzzEscape(f *testing.F) {
	f.Add("@a #1 [b](c) | `d` $e$ ::f:: :g: https://h www.i <j> &k; 1. -")
	f.Fuzz(func(t *testing.T, text string) {
		got := escape(text)
		plain := strings.ReplaceAll(got, "<span>$</span>", "$")
		for i := range len(plain) {
			if strings.IndexByte("*_[]<>|~&`", plain[i]) >= 0 {
				assert.Equal(t, 1, (i-len(strings.TrimRight(plain[:i], `\`)))%2, "%q is bare in %q", plain[i], got)
			}
		}
		for _, never := range []string{"\n", "\x1b", "://", "::", "##["} {
			assert.NotContains(t, got, never)
		}
		shown := code(text)
		assert.NotContains(t, shown, "\n")
	})
}
