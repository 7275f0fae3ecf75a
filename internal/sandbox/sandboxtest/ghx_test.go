package sandboxtest_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// ghxCall is a use of a capability, in the world as the uses before left it.
type ghxCall struct {
	capability string
	// input is a JSON object, in which <names> stand for what [ghxNames] has;
	// owner and name of the repository are added.
	input string
	// want is JSON that the answer's data has at least.
	want string
}

// ghxFails are the capabilities that ghx 0.8.0 reports as failed whatever
// GitHub answers.
func ghxFails() []string {
	return []string{"issue.assignees.add", "issue.assignees.remove", "issue.milestone.set", "workflow.view"}
}

// ghxCalls use every capability.
func ghxCalls() []ghxCall {
	return []ghxCall{
		{"repo.view", `{}`, `{"nameWithOwner":"acme/widgets","defaultBranch":"main","isPrivate":false}`},
		{"repo.labels.list", `{}`, `{"items":[{"name":"feature"},{"name":"bug"}]}`},
		{"repo.issue_types.list", `{}`, `{"items":[]}`},
		{"issue.view", `{"issueNumber":3}`, `{"number":3,"title":"Issue 3","state":"OPEN"}`},
		{"issue.list", `{"state":"open"}`, `{"items":[{"number":6},{"number":5},{"number":4},{"number":3},{"number":2},{"number":1}]}`},
		{"issue.comments.list", `{"issueNumber":3}`, `{"items":[{"body":"first","authorLogin":"monalisa"}]}`},
		{"issue.relations.view", `{"issueNumber":3}`, `{"parent":null,"children":[],"blockedBy":[]}`},
		{"issue.relations.prs.list", `{"issueNumber":5}`, `{}`},
		{"issue.create", `{"title":"T","body":"B"}`, `{"number":8,"title":"T"}`},
		{"issue.update", `{"issueNumber":8,"title":"T2"}`, `{}`},
		{"issue.labels.set", `{"issueNumber":8,"labels":["bug"]}`, `{}`},
		{"issue.labels.add", `{"issueNumber":8,"labels":["feature"]}`, `{}`},
		{"issue.labels.remove", `{"issueNumber":8,"labels":["bug"]}`, `{}`},
		{"issue.assignees.set", `{"issueNumber":8,"assignees":["monalisa"]}`, `{}`},
		{"issue.assignees.add", `{"issueNumber":8,"assignees":["octocat"]}`, ``},
		{"issue.assignees.remove", `{"issueNumber":8,"assignees":["octocat"]}`, ``},
		{"issue.milestone.set", `{"issueNumber":8,"milestoneNumber":1}`, ``},
		{"issue.milestone.clear", `{"issueNumber":8}`, `{}`},
		{"issue.comments.create", `{"issueNumber":8,"body":"hi"}`, `{}`},
		{"issue.relations.parent.set", `{"issueId":"<issue 1>","parentIssueId":"<issue 2>"}`, `{}`},
		{"issue.relations.parent.remove", `{"issueId":"<issue 1>"}`, `{}`},
		{"issue.relations.blocked_by.add", `{"issueId":"<issue 1>","blockedByIssueId":"<issue 2>"}`, `{}`},
		{"issue.relations.blocked_by.remove", `{"issueId":"<issue 1>","blockedByIssueId":"<issue 2>"}`, `{}`},
		{"issue.close", `{"issueNumber":8}`, `{"closed":true}`},
		{"issue.reopen", `{"issueNumber":8}`, `{"reopened":true}`},
		{"issue.delete", `{"issueNumber":6}`, `{"deleted":true}`},

		{"pr.view", `{"prNumber":7}`, `{"number":7,"title":"Turn faster","state":"OPEN"}`},
		{"pr.list", `{"state":"open"}`, `{"items":[{"number":7}]}`},
		{"pr.create", `{"title":"T","head":"feat","base":"main","body":"B","draft":true}`, `{"number":9}`},
		{"pr.update", `{"prNumber":9,"title":"T2","body":"B2"}`, `{}`},
		{"pr.comments.create", `{"prNumber":7,"body":"hello"}`, `{}`},
		{"pr.reviews.submit", `{"prNumber":7,"event":"COMMENT","body":"c","comments":[{"path":"topic.txt","line":1,"body":"Why?"}]}`, `{"state":"COMMENTED"}`},
		{"pr.reviews.list", `{"prNumber":7}`, `{"items":[{"state":"COMMENTED","authorLogin":"monalisa"}]}`},
		{"pr.threads.list", `{"prNumber":7}`, `{"items":[{"path":"topic.txt","isResolved":false}]}`},
		{"pr.threads.reply", `{"threadId":"<thread>","body":"Because"}`, `{}`},
		{"pr.threads.resolve", `{"threadId":"<thread>"}`, `{"isResolved":true}`},
		{"pr.threads.unresolve", `{"threadId":"<thread>"}`, `{"isResolved":false}`},
		{"pr.reviews.request", `{"prNumber":7,"reviewers":["monalisa"]}`, `{}`},
		{"pr.reactions.list", `{"prNumber":7}`, `{}`},
		{"pr.comments.reactions.list", `{"prNumber":7}`, `{}`},
		{"pr.diff.files", `{"prNumber":7}`, `{"items":[{"path":"topic.txt","additions":2}]}`},
		{"pr.diff.view", `{"prNumber":7}`, `{}`},
		{"pr.checks.list", `{"prNumber":7}`, `{"items":[{"name":"build","state":"SUCCESS"},{"name":"test","state":"FAILURE"},{"name":"build"},{"name":"test"}]}`},
		{"pr.assignees.add", `{"prNumber":7,"assignees":["octocat"]}`, `{}`},
		{"pr.assignees.remove", `{"prNumber":7,"assignees":["octocat"]}`, `{}`},
		{"pr.merge.status", `{"prNumber":7}`, `{"mergeable":"MERGEABLE","mergeStateStatus":"UNSTABLE"}`},
		{"pr.checks.rerun.failed", `{"prNumber":7,"runId":<run>}`, `{}`},
		{"pr.checks.rerun.all", `{"prNumber":7,"runId":<run>}`, `{}`},
		{"pr.merge", `{"prNumber":7,"method":"squash"}`, `{}`},
		{"pr.branch.update", `{"prNumber":9}`, `{}`},
		{"pr.close", `{"prNumber":9}`, `{}`},

		{"workflow.list", `{}`, `{"items":[{"name":"CI","state":"active"}]}`},
		{"workflow.view", `{"workflowId":"ci.yml"}`, ``},
		{"workflow.dispatch", `{"workflowId":"ci.yml","ref":"main"}`, `{}`},
		{"workflow.runs.list", `{"event":"workflow_dispatch"}`, `{"items":[{"workflowName":"CI"},{"workflowName":"CI","status":"in_progress"}]}`},
		{"workflow.run.view", `{"runId":<run>}`, `{"status":"completed","attempt":3}`},
		{"workflow.run.artifacts.list", `{"runId":<run>}`, `{}`},
		{"workflow.job.logs.raw", `{"jobId":<job>}`, `{}`},
		{"workflow.job.logs.view", `{"jobId":<job>}`, `{}`},
		{"workflow.run.rerun.all", `{"runId":<run>}`, `{}`},
		{"workflow.run.rerun.failed", `{"runId":<failed run>}`, `{}`},
		{"workflow.run.cancel", `{"runId":<hanging run>}`, `{}`},

		{"project_v2.org.view", `{"org":"acme","projectNumber":1}`, `{"title":"Board"}`},
		{"project_v2.user.view", `{"user":"monalisa","projectNumber":1}`, `{"title":"Own"}`},
		{"project_v2.fields.list", `{"owner":"acme","projectNumber":1}`, `{}`},
		{"project_v2.items.list", `{"owner":"acme","projectNumber":1}`, `{"items":[{}]}`},
		{"project_v2.items.issue.add", `{"owner":"acme","projectNumber":1,"issueUrl":"https://github.com/acme/widgets/issues/4"}`, `{}`},
		{"project_v2.items.field.update", `{"projectId":"<project>","itemId":"<item>","fieldId":"<note field>","valueText":"x"}`, `{}`},
		{"project_v2.items.issue.remove", `{"owner":"acme","projectNumber":1,"itemId":"<item>"}`, `{}`},

		{"release.list", `{}`, `{"items":[{"tagName":"v1.0.0"}]}`},
		{"release.view", `{"tagName":"v1.0.0"}`, `{"tagName":"v1.0.0","name":"First"}`},
		{"release.create", `{"tagName":"v2","title":"Two","notes":"N"}`, `{"tagName":"v2","isDraft":true}`},
		{"release.update", `{"releaseId":<release>,"notes":"M"}`, `{}`},
		{"release.publish", `{"releaseId":<release>}`, `{"isDraft":false}`},
	}
}

