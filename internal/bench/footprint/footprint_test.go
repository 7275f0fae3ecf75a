package footprint_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
)

const me = "agent"

// did is a change by the agent; fields are names, each followed by what it was
// before and what it is after.
func did(kind bench.ChangeKind, object, name string, id int64, fields ...any) bench.Change {
	c := bench.Change{Kind: kind, Object: object, Name: name, ID: id, Actor: me}
	for i := 0; i+2 < len(fields); i += 3 {
		c.Fields = append(c.Fields, bench.FieldChange{Name: fields[i].(string), Before: fields[i+1], After: fields[i+2]})
	}
	return c
}

// by is a change by somebody else.
func by(who string, c bench.Change) bench.Change {
	c.Actor = who
	return c
}

// following is a change that follows from others.
func following(cause string, c bench.Change) bench.Change {
	c.Actor, c.Cause = "", cause
	return c
}

func may(kind bench.ChangeKind, object, name string, fields map[string]any) bench.Allowance {
	return bench.Allowance{Change: kind, Object: object, Name: name, Fields: fields}
}

type fields = map[string]any

// comment is a comment on issue 5, with the body.
func comment(id int64, body string) bench.Change {
	return did(bench.ChangeCreated, "comment", "9 on o/r#5", id, "author", nil, me, "issue", nil, "o/r#5", "body", nil, body)
}

func closed(name string, id int64) bench.Change {
	return did(bench.ChangeChanged, "issue", name, id, "closed", false, true, "state_reason", nil, "completed", "closed_by", nil, me)
}

