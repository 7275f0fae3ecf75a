package sandboxtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestGHReadsPullRequests(t *testing.T) {
	runCases(t, []ghCase{{name: "pr view, list, diff, checks", steps: []step{
		{"pr view 7", 0, "title:\tTurn faster\nstate:\tOPEN\nauthor:\toctocat\nlabels:\tbug\nadditions:\t2\nCloses #5"},
		{"pr view 7 --comments", 0, "author:\tmonalisa\nassociation:\tmember\nhi"},
		{"pr view 7 --json number,title,state,body,author,assignees,labels,milestone,reviews,reviewRequests,reviewDecision,comments,commits,files,additions,deletions", 0,
			`{"number":7,"title":"Turn faster","state":"OPEN","body":"Closes #5","author":{"login":"octocat","is_bot":false},"assignees":[],"labels":[{"name":"bug"}],"milestone":null,"reviews":[],
			"reviewRequests":[],"reviewDecision":"","comments":[{"body":"hi","authorAssociation":"MEMBER"}],"commits":[{"messageHeadline":"Add topic.txt","authors":[{"login":"octocat"}]}],
			"files":[{"path":"topic.txt","additions":2,"deletions":0}],"additions":2,"deletions":0}`},
		{"pr view 7 --json mergeable,mergeStateStatus,headRefName,baseRefName,isDraft,url,latestReviews,autoMergeRequest,isCrossRepository,headRepository,headRepositoryOwner,maintainerCanModify,statusCheckRollup", 0,
			`{"mergeable":"MERGEABLE","mergeStateStatus":"UNSTABLE","headRefName":"topic","baseRefName":"main","isDraft":false,"url":"https://github.com/acme/widgets/pull/7","latestReviews":[],"autoMergeRequest":null,
			"isCrossRepository":false,"headRepository":{"name":"widgets"},"headRepositoryOwner":{"login":"acme"},"maintainerCanModify":false,
			"statusCheckRollup":[{"name":"build","conclusion":"SUCCESS"},{"name":"test","conclusion":"FAILURE","workflowName":"CI"},{"name":"build"},{"name":"test"}]}`},
		{"pr view 7 --json mergedAt,mergedBy,mergeCommit,potentialMergeCommit,projectCards,projectItems,reactionGroups,createdAt,updatedAt,closed,closedAt,changedFiles,id,fullDatabaseId", 0,
			`{"mergedAt":null,"mergedBy":null,"mergeCommit":null,"projectCards":[],"projectItems":[],"reactionGroups":[],"closed":false,"closedAt":null,"changedFiles":1}`},
		{"pr view feat", refused, `no pull requests found for branch "feat"`},
		{"pr view topic --json number,url", 0, `{"number":7}`},
		{"pr list", 0, "7\tTurn faster\ttopic\tOPEN\t"},
		{"pr list --state all --label bug --search is:open --json number,reviewDecision,mergeable", 0, `[{"number":7,"mergeable":"MERGEABLE"}]`},
		{"pr list --author octocat --json number", 0, `[{"number":7}]`},
		{"pr list --assignee @me --json number", 0, `[]`},
		{"pr list --draft --json number", 0, `[]`},
		{"pr diff 7", 0, "diff --git a/topic.txt b/topic.txt\nnew file mode 100644\n+one"},
		{"pr diff 7 --name-only", 0, "topic.txt\n"},
		{"pr checks 7 --json name,state,bucket,workflow,event,description", 0,
			`[{"name":"build","bucket":"pass","event":"pull_request"},{"name":"test","state":"FAILURE","bucket":"fail","workflow":"CI","event":"pull_request"},{"event":"push"},{"event":"push"}]`},
		{"pr checks 7", refused, "test\tfail\nbuild\tpass"},
		{"pr checks 7 --required", refused, "no required checks reported on the 'topic' branch"},
	}}})
}

