package toolset_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func tool(name, description string, required []any, properties map[string]any) toolset.Item {
	return toolset.NewTool(name, description, map[string]any{"type": "object", "properties": properties, "required": required})
}

// of returns a whole surface of items.
func of(mode bench.Mode, items ...toolset.Item) toolset.Surface {
	s := toolset.Surface{Mode: mode, Items: items}
	s.Finish()
	return s
}

func text(described string) map[string]any {
	return map[string]any{"type": "string", "description": described}
}

func sentences(c *bench.SurfaceChange) []string {
	return c.Sentences(func(s string) string { return "`" + s + "`" })
}

func TestWhatChangedIsSaid(t *testing.T) {
	view := tool("view_issue", "Reads one issue.", []any{"number"}, map[string]any{"number": map[string]any{"type": "integer"}, "comments": text("with them")})
	me := tool("get_me", "Tells who you are.", nil, map[string]any{})
	for name, c := range map[string]struct {
		was, now toolset.Item
		want     []string
	}{
		"nothing": {view, view, []string{"no difference in names, parameters, descriptions, texts and sizes of answers"}},
		"another name": {view, tool("show_issue", "Reads one issue.", []any{"number"}, map[string]any{"number": map[string]any{"type": "integer"}, "comments": text("with them")}),
			[]string{"renamed `view_issue` to `show_issue`"}},
		"another name, and a parameter less": {view, tool("show_issue", "Reads one issue.", []any{"number"}, map[string]any{"number": map[string]any{"type": "integer"}}),
			[]string{"renamed `view_issue` to `show_issue`", "`show_issue`: parameter `comments` dropped"}},
		"another name, and a word more": {view, tool("show_issue", "Reads one open issue.", []any{"number"}, map[string]any{"number": map[string]any{"type": "integer"}, "comments": text("with them")}),
			[]string{"renamed `view_issue` to `show_issue`", "`show_issue` is described otherwise (+ 1 token)"}},
		"without parameters":                          {me, tool("whoami", "Tells who you are.", nil, map[string]any{}), []string{"renamed `get_me` to `whoami`"}},
		"something else in its place":                 {view, tool("close_issue", "Closes an issue for good.", []any{"number"}, map[string]any{"number": map[string]any{"type": "integer"}, "comments": text("with them")}), []string{"removed `view_issue`", "added `close_issue`"}},
		"nearly the same words, and other parameters": {view, tool("show_issue", "Reads one open issue.", []any{"id"}, map[string]any{"id": text("")}), []string{"removed `view_issue`", "added `show_issue`"}},
		"nothing is described":                        {tool("get_me", "", nil, map[string]any{"as": text("")}), tool("get_you", "", nil, map[string]any{"as": text("")}), []string{"renamed `get_me` to `get_you`"}},
		"nothing is described, and no name is alike":  {tool("get_me", "", nil, map[string]any{"as": text("")}), tool("whoami", "", nil, map[string]any{"as": text("")}), []string{"removed `get_me`", "added `whoami`"}},
		"another kind":                                {toolset.NewCommand("a", "help"), toolset.Item{Kind: toolset.Capability, Name: "a", Description: "help"}, []string{"removed `a`", "added `a`"}},
		"a schema that one does not tell": {toolset.Item{Kind: toolset.Capability, Name: "a", Parameters: []toolset.Parameter{{Name: "p"}}},
			toolset.Item{Kind: toolset.Capability, Name: "a", Parameters: []toolset.Parameter{{Name: "p", Schema: "{}"}}}, []string{"no difference in"}},
		"another rule for all inputs": {toolset.NewTool("a", "", map[string]any{"type": "object"}), toolset.NewTool("a", "", map[string]any{"type": "object", "additionalProperties": false}),
			[]string{"`a`: the schema of the input changed"}},
		"a parameter by another name": {view, tool("view_issue", "Reads one issue.", []any{"id"}, map[string]any{"id": map[string]any{"type": "integer"}, "comments": text("with them")}),
			[]string{"`view_issue`: parameter `number` is now `id`"}},
		"a parameter of another type": {view, tool("view_issue", "Reads one issue.", []any{"number"}, map[string]any{"number": map[string]any{"type": "string"}, "comments": text("with them")}),
			[]string{"`view_issue`: parameter `number` changed"}},
		"a parameter that must be there": {view, tool("view_issue", "Reads one issue.", []any{"number", "comments"}, map[string]any{"number": map[string]any{"type": "integer"}, "comments": text("with them")}),
			[]string{"`view_issue`: parameter `comments` is now required"}},
		"a new parameter": {view, tool("view_issue", "Reads one issue.", []any{"number"}, map[string]any{"number": map[string]any{"type": "integer"}, "comments": text("with them"), "since": text("")}),
			[]string{"`view_issue`: parameter `since` added"}},
		"a parameter that is described otherwise": {view, tool("view_issue", "Reads one issue.", []any{"number"}, map[string]any{"number": map[string]any{"type": "integer"}, "comments": text("with all of them, one after the other")}),
			[]string{"`view_issue` is described otherwise (+ "}},
	} {
		t.Run(name, func(t *testing.T) {
			change := toolset.Diff(of("a", c.was), of("b", c.now))
			said := sentences(change)
			if more := change.PromptTokens.Candidate - change.PromptTokens.Baseline; more != 0 {
				require.Contains(t, said[0], "in every prompt ")
				said = said[1:]
			}
			require.Len(t, said, len(c.want), said)
			for i, want := range c.want {
				assert.True(t, strings.HasPrefix(said[i], want), "%q, want %q", said[i], want)
			}
		})
	}
}

