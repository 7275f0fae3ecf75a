package model

import (
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// FileWrite is a change of one file through the contents API.
type FileWrite struct {
	Path    string
	Message string
	// Content is nil to delete the file.
	Content []byte
	// Branch is the default one if empty.
	Branch string
	// BlobSHA is the blob that is replaced; needed where the file exists.
	BlobSHA string
	// Author and Committer are the actor if zero, now if they have no time.
	Author, Committer gitstore.Signature
}

// WriteFile commits a change of one file on a branch and returns the commit.
// In an empty repository it makes the branch.
func (s *State) WriteFile(actor ID, repo *Repo, in FileWrite) (gitstore.Commit, error) {
	branch := orElse(in.Branch, repo.DefaultBranch)
	if err := s.requireBranch(actor, repo, headsPrefix+branch); err != nil {
		return gitstore.Commit{}, err
	}
	head, exists := s.BranchHead(repo, branch)
	if !exists && !repo.Empty() {
		return gitstore.Commit{}, &Problem{Kind: NotFound, Message: "Branch " + branch + " not found"}
	}
	if gitstore.ValidRefName(headsPrefix+branch) != nil {
		return gitstore.Commit{}, unprocessable("%s is not a valid ref name.", headsPrefix+branch)
	}
	if err := checkReplaced(repo, head, in); err != nil {
		return gitstore.Commit{}, err
	}
	spec := gitstore.CommitSpec{Message: in.Message, Author: in.Author, Committer: in.Committer}
	if exists {
		spec.Parents = []gitstore.Hash{head}
	}
	change := gitstore.Change{Path: in.Path, Content: in.Content, Delete: in.Content == nil}
	commit, err := s.commitChanges(actor, repo, spec, change)
	if err != nil {
		return gitstore.Commit{}, err
	}
	return commit, s.moveRef(actor, repo, headsPrefix+branch, commit.Hash, in.way())
}

// way is how a write changes its branch.
func (in FileWrite) way() refusal {
	switch {
	case in.Content == nil:
		return byDeleting
	case in.BlobSHA == "":
		return byCreating
	default:
		return byUpdating
	}
}

// checkReplaced compares what a write says it replaces with what is there.
func checkReplaced(repo *Repo, head gitstore.Hash, in FileWrite) error {
	existing, err := repo.Git.Entry(head, in.Path)
	found := !head.IsZero() && err == nil
	switch {
	case found && existing.Mode == filemode.Dir:
		return unprocessable("path points to a directory")
	case in.BlobSHA == "" && (found || in.Content == nil):
		return unprocessable("Invalid request.\n\n\"sha\" wasn't supplied.")
	case !found && in.Content == nil:
		return notFound()
	case in.BlobSHA != "" && (!found || in.BlobSHA != existing.Hash.String()):
		return &Problem{Kind: Conflict, Message: in.Path + " does not match " + in.BlobSHA}
	default:
		return nil
	}
}

// commitChanges writes a commit with changes on top of its first parent.
func (s *State) commitChanges(actor ID, repo *Repo, spec gitstore.CommitSpec, changes ...gitstore.Change) (gitstore.Commit, error) {
	s.Advance()
	var base gitstore.Hash
	if len(spec.Parents) > 0 {
		base = spec.Parents[0]
	}
	tree, err := repo.Git.WriteTree(base, changes)
	if err != nil {
		return gitstore.Commit{}, unprocessable("path contains a malformed path component")
	}
	spec.Tree = tree
	return s.writeCommit(actor, repo, spec)
}

// writeCommit writes a commit by the actor, now, unless the commit says
// otherwise.
func (s *State) writeCommit(actor ID, repo *Repo, spec gitstore.CommitSpec) (gitstore.Commit, error) {
	for _, signer := range []*gitstore.Signature{&spec.Author, &spec.Committer} {
		if signer.Name == "" {
			*signer = s.Signature(actor)
		}
		if signer.When.IsZero() {
			signer.When = s.Now
		}
	}
	hash, err := repo.Git.WriteCommit(spec)
	if err != nil {
		return gitstore.Commit{}, unprocessable("%s", err)
	}
	return repo.Git.Commit(hash)
}

// PushInitial makes the first commit of an empty repository, on its default
// branch.
func (s *State) PushInitial(actor ID, repo *Repo, files []gitstore.Change, message string) error {
	commit, err := s.commitChanges(actor, repo, gitstore.CommitSpec{Message: message}, files...)
	if err != nil {
		return err
	}
	return s.setRef(actor, repo, headsPrefix+repo.DefaultBranch, commit.Hash)
}

// noreplyHost ends the address of a user who shows none.
const noreplyHost = "users.noreply.github.com"

// Signature returns a user as he signs commits at the world's time.
func (s *State) Signature(user ID) gitstore.Signature {
	u := s.Users.Get(user)
	if u == nil {
		return gitstore.Signature{Name: ghost, Email: ghost + "@" + noreplyHost, When: s.Now}
	}
	return gitstore.Signature{Name: orElse(u.Name, u.Login), Email: orElse(u.Email, u.noreply()), When: s.Now}
}

func (u *User) noreply() string { return fmt.Sprintf("%d+%s@%s", u.ID, u.Login, noreplyHost) }

// Signer returns the user whom a signature names by its address, nil if it is
// nobody's.
func (s *State) Signer(sig gitstore.Signature) *User {
	return s.Users.First(func(u *User) bool {
		return sig.Email != "" && slices.Contains(u.addresses(), sig.Email)
	})
}

// addresses are those with which a user signs; the first may be empty.
func (u *User) addresses() []string {
	return []string{u.Email, u.noreply(), u.Login + "@" + noreplyHost}
}

// Contributors are the addresses of which commits of the default branch are, nil for an
// empty repository. GitHub counts no merges.
func (s *State) Contributors(repo *Repo) (*gitstore.Authors, error) {
	head, exists := s.BranchHead(repo, repo.DefaultBranch)
	if !exists {
		return nil, nil
	}
	return repo.Git.Authors(head)
}

// contributes reports whether a commit of the default branch is a user's.
func (s *State) contributes(u *User, repo *Repo) bool {
	authors, err := s.Contributors(repo)
	return err == nil && authors != nil && u != nil && slices.ContainsFunc(u.addresses(), authors.Has)
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// CommitFiles commits changes of files on top of a branch that there is.
func (s *State) CommitFiles(actor ID, repo *Repo, branch, message string, changes []gitstore.Change) (gitstore.Commit, error) {
	if err := s.requireBranch(actor, repo, headsPrefix+branch); err != nil {
		return gitstore.Commit{}, err
	}
	head, exists := s.BranchHead(repo, branch)
	if !exists {
		return gitstore.Commit{}, &Problem{Kind: NotFound, Message: "Branch " + branch + " not found"}
	}
	commit, err := s.commitChanges(actor, repo, gitstore.CommitSpec{Message: message, Parents: []gitstore.Hash{head}}, changes...)
	if err != nil {
		return gitstore.Commit{}, err
	}
	return commit, s.moveRef(actor, repo, headsPrefix+branch, commit.Hash, byUpdating)
}

// PullsWith returns the pull requests of a repository that have a commit, or
// made it by being merged.
func (s *State) PullsWith(repo *Repo, commit gitstore.Hash) []*Issue {
	return s.Issues.whereOf(pullByRepo, key{of: repo.ID}, func(i *Issue) bool {
		if i.Pull.MergeCommitSHA == commit.String() {
			return true
		}
		commits, err := s.PullCommits(i)
		return err == nil && slices.ContainsFunc(commits, func(c gitstore.Commit) bool { return c.Hash == commit })
	})
}

// PinnedIssues returns the issues on top of a repository's others.
func (s *State) PinnedIssues(repo *Repo) []*Issue {
	return s.Issues.with(pinnedByRepo, key{of: repo.ID})
}
