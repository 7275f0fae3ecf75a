package target_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
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
	seeds := seeded(t)
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
		assert.Regexp(t, `Logged in to github\.com (account|as) bench-agent`, r.Stdout+r.Stderr)
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
			"pr view {pr_with_reviews.number}":                                      {"reviewers:\tbench-reviewer (Commented)\n", "additions:\t17\n"},
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
			"issue view {issue.number} --comments":                                  {"author:\tbench-reviewer\n", "I keep guessing what `retries` means.", "author:\taryeko\n"},
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
			"api user -q .login":                                                    {"bench-agent\n"},
			"api --paginate repos/{owner}/{repo}/pulls?per_page=1 -q .[].number":    {"{pr_with_reviews.number}\n{pr_mergeable.number}\n{pr_with_checks.number}\n{pr.number}\n"},
			"api graphql -f query='{viewer{login}}' -q .data.viewer.login":          {"bench-agent\n"},
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

func TestGHEditsIssues(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		api := verifier(t, gh.place).REST
		issue := func(number int) *github.Issue {
			i, _, err := api.Issues.Get(t.Context(), target.Owner, target.FixturesName, number)
			require.NoError(t, err)
			return i
		}
		url := strings.TrimSpace(gh.ok("issue create --title new --body text --label bench-fixture --assignee @me"))
		made, err := strconv.Atoi(filepath.Base(url))
		require.NoError(t, err)
		i := issue(made)
		assert.Equal(t, []string{"new", "text", "bench-agent", target.Agent, "bench-fixture"},
			[]string{i.GetTitle(), i.GetBody(), i.GetUser().GetLogin(), i.GetAssignee().GetLogin(), i.Labels[0].GetName()})
		assert.Equal(t, url, i.GetHTMLURL())

		gh.ok(fmt.Sprint("issue edit ", made, " --title other --body more --remove-label bench-fixture --remove-assignee @me --add-assignee aryeko"))
		i = issue(made)
		assert.Equal(t, []string{"other", "more", target.Owner}, []string{i.GetTitle(), i.GetBody(), i.GetAssignee().GetLogin()})
		assert.Empty(t, i.Labels)

		said := gh.ok("issue comment {issue.number} --body hello")
		gh.ok("issue comment {issue.number} --edit-last --body 'hello again'")
		comments, _, err := api.Issues.ListComments(t.Context(), target.Owner, target.FixturesName, number(t, gh.place, "issue"), nil)
		require.NoError(t, err)
		last := comments[len(comments)-1]
		assert.Equal(t, "hello again", last.GetBody())
		assert.Equal(t, last.GetHTMLURL(), strings.TrimSpace(said))

		gh.ok("issue close {issue.number} --comment done --reason 'not planned'")
		i = issue(number(t, gh.place, "issue"))
		assert.Equal(t, []string{"closed", "not_planned"}, []string{i.GetState(), i.GetStateReason()})
		assert.Equal(t, len(comments)+1, i.GetComments())
		gh.ok("issue reopen {issue.number}")
		assert.Equal(t, "open", issue(number(t, gh.place, "issue")).GetState())
	})
}

func TestGHEditsPullRequests(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		gh.ok("pr edit {pr.number} --add-assignee aryeko --title other --body more --remove-label bench-seed:default")
		pr := gh.pull("pr")
		assert.Equal(t, []string{"other", "more", target.Owner}, []string{pr.GetTitle(), pr.GetBody(), pr.GetAssignee().GetLogin()})
		require.Len(t, pr.Labels, 1)
		assert.Equal(t, "bench-fixture", pr.Labels[0].GetName())
		gh.ok("pr edit {pr.number} --base {pr_mergeable.head_branch} --add-reviewer bench-reviewer --remove-assignee aryeko --add-label bench-seed:default")
		pr = gh.pull("pr")
		assert.Equal(t, gh.fill("{pr_mergeable.head_branch}"), pr.GetBase().GetRef())
		require.Len(t, pr.RequestedReviewers, 1)
		assert.Equal(t, target.Reviewer, pr.RequestedReviewers[0].GetLogin())
		assert.Empty(t, pr.Assignees)
		assert.Len(t, pr.Labels, 2)

		gh.ok("pr ready {pr.number} --undo")
		assert.True(t, gh.pull("pr").GetDraft())
		gh.ok("pr ready {pr.number}")
		assert.False(t, gh.pull("pr").GetDraft())
		gh.ok("pr close {pr.number} --comment bye")
		assert.Equal(t, "closed", gh.pull("pr").GetState())
		gh.ok("pr reopen {pr.number}")
		assert.Equal(t, "open", gh.pull("pr").GetState())
		said := strings.TrimSpace(gh.ok("pr comment {pr.number} --body hello"))
		assert.Regexp(t, regexp.QuoteMeta(gh.fill("{pr.url}"))+`#issuecomment-\d+$`, said)
		assert.Equal(t, 2, gh.pull("pr").GetComments())
	})
}

