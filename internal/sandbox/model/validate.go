package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// Validate reports the first row of a world that does not fit the others. What
// it lets pass can be used without further checks: every row that another one
// depends on is there. Authors, assignees, labels and milestones may be gone,
// as on GitHub.
func (s *State) Validate() error {
	v := &validation{s: s}
	v.accounts()
	v.repositories()
	v.conversations()
	v.reviews()
	v.actions()
	v.deployments()
	v.notifications()
	v.activities()
	v.discussions()
	v.releases()
	v.projects()
	return v.problem
}

// demand notes a problem with a row unless something holds.
type demand func(holds bool, what string)

type validation struct {
	s       *State
	problem error
}

// each checks the rows of a table: that they have the id under which they are
// stored, one that was given, and what check demands. It does nothing after
// the first problem.
func each[T any](v *validation, kind string, t *Table[T], id func(*T) ID, check func(row *T, must demand)) {
	for key, row := range t.each {
		if v.problem != nil {
			return
		}
		must := func(holds bool, what string) {
			if !holds && v.problem == nil {
				v.problem = fmt.Errorf("%s %d: %s", kind, key, what)
			}
		}
		must(id(row) == key, "is stored under another id")
		must(key > 0 && key <= v.s.LastID && key <= math.MaxUint32, "has an id that was never given")
		check(row, must)
	}
}

// Complaints that several kinds of row share.
const (
	lacksRepo   = "its repository is missing"
	lacksIssue  = "its issue is missing"
	lacksPull   = "its pull request is missing"
	lacksCommit = "its commit is missing"
)

func (v *validation) repo(id ID) bool { return v.s.Repos.Get(id) != nil }

// issue reports whether an issue or pull request is in a repository.
func (v *validation) issue(id, repo ID) bool {
	i := v.s.Issues.Get(id)
	return i != nil && i.RepoID == repo
}

func (v *validation) pull(id, repo ID) bool {
	return v.issue(id, repo) && v.s.Issues.Get(id).Pull != nil
}

func (v *validation) commit(repo ID, sha string) bool {
	r := v.s.Repos.Get(repo)
	if r == nil {
		return false
	}
	_, err := r.Git.Commit(plumbing.NewHash(sha))
	return err == nil
}

func (v *validation) accounts() {
	each(v, "user", &v.s.Users, func(u *User) ID { return u.ID }, func(u *User, must demand) {
		must(u.Login != "", "has no login")
		must(slices.Contains([]UserType{TypeUser, TypeOrganization, TypeBot}, u.Type), "is of no known type")
	})
	each(v, "gist", &v.s.Gists, func(g *Gist) ID { return g.ID }, func(g *Gist, must demand) {
		must(v.s.Users.Get(g.OwnerID) != nil, "its owner is missing")
	})
	each(v, "gist comment", &v.s.GistComments, func(c *GistComment) ID { return c.ID }, func(c *GistComment, must demand) {
		must(v.s.Gists.Get(c.GistID) != nil, "its gist is missing")
	})
	each(v, "team", &v.s.Teams, func(t *Team) ID { return t.ID }, func(t *Team, must demand) {
		must(v.s.Users.Get(t.OrgID) != nil, "its organization is missing")
	})
	each(v, "app", &v.s.Apps, func(a *App) ID { return a.ID }, func(*App, demand) {})
}

func (v *validation) repositories() {
	each(v, "repository", &v.s.Repos, func(r *Repo) ID { return r.ID }, func(r *Repo, must demand) {
		must(v.s.Users.Get(r.OwnerID) != nil, "its owner is missing")
		must(r.Name != "" && r.DefaultBranch != "", "has no name or no default branch")
		must(r.Git != nil, "has no git objects")
		must(r.Collaborators != nil && r.LastRunNumber != nil && r.Protection != nil, "lacks collaborators, run numbers or protection")
	})
	each(v, "installation", &v.s.Installations, func(i *Installation) ID { return i.ID }, func(i *Installation, must demand) {
		must(v.s.Apps.Get(i.AppID) != nil, "its App is missing")
		must(v.s.Users.Get(i.AccountID) != nil, "its account is missing")
	})
	each(v, "webhook", &v.s.Hooks, func(h *Hook) ID { return h.ID }, func(h *Hook, must demand) {
		if h.OrgID == 0 {
			must(v.repo(h.RepoID), lacksRepo)
			return
		}
		org := v.s.Users.Get(h.OrgID)
		must(h.RepoID == 0 && org != nil && org.Type == TypeOrganization, "its organization is missing")
	})
	each(v, "commit comment", &v.s.CommitComments, func(c *CommitComment) ID { return c.ID }, func(c *CommitComment, must demand) {
		must(v.commit(c.RepoID, c.CommitSHA), lacksCommit)
	})
	each(v, "invitation", &v.s.Invitations, func(i *Invitation) ID { return i.ID }, func(i *Invitation, must demand) {
		must(v.repo(i.RepoID), lacksRepo)
		must(v.s.Users.Get(i.InviteeID) != nil, "its invitee is missing")
	})
	each(v, "label", &v.s.Labels, func(l *Label) ID { return l.ID }, func(l *Label, must demand) {
		must(v.repo(l.RepoID), lacksRepo)
	})
	each(v, "milestone", &v.s.Milestones, func(m *Milestone) ID { return m.ID }, func(m *Milestone, must demand) {
		must(v.repo(m.RepoID), lacksRepo)
	})
}

