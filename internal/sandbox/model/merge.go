package model

import (
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// MergeState is GitHub's mergeStateStatus.
type MergeState string

// The merge states.
const (
	MergeClean    MergeState = "CLEAN"
	MergeDirty    MergeState = "DIRTY"
	MergeBlocked  MergeState = "BLOCKED"
	MergeBehind   MergeState = "BEHIND"
	MergeUnstable MergeState = "UNSTABLE"
	MergeDraft    MergeState = "DRAFT"
	MergeUnknown  MergeState = "UNKNOWN"
)

// MergeState tells whether an open pull request can be merged, and what stands
// in the way. That of a closed one is unknown.
func (s *State) MergeState(i *Issue) (MergeState, error) {
	repo := s.Repos.Get(i.RepoID)
	base, known := s.BranchHead(repo, i.Pull.BaseRef)
	if !known || i.Closed {
		return MergeUnknown, nil
	}
	head := plumbing.NewHash(i.Pull.HeadSHA)
	// Merging writes; this may be asked by many at the same time.
	_, conflicts, err := repo.Git.Clone().MergeTrees(base, head)
	switch {
	case err != nil:
		return MergeUnknown, err
	case len(conflicts) > 0:
		return MergeDirty, nil
	case i.Pull.Draft:
		return MergeDraft, nil
	}
	checks := s.Rollup(repo, i.Pull.HeadSHA)
	switch words := s.judged(mergeByQueue(0, repo, i, base)).words(); {
	case slices.Equal(words, []string{headBehind}):
		return MergeBehind, nil
	case len(words) > 0:
		return MergeBlocked, nil
	case checks.Total() > 0 && checks.State() != Success:
		return MergeUnstable, nil
	default:
		return MergeClean, nil
	}
}

// Rebaseable reports whether the commits of a pull request can be put on top
// of its base one by one.
func (s *State) Rebaseable(i *Issue) (bool, error) {
	repo := s.Repos.Get(i.RepoID)
	base, known := s.BranchHead(repo, i.Pull.BaseRef)
	if !known {
		return false, nil
	}
	_, conflicts, err := rebased(repo.Git.Clone(), plumbing.NewHash(i.Pull.HeadSHA), base, s.Signature(i.AuthorID))
	return err == nil && len(conflicts) == 0, err
}

// rebased puts what only head has on top of base.
func rebased(git *gitstore.Store, head, base gitstore.Hash, committer gitstore.Signature) (gitstore.Hash, []gitstore.Conflict, error) {
	commits, err := git.Between(base, head)
	if err != nil {
		return gitstore.Hash{}, nil, err
	}
	return git.Rebase(commits, base, committer)
}

// MergeMethod is how a pull request is merged.
type MergeMethod string

// The merge methods.
const (
	MethodMerge  MergeMethod = "merge"
	MethodSquash MergeMethod = "squash"
	MethodRebase MergeMethod = "rebase"
)

// Merge asks for a pull request to be merged.
type Merge struct {
	Method MergeMethod
	// Title and Message are the commit's; empty means GitHub's own.
	Title, Message string
	// ExpectedHead refuses the merge if the head is another; empty allows any.
	ExpectedHead string
}

// MergePull merges a pull request into its base.
func (s *State) MergePull(actor ID, i *Issue, in Merge) error {
	repo := s.Repos.Get(i.RepoID)
	if err := s.require(actor, repo, PermWrite); err != nil {
		return err
	}
	if err := s.checkMerge(actor, repo, i, in); err != nil {
		return err
	}
	s.Advance()
	base, _ := s.BranchHead(repo, i.Pull.BaseRef)
	commit, err := s.mergeCommit(actor, repo, i, base, in)
	if err != nil {
		return err
	}
	i.Pull.MergeMethod = in.Method
	s.markMerged(actor, i, base, commit)
	s.because(CauseMerge, func() { err = s.setRef(actor, repo, headsPrefix+i.Pull.BaseRef, commit) })
	if err != nil {
		return err
	}
	s.closeAll(actor, s.Closes(i), closer{pull: i.ID})
	if repo.DeleteBranchOnMerge {
		s.because(CauseMergedBranch, func() { s.deleteMerged(actor, repo, i) })
	}
	return nil
}

// markMerged makes a pull request a merged one, by a commit on top of what its
// base was before.
func (s *State) markMerged(actor ID, i *Issue, before, commit gitstore.Hash) {
	now := s.Now
	i.Pull.BaseSHA, i.Pull.MergeCommitSHA = before.String(), commit.String()
	i.Pull.MergedAt, i.Pull.MergedBy = &now, actor
	s.record(actor, i, Event{Kind: "merged", CommitSHA: commit.String(), To: i.Pull.BaseRef})
	s.closeIssue(actor, i, "", closer{})
}

// deleteMerged deletes the head branch of a merged pull request. Pull requests
// into that branch go to the base of the merged one.
func (s *State) deleteMerged(actor ID, repo *Repo, i *Issue) {
	branch := i.Pull.HeadRef
	tip, _ := s.BranchHead(repo, branch)
	deletion := refChange{actor: actor, repo: repo, ref: headsPrefix + branch, from: tip}
	if i.Pull.FromFork() || branch == repo.DefaultBranch || !s.judged(deletion).allows() {
		return
	}
	for _, next := range s.openPulls(repo, func(p *Pull) bool { return p.BaseRef == branch }) {
		s.retarget(actor, repo, next, i.Pull.BaseRef)
	}
	s.dropRef(actor, repo, headsPrefix+branch)
}

// mergeOfPull is the merge of a pull request into its base as rules judge it.
func mergeOfPull(actor ID, repo *Repo, i *Issue, base gitstore.Hash, method MergeMethod) refChange {
	return refChange{
		actor: actor, repo: repo, ref: headsPrefix + i.Pull.BaseRef, from: base, to: plumbing.NewHash(i.Pull.HeadSHA),
		pull: i, method: method,
	}
}

// methodNames are the merge methods as refusals name them.
var methodNames = map[MergeMethod]string{MethodMerge: "Merge commits", MethodSquash: "Squash merges", MethodRebase: "Rebase merges"}

func (s *State) checkMerge(actor ID, repo *Repo, i *Issue, in Merge) error {
	allowed, known := map[MergeMethod]bool{
		MethodMerge: repo.AllowMerge, MethodSquash: repo.AllowSquash, MethodRebase: repo.AllowRebase,
	}[in.Method]
	switch {
	case !known:
		return invalidValue("PullRequest", "merge_method", "invalid", string(in.Method))
	case i.Closed:
		return notAllowed("Pull Request is not mergeable")
	case !allowed:
		return notAllowed(methodNames[in.Method] + " are not allowed on this repository.")
	case in.ExpectedHead != "" && in.ExpectedHead != i.Pull.HeadSHA:
		return &Problem{Kind: Conflict, Message: "Head branch was modified. Review and try the merge again."}
	}
	state, err := s.MergeState(i)
	if err != nil {
		return err
	}
	switch state {
	case MergeDirty, MergeUnknown:
		return notAllowed("Pull Request is not mergeable")
	case MergeDraft:
		return notAllowed("Pull Request is still a draft")
	default:
		base, _ := s.BranchHead(repo, i.Pull.BaseRef)
		return s.permitted(mergeOfPull(actor, repo, i, base, in.Method), byMerging)
	}
}

func notAllowed(message string) *Problem { return &Problem{Kind: NotAllowed, Message: message} }

// mergeCommit writes what a merge makes, on top of the base, and returns the
// new tip.
func (s *State) mergeCommit(actor ID, repo *Repo, i *Issue, base gitstore.Hash, in Merge) (gitstore.Hash, error) {
	head := plumbing.NewHash(i.Pull.HeadSHA)
	if in.Method == MethodRebase {
		tip, conflicts, err := rebased(repo.Git, head, base, s.Signature(actor))
		if err == nil && len(conflicts) > 0 {
			err = notAllowed("This branch can't be rebased")
		}
		return tip, err
	}
	tree, _, err := repo.Git.MergeTrees(base, head)
	if err != nil {
		return gitstore.Hash{}, err
	}
	spec := gitstore.CommitSpec{Tree: tree, Parents: []gitstore.Hash{base, head}}
	title, message := s.mergeText(repo, i)
	if in.Method == MethodSquash {
		commits, err := s.PullCommits(i)
		if err != nil {
			return gitstore.Hash{}, err
		}
		title, message = squashText(repo, i, commits)
		spec.Parents, spec.Author = spec.Parents[:1], s.Signature(i.AuthorID)
	}
	spec.Message = joinMessage(orElse(in.Title, title), orElse(in.Message, message))
	commit, err := s.writeCommit(actor, repo, spec)
	return commit.Hash, err
}

func joinMessage(title, message string) string {
	if strings.TrimSpace(message) == "" {
		return title
	}
	return title + "\n\n" + message
}
