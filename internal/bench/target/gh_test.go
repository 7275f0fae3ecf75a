package target_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// ghTool is one version of gh at a place.
type ghTool struct {
	*workshop
	program string
}

// withGH runs a test with each version of gh, each time in a place of its own.
func withGH(t *testing.T, test func(t *testing.T, gh *ghTool)) {
	t.Helper()
	testkit.NeedCompleteBut(t, "TestGHIsLoggedIn", "TestGHEditsIssues", "TestGHDoesWhatItMay")
	seeds := sparse(t)
	for name, tool := range map[string]realtool.Tool{"gh": realtool.GH(), "Debian's gh": realtool.OldGH()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := realtool.Find(t, tool)
			test(t, &ghTool{openWorkshop(t, prepare(t, seeds)), program})
		})
	}
}

var fixtureName = regexp.MustCompile(`\{(\w+\.\w+)\}`)

// fill puts the values of fixtures into a text, "{pr.number}" for example.
func (g *ghTool) fill(text string) string {
	return fixtureName.ReplaceAllStringFunc(text, func(name string) string {
		value, err := g.place.Manifest.Lookup("resources." + strings.Trim(name, "{}"))
		require.NoError(g.t, err)
		return fmt.Sprint(value)
	})
}

// run runs a command on the fixtures repository. Spaces in single quotes do
// not divide its arguments.
func (g *ghTool) run(command string) realtool.Result {
	g.t.Helper()
	quoted := false
	args := strings.FieldsFunc(g.fill(command), func(r rune) bool {
		quoted = quoted != (r == '\'')
		return unicode.IsSpace(r) && !quoted
	})
	for n := range args {
		args[n] = strings.ReplaceAll(args[n], "'", "")
	}
	g.Env = append(g.Env, "GH_REPO="+target.FixturesRepo)
	return g.Run(g.t, g.program, args...)
}

// ok runs a command that is to succeed and returns what it printed.
func (g *ghTool) ok(command string) string {
	g.t.Helper()
	r := g.run(command)
	require.Zero(g.t, r.Code, "gh %s\n%s%s", command, r.Stdout, r.Stderr)
	return r.Stdout
}

// refused runs a command that is to fail and returns what it said.
func (g *ghTool) refused(command string) string {
	g.t.Helper()
	r := g.run(command)
	assert.Equal(g.t, 1, r.Code, "gh %s\n%s%s", command, r.Stdout, r.Stderr)
	return r.Stdout + r.Stderr
}

func TestGHIsLoggedIn(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		r := gh.run("auth status")
		assert.Zero(t, r.Code)
		assert.Regexp(t, `Logged in to github\.com (account|as) dana-reyes`, r.Stdout+r.Stderr)
		assert.NotContains(t, r.Stdout+r.Stderr, "Missing required token scopes")
		assert.Equal(t, env(gh.place, "GH_TOKEN"), strings.TrimSpace(gh.ok("auth token")))

		gh.ok("auth setup-git")
		gh.clone()
		pushed := gh.commit("a.txt", "x\n")
		gh.do("push", "-q", "origin", "HEAD:x")
		assert.Equal(t, pushed, gh.tip("heads/x"), "git asks gh for the token")
	})
}

func TestGHWithAnUnknownToken(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		gh.Env = append(gh.Env, "GH_TOKEN=ghp_unknown")
		assert.Contains(t, gh.refused("pr view 1 --json title"), "HTTP 401: Bad credentials")
	})
}

