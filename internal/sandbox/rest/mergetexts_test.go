package rest_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// What a repository wants the commits of merges to say, they say.
func TestWhatMergesSay(t *testing.T) {
	for _, c := range []struct {
		settings map[string]any
		method   string
		commits  int
		want     string
	}{
		{nil, "merge", 1, "Merge pull request #1 from owner/topic\n\nAdd it"},
		{map[string]any{"merge_commit_title": "PR_TITLE", "merge_commit_message": "PR_BODY"}, "merge", 1, "Add it (#1)\n\nbecause"},
		{map[string]any{"merge_commit_title": "PR_TITLE", "merge_commit_message": "BLANK"}, "merge", 1, "Add it (#1)"},
		{nil, "squash", 1, "first (#1)\n\nmore"},
		{nil, "squash", 2, "Add it (#1)\n\n* first\n\nmore\n\n* second"},
		{map[string]any{"squash_merge_commit_title": "PR_TITLE", "squash_merge_commit_message": "PR_BODY"}, "squash", 1, "Add it (#1)\n\nbecause"},
		{map[string]any{"squash_merge_commit_title": "PR_TITLE", "squash_merge_commit_message": "BLANK"}, "squash", 2, "Add it (#1)"},
		{map[string]any{"squash_merge_commit_title": "PR_TITLE", "squash_merge_commit_message": "COMMIT_MESSAGES"}, "squash", 1, "Add it (#1)\n\nmore"},
		{map[string]any{"use_squash_pr_title_as_default": true}, "squash", 1, "Add it (#1)\n\nmore"},
	} {
		t.Run(fmt.Sprint(c.method, c.commits, c.settings), func(t *testing.T) {
			w := sandboxtest.New(t)
			do := ask(t, w)
			shown := do("owner", "PATCH", base, c.settings)
			for name, value := range c.settings {
				assert.Equal(t, value, shown.At(name), name)
			}
			sha := do("owner", "GET", base+"/git/ref/heads/main", nil).Text("object.sha")
			do("owner", "POST", base+"/git/refs", map[string]any{"ref": "refs/heads/topic", "sha": sha})
			for n, message := range []string{"first\n\nmore", "second"}[:c.commits] {
				do("owner", "PUT", fmt.Sprintf("%s/contents/%d.txt", base, n), map[string]any{"message": message, "branch": "topic", "content": base64.StdEncoding.EncodeToString([]byte("x"))})
			}
			do("owner", "POST", base+"/pulls", map[string]any{"title": "Add it", "body": "because", "head": "topic", "base": "main"})
			merged := do("owner", "PUT", base+"/pulls/1/merge", map[string]any{"merge_method": c.method}).Text("sha")
			assert.Equal(t, c.want, do("owner", "GET", base+"/commits/"+merged, nil).Text("commit.message"))
		})
	}
}

func TestWhatMergesCannotSay(t *testing.T) {
	w := sandboxtest.New(t)
	for _, settings := range []map[string]any{
		{"merge_commit_message": "PR_BODY"}, {"squash_merge_commit_message": "BLANK"}, {"merge_commit_title": "MERGE_MESSAGE", "merge_commit_message": "PR_BODY"},
		{"squash_merge_commit_title": "COMMIT_OR_PR_TITLE", "squash_merge_commit_message": "BLANK"}, {"squash_merge_commit_title": "OTHER"},
	} {
		assert.Equal(t, http.StatusUnprocessableEntity, w.As("owner").Do("PATCH", base, settings).Status, "%v", settings)
	}
	assert.Equal(t, []string{"MERGE_MESSAGE", "PR_TITLE", "COMMIT_OR_PR_TITLE", "COMMIT_MESSAGES"}, func() []string {
		r := w.As("owner").Get(base)
		return []string{r.Text("merge_commit_title"), r.Text("merge_commit_message"), r.Text("squash_merge_commit_title"), r.Text("squash_merge_commit_message")}
	}())
	made := w.As("owner").Do("POST", "/user/repos", map[string]any{"name": "new", "allow_rebase_merge": false, "has_wiki": false, "squash_merge_commit_title": "PR_TITLE"})
	require.Equal(t, http.StatusCreated, made.Status, made.Body)
	assert.Equal(t, []any{false, false, "PR_TITLE"}, []any{made.At("allow_rebase_merge"), made.At("has_wiki"), made.At("squash_merge_commit_title")})
}