// The same change of many items is one sentence, and names are the reader's to
// write.
func TestManyChangesAreOneSentence(t *testing.T) {
	var was, now []toolset.Item
	for _, name := range strings.Fields("a b c d e f g") {
		was = append(was, tool(name, "Does "+name, nil, map[string]any{"owner": text(""), "force": text("")}))
		now = append(now, tool(name, "Does "+name, nil, map[string]any{"owner": text("")}))
	}
	now = append(now, tool("new", "Another one", nil, nil))
	said := sentences(toolset.Diff(of("x", was...), of("y", now...)))
	require.Len(t, said, 3)
	assert.Contains(t, said[1], "added `new` (+ ")
	assert.Equal(t, "`a`, `b`, `c`, `d`, `e` and 2 more: parameter `force` dropped", said[2])
}

func TestTextsAreCounted(t *testing.T) {
	with := func(text string) toolset.Surface {
		s := toolset.Surface{Mode: "m", Texts: []toolset.Text{{Name: "skill of ghx", Text: text}}}
		s.Finish()
		return s
	}
	short, long := with("Use ghx.\nAlways.\n"), with("Use ghx.\nNever.\nOr sometimes.\n")
	assert.Equal(t, toolset.Count("Use ghx.\nAlways.\n"), short.PromptTokens)
	assert.Equal(t, []string{"in every prompt + 3 tokens (6 → 9)", "`skill of ghx` changed: + 2 lines, − 1 line (+ 3 tokens)"}, sentences(toolset.Diff(short, long)))
}

func TestAnswersToTheSameCallsAreCompared(t *testing.T) {
	view := toolset.Item{Kind: toolset.Capability, Name: "issue.view", Description: "Reads an issue", Parameters: []toolset.Parameter{{Name: "issueNumber", Required: true}}}
	show := view
	show.Name = "issue.show"
	was, now := of("x", view), of("y", show)
	was.Answers = []toolset.Answer{{Item: "issue.view", Call: "issue.view {}", Arguments: "{}", Bytes: 400}, {Call: "canary", Bytes: 1000}, {Call: "other", Bytes: 5}, {Call: "short", Bytes: 10}, {Item: "issue.view", Call: "issue.view {2}", Arguments: "{2}", Bytes: 9000}, {Call: "breaks", Bytes: 100}}
	now.Answers = []toolset.Answer{{Item: "issue.show", Call: "issue.show {}", Arguments: "{}", Bytes: 4000}, {Call: "canary", Bytes: 1010}, {Call: "another", Bytes: 500}, {Call: "short", Bytes: 20}, {Item: "issue.show", Call: "issue.show {3}", Arguments: "{3}", Bytes: 1}, {Call: "breaks", Bytes: 10, Failed: true}}
	change := toolset.Diff(was, now)
	assert.Equal(t, []string{"renamed `issue.view` to `issue.show`", "400 → 4,000 bytes in answer to `issue.show {}`"}, sentences(change))
	assert.Equal(t, bench.Sizes{Baseline: 1410, Candidate: 5030}, change.AllAnswers)
	assert.Equal(t, 3, change.Calls)
	assert.Equal(t, []string{"the call `breaks` fails, which it did not"}, change.Notes)
}

