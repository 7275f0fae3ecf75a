package ghxbuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	raw "github.com/go-git/go-git/v5/plumbing/format/config"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// BuildBase builds the ghx of a base commit, whose files are the builder's
// workspace, in the way that the head's was built, and returns both. What cannot
// be built, and what would be the head's own program again, is an error that
// says that there is no verdict.
func (b *Builder) BuildBase(ctx context.Context, in Wanted, commit string, head Built) (Built, error) {
	in.Base = ""
	base, err := b.Build(ctx, in)
	switch {
	case err != nil && ctx.Err() != nil:
		return head, err
	case err != nil:
		return head, NoVerdict(commit, err)
	case !b.names(base.Command):
		return head, NoVerdict(commit, fault.Invalidf("%q names no program that it has: set build-command, and ghx-command to a file that the build makes", in.Command))
	case in.Skill != "" && !filepath.IsAbs(in.Skill) && base.Skill == in.Skill:
		return head, NoVerdict(commit, fault.Invalidf("it has no skill text %s: leave ghx-skill out, or name a file that both commits have", in.Skill))
	}
	head.Base, head.BaseSkill = base.Command, base.Skill
	return head, nil
}

// NoVerdict says that a base commit cannot be compared with, and why. It keeps
// the kind of the error.
func NoVerdict(commit string, err error) error {
	const short = 7
	message := fmt.Sprintf("there is no ghx of the base commit %s to compare with, so there is no verdict", commit[:min(short, len(commit))])
	if fault.KindOf(err) == fault.Invalid {
		return fault.Invalidf("%s: %w", message, err)
	}
	return fault.Infraf("%s: %w", message, err)
}

// names reports whether a command names a file that the builder's commit has, or
// that its build made.
func (b *Builder) names(command string) bool {
	for _, folder := range []string{b.Workspace, b.Home} {
		if folder != "" && strings.Contains(command, folder+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// ErrNoCommit is of a commit that a checkout does not have, as shallow ones lack
// most.
var ErrNoCommit = errors.New("the checkout does not have the commit")

// Checkout is a folder with a repository, or one below such a folder.
type Checkout struct{ repo *git.Repository }

// OpenCheckout opens the repository that a folder is in. An error wraps
// [ErrNoCommit] if there is none.
func OpenCheckout(folder string) (Checkout, error) {
	repo, err := git.PlainOpenWithOptions(folder, &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if errors.Is(err, git.ErrUnknownExtension) {
		return openAt(folder)
	}
	if err != nil {
		return Checkout{}, fmt.Errorf("%w: %w", ErrNoCommit, err)
	}
	return Checkout{repo}, nil
}

// openAt opens the repository of a folder.
func openAt(folder string) (Checkout, error) {
	repo, err := git.PlainOpenWithOptions(folder, &git.PlainOpenOptions{EnableDotGitCommonDir: true})
	if errors.Is(err, git.ErrUnknownExtension) {
		files := filesystem.NewStorage(osfs.New(filepath.Join(folder, dotGit)), cache.NewObjectLRUDefault())
		repo, err = git.Open(extended{files}, nil)
	}
	if err != nil {
		return Checkout{}, fmt.Errorf("%w: %w", ErrNoCommit, err)
	}
	return Checkout{repo}, nil
}

// extended is a repository with extensions that do not matter to who reads commits:
// actions/checkout sets them where it checks a part out.
type extended struct{ *filesystem.Storage }

// Config is the repository's configuration, without these extensions.
func (e extended) Config() (*config.Config, error) {
	c, err := e.Storage.Config()
	if err != nil {
		return nil, err
	}
	section := c.Raw.Section("extensions")
	section.Options = slices.DeleteFunc(section.Options, func(o *raw.Option) bool {
		return slices.Contains([]string{"worktreeconfig", "partialclone", "preciousobjects"}, strings.ToLower(o.Key))
	})
	return c, nil
}

// Head returns the commit that is checked out, its tree, and its parents.
func (c Checkout) Head() (commit, tree string, parents []string, err error) {
	head, err := c.repo.Head()
	if err != nil {
		return "", "", nil, fmt.Errorf("%w: %w", ErrNoCommit, err)
	}
	found, err := c.repo.CommitObject(head.Hash())
	if err != nil {
		return "", "", nil, fmt.Errorf("%w: %w", ErrNoCommit, err)
	}
	for _, p := range found.ParentHashes {
		parents = append(parents, p.String())
	}
	return found.Hash.String(), found.TreeHash.String(), parents, nil
}

// Tree returns the hash of a commit's tree. An error wraps [ErrNoCommit].
func (c Checkout) Tree(sha string) (string, error) {
	commit, err := c.repo.CommitObject(plumbing.NewHash(sha))
	if err != nil {
		return "", fmt.Errorf("%w %s: %w", ErrNoCommit, sha, err)
	}
	return commit.TreeHash.String(), nil
}

// Files brings the files of a commit into a new folder, which is the caller's to
// remove, as [Fetch] does. An error wraps [ErrNoCommit] where some are not there.
func (c Checkout) Files(ctx context.Context, sha string) (folder string, err error) {
	if folder, err = os.MkdirTemp("", "bench-source-"); err != nil {
		return "", fault.Infraf("make a folder for the source: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err == nil {
		_, err = c.write(ctx, plumbing.NewHash(sha), &writing{to: &target{root: root}, under: ".", left: newRoom()})
		err = errors.Join(err, root.Close())
	}
	switch {
	case errors.Is(err, plumbing.ErrObjectNotFound):
		return "", errors.Join(fmt.Errorf("%w %s: %w", ErrNoCommit, sha, err), os.RemoveAll(folder))
	case err != nil:
		return "", errors.Join(fault.Infraf("write the files of commit %s: %w", sha, err), os.RemoveAll(folder))
	default:
		return folder, nil
	}
}
