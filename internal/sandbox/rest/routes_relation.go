package rest

import (
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// relationRoutes are about issues under other ones, and issues that wait for
// other ones.
func relationRoutes() []route {
	const issue = reposPath + "/issues/{number}"
	return []route{
		{"GET " + issue + "/sub_issues", onIssue(listSubIssues)},
		{"POST " + issue + "/sub_issues", onIssue(addSubIssue)},
		{"DELETE " + issue + "/sub_issue", onIssue(removeSubIssue)},
		{"PATCH " + issue + "/sub_issues/priority", onIssue(moveSubIssue)},
		{"GET " + issue + "/parent", onIssue(getParent)},
		{"GET " + issue + "/dependencies/blocked_by", onIssue(listBlockers)},
		{"POST " + issue + "/dependencies/blocked_by", onIssue(addBlocker)},
		{"DELETE " + issue + "/dependencies/blocked_by/{issue_id}", onIssue(removeBlocker)},
		{"GET " + issue + "/dependencies/blocking", onIssue(listBlocked)},
	}
}

// visibleIssue returns an issue by its id, if the user may see it.
func (c *call) visibleIssue(id model.ID) (*model.Issue, bool) {
	found := c.s.IssuesByID(c.actor, []model.ID{id})
	if len(found) == 0 {
		return nil, false
	}
	return found[0], true
}

func (c *call) issuesByID(ids []model.ID) (reply, error) {
	return list(c, c.s.IssuesByID(c.actor, ids), c.issue)
}

func listSubIssues(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	return c.issuesByID(i.SubIssues)
}

func getParent(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	parent := c.s.Parent(i)
	if parent == nil || len(c.s.IssuesByID(c.actor, []model.ID{parent.ID})) == 0 {
		return reply{}, errNotFound
	}
	return ok(c.issue(parent))
}

var errNoSubIssue = &model.Problem{Kind: model.NotFound, Message: "The provided sub-issue does not exist"}

// subIssueInput is what names a sub-issue in a body.
type subIssueInput struct {
	SubIssueID    model.ID `json:"sub_issue_id"`
	ReplaceParent bool     `json:"replace_parent"`
	AfterID       model.ID `json:"after_id"`
	BeforeID      model.ID `json:"before_id"`
}

func (c *call) subIssue() (*model.Issue, subIssueInput, error) {
	var in subIssueInput
	if err := c.decode(&in); err != nil {
		return nil, in, err
	}
	if in.SubIssueID == 0 {
		return nil, in, missing("sub_issue_id")
	}
	sub, found := c.visibleIssue(in.SubIssueID)
	if !found {
		return nil, in, errNoSubIssue
	}
	return sub, in, nil
}

func addSubIssue(c *call, _ *model.Repo, parent *model.Issue) (reply, error) {
	sub, in, err := c.subIssue()
	if err != nil {
		return reply{}, err
	}
	if err := c.s.AddSubIssue(c.actor, parent, sub, in.ReplaceParent); err != nil {
		return reply{}, err
	}
	return created(c.issue(parent))
}

func removeSubIssue(c *call, _ *model.Repo, parent *model.Issue) (reply, error) {
	sub, _, err := c.subIssue()
	if err != nil {
		return reply{}, err
	}
	if err := c.s.RemoveSubIssue(c.actor, parent, sub); err != nil {
		return reply{}, err
	}
	return ok(c.issue(parent))
}

func moveSubIssue(c *call, _ *model.Repo, parent *model.Issue) (reply, error) {
	sub, in, err := c.subIssue()
	if err != nil {
		return reply{}, err
	}
	if (in.AfterID == 0) == (in.BeforeID == 0) {
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "Exactly one of after_id and before_id must be given."}
	}
	if err := c.s.MoveSubIssue(c.actor, parent, sub.ID, in.AfterID+in.BeforeID, in.BeforeID != 0); err != nil {
		return reply{}, err
	}
	return ok(c.issue(parent))
}

func listBlockers(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	return c.issuesByID(i.BlockedBy)
}

func listBlocked(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	return c.issuesByID(c.s.Blocked(i))
}

func addBlocker(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	var in struct {
		IssueID model.ID `json:"issue_id"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	blocker, found := c.visibleIssue(in.IssueID)
	if !found {
		return reply{}, errNotFound
	}
	if err := c.s.AddBlocker(c.actor, i, blocker); err != nil {
		return reply{}, err
	}
	return created(c.issue(i))
}

func removeBlocker(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	blocker, found := c.visibleIssue(idOf(c.PathValue("issue_id")))
	if !found {
		return reply{}, errNotFound
	}
	if err := c.s.RemoveBlocker(c.actor, i, blocker); err != nil {
		return reply{}, err
	}
	return ok(c.issue(i))
}