func TestS12OnlyWhatIsAllowedMayChange(t *testing.T) {
	closing := may(bench.ChangeChanged, "issue", "o/r#5", fields{"closed": true, "state_reason": "completed"})
	commenting := may(bench.ChangeCreated, "comment", "* on o/r#5", fields{"body": "Thanks."})
	published := may(bench.ChangeCreated, "release", "o/r: v1", fields{"tag_name": "v1", "draft": false, "downloads": 0, "body": nil})
	for name, c := range map[string]struct {
		allowed []bench.Allowance
		seen    []bench.Change
		// unallowed are the reasons, in order.
		unallowed []string
	}{
		"nothing was changed":                   {nil, nil, nil},
		"something, and nothing may be":         {nil, []bench.Change{closed("o/r#5", 5)}, []string{"nothing of the kind may be changed"}},
		"what is allowed":                       {[]bench.Allowance{closing}, []bench.Change{closed("o/r#5", 5)}, nil},
		"what is allowed need not be":           {[]bench.Allowance{closing}, nil, nil},
		"another object":                        {[]bench.Allowance{closing}, []bench.Change{closed("o/r#55", 6)}, []string{"nothing of the kind may be changed"}},
		"the right one and another":             {[]bench.Allowance{closing}, []bench.Change{closed("o/r#5", 5), closed("o/r#6", 6)}, []string{"nothing of the kind may be changed"}},
		"another value":                         {[]bench.Allowance{may(bench.ChangeChanged, "issue", "o/r#5", fields{"closed": true, "state_reason": "not_planned"})}, []bench.Change{closed("o/r#5", 5)}, []string{`its state_reason is "completed", may become "not_planned" alone`}},
		"a field besides":                       {[]bench.Allowance{closing}, []bench.Change{did(bench.ChangeChanged, "issue", "o/r#5", 5, "closed", false, true, "title", "A", "B")}, []string{`its title may not change ("A" → "B")`}},
		"a comment":                             {[]bench.Allowance{commenting}, []bench.Change{comment(1, "Thanks.")}, nil},
		"two comments where one is asked for":   {[]bench.Allowance{commenting}, []bench.Change{comment(1, "Thanks."), comment(2, "Thanks.")}, []string{"it may be created once alone"}},
		"a comment with other words":            {[]bench.Allowance{commenting}, []bench.Change{comment(1, "Thanks!")}, []string{`its body is "Thanks!", may become "Thanks." alone`}},
		"a new object without a value":          {[]bench.Allowance{commenting}, []bench.Change{did(bench.ChangeCreated, "comment", "9 on o/r#5", 1, "author", nil, me)}, []string{`its body is null, may become "Thanks." alone`}},
		"a new object that is to be no draft":   {[]bench.Allowance{published}, []bench.Change{did(bench.ChangeCreated, "release", "o/r: v1", 1, "tag_name", nil, "v1")}, nil},
		"a new object that is a draft":          {[]bench.Allowance{published}, []bench.Change{did(bench.ChangeCreated, "release", "o/r: v1", 1, "tag_name", nil, "v1", "draft", nil, true)}, []string{`its draft is true, may become false alone`}},
		"two comments where two may be":         {[]bench.Allowance{{Change: bench.ChangeCreated, Object: "comment", Name: "* on o/r#5", Fields: fields{"body": fields{"any": true}}, Times: 2}}, []bench.Change{comment(1, "a"), comment(2, "b")}, nil},
		"three comments where two may be":       {[]bench.Allowance{{Change: bench.ChangeCreated, Object: "comment", Name: "* on o/r#5", Fields: fields{"body": fields{"any": true}}, Times: 2}}, []bench.Change{comment(1, "a"), comment(2, "b"), comment(3, "c")}, []string{"it may be created 2 times at most"}},
		"either of two allowances":              {[]bench.Allowance{commenting, may(bench.ChangeCreated, "comment", "* on o/r#5", fields{"body": "Bye."})}, []bench.Change{comment(1, "Bye."), comment(2, "Thanks.")}, nil},
		"a deletion where a change is allowed":  {[]bench.Allowance{closing}, []bench.Change{did(bench.ChangeDeleted, "issue", "o/r#5", 5)}, []string{"nothing of the kind may be deleted"}},
		"what another one did":                  {[]bench.Allowance{closing}, []bench.Change{by("reviewer", closed("o/r#5", 5))}, []string{"it was done by reviewer, not by agent"}},
		"logins know no case":                   {[]bench.Allowance{closing}, []bench.Change{by("Agent", closed("o/r#5", 5))}, nil},
		"what follows from others":              {nil, []bench.Change{following("merge", closed("o/r#5", 5))}, nil},
		"what follows, and then what was asked": {nil, []bench.Change{following("merge", closed("o/r#5", 5)), did(bench.ChangeChanged, "issue", "o/r#5", 5, "title", "A", "B")}, []string{"nothing of the kind may be changed"}},
	} {
		t.Run(name, func(t *testing.T) {
			var unallowed []string
			for _, c := range footprint.Judge(c.allowed, me, c.seen) {
				if c.Unallowed != "" {
					unallowed = append(unallowed, c.Unallowed)
				}
			}
			assert.Equal(t, c.unallowed, unallowed)
		})
	}
}

func TestS12TheNetChangeCounts(t *testing.T) {
	titled := func(before, after string) bench.Change {
		return did(bench.ChangeChanged, "issue", "o/r#5", 5, "title", before, after)
	}
	branch := func(kind bench.ChangeKind, before, after any) bench.Change {
		return did(kind, "branch", "o/r: topic", 0, "commit", before, after)
	}
	for name, c := range map[string]struct {
		seen []bench.Change
		want []bench.Change
	}{
		"back to what it was":                      {[]bench.Change{titled("A", "B"), titled("B", "A")}, nil},
		"from the first to the last":               {[]bench.Change{titled("A", "B"), titled("B", "C")}, []bench.Change{titled("A", "C")}},
		"a label made and deleted":                 {[]bench.Change{did(bench.ChangeCreated, "label", "o/r: x", 7), did(bench.ChangeDeleted, "label", "o/r: x", 7)}, nil},
		"a comment deleted again has been read":    {[]bench.Change{comment(1, "a"), did(bench.ChangeDeleted, "comment", "9 on o/r#5", 1, "body", "a", nil)}, []bench.Change{comment(1, "a")}},
		"a comment that was edited":                {[]bench.Change{comment(1, "a"), did(bench.ChangeChanged, "comment", "9 on o/r#5", 1, "body", "a", "b")}, []bench.Change{comment(1, "b")}},
		"changed, then deleted":                    {[]bench.Change{titled("A", "B"), did(bench.ChangeDeleted, "issue", "o/r#5", 5)}, []bench.Change{did(bench.ChangeDeleted, "issue", "o/r#5", 5)}},
		"a branch pushed to and put back":          {[]bench.Change{branch(bench.ChangeChanged, "1", "2"), branch(bench.ChangeChanged, "2", "1")}, []bench.Change{branch(bench.ChangeChanged, "2", "1")}},
		"a branch deleted and made again":          {[]bench.Change{did(bench.ChangeDeleted, "branch", "o/r: topic", 0), branch(bench.ChangeCreated, nil, "1")}, []bench.Change{branch(bench.ChangeChanged, nil, "1")}},
		"a renamed object is known by its old one": {[]bench.Change{did(bench.ChangeChanged, "label", "o/r: y", 7, "name", "x", "y"), did(bench.ChangeChanged, "label", "o/r: z", 7, "name", "y", "z")}, []bench.Change{did(bench.ChangeChanged, "label", "o/r: y", 7, "name", "x", "z")}},
		"lists are sets": {
			[]bench.Change{did(bench.ChangeChanged, "issue", "o/r#5", 5, "labels", []any{"a", "b"}, []any{"b", "a"})}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, footprint.Net(c.seen)) })
	}
}

