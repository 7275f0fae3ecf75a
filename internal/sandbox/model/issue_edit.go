package model

import "slices"

// IssueEdit changes an issue or pull request; nil fields stay.
type IssueEdit struct {
	Title, Body *string
	// State is "open" or "closed".
	State *string
	// StateReason is completed, not_planned, duplicate or reopened; it is for
	// issues alone.
	StateReason *string
	Labels      *[]string
	Assignees   *[]string
	// Milestone is a number, 0 to clear it.
	Milestone *int
	// Type is a type of issues by its name, empty to clear it.
	Type *string
	// Base is a pull request's new base branch.
	Base *string
	// MaintainerCanModify is for pull requests from forks.
	MaintainerCanModify *bool
}

const (
	stateOpen   = "open"
	stateClosed = "closed"

	reasonCompleted = "completed"
	reasonReopened  = "reopened"
)

// EditIssue changes an issue or pull request, or refuses the whole edit. Its
// author may change it, except for labels, assignees and milestone: from
// those who may not triage these are dropped, as GitHub does, and its type from
// those who may not write.
func (s *State) EditIssue(actor ID, repo *Repo, i *Issue, edit IssueEdit) error {
	least := PermTriage
	if edit.Title != nil || edit.Body != nil || edit.Base != nil {
		least = PermWrite
	}
	if err := s.requireOfOthers(actor, repo, i.AuthorID, least); err != nil {
		return err
	}
	if s.Permission(actor, repo) < PermTriage {
		edit.Labels, edit.Assignees, edit.Milestone = nil, nil, nil
	}
	if s.Permission(actor, repo) < PermWrite {
		edit.Type = nil
	}
	if err := s.checkEdit(repo, i, edit); err != nil {
		return err
	}
	set, err := s.checkSettings(repo, edit)
	if err != nil {
		return err
	}
	i.UpdatedAt = s.Advance()
	s.rewrite(actor, repo, i, edit)
	s.set(actor, i, set)
	s.setState(actor, i, edit)
	return nil
}

// checkEdit refuses what is wrong in an edit of texts, state and base.
func (s *State) checkEdit(repo *Repo, i *Issue, edit IssueEdit) error {
	resource := "Issue"
	if i.Pull != nil {
		resource = "PullRequest"
	}
	if edit.Title != nil {
		if err := checkTitle(resource, *edit.Title); err != nil {
			return err
		}
	}
	if edit.Body != nil {
		if err := checkBody(resource, *edit.Body); err != nil {
			return err
		}
	}
	reasons := []string{reasonCompleted, "not_planned", "duplicate", reasonReopened}
	switch {
	case edit.State != nil && *edit.State != stateOpen && *edit.State != stateClosed:
		return invalidValue(resource, "state", "invalid", *edit.State)
	case edit.StateReason != nil && !slices.Contains(reasons, *edit.StateReason):
		return invalidValue(resource, "state_reason", "invalid", *edit.StateReason)
	case i.Pull == nil:
		return nil
	}
	if edit.State != nil && *edit.State == stateOpen && i.Closed {
		if err := s.checkReopen(repo, i); err != nil {
			return err
		}
	}
	if edit.Base != nil && *edit.Base != i.Pull.BaseRef {
		return s.checkBase(repo, i, *edit.Base)
	}
	return nil
}

// checkReopen refuses to reopen a pull request that is merged, has no branch
// any more, or has a successor.
func (s *State) checkReopen(repo *Repo, i *Issue) error {
	const prefix = "state cannot be changed. "
	_, exists := s.headTip(i)
	switch {
	case i.Pull.Merged():
		return custom("PullRequest", "state", prefix+"The pull request cannot be reopened.")
	case !exists:
		return custom("PullRequest", "state", prefix+"The %s branch has been deleted.", i.Pull.HeadRef)
	case s.pullBetween(repo, end{s.HeadRepo(i), i.Pull.HeadRef}, i.Pull.BaseRef):
		return custom("PullRequest", "state", prefix+"There is already an open pull request from %s to %s.",
			i.Pull.HeadRef, i.Pull.BaseRef)
	default:
		return nil
	}
}

// checkBase refuses a base branch that a pull request cannot have.
func (s *State) checkBase(repo *Repo, i *Issue, base string) error {
	if i.Closed {
		return custom("PullRequest", "base", "Cannot change the base branch of a closed pull request.")
	}
	from := end{s.HeadRepo(i), i.Pull.HeadRef}
	if from.repo == nil {
		return custom("PullRequest", "base", "The head repository has been deleted.")
	}
	_, _, err := s.checkEnds(repo, from, base)
	return err
}

// settings are an issue's, checked.
type settings struct {
	edit      IssueEdit
	assignees []ID
	milestone ID
	kind      ID
}

// checkSettings looks up assignees, milestone and type of an edit.
func (s *State) checkSettings(repo *Repo, edit IssueEdit) (settings, error) {
	set := settings{edit: edit}
	if edit.Labels != nil {
		if err := checkLabelNames(*edit.Labels); err != nil {
			return set, err
		}
	}
	if edit.Assignees != nil {
		for _, login := range *edit.Assignees {
			u := s.User(login)
			if !s.assignable(u, repo) {
				return set, invalidValue("Issue", "assignees", "invalid", login)
			}
			set.assignees = append(set.assignees, u.ID)
		}
	}
	if edit.Milestone != nil && *edit.Milestone != 0 {
		m := s.Milestone(repo, *edit.Milestone)
		if m == nil {
			return set, invalidValue("Issue", "milestone", "invalid", *edit.Milestone)
		}
		set.milestone = m.ID
	}
	if edit.Type != nil {
		var err error
		if set.kind, err = s.typeNamed(repo, *edit.Type); err != nil {
			return set, err
		}
	}
	return set, nil
}

