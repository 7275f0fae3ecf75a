package footprint_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
)

// Who did something, when, and what GitHub derives from it, no scenario has to
// list; what a task may ask for, it does.
func TestS12WhatFollowsFromAChangeNeedsNoAllowance(t *testing.T) {
	for object, words := range map[string]string{
		"issue":          "author number closed_at closed_by",
		"pull request":   "author number closed_at closed_by merged_at merged_by merge_commit_sha base.sha head.sha",
		"comment":        "author issue",
		"review":         "author issue commit_id submitted_at",
		"review comment": "author thread review in_reply_to diff_hunk commit_id path line side start_line start_side subject_type",
		"review thread":  "issue commit_id resolved_by",
		"reaction":       "subject user",
		"milestone":      "number closed_at",
		"release":        "author latest_at published_at",
		"project item":   "creator",
		"workflow run":   "workflow actor triggering_actor display_title head_sha run_number status conclusion jobs steps logs",
	} {
		for field := range strings.FieldsSeq(words) {
			allowed := []bench.Allowance{may(bench.ChangeChanged, object, "x", nil)}
			judged := footprint.Judge(allowed, me, []bench.Change{did(bench.ChangeChanged, object, "x", 1, field, nil, "b")})
			assert.Empty(t, judged[0].Unallowed, "%s of %s", field, object)
			judged = footprint.Judge(allowed, me, []bench.Change{did(bench.ChangeChanged, object, "x", 1, field, "a", "b")})
			assert.Equal(t, field == "number", judged[0].Unallowed != "", "%s of %s: what was moved has another number", field, object)
			judged = footprint.Judge(allowed, me, []bench.Change{did(bench.ChangeChanged, object, "x", 1, "body", "a", "b")})
			assert.NotEmpty(t, judged[0].Unallowed, "body of %s", object)
		}
	}
}

func TestS12WhatPeopleWereToldOfCannotBeUndone(t *testing.T) {
	for object, lasts := range map[string]bool{
		"comment": true, "review": true, "review comment": true, "review thread": true, "branch": true, "tag": true, "workflow run": true, "release": true, "webhook": true,
		"label": false, "milestone": false, "issue": false,
	} {
		made := did(bench.ChangeCreated, object, "x", 3, "body", nil, "a")
		assert.Equal(t, lasts, len(footprint.Net([]bench.Change{made, did(bench.ChangeDeleted, object, "x", 3)})) == 1, object)
	}
}

func TestS12ObjectsAreToldApart(t *testing.T) {
	named := func(name string, id int64, before, after string) bench.Change {
		return did(bench.ChangeChanged, "label", name, id, "color", before, after)
	}
	assert.Len(t, footprint.Net([]bench.Change{named("o/r: x", 0, "a", "b"), named("o/r: y", 0, "b", "a")}), 2, "by their names where they have no ids")
	assert.Len(t, footprint.Net([]bench.Change{named("o/r: x", 1, "a", "b"), named("o/r: x", 2, "b", "a")}), 2, "by their ids, whatever the name")

	renamed := footprint.Net([]bench.Change{did(bench.ChangeCreated, "label", "o/r: x", 1), did(bench.ChangeChanged, "label", "o/r: y", 1, "name", "x", "y")})
	assert.Equal(t, "o/r: y", renamed[0].Name, "a new object is known by its last name")

	ref := func(kind bench.ChangeKind, fields ...any) bench.Change {
		return did(kind, "ref", "o/r: x", 0, fields...)
	}
	assert.Empty(t, footprint.Net([]bench.Change{ref(bench.ChangeDeleted), ref(bench.ChangeCreated, "commit", nil, "1")}), "it is there again, and nobody was told")
	moved := did(bench.ChangeChanged, "branch", "o/r: x", 0, "commit", "1", "2")
	assert.Equal(t, []bench.Change{did(bench.ChangeChanged, "branch", "o/r: x", 0, "commit", "1", "3")},
		footprint.Net([]bench.Change{moved, did(bench.ChangeChanged, "branch", "o/r: x", 0, "commit", "2", "3")}), "from the first commit to the last")
}

