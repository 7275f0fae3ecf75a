package model

import (
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

const (
	headsPrefix = "refs/heads/"
	tagsPrefix  = "refs/tags/"
)

// BranchHead returns the commit that a branch points at.
func (s *State) BranchHead(repo *Repo, branch string) (gitstore.Hash, bool) {
	return repo.Git.Ref(headsPrefix + branch)
}

// CreateRef makes a branch or tag at an object that exists.
func (s *State) CreateRef(actor ID, repo *Repo, ref string, at gitstore.Hash) error {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return err
	}
	if !strings.HasPrefix(ref, headsPrefix) && !strings.HasPrefix(ref, tagsPrefix) {
		return unprocessable("Reference name must start with 'refs/heads/' or 'refs/tags/'.")
	}
	if gitstore.ValidRefName(ref) != nil {
		return unprocessable("%s is not a valid ref name.", ref)
	}
	if _, exists := repo.Git.Ref(ref); exists {
		return unprocessable("Reference already exists")
	}
	if err := checkTarget(repo, ref, at); err != nil {
		return err
	}
	s.Advance()
	return s.moveRef(actor, repo, ref, at, byRefs)
}

// checkTarget refuses a ref at an object that does not exist, and a branch at
// one that is no commit.
func checkTarget(repo *Repo, ref string, at gitstore.Hash) error {
	kind, known := repo.Git.Type(at)
	switch {
	case !known:
		return unprocessable("Object does not exist")
	case strings.HasPrefix(ref, headsPrefix) && kind != plumbing.CommitObject:
		return unprocessable("Object is not a commit")
	default:
		return nil
	}
}

// UpdateRef moves a ref. Without force the move must be a fast-forward.
func (s *State) UpdateRef(actor ID, repo *Repo, ref string, to gitstore.Hash, force bool) error {
	if err := s.requireBranch(actor, repo, ref); err != nil {
		return err
	}
	from, exists := repo.Git.Ref(ref)
	if !exists {
		return unprocessable("Reference does not exist")
	}
	if err := checkTarget(repo, ref, to); err != nil {
		return err
	}
	_, behind, err := repo.Git.AheadBehind(from, to)
	if forward := err == nil && behind == 0; !forward && !force {
		return unprocessable("Update is not a fast forward")
	}
	s.Advance()
	return s.moveRef(actor, repo, ref, to, byRefs)
}

// DeleteRef removes a branch or tag.
func (s *State) DeleteRef(actor ID, repo *Repo, ref string) error {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return err
	}
	from, exists := repo.Git.Ref(ref)
	switch {
	case !exists:
		return unprocessable("Reference does not exist")
	case ref == headsPrefix+repo.DefaultBranch:
		return unprocessable("Cannot delete the default branch")
	}
	if err := s.permitted(refChange{actor: actor, repo: repo, ref: ref, from: from}, byRefs); err != nil {
		return err
	}
	s.Advance()
	s.dropRef(actor, repo, ref)
	return nil
}

// moveRef sets a ref as far as rules permit it, and does what follows from it.
// How says in what way, for those that they refuse.
func (s *State) moveRef(actor ID, repo *Repo, ref string, to gitstore.Hash, how refusal) error {
	from, _ := repo.Git.Ref(ref)
	if err := s.permitted(refChange{actor: actor, repo: repo, ref: ref, from: from, to: to}, how); err != nil {
		return err
	}
	return s.setRef(actor, repo, ref, to)
}

// setRef sets a ref, whatever the rules say, and does what follows from it:
// workflows of the default branch are read again, issues that its new commits
// close are closed, runs start, and pull requests from and into the branch
// follow.
func (s *State) setRef(actor ID, repo *Repo, ref string, to gitstore.Hash) error {
	from, _ := repo.Git.Ref(ref)
	if err := repo.Git.SetRef(ref, to); err != nil {
		return unprocessable("Reference update failed")
	}
	repo.PushedAt, repo.UpdatedAt = s.Now, s.Now
	s.refHappened(actor, repo, ref, hashOrEmpty(from), to.String(), (s.inboxes || s.listensAnyone()) && !from.IsZero() && !contains(repo, to, from))
	branch, isBranch := strings.CutPrefix(ref, headsPrefix)
	if !isBranch {
		return nil
	}
	if repo.Pushers == nil {
		repo.Pushers = map[string]ID{}
	}
	repo.Pushers[ref] = actor
	delete(repo.FormerBranches, branch)
	s.because(CausePush, func() { s.pushed(actor, repo, branch, from, to) })
	return nil
}

// pushed does what follows from a branch's new tip.
func (s *State) pushed(actor ID, repo *Repo, branch string, from, to gitstore.Hash) {
	s.requestSuites(actor, repo, branch, to.String())
	if branch == repo.DefaultBranch {
		s.readWorkflows(repo, to)
		readLanguages(repo, to)
		s.closeByCommits(actor, repo, from, to)
	}
	s.startRuns(trigger{repo: repo, actor: actor, event: "push", branch: branch, sha: to.String()})
	s.followHead(actor, repo, branch, to)
	s.landPulls(actor, repo, branch, from, to)
	if len(s.Queue(repo, branch)) > 0 {
		// Merge groups are on top of what the branch is.
		s.because(CauseQueue, func() { _ = s.runQueue(repo, branch) })
	}
}

