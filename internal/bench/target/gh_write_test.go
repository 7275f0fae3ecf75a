package target_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

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
		assert.Equal(t, []string{"new", "text", "dana-reyes", target.Agent, "bench-fixture"},
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
		gh.ok("pr edit {pr.number} --base {pr_mergeable.head_branch} --add-reviewer linnea-berg --remove-assignee aryeko --add-label bench-seed:default")
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
		gh.Env = append(gh.Env, "GH_TOKEN="+readerToken(gh.place))
		gh.ok("pr view {pr.number}")
		assert.Contains(t, gh.refused("pr merge {pr.number} --squash"), "reader does not have the correct permissions to execute `MergePullRequest`")
		assert.Contains(t, gh.refused("pr close {pr.number}"), "reader does not have the correct permissions to execute `ClosePullRequest`")
		assert.Contains(t, gh.refused("api -X PATCH repos/{owner}/{repo}/issues/{issue.number} -f state=closed"), "(HTTP 403)")
		assert.False(t, gh.pull("pr").GetMerged())
		_, response, err := verifier(t, gh.place).REST.Issues.Get(t.Context(), target.Owner, target.FixturesName, number(t, gh.place, "issue"))
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, response.StatusCode)
	})
}

func TestGHEditsLabels(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		label := func(name string) *github.Label {
			l, _, err := verifier(t, gh.place).REST.Issues.GetLabel(t.Context(), target.Owner, target.FixturesName, name)
			if err != nil {
				return nil
			}
			return l
		}
		gh.ok("label create urgent --color ff0000 --description 'at once'")
		assert.Equal(t, []string{"ff0000", "at once"}, []string{label("urgent").GetColor(), label("urgent").GetDescription()})
		assert.Contains(t, gh.refused("label create urgent"), `label with name "urgent" already exists`)
		gh.ok("label create urgent --force --color 00ff00")
		assert.Equal(t, "00ff00", label("urgent").GetColor())
		gh.ok("label edit urgent --name late")
		assert.Nil(t, label("urgent"))
		gh.ok("label delete late --yes")
		assert.Nil(t, label("late"))
	})
}