// That a list cannot be had does not say that all of it is gone.
func TestWhatIsNotKnownIsNotCompared(t *testing.T) {
	was := of("x", tool("view", "Views.", nil, nil), toolset.NewCommand("gh", "help"), toolset.NewCommand("ghx", "help"))
	was.Texts = []toolset.Text{{Name: "instructions", Text: "Work."}, {Name: "instructions of s", Of: toolset.Tool, Text: "Be kind."}}
	was.Finish()
	now := toolset.Surface{Mode: "y", Texts: was.Texts[:1], Items: []toolset.Item{toolset.NewCommand("gh", "help --me")}, Unknown: []string{"tool", "command ghx"}, Notes: []string{"it died"}}
	now.Finish()
	for _, change := range []*bench.SurfaceChange{toolset.Diff(was, now), toolset.Diff(now, was)} {
		said := sentences(change)
		require.Len(t, said, 2)
		assert.Contains(t, said[0], "`gh`: parameter `--me` ")
		assert.Regexp(t, "^`gh` is described otherwise \\(\\+ 1 line, − 1 line\\)$", said[1])
		assert.Equal(t, []string{"y: it died"}, change.Notes)
	}
}

func TestCapabilitiesOfGhx(t *testing.T) {
	items, err := toolset.Capabilities(`[{"capability_id":"issue.list","description":"List issues.","required_inputs":["owner","name"],"optional_inputs":["first"],"optional_inputs_detail":{"first":{"type":"integer","default":30}}}]`)
	require.NoError(t, err)
	assert.Equal(t, []toolset.Item{{Kind: toolset.Capability, Name: "issue.list", Description: "List issues.", Parameters: []toolset.Parameter{
		{Name: "first", Schema: `{"default":30,"type":"integer"}`}, {Name: "name", Required: true}, {Name: "owner", Required: true},
	}}}, items)
	_, err = toolset.Capabilities("no JSON")
	require.ErrorContains(t, err, "the list of capabilities cannot be read")
}

func TestFlagsOfACommandAreItsParameters(t *testing.T) {
	was := toolset.NewCommand("prtool", "usage: prtool merge [--squash|--merge] --repo NAME\n  -q, --quiet  say nothing\nA --dashed-word-- is none, nor is a--b.\n")
	names := []string{}
	for _, p := range was.Parameters {
		names = append(names, p.Name)
	}
	assert.Equal(t, []string{"--dashed-word--", "--merge", "--quiet", "--repo", "--squash"}, names)
	now := toolset.NewCommand("prtool", "usage: prtool merge [--squash|--merge] --repo NAME\n")
	assert.Contains(t, sentences(toolset.Diff(of("x", was), of("y", now))), "`prtool`: parameter `--quiet` dropped")
}

// A tool that tells more than anybody reads, or texts that do something to a
// terminal, is held in bounds.
func TestHostileTextsAreCleaned(t *testing.T) {
	assert.Equal(t, "ab[31m\nc", toolset.Clean("a\u202eb\x1b[31m\r\nc\xff\x00", 100))
	assert.Equal(t, "ä", toolset.Clean("äö", 3))
	item := tool("x\x1b]0;\u200b", strings.Repeat("d", 2*toolset.MaxText), []any{7, nil}, map[string]any{"p\x07": "no schema", "q": nil})
	assert.Equal(t, "x]0;", item.Name)
	assert.Len(t, item.Description, toolset.MaxText)
	assert.Equal(t, "p", item.Parameters[0].Name)
	var many []toolset.Item
	for range bench.MaxSurfaceEdits + 100 {
		many = append(many, tool(fmt.Sprint("x", len(many)), "", nil, nil))
	}
	change := toolset.Diff(of("a"), of("b", many...))
	assert.Len(t, change.Edits, bench.MaxSurfaceEdits)
	assert.Positive(t, change.MoreEdits)
	assert.LessOrEqual(t, len(sentences(change)), 3)
}

// What is compared with what is bounded, whatever a tool tells.
func TestThousandsOfLongToolsAreCompared(t *testing.T) {
	many := func(name string) (all []toolset.Item) {
		for i := range toolset.MaxItems {
			described := fmt.Sprint(name, i, strings.Repeat(fmt.Sprint(" word", i), 1000))
			all = append(all, toolset.Item{Kind: toolset.Tool, Name: fmt.Sprint(name, i), Description: described})
		}
		return all
	}
	began := time.Now()
	change := toolset.Diff(of("a", many("x")...), of("b", many("y")...))
	assert.Len(t, change.Edits, bench.MaxSurfaceEdits)
	assert.Less(t, time.Since(began), testkit.TimeLimit(20*time.Second))
}

func TestTokensAreThoseOfTheVocabulary(t *testing.T) {
	// As OpenAI's own tiktoken counts them.
	assert.Equal(t, 2, toolset.Count("hello world"))
	assert.Equal(t, 0, toolset.Count(""))
	readme, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	perToken := float64(len(readme)) / float64(toolset.Count(string(readme)))
	assert.InDelta(t, 4, perToken, 1)
}
