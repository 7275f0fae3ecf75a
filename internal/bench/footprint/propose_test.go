package footprint_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
)

const player = "bench-agent"

// world is what one sample of a play finds: an issue's number, a body, a label,
// the id that is given next.
type world struct {
	number, id int
	body       string
	labels     []any
	draft      bool
}

func (w world) references() map[string]any {
	return map[string]any{
		"{{repo.full_name}}":         "o/n",
		"{{repo.owner}}":             "o",
		"{{input.body}}":             w.body,
		"{{input.draft}}":            w.draft,
		"{{input.issueNumber}}":      w.number,
		"{{input.labels}}":           w.labels,
		"{{resources.issue.number}}": float64(w.number),
		"{{resources.pr.number}}":    float64(w.number + 7),
		// Things of other names with the same values.
		"{{resources.a_project.other}}": w.number + 7,
		"{{resources.alike.number}}":    w.number + 9,
		"{{resources.project.number}}":  w.number + 9,
	}
}

// worlds are two that differ in everything.
func worlds() []world {
	return []world{
		{number: 4, id: 1000009, body: "It is done.", labels: []any{"bug", "ui"}},
		{number: 31, id: 2000123, body: "Nearly there", labels: []any{"docs", "api"}},
	}
}

// played plays in both worlds.
func played(name string, changes func(world) []bench.Change) footprint.Played {
	p := footprint.Played{Name: name}
	for _, w := range worlds() {
		seen := changes(w)
		for i := range seen {
			seen[i].Actor = player
		}
		p.Samples = append(p.Samples, footprint.Sample{Seen: seen, Agent: player, References: w.references()})
	}
	return p
}

func created(object, name string, id int, fields ...bench.FieldChange) bench.Change {
	return bench.Change{Kind: bench.ChangeCreated, Object: object, Name: name, ID: int64(id), Fields: fields}
}

func edited(object, name string, fields ...bench.FieldChange) bench.Change {
	return bench.Change{Kind: bench.ChangeChanged, Object: object, Name: name, Fields: fields}
}

func becomes(name string, after any) bench.FieldChange {
	return bench.FieldChange{Name: name, Before: "before", After: after}
}

