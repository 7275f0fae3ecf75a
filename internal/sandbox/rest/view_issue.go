package rest

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

type labelView struct {
	ID          int64   `json:"id"`
	NodeID      string  `json:"node_id"`
	URL         string  `json:"url"`
	Name        string  `json:"name"`
	Color       string  `json:"color"`
	Default     bool    `json:"default"`
	Description *string `json:"description"`
}

func (v *view) label(l *model.Label) labelView {
	return labelView{
		ID: l.ID, NodeID: model.NodeID(model.NodeLabel, l.RepoID, l.ID),
		URL:  v.repoURL(l.RepoID) + "/labels/" + pathEscape(l.Name),
		Name: l.Name, Color: l.Color, Default: l.Default, Description: optional(l.Description),
	}
}

func (v *view) labels(ids []model.ID) []labelView {
	views := make([]labelView, 0, len(ids))
	for _, id := range ids {
		if l := v.s.Labels.Get(id); l != nil {
			views = append(views, v.label(l))
		}
	}
	return views
}

type milestoneView struct {
	URL          string    `json:"url"`
	HTMLURL      string    `json:"html_url"`
	LabelsURL    string    `json:"labels_url"`
	ID           int64     `json:"id"`
	NodeID       string    `json:"node_id"`
	Number       int       `json:"number"`
	Title        string    `json:"title"`
	Description  *string   `json:"description"`
	Creator      *userView `json:"creator"`
	OpenIssues   int       `json:"open_issues"`
	ClosedIssues int       `json:"closed_issues"`
	State        string    `json:"state"`
	CreatedAt    stamp     `json:"created_at"`
	UpdatedAt    stamp     `json:"updated_at"`
	DueOn        stamp     `json:"due_on"`
	ClosedAt     stamp     `json:"closed_at"`
}

func (v *view) milestone(id model.ID) *milestoneView {
	if m := v.s.Milestones.Get(id); m != nil {
		return v.milestoneRow(m)
	}
	return nil
}

func (v *view) milestoneRow(m *model.Milestone) *milestoneView {
	api := fmt.Sprintf("%s/milestones/%d", v.repoURL(m.RepoID), m.Number)
	view := &milestoneView{
		URL: api, HTMLURL: fmt.Sprintf("%s/milestone/%d", v.repoHTML(m.RepoID), m.Number), LabelsURL: api + "/labels",
		ID: m.ID, NodeID: model.NodeID(model.NodeMilestone, m.RepoID, m.ID), Number: m.Number, Title: m.Title,
		Description: optional(m.Description), Creator: v.user(m.CreatorID), State: state(m.Closed),
		CreatedAt: at(m.CreatedAt), UpdatedAt: at(m.UpdatedAt), DueOn: maybe(m.DueOn), ClosedAt: maybe(m.ClosedAt),
	}
	view.OpenIssues, view.ClosedIssues = v.s.InMilestone(m)
	return view
}

func state(closed bool) string {
	if closed {
		return "closed"
	}
	return "open"
}

type issueView struct {
	URL               string          `json:"url"`
	RepositoryURL     string          `json:"repository_url"`
	LabelsURL         string          `json:"labels_url"`
	CommentsURL       string          `json:"comments_url"`
	EventsURL         string          `json:"events_url"`
	HTMLURL           string          `json:"html_url"`
	ID                int64           `json:"id"`
	NodeID            string          `json:"node_id"`
	Number            int             `json:"number"`
	Title             string          `json:"title"`
	User              *userView       `json:"user"`
	Labels            []labelView     `json:"labels"`
	State             string          `json:"state"`
	Locked            bool            `json:"locked"`
	Assignee          *userView       `json:"assignee"`
	Assignees         []*userView     `json:"assignees"`
	Milestone         *milestoneView  `json:"milestone"`
	Comments          int             `json:"comments"`
	CreatedAt         stamp           `json:"created_at"`
	UpdatedAt         stamp           `json:"updated_at"`
	ClosedAt          stamp           `json:"closed_at"`
	AuthorAssociation string          `json:"author_association"`
	ActiveLockReason  *string         `json:"active_lock_reason"`
	Draft             *bool           `json:"draft,omitempty"`
	PullRequest       *issuePullLinks `json:"pull_request,omitempty"`
	Body              *string         `json:"body"`
	ClosedBy          *userView       `json:"closed_by"`
	Reactions         map[string]any  `json:"reactions"`
	TimelineURL       string          `json:"timeline_url"`
	StateReason       *string         `json:"state_reason"`
	*issueSummaries
	// Type is there only where it has one.
	Type *issueTypeView `json:"type,omitempty"`
}

// issueSummaries count what an issue is related to; pull requests have none.
type issueSummaries struct {
	SubIssues struct {
		Total            int `json:"total"`
		Completed        int `json:"completed"`
		PercentCompleted int `json:"percent_completed"`
	} `json:"sub_issues_summary"`
	// Dependencies count those that are open, and all.
	Dependencies struct {
		BlockedBy      int `json:"blocked_by"`
		Blocking       int `json:"blocking"`
		TotalBlockedBy int `json:"total_blocked_by"`
		TotalBlocking  int `json:"total_blocking"`
	} `json:"issue_dependencies_summary"`
}

