package model

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// pullsPrefix begins the refs of pull requests, which clients may only fetch.
const pullsPrefix = "refs/pull/"

// RefUpdate is what a push asks for one ref.
type RefUpdate struct {
	Ref string
	// From is what the client took the ref to be, To what it shall be. Zero
	// stands for no such ref.
	From, To gitstore.Hash
	// Refused says why it was not done, in the words that git shows beside
	// the ref; empty if it was.
	Refused string
	// Detail says more about a refusal, in GitHub's lines; possibly nothing.
	Detail string
}

// MayPush refuses a push of users who may not change the repository.
func (s *State) MayPush(actor ID, repo *Repo) error {
	if !repo.Archived && s.maintains(actor, repo, "") {
		return nil
	}
	return s.require(actor, repo, PermWrite)
}

// Push adds the objects of a packfile, which is nil if there are none, and
// updates refs one by one, each as far as it is allowed. What was refused is
// noted in the updates. An error means that nothing was done, because of the
// user or of the packfile.
func (s *State) Push(actor ID, repo *Repo, pack io.Reader, updates []RefUpdate) error {
	if err := s.MayPush(actor, repo); err != nil {
		return err
	}
	before := repo.Git.Objects()
	if pack != nil {
		err := repo.Git.ReadPack(pack)
		if large, is := errors.AsType[*gitstore.LargeFilesError](err); is {
			refuseLargeFiles(large.Files, updates)
			return nil
		}
		if err != nil {
			return err
		}
	}
	updated := false
	for n := range updates {
		u := &updates[n]
		if err := s.Atomically(func() error { return s.updateByPush(actor, repo, u) }); err != nil && u.Refused == "" {
			u.Refused = err.Error()
		}
		updated = updated || updates[n].Refused == ""
	}
	if !updated {
		// Objects that no ref leads to are of no use.
		repo.Git.Forget(before)
	}
	return nil
}

func (s *State) updateByPush(actor ID, repo *Repo, u *RefUpdate) error {
	// Here it is the row that changes are recorded of.
	repo = s.Repos.Get(repo.ID)
	if u.Refused, u.Detail = s.refusePush(actor, repo, u); u.Refused != "" {
		return nil
	}
	switch {
	case u.From.IsZero():
		return s.CreateRef(actor, repo, u.Ref, u.To)
	case u.To.IsZero():
		return s.DeleteRef(actor, repo, u.Ref)
	default:
		return s.UpdateRef(actor, repo, u.Ref, u.To, true)
	}
}

// refusePush returns what GitHub answers to a push where that differs from
// what its API says; empty if it has nothing against it.
func (s *State) refusePush(actor ID, repo *Repo, u *RefUpdate) (reason, detail string) {
	now, _ := repo.Git.Ref(u.Ref)
	switch {
	case strings.HasPrefix(u.Ref, pullsPrefix):
		return "deny updating a hidden ref", ""
	case now != u.From:
		return fmt.Sprintf("cannot lock ref '%s': is at %s but expected %s", u.Ref, now, u.From), ""
	case u.To.IsZero() && u.Ref == headsPrefix+repo.DefaultBranch:
		return "refusing to delete the current branch: " + u.Ref, ""
	}
	if v := s.judged(refChange{actor: actor, repo: repo, ref: u.Ref, from: now, to: u.To}); !v.allows() {
		return v.pushed(s.FullName(repo), u.Ref)
	}
	return "", ""
}

// PublishedState tells one state of what [State.Published] returns from another.
func (s *State) PublishedState(repo *Repo) string {
	h := sha256.New()
	for _, ref := range repo.Git.Refs("") {
		fmt.Fprintln(h, ref.Name, ref.Hash)
	}
	for _, pr := range s.Issues.find(pullByRepo, key{of: repo.ID}) {
		fmt.Fprintln(h, pr.Number, pr.Pull.HeadSHA, pr.Closed, pr.Pull.BaseRef)
	}
	return string(h.Sum(nil))
}

// Published returns a copy of a repository's git with all that may be fetched:
// besides its own refs, the head of each pull request, and for those that can
// be merged a merge with the base, for tests.
func (s *State) Published(repo *Repo) (*gitstore.Store, error) {
	git := repo.Git.Clone()
	for _, pr := range s.Issues.find(pullByRepo, key{of: repo.ID}) {
		ref, head := fmt.Sprintf("%s%d/", pullsPrefix, pr.Number), plumbing.NewHash(pr.Pull.HeadSHA)
		if err := git.SetRef(ref+"head", head); err != nil {
			return nil, err
		}
		base, known := s.BranchHead(repo, pr.Pull.BaseRef)
		if pr.Closed || !known {
			continue
		}
		merged, err := testMerge(git, base, head)
		if err != nil {
			return nil, err
		}
		if merged.IsZero() {
			continue
		}
		if err := git.SetRef(ref+"merge", merged); err != nil {
			return nil, err
		}
	}
	return git, nil
}

// testMerge writes the merge of a head into a base, zero if they conflict.
// Equal ends make an equal commit.
func testMerge(git *gitstore.Store, base, head gitstore.Hash) (gitstore.Hash, error) {
	tree, conflicts, err := git.MergeTrees(base, head)
	if err != nil || len(conflicts) > 0 {
		return gitstore.Hash{}, err
	}
	signature := gitstore.Signature{Name: "GitHub", Email: "noreply@github.com", When: Epoch}
	for _, end := range []gitstore.Hash{base, head} {
		commit, err := git.Commit(end)
		if err != nil {
			return gitstore.Hash{}, err
		}
		if commit.Committer.When.After(signature.When) {
			signature.When = commit.Committer.When
		}
	}
	return git.WriteCommit(gitstore.CommitSpec{
		Tree: tree, Parents: []gitstore.Hash{base, head}, Author: signature, Committer: signature,
		Message: fmt.Sprintf("Merge %s into %s", head, base),
	})
}
