package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// NewPull describes a pull request to open. Base is a branch of the repository,
// head one too, or one of another repository that was forked from the same one;
// its name begins with its owner and a colon then.
type NewPull struct {
	Title, Body string
	Head, Base  string
	// HeadRepo is the name of the repository of the head's owner that has it; empty for
	// the one in the network.
	HeadRepo string
	Draft    bool
	// MaintainerCanModify says nothing of a head in the repository itself.
	MaintainerCanModify bool
	// Issue becomes the pull request, and keeps its number, title, text and author;
	// nil for a new one.
	Issue *Issue
}

// OpenPull opens a pull request.
func (s *State) OpenPull(actor ID, repo *Repo, in NewPull) (*Issue, error) {
	if err := s.require(actor, repo, PermRead); err != nil {
		return nil, err
	}
	from := end{}
	if from.repo, from.ref = s.splitHead(repo, in.Head); in.HeadRepo != "" {
		owner, _, qualified := strings.Cut(in.Head, ":")
		if !qualified {
			owner = s.Login(repo.OwnerID)
		}
		if from.repo, _ = s.VisibleRepo(actor, owner, in.HeadRepo); from.repo != nil && s.Source(from.repo).ID != s.Source(repo).ID {
			from.repo = nil
		}
	}
	if from.repo == nil {
		return nil, invalid("PullRequest", "head", "invalid")
	}
	if max(s.Permission(actor, repo), s.Permission(actor, from.repo)) < PermWrite {
		return nil, custom("PullRequest", "", "must be a collaborator")
	}
	if err := s.checkPullText(actor, repo, in); err != nil {
		return nil, err
	}
	head, base, err := s.checkEnds(repo, from, in.Base)
	if err != nil {
		return nil, err
	}
	s.Advance()
	pull := &Pull{HeadRef: from.ref, BaseRef: in.Base, HeadSHA: head.String(), BaseSHA: base.String(), Draft: in.Draft}
	if from.repo != repo {
		pull.HeadRepoID, pull.MaintainerCanModify = from.repo.ID, in.MaintainerCanModify
	}
	i := in.Issue
	if i == nil {
		i = s.addIssue(actor, repo, in.Title, in.Body, pull)
	} else {
		pull.ID = s.newID()
		i.Pull, i.UpdatedAt = pull, s.Now
	}
	s.because(CauseLinkedBranch, func() { s.linkPull(actor, i, from) })
	s.pullEvent(actor, i, "opened")
	s.referTo(actor, i, i.Body)
	return i, nil
}

// checkPullText refuses a pull request for what it is to say: a title and a body, or
// an issue of which the actor may make one.
func (s *State) checkPullText(actor ID, repo *Repo, in NewPull) error {
	i := in.Issue
	switch {
	case i == nil:
		if err := checkTitle("PullRequest", in.Title); err != nil {
			return err
		}
		return checkBody("PullRequest", in.Body)
	case i.Pull != nil || i.Closed:
		return invalid("PullRequest", "issue", "invalid")
	default:
		return s.requireOfOthers(actor, repo, i.AuthorID, PermWrite)
	}
}

// checkEnds returns the tips of two branches that a pull request can be made
// of.
func (s *State) checkEnds(repo *Repo, from end, baseRef string) (head, base gitstore.Hash, err error) {
	for _, end := range []struct {
		name string
		end
		tip *gitstore.Hash
	}{{"base", end{repo, baseRef}, &base}, {"head", from, &head}} {
		tip, known := s.BranchHead(end.repo, end.ref)
		switch {
		case end.ref == "":
			return head, base, invalid("PullRequest", end.name, "missing_field")
		case !known:
			return head, base, invalid("PullRequest", end.name, "invalid")
		}
		*end.tip = tip
	}
	if s.pullBetween(repo, from, baseRef) {
		return head, base, custom("PullRequest", "", "A pull request already exists for %s:%s.", s.Login(from.repo.OwnerID), from.ref)
	}
	if err := fetchHead(repo, from.repo, head); err != nil {
		return head, base, err
	}
	if _, related, err := repo.Git.MergeBase(base, head); err != nil || !related {
		return head, base, custom("PullRequest", "", "The %s branch has no history in common with %s", from.ref, baseRef)
	}
	if contains(repo, base, head) {
		return head, base, custom("PullRequest", "", "No commits between %s and %s", baseRef, from.ref)
	}
	return head, base, nil
}

// pullBetween reports whether there is an open pull request from a branch into
// another one.
func (s *State) pullBetween(repo *Repo, from end, baseRef string) bool {
	return slices.ContainsFunc(s.pullsFrom(from), func(i *Issue) bool { return i.RepoID == repo.ID && i.Pull.BaseRef == baseRef })
}

// PullDiff returns what a pull request changes: from the merge base of its
// ends to its head.
func (s *State) PullDiff(i *Issue) ([]gitstore.FileDiff, error) {
	from, to, err := s.PullRange(i)
	if err != nil {
		return nil, err
	}
	return s.Repos.Get(i.RepoID).Git.Diff(from, to)
}

// PullCommits returns a pull request's commits, oldest first.
func (s *State) PullCommits(i *Issue) ([]gitstore.Commit, error) {
	from, to, err := s.PullRange(i)
	if err != nil {
		return nil, err
	}
	return s.Repos.Get(i.RepoID).Git.Between(from, to)
}