func (v *view) summaries(i *model.Issue) *issueSummaries {
	var of issueSummaries
	_, of.SubIssues.Completed, of.SubIssues.Total = v.counted(i.SubIssues)
	of.SubIssues.PercentCompleted = of.SubIssues.Completed * 100 / max(of.SubIssues.Total, 1)
	of.Dependencies.BlockedBy, _, of.Dependencies.TotalBlockedBy = v.counted(i.BlockedBy)
	of.Dependencies.Blocking, _, of.Dependencies.TotalBlocking = v.counted(v.s.Blocked(i))
	return &of
}

func (v *view) counted(issues []model.ID) (open, closed, all int) {
	for _, id := range issues {
		switch i := v.s.Issues.Get(id); {
		case i == nil:
		case i.Closed:
			closed++
		default:
			open++
		}
	}
	return open, closed, open + closed
}

type issuePullLinks struct {
	URL      string `json:"url"`
	HTMLURL  string `json:"html_url"`
	DiffURL  string `json:"diff_url"`
	PatchURL string `json:"patch_url"`
	MergedAt stamp  `json:"merged_at"`
}

func (v *view) issue(i *model.Issue) issueView {
	repo := v.s.Repos.Get(i.RepoID)
	api := fmt.Sprintf("%s/issues/%d", v.repoURL(i.RepoID), i.Number)
	view := issueView{
		URL: api, RepositoryURL: v.repoURL(i.RepoID), LabelsURL: api + "/labels{/name}", CommentsURL: api + "/comments",
		EventsURL: api + "/events", HTMLURL: v.issueHTML(i), ID: i.ID, NodeID: issueNode(i), Number: i.Number,
		Title: i.Title, User: v.whoever(i.AuthorID), Labels: v.labels(i.Labels), State: state(i.Closed), Locked: i.Locked,
		Assignees: v.users(i.Assignees), Milestone: v.milestone(i.MilestoneID), Comments: v.s.CommentCount(i),
		CreatedAt: at(i.CreatedAt), UpdatedAt: at(i.UpdatedAt), ClosedAt: maybe(i.ClosedAt),
		AuthorAssociation: v.s.Association(i.AuthorID, repo), Body: optional(i.Body), ClosedBy: v.user(i.ClosedBy),
		Reactions: v.reactions(api, i.ID), TimelineURL: api + "/timeline", StateReason: optional(i.StateReason), ActiveLockReason: optional(i.LockReason),
	}
	if t := v.s.TypeOf(i); t != nil {
		shown := issueType(*t)
		view.Type = &shown
	}
	if i.Pull == nil {
		view.issueSummaries = v.summaries(i)
	}
	if len(view.Assignees) > 0 {
		view.Assignee = view.Assignees[0]
	}
	if i.Pull != nil {
		draft := i.Pull.Draft
		view.Draft = &draft
		view.PullRequest = &issuePullLinks{
			URL: fmt.Sprintf("%s/pulls/%d", v.repoURL(i.RepoID), i.Number), HTMLURL: view.HTMLURL,
			DiffURL: view.HTMLURL + ".diff", PatchURL: view.HTMLURL + ".patch", MergedAt: maybe(i.Pull.MergedAt),
		}
	}
	return view
}

// issueNode returns the node id of an issue, or of the pull request that it
// is.
func issueNode(i *model.Issue) string {
	if i.Pull != nil {
		return model.NodeID(model.NodePull, i.RepoID, i.Pull.ID)
	}
	return model.NodeID(model.NodeIssue, i.RepoID, i.ID)
}

func (v *view) issueHTML(i *model.Issue) string {
	kind := "issues"
	if i.Pull != nil {
		kind = "pull"
	}
	return fmt.Sprintf("%s/%s/%d", v.repoHTML(i.RepoID), kind, i.Number)
}

type commentView struct {
	URL               string    `json:"url"`
	HTMLURL           string    `json:"html_url"`
	IssueURL          string    `json:"issue_url"`
	ID                int64     `json:"id"`
	NodeID            string    `json:"node_id"`
	User              *userView `json:"user"`
	CreatedAt         stamp     `json:"created_at"`
	UpdatedAt         stamp     `json:"updated_at"`
	AuthorAssociation string    `json:"author_association"`
	Body              string    `json:"body"`
	// App is the one that wrote the comment, null for people.
	App       *appView       `json:"performed_via_github_app"`
	Reactions map[string]any `json:"reactions"`
}

func (v *view) comment(c *model.Comment) commentView {
	i := v.s.Issues.Get(c.IssueID)
	view := commentView{
		URL:      fmt.Sprintf("%s/issues/comments/%d", v.repoURL(c.RepoID), c.ID),
		HTMLURL:  fmt.Sprintf("%s#issuecomment-%d", v.issueHTML(i), c.ID),
		IssueURL: fmt.Sprintf("%s/issues/%d", v.repoURL(c.RepoID), i.Number),
		ID:       c.ID, NodeID: model.NodeID(model.NodeComment, c.RepoID, c.ID), User: v.user(c.AuthorID),
		CreatedAt: at(c.CreatedAt), UpdatedAt: at(c.UpdatedAt),
		AuthorAssociation: v.s.Association(c.AuthorID, v.s.Repos.Get(c.RepoID)), Body: c.Body,
	}
	view.Reactions = v.reactions(view.URL, c.ID)
	if app := v.s.AppOfBot(c.AuthorID); app != nil {
		view.App = v.app(app.ID)
	}
	return view
}
