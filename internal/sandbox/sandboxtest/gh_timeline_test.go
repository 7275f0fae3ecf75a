package sandboxtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestGHReadsTimelines(t *testing.T) {
	testkit.NeedComplete(t)
	runCases(t, []ghCase{
		{name: "of an issue", steps: []step{
			{"issue create --title New --body b", 0, "issues/8"},
			{"issue edit 8 --title Newer --add-label bug --add-assignee octocat --milestone M1", 0, ""},
			{"issue edit 8 --remove-label bug --remove-assignee octocat --remove-milestone", 0, ""},
			{"issue close 8 --reason 'not planned'", 0, ""},
			{"issue reopen 8", 0, ""},
			{"issue lock 8 --reason spam", 0, ""},
			{"issue unlock 8", 0, ""},
			{"issue pin 8", 0, ""},
			{"issue unpin 8", 0, ""},
			{"issue comment 8 --body hi", 0, ""},
			{"issue comment 1 --body 'see #8'", 0, ""},
			{"api repos/acme/widgets/issues/8/timeline?per_page=100 -q .[].event", 0,
				"renamed\nlabeled\nassigned\nmilestoned\nunlabeled\nunassigned\ndemilestoned\nclosed\nreopened\nlocked\nunlocked\npinned\nunpinned\ncommented\ncross-referenced"},
			{"api repos/acme/widgets/issues/8/events?per_page=100 -q '[.[]|select(.event|test(\"^(renamed|labeled|milestoned|closed|locked)\"))]|sort_by(.event)'", 0,
				`[{"event":"closed","state_reason":"not_planned","commit_id":null},{"event":"labeled","label":{"name":"bug","color":"d73a4a"}},{"event":"locked","lock_reason":"spam"},
				{"event":"milestoned","milestone":{"title":"M1"}},{"event":"renamed","rename":{"from":"New","to":"Newer"}}]`},
			{"api repos/acme/widgets/issues/events?per_page=1", 0, `[{"event":"unpinned","issue":{"number":8},"actor":{"login":"monalisa"}}]`},
			{"label delete bug --yes", 0, ""},
			{`api graphql -f 'query={repository(owner:"acme",name:"widgets"){issue(number:8){timelineItems(first:50){totalCount nodes{__typename ...on Node{id}
				...on RenamedTitleEvent{previousTitle currentTitle subject{...on Issue{number}}} ...on ClosedEvent{stateReason closer{__typename}} ...on LockedEvent{lockReason} ...on MilestonedEvent{milestoneTitle}
				...on CrossReferencedEvent{source{...on Issue{number}}} ...on PinnedEvent{issue{number}}}}}}}' -q '[.data.repository.issue.timelineItems.nodes[]|select(.__typename|test("^(Ren|Clo|Loc|Mil|Cro|Pin)"))]|sort_by(.__typename)'`, 0,
				`[{"__typename":"ClosedEvent","stateReason":"NOT_PLANNED","closer":null},{"source":{"number":1}},{"lockReason":"SPAM"},{"milestoneTitle":"M1"},{"issue":{"number":8}},{"previousTitle":"New","currentTitle":"Newer"}]`},
		}},
		{name: "of a pull request", before: func(_ *model.State, repo *model.Repo) error {
			repo.DeleteBranchOnMerge = true
			return nil
		}, steps: []step{
			{"pr ready 7 --undo", 0, ""},
			{"pr ready 7", 0, ""},
			{"pr edit 7 --add-reviewer monalisa", 0, ""},
			{"pr review 7 --approve --body fine", 0, ""},
			{"pr merge 7 --squash --body 'Fixes #5, see #6'", 0, ""},
			{"api repos/acme/widgets/issues/7/timeline?per_page=100 -q [.[].event]", 0,
				`["committed","commented","labeled","convert_to_draft","ready_for_review","review_requested","reviewed","merged","closed","referenced","head_ref_deleted"]`},
			{"api repos/acme/widgets/issues/7/timeline?per_page=100", 0, `[{"message":"Add topic.txt"},{"body":"hi"},{},{},{},{"requested_reviewer":{"login":"monalisa"}},{"state":"approved","body":"fine"},{},{},{},{}]`},
			{"api repos/acme/widgets/issues/7/timeline?exclude=committed,reviewed,labeled -q [.[].event]", 0,
				`["commented","convert_to_draft","ready_for_review","review_requested","merged","closed","referenced","head_ref_deleted"]`},
			{"api repos/acme/widgets/issues/6/events -q [.[].event]", 0, `["referenced"]`},
			{`api graphql -f 'query={repository(owner:"acme",name:"widgets"){pullRequest(number:7){timelineItems(last:50){nodes{__typename ...on MergedEvent{mergeRefName commit{oid} url} ...on HeadRefDeletedEvent{headRefName headRef{name}}
				...on ReviewRequestedEvent{requestedReviewer{...on User{login}}} ...on PullRequestCommit{commit{messageHeadline}} ...on PullRequestReview{state} ...on ReferencedEvent{isDirectReference commit{messageHeadline}}}}}
				issue(number:5){timelineItems(last:9,itemTypes:[CLOSED_EVENT]){nodes{...on ClosedEvent{closer{__typename}}}}}}}' -q .data.repository`, 0,
				`{"pullRequest":{"timelineItems":{"nodes":[{"__typename":"PullRequestCommit","commit":{"messageHeadline":"Add topic.txt"}},{"__typename":"IssueComment"},{"__typename":"LabeledEvent"},{"__typename":"ConvertToDraftEvent"},
				{"__typename":"ReadyForReviewEvent"},{"__typename":"ReviewRequestedEvent","requestedReviewer":{"login":"monalisa"}},{"__typename":"PullRequestReview","state":"APPROVED"},{"__typename":"MergedEvent","mergeRefName":"main"},
				{"__typename":"ClosedEvent"},{"__typename":"ReferencedEvent","isDirectReference":true},{"__typename":"HeadRefDeletedEvent","headRefName":"topic","headRef":null}]}},
				"issue":{"timelineItems":{"nodes":[{"closer":{"__typename":"Commit"}}]}}}`},
		}},
		{name: "of a forced push and relations", before: func(s *model.State, repo *model.Repo) error {
			require.NoError(t, s.AddSubIssue(s.User(me).ID, s.Issue(repo, 1), s.Issue(repo, 2), false))
			require.NoError(t, s.AddBlocker(s.User(me).ID, s.Issue(repo, 1), s.Issue(repo, 3)))
			_, err := s.WriteFile(s.User(me).ID, repo, model.FileWrite{Path: "x.txt", Message: "x", Content: []byte("x\n"), Branch: "feat"})
			require.NoError(t, err)
			return s.UpdateRef(s.User(me).ID, repo, "refs/heads/topic", tip(s, repo, "feat"), true)
		}, steps: []step{
			{"api repos/acme/widgets/issues/1/events -q [.[].event]", 0, `["sub_issue_added","blocked_by_added"]`},
			{"api repos/acme/widgets/issues/2/events", 0, `[{"event":"parent_issue_added","parent_issue":{"number":1}}]`},
			{"api repos/acme/widgets/issues/7/events -q .[-1].event", 0, "head_ref_force_pushed"},
			{`api graphql -f 'query={repository(owner:"acme",name:"widgets"){pullRequest(number:7){timelineItems(last:1,itemTypes:[HEAD_REF_FORCE_PUSHED_EVENT]){nodes{...on HeadRefForcePushedEvent{beforeCommit{oid messageHeadline} afterCommit{oid messageHeadline} ref{name}}}}}}}' -q .data.repository.pullRequest.timelineItems.nodes`, 0,
				`[{"beforeCommit":{"messageHeadline":"Add topic.txt"},"afterCommit":{"messageHeadline":"x"},"ref":{"name":"topic"}}]`},
		}},
	})
}