// openGHX puts ghx on a world, or what is made of it, with gh beside it.
func openGHX(t testing.TB, made func(http.Handler) http.Handler) *client {
	t.Helper()
	program, gh := realtool.Find(t, realtool.GHX()), ghProgram(t)
	world := newWorld(t)
	require.NoError(t, world.Setup(seedForGHX))
	c := behind(t, world, program, made(world))
	c.Env = append(c.Env, "GITHUB_TOKEN="+token, "PATH="+filepath.Dir(gh)+string(os.PathListSeparator)+os.Getenv("PATH"))
	return c
}

// asItIs is the world itself.
func asItIs(world http.Handler) http.Handler { return world }

// seedForGHX adds a project of monalisa's, a run that hangs and one that
// failed.
func seedForGHX(s *model.State) error {
	repo, owner := s.Repo(acme, widgets), s.User(me)
	if _, err := s.CreateProject(owner.ID, owner, "Own"); err != nil {
		return err
	}
	before := s.Scripts
	s.Scripts = []model.Script{{Workflow: "ci.yml", Job: "test", Hanging: true}}
	_, err := s.Dispatch(owner.ID, repo, s.WorkflowByRef(repo, "ci.yml"), "feat", nil)
	s.Scripts = before
	return err
}

// ghxNames are the ids that inputs name.
func ghxNames(c *client) *strings.Replacer {
	names := namesIn(c)
	c.world.Look(func(s *model.State) {
		repo := s.Repo(acme, widgets)
		for n, text := range []string{"1", "2"} {
			names["issue "+text] = model.NodeID(model.NodeIssue, repo.ID, s.Issue(repo, n+1).ID)
		}
		for thread := range s.Threads.All() {
			names["thread"] = model.NodeID(model.NodeThread, repo.ID, thread.ID)
		}
		for r := range s.Releases.All() {
			names["release"] = idText(r.ID)
		}
		for r := range s.Runs.All() {
			switch r.Current().Conclusion {
			case "":
				names["hanging run"] = idText(r.ID)
			case model.Failure:
				names["failed run"] = idText(r.ID)
			}
		}
		for p := range s.Projects.All() {
			if p.Title == "Board" {
				names["project"] = model.NodeID(model.NodeProject, p.OwnerID, p.ID)
			}
		}
	})
	var pairs []string
	for name, value := range names {
		pairs = append(pairs, "<"+name+">", value)
	}
	return strings.NewReplacer(pairs...)
}

