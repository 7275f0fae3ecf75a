package markdown_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/ghx-dev/bench-action/internal/markdown"
)

const most = 300

// hostile are texts that GitHub would take for more than texts.
var hostile = []string{
	"@octocat and @acme/team, see #12, GH-34, acme/tool#56 and octocat#7",
	"deadbeef 0123456789abcdef0123456789abcdef01234567 octocat@deadbeef acme/tool@0123456789abcdef",
	"GHSA-abcd-1234-efgh CVE-2021-44228 :tada: :+1: ::smile::",
	"<script>alert(1)</script><img src=x onerror=alert(1)> <https://evil.example> <a@evil.example>",
	"<!-- bench-action:v1 AAAA --> <!-- ]]> <![CDATA[ x ]]> <?php ?>",
	"[click](https://evil.example) ![beacon](https://evil.example/x.png) [ref] [^1] [x]: https://evil.example",
	"https://evil.example http://evil.example ftp://evil.example www.evil.example mailto:a@evil.example xmpp:a@evil.example",
	"| a | `b` | **c** | ~~d~~ | $e$ | $`f`$ | $$g$$ | &lt; | \\| | \\\\| | \\",
	"```\nfence\n```\n~~~\n# heading\n> quote\n- item\n1. one\n---\n===\n    code",
	"# heading", "- item", "+ item", "* item", "1. one", "12) twelve", "---", "***", "===", "> quote", "| cell |", "[ ] task", "--", ":---:",
	"::error::stop here ##[add-mask]x ::set-output name=a::b",
	"\x1b[31mred\x1b[0m \x07 \x00 \xff\xfe \u202ereversed\u2066 zero\u200bwidth \ufeff\u3164\u00ad\U000e0041",
	"</details></table></td></div>{{.}}'\"--><!--",
	"`", "``", "` `` ``` ````", "a`b", "`a", "a`", "\\`", "\\", "a\\", "&amp;", "&#64;octocat", "@", "#", ":", "",
	strings.Repeat("very long ", 500), strings.Repeat("x", 5000), "e" + strings.Repeat("\u0301", 500), strings.Repeat("@a ", 300),
	"@a", "#1", "GH-1", "CVE-1", "a@b", "://", ":white_check_mark:", "www.", "édeadbeef1é", "_deadbeef1", "deadbee",
	"/bench approve 0123456789abcdef0123456789abcdef01234567",
}

// places are where a text may stand. Each has one "%s".
var places = map[string]string{
	"a paragraph": "%s\n",
	"a list item": "- %s\n- next\n",
	"bold":        "**%s**\n",
	"a quote":     "> %s\n",
	"details":     "<details><summary>title</summary>\n\n%s\n\n</details>\n",
	"a next line": "above\n%s\n",
	"a sentence":  "before %s after\n",
	"a cell":      "| a | b |\n|---|---|\n| x | %s |\n| %s | y |\n",
}

var reader = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser()

// parsed returns the kinds of nodes of a page, how many of each, and its text.
func parsed(source string) (kinds map[string]int, shown string) {
	kinds = map[string]int{}
	var out strings.Builder
	bytes := []byte(source)
	_ = ast.Walk(reader.Parse(text.NewReader(bytes)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		kinds[n.Kind().String()]++
		switch n := n.(type) {
		case *ast.Text:
			out.Write(n.Segment.Value(bytes))
		case *ast.String:
			out.Write(n.Value)
		case *ast.RawHTML:
			tag := string(n.Segments.Value(bytes))
			kinds["RawHTML"]--
			if tag != "<span>" && tag != "</span>" {
				kinds["tag "+tag]++
			}
		}
		return ast.WalkContinue, nil
	})
	delete(kinds, ast.KindText.String())
	delete(kinds, ast.KindString.String())
	if kinds["RawHTML"] == 0 {
		delete(kinds, "RawHTML")
	}
	return kinds, out.String()
}

func in(place, s string) string { return strings.ReplaceAll(place, "%s", s) }

// unescaped reads what the Markdown in a text stands for.
var unescaped = strings.NewReplacer(
	"&amp;", "&", "&lt;", "<", "&gt;", ">", "&#124;", "|",
)

