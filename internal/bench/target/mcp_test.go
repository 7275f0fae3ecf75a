package target_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// allToolsets are the tools of the areas that a sandbox has.
const allToolsets = "context,repos,issues,pull_requests,actions,users,orgs,labels,stargazers"

// mcpBench is GitHub's unmodified MCP server in a place.
type mcpBench struct {
	*realtool.MCP
	t     testing.TB
	place *target.Place
}

func openMCPBench(t testing.TB, args ...string) *mcpBench {
	t.Helper()
	program := realtool.Find(t, realtool.MCPServer())
	place := prepare(t, sparse(t))
	bench := realtool.Open(t, place.GitHub, append(place.Env, "GITHUB_PERSONAL_ACCESS_TOKEN="+env(place, "GH_TOKEN"))...)
	return &mcpBench{realtool.OpenMCP(t, bench, program, append([]string{"stdio"}, args...)...), t, place}
}

func openAllMCP(t testing.TB) *mcpBench {
	t.Helper()
	return openMCPBench(t, "--toolsets", allToolsets)
}

// in is the arguments of a tool that works in the fixtures repository.
func (m *mcpBench) in(args map[string]any) map[string]any {
	named := map[string]any{"owner": target.Owner, "repo": target.FixturesName}
	for key, value := range args {
		named[key] = value
	}
	return named
}

// on is in, with the number of a pull request of the fixtures.
func (m *mcpBench) on(resource string, args map[string]any) map[string]any {
	m.t.Helper()
	named := m.in(args)
	named["pullNumber"] = number(m.t, m.place, resource)
	return named
}

// has asserts that what a tool returns has something in it.
func (m *mcpBench) has(want any, tool string, args map[string]any) {
	m.t.Helper()
	partOf(m.t, m.JSON(tool, args), plain(m.t, want), tool)
}

func TestMCPServerOffersTheToolsThatScenariosNeed(t *testing.T) {
	byDefault := openMCPBench(t).Tools()
	for _, tool := range []string{
		"get_me", "get_file_contents", "issue_read", "list_issues", "issue_write", "pull_request_read", "list_pull_requests",
		"update_pull_request", "merge_pull_request", "pull_request_review_write", "search_issues",
	} {
		assert.Contains(t, byDefault, tool)
	}
	assert.NotContains(t, byDefault, "rerun_failed_jobs", "Actions are a toolset of their own")
	assert.Subset(t, openAllMCP(t).Tools(), []string{"rerun_failed_jobs", "rerun_workflow_run", "get_job_logs"})
}

func TestMCPContextAndUsers(t *testing.T) {
	m := openAllMCP(t)
	m.has(map[string]any{"login": target.Agent}, "get_me", nil)
	ground := fixture.Plain("").Ground
	m.has(map[string]any{"total_count": 1}, "search_users", map[string]any{"query": ground.Reviewer + " in:login"})
	m.has(map[string]any{"total_count": 1, "items": []any{map[string]any{"login": ground.Organization}}}, "search_orgs", map[string]any{"query": ground.Organization})
}

func TestMCPReadsRepositories(t *testing.T) {
	m := openAllMCP(t)
	var head, basic string
	lookAt(t, m.place, func(s *model.State, repo *model.Repo) {
		at, _ := s.BranchHead(repo, "main")
		head = at.String()
		at, _ = s.BranchHead(repo, "bench-fixture/default/basic")
		basic = at.String()
	})

	assert.Contains(t, m.Call("get_file_contents", m.in(map[string]any{"path": "src/index.ts"})), "export")
	assert.Contains(t, m.Call("get_file_contents", m.in(map[string]any{"path": "README.md", "sha": basic})), "# ")
	for _, ref := range []string{"bench-fixture/default/basic", "refs/heads/bench-fixture/default/basic"} {
		assert.Contains(t, m.Call("get_file_contents", m.in(map[string]any{"path": "CHANGELOG.md", "ref": ref})), "# Changelog", ref)
	}
	m.has([]any{
		map[string]any{"name": ".github", "type": "dir"}, map[string]any{"name": "README.md", "type": "file"},
		map[string]any{"name": "package.json"}, map[string]any{"name": "src", "type": "dir"},
	}, "get_file_contents", m.in(map[string]any{"path": "/"}))
	missing := m.Try("get_file_contents", m.in(map[string]any{"path": "missing.md"}))
	assert.True(t, missing.IsError)
	assert.Contains(t, missing.Text, "404 Not Found")

	branch := func(name string) any { return map[string]any{"name": name, "protected": false} }
	m.has([]any{
		branch("bench-fixture/default/basic"), branch("bench-fixture/default/checks"), branch("bench-fixture/default/mergeable"),
		branch("bench-fixture/default/reviewed"), branch("main"),
	}, "list_branches", m.in(nil))
	m.has([]any{map[string]any{"sha": basic}, map[string]any{"sha": head}}, "list_commits", m.in(map[string]any{"sha": "bench-fixture/default/basic"}))
	m.has([]any{map[string]any{"sha": head}}, "list_commits", m.in(map[string]any{"author": target.Owner}))
	m.has(map[string]any{
		"sha": basic, "author": map[string]any{"login": target.Owner}, "stats": map[string]any{"additions": 5, "total": 5},
		"files": []any{map[string]any{"filename": "CHANGELOG.md", "status": "added"}},
	}, "get_commit", m.in(map[string]any{"sha": basic}))
}

