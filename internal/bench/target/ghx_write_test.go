package target_test

import (
	"sync/atomic"
	"testing"

	gh "github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// must runs a capability that is to succeed by a route, and returns its data.
func (g *ghxBench) must(capability, route string, input map[string]any) map[string]any {
	g.t.Helper()
	reply := g.run(capability, input)
	require.True(g.t, reply.OK, "%s: %+v", capability, reply.Error)
	assert.Equal(g.t, route, reply.Meta.Route, capability)
	data, _ := reply.Data.(map[string]any)
	return data
}

// on is must with the number of a fixture in the input.
func (g *ghxBench) on(capability, route, resource string, input map[string]any) map[string]any {
	g.t.Helper()
	field := "prNumber"
	if resource == "issue" {
		field = "issueNumber"
	}
	in := g.in(input)
	in[field] = number(g.t, g.place, resource)
	return g.must(capability, route, in)
}

// issue is an issue or pull request as another account sees it.
func (g *ghxBench) issue(number int) *gh.Issue {
	g.t.Helper()
	i, _, err := verifier(g.t, g.place).REST.Issues.Get(g.t.Context(), target.Owner, target.FixturesName, number)
	require.NoError(g.t, err)
	return i
}

func (g *ghxBench) pull(resource string) *gh.PullRequest {
	g.t.Helper()
	pr, _, err := verifier(g.t, g.place).REST.PullRequests.Get(g.t.Context(), target.Owner, target.FixturesName, number(g.t, g.place, resource))
	require.NoError(g.t, err)
	return pr
}

// lookAt looks at what is behind the place.
func lookAt(t testing.TB, place *target.Place, look func(s *model.State, repo *model.Repo)) {
	t.Helper()
	w, ok := place.GitHub.(*sandbox.World)
	require.True(t, ok)
	w.Look(func(s *model.State) { look(s, s.Repo(target.Owner, target.FixturesName)) })
}

// change changes what is behind the place, beside its APIs.
func change(t testing.TB, place *target.Place, change func(s *model.State, repo *model.Repo) error) {
	t.Helper()
	w, ok := place.GitHub.(*sandbox.World)
	require.True(t, ok)
	require.NoError(t, w.Setup(func(s *model.State) error { return change(s, s.Repo(target.Owner, target.FixturesName)) }))
}

func labelNames(labels []*gh.Label) []string {
	var names []string
	for _, l := range labels {
		names = append(names, l.GetName())
	}
	return names
}

func logins(users []*gh.User) []string {
	var names []string
	for _, u := range users {
		names = append(names, u.GetLogin())
	}
	return names
}

// ghxWrites are uses of capabilities that change something, each in a place of
// its own.
func ghxWrites() map[string]func(t *testing.T, g *ghxBench) {
	return map[string]func(t *testing.T, g *ghxBench){
		"issue.create": func(t *testing.T, g *ghxBench) {
			made := g.must("issue.create", byGraphQL, g.in(map[string]any{"title": "New", "body": "Text"}))
			i := g.issue(int(made["number"].(float64)))
			assert.Equal(t, []string{"New", "Text", target.Agent}, []string{i.GetTitle(), i.GetBody(), i.GetUser().GetLogin()})
			assert.Equal(t, i.GetNodeID(), made["id"])
		},
		"issue.update, issue.close, issue.reopen, issue.delete": func(t *testing.T, g *ghxBench) {
			g.on("issue.update", byGraphQL, "issue", map[string]any{"title": "Other", "body": "Words"})
			i := g.issue(number(t, g.place, "issue"))
			assert.Equal(t, []string{"Other", "Words"}, []string{i.GetTitle(), i.GetBody()})
			assert.Equal(t, true, g.on("issue.close", byGraphQL, "issue", nil)["closed"])
			assert.Equal(t, "closed", g.issue(number(t, g.place, "issue")).GetState())
			assert.Equal(t, true, g.on("issue.reopen", byGraphQL, "issue", nil)["reopened"])
			assert.Equal(t, "open", g.issue(number(t, g.place, "issue")).GetState())
			assert.Equal(t, true, g.on("issue.delete", byGraphQL, "issue", nil)["deleted"])
			assert.Nil(t, g.read("issue.view", g.in(map[string]any{"issueNumber": number(t, g.place, "issue")})))
		},
		"issue.comments.create": func(t *testing.T, g *ghxBench) {
			g.on("issue.comments.create", byGraphQL, "issue", map[string]any{"body": "Hello"})
			list, _ := g.read("issue.comments.list", g.in(map[string]any{"issueNumber": number(t, g.place, "issue"), "first": 100})).(map[string]any)
			comments, _ := list["items"].([]any)
			require.Len(t, comments, 3)
			partOf(t, comments[2], map[string]any{"body": "Hello", "authorLogin": target.Agent}, "the last comment")
		},
		"issue.labels.set, issue.labels.add, issue.labels.remove": func(t *testing.T, g *ghxBench) {
			names := func() []string { return labelNames(g.issue(number(t, g.place, "issue")).Labels) }
			g.on("issue.labels.set", byGraphQL, "issue", map[string]any{"labels": []string{"bench-fixture"}})
			assert.Equal(t, []string{"bench-fixture"}, names())
			g.on("issue.labels.add", byGraphQL, "issue", map[string]any{"labels": []string{"bench-seed:default"}})
			assert.ElementsMatch(t, []string{"bench-fixture", "bench-seed:default"}, names())
			g.on("issue.labels.remove", byGraphQL, "issue", map[string]any{"labels": []string{"bench-fixture"}})
			assert.Equal(t, []string{"bench-seed:default"}, names())
		},
		"issue.assignees.set": func(t *testing.T, g *ghxBench) {
			g.on("issue.assignees.set", byGraphQL, "issue", map[string]any{"assignees": []string{target.Reviewer}})
			assert.Equal(t, []string{target.Reviewer}, logins(g.issue(number(t, g.place, "issue")).Assignees))
		},
		"issue.milestone.clear": func(t *testing.T, g *ghxBench) {
			change(t, g.place, func(s *model.State, repo *model.Repo) error {
				s.Issue(repo, number(t, g.place, "issue")).MilestoneID = s.AddMilestone(repo, model.NewMilestone{Title: "M"}).ID
				return nil
			})
			require.NotNil(t, g.issue(number(t, g.place, "issue")).Milestone)
			g.on("issue.milestone.clear", byGraphQL, "issue", nil)
			assert.Nil(t, g.issue(number(t, g.place, "issue")).Milestone)
		},
		"issue.relations": ghxRelations,
		"pr.create, pr.update, pr.close": func(t *testing.T, g *ghxBench) {
			change(t, g.place, func(s *model.State, repo *model.Repo) error {
				at, _ := s.BranchHead(repo, "bench-fixture/default/basic")
				return s.CreateRef(repo.OwnerID, repo, "refs/heads/topic", at)
			})
			made := g.must("pr.create", byGraphQL, g.in(map[string]any{"title": "Topic", "body": "Text", "head": "topic", "base": "main", "draft": true}))
			in := g.in(map[string]any{"prNumber": made["number"]})
			g.must("pr.update", byGraphQL, g.in(map[string]any{"prNumber": made["number"], "title": "Other"}))
			g.must("pr.update", byCLI, g.in(map[string]any{"prNumber": made["number"], "draft": false}))
			partOf(t, g.read("pr.view", in), map[string]any{"title": "Other", "body": "Text", "state": "OPEN"}, "after the update")
			lookAt(t, g.place, func(s *model.State, repo *model.Repo) {
				assert.False(t, s.Pull(repo, repo.LastNumber).Pull.Draft)
			})
			g.must("pr.close", byGraphQL, in)
			partOf(t, g.read("pr.view", in), map[string]any{"state": "CLOSED"}, "after closing")
		},
		"pr.comments.create": func(t *testing.T, g *ghxBench) {
			g.on("pr.comments.create", byGraphQL, "pr", map[string]any{"body": "Hello"})
			assert.Equal(t, 1, g.pull("pr").GetComments())
		},
		"pr.assignees.add, pr.assignees.remove": func(t *testing.T, g *ghxBench) {
			g.on("pr.assignees.add", byGraphQL, "pr", map[string]any{"assignees": []string{target.Owner, target.Agent}})
			assert.ElementsMatch(t, []string{target.Owner, target.Agent}, logins(g.pull("pr").Assignees))
			g.on("pr.assignees.remove", byGraphQL, "pr", map[string]any{"assignees": []string{target.Owner}})
			assert.Equal(t, []string{target.Agent}, logins(g.pull("pr").Assignees))
		},
		"pr.branch.update": func(t *testing.T, g *ghxBench) {
			change(t, g.place, func(s *model.State, repo *model.Repo) error {
				_, err := s.WriteFile(repo.OwnerID, repo, model.FileWrite{Path: "LICENSE", Message: "add", Content: []byte("x")})
				return err
			})
			before := g.pull("pr").GetHead().GetSHA()
			assert.Equal(t, true, g.on("pr.branch.update", byGraphQL, "pr", nil)["updated"])
			after := g.pull("pr")
			assert.NotEqual(t, before, after.GetHead().GetSHA())
			assert.Equal(t, 2, after.GetCommits(), "its own commit, and the merge of main")
		},
		"pr.merge by rebase": func(t *testing.T, g *ghxBench) {
			g.on("pr.merge", byGraphQL, "pr_mergeable", map[string]any{"method": "rebase"})
			assert.True(t, g.pull("pr_mergeable").GetMerged())
		},
		"pr.merge and the branch with it": func(t *testing.T, g *ghxBench) {
			branch := g.pull("pr_mergeable").GetHead().GetRef()
			g.on("pr.merge", byCLI, "pr_mergeable", map[string]any{"method": "merge", "deleteBranch": true})
			assert.True(t, g.pull("pr_mergeable").GetMerged())
			lookAt(t, g.place, func(s *model.State, repo *model.Repo) {
				_, exists := s.BranchHead(repo, branch)
				assert.False(t, exists)
			})
		},
		"pr.reviews.request": func(t *testing.T, g *ghxBench) {
			g.on("pr.reviews.request", byGraphQL, "pr", map[string]any{"reviewers": []string{target.Reviewer}})
			assert.Equal(t, []string{target.Reviewer}, logins(g.pull("pr").RequestedReviewers))
		},
		"pr.reviews.submit with comments on lines": func(t *testing.T, g *ghxBench) {
			review := g.on("pr.reviews.submit", byGraphQL, "pr", map[string]any{
				"event": "REQUEST_CHANGES", "body": "No", "comments": []any{map[string]any{"path": "CHANGELOG.md", "line": 3, "body": "Why?"}},
			})
			assert.Equal(t, "CHANGES_REQUESTED", review["state"])
			comments, _, err := verifier(t, g.place).REST.PullRequests.ListComments(t.Context(), target.Owner, target.FixturesName, number(t, g.place, "pr"), nil)
			require.NoError(t, err)
			require.Len(t, comments, 1)
			assert.Equal(t, []any{"CHANGELOG.md", 3, "Why?", target.Agent}, []any{comments[0].GetPath(), comments[0].GetLine(), comments[0].GetBody(), comments[0].GetUser().GetLogin()})
		},
		"pr.threads.resolve, pr.threads.unresolve": func(t *testing.T, g *ghxBench) {
			id, err := g.place.Manifest.Lookup("resources.pr_thread.id")
			require.NoError(t, err)
			assert.Equal(t, true, g.must("pr.threads.resolve", byGraphQL, map[string]any{"threadId": id})["isResolved"])
			assert.Equal(t, 2, resolvedThreads(t, g))
			assert.Equal(t, false, g.must("pr.threads.unresolve", byGraphQL, map[string]any{"threadId": id})["isResolved"])
			assert.Equal(t, 1, resolvedThreads(t, g))
		},
		"workflow.run.rerun.failed": func(t *testing.T, g *ghxBench) {
			g.must("workflow.run.rerun.failed", byCLI, g.in(identified("runId", "workflow_run")(t, g.place)))
			partOf(t, g.read("workflow.run.view", g.in(identified("runId", "workflow_run")(t, g.place))),
				plain(t, map[string]any{"attempt": 2, "conclusion": "success"}), "the run")
		},
		"workflow.run.rerun.all": func(t *testing.T, g *ghxBench) {
			g.must("workflow.run.rerun.all", byCLI, g.in(identified("runId", "workflow_run")(t, g.place)))
			lookAt(t, g.place, func(s *model.State, _ *model.Repo) {
				run := s.Runs.Get(resourceID(t, g.place, "workflow_run", "id"))
				require.Len(t, run.Attempts, 2)
				assert.NotContains(t, run.Current().Jobs, run.Attempts[0].Jobs[0], "the job that had passed runs again too")
			})
		},
		"workflow.dispatch, workflow.run.cancel": func(t *testing.T, g *ghxBench) {
			change(t, g.place, func(s *model.State, _ *model.Repo) error {
				s.Scripts = []model.Script{{Workflow: "bench-rerun-failed.yml", Hanging: true}}
				return nil
			})
			g.must("workflow.dispatch", byCLI, g.in(map[string]any{
				"workflowId": "bench-rerun-failed.yml", "ref": "main", "inputs": map[string]any{"seed_id": "x"},
			}))
			var run *model.Run
			lookAt(t, g.place, func(s *model.State, _ *model.Repo) {
				for r := range s.Runs.All() {
					run = r
				}
				assert.Equal(t, map[string]string{"seed_id": "x"}, run.Inputs)
				assert.Equal(t, model.InProgress, run.Current().Status)
			})
			g.must("workflow.run.cancel", byCLI, g.in(map[string]any{"runId": run.ID}))
			lookAt(t, g.place, func(s *model.State, _ *model.Repo) {
				assert.Equal(t, model.Cancelled, s.Runs.Get(run.ID).Current().Conclusion)
			})
		},
	}
}

func resolvedThreads(t testing.TB, g *ghxBench) int {
	t.Helper()
	n := 0
	lookAt(t, g.place, func(s *model.State, _ *model.Repo) {
		for thread := range s.Threads.All() {
			if thread.Resolved {
				n++
			}
		}
	})
	return n
}

func ghxRelations(t *testing.T, g *ghxBench) {
	issue := g.issue(number(t, g.place, "issue")).GetNodeID()
	other, _ := g.must("issue.create", byGraphQL, g.in(map[string]any{"title": "Other"}))["id"].(string)
	relations := func() map[string]any { return g.on("issue.relations.view", byGraphQL, "issue", nil) }
	none := map[string]any{"parent": nil, "children": []any{}, "blockedBy": []any{}}

	g.must("issue.relations.blocked_by.add", byGraphQL, map[string]any{"issueId": issue, "blockedByIssueId": other})
	g.must("issue.relations.parent.set", byGraphQL, map[string]any{"issueId": issue, "parentIssueId": other})
	partOf(t, relations(), map[string]any{"parent": map[string]any{"id": other}, "blockedBy": []any{map[string]any{"id": other}}}, "added")
	lookAt(t, g.place, func(s *model.State, repo *model.Repo) {
		i := s.Issue(repo, number(t, g.place, "issue"))
		assert.Equal(t, s.Parent(i).ID, i.BlockedBy[0])
	})
	g.must("issue.relations.blocked_by.remove", byGraphQL, map[string]any{"issueId": issue, "blockedByIssueId": other})
	g.must("issue.relations.parent.remove", byGraphQL, map[string]any{"issueId": issue})
	partOf(t, relations(), none, "removed")
}

func TestGHXWrites(t *testing.T) {
	sandbox := sparse(t)
	for name, write := range ghxWrites() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := openGHX(t, sandbox)
			var writes atomic.Int64
			g.place.OnWrite(func() { writes.Add(1) })
			write(t, g)
			assert.Positive(t, writes.Load(), "the agent is seen to write")
		})
	}
}
