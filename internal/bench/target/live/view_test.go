package live_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// looked are the objects that a view has.
var looked = []string{"issue", "pull request", "comment", "review", "review thread", "review comment"}

// step is a request of the agent's: of the REST API, or a GraphQL document.
type step struct{ method, path, body string }

// openPull opens pull request 2, of two commits, which fixes issue 1 and has a
// thread of the owner's.
func openPull(t *testing.T, r *rig) (threadNode string) {
	t.Helper()
	owner := r.world.As(sandboxtest.Owner)
	main := owner.Get(sandboxtest.Path + "/git/ref/heads/main").Text("object.sha")
	for _, one := range []step{
		{"POST", "/git/refs", `{"ref":"refs/heads/topic","sha":"` + main + `"}`},
		{"PUT", "/contents/a.txt", `{"message":"add a","branch":"topic","content":"b25lCnR3bwo="}`},
		{"PUT", "/contents/b.txt", `{"message":"add b","branch":"topic","content":"b25lCg=="}`},
		{"POST", "/pulls", `{"title":"Add files","body":"Fixes #1","head":"topic","base":"main"}`},
		{"POST", "/pulls/2/reviews", `{"event":"COMMENT","body":"see","comments":[{"path":"a.txt","line":1,"side":"RIGHT","body":"why?"}]}`},
		{"POST", "/issues/1/comments", `{"body":"an old comment"}`},
	} {
		require.Less(t, owner.Do(one.method, sandboxtest.Path+one.path, one.body).Status, http.StatusMultipleChoices, one.path)
	}
	return owner.GraphQL(`{ repository(owner: "owner", name: "hello") { pullRequest(number: 2) { reviewThreads(first: 1) { nodes { id } } } } }`).
		Text("data.repository.pullRequest.reviewThreads.nodes.0.id")
}