func TestMCPReadsTags(t *testing.T) {
	m := openAllMCP(t)
	var head string
	change(t, m.place, func(s *model.State, repo *model.Repo) error {
		at, _ := s.BranchHead(repo, "main")
		head = at.String()
		if err := s.CreateRef(repo.OwnerID, repo, "refs/tags/light", at); err != nil {
			return err
		}
		tag, err := s.CreateTag(repo.OwnerID, repo, tagSpec(at))
		if err != nil {
			return err
		}
		return s.CreateRef(repo.OwnerID, repo, "refs/tags/v1", tag.Hash)
	})
	commit := map[string]any{"commit": map[string]any{"sha": head}}
	m.has([]any{commit, commit, commit}, "list_tags", m.in(nil))
	m.has(map[string]any{"tag": "v1", "message": "The first one", "object": map[string]any{"sha": head, "type": "commit"}},
		"get_tag", m.in(map[string]any{"tag": "v1"}))
}

func TestMCPWritesRepositories(t *testing.T) {
	m := openAllMCP(t)
	on := func(args map[string]any) map[string]any {
		args = m.in(args)
		args["branch"] = "topic"
		return args
	}
	m.has(map[string]any{"ref": "refs/heads/topic"}, "create_branch", on(nil))
	m.Call("create_or_update_file", on(map[string]any{"path": "a.txt", "content": "one", "message": "add a"}))
	assert.Equal(t, map[string]string{"a.txt": "one"}, added(t, m.place, "topic"))

	stale := m.Try("create_or_update_file", on(map[string]any{"path": "a.txt", "content": "two", "message": "m", "sha": "0123456789012345678901234567890123456789"}))
	assert.True(t, stale.IsError)
	assert.Contains(t, stale.Text, "a.txt does not match")

	m.Call("push_files", on(map[string]any{"message": "add two", "files": []any{
		map[string]any{"path": "b.txt", "content": "two"}, map[string]any{"path": "c/d.txt", "content": "three"},
	}}))
	assert.Equal(t, map[string]string{"a.txt": "one", "b.txt": "two", "c/d.txt": "three"}, added(t, m.place, "topic"))

	m.Call("delete_file", on(map[string]any{"path": "a.txt", "message": "remove a"}))
	assert.Equal(t, map[string]string{"b.txt": "two", "c/d.txt": "three"}, added(t, m.place, "topic"))
	m.has([]any{
		map[string]any{"commit": map[string]any{"message": "remove a", "author": map[string]any{"name": target.Agent}}},
		map[string]any{"commit": map[string]any{"message": "add two"}},
		map[string]any{"commit": map[string]any{"message": "add a"}},
	}, "list_commits", on(map[string]any{"sha": "topic", "author": target.Agent}))
}

// added returns the files that a branch has and main does not.
func added(t testing.TB, place *target.Place, branch string) map[string]string {
	t.Helper()
	files := map[string]string{}
	lookAt(t, place, func(s *model.State, repo *model.Repo) {
		base, _ := s.BranchHead(repo, "main")
		head, _ := s.BranchHead(repo, branch)
		diff, err := repo.Git.Diff(base, head)
		require.NoError(t, err)
		for _, f := range diff {
			blob, err := repo.Git.Blob(f.NewBlob)
			require.NoError(t, err)
			files[f.Path] = string(blob)
		}
	})
	return files
}

