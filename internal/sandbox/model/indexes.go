package model

import "cmp"

// The indexes, by table. What belongs to something is found by its id.
var (
	issueByNumber = index[Issue]{0, func(i *Issue, has func(key)) { has(key{of: i.RepoID, n: i.Number}) }}
	issueByPull   = index[Issue]{1, func(i *Issue, has func(key)) {
		if i.Pull != nil {
			has(key{of: i.Pull.ID})
		}
	}}
	pullByRepo = index[Issue]{2, func(i *Issue, has func(key)) {
		if i.Pull != nil {
			has(key{of: i.RepoID})
		}
	}}
	openPullByRepo = index[Issue]{3, func(i *Issue, has func(key)) {
		if i.Pull != nil && !i.Closed {
			has(key{of: i.RepoID})
		}
	}}
	// openPullByHead is by the repository that the head is in.
	openPullByHead = index[Issue]{4, func(i *Issue, has func(key)) {
		if i.Pull != nil && !i.Closed {
			has(key{of: cmp.Or(i.Pull.HeadRepoID, i.RepoID)})
		}
	}}
	openByRepo = index[Issue]{5, func(i *Issue, has func(key)) {
		if !i.Closed {
			has(key{of: i.RepoID})
		}
	}}
	// byMilestone has 1 as a number for those that are closed.
	byMilestone = index[Issue]{6, func(i *Issue, has func(key)) {
		switch {
		case i.MilestoneID == 0:
		case i.Closed:
			has(key{of: i.MilestoneID, n: 1})
		default:
			has(key{of: i.MilestoneID})
		}
	}}
	// issueBySub and issueByBlocker are those that name another issue.
	issueBySub = index[Issue]{7, func(i *Issue, has func(key)) {
		for _, id := range i.SubIssues {
			has(key{of: id})
		}
	}}
	issueByBlocker = index[Issue]{8, func(i *Issue, has func(key)) {
		for _, id := range i.BlockedBy {
			has(key{of: id})
		}
	}}
	pinnedByRepo = index[Issue]{9, func(i *Issue, has func(key)) {
		if i.Pinned {
			has(key{of: i.RepoID})
		}
	}}
	// issueByBranch is by the repository of a linked branch and its name.
	issueByBranch = index[Issue]{10, func(i *Issue, has func(key)) {
		for _, b := range i.Branches {
			has(key{of: b.RepoID, text: b.Name})
		}
	}}
	pullByLinked = index[Issue]{11, func(i *Issue, has func(key)) {
		if i.Pull == nil {
			return
		}
		for _, id := range i.Pull.LinkedIssues {
			has(key{of: id})
		}
	}}
	// pullByHead is by the repository that the head is in and its branch.
	pullByHead = index[Issue]{12, func(i *Issue, has func(key)) {
		if i.Pull != nil {
			has(key{of: cmp.Or(i.Pull.HeadRepoID, i.RepoID), text: i.Pull.HeadRef})
		}
	}}
	// mergedByAuthor is by the repository and who has opened the pull request.
	mergedByAuthor = index[Issue]{13, func(i *Issue, has func(key)) {
		if i.Pull != nil && i.Pull.Merged() {
			has(key{of: i.RepoID, n: int(i.AuthorID)})
		}
	}}
	issueIndexes = []index[Issue]{
		issueByNumber, issueByPull, pullByRepo, openPullByRepo, openPullByHead, openByRepo, byMilestone, issueBySub, issueByBlocker, pinnedByRepo,
		issueByBranch, pullByLinked, pullByHead, mergedByAuthor,
	}

	labelByRepo        = index[Label]{0, func(l *Label, has func(key)) { has(key{of: l.RepoID}) }}
	milestoneByRepo    = index[Milestone]{0, func(m *Milestone, has func(key)) { has(key{of: m.RepoID}) }}
	commentByIssue     = index[Comment]{0, func(c *Comment, has func(key)) { has(key{of: c.IssueID}) }}
	reviewByIssue      = index[Review]{0, func(r *Review, has func(key)) { has(key{of: r.IssueID}) }}
	threadByIssue      = index[Thread]{0, func(t *Thread, has func(key)) { has(key{of: t.IssueID}) }}
	commentByThread    = index[ReviewComment]{0, func(c *ReviewComment, has func(key)) { has(key{of: c.ThreadID}) }}
	commentByReview    = index[ReviewComment]{1, func(c *ReviewComment, has func(key)) { has(key{of: c.ReviewID}) }}
	workflowByRepo     = index[Workflow]{0, func(w *Workflow, has func(key)) { has(key{of: w.RepoID}) }}
	runBySuite         = index[Run]{0, func(r *Run, has func(key)) { has(key{of: r.SuiteID}) }}
	jobByRun           = index[Job]{0, func(j *Job, has func(key)) { has(key{of: j.RunID}) }}
	artifactByRun      = index[Artifact]{0, func(a *Artifact, has func(key)) { has(key{of: a.RunID}) }}
	suiteByCommit      = index[CheckSuite]{0, func(c *CheckSuite, has func(key)) { has(key{of: c.RepoID, text: c.HeadSHA}) }}
	checkByCommit      = index[CheckRun]{0, func(c *CheckRun, has func(key)) { has(key{of: c.RepoID, text: c.HeadSHA}) }}
	checkBySuite       = index[CheckRun]{1, func(c *CheckRun, has func(key)) { has(key{of: c.SuiteID}) }}
	statusByCommit     = index[CommitStatus]{0, func(c *CommitStatus, has func(key)) { has(key{of: c.RepoID, text: c.CommitSHA}) }}
	environmentByRepo  = index[Environment]{0, func(e *Environment, has func(key)) { has(key{of: e.RepoID}) }}
	deploymentByRepo   = index[Deployment]{0, func(d *Deployment, has func(key)) { has(key{of: d.RepoID}) }}
	statusByDeployment = index[DeploymentStatus]{0, func(d *DeploymentStatus, has func(key)) { has(key{of: d.DeploymentID}) }}
	eventByIssue       = index[Event]{0, func(e *Event, has func(key)) { has(key{of: e.IssueID}) }}
	reactionBySubject  = index[Reaction]{0, func(r *Reaction, has func(key)) { has(key{of: r.SubjectID}) }}
	releaseByRepo      = index[Release]{0, func(r *Release, has func(key)) { has(key{of: r.RepoID}) }}
	fieldByProject     = index[ProjectField]{0, func(f *ProjectField, has func(key)) { has(key{of: f.ProjectID}) }}
	itemByProject      = index[ProjectItem]{0, func(i *ProjectItem, has func(key)) { has(key{of: i.ProjectID}) }}
	commentByCommit    = index[CommitComment]{0, func(c *CommitComment, has func(key)) { has(key{of: c.RepoID, text: c.CommitSHA}) }}
	// teamByRepo is by the repositories that a team was given.
	teamByRepo = index[Team]{0, func(t *Team, has func(key)) {
		for id := range t.Repos {
			has(key{of: id})
		}
	}}
	// itemByIssue finds drafts under 0.
	itemByIssue = index[ProjectItem]{1, func(i *ProjectItem, has func(key)) { has(key{of: i.IssueID}) }}

	notificationByUser = index[Notification]{0, func(n *Notification, has func(key)) { has(key{of: n.UserID}) }}
	// discussionByNumber finds all of a repository's under 0.
	discussionByNumber = index[Discussion]{0, func(d *Discussion, has func(key)) {
		has(key{of: d.RepoID})
		has(key{of: d.RepoID, n: d.Number})
	}}
	commentByGist       = index[GistComment]{0, func(c *GistComment, has func(key)) { has(key{of: c.GistID}) }}
	commentByDiscussion = index[DiscussionComment]{0, func(c *DiscussionComment, has func(key)) { has(key{of: c.DiscussionID}) }}

	notificationBySubject = index[Notification]{1, func(n *Notification, has func(key)) { has(key{of: n.SubjectID}) }}
)