// Commits of a comparison come in pages, with the files on the first one, and
// ends are in other repositories too.
func TestComparingInPages(t *testing.T) {
	w := sandboxtest.New(t)
	do := ask(t, w)
	do("writer", "POST", base+"/forks", nil)
	for n := range 3 {
		do("writer", "PUT", fmt.Sprintf("/repos/writer/hello/contents/%d.txt", n), map[string]any{"message": fmt.Sprint("add ", n), "content": "eA=="})
	}
	page := func(query string) (messages []any, files any, link string) {
		r := do("reader", "GET", base+"/compare/main...writer:main"+query, nil)
		commits, _ := r.At("commits").([]any)
		for n := range commits {
			messages = append(messages, r.At(fmt.Sprintf("commits.%d.commit.message", n)))
		}
		assert.Equal(t, 3, r.Int("total_commits"))
		all, _ := r.At("files").([]any)
		return messages, len(all), r.Header.Get("Link")
	}
	messages, files, _ := page("")
	assert.Equal(t, []any{[]any{"add 0", "add 1", "add 2"}, 3}, []any{messages, files})
	messages, files, link := page("?per_page=2")
	assert.Equal(t, []any{[]any{"add 0", "add 1"}, 3}, []any{messages, files})
	assert.Contains(t, link, `rel="next"`)
	messages, files, _ = page("?per_page=2&page=2")
	assert.Equal(t, []any{[]any{"add 2"}, 0}, []any{messages, files})
	assert.Equal(t, http.StatusNotFound, w.As("reader").Get(base+"/compare/main...stranger:main").Status)
	w.Change(func(s *model.State, _ *model.Repo) { s.Repo("writer", "hello").Private = true })
	assert.Equal(t, http.StatusNotFound, w.As("reader").Get(base+"/compare/main...writer:main").Status, "he may not see it")
	assert.Equal(t, http.StatusUnprocessableEntity, w.As("reader").Get(base+"/commits/"+do("writer", "GET", "/repos/writer/hello/git/ref/heads/main", nil).Text("object.sha")).Status, "nothing was brought here")
}

const deployWorkflow = `
on: [push, workflow_dispatch]
jobs:
  test: {steps: [{run: make}]}
  deploy:
    needs: test
    environment: {name: staging, url: "https://staging.example.com"}
    steps: [{run: make deploy}]
`