// inPage are what GitHub looks for in the page that Markdown has become,
// outside code.
var inPage = map[string]*regexp.Regexp{
	"mention":  regexp.MustCompile(`@[A-Za-z0-9]`),
	"issue":    regexp.MustCompile(`(?i)(#|\bgh-)[0-9]`),
	"advisory": regexp.MustCompile(`(?i)\b(ghsa|cve)-[0-9a-z]`),
	"commit":   regexp.MustCompile(`(?i)\b[0-9a-f]{7,64}\b`),
	"address":  regexp.MustCompile(`(?i)://|\bwww\.|\b(mailto|xmpp):[a-z]`),
	"emoji":    regexp.MustCompile(`:[A-Za-z0-9_+-]+:`),
}

// inSource are what is looked for in the Markdown itself.
var inSource = map[string]*regexp.Regexp{
	"control":          regexp.MustCompile("[\x00-\x1f\x7f\u0080-\u009f]"),
	"direction":        regexp.MustCompile(`[\x{202a}-\x{202e}\x{2066}-\x{2069}\x{200e}\x{200f}\x{61c}]`),
	"workflow command": regexp.MustCompile(`^\s*::|##\[`),
}

var mathematics = regexp.MustCompile(`(^|[^>])\$|\$($|[^<])`)

func checkText(t *testing.T, s string) {
	t.Helper()
	written := markdown.Text(s, most)
	require.True(t, utf8.ValidString(written))
	for name, danger := range inSource {
		assert.NotRegexp(t, danger, written, "a %s in %q", name, s)
	}
	assert.NotRegexp(t, mathematics, written)
	for name, danger := range inPage {
		assert.NotRegexp(t, danger, unslash(unescaped.Replace(written)), "a %s in %q", name, s)
	}
	for name, place := range places {
		want, _ := parsed(in(place, "word"))
		got, _ := parsed(in(place, written))
		if written == "" || written == "…" {
			continue
		}
		require.Equal(t, want, got, "%q is more than text in %s: %q", s, name, written)
	}
}

func checkCode(t *testing.T, s string) {
	t.Helper()
	written := markdown.Code(s, most)
	require.True(t, utf8.ValidString(written))
	if written == "" {
		return
	}
	for name, place := range places {
		if name == "a cell" {
			want, _ := parsed(in(place, "word"))
			got, _ := parsed(in(place, markdown.CodeCell(s, most)))
			delete(got, ast.KindCodeSpan.String())
			require.Equal(t, want, got, "%q is more than code in %s", s, name)
			continue
		}
		want, _ := parsed(in(place, "`word`"))
		got, _ := parsed(in(place, written))
		require.Equal(t, want, got, "%q is more than code in %s: %q", s, name, written)
	}
	for name, danger := range inSource {
		assert.NotRegexp(t, danger, written, "a %s in %q", name, s)
	}
}

func TestHostileTextsAreTextAlone(t *testing.T) {
	for i, s := range hostile {
		t.Run(fmt.Sprintf("%d", i), func(t *testing.T) {
			checkText(t, s)
			checkCode(t, s)
		})
	}
}

// The test above is worth nothing if the reader makes nothing of these texts.
func TestTheReaderMakesMoreOfThemUnescaped(t *testing.T) {
	for _, c := range []struct{ name, text, kind string }{
		{"a link", hostile[5], ast.KindLink.String()},
		{"an image", hostile[5], ast.KindImage.String()},
		{"an address", hostile[6], ast.KindAutoLink.String()},
		{"a tag", hostile[3], ast.KindHTMLBlock.String()},
		{"struck out", hostile[7], extast.KindStrikethrough.String()},
		{"a heading", "# heading", ast.KindHeading.String()},
		{"a list", "1. one", ast.KindListItem.String()},
		{"a fence", hostile[8], ast.KindFencedCodeBlock.String()},
	} {
		t.Run(c.name, func(t *testing.T) {
			kinds, _ := parsed(c.text + "\n")
			assert.NotZero(t, kinds[c.kind], "%v", kinds)
		})
	}
}

