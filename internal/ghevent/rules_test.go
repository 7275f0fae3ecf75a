package ghevent_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

func TestRulesSayWhyAHeadIsNotMeasured(t *testing.T) {
	marker, docs := ghevent.Rules{SkipMarker: true}, ghevent.Rules{Paths: []string{"docs/**"}}
	labels := ghevent.Rules{RunLabel: "bench", SkipLabel: "no-bench"}
	labelled := func(names ...string) ghevent.Head { return ghevent.Head{Pull: ghevent.Pull{Labels: names}} }
	says := func(message string) ghevent.Head { return ghevent.Head{CommitMessage: message} }
	touches := func(files ...string) ghevent.Head { return ghevent.Head{ChangedFiles: append([]string{}, files...)} }
	draft := ghevent.Head{Pull: ghevent.Pull{Draft: true}}
	fork := says("[skip bench]")
	fork.Pull.Fork = true
	for name, c := range map[string]struct {
		rules ghevent.Rules
		head  ghevent.Head
		want  comment.Skip
	}{
		"no rules":                         {ghevent.Rules{}, labelled("bug"), ""},
		"a marker":                         {marker, says("Fix a typo\n\n[skip bench]"), comment.SkipMarker},
		"the other way round, in capitals": {marker, says("[Bench Skip] Fix"), comment.SkipMarker},
		"the words without brackets":       {marker, says("skip bench"), ""},
		"a marker that is not heeded":      {ghevent.Rules{}, says("[skip bench]"), ""},
		"a marker in a commit of a fork, whose author may be anybody": {marker, fork, ""},
		"the label that is wanted":                                    {labels, labelled("Bench"), ""},
		"the label that is wanted is missing":                         {labels, labelled("bug"), comment.SkipLabel},
		"the label that keeps it from being measured":                 {labels, labelled("bench", "No-Bench"), comment.SkipLabel},
		"no label is named":                                           {ghevent.Rules{}, labelled(""), ""},
		"a draft":                                                     {ghevent.Rules{}, draft, comment.SkipDraft},
		"a draft where drafts are measured":                           {ghevent.Rules{Drafts: true}, draft, ""},
		"paths that it touches":                                       {docs, touches("a.go", "docs/a.md"), ""},
		"paths that it does not touch":                                {docs, touches("a.go"), comment.SkipPaths},
		"no patterns, no filter":                                      {ghevent.Rules{}, touches("a.go"), ""},
		"no file at all is changed":                                   {docs, touches(), comment.SkipPaths},
		"files that are not known: one run too many":                  {docs, ghevent.Head{}, ""},
		"patterns that cannot be read: one run too many":              {ghevent.Rules{Paths: []string{"["}}, touches("a.go"), ""},
		"the first of several reasons":                                {ghevent.Rules{SkipMarker: true, RunLabel: "bench"}, says("[skip bench]"), comment.SkipMarker},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, c.rules.Skip(c.head)) })
	}
}