func TestGHOpensPullRequests(t *testing.T) {
	testkit.NeedComplete(t)
	runCases(t, []ghCase{
		{name: "with everything", steps: []step{
			{"pr create --head feat --base main --title T --body B --draft --label bug --assignee @me --reviewer octocat,acme/str --milestone M1 --project Board", 0, "https://github.com/acme/widgets/pull/8"},
			{"pr view 8 --json isDraft,reviewRequests,milestone,assignees", 0, `{"isDraft":true,"reviewRequests":[{"login":"octocat"},{"name":"str","slug":"acme/str"}],"milestone":{"title":"M1"},"assignees":[{"login":"monalisa"}]}`},
			{"pr create --head feat --base main --title T --body B", refused, `a pull request for branch "feat" into branch "main" already exists`},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			i := s.Pull(repo, 8)
			assert.Equal(t, []string{"bug"}, labelsOf(s, i))
			assert.Equal(t, []string{"octocat"}, loginsOf(s, i.Pull.RequestedReviewers))
			assert.Len(t, s.ItemsAbout(s.User(me).ID, i), 1)
		}},
		{name: "from a clone", local: true, steps: []step{
			{"pr create --head feat --base main --title T --body B --dry-run", 0, "Would have created a Pull Request with:"},
			{"pr create --head feat --base main --fill", 0, "https://github.com/acme/widgets/pull/8"},
			{"pr status", 0, "Current branch\n#8  Add feat.txt [feat]"},
			{"pr view --json title,body", 0, `{"title":"Add feat.txt"}`},
			{"pr checkout 7", 0, "topic"},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			assert.Equal(t, "Add feat.txt", s.Pull(repo, 8).Title)
		}},
	})
}

func TestGHChangesPullRequests(t *testing.T) {
	testkit.NeedComplete(t)
	runCases(t, []ghCase{
		{name: "edit", steps: []step{
			{"pr edit 7 --title T2 --body B2", 0, "https://github.com/acme/widgets/pull/7"},
			{"pr edit 7 --add-label feature --remove-label bug --add-assignee octocat --add-reviewer monalisa,acme/str --milestone M1 --base main --add-project Board", 0, ""},
			{"pr edit 7 --remove-assignee octocat --remove-reviewer acme/str --remove-project Board --remove-milestone", 0, ""},
			{"pr edit 7 --add-label none", refused, "'none' not found"},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			i := s.Pull(repo, 7)
			assert.Equal(t, []string{"T2", "B2"}, []string{i.Title, i.Body})
			assert.Equal(t, []string{"feature"}, labelsOf(s, i))
			assert.Empty(t, i.Assignees)
			assert.Equal(t, []string{me}, loginsOf(s, i.Pull.RequestedReviewers))
			assert.Empty(t, i.Pull.RequestedTeams)
			assert.Zero(t, i.MilestoneID)
		}},
		{name: "review", steps: []step{
			{"pr review 7 --comment --body c", 0, ""},
			{"pr review 7 --request-changes --body no", 0, ""},
			{"pr review 7 --approve --body ok", 0, ""},
			{"pr view 7 --json latestReviews,reviews", 0, `{"latestReviews":[{"state":"APPROVED","body":"ok"}],"reviews":[{"state":"COMMENTED"},{"state":"CHANGES_REQUESTED"},{"state":"APPROVED"}]}`},
		}},
		{name: "comment, lock, draft", steps: []step{
			{"pr comment 7 --edit-last --body hi2", 0, "https://github.com/acme/widgets/pull/7#issuecomment-"},
			{"pr comment 7 --body new", 0, "#issuecomment-"},
			{"pr lock 7 --reason spam", 0, ""},
			{"pr unlock 7", 0, ""},
			{"pr lock 7", 0, ""},
			{"pr ready 7", 0, `already "ready for review"`},
			{"pr ready 7 --undo", 0, `is converted to "draft"`},
			{"pr merge 7 --merge", refused, "draft"},
			{"pr ready 7", 0, `is marked as "ready for review"`},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			i := s.Pull(repo, 7)
			assert.Equal(t, []string{"hi2", "new"}, []string{s.CommentsOf(i)[0].Body, s.CommentsOf(i)[1].Body})
			assert.True(t, i.Locked)
			assert.False(t, i.Pull.Draft)
		}},
		{name: "close and reopen", steps: []step{
			{"pr reopen 7", 0, "is already open"},
			{"pr close 7 --comment bye", 0, "Closed pull request acme/widgets#7 (Turn faster)"},
			{"pr list --state closed --json number,closed", 0, `[{"number":7,"closed":true}]`},
			{"pr reopen 7", 0, "Reopened pull request acme/widgets#7"},
			{"pr close 7 --delete-branch", 0, "Deleted branch topic"},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			assert.True(t, s.Pull(repo, 7).Closed)
			assert.True(t, tip(s, repo, "topic").IsZero())
		}},
		{name: "update by merge", before: onMain("news.txt"), steps: []step{
			{"pr update-branch 7", 0, "PR branch updated"},
			{"pr update-branch 7", 0, "PR branch already up-to-date"},
			{"pr view 7 --json commits -q '.commits|length'", 0, "2\n"},
		}},
		{name: "update by rebase", before: onMain("news.txt"), steps: []step{
			{"pr update-branch 7 --rebase", 0, "PR branch updated"},
			{"pr view 7 --json commits -q '.commits|length'", 0, "1\n"},
		}},
	})
}