func TestGHReviews(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		for _, c := range []struct{ flags, state, body, decision string }{
			{"--comment --body 'some words'", "COMMENTED", "some words", ""},
			{"--request-changes --body no", "CHANGES_REQUESTED", "no", "CHANGES_REQUESTED"},
			{"--approve", "APPROVED", "", "APPROVED"},
		} {
			gh.ok("pr review {pr.number} " + c.flags)
			reviews, _, err := verifier(t, gh.place).REST.PullRequests.ListReviews(t.Context(), target.Owner, target.FixturesName, number(t, gh.place, "pr"), nil)
			require.NoError(t, err)
			last := reviews[len(reviews)-1]
			assert.Equal(t, []string{c.state, c.body, target.Agent}, []string{last.GetState(), last.GetBody(), last.GetUser().GetLogin()})
			assert.Equal(t, c.decision, strings.TrimSpace(gh.ok("pr view {pr.number} --json reviewDecision -q .reviewDecision")))
		}
		assert.Contains(t, gh.ok("pr view {pr.number} --comments"), "some words")
		gh.Env = append(gh.Env, "GH_TOKEN="+ownerToken(t, gh))
		assert.Contains(t, gh.refused("pr review {pr.number} --approve"), "Can not approve your own pull request")
	})
}

// ownerToken makes a token of the fixtures' owner.
func ownerToken(t *testing.T, gh *ghTool) string {
	t.Helper()
	const token = "ghp_owner"
	gh.world().AddToken(token, sandbox.Token{User: target.Owner})
	return token
}

func TestGHMerges(t *testing.T) {
	for method, want := range map[string]struct {
		parents int
		message string
	}{
		"merge":  {2, "Merge pull request #4 from aryeko/bench-fixture/default/mergeable\n\n[bench:default] Add a retry helper"},
		"squash": {1, "feat: add src/utils/retry.ts (#4)"},
		"rebase": {1, "feat: add src/utils/retry.ts"},
	} {
		t.Run(method, func(t *testing.T) {
			withGH(t, func(t *testing.T, gh *ghTool) {
				before := gh.tip("heads/main")
				gh.ok("pr merge {pr_mergeable.number} --" + method)
				pr := gh.pull("pr_mergeable")
				assert.True(t, pr.GetMerged())
				assert.Equal(t, target.Agent, pr.GetMergedBy().GetLogin())
				assert.Equal(t, gh.tip("heads/main"), pr.GetMergeCommitSHA())
				commit, _, err := verifier(t, gh.place).REST.Git.GetCommit(t.Context(), target.Owner, target.FixturesName, pr.GetMergeCommitSHA())
				require.NoError(t, err)
				require.Len(t, commit.Parents, want.parents)
				assert.Equal(t, before, commit.Parents[0].GetSHA())
				assert.Equal(t, want.message, commit.GetMessage())
				assert.NotEmpty(t, gh.tip("heads/"+pr.GetHead().GetRef()), "the branch is kept")
				assert.Equal(t, "MERGED\n", gh.ok("pr view {pr_mergeable.number} --json state -q .state"))
				assert.Contains(t, gh.run("pr merge {pr_mergeable.number} --"+method).Stderr, "was already merged")
			})
		})
	}
}

