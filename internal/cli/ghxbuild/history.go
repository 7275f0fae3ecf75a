package ghxbuild

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// onGitHub is the address of a repository on GitHub, or on a server of one's own.
var onGitHub = regexp.MustCompile(`^(?:https?://(?:[^@/]*@)?|ssh://(?:[^@/]*@)?|[^@/:]*@)[^/:]+(?::[0-9]+)?[/:]([^/]+)/([^/]+?)(?:\.git)?/?$`)

// Origin returns owner and name of the repository that a checkout is a clone of, empty
// where that is not known.
func (c Checkout) Origin() (owner, name string) {
	remote, err := c.repo.Remote("origin")
	if err != nil || len(remote.Config().URLs) == 0 {
		return "", ""
	}
	if parts := onGitHub.FindStringSubmatch(remote.Config().URLs[0]); parts != nil {
		return parts[1], parts[2]
	}
	return "", ""
}

// DefaultBranch returns the branch that the origin has for the usual one, or else the
// one that is checked out; empty where neither is known.
func (c Checkout) DefaultBranch() string {
	const origin = "refs/remotes/origin/"
	if head, err := c.repo.Reference(origin+"HEAD", false); err == nil {
		return strings.TrimPrefix(head.Target().String(), origin)
	}
	head, err := c.repo.Reference(plumbing.HEAD, false)
	if err != nil {
		return ""
	}
	return head.Target().Short() // a commit that is checked out by itself has none
}

// merged is how GitHub's merges begin.
var merged = regexp.MustCompile(`^Merge pull request #[0-9]+ from ([A-Za-z0-9-]+)/`)

// MergedFrom returns whose pull requests were merged with a merge commit, as the last so
// many commits say, sorted and each once.
func (c Checkout) MergedFrom(most int) []string {
	commits, err := c.repo.Log(&git.LogOptions{})
	if err != nil {
		return nil
	}
	defer commits.Close()
	var logins []string
	// A shallow history ends with an error, where it ends.
	_ = commits.ForEach(func(commit *object.Commit) error {
		if found := merged.FindStringSubmatch(commit.Message); found != nil && !slices.Contains(logins, found[1]) {
			logins = append(logins, found[1])
		}
		if most--; most <= 0 {
			return storer.ErrStop
		}
		return nil
	})
	slices.Sort(logins)
	return logins
}
