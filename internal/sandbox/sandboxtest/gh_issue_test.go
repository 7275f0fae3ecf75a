package sandboxtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestGHReadsIssues(t *testing.T) {
	runCases(t, []ghCase{{name: "issue view, list, status", before: func(s *model.State, repo *model.Repo) error {
		milestone := 1
		return s.EditIssue(s.User(me).ID, repo, s.Issue(repo, 2), model.IssueEdit{Assignees: &[]string{me}, Milestone: &milestone})
	}, steps: []step{
		{"issue view 3", 0, "title:\tIssue 3\nstate:\tOPEN\nauthor:\toctocat\nlabels:\tbug\ncomments:\t1\nIt may crash"},
		{"issue view 3 --comments", 0, "author:\tmonalisa\nfirst"},
		{"issue view 3 --json number,title,state,body,author,assignees,labels,milestone,comments,projectCards,projectItems,reactionGroups,url,closed,closedAt,isPinned,stateReason", 0,
			`{"number":3,"title":"Issue 3","state":"OPEN","author":{"login":"octocat","is_bot":false,"name":"The Octocat"},"labels":[{"name":"bug","color":"d73a4a"}],"milestone":null,
			"comments":[{"body":"first","author":{"login":"monalisa"}}],"projectCards":[],"projectItems":[{"title":"Board"}],"closed":false,"isPinned":false,"stateReason":""}`},
		{"issue list --json number -q .[].number", 0, "6\n5\n4\n3\n2\n1\n"},
		{"issue list --label bug --author octocat --state all --json number,title,labels,assignees,milestone,state", 0, `[{"number":3,"labels":[{"name":"bug"}],"assignees":[],"milestone":null,"state":"OPEN"}]`},
		{"issue list --assignee @me --json number", 0, `[{"number":2}]`},
		{"issue list --milestone M1 --json number", 0, `[{"number":2}]`},
		{"issue list --mention octocat", 0, ""},
		{"issue list --search 'crash in:body label:bug' --json number", 0, `[{"number":3}]`},
		{"issue status", 0, "Issues assigned to you\n  2\tOPEN\tIssue 2\t"},
		{"issue view 99", refused, "Could not resolve to an issue or pull request with the number of 99."},
	}}})
}