// What is printed agrees with the fixtures.
func TestGHReads(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		for command, want := range map[string][]string{
			"pr view {pr.number}":                                                   {"title:\t[bench:default] Add a changelog\n", "state:\tOPEN\n", "author:\taryeko\n", "number:\t{pr.number}\n", "url:\t{pr.url}\n", "Starts a changelog"},
			"pr view {pr.head_branch} --json number -q .number":                     {"{pr.number}\n"},
			"pr view {pr.url} --json id -q .id":                                     {"{pr.id}\n"},
			"pr view {pr_with_reviews.number}":                                      {"reviewers:\tlinnea-berg (Commented)\n", "additions:\t17\n"},
			"pr view {pr.number} --comments":                                        {""},
			"pr list":                                                               {"{pr.number}\t[bench:default] Add a changelog\t{pr.head_branch}\tOPEN\t", "\n{pr_with_checks.number}\t"},
			"pr list --state open --json number -q length":                          {"4\n"},
			"pr list --state merged --json number":                                  {"[]\n"},
			"pr list --limit 1 --json number":                                       {`[{"number":{pr_with_reviews.number}}]`},
			"pr list --head {pr.head_branch} --json number":                         {`[{"number":{pr.number}}]`},
			"pr list --base main --json number -q length":                           {"4\n"},
			"pr list --label bench-fixture --json number":                           {`{"number":{pr.number}}`},
			"pr list --author aryeko --json number -q length":                       {"4\n"},
			"pr list --assignee aryeko --json number":                               {"[]\n"},
			"pr list --search 'changelog in:title' --json title":                    {`[{"title":"[bench:default] Add a changelog"}]`},
			"pr list --draft --json number":                                         {"[]\n"},
			"pr diff {pr.number}":                                                   {"diff --git a/CHANGELOG.md b/CHANGELOG.md\nnew file mode 100644\n", "\n+# Changelog\n"},
			"pr diff {pr.number} --patch":                                           {"\nSubject: [PATCH] feat: add CHANGELOG.md\n"},
			"issue view {issue.number}":                                             {"title:\t[bench:default] Document the configuration file\n", "state:\tOPEN\n", "comments:\t2\n", "Please list every key with its default."},
			"issue view {issue.number} --comments":                                  {"author:\tlinnea-berg\n", "I keep guessing what `retries` means.", "author:\taryeko\n"},
			"issue list":                                                            {"{issue.number}\tOPEN\t[bench:default] Document the configuration file\tbench-fixture, bench-seed:default\t"},
			"issue list --label bench-fixture --json number":                        {`[{"number":{issue.number}}]`},
			"issue list --author aryeko --json number":                              {`[{"number":{issue.number}}]`},
			"issue list --search configuration --json number":                       {`[{"number":{issue.number}}]`},
			"issue list --state closed --json number":                               {"[]\n"},
			"issue status":                                                          {"There are no issues assigned to you"},
			"repo view aryeko/ghx-bench-fixtures":                                   {"name:\taryeko/ghx-bench-fixtures\n", "description:\tFixtures that benchmark scenarios act on\n", "\n# "},
			"repo list aryeko":                                                      {"aryeko/ghx-bench-fixtures\t"},
			"run list":                                                              {"completed\tfailure\t", "\tworkflow_dispatch\t{workflow_run.id}\t"},
			"run list --workflow CI --json workflowName":                            {`{"workflowName":"CI"}`},
			"run list --branch {pr.head_branch} --json event":                       {`[{"event":"pull_request"}]`},
			"run view {workflow_run.id}":                                            {"X {pr_with_checks.head_branch} Bench rerun failed", "X flaky in", "prepare in"},
			"run view {workflow_run.id} --verbose":                                  {"X Fail on the first attempt"},
			"run view {workflow_run.id} --log":                                      {"prepare\tSet up job\t", "flaky\tFail on the first attempt\t"},
			"run view {workflow_run.id} --log-failed":                               {"flaky\tFail on the first attempt\t", "attempt 1: the first attempt fails on purpose"},
			"run view --job {workflow_job.id} --log":                                {"attempt 1: the first attempt fails on purpose"},
			"run watch {workflow_run.id}":                                           {"Run Bench rerun failed ({workflow_run.id}) has already completed with 'failure'"},
			"workflow list":                                                         {"Bench rerun failed\tactive\t", "CI\tactive\t"},
			"workflow view ci.yml":                                                  {"CI - ci.yml\n", "Total runs 4\n"},
			"workflow view CI --yaml":                                               {"name: CI\n"},
			"label list":                                                            {"bench-fixture\t", "#5319e7"},
			"search prs changelog --json number":                                    {`[{"number":{pr.number}}]`},
			"search issues configuration --json number,state":                       {`[{"number":{issue.number},"state":"open"}]`},
			"api user -q .login":                                                    {"dana-reyes\n"},
			"api --paginate repos/{owner}/{repo}/pulls?per_page=1 -q .[].number":    {"{pr_with_reviews.number}\n{pr_mergeable.number}\n{pr_with_checks.number}\n{pr.number}\n"},
			"api graphql -f query='{viewer{login}}' -q .data.viewer.login":          {"dana-reyes\n"},
			"api repos/{owner}/{repo}/contents/README.md -q .name":                  {"README.md\n"},
			"api repos/{owner}/{repo}/readme -q .name":                              {"README.md\n"},
			"api repos/{owner}/{repo}/compare/main...{pr.head_branch} -q .ahead_by": {"1\n"},
			"api repos/{owner}/{repo}/git/refs/heads/main -q .object.type":          {"commit\n"},
			"release list":                                                          {""},
			"browse -n":                                                             {"https://github.com/aryeko/ghx-bench-fixtures\n"},
		} {
			r := gh.run(command)
			assert.Zero(t, r.Code, "gh %s\n%s%s", command, r.Stdout, r.Stderr)
			for _, part := range want {
				assert.Contains(t, r.Stdout+r.Stderr, gh.fill(part), "gh %s", command)
			}
		}
	})
}