func (v *validation) conversations() {
	type place struct {
		repo   ID
		number int
	}
	taken, pulls, under := map[place]bool{}, map[ID]bool{}, map[ID]bool{}
	each(v, "issue", &v.s.Issues, func(i *Issue) ID { return i.ID }, func(i *Issue, must demand) {
		repo, at := v.s.Repos.Get(i.RepoID), place{i.RepoID, i.Number}
		must(repo != nil, lacksRepo)
		must(!taken[at], "has the number of another one")
		must(i.Number > 0 && (repo == nil || i.Number <= repo.LastNumber), "has a number that was never given")
		taken[at] = true
		for _, id := range slices.Concat(i.SubIssues, i.BlockedBy) {
			must(v.s.Issues.Get(id) != nil && id != i.ID, "has a sub-issue, or waits for an issue, that is missing or itself")
		}
		for _, id := range i.SubIssues {
			must(!under[id], "has a sub-issue that is another one's too")
			under[id] = true
		}
		if i.Pull == nil {
			return
		}
		must(i.Pull.ID > 0 && i.Pull.ID <= v.s.LastID && !pulls[i.Pull.ID], "has a pull request id that was never given or is another one's")
		pulls[i.Pull.ID] = true
		must(v.commit(i.RepoID, i.Pull.HeadSHA) && v.commit(i.RepoID, i.Pull.BaseSHA), lacksCommit)
	})
	each(v, "comment", &v.s.Comments, func(c *Comment) ID { return c.ID }, func(c *Comment, must demand) {
		must(v.issue(c.IssueID, c.RepoID), lacksIssue)
	})
	each(v, "reaction", &v.s.Reactions, func(r *Reaction) ID { return r.ID }, func(r *Reaction, must demand) {
		must(v.repo(r.RepoID), lacksRepo)
		must(v.issue(r.SubjectID, r.RepoID) || v.s.Comments.Get(r.SubjectID) != nil || v.s.ReviewComments.Get(r.SubjectID) != nil || v.s.Reviews.Get(r.SubjectID) != nil || v.s.CommitComments.Get(r.SubjectID) != nil, "what it is about is missing")
	})
	each(v, "event", &v.s.Events, func(e *Event) ID { return e.ID }, func(e *Event, must demand) {
		must(v.issue(e.IssueID, e.RepoID), lacksIssue)
	})
}

func (v *validation) reviews() {
	states := []ReviewState{ReviewPending, ReviewCommented, ReviewApproved, ReviewChangesRequested, ReviewDismissed}
	each(v, "review", &v.s.Reviews, func(r *Review) ID { return r.ID }, func(r *Review, must demand) {
		must(v.pull(r.IssueID, r.RepoID), lacksPull)
		must(slices.Contains(states, r.State), "is in no known state")
	})
	talked := map[ID]bool{}
	each(v, "review comment", &v.s.ReviewComments, func(c *ReviewComment) ID { return c.ID }, func(c *ReviewComment, must demand) {
		t, r := v.s.Threads.Get(c.ThreadID), v.s.Reviews.Get(c.ReviewID)
		must(t != nil && t.RepoID == c.RepoID, "its thread is missing")
		must(r != nil && (t == nil || r.IssueID == t.IssueID), "its review is missing")
		talked[c.ThreadID] = true
	})
	each(v, "thread", &v.s.Threads, func(t *Thread) ID { return t.ID }, func(t *Thread, must demand) {
		must(v.pull(t.IssueID, t.RepoID), lacksPull)
		must(talked[t.ID], "has no comment")
		must(v.commit(t.RepoID, t.CommitSHA), lacksCommit)
	})
}

func (v *validation) actions() {
	each(v, "workflow", &v.s.Workflows, func(w *Workflow) ID { return w.ID }, func(w *Workflow, must demand) {
		must(v.repo(w.RepoID), lacksRepo)
	})
	each(v, "check suite", &v.s.CheckSuites, func(c *CheckSuite) ID { return c.ID }, func(c *CheckSuite, must demand) {
		must(v.repo(c.RepoID), lacksRepo)
	})
	each(v, "check run", &v.s.CheckRuns, func(c *CheckRun) ID { return c.ID }, func(c *CheckRun, must demand) {
		suite := v.s.CheckSuites.Get(c.SuiteID)
		must(suite != nil && suite.RepoID == c.RepoID, "its check suite is missing")
	})
	each(v, "commit status", &v.s.Statuses, func(c *CommitStatus) ID { return c.ID }, func(c *CommitStatus, must demand) {
		must(v.commit(c.RepoID, c.CommitSHA), lacksCommit)
	})
	each(v, "run", &v.s.Runs, func(r *Run) ID { return r.ID }, func(r *Run, must demand) {
		w, suite := v.s.Workflows.Get(r.WorkflowID), v.s.CheckSuites.Get(r.SuiteID)
		must(w != nil && w.RepoID == r.RepoID, "its workflow is missing")
		must(suite != nil && suite.RepoID == r.RepoID, "its check suite is missing")
		must(len(r.Attempts) > 0, "has no attempt")
		for _, a := range r.Attempts {
			for _, id := range a.Jobs {
				job := v.s.Jobs.Get(id)
				must(job != nil && job.RunID == r.ID, "one of its jobs is missing")
			}
		}
	})
	each(v, "artifact", &v.s.Artifacts, func(a *Artifact) ID { return a.ID }, func(a *Artifact, must demand) {
		run := v.s.Runs.Get(a.RunID)
		must(run != nil && run.RepoID == a.RepoID, "its run is missing")
	})
	each(v, "job", &v.s.Jobs, func(j *Job) ID { return j.ID }, func(j *Job, must demand) {
		run := v.s.Runs.Get(j.RunID)
		must(run != nil && run.RepoID == j.RepoID, "its run is missing")
		must(v.s.CheckRuns.Get(j.ID) != nil, "its check run is missing")
	})
}