func TestGHChangesIssues(t *testing.T) {
	testkit.NeedComplete(t)
	runCases(t, []ghCase{
		{name: "create", steps: []step{
			{"issue create --title T --body B --label bug --assignee @me --milestone M1 --project Board", 0, "https://github.com/acme/widgets/issues/8"},
			{"issue create --title T --body B --milestone none", refused, "'none' not found"},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			i := s.Issue(repo, 8)
			assert.Equal(t, []string{"T", "B", me, "M1"}, []string{i.Title, i.Body, s.Login(i.AuthorID), s.Milestones.Get(i.MilestoneID).Title})
			assert.Equal(t, []string{"bug"}, labelsOf(s, i))
			assert.Equal(t, []string{me}, loginsOf(s, i.Assignees))
			assert.Len(t, s.ItemsAbout(i.AuthorID, i), 1)
		}},
		{name: "edit", steps: []step{
			{"issue edit 3 --title T --body B --add-label feature --remove-label bug --add-assignee @me --milestone M1", 0, "https://github.com/acme/widgets/issues/3"},
			{"issue edit 3 --remove-milestone", 0, ""},
			{"issue edit 4 5 --add-label bug", 0, "issues/4\nissues/5"},
			{"issue edit 4 --add-project Board", 0, ""},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			i := s.Issue(repo, 3)
			assert.Equal(t, []string{"T", "B"}, []string{i.Title, i.Body})
			assert.Equal(t, []string{"feature"}, labelsOf(s, i))
			assert.Zero(t, i.MilestoneID)
			assert.Len(t, s.ItemsAbout(s.User(me).ID, s.Issue(repo, 4)), 1)
		}},
		{name: "close, reopen, comment, lock", steps: []step{
			{"issue close 3 --reason 'not planned' --comment c", 0, "Closed issue acme/widgets#3 (Issue 3)"},
			{"issue view 3 --json state,stateReason", 0, `{"state":"CLOSED","stateReason":"NOT_PLANNED"}`},
			{"issue reopen 3", 0, "Reopened issue acme/widgets#3"},
			{"issue close 3", 0, "Closed issue"},
			{"issue view 3 --json stateReason", 0, `{"stateReason":"COMPLETED"}`},
			{"issue comment 3 --body hi", 0, "#issuecomment-"},
			{"issue comment 3 --edit-last --body x", 0, "#issuecomment-"},
			{"issue lock 3 --reason off_topic", 0, ""},
			{"issue unlock 3", 0, ""},
			{"issue lock 3", 0, ""},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			i := s.Issue(repo, 3)
			comments := s.CommentsOf(i)
			assert.Equal(t, []string{"first", "c", "x"}, []string{comments[0].Body, comments[1].Body, comments[2].Body})
			assert.True(t, i.Locked)
		}},
		{name: "pin, transfer, delete", steps: []step{
			{"issue pin 3", 0, "Pinned issue acme/widgets#3"},
			{"issue pin 3", 0, "is already pinned"},
			{"issue unpin 3", 0, "Unpinned issue acme/widgets#3"},
			{"issue unpin 3", 0, "is not pinned"},
			{"issue pin 2", 0, ""},
			{"issue transfer 3 acme/other", 0, "https://github.com/acme/other/issues/1"},
			{"api repos/acme/widgets/issues/3 -q .html_url", 0, "https://github.com/acme/other/issues/1"},
			{"issue delete 4 --yes", 0, ""},
			{"issue view 4", refused, "Could not resolve"},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			assert.True(t, s.Issue(repo, 2).Pinned)
			assert.Nil(t, s.Issue(repo, 3))
			moved := s.Issue(s.Repo(acme, "other"), 1)
			assert.Equal(t, "Issue 3", moved.Title)
			assert.Equal(t, "first", s.CommentsOf(moved)[0].Body)
			assert.Nil(t, s.Issue(repo, 4))
		}},
		{name: "develop", steps: []step{
			{"issue develop 3 --name br --base main", 0, "github.com/acme/widgets/tree/br"},
			{"issue develop 3 --list", 0, "br\thttps://github.com/acme/widgets/tree/br"},
			{"issue develop 4", 0, "github.com/acme/widgets/tree/4-issue-4"},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			assert.Equal(t, tip(s, repo, "main"), tip(s, repo, "br"))
		}},
	})
}

func TestGHLabels(t *testing.T) {
	testkit.NeedComplete(t)
	runCases(t, []ghCase{{name: "label", steps: []step{
		{"label list", 0, "bug\tSomething isn't working\t#d73a4a\nfeature"},
		{"label list --search bug --json name,color,description,isDefault", 0, `[{"name":"bug","color":"d73a4a","description":"Something isn't working","isDefault":false}]`},
		{"label create newl --force --color ffffff", 0, ""},
		{"label create Bug", refused, `label with name "Bug" already exists`},
		{"label create bug --force --color 000000 --description d", 0, ""},
		{"label edit bug --name bug2 --color aabbcc", 0, ""},
		{"label delete feature --yes", 0, ""},
		{"label clone acme/widgets -R acme/other", 0, ""},
	}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
		var names []string
		for _, l := range s.LabelsOf(repo) {
			names = append(names, l.Name+" "+l.Color)
		}
		assert.Equal(t, []string{"bug2 aabbcc", "newl ffffff"}, names)
		assert.Equal(t, []string{"bug2"}, labelsOf(s, s.Issue(repo, 3)), "issues keep it by its new name")
		assert.Len(t, s.LabelsOf(s.Repo(acme, "other")), 2)
	}}})
}