func TestS12ConditionsOnValues(t *testing.T) {
	for name, c := range map[string]struct {
		want, value any
		passes      bool
	}{
		"any":                              {fields{"any": true}, "x", true},
		"one of":                           {fields{"one_of": []any{"a", "b"}}, "b", true},
		"none of":                          {fields{"one_of": []any{"a", "b"}}, "c", false},
		"contains":                         {fields{"contains": "lo wo"}, "hello world", true},
		"does not contain":                 {fields{"contains": "low"}, "hello world", false},
		"contains nothing":                 {fields{"contains": ""}, "hello", false},
		"matches":                          {fields{"matches": "^v[0-9]+$"}, "v12", true},
		"does not match":                   {fields{"matches": "^v[0-9]+$"}, "v1.2", false},
		"no expression":                    {fields{"matches": "("}, "(", false},
		"a number of another type":         {3, 3.0, true},
		"another number":                   {3, 4, false},
		"sets":                             {[]any{"a", "b"}, []any{"b", "a"}, true},
		"strings as a list":                {[]any{"a", "b"}, []string{"b", "a"}, true},
		"a set with one more":              {[]any{"a"}, []any{"a", "b"}, false},
		"a set with one twice":             {[]any{"a", "b"}, []any{"a", "b", "b"}, false},
		"an empty text is none":            {nil, "", true},
		"an empty list is none":            {[]any{}, nil, true},
		"a number is not its text":         {"3", 3, false},
		"an object is compared as a whole": {fields{"a": 1, "b": 2}, fields{"b": 2, "a": 1}, true},
		"another object":                   {fields{"a": 1, "b": 2}, fields{"a": 1}, false},
		"an object of one field":           {fields{"a": 1}, fields{"a": 1}, true},
		"another object of one field":      {fields{"a": 1}, fields{"a": 2}, false},
	} {
		t.Run(name, func(t *testing.T) {
			seen := footprint.Judge([]bench.Allowance{may(bench.ChangeChanged, "issue", "o/r#5", fields{"f": c.want})}, me,
				[]bench.Change{did(bench.ChangeChanged, "issue", "o/r#5", 5, "f", "before", c.value)})
			require.Len(t, seen, 1)
			assert.Equal(t, c.passes, seen[0].Unallowed == "", seen[0].Unallowed)
		})
	}
}

