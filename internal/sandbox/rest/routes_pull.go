package rest

import (
	"net/http"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func pullRoutes() []route {
	const pulls = reposPath + "/pulls"
	return []route{
		{"GET " + pulls, onRepo(listPulls)},
		{"POST " + pulls, onRepo(createPull)},
		{"GET " + pulls + "/{number}", onPull(getPull)},
		{"PATCH " + pulls + "/{number}", onPull(updatePull)},
		{"GET " + pulls + "/{number}/files", onPull(listFiles)},
		{"GET " + pulls + "/{number}/commits", onPull(listPullCommits)},
		{"GET " + pulls + "/{number}/merge", onPull(isMerged)},
		{"PUT " + pulls + "/{number}/merge", onPull(mergePull)},
		{"PUT " + pulls + "/{number}/update-branch", onPull(updateBranch)},
		{"POST " + pulls + "/{number}/requested_reviewers", onPull(requestReviewers)},
		{"DELETE " + pulls + "/{number}/requested_reviewers", onPull(removeReviewers)},
	}
}

func listPulls(c *call, repo *model.Repo) (reply, error) {
	query := c.URL.Query()
	wanted, base, head := orOpen(query.Get("state")), query.Get("base"), query.Get("head")
	pulls := c.s.Issues.Where(func(i *model.Issue) bool {
		return i.RepoID == repo.ID && i.Pull != nil && (wanted == "all" || state(i.Closed) == wanted) &&
			(base == "" || i.Pull.BaseRef == base) && c.fromHead(i, head)
	})
	c.sortIssues(pulls, pullOrdering.of(query))
	return list(c, pulls, c.pull)
}

// fromHead reports whether a pull request comes from "owner:branch". GitHub
// takes a filter of any other form as none.
func (c *call) fromHead(i *model.Issue, head string) bool {
	owner, branch, ok := strings.Cut(head, ":")
	from := c.s.HeadRepo(i)
	return !ok || from != nil && strings.EqualFold(owner, c.s.Login(from.OwnerID)) && branch == i.Pull.HeadRef
}

func createPull(c *call, repo *model.Repo) (reply, error) {
	in := struct {
		Title, Body, Head, Base string
		Draft                   bool
		MaintainerCanModify     bool   `json:"maintainer_can_modify"`
		HeadRepo                string `json:"head_repo"`
		Issue                   *int
	}{MaintainerCanModify: true}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	opened := model.NewPull{Title: in.Title, Body: in.Body, Head: in.Head, HeadRepo: in.HeadRepo, Base: in.Base, Draft: in.Draft, MaintainerCanModify: in.MaintainerCanModify}
	if in.Issue != nil {
		if opened.Issue = c.s.Issue(repo, *in.Issue); opened.Issue == nil {
			return reply{}, &model.Problem{Kind: model.Invalid, Message: "Validation Failed", Errors: []model.FieldError{{Resource: "PullRequest", Field: "issue", Code: "invalid"}}}
		}
		if i := opened.Issue; i.Pull == nil && (i.Pinned || i.TypeID != 0 || len(i.SubIssues)+len(i.BlockedBy)+len(i.Branches) > 0 || c.s.Parent(i) != nil) {
			return reply{}, c.lacks("one that is pinned, has a type or branches, or is related to others as the issue")
		}
	}
	i, err := c.s.OpenPull(c.actor, repo, opened)
	if err != nil {
		return reply{}, err
	}
	return createdOr(c.fullPull(i))
}

func getPull(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	if c.accepts("diff") || c.accepts("patch") {
		base, head, err := c.s.PullRange(i)
		if err != nil {
			return reply{}, err
		}
		return diffText(c, repo, base, head)
	}
	return okOr(c.fullPull(i))
}

func updatePull(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	var in struct {
		Title, Body, State, Base *string
		MaintainerCanModify      *bool `json:"maintainer_can_modify"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.s.EditIssue(c.actor, repo, i, model.IssueEdit{
		Title: in.Title, Body: in.Body, State: in.State, Base: in.Base, MaintainerCanModify: in.MaintainerCanModify,
	}); err != nil {
		return reply{}, err
	}
	return okOr(c.fullPull(i))
}

func listFiles(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	files, err := c.s.PullDiff(i)
	if err != nil {
		return reply{}, err
	}
	return list(c, files, func(f gitstore.FileDiff) fileView { return c.file(repo, i.Pull.HeadSHA, f) })
}

func listPullCommits(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	commits, err := c.s.PullCommits(i)
	if err != nil {
		return reply{}, err
	}
	return list(c, commits, func(commit gitstore.Commit) commitView { return c.commit(repo, commit) })
}

func isMerged(_ *call, _ *model.Repo, i *model.Issue) (reply, error) {
	if !i.Pull.Merged() {
		return reply{}, errNotFound
	}
	return noContent()
}

func mergePull(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	var in struct {
		CommitTitle   string `json:"commit_title"`
		CommitMessage string `json:"commit_message"`
		SHA           string `json:"sha"`
		MergeMethod   string `json:"merge_method"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	err := c.s.MergePull(c.actor, i, model.Merge{
		Method: model.MergeMethod(orDefault(in.MergeMethod, string(model.MethodMerge))),
		Title:  in.CommitTitle, Message: in.CommitMessage, ExpectedHead: in.SHA,
	})
	if err != nil {
		return reply{}, err
	}
	return ok(map[string]any{"sha": i.Pull.MergeCommitSHA, "merged": true, "message": "Pull Request successfully merged"})
}

func updateBranch(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	var in struct {
		ExpectedHeadSHA string `json:"expected_head_sha"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.s.UpdatePullBranch(c.actor, i, model.BranchUpdate{ExpectedHead: in.ExpectedHeadSHA}); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusAccepted, body: map[string]string{
		"message": "Updating pull request branch.", "url": c.pull(i).URL,
	}}, nil
}

// reviewers are those whom a request asks for a review, or no more.
type reviewers struct {
	Reviewers     []string
	TeamReviewers []string `json:"team_reviewers"`
}

func requestReviewers(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	var in reviewers
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.s.RequestReviewers(c.actor, i, c.userIDs(in.Reviewers), true); err != nil {
		return reply{}, err
	}
	if len(in.TeamReviewers) > 0 {
		if err := c.s.RequestTeams(c.actor, i, c.teamIDs(c.s.Users.Get(repo.OwnerID), in.TeamReviewers), true); err != nil {
			return reply{}, err
		}
	}
	return created(c.pull(i))
}

func removeReviewers(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	var in reviewers
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	var teams []model.ID
	if len(in.TeamReviewers) > 0 {
		teams = c.teamIDs(c.s.Users.Get(repo.OwnerID), in.TeamReviewers)
	}
	if err := c.s.RemoveReviewers(c.actor, i, c.userIDs(in.Reviewers), teams); err != nil {
		return reply{}, err
	}
	return ok(c.pull(i))
}
