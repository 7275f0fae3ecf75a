package footprint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
)

// always plays the same in both worlds.
func always(name string, changes ...bench.Change) footprint.Played {
	return played(name, func(world) []bench.Change { return append([]bench.Change(nil), changes...) })
}

func said(id int, body any) bench.Change {
	return created("comment", fmt.Sprintf("%d on o/n#1", 100+id), 100+id, becomes("body", body))
}

func TestS12WhatPlaysDifferInIsAllowedToEach(t *testing.T) {
	label := func(name string, fields ...bench.FieldChange) bench.Change {
		return created("label", "o/n: "+name, 0, fields...)
	}
	edit := func(fields ...bench.FieldChange) bench.Change { return edited("issue", "o/n#1", fields...) }
	issue := `{"change":"changed","object":"issue","name":"{{repo.full_name}}#1","fields":`
	comment := `{"change":"created","object":"comment","name":"* on {{repo.full_name}}#1","fields":`
	for name, c := range map[string]struct {
		plays []footprint.Played
		want  string
	}{
		"two objects of a kind": {[]footprint.Played{always("ghx", label("a"), label("b"))},
			`[{"change":"created","object":"label","name":"{{repo.full_name}}: a"},{"change":"created","object":"label","name":"{{repo.full_name}}: b"}]`},
		"two kinds of one name": {[]footprint.Played{always("ghx", label("a"), created("milestone", "o/n: a", 0))},
			`[{"change":"created","object":"label","name":"{{repo.full_name}}: a"},{"change":"created","object":"milestone","name":"{{repo.full_name}}: a"}]`},
		"an object that is made, and one that is deleted": {
			[]footprint.Played{always("ghx", label("a")), always("mcp", bench.Change{Kind: bench.ChangeDeleted, Object: "label", Name: "o/n: a"})},
			`[{"change":"created","object":"label","name":"{{repo.full_name}}: a"},{"change":"deleted","object":"label","name":"{{repo.full_name}}: a"}]`},
		"other words in another order": {[]footprint.Played{always("ghx", said(1, "one"), said(2, "two")), always("mcp", said(3, "two"), said(4, "one"))},
			"[" + comment + `{"body":"one"}},` + comment + `{"body":"two"}}]`},
		"one comment, and two others": {[]footprint.Played{always("ghx", said(1, "one")), always("mcp", said(3, "two"), said(4, "three"))},
			"[" + comment + `{"body":{"one_of":["one","two"]}}},` + comment + `{"body":"three"}}]`},
		"two comments, and another": {[]footprint.Played{always("ghx", said(1, "one"), said(2, "two")), always("mcp", said(3, "three"))},
			"[" + comment + `{"body":{"one_of":["one","three"]}}},` + comment + `{"body":"two"}}]`},
		"one of several, told once": {[]footprint.Played{always("a", said(1, "one")), always("b", said(1, "two")), always("c", said(1, "one")), always("d", said(1, "two"))},
			"[" + comment + `{"body":{"one_of":["one","two"]}}}]`},
		"a text that is emptied by one": {[]footprint.Played{always("a", edit(becomes("title", "x"), becomes("body", ""))), always("b", edit(becomes("title", "x")))},
			"[" + issue + `{"title":"x","body":""}}]`},
		"a text that is emptied by the other": {[]footprint.Played{always("a", edit(becomes("title", "x"))), always("b", edit(becomes("title", "x"), becomes("body", "")))},
			"[" + issue + `{"title":"x","body":""}}]`},
		"a field that a new object has in the second play alone": {[]footprint.Played{always("a", label("a")), always("b", label("a", becomes("color", "red")))},
			`[{"change":"created","object":"label","name":"{{repo.full_name}}: a","fields":{"color":{"one_of":[null,"red"]}}}]`},
		"a field that is changed by the second play alone": {
			[]footprint.Played{always("a", bench.Change{Kind: bench.ChangeChanged, Object: "issue", Name: "o/n#1", Fields: []bench.FieldChange{becomes("closed_at", "x")}}), always("b", edit(becomes("title", "x")))},
			"[" + issue + `{"title":"x"}}]`},
		"objects": {[]footprint.Played{always("a", edit(becomes("f", map[string]any{"k": 1}))), always("b", edit(becomes("f", map[string]any{"k": 2})))},
			"[" + issue + `{"f":{"one_of":[{"k":1},{"k":2}]}}}]`},
		"objects that have a field named as an operator is": {[]footprint.Played{
			always("a", edit(becomes("f", map[string]any{"any": true, "k": 1}))), always("b", edit(becomes("f", map[string]any{"any": true, "k": 2})))},
			"[" + issue + `{"f":{"one_of":[{"any":true,"k":1},{"any":true,"k":2}]}}}]`},
		"anything, and one value": {
			[]footprint.Played{always("a", edit(becomes("at", "2026-01-02T03:04:05Z"))), always("b", edit(becomes("at", "never")))},
			"[" + issue + `{"at":{"any":true}}}]`},
		"what is removed, and what is added": {
			[]footprint.Played{
				always("a", edit(bench.FieldChange{Name: "labels", Before: []any{"x", "y"}, After: []any{"x"}})),
				always("b", edit(bench.FieldChange{Name: "labels", Before: []any{"x", "y"}, After: []any{"y"}})),
			},
			"[" + issue + `{"labels":{"any":true}}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.JSONEq(t, c.want, asJSON(t, footprint.Propose(c.plays).Footprint))
		})
	}
}

func TestS12NotesSayWhatToLookAt(t *testing.T) {
	notes := func(plays ...footprint.Played) string { return strings.Join(footprint.Propose(plays).Notes, "\n") }
	alternating := func(first, second bench.Change) footprint.Played {
		return played("ghx", func(w world) []bench.Change {
			if w.number == 4 {
				return []bench.Change{said(1, "one"), first}
			}
			return []bench.Change{said(1, "one"), second}
		})
	}
	label, milestone := created("label", "o/n: a", 0), created("milestone", "o/n: a", 0)
	unlike := "ghx does not change the same in every variation"
	assert.Contains(t, notes(alternating(label, milestone)), unlike)
	assert.Contains(t, notes(alternating(label, bench.Change{Kind: bench.ChangeDeleted, Object: "label", Name: "o/n: a"})), unlike)
	assert.NotContains(t, notes(alternating(label, milestone)), "not every play", "there is one play")
	assert.Contains(t, notes(alternating(label, milestone), always("mcp", said(1, "one"))), "created label {{repo.full_name}}: a: not every play does this, but ghx:")
	assert.Contains(t, notes(alternating(label, milestone), always("mcp", label)), "created comment * on {{repo.full_name}}#1: not every play does this, but ghx:")

	assert.Equal(t, "[]", asJSON(t, footprint.Propose([]footprint.Played{always("ghx", said(1, "one"))}).Notes))
	assert.Contains(t, notes(always("ghx", edited("issue", "o/n#1", becomes("at", "2026-01-02T03:04:05Z")))),
		"changed issue {{repo.full_name}}#1: its at may be anything, which guards nothing")
	assert.Contains(t, notes(played("ghx", func(w world) []bench.Change { return []bench.Change{created("gist", fmt.Sprint(w.id), w.id)} })), "allowance 0 lets every gist be created")

	by := func(agent, actor string) string {
		c := said(1, "one")
		c.Actor = actor
		return notes(footprint.Played{Name: "ghx", Samples: []footprint.Sample{{Seen: []bench.Change{c}, Agent: agent}}})
	}
	assert.Contains(t, by("me", "you"), "was done by you")
	assert.NotContains(t, by("", "you"), "was done by")
	assert.NotContains(t, by("me", ""), "was done by")
	assert.Equal(t, []string{"closed_by of an issue is implied"}, footprint.Propose([]footprint.Played{always("ghx", edited("issue", "o/n#1", becomes("closed_by", "me")))}).LeftOut)
}

func TestS12ReferencesStandForWhatTheyName(t *testing.T) {
	of := func(references map[string]any, c bench.Change) string {
		return asJSON(t, footprint.Propose([]footprint.Played{{Name: "ghx", Samples: []footprint.Sample{{Seen: []bench.Change{c}, References: references}}}}).Footprint[0])
	}
	names := map[string]any{"{{aaa.name}}": "thing", "{{input.name}}": "thing", "{{repo.name}}": "thing"}
	title := edited("issue", "x", becomes("title", "thing"))
	assert.Contains(t, of(names, title), `"title":"{{repo.name}}"`, "the repository's are the plainest")
	delete(names, "{{repo.name}}")
	assert.Contains(t, of(names, title), `"title":"{{input.name}}"`, "and the input's the next")
	delete(names, "{{input.name}}")
	assert.Contains(t, of(names, title), `"title":"{{aaa.name}}"`)

	numbers := map[string]any{"{{resources.alpha.number}}": 4, "{{resources.issue.number}}": 4, "{{resources.run.number}}": 4}
	assert.Contains(t, of(numbers, edited("issue", "o/n#4", becomes("title", "x"))), `#{{resources.issue.number}}"`)
	assert.Contains(t, of(numbers, edited("workflow run", "o/n: 4", becomes("title", "x"))), `: {{resources.run.number}}"`)

	assert.Contains(t, of(nil, created("tag", "o/n: 0", 0)), `"o/n: 0"`, "what has no id has not the id 0")
	assert.Contains(t, of(nil, created("issue", "o/n#1", 0, becomes("title", "1"))), `"o/n#1"`, "a title is no number")
	assert.Contains(t, of(nil, edited("issue", "o/n#1", becomes("number", 1))), `"o/n#1"`, "only a new object is given a number")
	assert.Contains(t, of(nil, created("milestone", "o/n: alpha", 0, becomes("number", 3))), `"o/n: alpha"`, "its number is not in its name")

	repo := map[string]any{"{{repo.full_name}}": "o/n"}
	assert.Contains(t, of(repo, edited("issue", "x", becomes("body", "see o/n, of nineteen"))), `"body":"see {{repo.full_name}}, of nineteen"`)
	assert.Contains(t, of(repo, edited("issue", "x", becomes("body", "see o/n of nineteen"))), `"body":"see o/n of nineteen"`, "a short text stands for itself")

	odd := map[string]any{"{{input.empty}}": "", "{{input.share}}": 0.5, "{{repo.full_name}}": "o/n"}
	assert.Contains(t, of(odd, edited("issue", "o/n#0", becomes("title", ""))), `"name":"{{repo.full_name}}#0","fields":{"title":""}`, "no reference stands for nothing, or for a part of a number")
	for _, text := range []string{"see o/n2 of those that are", "see xo/n of those that are"} {
		assert.Contains(t, of(odd, edited("issue", "x", becomes("body", text))), text, "a part of a word is another one")
	}
	longer := map[string]any{"{{input.part}}": "n", "{{input.whole}}": "o/n", "{{repo.owner}}": "o"}
	assert.Contains(t, of(longer, edited("issue", "x", becomes("body", "see o/n of those that are"))), "see {{input.whole}} of")

	lists := footprint.Propose([]footprint.Played{played("ghx", func(w world) []bench.Change {
		var list []any
		for range w.number {
			list = append(list, "x")
		}
		return []bench.Change{edited("issue", "o/n#1", becomes("texts", list))}
	})})
	assert.Equal(t, map[string]any{"any": true}, lists.Footprint[0].Fields["texts"], "they are of several lengths")
	assert.Equal(t, "[]", asJSON(t, lists.LeftOut))
	second := footprint.Propose([]footprint.Played{played("ghx", func(world) []bench.Change {
		return []bench.Change{edited("issue", "o/n#1", becomes("title", "Nearly there"))}
	})})
	assert.Equal(t, "Nearly there", second.Footprint[0].Fields["title"], "the input says so in one world alone")

	lacking := footprint.Propose([]footprint.Played{{Name: "ghx", Samples: []footprint.Sample{
		{Seen: []bench.Change{title}, References: map[string]any{"{{input.name}}": "thing"}}, {Seen: []bench.Change{title}},
	}}})
	assert.Equal(t, "thing", lacking.Footprint[0].Fields["title"], "one world has no such reference")
}