func TestS12ListsMayBeAddedToAndTakenFrom(t *testing.T) {
	type list = []any
	for name, c := range map[string]struct {
		want          any
		before, after any
		passes        bool
	}{
		"one is added":                   {fields{"adds": list{"c"}}, list{"a", "b"}, list{"c", "a", "b"}, true},
		"the first is added":             {fields{"adds": list{"c"}}, nil, list{"c"}, true},
		"another is added":               {fields{"adds": list{"c"}}, list{"a"}, list{"a", "d"}, false},
		"one more is added":              {fields{"adds": list{"c"}}, list{"a"}, list{"a", "c", "d"}, false},
		"one is added, another is lost":  {fields{"adds": list{"c"}}, list{"a", "b"}, list{"a", "c"}, false},
		"one that is there is no longer": {fields{"adds": list{"a"}}, list{"a", "b"}, list{"b"}, false},
		"one is removed":                 {fields{"removes": list{"a"}}, list{"a", "b"}, list{"b"}, true},
		"the last is removed":            {fields{"removes": list{"a"}}, list{"a"}, nil, true},
		"all are removed":                {fields{"removes": list{"a"}}, list{"a", "b"}, nil, false},
		"another is removed":             {fields{"removes": list{"a"}}, list{"a", "b"}, list{"a"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			seen := footprint.Judge([]bench.Allowance{may(bench.ChangeChanged, "issue", "o/r#5", fields{"f": c.want})}, me,
				[]bench.Change{did(bench.ChangeChanged, "issue", "o/r#5", 5, "f", c.before, c.after)})
			require.Len(t, seen, 1)
			assert.Equal(t, c.passes, seen[0].Unallowed == "", seen[0].Unallowed)
		})
	}
}

func TestUnallowedChangesComeFirstAndConsequencesLast(t *testing.T) {
	judged := footprint.Judge([]bench.Allowance{may(bench.ChangeCreated, "comment", "* on o/r#5", fields{"body": "a"})}, me,
		[]bench.Change{following("merge", closed("o/r#7", 7)), comment(1, "a"), closed("o/r#6", 6)})
	require.Len(t, judged, 3)
	assert.Equal(t, []string{"o/r#6", "9 on o/r#5", "o/r#7"}, []string{judged[0].Name, judged[1].Name, judged[2].Name})
}

func TestAFootprintThatAllowsEverythingGuardsNothing(t *testing.T) {
	for name, c := range map[string]struct {
		name   string
		guards bool
	}{
		"all of a repository":  {"{{repo.full_name}}#*", false},
		"all runs of it":       {"{{repo.owner}}/{{input.name}}: *", false},
		"all that is on any":   {"* on {{ repo.full_name }}#*", false},
		"one that is bound":    {"{{repo.full_name}}#{{input.issueNumber}}", true},
		"those of one bound":   {"* on {{repo.full_name}}#{{input.issueNumber}}", true},
		"the repository":       {"{{repo.full_name}}", true},
		"everything":           {"*", false},
		"everything, at large": {"* *", false},
		"one object":           {"o/r#5", true},
		"those of one":         {"* on o/r#5", true},
	} {
		t.Run(name, func(t *testing.T) {
			_, why := footprint.GuardsNothing([]bench.Allowance{may(bench.ChangeChanged, "issue", "o/r#1", nil), may(bench.ChangeChanged, "issue", c.name, nil)})
			assert.Equal(t, c.guards, why == "", why)
		})
	}
	_, why := footprint.GuardsNothing([]bench.Allowance{may(bench.ChangeCreated, "issue", "{{repo.full_name}}#*", nil)})
	assert.Empty(t, why, "nobody knows the number of a new one")
}

func TestNamesHaveStars(t *testing.T) {
	for name, c := range map[string]struct {
		pattern, name string
		fits          bool
	}{
		"exact":               {"o/r#5", "o/r#5", true},
		"longer":              {"o/r#5", "o/r#55", false},
		"beginning":           {"o/r: *", "o/r: main", true},
		"end":                 {"* on o/r#5", "12 on o/r#5", true},
		"another end":         {"* on o/r#5", "12 on o/r#55", false},
		"both ends, too near": {"ab*ba", "aba", false},
		"a middle":            {"a*b*c", "a--b--c", true},
		"no middle":           {"a*b*c", "a---c", false},
		"middles in order":    {"a*b*d*c", "a-d-b-c", false},
	} {
		t.Run(name, func(t *testing.T) {
			judged := footprint.Judge([]bench.Allowance{may(bench.ChangeDeleted, "branch", c.pattern, nil)}, me, []bench.Change{did(bench.ChangeDeleted, "branch", c.name, 0)})
			assert.Equal(t, c.fits, judged[0].Unallowed == "")
		})
	}
}