// told are changes as lines that two ways of seeing them share: of the objects
// of views, without what is implied, and without the numbers of what is new.
func told(t *testing.T, all []bench.Change) []string {
	t.Helper()
	var lines []string
	for _, c := range footprint.Net(all) {
		if !slices.Contains(looked, c.Object) {
			continue
		}
		_, on, _ := strings.Cut(c.Name, " on ")
		line := fmt.Sprint(c.Kind, " ", c.Object, " ", on)
		if on == "" {
			line += c.Name
		}
		if c.Kind == bench.ChangeDeleted {
			c.Fields = nil
		}
		fields := map[string]any{}
		for _, f := range c.Fields {
			if !footprint.Implied(c.Object, f.Name) {
				fields[f.Name] = []any{inOrder(f.Before), inOrder(f.After)}
			}
		}
		text, err := json.Marshal(fields)
		require.NoError(t, err)
		line += " " + string(text)
		if c.Cause != "" {
			line += " because of " + c.Cause
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// inOrder sorts a list, as its order says nothing.
func inOrder(value any) any {
	list, _ := value.([]any)
	if list == nil {
		return value
	}
	return slices.SortedFunc(slices.Values(list), func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

func logged(events []changes.Event) (all []bench.Change) {
	for _, e := range events {
		c := bench.Change{Kind: bench.ChangeKind(e.Kind), Object: e.Object.Kind, Name: e.Name, ID: e.ID, Actor: e.Actor, Cause: e.Cause}
		for _, f := range e.Fields {
			c.Fields = append(c.Fields, bench.FieldChange{Name: f.Name, Before: f.Before, After: f.After})
		}
		all = append(all, c)
	}
	return all
}

// What the verifier reads before and after says of an issue or pull request
// what the log of a sandbox says.
func TestS12WhatIsReadBeforeAndAfterIsWhatTheLogSays(t *testing.T) {
	for name, steps := range map[string][]step{
		"nothing": nil,
		"an issue is edited": {
			{"PATCH", "/issues/1", `{"title":"other","body":"new","assignees":["owner"],"state":"closed","state_reason":"not_planned"}`},
			{"PUT", "/issues/1/lock", `{"lock_reason":"resolved"}`},
		},
		"labels and a milestone": {
			{"POST", "/labels", `{"name":"zeta"}`}, {"POST", "/labels", `{"name":"alpha"}`}, {"POST", "/milestones", `{"title":"v1"}`},
			{"PATCH", "/issues/1", `{"labels":["zeta","alpha"],"milestone":1}`},
		},
		"what is undone is nothing":           {{"PATCH", "/issues/1", `{"state":"closed"}`}, {"PATCH", "/issues/1", `{"state":"open","state_reason":null}`}},
		"two comments":                        {{"POST", "/issues/1/comments", `{"body":"first"}`}, {"POST", "/issues/2/comments", `{"body":"second"}`}},
		"a new issue, and a comment there":    {{"POST", "/issues", `{"title":"new","body":"text","assignees":["owner"]}`}, {"POST", "/issues/3/comments", `{"body":"there"}`}},
		"a new pull request":                  {{"POST", "/git/refs", `{"ref":"refs/heads/more","sha":"MAIN"}`}, {"PUT", "/contents/c.txt", `{"message":"c","branch":"more","content":"Yw=="}`}, {"POST", "/pulls", `{"title":"More","head":"more","base":"main","draft":true}`}},
		"a review with comments on lines":     {{"POST", "/pulls/2/reviews", `{"event":"COMMENT","body":"so","comments":[{"path":"a.txt","start_line":1,"line":2,"side":"RIGHT","start_side":"RIGHT","body":"these"}]}`}},
		"a reply, and the thread is resolved": {{"GRAPHQL", "", `mutation { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: "THREAD", body: "because"}) { comment { id } } }`}, {"GRAPHQL", "", `mutation { resolveReviewThread(input: {threadId: "THREAD"}) { thread { id } } }`}},
		"a comment on a line by itself":       {{"POST", "/pulls/2/comments", `{"body":"here","path":"b.txt","line":1,"side":"RIGHT","commit_id":"HEAD"}`}},
		"a reply over REST":                   {{"POST", "/pulls/2/comments/FIRST/replies", `{"body":"because"}`}},
		"a merge, which closes the issue":     {{"PUT", "/pulls/2/merge", `{"merge_method":"merge","commit_title":"Merge it"}`}},
		"a squash":                            {{"PUT", "/pulls/2/merge", `{"merge_method":"squash"}`}},
		"a rebase":                            {{"PUT", "/pulls/2/merge", `{"merge_method":"rebase"}`}},
		"a pull request is closed":            {{"PATCH", "/pulls/2", `{"state":"closed","title":"Not that"}`}},
		"an old comment is deleted":           {{"DELETE", "/issues/comments/OLD", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			thread := openPull(t, r)
			owner := r.world.As(sandboxtest.Owner)
			filled := strings.NewReplacer(
				"MAIN", owner.Get(sandboxtest.Path+"/git/ref/heads/main").Text("object.sha"), "THREAD", thread,
				"HEAD", owner.Get(sandboxtest.Path+"/git/ref/heads/topic").Text("object.sha"),
				"FIRST", fmt.Sprint(owner.Get(sandboxtest.Path+"/pulls/2/comments").Int("0.id")),
				"OLD", fmt.Sprint(owner.Get(sandboxtest.Path+"/issues/1/comments").Int("0.id")),
			)
			seeded := len(r.world.Changes())
			a := r.place(t, target.Needs{Resources: []string{"issue", "pr", "project"}, Mutating: true})
			for _, one := range steps {
				var answer reply
				if one.method == "GRAPHQL" {
					answer = a.graphQL(filled.Replace(one.body), "")
					require.NotContains(t, answer.body, `"errors"`)
				} else {
					answer = a.direct(one.method, sandboxtest.Path+filled.Replace(one.path), filled.Replace(one.body))
				}
				require.Less(t, answer.status, http.StatusMultipleChoices, answer.body)
			}
			seen, err := a.Look(t.Context())
			require.NoError(t, err)
			assert.Contains(t, seen.Unjudged, "not judged are")
			assert.Equal(t, told(t, logged(r.world.Changes()[seeded:])), told(t, seen.Changes))
		})
	}
}

func TestS12WhatAnAgentMakesBesidesIsSeenWithoutItsFields(t *testing.T) {
	r := newRig(t)
	a := r.place(t, target.Needs{Resources: []string{"issue"}, Mutating: true})
	main := r.world.As(sandboxtest.Owner).Get(sandboxtest.Path + "/git/ref/heads/main").Text("object.sha")
	for path, body := range map[string]string{"/labels": `{"name":"extra"}`, "/git/refs": `{"ref":"refs/heads/extra","sha":"` + main + `"}`} {
		require.Equal(t, http.StatusCreated, a.direct("POST", sandboxtest.Path+path, body).status)
	}
	seen, err := a.Look(t.Context())
	require.NoError(t, err)
	judged := footprint.Judge([]bench.Allowance{{Change: bench.ChangeCreated, Object: "label", Name: "owner/hello: extra", Fields: map[string]any{"color": "ff0000"}}}, "", seen.Changes)
	require.Len(t, judged, 2)
	assert.Equal(t, "created branch owner/hello: extra", judged[0].String())
	assert.Equal(t, "nothing of the kind may be created", judged[0].Unallowed)
	assert.Equal(t, "created label owner/hello: extra", judged[1].String())
	assert.Empty(t, judged[1].Unallowed, "what colour it has is not known")
}

func TestAnAttemptThatOnlyReadsIsNotLookedAt(t *testing.T) {
	r := newRig(t)
	assert.Nil(t, r.place(t, target.Needs{Resources: []string{"issue"}}).Look)
}
