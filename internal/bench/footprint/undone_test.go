package footprint_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
)

type list = []any

// in is a change of an act.
func in(act int, c bench.Change) bench.Change {
	c.Act = act
	return c
}

// telling is a change of which somebody is told for a reason.
func telling(login, reason string, c bench.Change) bench.Change {
	c.Told = append(c.Told, bench.Told{Login: login, Reason: reason})
	return c
}

// issue and pull are changes of a field of issue 5 and pull request 3.
func issue(field string, before, after any) bench.Change {
	return did(bench.ChangeChanged, "issue", "o/r#5", 5, field, before, after)
}

func pull(field string, before, after any) bench.Change {
	return did(bench.ChangeChanged, "pull request", "o/r#3", 3, field, before, after)
}

func run(id int64) bench.Change {
	return following("pull request", did(bench.ChangeCreated, "workflow run", "o/r: 9", id))
}

func label(kind bench.ChangeKind) bench.Change {
	return did(kind, "label", "o/r: new", 8)
}

func pushed(before, after any) bench.Change {
	return did(bench.ChangeChanged, "branch", "o/r: topic", 0, "commit", before, after)
}

const undoneBy = "it follows from a change of "

func TestS12WhatWasUndoneIsJudgedByWhatItLeaves(t *testing.T) {
	cannot := func(who string) string { return "GitHub told " + who + " of it, which cannot be undone" }
	anyIssue := may(bench.ChangeChanged, "issue", "o/r#5", fields{"title": fields{"any": true}, "body": fields{"any": true}, "labels": fields{"any": true}, "assignees": fields{"any": true}})
	ready := may(bench.ChangeChanged, "pull request", "o/r#3", fields{"draft": false, "state": fields{"any": true}, "title": fields{"any": true}})
	anyPush := may(bench.ChangeChanged, "branch", "o/r: topic", fields{"commit": fields{"any": true}})
	closing := []bench.Change{in(1, pull("state", "open", "closed")), in(2, pull("state", "closed", "open"))}
	merged := in(3, following("merge", did(bench.ChangeChanged, "branch", "o/r: main", 0, "commit", "1", "2")))
	for name, c := range map[string]struct {
		allowed []bench.Allowance
		seen    []bench.Change
		// unallowed are the reasons, in order.
		unallowed []string
	}{
		"a pull request that is closed and reopened, which starts a run": {nil, []bench.Change{closing[0], closing[1], in(2, run(9))}, []string{undoneBy + "pull request o/r#3 that was undone"}},
		"where it is closed again after all":                             {[]bench.Allowance{ready}, []bench.Change{closing[0], closing[1], in(2, run(9)), in(3, closing[0])}, []string{undoneBy + "pull request o/r#3 that was undone"}},
		"with something that stays":                                      {[]bench.Allowance{ready}, []bench.Change{closing[0], in(2, did(bench.ChangeChanged, "pull request", "o/r#3", 3, "state", "closed", "open", "title", "A", "B")), in(2, run(9))}, []string{undoneBy + "pull request o/r#3 that was undone"}},
		"a run of a change that stays":                                   {[]bench.Allowance{ready}, []bench.Change{in(1, pull("draft", true, false)), in(1, run(9))}, nil},
		"a run of another act than what was undone":                      {[]bench.Allowance{ready}, []bench.Change{in(1, pull("draft", true, false)), in(1, run(9)), in(2, pull("title", "A", "B")), in(3, pull("title", "B", "A"))}, nil},
		"a draft that was made ready and a draft again":                  {[]bench.Allowance{ready}, []bench.Change{in(1, pull("draft", true, false)), in(1, run(9)), in(2, pull("draft", false, true))}, []string{undoneBy + "pull request o/r#3 that was undone"}},
		"a draft that was made ready twice, of which one stays":          {[]bench.Allowance{ready}, []bench.Change{in(1, pull("draft", true, false)), in(1, run(9)), in(2, pull("draft", false, true)), in(3, pull("draft", true, false)), in(3, run(10))}, []string{undoneBy + "pull request o/r#3 that was undone"}},
		"where nobody knows what is of one act":                          {nil, []bench.Change{pull("state", "open", "closed"), pull("state", "closed", "open"), run(9)}, nil},
		"an assignment that was taken back":                              {nil, []bench.Change{telling("ann", "assign", issue("assignees", nil, list{"ann"})), issue("assignees", list{"ann"}, nil)}, []string{cannot("ann (assign)")}},
		"an assignment that was taken back for another":                  {[]bench.Allowance{anyIssue}, []bench.Change{telling("ann", "assign", issue("assignees", nil, list{"ann"})), telling("bob", "assign", issue("assignees", list{"ann"}, list{"bob"}))}, []string{cannot("ann (assign)")}},
		"an assignment that was taken away and made anew":                {nil, []bench.Change{issue("assignees", list{"ann"}, nil), telling("ann", "assign", issue("assignees", nil, list{"ann"}))}, []string{cannot("ann (assign)")}},
		"an assignment that stays":                                       {[]bench.Allowance{anyIssue}, []bench.Change{telling("ann", "assign", issue("assignees", nil, list{"ann"})), telling("bob", "assign", issue("assignees", list{"ann"}, list{"ann", "bob"}))}, nil},
		"an assignment of oneself tells nobody":                          {nil, []bench.Change{issue("assignees", nil, list{me}), issue("assignees", list{me}, nil)}, nil},
		"a review that was asked for and is no longer":                   {nil, []bench.Change{telling("ann", "review_requested", pull("requested_reviewers", nil, list{"ann"})), pull("requested_reviewers", list{"ann"}, nil)}, []string{cannot("ann (review_requested)")}},
		"a team's":                                          {nil, []bench.Change{telling("ann", "review_requested", pull("requested_teams", nil, list{"core"})), pull("requested_teams", list{"core"}, nil)}, []string{cannot("ann (review_requested)")}},
		"an issue that is closed and reopened":              {nil, []bench.Change{telling("ann", "state_change", issue("state", "open", "closed")), telling("bob", "state_change", issue("state", "closed", "open"))}, []string{cannot("ann (state_change)"), cannot("bob (state_change)")}},
		"which nobody is told of":                           {nil, []bench.Change{issue("state", "open", "closed"), issue("state", "closed", "open")}, nil},
		"a lock that was taken back":                        {nil, []bench.Change{issue("locked", false, true), issue("locked", true, false)}, nil},
		"a mention that was taken back":                     {nil, []bench.Change{telling("Ann", "mention", issue("body", "a", "a @ann")), issue("body", "a @ann", "a")}, []string{cannot("Ann (mention)")}},
		"a mention that was taken out of what is written":   {[]bench.Allowance{anyIssue}, []bench.Change{telling("ann", "mention", issue("body", "a", "a @ann")), issue("body", "a @ann", "b @anna")}, []string{cannot("ann (mention)")}},
		"a mention that stays in what is written anew":      {[]bench.Allowance{anyIssue}, []bench.Change{telling("ann", "mention", issue("body", "a", "@ann")), issue("body", "@ann", "b @ann.")}, nil},
		"a team's mention that was taken back":              {nil, []bench.Change{telling("ann", "team_mention", issue("body", "a", "@o/core")), issue("body", "@o/core", "a")}, []string{cannot("ann (team_mention)")}},
		"a mention taken out of a comment that may be made": {[]bench.Allowance{may(bench.ChangeCreated, "comment", "* on o/r#5", fields{"body": "a"})}, []bench.Change{telling("ann", "mention", comment(1, "a @ann")), did(bench.ChangeChanged, "comment", "9 on o/r#5", 1, "body", "a @ann", "a")}, []string{cannot("ann (mention)")}},
		"an issue that was opened and deleted":              {nil, []bench.Change{telling("ann", "subscribed", did(bench.ChangeCreated, "issue", "o/r#9", 9, "title", nil, "A")), did(bench.ChangeDeleted, "issue", "o/r#9", 9, "title", "A", nil)}, []string{cannot("ann (subscribed)")}},
		"who was told of what stays beside it":              {[]bench.Allowance{anyIssue}, []bench.Change{telling("ann", "assign", telling("bob", "assign", issue("assignees", nil, list{"ann", "bob"}))), issue("assignees", list{"ann", "bob"}, list{"bob"})}, []string{cannot("ann (assign)")}},
		"a release that was published twice":                {[]bench.Allowance{may(bench.ChangeChanged, "release", "o/r: v1", fields{"draft": false})}, []bench.Change{telling("ann", "subscribed", did(bench.ChangeChanged, "release", "o/r: v1", 7, "draft", true, false)), did(bench.ChangeChanged, "release", "o/r: v1", 7, "draft", false, true), did(bench.ChangeChanged, "release", "o/r: v1", 7, "draft", true, false)}, []string{cannot("ann (subscribed)")}},
		"a push that was taken back before the right one":   {[]bench.Allowance{anyPush}, []bench.Change{pushed("1", "2"), pushed("2", "1"), pushed("1", "3")}, []string{"it was pushed and taken back, which cannot be undone", "it was pushed and taken back, which cannot be undone"}},
		"a push that may not be, taken back":                {nil, []bench.Change{pushed("1", "2"), pushed("2", "1")}, []string{"nothing of the kind may be changed"}},
		"two pushes":                                        {[]bench.Allowance{anyPush}, []bench.Change{pushed("1", "2"), pushed("2", "3")}, nil},
		"a label that was made by giving it, and taken off": {nil, []bench.Change{in(1, issue("labels", nil, list{"new"})), in(1, following("label", label(bench.ChangeCreated))), in(2, issue("labels", list{"new"}, nil))}, []string{undoneBy + "issue o/r#5 that was undone"}},
		"and deleted": {nil, []bench.Change{in(1, issue("labels", nil, list{"new"})), in(1, following("label", label(bench.ChangeCreated))), in(2, issue("labels", list{"new"}, nil)), in(3, label(bench.ChangeDeleted))}, nil},
		"a label that is there, given and taken off":                     {nil, []bench.Change{in(1, issue("labels", list{"a"}, list{"a", "b"})), in(2, issue("labels", list{"a", "b"}, list{"a"}))}, nil},
		"a text that had a merge close an issue, and was put back":       {[]bench.Allowance{ready}, []bench.Change{in(1, pull("body", "a", "Fixes #5")), in(3, pull("state", "open", "closed")), in(3, following("closing keyword", issue("state", "open", "closed"))), in(4, pull("body", "Fixes #5", "a"))}, []string{undoneBy + "pull request o/r#3 that was undone"}},
		"a setting that had a merge delete a branch, and was put back":   {[]bench.Allowance{ready}, []bench.Change{in(1, did(bench.ChangeChanged, "repository", "o/r", 1, "delete_branch_on_merge", false, true)), in(3, pull("state", "open", "closed")), merged, in(4, did(bench.ChangeChanged, "repository", "o/r", 1, "delete_branch_on_merge", true, false))}, []string{undoneBy + "repository o/r that was undone"}},
		"a star that was given and taken back around a merge":            {[]bench.Allowance{ready}, []bench.Change{in(1, did(bench.ChangeChanged, "repository", "o/r", 1, "stargazers", nil, list{me})), in(3, pull("state", "open", "closed")), merged, in(4, did(bench.ChangeChanged, "repository", "o/r", 1, "stargazers", list{me}, nil))}, nil},
		"what follows from putting a workflow back":                      {nil, []bench.Change{in(1, did(bench.ChangeChanged, "workflow", "o/r: a.yml", 2, "state", "active", "disabled_manually")), in(2, did(bench.ChangeChanged, "workflow", "o/r: a.yml", 2, "state", "disabled_manually", "active")), in(2, run(9)), in(3, run(10))}, []string{undoneBy + "workflow o/r: a.yml that was undone"}},
		"what followed and was undone in the end":                        {nil, []bench.Change{in(1, issue("labels", nil, list{"new"})), in(1, following("deletion", issue("milestone", "m", nil))), in(2, issue("labels", list{"new"}, nil)), in(3, following("deletion", issue("milestone", nil, "m")))}, nil},
		"what followed and is otherwise in the end":                      {nil, []bench.Change{in(1, issue("labels", nil, list{"new"})), in(1, following("deletion", issue("milestone", "m", nil))), in(2, issue("labels", list{"new"}, nil))}, []string{undoneBy + "issue o/r#5 that was undone"}},
		"what was changed by GitHub in between is where it goes on from": {[]bench.Allowance{anyIssue}, []bench.Change{telling("ann", "assign", issue("assignees", list{"a"}, list{"a", "ann"})), following("deletion", issue("assignees", list{"a", "ann"}, list{"a"})), telling("ann", "assign", issue("assignees", list{"a"}, list{"a", "ann"}))}, nil},
		"what somebody was told of that follows from what was undone":    {nil, []bench.Change{in(1, pull("draft", true, false)), in(1, telling("ann", "state_change", following("push", issue("state", "open", "closed")))), in(2, following("push", issue("state", "closed", "open"))), in(3, pull("draft", false, true))}, []string{undoneBy + "pull request o/r#3 that was undone"}},
		"a comment that was made and deleted is judged as one that is":   {[]bench.Allowance{may(bench.ChangeCreated, "comment", "* on o/r#5", fields{"body": "a"})}, []bench.Change{comment(1, "a"), did(bench.ChangeDeleted, "comment", "9 on o/r#5", 1)}, nil},
		"two pushes that were taken back one by one":                     {[]bench.Allowance{anyPush}, []bench.Change{pushed("1", "2"), pushed("2", "3"), pushed("3", "2"), pushed("2", "1")}, slices.Repeat([]string{"it was pushed and taken back, which cannot be undone"}, 4)},
		"something else that may not be, besides":                        {nil, []bench.Change{closed("o/r#6", 6), telling("ann", "assign", issue("assignees", nil, list{"ann"})), issue("assignees", list{"ann"}, nil)}, []string{"nothing of the kind may be changed", cannot("ann (assign)")}},
		"closed, reopened, and closed, of which the last stays":          {[]bench.Allowance{ready}, []bench.Change{telling("ann", "state_change", closing[0]), telling("bob", "state_change", closing[1]), telling("cem", "state_change", closing[0])}, []string{cannot("ann (state_change)"), cannot("bob (state_change)")}},
		"an assignment that stays, with a title that does not":           {[]bench.Allowance{anyIssue}, []bench.Change{telling("ann", "assign", did(bench.ChangeChanged, "issue", "o/r#5", 5, "assignees", nil, list{"ann"}, "title", "A", "B")), issue("title", "B", "A")}, nil},
		"a mention that stays, with one in a title that does not":        {[]bench.Allowance{anyIssue}, []bench.Change{telling("ann", "mention", did(bench.ChangeChanged, "issue", "o/r#5", 5, "body", "a", "@ann", "title", "A", "@ann")), issue("title", "@ann", "A")}, nil},
		"assignments by turns": {[]bench.Allowance{anyIssue}, []bench.Change{
			telling("ann", "assign", issue("assignees", nil, list{"ann"})), telling("bob", "assign", issue("assignees", list{"ann"}, list{"bob"})), telling("ann", "assign", issue("assignees", list{"bob"}, list{"ann"})),
		}, []string{cannot("ann (assign)"), cannot("bob (assign)")}},
		"a label that is made beside one that stays": {[]bench.Allowance{anyIssue}, []bench.Change{in(1, issue("labels", list{"a"}, list{"a", "new"})), in(1, following("label", label(bench.ChangeCreated)))}, nil},
		"a detour after what something follows from": {[]bench.Allowance{ready}, []bench.Change{in(1, pull("draft", true, false)), in(1, run(9)), in(2, issue("title", "A", "B")), in(3, issue("title", "B", "A"))}, nil},
		"what is implied leads nowhere": {[]bench.Allowance{ready}, []bench.Change{
			in(1, did(bench.ChangeChanged, "pull request", "o/r#3", 3, "draft", true, false, "closed_by", nil, me)), in(1, run(9)), in(2, pull("closed_by", me, nil)),
		}, nil},
		"what is implied is nothing that is left": {[]bench.Allowance{anyPush}, []bench.Change{
			in(1, pushed("1", "2")), in(1, following("push", pull("head.sha", "1", "2"))), in(2, pushed("2", "1")), in(2, following("push", pull("head.sha", "2", "1"))), in(3, pushed("1", "3")), in(3, following("push", pull("head.sha", "1", "3"))),
		}, []string{"it was pushed and taken back, which cannot be undone", "it was pushed and taken back, which cannot be undone"}},
		"another label that is deleted does not take it away": {[]bench.Allowance{may(bench.ChangeDeleted, "label", "o/r: old", nil)}, []bench.Change{
			in(1, issue("labels", nil, list{"new"})), in(1, following("label", label(bench.ChangeCreated))), in(2, issue("labels", list{"new"}, nil)), in(3, did(bench.ChangeDeleted, "label", "o/r: old", 9)),
		}, []string{undoneBy + "issue o/r#5 that was undone"}},
		"nor something else of that id": {[]bench.Allowance{may(bench.ChangeDeleted, "milestone", "o/r: old", nil)}, []bench.Change{
			in(1, issue("labels", nil, list{"new"})), in(1, following("label", label(bench.ChangeCreated))), in(2, issue("labels", list{"new"}, nil)), in(3, did(bench.ChangeDeleted, "milestone", "o/r: old", 8)),
		}, []string{undoneBy + "issue o/r#5 that was undone"}},
		"what followed and was undone, of what is otherwise by itself": {[]bench.Allowance{anyIssue}, []bench.Change{
			in(1, issue("labels", nil, list{"new"})), in(1, following("deletion", issue("milestone", "m", nil))), in(2, issue("labels", list{"new"}, nil)), in(3, following("deletion", issue("milestone", nil, "m"))), in(4, issue("title", "A", "B")),
		}, nil},
		"a branch that was made and deleted, and what it has started":      {[]bench.Allowance{may(bench.ChangeCreated, "branch", "o/r: topic", nil)}, []bench.Change{in(1, did(bench.ChangeCreated, "branch", "o/r: topic", 0)), in(1, run(9)), in(2, did(bench.ChangeDeleted, "branch", "o/r: topic", 0))}, nil},
		"a comment that mentions somebody, deleted":                        {[]bench.Allowance{may(bench.ChangeCreated, "comment", "* on o/r#5", fields{"body": fields{"any": true}})}, []bench.Change{telling("ann", "mention", comment(1, "@ann")), did(bench.ChangeDeleted, "comment", "9 on o/r#5", 1, "body", "@ann", nil)}, nil},
		"a branch that was made, deleted and made again at another commit": {[]bench.Allowance{may(bench.ChangeCreated, "branch", "o/r: topic", fields{"commit": fields{"any": true}})}, []bench.Change{did(bench.ChangeCreated, "branch", "o/r: topic", 0, "commit", nil, "1"), did(bench.ChangeDeleted, "branch", "o/r: topic", 0, "commit", "1", nil), did(bench.ChangeCreated, "branch", "o/r: topic", 0, "commit", nil, "2")}, []string{"it was pushed and taken back, which cannot be undone", "it was pushed and taken back, which cannot be undone"}},
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

func TestS12ANetChangeNamesAllWhoWereToldOfIt(t *testing.T) {
	net := footprint.Net([]bench.Change{
		telling("ann", "assign", issue("assignees", nil, list{"ann"})),
		telling("ann", "assign", telling("bob", "assign", issue("assignees", list{"ann"}, list{"ann", "bob"}))),
	})
	assert.Len(t, net, 1)
	assert.Equal(t, []bench.Told{{Login: "ann", Reason: "assign"}, {Login: "bob", Reason: "assign"}}, net[0].Told)
}

func TestS12WhatSteersConsequencesAndWasPutBackIsJudgedByThem(t *testing.T) {
	for object, names := range map[string][]string{
		"pull request": {"body", "base.ref"}, "issue": {"linked_branches"}, "workflow": {"state"},
		"repository": {"default_branch", "delete_branch_on_merge", "allow_auto_merge", "protection", "rulesets"},
	} {
		for _, field := range names {
			steer := func(act int, before, after any) bench.Change {
				return in(act, did(bench.ChangeChanged, object, "o/r: it", 70, field, before, after))
			}
			for act, unallowed := range map[int]string{1: "", 2: undoneBy + object + " o/r: it that was undone", 3: undoneBy + object + " o/r: it that was undone", 4: undoneBy + object + " o/r: it that was undone", 5: ""} {
				judged := footprint.Judge(nil, me, []bench.Change{steer(2, "a", "b"), in(act, run(9)), steer(4, "b", "a")})
				assert.Len(t, judged, 1)
				assert.Equal(t, unallowed, judged[0].Unallowed, "%s of %s, %d", field, object, act)
			}
		}
	}
}

func TestS12EveryPushLasts(t *testing.T) {
	for _, object := range []string{"branch", "tag", "ref"} {
		push := func(before, after any) bench.Change {
			return did(bench.ChangeChanged, object, "o/r: it", 0, "commit", before, after)
		}
		judged := footprint.Judge([]bench.Allowance{may(bench.ChangeChanged, object, "o/r: it", fields{"commit": "3"})}, me, []bench.Change{push("1", "2"), push("2", "1"), push("1", "3")})
		assert.Len(t, judged, 3)
		assert.Contains(t, judged[0].Unallowed, "taken back", object)
	}
}
