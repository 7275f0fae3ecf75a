package audit_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/audit"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestWhatPassesRightlyIsAccepted(t *testing.T) {
	testkit.NeedComplete(t)
	untitled := strong(t, reads)
	delete(untitled.Assertions.ExpectedData.Fields, "title")
	list := func(mutants ...string) audit.Acceptance {
		return audit.Acceptance{Scenarios: []string{reads}, Mutants: mutants, Reason: "The title is not what is asked for."}
	}
	const title, left = "other-answer title other", "other-answer title left out"
	for name, c := range map[string]struct {
		accepted []audit.Acceptance
		weak     []string
		problem  string
	}{
		"nothing":            {nil, []string{title}, ""},
		"it":                 {[]audit.Acceptance{list(title)}, nil, ""},
		"in its mode":        {[]audit.Acceptance{{Scenarios: []string{reads}, Modes: []bench.Mode{bench.MCP}, Mutants: []string{title}, Reason: "So."}}, nil, ""},
		"by a pattern":       {[]audit.Acceptance{list("other-answer t*e other")}, nil, ""},
		"a pattern of none":  {[]audit.Acceptance{list(title, "other-answer title *out")}, nil, "*out, which does not pass"},
		"of two scenarios":   {[]audit.Acceptance{{Scenarios: []string{misses, reads}, Mutants: []string{title}, Reason: "So."}}, nil, ""},
		"in another mode":    {[]audit.Acceptance{{Scenarios: []string{reads}, Modes: []bench.Mode{bench.GHX}, Mutants: []string{title}, Reason: "So."}}, []string{title}, title + ", which does not pass"},
		"what does not pass": {[]audit.Acceptance{list(title, left)}, nil, left + ", which does not pass"},
		"what there is not":  {[]audit.Acceptance{list(title, "other-answer number othr")}, nil, "othr, which does not pass"},
		"another scenario's": {[]audit.Acceptance{{Scenarios: []string{misses}, Mutants: []string{title}, Reason: "So."}}, []string{title}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			options := optionsFor(t, untitled)
			options.Accepted = c.accepted
			if c.problem == "" {
				// What passes of no kind at all is told where all kinds are tried alone.
				options.Kinds = []audit.Kind{audit.OtherAnswer}
			}
			report := run(t, options)
			assert.Equal(t, c.weak, namesOf(report.Weak()))
			if c.problem == "" {
				assert.Empty(t, report.Problems)
				return
			}
			require.Len(t, report.Problems, 1)
			assert.Contains(t, report.Problems[0].String(), c.problem)
		})
	}
}

func TestS19WhatIsWrongAsAWholeIsNotAccepted(t *testing.T) {
	s := strong(t, tidies)
	s.Footprint[0].Times = 2
	options := optionsFor(t, s)
	options.Accepted = []audit.Acceptance{{Scenarios: []string{tidies}, Mutants: []string{"twice 1 addComment", "twice 1 POST issues/comments"}, Reason: "Twice is as good."}}
	options.Kinds = []audit.Kind{audit.Twice}
	assert.Equal(t, []string{"twice 1 addComment", "twice 1 POST issues/comments"}, namesOf(run(t, options).Weak()))
}

func TestAcceptedFiles(t *testing.T) {
	for name, c := range map[string]struct{ file, problem string }{
		"a good one":         {`{"accepted": [{"scenarios": ["x-001"], "mutants": ["twice 1 a"], "reason": "It is as good."}]}`, ""},
		"without a reason":   {`{"accepted": [{"scenarios": ["x-001"], "mutants": ["twice 1 a"]}]}`, "audit.json:1:15: accepted[0].reason: is missing"},
		"an unknown field":   {`{"accepted": [], "acepted": []}`, `audit.json:1:18: acepted: unknown field "acepted"`},
		"what is not JSON":   {`{"accepted": `, "audit.json:1:"},
		"no scenarios":       {`{"accepted": [{"scenarios": [], "mutants": ["twice 1 a"], "reason": "It is as good."}]}`, "accepted[0].scenarios: "},
		"a mode there's not": {`{"accepted": [{"scenarios": ["x-001"], "modes": ["gh"], "mutants": ["twice 1 a"], "reason": "It is as good."}]}`, "accepted[0].modes[0]: must be one of"},
	} {
		t.Run(name, func(t *testing.T) {
			accepted, err := audit.LoadAccepted(fstest.MapFS{audit.AcceptedFile: {Data: []byte(c.file)}})
			if c.problem == "" {
				require.NoError(t, err)
				assert.Equal(t, []audit.Acceptance{{Scenarios: []string{"x-001"}, Mutants: []string{"twice 1 a"}, Reason: "It is as good."}}, accepted)
				return
			}
			require.ErrorContains(t, err, c.problem)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
	none, err := audit.LoadAccepted(fstest.MapFS{})
	require.NoError(t, err)
	assert.Empty(t, none, "a folder needs no list")
}
