package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
)

func kindsOf(s *faults.Set, call faults.Call, times int) []faults.Kind {
	var kinds []faults.Kind
	for range times {
		kinds = append(kinds, s.Decide(call).Kind)
	}
	return kinds
}

func set(t *testing.T, rules ...faults.Rule) *faults.Set {
	t.Helper()
	s := &faults.Set{}
	for _, r := range rules {
		_, err := s.Add(r)
		require.NoError(t, err)
	}
	return s
}

func TestHowOftenARuleHolds(t *testing.T) {
	const bad = faults.BadGateway
	call := faults.Call{Method: "GET", Path: "/user"}
	for name, c := range map[string]struct {
		rules []faults.Rule
		want  []faults.Kind
	}{
		"always without a count":                  {[]faults.Rule{{Kind: bad}}, []faults.Kind{bad, bad, bad, bad}},
		"so many times":                           {[]faults.Rule{{Kind: bad, Count: 2}}, []faults.Kind{bad, bad, "", ""}},
		"after so many requests":                  {[]faults.Rule{{Kind: bad, After: 2}}, []faults.Kind{"", "", bad, bad}},
		"after so many requests and then so many": {[]faults.Rule{{Kind: bad, After: 1, Count: 1}}, []faults.Kind{"", bad, "", ""}},
		"one rule after the other": {
			[]faults.Rule{{Kind: bad, Count: 1}, {Kind: faults.NotFound, Count: 2}}, []faults.Kind{bad, faults.NotFound, faults.NotFound, ""},
		},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, kindsOf(set(t, c.rules...), call, 4)) })
	}
}

func TestFaultsAtRandomFollowTheSeed(t *testing.T) {
	draw := func(seed uint64) []faults.Kind {
		s := &faults.Set{}
		s.Seed(seed)
		_, err := s.Add(faults.Rule{Kind: faults.ServerError, Probability: 0.25})
		require.NoError(t, err)
		return kindsOf(s, faults.Call{}, 1000)
	}
	first := draw(1)
	failed := 0
	for _, kind := range first {
		if kind != "" {
			failed++
		}
	}
	assert.InDelta(t, 250, failed, 50)
	assert.Equal(t, first, draw(1))
	assert.NotEqual(t, first, draw(2))
}

