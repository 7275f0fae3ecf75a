package envelope_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench/envelope"
)

type object = map[string]any

type list = []any

func TestS13AnswersAreTrue(t *testing.T) {
	for name, c := range map[string]struct {
		want, got any
		// wrong is what the sentence has, empty if it is true.
		wrong string
	}{
		"the same text":                   {"A title", "A title", ""},
		"another text":                    {"A title", "a title", `is "a title", GitHub says "A title"`},
		"a state in small letters":        {"CHANGES_REQUESTED", "changes_requested", ""},
		"another state":                   {"OPEN", "closed", `is "closed"`},
		"a text in place of a number":     {5, "5", `is "5", GitHub says 5`},
		"a number":                        {5, 5.0, ""},
		"another number":                  {5, 6, "is 6, GitHub says 5"},
		"a fraction":                      {0.5, 0.25, "is 0.25"},
		"the same fraction":               {0.5, 0.5, ""},
		"a fraction is not 0":             {0.5, 0, "is 0, GitHub says 0.5"},
		"0 is not a fraction":             {0, 0.5, "is 0.5, GitHub says 0"},
		"0 is not a text":                 {0, "none", `is "none", GitHub says 0`},
		"numbers too large to be told":    {json.Number("1e400"), json.Number("2e400"), "is 2e400"},
		"the same boolean":                {true, true, ""},
		"a text is not 0":                 {"", 0, `is 0, GitHub says ""`},
		"a letter that folds to another":  {"CLOSED", "clo\u017fed", "is"},
		"one that is wanted":              {"clo\u017fed", "closed", "is"},
		"a word that no state is":         {"\u00fcber", "\u00dcBER", "is"},
		"a sign before a word":            {"[WIP]", "[wip]", "is"},
		"a word is no moment":             {"never", "0001-01-01T00:00:00Z", "is"},
		"a moment is no word":             {"0001-01-01T00:00:00Z", "never", "is"},
		"what cannot be written":          {nil, math.NaN(), "NaN, which is no JSON"},
		"signs of HTML":                   {"a<b", "a&b", `is "a&b", GitHub says "a<b"`},
		"a large number":                  {int64(math.MaxInt64), int64(math.MaxInt64 - 1), "is 9223372036854775806"},
		"a boolean":                       {true, false, "is false, GitHub says true"},
		"a boolean as a text":             {true, "true", `is "true"`},
		"no text is null":                 {nil, "", ""},
		"null is no text":                 {"", nil, ""},
		"a missing text":                  {"text", nil, "is null"},
		"null is not 0":                   {nil, 0, "is 0, GitHub says null"},
		"null is not false":               {nil, false, "is false"},
		"another moment":                  {"2026-01-05T09:00:00Z", "2026-01-05T09:00:01Z", "is"},
		"a moment in another zone":        {"2026-01-05T09:00:00Z", "2026-01-05T10:00:00+01:00", ""},
		"line ends":                       {"a\nb\n", "a\r\nb", ""},
		"words in another order":          {"a b", "b a", "is"},
		"a set":                           {list{"a", "b"}, list{"b", "a"}, ""},
		"a set without one":               {list{"a", "b"}, list{"a"}, "has 1 elements, GitHub says 2"},
		"a set with one more":             {list{"a"}, list{"a", "b"}, "has 2 elements, GitHub says 1"},
		"a set with one twice":            {list{"a", "b"}, list{"a", "a"}, `lacks "b"`},
		"a set with one twice wanted":     {list{"a", "a"}, list{"a", "b"}, `lacks "a"`},
		"no list":                         {list{"a"}, "a", "is \"a\", GitHub says a list of 1"},
		"an empty list is none":           {list{}, nil, ""},
		"objects may have more":           {object{"a": 1}, object{"a": 1, "b": 2}, ""},
		"objects may not have less":       {object{"a": 1, "b": 2}, object{"a": 1}, "in b is null, GitHub says 2"},
		"no object":                       {object{"a": 1}, list{1}, "GitHub says {\"a\":1}"},
		"objects in a set":                {list{object{"n": 1}, object{"n": 2}}, list{object{"n": 2, "x": 0}, object{"n": 1}}, ""},
		"one of":                          {object{"$one_of": list{"a", "b"}}, "b", ""},
		"none of":                         {object{"$one_of": list{"a", "b"}}, "c", `GitHub says one of ["a","b"]`},
		"a subset":                        {object{"$subset": list{1, 2, 3}, "$count": 2}, list{3, 1}, ""},
		"a subset of another size":        {object{"$subset": list{1, 2, 3}, "$count": 2}, list{3}, "has 1 elements, GitHub says 2"},
		"a subset with one twice":         {object{"$subset": list{1, 2, 3}, "$count": 2}, list{3, 3}, "has 3, which GitHub does not have, or has it twice"},
		"a subset with a stranger":        {object{"$subset": list{1, 2, 3}, "$count": 2}, list{3, 4}, "has 4"},
		"a subset that is no list":        {object{"$subset": list{1}}, 1, "GitHub says a list"},
		"a subset without a count is all": {object{"$subset": list{1, 2}}, list{1}, "GitHub says 2"},
		"contains":                        {object{"$contains": "b\nc"}, "a b\r\nc d", ""},
		"does not contain":                {object{"$contains": list{"a", "x"}}, "a b c", `does not contain "x"`},
		"contains it and a hundred more characters for each": {object{"$contains": list{"a", "b"}}, "ab" + strings.Repeat("é", 300), ""},
		"contains it among all else":                         {object{"$contains": "a"}, "a" + strings.Repeat("x", 201), "has 202 characters, and at most 201 are about"},
		"contains nothing":                                   {object{"$contains": ""}, "a", "does not contain"},
		"a number does not contain a text":                   {object{"$contains": "1"}, 1, "does not contain"},
	} {
		t.Run(name, func(t *testing.T) {
			wrong := envelope.Compare(object{"f": c.want}, nil, object{"f": c.got})
			if c.wrong == "" {
				assert.Empty(t, wrong)
				return
			}
			if assert.Len(t, wrong, 1) {
				assert.Contains(t, wrong[0], c.wrong)
				assert.True(t, strings.HasPrefix(wrong[0], "The data's f "))
			}
		})
	}
}