// Milestone returns the repository's milestone of that number, nil if there is
// none.
func (s *State) Milestone(repo *Repo, number int) *Milestone {
	return s.Milestones.firstOf(milestoneByRepo, key{of: repo.ID}, func(m *Milestone) bool { return m.Number == number })
}

// set applies settings, making labels that are missing.
func (s *State) set(actor ID, i *Issue, set settings) {
	if set.edit.Labels != nil {
		s.setLabels(actor, i, s.labelIDs(s.Repos.Get(i.RepoID), *set.edit.Labels))
	}
	if set.edit.Assignees != nil {
		s.setAssignees(actor, i, set.assignees)
	}
	if set.edit.Type != nil {
		s.setType(actor, i, set.kind)
	}
	if set.edit.Milestone != nil && set.milestone != i.MilestoneID {
		if i.MilestoneID != 0 {
			s.record(actor, i, Event{Kind: "demilestoned", SubjectID: i.MilestoneID})
		}
		if i.MilestoneID = set.milestone; i.MilestoneID != 0 {
			s.record(actor, i, Event{Kind: "milestoned", SubjectID: i.MilestoneID})
		}
	}
}

// rewrite applies the texts and the base of a checked edit.
func (s *State) rewrite(actor ID, repo *Repo, i *Issue, edit IssueEdit) {
	changes := map[string]any{}
	if edit.Title != nil && *edit.Title != i.Title {
		changes["title"] = from(i.Title)
		s.record(actor, i, Event{Kind: "renamed", From: i.Title, To: *edit.Title})
		i.Title = *edit.Title
	}
	if edit.Body != nil && *edit.Body != i.Body {
		changes["body"] = from(i.Body)
		s.tellMentioned(actor, repo.ID, i.ID, i.Body, *edit.Body)
		i.Body = *edit.Body
		s.referTo(actor, i, i.Body)
	}
	if len(changes) > 0 {
		s.issueHappened(actor, i, "edited", Happening{Changes: changes})
	}
	if i.Pull == nil {
		return
	}
	if edit.MaintainerCanModify != nil && i.Pull.FromFork() {
		i.Pull.MaintainerCanModify = *edit.MaintainerCanModify
	}
	if edit.Base != nil && *edit.Base != i.Pull.BaseRef {
		s.retarget(actor, repo, i, *edit.Base)
	}
}

// retarget gives a pull request another base branch, which exists.
func (s *State) retarget(actor ID, repo *Repo, i *Issue, base string) {
	s.unqueue(actor, i)
	tip, _ := s.BranchHead(repo, base)
	changes := map[string]any{"base": map[string]any{"ref": from(i.Pull.BaseRef), "sha": from(i.Pull.BaseSHA)}}
	s.record(actor, i, Event{Kind: "base_ref_changed", From: i.Pull.BaseRef, To: base})
	i.Pull.BaseRef, i.Pull.BaseSHA, i.UpdatedAt = base, tip.String(), s.Now
	s.issueHappened(actor, i, "edited", Happening{Changes: changes})
}

// setState applies the state of a checked edit.
func (s *State) setState(actor ID, i *Issue, edit IssueEdit) {
	reason := ""
	if edit.StateReason != nil {
		reason = *edit.StateReason
	}
	switch {
	case edit.State == nil:
	case *edit.State == stateOpen:
		s.reopenIssue(actor, i)
	case !i.Closed:
		s.closeIssue(actor, i, orElse(reason, reasonCompleted), closer{})
	case reason != "" && i.Pull == nil:
		i.StateReason = reason
	}
}

// closer is the merged pull request, or the commit, by which an issue is closed;
// neither where somebody closes it.
type closer struct {
	pull   ID
	commit string
}

// closeIssue closes an open issue or pull request. The reason is for issues
// alone.
func (s *State) closeIssue(actor ID, i *Issue, reason string, by closer) {
	now := s.Now
	i.Closed, i.ClosedAt, i.ClosedBy, i.UpdatedAt = true, &now, actor, now
	closed := Event{Kind: "closed", SubjectID: by.pull, CommitSHA: by.commit}
	if i.Pull == nil {
		closed.To = reason
	}
	s.record(actor, i, closed)
	if i.Pull == nil {
		i.StateReason = reason
		return
	}
	s.pullEvent(actor, i, "closed")
	s.unqueue(actor, i)
}

func (s *State) reopenIssue(actor ID, i *Issue) {
	if !i.Closed {
		return
	}
	i.Closed, i.ClosedAt, i.ClosedBy, i.UpdatedAt = false, nil, 0, s.Now
	s.record(actor, i, Event{Kind: "reopened", To: reasonReopened})
	if i.Pull == nil {
		i.StateReason = reasonReopened
		return
	}
	if head, exists := s.headTip(i); exists {
		i.Pull.HeadSHA = head
	}
	s.pullEvent(actor, i, "reopened")
}
