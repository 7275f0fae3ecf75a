package model

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

const milestoneResource = "Milestone"

// CreateMilestone adds an open milestone for a user who may write. Its title
// must be free.
func (s *State) CreateMilestone(actor ID, repo *Repo, in NewMilestone) (*Milestone, error) {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return nil, err
	}
	if err := s.checkMilestone(repo, nil, in.Title); err != nil {
		return nil, err
	}
	in.Creator = actor
	return s.AddMilestone(repo, in), nil
}

// checkMilestone refuses a title that is empty or another milestone's.
func (s *State) checkMilestone(repo *Repo, m *Milestone, title string) error {
	if strings.TrimSpace(title) == "" {
		return invalid(milestoneResource, "title", "missing_field")
	}
	other := s.Milestones.firstOf(milestoneByRepo, key{of: repo.ID}, func(other *Milestone) bool { return other.Title == title })
	if other != nil && other != m {
		return invalid(milestoneResource, "title", "already_exists")
	}
	return nil
}

// InMilestone returns how many issues and pull requests of a milestone are open
// and how many are closed.
func (s *State) InMilestone(m *Milestone) (open, closed int) {
	return s.Issues.count(byMilestone, key{of: m.ID}), s.Issues.count(byMilestone, key{of: m.ID, n: 1})
}

// MilestoneEdit is a change of a milestone; nil fields stay.
type MilestoneEdit struct {
	Title, Description *string
	Closed             *bool
	// DueOn is the zero time to clear it.
	DueOn *time.Time
}

// EditMilestone changes a milestone.
func (s *State) EditMilestone(actor ID, m *Milestone, edit MilestoneEdit) error {
	repo := s.Repos.Get(m.RepoID)
	if err := s.require(actor, repo, PermWrite); err != nil {
		return err
	}
	if edit.Title != nil {
		if err := s.checkMilestone(repo, m, *edit.Title); err != nil {
			return err
		}
		m.Title = *edit.Title
	}
	m.UpdatedAt = s.Advance()
	if edit.Description != nil {
		m.Description = *edit.Description
	}
	if edit.Closed != nil && *edit.Closed != m.Closed {
		m.Closed, m.ClosedAt = *edit.Closed, nil
		if m.Closed {
			m.ClosedAt = copyOf(&s.Now)
		}
	}
	if edit.DueOn != nil {
		if m.DueOn = edit.DueOn; edit.DueOn.IsZero() {
			m.DueOn = nil
		}
	}
	return nil
}

// DeleteMilestone removes a milestone from the repository and its issues.
func (s *State) DeleteMilestone(actor ID, m *Milestone) error {
	if err := s.require(actor, s.Repos.Get(m.RepoID), PermWrite); err != nil {
		return err
	}
	s.Advance()
	s.because(CauseDeletion, func() {
		issues := slices.Concat(s.Issues.with(byMilestone, key{of: m.ID}), s.Issues.with(byMilestone, key{of: m.ID, n: 1}))
		slices.SortFunc(issues, func(a, b *Issue) int { return cmp.Compare(a.ID, b.ID) })
		for _, i := range issues {
			s.record(actor, i, Event{Kind: "demilestoned", SubjectID: m.ID})
			i.MilestoneID = 0
		}
	})
	s.Milestones.Delete(m.ID)
	return nil
}
