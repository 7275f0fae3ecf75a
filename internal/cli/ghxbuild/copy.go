package ghxbuild

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Copy brings what is proposed into a new folder of the account's: of each checkout
// in the workspace the files of its commit, and where there is none all files. So
// neither git's own files come along, which have the credentials of the checkout,
// nor what earlier steps have left beside the files of the commit or written into
// them. Output is told what was left out; it may be nil.
func (b *Builder) Copy(ctx context.Context, to string) error {
	var root *os.Root
	err := b.makeFolder(to)
	if err == nil {
		root, err = os.OpenRoot(to)
	}
	if err != nil {
		return fault.Infraf("make a folder to build in: %w", err)
	}
	defer root.Close()
	c := &copying{builder: b, ctx: ctx, to: &target{root: root, give: b.give}}
	if err := c.folder("."); err != nil {
		return fmt.Errorf("copy the workspace to build in: %w", fault.Wrap(fault.Infrastructure, err))
	}
	if len(c.omitted) > 0 && b.Output != nil {
		slices.Sort(c.omitted)
		fmt.Fprintf(b.Output, "Left out, as the commit does not have it: %s\n", strings.Join(c.omitted, ", "))
	}
	return nil
}

// give makes the builder's user the owner of what has a name in a folder.
func (b *Builder) give(root *os.Root, name string) error {
	if b.User == nil {
		return nil
	}
	return root.Lchown(name, int(b.User.Uid), int(b.User.Gid))
}

// copying copies a workspace.
type copying struct {
	builder *Builder
	ctx     context.Context //nolint:containedctx // it is of one call
	to      *target
	// omitted are files and folders of checkouts that their commits do not have.
	omitted []string
}

// folder copies a folder of the workspace, by its name in there.
func (c *copying) folder(name string) error {
	commit, err := c.checkout(name)
	if err != nil {
		return err
	}
	if commit != nil {
		return c.commit(name, commit)
	}
	entries, err := os.ReadDir(c.from(name))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := context.Cause(c.ctx); err != nil {
			return err
		}
		if err := c.entry(filepath.Join(name, entry.Name()), entry); err != nil {
			return err
		}
	}
	return nil
}

// entry copies what is in a folder that is no checkout.
func (c *copying) entry(name string, entry fs.DirEntry) error {
	switch {
	case entry.Name() == dotGit:
		return nil
	case entry.IsDir():
		if err := c.to.makeFolder(name); err != nil {
			return err
		}
		return c.folder(name)
	case entry.Type() == fs.ModeSymlink:
		link, err := os.Readlink(c.from(name))
		if err != nil {
			return err
		}
		return c.to.link(name, link)
	case entry.Type().IsRegular():
		return c.file(name)
	default:
		return nil
	}
}

func (c *copying) from(name string) string { return filepath.Join(c.builder.Workspace, name) }

func (c *copying) file(name string) error {
	source, err := os.Open(c.from(name))
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	const ownerWrites = 0o200
	return c.to.file(name, info.Mode().Perm()|ownerWrites, source)
}

const dotGit = ".git"

// checkout returns what is checked out in a folder, nil if that is nothing: it has
// no repository of its own, or one without a commit.
func (c *copying) checkout(name string) (*Checkout, error) {
	if _, err := os.Lstat(c.from(filepath.Join(name, dotGit))); err != nil {
		return nil, nil //nolint:nilerr,nilnil // it has no repository
	}
	found, err := openAt(c.from(name))
	if err == nil {
		_, err = found.repo.Head()
	}
	switch {
	case errors.Is(err, git.ErrRepositoryNotExists), errors.Is(err, plumbing.ErrReferenceNotFound):
		return nil, nil //nolint:nilnil // it has no commit
	case err != nil:
		return nil, fault.Infraf("read the commit that is checked out in %s: %w", c.from(name), err)
	}
	return &found, nil
}

// commit writes the files of a checkout's commit, and of checkouts in it.
func (c *copying) commit(name string, of *Checkout) error {
	head, err := of.repo.Head()
	if err != nil {
		return err
	}
	worktree, err := os.OpenRoot(c.from(name))
	if err != nil {
		return err
	}
	defer worktree.Close()
	tops, err := of.write(c.ctx, head.Hash(), &writing{to: c.to, under: name, worktree: worktree, left: newRoom()})
	if err != nil {
		return err
	}
	inside, err := c.checkoutsIn(name)
	if err != nil {
		return err
	}
	for _, below := range inside {
		other := filepath.Join(name, below)
		if err := c.to.makeFolder(other); err != nil {
			return err
		}
		if err := c.folder(other); err != nil {
			return err
		}
		top, _, _ := strings.Cut(below, "/")
		tops[top] = true
	}
	entries, err := os.ReadDir(c.from(name))
	for _, entry := range entries {
		if entry.Name() != dotGit && !tops[entry.Name()] {
			c.omitted = append(c.omitted, filepath.Join(name, entry.Name()))
		}
	}
	return err
}

// maxDepth is how deep in a checkout others may lie: submodules, and what other
// steps have checked out.
const maxDepth = 4

// checkoutsIn lists the outermost checkouts in one, by their names in there.
func (c *copying) checkoutsIn(name string) (found []string, err error) {
	err = fs.WalkDir(os.DirFS(c.from(name)), ".", func(below string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.IsDir() || below == ".":
			return err
		case entry.Name() == dotGit, entry.Name() == "node_modules", strings.Count(below, "/") >= maxDepth:
			return fs.SkipDir
		}
		if _, err := os.Lstat(c.from(filepath.Join(name, below, dotGit))); err != nil {
			return nil //nolint:nilerr // it is none
		}
		found = append(found, below)
		return fs.SkipDir
	})
	return found, err
}

// target is a folder that files of somebody's proposal are written to, and never
// outside of it.
type target struct {
	root *os.Root
	// give makes somebody the owner; it may be nil.
	give func(root *os.Root, name string) error
}

func (t *target) own(name string) error {
	if t.give == nil {
		return nil
	}
	return t.give(t.root, name)
}

// makeFolder makes a folder, and those that it is in.
func (t *target) makeFolder(name string) error {
	if info, err := t.root.Lstat(name); err == nil && info.IsDir() {
		return nil
	}
	if err := t.makeFolder(filepath.Dir(name)); err != nil {
		return err
	}
	return errors.Join(t.root.Mkdir(name, folderPerm), t.own(name))
}

func (t *target) link(name, to string) error {
	return errors.Join(t.root.Symlink(to, name), t.own(name))
}

// file writes a new file.
func (t *target) file(name string, perm fs.FileMode, content io.Reader) error {
	file, err := t.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close(), t.own(name))
}