func TestS13ListsMayHaveAnOrder(t *testing.T) {
	want := object{"steps": list{"a", "b"}, "labels": list{"x", "y"}}
	assert.Empty(t, envelope.Compare(want, []string{"steps"}, object{"steps": list{"a", "b"}, "labels": list{"y", "x"}}))
	assert.Equal(t, []string{`The data's steps at 0 is "b", GitHub says "a".`},
		envelope.Compare(want, []string{"steps"}, object{"steps": list{"b", "a"}, "labels": list{"y", "x"}}))
}

func TestS13DataThatIsNoObject(t *testing.T) {
	assert.Empty(t, envelope.Compare(object{envelope.Whole: list{"a"}}, nil, list{"a"}))
	assert.Equal(t, []string{`The data lacks "a".`}, envelope.Compare(object{envelope.Whole: list{"a"}}, nil, list{"b"}))
	assert.Equal(t, []string{`The data's n is null, GitHub says 1.`}, envelope.Compare(object{"n": 1}, nil, nil))
}

func TestLongValuesAreShortened(t *testing.T) {
	wrong := envelope.Compare(object{"f": strings.Repeat("ä", 500)}, nil, object{"f": math.NaN()})
	assert.Less(t, len(wrong[0]), 700)
	assert.Contains(t, wrong[0], "…")

	// With its quotes, a text of 118 characters has the 120 that are shown.
	whole := strings.Repeat("x", 118)
	assert.Equal(t, []string{`The data's f is "` + whole + `", GitHub says "` + whole[1:] + `y….`},
		envelope.Compare(object{"f": whole[1:] + "yz"}, nil, object{"f": whole}))
}