// fieldLists begin with what gh says if --json has no value.
var fieldLists = regexp.MustCompile(`(?m)^  (\w+)$`)

// All of the fields that a version of gh knows can be asked for at once.
func TestGHReadsAllFields(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		for command, want := range map[string]map[string]any{
			"pr view {pr_with_reviews.number}":    {"state": "OPEN", "headRefName": "bench-fixture/default/reviewed", "mergeable": "MERGEABLE", "isDraft": false},
			"pr list":                             nil,
			"issue view {issue.number}":           {"state": "OPEN", "closed": false},
			"issue list":                          nil,
			"repo view aryeko/ghx-bench-fixtures": {"nameWithOwner": target.FixturesRepo, "viewerPermission": "ADMIN", "isPrivate": false},
			"repo list aryeko":                    nil,
			"run view {workflow_run.id}":          {"conclusion": "failure", "workflowName": "Bench rerun failed"},
			"run list":                            nil,
			"label list":                          nil,
			"search prs changelog":                nil,
		} {
			var fields []string
			for _, found := range fieldLists.FindAllStringSubmatch(gh.run(command+" --json").Stderr, -1) {
				fields = append(fields, found[1])
			}
			require.NotEmpty(t, fields, command)
			out := gh.ok(command + " --json " + strings.Join(fields, ","))
			if want == nil {
				assert.NotEqual(t, "[]\n", out, command)
				continue
			}
			var got map[string]any
			require.NoError(t, json.Unmarshal([]byte(out), &got))
			for _, field := range fields {
				assert.Contains(t, got, field, command)
			}
			for field, value := range want {
				assert.Equal(t, value, got[field], "%s: %s", command, field)
			}
		}
	})
}

func TestGHErrors(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		for command, want := range map[string]string{
			"pr view 999":                   "Could not resolve to a PullRequest with the number of 999.",
			"pr view none":                  `no pull requests found for branch "none"`,
			"issue view 999":                "Could not resolve to an issue or pull request with the number of 999.",
			"repo view aryeko/none":         "Could not resolve to a Repository with the name 'aryeko/none'.",
			"run view 1":                    "HTTP 404: Not Found",
			"api repos/{owner}/{repo}/none": "gh: Not Found (HTTP 404)",
			"api repos/{owner}/{repo}/issues -f title=":                                                         "gh: Validation Failed (HTTP 422)",
			"api graphql -f query='{nothing}'":                                                                  "gh: Field 'nothing' doesn't exist on type 'Query'",
			"api -X PUT repos/{owner}/{repo}/pulls/1/merge":                                                     "gh: Not Found (HTTP 404)",
			"pr merge {pr.number} --auto --squash --match-head-commit 0123456789012345678901234567890123456789": "Head branch was modified. Review and try the merge again.",
			"pr edit {pr.number} --add-label none":                                                              "'none' not found",
			"pr edit {pr.number} --add-assignee none":                                                           "'none' not found",
			"issue create --title x --body x --label none":                                                      "could not add label: 'none' not found",
			"workflow run bench-rerun-failed.yml":                                                               "Required input 'seed_id' not provided",
			"run rerun {pr_with_checks.run_id} --failed":                                                        "cannot be rerun",
			"repo clone aryeko/none":                                                                            "Repository with the name 'aryeko/none'",
		} {
			assert.Contains(t, gh.refused(command), gh.fill(want), "gh %s", command)
		}
	})
}