func idText(id model.ID) string {
	text, _ := json.Marshal(id)
	return string(text)
}

// ghxInput is the input of a call in the world as it is.
func ghxInput(t testing.TB, c *client, call ghxCall) map[string]any {
	t.Helper()
	input := map[string]any{}
	if inRepository(call.capability) {
		input["owner"], input["name"] = acme, widgets
	}
	require.NoError(t, json.Unmarshal([]byte(ghxNames(c).Replace(call.input)), &input), call.input)
	return input
}

// inRepository reports whether a capability is told its repository, rather
// than an id of what it is about.
func inRepository(capability string) bool {
	byID := regexp.MustCompile(`^(project_v2\.|issue\.relations\.(parent|blocked_by)\.|pr\.threads\.(reply|resolve|unresolve)$)`)
	return !byID.MatchString(capability)
}

// ghxReply is what ghx says about a capability.
type ghxReply struct {
	OK    bool
	Data  any
	Error *struct{ Code, Message string }
}

// ghxJudge compares a reply with what a call wants of it.
func ghxJudge(t *testing.T, call ghxCall, reply ghxReply, said string) {
	t.Helper()
	if slices.Contains(ghxFails(), call.capability) {
		assert.False(t, reply.OK, "%s works: %s", call.capability, said)
		return
	}
	if assert.True(t, reply.OK, "%s: %s", call.capability, said) {
		var want any
		require.NoError(t, json.Unmarshal([]byte(call.want), &want), call.want)
		partOf(t, reply.Data, want, call.capability+" "+said)
	}
}