// closeByCommits notes what new commits of the default branch refer to, and
// closes the issues that they say they close.
func (s *State) closeByCommits(actor ID, repo *Repo, from, to gitstore.Hash) {
	if from.IsZero() {
		return
	}
	commits, err := repo.Git.Between(from, to)
	if err != nil {
		return
	}
	for _, c := range commits {
		s.refer(actor, repo, c.Message, Event{Kind: EventReferenced, SubjectID: repo.ID, CommitSHA: c.Hash.String()})
		s.closeAll(actor, s.ClosingIssues(repo, c.Message), closer{commit: c.Hash.String()})
	}
}

// followHead gives open pull requests from a branch its new commit. One that
// has nothing left to merge is closed.
func (s *State) followHead(actor ID, repo *Repo, branch string, to gitstore.Hash) {
	for _, pr := range s.pullsFrom(end{repo, branch}) {
		base := s.Repos.Get(pr.RepoID)
		if fetchHead(base, repo, to) != nil {
			// The base's repository is full.
			continue
		}
		before := pr.Pull.HeadSHA
		var changed []gitstore.FileDiff
		stale := s.dismissesStale(pr)
		if stale {
			// What cannot be compared counts as changed.
			changed, _ = s.PullDiff(pr)
		}
		pr.Pull.HeadSHA = to.String()
		pr.UpdatedAt = s.Now
		if tip, known := s.BranchHead(base, pr.Pull.BaseRef); known && contains(base, tip, to) {
			s.closeIssue(actor, pr, "", closer{})
			continue
		}
		if was := plumbing.NewHash(before); !contains(base, to, was) {
			s.record(actor, pr, Event{Kind: "head_ref_force_pushed", CommitSHA: to.String(), From: before, To: to.String()})
		}
		if stale {
			s.because(CauseStale, func() { s.dismissStale(actor, pr, changed) })
		}
		s.pullMoved(actor, pr, "synchronize", before)
		s.unqueue(actor, pr)
	}
}

// landPulls marks open pull requests as merged whose commits a branch has got
// by other ways.
func (s *State) landPulls(actor ID, repo *Repo, base string, from, to gitstore.Hash) {
	if s.Issues.count(openPullByRepo, key{of: repo.ID}) == 0 {
		return
	}
	has, err := repo.Git.History(to)
	if err != nil {
		return
	}
	for _, pr := range s.openPulls(repo, func(p *Pull) bool { return p.BaseRef == base && has(plumbing.NewHash(p.HeadSHA)) }) {
		s.markMerged(actor, pr, from, to)
	}
}

// contains reports whether a commit is another one or has it in its history.
func contains(repo *Repo, commit, other gitstore.Hash) bool {
	ahead, _, err := repo.Git.AheadBehind(commit, other)
	return err == nil && ahead == 0
}

// dropRef removes a ref. Pull requests from and into a branch are closed with
// it.
func (s *State) dropRef(actor ID, repo *Repo, ref string) {
	before, _ := repo.Git.Ref(ref)
	repo.Git.DeleteRef(ref)
	delete(repo.Pushers, ref)
	repo.PushedAt, repo.UpdatedAt = s.Now, s.Now
	s.refHappened(actor, repo, ref, before.String(), "", false)
	branch, isBranch := strings.CutPrefix(ref, headsPrefix)
	if !isBranch {
		return
	}
	s.because(CauseDeletion, func() {
		into := s.openPulls(repo, func(p *Pull) bool { return p.BaseRef == branch })
		for _, pr := range append(into, s.pullsFrom(end{repo, branch})...) {
			s.closeIssue(actor, pr, "", closer{})
		}
	})
	for _, pr := range s.Issues.with(pullByHead, key{of: repo.ID, text: branch}) {
		s.record(actor, pr, Event{Kind: "head_ref_deleted", From: branch})
	}
}

// hashOrEmpty is a hash as text, empty for none.
func hashOrEmpty(h gitstore.Hash) string {
	if h.IsZero() {
		return ""
	}
	return h.String()
}

// PullsAt returns a repository's open pull requests that have a commit as their
// head.
func (s *State) PullsAt(repo *Repo, sha string) []*Issue {
	return s.openPulls(repo, func(p *Pull) bool { return p.HeadSHA == sha })
}

// openPulls returns a repository's open pull requests for which match is true.
func (s *State) openPulls(repo *Repo, match func(*Pull) bool) []*Issue {
	return s.Issues.whereOf(openPullByRepo, key{of: repo.ID}, func(i *Issue) bool { return match(i.Pull) })
}

// closeAll closes those issues that are open, by a keyword.
func (s *State) closeAll(actor ID, issues []*Issue, by closer) {
	open := slices.DeleteFunc(issues, func(i *Issue) bool { return i.Closed })
	if len(open) == 0 {
		return
	}
	s.because(CauseKeyword, func() {
		for _, i := range open {
			s.closeIssue(actor, i, reasonCompleted, by)
		}
	})
}
