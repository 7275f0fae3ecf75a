package model

import "time"

// AutoMerge is a merge that is done as soon as nothing stands in its way.
type AutoMerge struct {
	ByID      ID
	Merge     Merge
	EnabledAt time.Time
}

// EnableAutoMerge has a pull request merged as soon as that is allowed, or put into the
// merge queue of its base. One that can be merged at once is refused, as on GitHub.
func (s *State) EnableAutoMerge(actor ID, i *Issue, in Merge) error {
	repo := s.Repos.Get(i.RepoID)
	if err := s.require(actor, repo, PermWrite); err != nil {
		return err
	}
	queue := s.QueueRule(repo, i.Pull.BaseRef) != nil
	if !repo.AllowAutoMerge && !queue {
		return unprocessable("Auto merge is not allowed for this repository")
	}
	if in.ExpectedHead != "" && in.ExpectedHead != i.Pull.HeadSHA {
		return unprocessable("Head branch was modified. Review and try the merge again.")
	}
	state, err := s.MergeState(i)
	if err != nil {
		return err
	}
	switch {
	case i.Closed:
		return unprocessable("Can't enable auto-merge for this pull request.")
	case i.Pull.Draft:
		return unprocessable("Pull request is in draft state")
	case queue && (state == MergeClean || state == MergeUnstable || state == MergeBehind):
		_, err := s.Enqueue(actor, i, false, "")
		return err
	case state == MergeClean:
		return unprocessable("Pull request is in clean status")
	case state == MergeUnstable:
		return unprocessable("Pull request is in unstable status")
	}
	i.UpdatedAt = s.Advance()
	i.Pull.AutoMerge = &AutoMerge{ByID: actor, Merge: in, EnabledAt: s.Now}
	s.record(actor, i, Event{Kind: "auto_merge_enabled"})
	return nil
}

// DisableAutoMerge takes back what [State.EnableAutoMerge] asked for.
func (s *State) DisableAutoMerge(actor ID, i *Issue) error {
	if err := s.require(actor, s.Repos.Get(i.RepoID), PermWrite); err != nil {
		return err
	}
	if i.Pull.AutoMerge == nil {
		return unprocessable("Can't disable auto-merge for this pull request.")
	}
	i.UpdatedAt = s.Advance()
	i.Pull.AutoMerge = nil
	s.record(actor, i, Event{Kind: "auto_merge_disabled"})
	return nil
}

// mergeReady merges the pull requests with a head of a repository that were to
// be merged as soon as that is allowed, by a queue where there is one.
func (s *State) mergeReady(repo *Repo, head string) {
	s.queueReady(repo, head)
	for _, i := range s.openPulls(repo, func(p *Pull) bool { return p.AutoMerge != nil && p.HeadSHA == head }) {
		if state, err := s.MergeState(i); err != nil || state != MergeClean && state != MergeUnstable {
			continue
		}
		wanted := *i.Pull.AutoMerge
		s.because(CauseAutoMerge, func() {
			i.Pull.AutoMerge = nil
			wanted.Merge.ExpectedHead = ""
			// What cannot be merged after all stays open, without the wish.
			if s.QueueRule(repo, i.Pull.BaseRef) != nil {
				_, _ = s.Enqueue(wanted.ByID, i, false, "")
				return
			}
			_ = s.MergePull(wanted.ByID, i, wanted.Merge)
		})
	}
}