// A job in an environment makes a deployment, which says how it stands; a rule
// can ask for it before a merge.
func TestJobsThatDeploy(t *testing.T) {
	w := sandboxtest.New(t, gitstore.Change{Path: ".github/workflows/deploy.yml", Content: []byte(deployWorkflow)})
	do := ask(t, w)
	do("owner", "POST", base+"/rulesets", map[string]any{
		"name": "staged", "target": "branch", "enforcement": "active", "conditions": map[string]any{"ref_name": map[string]any{"include": []string{"~DEFAULT_BRANCH"}, "exclude": []string{}}},
		"rules": []any{map[string]any{"type": "required_deployments", "parameters": map[string]any{"required_deployment_environments": []string{"staging"}}}},
	})
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Scripts = append(s.Scripts, model.Script{Workflow: "deploy.yml", Job: "deploy", Branch: "bad", Outcomes: []model.Conclusion{model.Failure}}, model.Script{Workflow: "deploy.yml", Job: "deploy", Branch: "slow", Hanging: true})
	})
	for n, c := range []struct{ branch, state string }{{"good", "success"}, {"bad", "failure"}, {"slow", "in_progress"}} {
		number := openPull(t, w, c.branch, c.branch+".txt", "x").Int("number")
		of := do("reader", "GET", base+"/deployments?environment=staging&ref="+c.branch, nil)
		assert.Equal(t, []any{c.branch, "github-actions[bot]", "staging"}, []any{of.At("0.ref"), of.At("0.creator.login"), of.At("0.environment")}, c.branch)
		states := do("reader", "GET", fmt.Sprintf("%s/deployments/%d/statuses", base, of.Int("0.id")), nil)
		assert.Equal(t, c.state, states.Text("0.state"), c.branch)
		merge := w.As("owner").Do("PUT", fmt.Sprintf("%s/pulls/%d/merge", base, number), nil)
		if n == 0 {
			assert.Equal(t, "https://staging.example.com", states.Text("0.environment_url"))
			assert.Equal(t, http.StatusOK, merge.Status, merge.Body)
			continue
		}
		assert.Equal(t, []any{http.StatusMethodNotAllowed, "Repository rule violations found\n\nChanges must be successfully deployed to staging.\n\n"}, []any{merge.Status, merge.At("message")})
	}
	w.Change(func(s *model.State, repo *model.Repo) {
		for _, run := range s.Runs.Where(func(r *model.Run) bool { return r.HeadBranch == "slow" }) {
			s.FinishRun(run, model.Success)
		}
		sandboxtest.Queue(repo)
		_, err := s.Enqueue(repo.OwnerID, s.Pull(repo, 2), false, "")
		assert.ErrorContains(t, err, "Changes must be successfully deployed to staging.", "a queue asks the rules too")
		repo.Rulesets = repo.Rulesets[:len(repo.Rulesets)-1]
	})
	assert.Equal(t, http.StatusOK, w.As("owner").Do("PUT", base+"/pulls/3/merge", nil).Status, "it was deployed meanwhile")

	// An environment lets in the branches of its policy alone.
	do("owner", "PUT", base+"/environments/staging", map[string]any{"deployment_branch_policy": map[string]any{"protected_branches": false, "custom_branch_policies": true}})
	do("owner", "POST", base+"/environments/staging/deployment-branch-policies", map[string]any{"name": "release/*"})
	openPull(t, w, "other", "other.txt", "x")
	assert.Equal(t, "[]", do("reader", "GET", base+"/deployments?ref=other", nil).Body)
	assert.Equal(t, "failure", do("reader", "GET", base+"/actions/runs?branch=other", nil).Text("workflow_runs.0.conclusion"))
}

// Where a rule says who may dismiss reviews, others who may write may not.
func TestWhoMayDismissReviews(t *testing.T) {
	w := sandboxtest.New(t)
	do := ask(t, w)
	openPull(t, w, "topic", "a.txt", "a\n")
	dismiss := func(who string) int {
		id := do("owner", "POST", base+"/pulls/1/reviews", map[string]any{"event": "APPROVE"}).Int("id")
		return w.As(who).Do("PUT", fmt.Sprintf("%s/pulls/1/reviews/%d/dismissals", base, id), map[string]any{"message": "no"}).Status
	}
	assert.Equal(t, http.StatusOK, dismiss("writer"))
	w.Change(func(_ *model.State, repo *model.Repo) {
		repo.Protection["main"] = model.Protection{RequiredApprovals: 1, Dismissers: &model.Actors{}}
	})
	assert.Equal(t, http.StatusForbidden, dismiss("writer"))
	assert.Equal(t, http.StatusOK, dismiss("owner"), "administrators may")
	w.Change(func(s *model.State, repo *model.Repo) {
		repo.Protection["main"] = model.Protection{RequiredApprovals: 1, Dismissers: &model.Actors{Users: []model.ID{s.User("writer").ID}}}
	})
	assert.Equal(t, http.StatusOK, dismiss("writer"))
	w.Change(func(s *model.State, repo *model.Repo) {
		delete(repo.Protection, "main")
		repo.Rulesets = []model.Ruleset{{
			ID: 1, Name: "r", Target: model.TargetBranch, Enforcement: model.EnforcementActive, Include: []string{model.AllRefs},
			Rules: []model.Rule{{Type: model.RulePullRequest, Pull: &model.PullRule{DismissalRestriction: &model.DismissalRule{Enabled: true, AllowedActors: []model.RuleSide{{ID: s.User("triager").ID, Type: "User"}}}}}},
		}}
	})
	assert.Equal(t, http.StatusForbidden, dismiss("writer"))
}
