package model

import (
	"slices"
	"strings"
)

// lockReasons are why a conversation may be locked.
var lockReasons = []string{"off-topic", "too heated", "resolved", "spam"}

// Lock closes an issue or pull request for comments of those who may not
// write. The reason may be empty.
func (s *State) Lock(actor ID, i *Issue, reason string) error {
	if err := s.require(actor, s.Repos.Get(i.RepoID), PermWrite); err != nil {
		return err
	}
	if reason != "" && !slices.Contains(lockReasons, reason) {
		return invalidValue("Issue", "lock_reason", "invalid", reason)
	}
	i.UpdatedAt = s.Advance()
	i.Locked, i.LockReason = true, reason
	s.record(actor, i, Event{Kind: "locked", To: reason})
	return nil
}

// Unlock opens a locked issue or pull request again.
func (s *State) Unlock(actor ID, i *Issue) error {
	if err := s.require(actor, s.Repos.Get(i.RepoID), PermWrite); err != nil {
		return err
	}
	i.UpdatedAt = s.Advance()
	if i.Locked {
		i.Locked, i.LockReason = false, ""
		s.record(actor, i, Event{Kind: "unlocked"})
	}
	return nil
}

// maxPinned is how many issues of a repository can be pinned.
const maxPinned = 3

// Pin shows an issue on top of its repository's issues, or no more.
func (s *State) Pin(actor ID, i *Issue, pinned bool) error {
	if err := s.require(actor, s.Repos.Get(i.RepoID), PermWrite); err != nil {
		return err
	}
	switch {
	case pinned && i.Pinned:
		return unprocessable("Issue is already pinned")
	case pinned && s.Issues.count(pinnedByRepo, key{of: i.RepoID}) >= maxPinned:
		return unprocessable("Maximum 3 pinned issues per repository")
	}
	s.Advance()
	kind := "unpinned"
	if pinned {
		kind = "pinned"
	}
	if i.Pinned != pinned {
		i.Pinned = pinned
		s.record(actor, i, Event{Kind: kind})
	}
	return nil
}

// Transfer moves an issue with all that was said on it to another repository
// of the same account. Labels and the milestone stay where that repository has
// them by the same name; missing labels are made if makeLabels is true.
func (s *State) Transfer(actor ID, i *Issue, to *Repo, makeLabels bool) error {
	from := s.Repos.Get(i.RepoID)
	for _, repo := range []*Repo{from, to} {
		if err := s.require(actor, repo, PermWrite); err != nil {
			return err
		}
	}
	switch {
	case i.Pull != nil:
		return unprocessable("Pull requests cannot be transferred")
	case from == to:
		return unprocessable("The issue is already in this repository")
	case from.OwnerID != to.OwnerID:
		return unprocessable("Issues can only be transferred within the same account")
	case from.Private && !to.Private:
		return unprocessable("Issues cannot be transferred from a private to a public repository")
	case !to.HasIssues:
		return IssuesDisabled()
	}
	i.UpdatedAt = s.Advance()
	i.Labels = s.labelsIn(to, i.Labels, makeLabels)
	i.MilestoneID = s.milestoneIn(to, i.MilestoneID)
	i.Assignees = slices.DeleteFunc(i.Assignees, func(id ID) bool { return !s.assignable(s.Users.Get(id), to) })
	i.Pinned, i.Branches = false, nil
	if from.Transferred == nil {
		from.Transferred = map[int]ID{}
	}
	from.Transferred[i.Number] = i.ID
	to.LastNumber++
	i.RepoID, i.Number = to.ID, to.LastNumber
	s.moveTalk(i)
	s.record(actor, i, Event{Kind: "transferred", SubjectID: from.ID})
	return nil
}

// moveTalk makes what was said on an issue belong to the issue's repository.
func (s *State) moveTalk(i *Issue) {
	subjects := []ID{i.ID}
	for _, c := range s.CommentsOf(i) {
		c.RepoID = i.RepoID
		subjects = append(subjects, c.ID)
	}
	for _, e := range s.EventsOf(i) {
		e.RepoID = i.RepoID
	}
	for _, n := range s.Notifications.with(notificationBySubject, key{of: i.ID}) {
		n.RepoID = i.RepoID
	}
	for _, subject := range subjects {
		for _, r := range s.ReactionsTo(subject) {
			r.RepoID = i.RepoID
		}
	}
}

// labelsIn returns a repository's labels that have the names of others.
func (s *State) labelsIn(repo *Repo, labels []ID, missingToo bool) []ID {
	var found []ID
	for _, id := range labels {
		theirs := s.Labels.Get(id)
		if theirs == nil {
			continue
		}
		own := s.Label(repo, theirs.Name)
		if own == nil && missingToo {
			own = s.addLabel(repo, NewLabel{Name: theirs.Name, Color: theirs.Color, Description: theirs.Description})
			s.follows(own.ID, CauseLabel)
		}
		if own != nil {
			found = append(found, own.ID)
		}
	}
	return found
}

// milestoneIn returns a repository's milestone that has the title of another
// one, 0 if there is none.
func (s *State) milestoneIn(repo *Repo, milestone ID) ID {
	theirs := s.Milestones.Get(milestone)
	if theirs == nil {
		return 0
	}
	own := s.Milestones.firstOf(milestoneByRepo, key{of: repo.ID}, func(m *Milestone) bool { return strings.EqualFold(m.Title, theirs.Title) })
	if own == nil {
		return 0
	}
	return own.ID
}

// TransferredTo returns the issue that had a number of a repository before it
// was moved to another one; nil if there is none.
func (s *State) TransferredTo(repo *Repo, number int) *Issue {
	return s.Issues.Get(repo.Transferred[number])
}