func TestTextShowsWhatItWasGiven(t *testing.T) {
	for _, s := range []string{
		"want 3 * 4 = 12, got [1, 2] in a_b_c", "if a < b && c > d | e", "C:\\path\\file", "pr-merge-001/ghx/3", "`gh run rerun`", "~~x~~ **y**", "100% of #12!",
	} {
		t.Run(s, func(t *testing.T) {
			_, shown := parsed("x " + markdown.Text(s, most) + "\n")
			assert.Equal(t, "x "+s, strings.ReplaceAll(unescaped.Replace(unslash(shown)), "\u200b", ""))
		})
	}
}

// Names and figures are copied out of pages, and searched there.
func TestTextLeavesOrdinaryTextsAsTheyAre(t *testing.T) {
	for _, s := range []string{
		"-5 % and +5 %", "=5", "a - b + c = d", "a b - c", "1.5 seconds", "first. Then", "x1) y", ". then",
		"at noon @ the office", "high-5 and low-5", "gh - cve - x", "see gh-, x", "see gh-", "pr-merge-001", "1a-2b",
		"error: no such file: x", "at 12:30", "ends with:", "wwwx", "ww.x", "awww.x", "see www", "a w.x",
		"deadbe", "xdeadbeef1", "deadbeef1x", "facades and decades", "a 12345 6 b",
	} {
		assert.Equal(t, s, markdown.Text(s, most))
	}
}

// The dots are where a word is broken by what has no width.
func TestTextBreaksNoMoreThanWhatGitHubLinks(t *testing.T) {
	for s, want := range map[string]string{
		"@octocat or @ home":           "@·octocat or @ home",
		"#12 or # 12":                  `\#·12 or \# 12`,
		"gh-12, CVE-2021 and rough-12": "gh-·12, CVE-·2021 and rough-12",
		"https://x":                    "https:·//x",
		"a::b":                         "a:·:b",
		"ok :tada: at 12:30":           "ok :·tada: at 12:30",
		"www.x, wwwx and WWW.x":        "www·.x, wwwx and WWW·.x",
		"mailto:x and xmpp:y, into:z":  "mailto:·x and xmpp:·y, into:z",
		"at deadbee, not at deadbe":    "at dead·bee, not at deadbe",
		"x 0123456789abc y":            "x 0123·4567·89ab·c y",
		"costs $5":                     "costs <span>$</span>5",
		"1. one":                       `1\. one`,
		"- one":                        `\- one`,
	} {
		assert.Equal(t, want, strings.ReplaceAll(markdown.Text(s, most), "\u200b", "·"))
	}
}

// unslash takes away the backslashes of escapes, as a renderer does.
func unslash(s string) string {
	return regexp.MustCompile(`\\([!-/:-@\[-`+"`"+`{-~])`).ReplaceAllString(s, "$1")
}

func TestCodeKeepsNamesAsTheyAre(t *testing.T) {
	assert.Equal(t, "`pr-merge-001`", markdown.Code("pr-merge-001", most), "a name can be copied out of the page")
	assert.Equal(t, "``a`b``", markdown.Code("a`b", most))
	assert.Equal(t, "`` `a` ``", markdown.Code("`a`", most))
	assert.Empty(t, markdown.Code(" \u200b ", most))
	assert.Equal(t, "`a\\b`", markdown.Code(`a\b`, most))
	assert.Equal(t, "a&#124;b", markdown.CodeCell("a|b", most))
	assert.Equal(t, "`pr-merge-001`", markdown.CodeCell("pr-merge-001", most))
}