func commented(w world) bench.Change {
	return created("comment", fmt.Sprintf("%d on o/n#%d", w.id, w.number), w.id,
		becomes("body", w.body), becomes("author", player), becomes("issue", fmt.Sprintf("o/n#%d", w.number)))
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

func TestS12AProposalRefersToWhatVaries(t *testing.T) {
	hash := func(w world) string { return strings.Repeat(fmt.Sprintf("%x", w.number%16), 40) }
	for name, c := range map[string]struct {
		change func(world) bench.Change
		want   string
	}{
		"an id becomes a star, implied fields are left out": {commented,
			`[{"change":"created","object":"comment","name":"* on {{repo.full_name}}#{{input.issueNumber}}","fields":{"body":"{{input.body}}"}}]`},
		"the input goes before resources, a resource before nothing": {
			func(w world) bench.Change {
				return edited("pull request", fmt.Sprintf("o/n#%d", w.number+7), becomes("state", "closed"))
			},
			`[{"change":"changed","object":"pull request","name":"{{repo.full_name}}#{{resources.pr.number}}","fields":{"state":"closed"}}]`,
		},
		"a number that nothing stands for becomes a star": {
			func(w world) bench.Change { return created("issue", fmt.Sprintf("o/n#%d", w.number*3+100), w.id) },
			`[{"change":"created","object":"issue","name":"{{repo.full_name}}#*"}]`,
		},
		"a new object's number is one that nobody chose": {
			func(w world) bench.Change {
				return created("issue", fmt.Sprintf("o/n#%d", w.number), w.id, becomes("number", w.number), becomes("title", w.body))
			},
			`[{"change":"created","object":"issue","name":"{{repo.full_name}}#*","fields":{"title":"{{input.body}}"}}]`,
		},
		"of equal numbers the one is meant that is called like the thing": {
			func(w world) bench.Change {
				return created("project item", fmt.Sprintf("o/%d: o/n#%d", w.number+9, w.number+7), w.id)
			},
			`[{"change":"created","object":"project item","name":"{{repo.owner}}/{{resources.project.number}}: {{repo.full_name}}#{{resources.pr.number}}"}]`,
		},
		"a number in a sentence is none of the fixtures'": {
			func(w world) bench.Change {
				return edited("issue", "o/n#1", becomes("body", fmt.Sprintf("There are %d of them, see #%d.", w.number, w.number)))
			},
			`[{"change":"changed","object":"issue","name":"{{repo.full_name}}#1","fields":{"body":{"any":true}}}]`,
		},
		"elements of lists have references too": {
			func(world) bench.Change {
				return edited("issue", "o/n#1", becomes("blocked_by", []any{"o/n#the-other-one-of-them"}))
			},
			`[{"change":"changed","object":"issue","name":"{{repo.full_name}}#1","fields":{"blocked_by":["{{repo.full_name}}#the-other-one-of-them"]}}]`,
		},
		"an id that is the same everywhere is one still": {
			func(world) bench.Change { return created("issue", "o/n: 77", 77) },
			`[{"change":"created","object":"issue","name":"{{repo.full_name}}: *"}]`,
		},
		"what is the same everywhere stays": {
			func(world) bench.Change { return edited("branch", "o/n: release/v1.4", becomes("protected", true)) },
			`[{"change":"changed","object":"branch","name":"{{repo.full_name}}: release/v1.4","fields":{"protected":true}}]`,
		},
		"commits and moments may be anything, also if they are the same everywhere": {
			func(world) bench.Change {
				return edited("branch", "o/n: main", becomes("commit", strings.Repeat("a", 40)), becomes("pushed_at", "2026-01-02T03:04:05Z"))
			},
			`[{"change":"changed","object":"branch","name":"{{repo.full_name}}: main","fields":{"commit":{"any":true},"pushed_at":{"any":true}}}]`,
		},
		"commits that vary may be anything": {
			func(w world) bench.Change { return edited("branch", "o/n: main", becomes("commit", hash(w))) },
			`[{"change":"changed","object":"branch","name":"{{repo.full_name}}: main","fields":{"commit":{"any":true}}}]`,
		},
		"a list that the input has is a reference": {
			func(w world) bench.Change {
				return edited("issue", "o/n#1", becomes("labels", []string{w.labels[1].(string), w.labels[0].(string)}))
			},
			`[{"change":"changed","object":"issue","name":"{{repo.full_name}}#1","fields":{"labels":"{{input.labels}}"}}]`,
		},
		"what is added to a list is told, what was there stays": {
			func(w world) bench.Change {
				return edited("issue", "o/n#1", bench.FieldChange{Name: "labels", Before: []any{"old"}, After: append([]any{"old"}, w.labels...)})
			},
			`[{"change":"changed","object":"issue","name":"{{repo.full_name}}#1","fields":{"labels":{"adds":"{{input.labels}}"}}}]`,
		},
		"what is removed from a list is told": {
			func(w world) bench.Change {
				return edited("issue", "o/n#1", bench.FieldChange{Name: "labels", Before: append([]any{w.body}, w.labels...), After: []any{w.body}})
			},
			`[{"change":"changed","object":"issue","name":"{{repo.full_name}}#1","fields":{"labels":{"removes":"{{input.labels}}"}}}]`,
		},
		"a list that loses all is told by what it loses": {
			func(world) bench.Change {
				return edited("issue", "o/n#1", bench.FieldChange{Name: "labels", Before: []any{"one"}})
			},
			`[{"change":"changed","object":"issue","name":"{{repo.full_name}}#1","fields":{"labels":{"removes":["one"]}}}]`,
		},
		"a list that loses and gains is told as it is then": {
			func(world) bench.Change {
				return edited("issue", "o/n#1", bench.FieldChange{Name: "labels", Before: []any{"one", "two"}, After: []any{"two", "three"}})
			},
			`[{"change":"changed","object":"issue","name":"{{repo.full_name}}#1","fields":{"labels":["two","three"]}}]`,
		},
		"a list is written element by element": {
			func(w world) bench.Change { return edited("issue", "o/n#1", becomes("texts", []any{w.body, "fixed"})) },
			`[{"change":"changed","object":"issue","name":"{{repo.full_name}}#1","fields":{"texts":["{{input.body}}","fixed"]}}]`,
		},
		"a list with an element that varies may be anything": {
			func(w world) bench.Change { return edited("issue", "o/n#1", becomes("ids", []any{w.id, "fixed"})) },
			`[{"change":"changed","object":"issue","name":"{{repo.full_name}}#1","fields":{"ids":{"any":true}}}]`,
		},
		"a text around references is written with them": {
			func(w world) bench.Change {
				return edited("pull request", "o/n#1", becomes("merge_commit_message", fmt.Sprintf("Merge pull request #%d from o/n\n\n%s", w.number, w.body)))
			},
			`[{"change":"changed","object":"pull request","name":"{{repo.full_name}}#1","fields":{"merge_commit_message":"Merge pull request #{{input.issueNumber}} from {{repo.full_name}}\n\n{{input.body}}"}}]`,
		},
		"a text whose rest varies may be anything": {
			func(w world) bench.Change {
				return edited("issue", "o/n#1", becomes("body", fmt.Sprintf("%s (%d)", w.body, w.id)))
			},
			`[{"change":"changed","object":"issue","name":"{{repo.full_name}}#1","fields":{"body":{"any":true}}}]`,
		},
		"true is a reference only to what is called the same": {
			func(w world) bench.Change {
				return edited("release", "o/n: v1", becomes("draft", w.draft), becomes("prerelease", w.draft))
			},
			`[{"change":"changed","object":"release","name":"{{repo.full_name}}: v1","fields":{"draft":"{{input.draft}}","prerelease":false}}]`,
		},
		"a number within a word or a version is none of the fixtures'": {
			func(w world) bench.Change { return created("tag", fmt.Sprintf("o/n: v%d.2", w.number), 0) },
			`[{"change":"created","object":"tag","name":"{{repo.full_name}}: *.2"}]`,
		},
		"names that are not of one form become a star": {
			func(w world) bench.Change { return created("tag", "o/n: "+w.body, 0) },
			`[{"change":"created","object":"tag","name":"{{repo.full_name}}: {{input.body}}"}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := footprint.Propose([]footprint.Played{played("ghx", func(w world) []bench.Change { return []bench.Change{c.change(w)} })})
			assert.JSONEq(t, c.want, asJSON(t, p.Footprint))
		})
	}
}

func TestS12PlaysAreJoined(t *testing.T) {
	edit := func(w world, fields ...bench.FieldChange) bench.Change {
		return edited("issue", fmt.Sprintf("o/n#%d", w.number), fields...)
	}
	p := footprint.Propose([]footprint.Played{
		played("agent_direct", func(w world) []bench.Change {
			return []bench.Change{commented(w), edit(w, becomes("state", "closed"), becomes("reason", "completed")), created("label", "o/n: new", 0)}
		}),
		played("mcp", func(w world) []bench.Change {
			return []bench.Change{edit(w, becomes("state", "closed"), becomes("reason", "not_planned"), becomes("locked", true)), commented(w)}
		}),
	})
	assert.JSONEq(t, `[
		{"change":"created","object":"comment","name":"* on {{repo.full_name}}#{{input.issueNumber}}","fields":{"body":"{{input.body}}"}},
		{"change":"changed","object":"issue","name":"{{repo.full_name}}#{{input.issueNumber}}","fields":{"state":"closed","locked":true,"reason":{"one_of":["completed","not_planned"]}}},
		{"change":"created","object":"label","name":"{{repo.full_name}}: new"}
	]`, asJSON(t, p.Footprint))
	notes := strings.Join(p.Notes, "\n")
	assert.Contains(t, notes, `the plays differ in reason of changed issue: {"one_of":["completed","not_planned"]}`)
	assert.Contains(t, notes, "the plays differ in locked of changed issue")
	assert.Contains(t, notes, "created label {{repo.full_name}}: new: not every play does this, but agent_direct")
	assert.NotContains(t, notes, "comment", "both do it alike")
}

func TestS12WhatPlaysAddDifferentlyMayBeAnything(t *testing.T) {
	adding := func(added ...any) func(world) []bench.Change {
		return func(world) []bench.Change {
			return []bench.Change{edited("issue", "o/n#1", bench.FieldChange{Name: "labels", Before: []any{"old"}, After: append([]any{"old"}, added...)})}
		}
	}
	p := footprint.Propose([]footprint.Played{played("mcp", adding("a")), played("ghx", adding("b")), played("agent_direct", adding("a"))})
	assert.JSONEq(t, `[{"change":"changed","object":"issue","name":"{{repo.full_name}}#1","fields":{"labels":{"any":true}}}]`, asJSON(t, p.Footprint))
}

func TestS12WhatANewObjectMustHaveIsAskedOfAllPlays(t *testing.T) {
	p := footprint.Propose([]footprint.Played{
		played("agent_direct", func(world) []bench.Change {
			return []bench.Change{created("release", "o/n: v1", 0, becomes("latest", true))}
		}),
		played("mcp", func(world) []bench.Change { return []bench.Change{created("release", "o/n: v1", 0)} }),
		played("ghx", func(world) []bench.Change {
			return []bench.Change{created("release", "o/n: v1", 0, becomes("latest", false))}
		}),
	})
	assert.JSONEq(t, `[{"change":"created","object":"release","name":"{{repo.full_name}}: v1","fields":{"latest":{"one_of":[true,null,false]}}}]`, asJSON(t, p.Footprint))
	require.Len(t, p.Footprint, 1)
	for _, fields := range [][]bench.FieldChange{nil, {becomes("latest", true)}, {becomes("latest", false)}} {
		c := created("release", "{{repo.full_name}}: v1", 0, fields...)
		assert.Empty(t, footprint.Judge(p.Footprint, player, []bench.Change{c})[0].Unallowed)
	}
}

func TestS12EqualChangesAreCounted(t *testing.T) {
	two := func(w world) []bench.Change {
		first, second := commented(w), commented(w)
		second.ID++
		second.Name = strings.Replace(second.Name, fmt.Sprint(w.id), fmt.Sprint(w.id+1), 1)
		return []bench.Change{first, second}
	}
	one := func(w world) []bench.Change { return []bench.Change{commented(w)} }
	for name, plays := range map[string][]footprint.Played{
		"two of one play":           {played("ghx", two)},
		"the greater number of two": {played("ghx", one), played("mcp", two), played("agent_direct", one)},
	} {
		t.Run(name, func(t *testing.T) {
			p := footprint.Propose(plays)
			require.Len(t, p.Footprint, 1)
			assert.Equal(t, 2, p.Footprint[0].Times)
		})
	}
	single := footprint.Propose([]footprint.Played{played("ghx", one), played("mcp", one)})
	assert.Zero(t, single.Footprint[0].Times, "once is what is meant without a number")
}

func TestS12WhatNeedsNoAllowanceIsToldOf(t *testing.T) {
	p := footprint.Propose([]footprint.Played{played("ghx", func(w world) []bench.Change {
		follows := edited("issue", "o/n#9", becomes("state", "closed"))
		follows.Cause = "merge"
		undone := edited("issue", "o/n#8", bench.FieldChange{Name: "title", Before: "a", After: "b"})
		back := edited("issue", "o/n#8", bench.FieldChange{Name: "title", Before: "b", After: "a"})
		return []bench.Change{follows, commented(w), undone, back}
	})})
	require.Len(t, p.Footprint, 1)
	assert.Equal(t, []string{"changed issue follows from: merge", "author of a comment is implied", "issue of a comment is implied"}, p.LeftOut)

	stranger := footprint.Propose([]footprint.Played{{Name: "ghx", Samples: []footprint.Sample{{
		Agent: player, References: worlds()[0].references(),
		Seen: []bench.Change{{Kind: bench.ChangeChanged, Object: "issue", Name: "o/n#4", Actor: "somebody", Fields: []bench.FieldChange{becomes("body", "x")}}},
	}}}})
	assert.Contains(t, strings.Join(stranger.Notes, "\n"), "was done by somebody, not by the agent")

	nothing := footprint.Propose([]footprint.Played{played("ghx", func(world) []bench.Change { return nil })})
	assert.Equal(t, "[]", asJSON(t, nothing.Footprint))
}

func TestS12APlayThatDoesNotDoTheSameInEveryVariationIsToldOf(t *testing.T) {
	p := footprint.Propose([]footprint.Played{played("ghx", func(w world) []bench.Change {
		if w.number == 4 {
			return []bench.Change{commented(w)}
		}
		return []bench.Change{commented(w), created("label", "o/n: new", 0)}
	})})
	assert.Contains(t, strings.Join(p.Notes, "\n"), "ghx does not change the same in every variation")
	assert.Len(t, p.Footprint, 2, "what each does is allowed")
}

func TestS12AProposalAllowsWhatWasPlayed(t *testing.T) {
	play := func(w world) []bench.Change {
		return []bench.Change{
			commented(w),
			edited("issue", fmt.Sprintf("o/n#%d", w.number), becomes("labels", w.labels), becomes("title", "Now: "+w.body+" and more")),
			created("branch", fmt.Sprintf("o/n: fix/%d", w.id), 0, becomes("commit", strings.Repeat(fmt.Sprint(w.number%10), 40))),
		}
	}
	right := played("ghx", play)
	p := footprint.Propose([]footprint.Played{right})
	for _, sample := range right.Samples {
		allowed := fill(t, p.Footprint, sample.References)
		for _, c := range footprint.Judge(allowed, player, sample.Seen) {
			assert.Empty(t, c.Unallowed, "%s", c)
		}
		other := commented(worlds()[0])
		other.Fields = []bench.FieldChange{becomes("body", "something else")}
		assert.NotEmpty(t, footprint.Judge(allowed, player, []bench.Change{other})[0].Unallowed)
	}
}

// fill puts the values of references into allowances.
func fill(t *testing.T, allowed []bench.Allowance, references map[string]any) []bench.Allowance {
	t.Helper()
	text := asJSON(t, allowed)
	for r, value := range references {
		value := asJSON(t, value)
		text = strings.ReplaceAll(text, `"`+r+`"`, value)
		text = strings.ReplaceAll(text, r, strings.Trim(value, `"`))
	}
	var filled []bench.Allowance
	require.NoError(t, json.Unmarshal([]byte(text), &filled))
	return filled
}