func TestGHMerges(t *testing.T) {
	protected := func(_ *model.State, repo *model.Repo) error {
		repo.Protection["main"] = model.Protection{RequiredApprovals: 1}
		return nil
	}
	merged := func(t *testing.T, s *model.State, repo *model.Repo) {
		assert.True(t, s.Pull(repo, 7).Pull.Merged())
		assert.True(t, s.Issue(repo, 5).Closed, "the pull request says that it closes it")
	}
	runCases(t, []ghCase{
		{name: "merge", after: merged, steps: []step{
			{"pr merge 7 --merge --match-head-commit aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", refused, "Head branch was modified. Review and try the merge again."},
			{"pr merge 7 --merge --match-head-commit {head}", 0, ""},
			{"pr view 7 --json state,mergedBy", 0, `{"state":"MERGED","mergedBy":{"login":"monalisa"}}`},
			{"pr merge 7 --merge", 0, "was already merged"},
		}},
		{name: "squash, and the branch with it", steps: []step{
			{"pr merge 7 --squash --subject s --body b --delete-branch", 0, ""},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			commit, err := repo.Git.Commit(tip(s, repo, "main"))
			assert.NoError(t, err)
			assert.Equal(t, "s\n\nb", commit.Message)
			assert.True(t, tip(s, repo, "topic").IsZero())
		}},
		{name: "rebase", after: merged, steps: []step{{"pr merge 7 --rebase", 0, ""}}},
		{name: "not allowed by itself", before: protected, steps: []step{
			{"pr merge 7 --merge", refused, "is not mergeable: the base branch policy prohibits the merge."},
			{"pr merge 7 --auto --squash", refused, "Auto merge is not allowed for this repository"},
			{"pr merge 7 --disable-auto", refused, "Can't disable auto-merge for this pull request."},
		}},
		{name: "as soon as it is approved", before: func(s *model.State, repo *model.Repo) error {
			repo.AllowAutoMerge = true
			return protected(s, repo)
		}, after: merged, steps: []step{
			{"pr merge 7 --auto --squash", 0, ""},
			{"pr view 7 --json state,autoMergeRequest", 0, `{"state":"OPEN","autoMergeRequest":{"mergeMethod":"SQUASH","enabledBy":{"login":"monalisa"}}}`},
			{"pr merge 7 --disable-auto", 0, ""},
			{"pr merge 7 --auto --merge", 0, ""},
			{"pr review 7 --approve", 0, ""},
			{"pr view 7 --json state,autoMergeRequest", 0, `{"state":"MERGED","autoMergeRequest":null}`},
		}},
		{name: "what conflicts", before: onMain("topic.txt"), steps: []step{
			{"pr view 7 --json mergeable,mergeStateStatus", 0, `{"mergeable":"CONFLICTING","mergeStateStatus":"DIRTY"}`},
			{"pr merge 7 --merge", refused, "is not mergeable: the merge commit cannot be cleanly created."},
		}},
	})
}