func TestMCPSearches(t *testing.T) {
	m := openAllMCP(t)
	m.has(map[string]any{"total_count": 1, "items": []any{map[string]any{"full_name": target.FixturesRepo}}},
		"search_repositories", map[string]any{"query": "ghx-bench user:" + target.Owner})
	m.has(map[string]any{"total_count": 1, "items": []any{map[string]any{"path": ".github/workflows/bench-rerun-failed.yml"}}},
		"search_code", map[string]any{"query": "GITHUB_RUN_ATTEMPT repo:" + target.FixturesRepo})
	m.has(map[string]any{"total_count": 0}, "search_code", map[string]any{"query": "GITHUB_RUN_ATTEMPT language:go repo:" + target.FixturesRepo})
	foreign := m.Try("search_code", map[string]any{"query": "x repo:nobody/nothing"})
	assert.True(t, foreign.IsError)
	assert.Contains(t, foreign.Text, "422 Validation Failed")

	for query, want := range map[string]int{
		"configuration": 1, "label:bench-fixture is:open": 1, "is:closed": 0, "author:" + target.Owner: 1, "author:@me": 0,
		"commenter:" + target.Reviewer: 1, "-label:bench-fixture": 0, "no:assignee": 1, `"keeps guessing"`: 0, "guessing in:comments": 1,
		"created:>2020-01-01": 1, "created:<2020-01-01": 0,
	} {
		m.has(map[string]any{"total_count": want}, "search_issues", m.in(map[string]any{"query": query}))
	}
	for query, want := range map[string]int{
		"is:open": 4, "changelog": 1, "is:merged": 0, "head:bench-fixture/default/basic": 1, "review:none": 4, "status:failure": 1,
		"reviewed-by:" + target.Reviewer: 1, "draft:true": 0,
	} {
		m.has(map[string]any{"total_count": want}, "search_pull_requests", m.in(map[string]any{"query": query}))
	}
}

func TestMCPStars(t *testing.T) {
	m := openAllMCP(t)
	m.Call("star_repository", m.in(nil))
	m.has([]any{map[string]any{"full_name": target.FixturesRepo, "stargazers_count": 1}}, "list_starred_repositories", nil)
	m.Call("unstar_repository", m.in(nil))
	m.has([]any{}, "list_starred_repositories", nil)
}

func TestMCPServerNeedsAToken(t *testing.T) {
	program := realtool.Find(t, realtool.MCPServer())
	place := prepare(t, sparse(t))
	bench := realtool.Open(t, place.GitHub, append(place.Env, "GITHUB_PERSONAL_ACCESS_TOKEN=ghp_none")...)
	r := realtool.OpenMCP(t, bench, program, "stdio").Try("get_me", nil)
	assert.True(t, r.IsError)
	assert.Contains(t, r.Text, "401 Bad credentials")
}

func TestR7WhatMCPAsksIsCounted(t *testing.T) {
	m := openAllMCP(t)
	m.Call("issue_read", m.in(map[string]any{"method": "get", "issue_number": number(t, m.place, "issue")}))
	m.Call("issue_read", m.in(map[string]any{"method": "get_labels", "issue_number": number(t, m.place, "issue")}))
	usage := m.place.Usage().Requests
	assert.Equal(t, []int{1, 1}, []int{usage.REST, usage.GraphQL})
	// A file takes its entry, and then its content from another host.
	m.Call("get_file_contents", m.in(map[string]any{"path": "README.md", "sha": "main"}))
	assert.Greater(t, m.place.Usage().Requests.REST, usage.REST)
}

func TestMCPTextIsNotMangled(t *testing.T) {
	m := openAllMCP(t)
	const text = "tab\tquote\" <b>&amp;</b> 💥 \u2028 end"
	m.Call("add_issue_comment", m.in(map[string]any{"issue_number": number(t, m.place, "issue"), "body": text}))
	comments := m.JSON("issue_read", m.in(map[string]any{"method": "get_comments", "issue_number": number(t, m.place, "issue")})).([]any)
	assert.Equal(t, text, comments[len(comments)-1].(map[string]any)["body"])
}