// All capabilities but the four that fail by themselves do what they do on
// GitHub.
func TestGHXCapabilities(t *testing.T) {
	t.Parallel()
	c := openGHX(t, asItIs)
	left := map[string]bool{}
	for line := range strings.Lines(c.Must(t, c.program, "capabilities", "list")) {
		name, _, _ := strings.Cut(line, " ")
		left[name] = true
	}
	assert.Len(t, left, 74)
	for _, call := range ghxCalls() {
		input, err := json.Marshal(ghxInput(t, c, call))
		require.NoError(t, err)
		r := c.Run(t, c.program, "run", call.capability, "--input", string(input), "--verbose")
		var reply ghxReply
		if assert.NoError(t, json.Unmarshal([]byte(r.Stdout), &reply), "%s %s: %s%s", call.capability, input, r.Stdout, r.Stderr) {
			ghxJudge(t, call, reply, r.Stdout)
		}
		delete(left, call.capability)
	}
	assert.Empty(t, slices.Collect(maps.Keys(left)), "capabilities that were not tried")
}

// withoutGraphQL is GitHub whose GraphQL API fails for ghx, which sends its
// token in another form than gh does.
func withoutGraphQL(world http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/graphql" && strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
			http.Error(w, `{"message":"503 Service Unavailable"}`, http.StatusServiceUnavailable)
			return
		}
		world.ServeHTTP(w, r)
	})
}

// Where ghx cannot ask by itself, it has gh ask.
func TestGHXFallsBackToGH(t *testing.T) {
	t.Parallel()
	c := openGHX(t, withoutGraphQL)
	for _, call := range []ghxCall{
		{"repo.view", `{}`, `{"nameWithOwner":"acme/widgets"}`},
		{"repo.labels.list", `{}`, `{"items":[{"name":"bug"},{"name":"feature"}]}`},
		{"issue.view", `{"issueNumber":3}`, `{"number":3,"title":"Issue 3"}`},
		{"issue.comments.list", `{"issueNumber":3}`, `{"items":[{"body":"first"}]}`},
		{"issue.labels.remove", `{"issueNumber":3,"labels":["bug"]}`, `{}`},
		{"issue.milestone.clear", `{"issueNumber":3}`, `{}`},
		{"pr.view", `{"prNumber":7}`, `{"number":7,"title":"Turn faster"}`},
		{"pr.merge.status", `{"prNumber":7}`, `{"mergeable":"MERGEABLE"}`},
		{"pr.create", `{"title":"T","head":"feat","base":"main","body":"B"}`, `{"number":8}`},
		{"pr.update", `{"prNumber":8,"title":"T2"}`, `{}`},
		{"pr.reviews.request", `{"prNumber":7,"reviewers":["monalisa"]}`, `{}`},
		{"pr.assignees.add", `{"prNumber":7,"assignees":["octocat"]}`, `{}`},
		{"pr.assignees.remove", `{"prNumber":7,"assignees":["octocat"]}`, `{}`},
		{"pr.close", `{"prNumber":8,"comment":"bye","deleteBranch":true}`, `{}`},
		{"pr.merge", `{"prNumber":7,"method":"merge"}`, `{}`},
		{"project_v2.org.view", `{"org":"acme","projectNumber":1}`, `{"title":"Board"}`},
		{"project_v2.items.list", `{"owner":"acme","projectNumber":1}`, `{"items":[{}]}`},
		{"project_v2.items.issue.add", `{"owner":"acme","projectNumber":1,"issueUrl":"https://github.com/acme/widgets/issues/4"}`, `{}`},
		{"release.view", `{"tagName":"v1.0.0"}`, `{"tagName":"v1.0.0"}`},
	} {
		input, err := json.Marshal(ghxInput(t, c, call))
		require.NoError(t, err)
		r := c.Run(t, c.program, "run", call.capability, "--input", string(input), "--verbose")
		var reply ghxReply
		require.NoError(t, json.Unmarshal([]byte(r.Stdout), &reply), r.Stdout+r.Stderr)
		ghxJudge(t, call, reply, r.Stdout)
		assert.Contains(t, r.Stdout, `"route_used": "cli"`, call.capability)
	}
	c.world.Look(func(s *model.State) {
		repo := s.Repo(acme, widgets)
		assert.True(t, s.Pull(repo, 7).Pull.Merged())
		assert.Empty(t, s.Issue(repo, 3).Labels)
		assert.True(t, tip(s, repo, "feat").IsZero())
	})
}