func TestGHDoesNotMergeConflicts(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		require.NoError(t, gh.world().Setup(func(s *model.State) error {
			_, err := s.WriteFile(s.User(target.Owner).ID, s.Repo(target.Owner, target.FixturesName),
				model.FileWrite{Path: "CHANGELOG.md", Content: []byte("other\n"), Message: "in the way"})
			return err
		}))
		assert.Equal(t, "CONFLICTING DIRTY\n", gh.ok(`pr view {pr.number} --json mergeable,mergeStateStatus -q '.mergeable+" "+.mergeStateStatus'`))
		assert.Contains(t, gh.refused("pr merge {pr.number} --squash"), "is not mergeable: the merge commit cannot be cleanly created.")
		assert.Contains(t, gh.refused("api -X PUT repos/{owner}/{repo}/pulls/{pr.number}/merge"), "gh: Pull Request is not mergeable (HTTP 405)")
		assert.False(t, gh.pull("pr").GetMerged())
	})
}

func TestGHChecks(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		require.NoError(t, gh.world().Setup(func(s *model.State) error {
			s.Repo(target.Owner, target.FixturesName).Protection["main"] = model.Protection{RequiredChecks: []string{"lint"}}
			return nil
		}))
		const checks = "pr checks {pr_with_checks.number}"
		r := gh.run(checks)
		assert.Equal(t, 1, r.Code, "one has failed")
		assert.Regexp(t, `(?m)^flaky\tfail\t\d+s\thttps://github\.com/aryeko/ghx-bench-fixtures/actions/runs/`+gh.fill(`{workflow_run.id}/job/{workflow_job.id}`), r.Stdout)
		assert.Regexp(t, `(?m)^lint\tpass\t`, r.Stdout)
		assert.Len(t, strings.Split(strings.TrimSpace(r.Stdout), "\n"), 4)
		assert.Regexp(t, `^lint\tpass\t.*\n$`, gh.ok(checks+" --required"))

		gh.ok("run rerun {workflow_run.id} --failed")
		assert.NotContains(t, gh.ok(checks), "fail")
		require.NoError(t, gh.world().Setup(func(s *model.State) error {
			for c := range s.CheckRuns.All() {
				c.Status, c.Conclusion, c.CompletedAt = model.InProgress, "", nil
			}
			return nil
		}))
		r = gh.run(checks)
		assert.Contains(t, []int{1, 8}, r.Code, "they are pending, which only newer versions tell from failed")
		assert.Regexp(t, `(?m)^lint\tpending\t`, r.Stdout)
	})
}

func TestGHRerunsRuns(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		run := func(resource string) (attempt int, state string) {
			id, err := gh.place.Manifest.Lookup("resources." + resource)
			require.NoError(t, err)
			n, err := strconv.ParseInt(fmt.Sprint(id), 10, 64)
			require.NoError(t, err)
			r, _, err := verifier(t, gh.place).REST.Actions.GetWorkflowRunByID(t.Context(), target.Owner, target.FixturesName, n)
			require.NoError(t, err)
			return r.GetRunAttempt(), r.GetStatus() + " " + r.GetConclusion()
		}
		assert.Equal(t, 1, gh.run("run watch {workflow_run.id} --exit-status").Code)
		gh.ok("run rerun {workflow_run.id} --failed")
		attempt, state := run("workflow_run.id")
		assert.Equal(t, []any{2, "completed success"}, []any{attempt, state})
		gh.ok("run view {workflow_run.id} --exit-status")
		gh.ok("run rerun {pr_with_checks.run_id}")
		attempt, state = run("pr_with_checks.run_id")
		assert.Equal(t, []any{2, "completed success"}, []any{attempt, state})

		gh.ok("workflow run bench-rerun-failed.yml --ref main -f seed_id=again")
		assert.Contains(t, gh.ok("run list --workflow bench-rerun-failed.yml --branch main"), "\tworkflow_dispatch\t")
	})
}