// PullRange returns the commits between which a pull request's changes lie.
func (s *State) PullRange(i *Issue) (from, to gitstore.Hash, err error) {
	repo := s.Repos.Get(i.RepoID)
	to = plumbing.NewHash(i.Pull.HeadSHA)
	base, known := s.BranchHead(repo, i.Pull.BaseRef)
	if !known || i.Pull.Merged() {
		base = plumbing.NewHash(i.Pull.BaseSHA)
	}
	from, related, err := repo.Git.MergeBase(base, to)
	if err == nil && !related {
		from = base
	}
	return from, to, err
}

// SetDraft makes an open pull request a draft, or ready for review.
func (s *State) SetDraft(actor ID, i *Issue, draft bool) error {
	if err := s.requireOfOthers(actor, s.Repos.Get(i.RepoID), i.AuthorID, PermWrite); err != nil {
		return err
	}
	if i.Closed {
		return unprocessable("Pull request is closed")
	}
	s.Advance()
	if i.Pull.Draft == draft {
		return nil
	}
	i.Pull.Draft, i.UpdatedAt = draft, s.Now
	s.unqueue(actor, i)
	kind, action := "ready_for_review", "ready_for_review"
	if draft {
		kind, action = "convert_to_draft", "converted_to_draft"
	}
	s.record(actor, i, Event{Kind: kind})
	s.pullEvent(actor, i, action)
	return nil
}

// BranchUpdate asks for a pull request's head to get what is new in its base.
type BranchUpdate struct {
	// ExpectedHead refuses the update if the head is another; empty allows
	// any.
	ExpectedHead string
	// Rebase puts the head's commits on top of the base instead of merging the
	// base into the head.
	Rebase bool
}

// UpdatePullBranch brings a pull request's head up to date with its base.
func (s *State) UpdatePullBranch(actor ID, i *Issue, in BranchUpdate) error {
	repo := s.Repos.Get(i.RepoID)
	if err := s.require(actor, repo, PermWrite); err != nil {
		return err
	}
	if in.ExpectedHead != "" && in.ExpectedHead != i.Pull.HeadSHA {
		return unprocessable("expected head sha didn’t match current head ref.")
	}
	base, known := s.BranchHead(repo, i.Pull.BaseRef)
	if !known || i.Closed {
		return unprocessable("Cannot update a closed pull request.")
	}
	head := plumbing.NewHash(i.Pull.HeadSHA)
	if contains(repo, head, base) {
		return unprocessable("There are no new commits on the base branch.")
	}
	s.Advance()
	tip, err := s.updatedHead(actor, repo, i, head, base, in.Rebase)
	if err != nil {
		return err
	}
	return s.moveHead(actor, i, tip)
}

func (s *State) updatedHead(actor ID, repo *Repo, i *Issue, head, base gitstore.Hash, rebase bool) (gitstore.Hash, error) {
	conflict := unprocessable("merge conflict between base and head")
	if rebase {
		tip, conflicts, err := rebased(repo.Git, head, base, s.Signature(actor))
		if err == nil && len(conflicts) > 0 {
			err = conflict
		}
		return tip, err
	}
	commit, err := s.mergeOf(actor, repo, head, base, fmt.Sprintf("Merge branch '%s' into %s", i.Pull.BaseRef, i.Pull.HeadRef), conflict)
	return commit.Hash, err
}

// RequestReviewers asks users for a review, besides those already asked if
// keep is true, instead of them if not. A pull request's author cannot review
// it.
func (s *State) RequestReviewers(actor ID, i *Issue, reviewers []ID, keep bool) error {
	repo := s.Repos.Get(i.RepoID)
	if err := s.requireOfOthers(actor, repo, i.AuthorID, PermTriage); err != nil {
		return err
	}
	for _, id := range reviewers {
		if id == i.AuthorID {
			return unprocessable("Review cannot be requested from pull request author.")
		}
		if s.Users.Get(id) == nil || !s.collaborates(id, repo) && s.memberPermission(id, repo.OwnerID) < PermRead {
			return unprocessable("Reviews may only be requested from collaborators. One or more of the users or teams you "+
				"specified is not a collaborator of the %s repository.", s.FullName(repo))
		}
	}
	s.Advance()
	ids := reviewers
	if keep {
		ids = append(slices.Clone(i.Pull.RequestedReviewers), reviewers...)
	}
	s.setReviewers(actor, i, ids)
	return nil
}

// RemoveReviewers takes users and teams off those that are asked for a review.
func (s *State) RemoveReviewers(actor ID, i *Issue, users, teams []ID) error {
	if err := s.requireOfOthers(actor, s.Repos.Get(i.RepoID), i.AuthorID, PermTriage); err != nil {
		return err
	}
	s.Advance()
	s.setReviewers(actor, i, without(i.Pull.RequestedReviewers, users...))
	i.Pull.RequestedTeams = without(i.Pull.RequestedTeams, teams...)
	return nil
}

func (s *State) setReviewers(actor ID, i *Issue, ids []ID) {
	s.replace(actor, i, &i.Pull.RequestedReviewers, ids,
		func(id ID) Event { return Event{Kind: "review_requested", SubjectID: id} },
		func(id ID) Event { return Event{Kind: "review_request_removed", SubjectID: id} })
}