// A chain asks for many things at once.
func TestGHXChains(t *testing.T) {
	t.Parallel()
	c := openGHX(t, asItIs)
	chain := func(calls ...ghxCall) {
		t.Helper()
		var steps []map[string]any
		for _, call := range calls {
			steps = append(steps, map[string]any{"task": call.capability, "input": ghxInput(t, c, call)})
		}
		encoded, err := json.Marshal(steps)
		require.NoError(t, err)
		r := c.Run(t, c.program, "chain", "--steps", string(encoded), "--verbose")
		var answer struct {
			Status  string
			Results []ghxReply
		}
		require.NoError(t, json.Unmarshal([]byte(r.Stdout), &answer), r.Stdout+r.Stderr)
		assert.Equal(t, "success", answer.Status, r.Stdout)
		if assert.Len(t, answer.Results, len(calls)) {
			for n, reply := range answer.Results {
				ghxJudge(t, calls[n], reply, r.Stdout)
			}
		}
	}
	chain(ghxCall{"issue.view", `{"issueNumber":3}`, `{}`}, ghxCall{"pr.view", `{"prNumber":7}`, `{}`}, ghxCall{"repo.view", `{}`, `{}`})
	chain(ghxCall{"issue.create", `{"title":"T"}`, `{}`}, ghxCall{"issue.labels.set", `{"issueNumber":3,"labels":["feature"]}`, `{}`},
		ghxCall{"issue.assignees.set", `{"issueNumber":3,"assignees":["monalisa"]}`, `{}`}, ghxCall{"issue.comments.create", `{"issueNumber":3,"body":"x"}`, `{}`},
		ghxCall{"issue.close", `{"issueNumber":3}`, `{}`}, ghxCall{"issue.relations.parent.set", `{"issueId":"<issue 1>","parentIssueId":"<issue 2>"}`, `{}`})
	chain(ghxCall{"pr.reviews.submit", `{"prNumber":7,"event":"COMMENT","body":"c"}`, `{}`}, ghxCall{"pr.comments.create", `{"prNumber":7,"body":"hello"}`, `{}`},
		ghxCall{"pr.merge", `{"prNumber":7,"method":"squash"}`, `{}`})
	c.world.Look(func(s *model.State) {
		repo := s.Repo(acme, widgets)
		i := s.Issue(repo, 3)
		assert.Equal(t, []string{"feature"}, labelsOf(s, i))
		assert.True(t, i.Closed)
		assert.Len(t, s.CommentsOf(i), 2)
		assert.True(t, s.Pull(repo, 7).Pull.Merged())
	})
}