func TestS12JudgementsNameWhatIsWrong(t *testing.T) {
	of := func(allowed bench.Allowance, agent string, c bench.Change) string {
		return footprint.Judge([]bench.Allowance{allowed}, agent, []bench.Change{c})[0].Unallowed
	}
	retitled := did(bench.ChangeChanged, "issue", "o/r#5", 5, "title", nil, "B")
	assert.Equal(t, `its title may not change (to "B")`, of(may(bench.ChangeChanged, "issue", "o/r#5", nil), me, retitled))
	assert.Equal(t, "nothing of the kind may be changed", of(may(bench.ChangeChanged, "pull request", "o/r#5", fields{"title": "B"}), me, retitled))
	assert.Empty(t, of(may(bench.ChangeChanged, "issue", "o/r#5", fields{"title": "B"}), "", retitled), "whose agent is not known, anybody may be")
	assert.Empty(t, of(may(bench.ChangeChanged, "issue", "o/r#5", fields{"title": "B", "body": "C"}), me, retitled), "what may change need not")
	assert.Equal(t, `its author is "agent", may become "boss" alone`,
		of(may(bench.ChangeCreated, "comment", "*", fields{"author": "boss", "body": fields{"any": true}}), me, comment(1, "a")), "what is listed counts, implied or not")

	at, why := footprint.GuardsNothing([]bench.Allowance{may(bench.ChangeChanged, "issue", "o/r#5", nil), may(bench.ChangeChanged, "issue", "*", nil)})
	assert.Equal(t, 1, at)
	assert.Equal(t, "lets every issue be changed: name the one that is meant", why)
}

func TestNamesFitFromEndToEnd(t *testing.T) {
	assert.False(t, footprint.Matches("ab*", "xab"), "the beginning is missing")
	assert.True(t, footprint.Matches("ab*cd", "abcd"), "a star is also no text")
	assert.False(t, footprint.Matches("a*ab*b", "aab"), "the middle is apart from the ends")
	assert.True(t, footprint.Matches("a*b*c", "abc"), "a middle may fill what is between")
	assert.False(t, footprint.Matches("a*c*c", "abc"), "the end is not the middle too")
	assert.False(t, footprint.Matches("a*a*c", "abc"), "nor is the beginning")
}

func TestS12ValuesAreWhatJSONHas(t *testing.T) {
	refusal := func(want, value any) string {
		return footprint.Judge([]bench.Allowance{may(bench.ChangeChanged, "issue", "x", fields{"f": want})}, me,
			[]bench.Change{did(bench.ChangeChanged, "issue", "x", 5, "f", "before", value)})[0].Unallowed
	}
	type pair struct {
		A int    `json:"a"`
		B string `json:"b"`
	}
	assert.Empty(t, refusal(fields{"a": 1, "b": "x"}, pair{1, "x"}), "a Go value is the JSON that it is written as")
	assert.NotEmpty(t, refusal(fields{"a": 2, "b": "x"}, pair{1, "x"}))
	assert.Empty(t, refusal(0.5, 0.5))
	assert.NotEmpty(t, refusal(0.5, 0.25), "a fraction is not cut off")
	assert.NotEmpty(t, refusal(0, 0.5))
	assert.NotEmpty(t, refusal(1, math.Inf(1)), "what cannot be written is told as it is")
	assert.Contains(t, refusal(1, math.Inf(1)), "+Inf")
	assert.NotEmpty(t, refusal(math.Inf(-1), math.Inf(1)))
	assert.Empty(t, refusal(fields{"one_of": []any{"a"}}, "a"))
	assert.Equal(t, `its f is "a<b", may become "a&b" alone`, refusal("a&b", "a<b"))
	long := strings.Repeat("x", 79)
	assert.Equal(t, `its f is "`+long[1:]+`", may become "`+long[1:]+`… alone`, refusal(long+"y", long[1:]), "80 characters are shown")
}

func TestAWriteThatCannotBeSeenFails(t *testing.T) {
	got := footprint.Unseen(2)
	assert.Equal(t, bench.CheckpointResult{
		Name: footprint.CheckName, Kind: bench.CheckFootprint, Detail: "the agent wrote 2 times, and nothing may be changed",
	}, got)
	r := footprint.Result(footprint.Judge(nil, me, []bench.Change{comment(1, "a"), comment(2, "a"), comment(3, "a")}))
	assert.Equal(t, footprint.CheckName, r.Name)
	assert.NotContains(t, r.Detail, "more", "three are told")
}

func TestRowsTellWhatChangedInFewWords(t *testing.T) {
	same := func(text string) string { return text }
	of := func(value any) any {
		return footprint.Brief([]bench.Change{did(bench.ChangeChanged, "issue", "x", 1, "f", nil, value)}, same)[0].Fields[0].After
	}
	assert.Equal(t, strings.Repeat("x", 500), of(strings.Repeat("x", 500)))
	assert.Equal(t, strings.Repeat("x", 499)+"…", of(strings.Repeat("x", 501)))
	assert.Equal(t, `{"a":1}`, of(map[string]any{"a": 1}))
	short := strings.Repeat("x", 496)
	assert.Equal(t, []any{short}, of([]any{short}), "with brackets and quotes 500")
	assert.Equal(t, `["`+short[:77]+"…", of([]any{short + "y"}))
	brief := footprint.Brief([]bench.Change{did(bench.ChangeChanged, "issue", "x", 1, "f", nil, "v")}, same)
	require.Len(t, brief, 1)
	assert.Equal(t, "f", brief[0].Fields[0].Name)
}