func TestWhatARuleIsAbout(t *testing.T) {
	issues := faults.Call{Method: "POST", Path: "/repos/owner/hello/issues", Token: "a", Write: true}
	merge := faults.Call{Method: "POST", Path: "/graphql", GraphQL: true, Operation: "mutation Merge", Fields: []string{"mergePullRequest"}, Write: true}
	view := faults.Call{Method: "POST", Path: "/graphql", GraphQL: true, Operation: "query", Fields: []string{"viewer"}, Lags: true}
	push := faults.Call{Method: "POST", Path: "git:/owner/hello/git-receive-pack", Write: true}
	calls := []faults.Call{issues, merge, view, push}
	for name, c := range map[string]struct {
		rule faults.Rule
		want []bool
	}{
		"everything":                         {faults.Rule{}, []bool{true, true, true, true}},
		"a route":                            {faults.Rule{Path: "/repos/{owner}/{repo}/issues"}, []bool{true, false, false, false}},
		"a route with a name":                {faults.Rule{Path: "/repos/other/{repo}/issues"}, []bool{false, false, false, false}},
		"a part of a route is not the route": {faults.Rule{Path: "/repos/{owner}/{repo}"}, []bool{false, false, false, false}},
		"all below a path":                   {faults.Rule{Path: "/repos/{rest...}"}, []bool{true, false, false, false}},
		"git":                                {faults.Rule{Path: "git:/{owner}/{repo}/git-receive-pack"}, []bool{false, false, false, true}},
		"a method":                           {faults.Rule{Method: "post"}, []bool{true, false, false, true}},
		"another method":                     {faults.Rule{Method: "GET", Path: "/repos/{rest...}"}, []bool{false, false, false, false}},
		"all of GraphQL":                     {faults.Rule{GraphQL: "*"}, []bool{false, true, true, false}},
		"mutations":                          {faults.Rule{GraphQL: "mutation"}, []bool{false, true, false, false}},
		"an operation by name":               {faults.Rule{GraphQL: "Merge"}, []bool{false, true, false, false}},
		"an operation by field":              {faults.Rule{GraphQL: "viewer"}, []bool{false, false, true, false}},
		"a token":                            {faults.Rule{Token: "a"}, []bool{true, false, false, false}},
		"lost answers are those of writes":   {faults.Rule{Kind: faults.LostAnswer}, []bool{true, true, false, true}},
		"only what is read lags":             {faults.Rule{Kind: faults.StaleList}, []bool{false, false, true, false}},
		"webhooks are no requests":           {faults.Rule{Kind: faults.HookLost}, []bool{false, false, false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.rule.Kind == "" {
				c.rule.Kind = faults.Reset
			}
			got := make([]bool, len(calls))
			for i, call := range calls {
				got[i] = set(t, c.rule).Decide(call).Kind != ""
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestDelaysAddUpAndLeaveOtherFaults(t *testing.T) {
	s := set(t,
		faults.Rule{Kind: faults.Slow, Delay: time.Second},
		faults.Rule{Kind: faults.TooMany, RetryAfter: 3 * time.Second},
		faults.Rule{Kind: faults.Slow, Delay: 2 * time.Second})
	s.SetLatency(100 * time.Millisecond)
	assert.Equal(t, faults.Verdict{Delay: 3100 * time.Millisecond, Kind: faults.TooMany, RetryAfter: 3 * time.Second}, s.Decide(faults.Call{}))
	s.Clear()
	assert.Equal(t, faults.Verdict{}, s.Decide(faults.Call{}))
	assert.False(t, s.Any())
}

func TestFaultsOfWebhooks(t *testing.T) {
	s := set(t,
		faults.Rule{Kind: faults.HookLost, Event: "check_run.rerequested", Count: 1},
		faults.Rule{Kind: faults.HookDoubled, Event: "check_run"},
		faults.Rule{Kind: faults.ServerError})
	assert.Equal(t, []faults.Kind{faults.HookDoubled, faults.HookLost, faults.HookDoubled, ""}, []faults.Kind{
		s.DecideHook("check_run", "created"), s.DecideHook("check_run", "rerequested"),
		s.DecideHook("check_run", "rerequested"), s.DecideHook("push", ""),
	})
}

func TestRulesTellWhatTheyDid(t *testing.T) {
	s := set(t, faults.Rule{Kind: faults.NotFound, After: 1, Count: 1}, faults.Rule{Kind: faults.StaleList, Count: 1})
	assert.True(t, s.Lags())
	kindsOf(s, faults.Call{Lags: true}, 3)
	rules := s.Rules()
	assert.Equal(t, []int{1, 3, 1}, []int{rules[0].Number, rules[0].Seen, rules[0].Held})
	assert.False(t, s.Lags(), "it has held as often as it may")
	assert.True(t, s.Remove(1))
	assert.False(t, s.Remove(1))
	assert.Len(t, s.Rules(), 1)
}

func TestRulesThatCannotHoldAreRefused(t *testing.T) {
	for name, r := range map[string]faults.Rule{
		"no kind":                       {},
		"an unknown kind":               {Kind: "418"},
		"a slow one without a delay":    {Kind: faults.Slow},
		"a path without a slash":        {Kind: faults.NotFound, Path: "user"},
		"a path and an operation":       {Kind: faults.NotFound, Path: "/user", GraphQL: "*"},
		"a negative count":              {Kind: faults.NotFound, Count: -1},
		"more than certain":             {Kind: faults.NotFound, Probability: 1.1},
		"an event without a webhook":    {Kind: faults.NotFound, Event: "push"},
		"a webhook chosen by its route": {Kind: faults.HookLost, Path: "/user"},
	} {
		_, err := (&faults.Set{}).Add(r)
		assert.Equal(t, fault.Invalid, fault.KindOf(err), name)
	}
}