func TestCleanKeepsALineShort(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"white space becomes single spaces", "  a\r\n\tb\u00a0\u2003c\u2028d  ", "a b c d"},
		{"what is too long is cut", "abcdefghijk", "abcdefghij…"},
		{"a text of just that length is not", "abcdefghij", "abcdefghij"},
		{"characters are whole", "éééééééééééé", "éééééééééé…"},
		{"invalid bytes are shown as such", "a\xffb", "a\ufffdb"},
		{"colours of terminals are left out", "\x1b[31mred", "[31mred"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, markdown.Clean(c.text, 10)) })
	}
	t.Run("a word that has no end is cut, and the text goes on", func(t *testing.T) {
		assert.Equal(t, strings.Repeat("x", 100)+"… then", markdown.Clean(strings.Repeat("x", 1<<20)+" then", 200))
		long := strings.Repeat("x", 100) + " " + strings.Repeat("y", 100)
		assert.Equal(t, long, markdown.Clean(long, 300))
	})
	t.Run("accents do not pile up", func(t *testing.T) {
		assert.Equal(t, "e\u0301\u0301 ", markdown.Clean("e"+strings.Repeat("\u0301", 50), 10)+" ")
		assert.Equal(t, "\u0301\u0301", markdown.Clean(strings.Repeat("\u0301", 50), 10))
	})
	t.Run("each letter has its own accents", func(t *testing.T) {
		word := "e\u0301\u0302o\u0301\u0302ø\u0301\u0302"
		assert.Equal(t, word, markdown.Clean(word, 10))
	})
}

func TestALogLineIsNoCommand(t *testing.T) {
	for text, want := range map[string]string{
		"::error::x":              ": :error::x",
		" \r\n::error::x":         ": :error::x",
		"a ##[group]b":            "a # #[group]b",
		"std::string at a.cc:12":  "std::string at a.cc:12",
		"\u200b::warning::hidden": ": :warning::hidden",
	} {
		assert.Equal(t, want, markdown.Log(text, most))
	}
}

func TestALinkLeadsToTheWebOrNowhere(t *testing.T) {
	long := strings.Repeat("a", 120)
	longest := "https://x.example/" + strings.Repeat("a", 2000-len("https://x.example/"))
	for _, c := range []struct{ name, address, want string }{
		{"a page", "https://github.com/acme/tool/actions/runs/1", "[run](<https://github.com/acme/tool/actions/runs/1>)"},
		{"parentheses and a query", "https://x.example/a(b)?c=d&e=f", "[run](<https://x.example/a(b)?c=d&e=f>)"},
		{"a bracket cannot end it", "https://x.example/a>b|c", "[run](<https://x.example/a%3Eb%7Cc>)"},
		{"no address", "", ""},
		{"a script", "javascript:alert(1)", "run"},
		{"a script that looks like a page", "javascript://x.example/%0aalert(1)", "run"},
		{"data", "data:text/html,x", "run"},
		{"a page without encryption", "http://x.example/", "[run](<http://x.example/>)"},
		{"what is neither", "ftp://x.example/a", "run"},
		{"a path", "/login", "run"},
		{"credentials", "https://user:secret@x.example/", "run"},
		{"a line end", "https://x.example/\n# heading", "run"},
		{"a space", "https://x.example/a b", "run"},
		{"a long name", "https://github.com/" + long + "/tool", "[run](<https://github.com/" + long + "/tool>)"},
		{"as long as may be", longest, "[run](<" + longest + ">)"},
		{"too long", longest + "a", "run"},
		{"what turns the writing around", "https://x.example/?q=\u202eexe", "run"},
		{"what is not seen", "https://x.example/?q=a\u200b", "run"},
		{"letters that no URL has", "https://x.example/?q=é", "run"},
		{"the last letter that one has", "https://x.example/~me!", "[run](<https://x.example/~me!>)"},
		{"invalid bytes", "https://x.example/?q=\xff", "run"},
		{"an escape that is none", "https://x.example/%zz", "run"},
		{"no host", "https:///a", "run"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, markdown.Link("run", c.address)) })
	}
}

func FuzzText(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkText(t, s)
		checkCode(t, s)
	})
}

func FuzzLink(f *testing.F) {
	for _, s := range []string{"https://x.example/a", "https://x.example/<>|\\`$)", "http://[::1]/", "https://x.example/?q=%zz", "https://x.example/#a](b)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		link := markdown.Link("run", address)
		kinds, shown := parsed("x " + link + " y\n")
		delete(kinds, ast.KindLink.String())
		assert.Equal(t, map[string]int{"Document": 1, "Paragraph": 1}, kinds, "%q", link)
		if link != "" {
			assert.Equal(t, "x run y", shown)
		}
	})
}