func TestGHPullRequestFromAPush(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		gh.ok("auth setup-git")
		gh.ok("repo clone " + target.FixturesRepo + " clone -- -q")
		gh.Work = filepath.Join(gh.Work, "clone")
		gh.ok("pr checkout {pr_with_checks.number}")
		assert.Equal(t, gh.pull("pr_with_checks").GetHead().GetSHA(), gh.do("rev-parse", "HEAD"))
		assert.Equal(t, "bench-fixture/default/checks", gh.do("branch", "--show-current"))

		gh.do("checkout", "-q", "-b", "feature", "origin/main")
		head := gh.commit("a.txt", "x\n")
		assert.Contains(t, gh.refused("pr create --title x --body x --head feature"),
			"Head sha can't be blank, Base sha can't be blank, No commits between main and feature, Head ref must be a branch")
		gh.do("push", "-q", "-u", "origin", "feature")
		assert.Contains(t, gh.ok("pr status"), "There is no pull request associated with [feature]")
		url := strings.TrimSpace(gh.ok("pr create --fill --label bench-fixture --assignee @me"))
		assert.Regexp(t, `^https://github\.com/aryeko/ghx-bench-fixtures/pull/\d+$`, url)
		assert.Contains(t, gh.refused("pr create --title x --body x"), `a pull request for branch "feature" into branch "main" already exists:`)
		assert.Equal(t, fmt.Sprintf("%s feature %s\n", head, "change a.txt"),
			gh.ok(`pr view --json headRefOid,headRefName,title -q '.headRefOid+" "+.headRefName+" "+.title'`))

		gh.ok("pr merge --squash --delete-branch")
		assert.Empty(t, gh.tip("heads/feature"))
		assert.Equal(t, "main", gh.do("branch", "--show-current"))
		assert.Equal(t, gh.tip("heads/main"), gh.do("rev-parse", "HEAD"), "gh has pulled what was merged")
		assert.FileExists(t, filepath.Join(gh.Work, "a.txt"))
	})
}

// The threads of a review are not among gh's commands: agents use its api.
func TestGHResolvesThreads(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		const threads = `api graphql -F n={pr_with_reviews.number} -f query='query($n:Int!){repository(owner:"aryeko",name:"ghx-bench-fixtures"){pullRequest(number:$n){
			reviewThreads(first:50){nodes{id isResolved comments(first:10){nodes{databaseId body}}}}}}}' -q '.data.repository.pullRequest.reviewThreads.nodes[]|select(.isResolved|not)|`
		ids := strings.Fields(gh.ok(threads + ".id'"))
		assert.Equal(t, gh.fill("{pr_with_reviews.unresolved_count}"), fmt.Sprint(len(ids)))
		first := strings.Fields(gh.ok(threads + ".comments.nodes[0].databaseId'"))[0]
		assert.Equal(t, first+"\n", gh.ok("api repos/{owner}/{repo}/pulls/comments/"+first+" -q .id"))
		assert.Equal(t, first+"\n", gh.ok("api repos/{owner}/{repo}/pulls/{pr_with_reviews.number}/comments/"+first+"/replies -f body=fixed -q .in_reply_to_id"))
		for _, id := range ids {
			gh.ok("api graphql -f id=" + id + " -f query='mutation($id:ID!){addPullRequestReviewThreadReply(input:{pullRequestReviewThreadId:$id,body:\"done\"}){comment{id}} resolveReviewThread(input:{threadId:$id}){thread{isResolved}}}'")
		}
		assert.Empty(t, gh.ok(threads+".id'"))
	})
}

func TestGHDoesWhatItMay(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		gh.Env = append(gh.Env, "GH_TOKEN="+gh.place.Verifier.Token)
		gh.ok("pr view {pr.number}")
		assert.Contains(t, gh.refused("pr merge {pr.number} --squash"), "bench-verifier does not have the correct permissions to execute `MergePullRequest`")
		assert.Contains(t, gh.refused("pr close {pr.number}"), "bench-verifier does not have the correct permissions to execute `ClosePullRequest`")
		assert.Contains(t, gh.refused("api -X PATCH repos/{owner}/{repo}/issues/{issue.number} -f state=closed"), "(HTTP 403)")
		assert.False(t, gh.pull("pr").GetMerged())
		_, response, err := verifier(t, gh.place).REST.Issues.Get(t.Context(), target.Owner, target.FixturesName, number(t, gh.place, "issue"))
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, response.StatusCode)
	})
}
