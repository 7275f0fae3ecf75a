package ghxbuild

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// writing is the writing of a commit's files.
type writing struct {
	to *target
	// under is the folder that they are written below.
	under string
	// worktree, if it is not nil, has those that Git LFS keeps, and those that a part
	// of a repository lacks.
	worktree *os.Root
	// left is no more than is unpacked of an archive.
	left *room
}

// write writes the files of a commit, and returns the names at their top. What the
// repository lacks is [plumbing.ErrObjectNotFound].
func (c Checkout) write(ctx context.Context, sha plumbing.Hash, w *writing) (tops map[string]bool, err error) {
	commit, err := c.repo.CommitObject(sha)
	if err != nil {
		return nil, err
	}
	tree, err := commit.Tree()
	if err != nil {
		return nil, err
	}
	tops = map[string]bool{}
	entries := object.NewTreeWalker(tree, true, nil)
	defer entries.Close()
	for {
		name, entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			if name == "" {
				return tops, nil
			}
			// So the walker tells of a folder that cannot be read, too.
			if _, err = c.repo.TreeObject(entry.Hash); w.leavesOut(name, err) {
				continue
			}
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		if !strings.Contains(name, "/") {
			tops[name] = true
		}
		// A submodule is a checkout of its own.
		if entry.Mode == filemode.Dir || entry.Mode == filemode.Submodule {
			continue
		}
		if err := w.entry(c, name, entry); err != nil {
			return nil, err
		}
	}
}

// leavesOut reports whether a folder that cannot be read is none of the part of a
// repository that is checked out.
func (w *writing) leavesOut(name string, err error) bool {
	if w.worktree == nil || !errors.Is(err, plumbing.ErrObjectNotFound) {
		return false
	}
	_, err = w.worktree.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// entry writes a file, or a link, of a tree.
func (w *writing) entry(c Checkout, name string, entry object.TreeEntry) error {
	blob, err := c.repo.BlobObject(entry.Hash)
	lacking := errors.Is(err, plumbing.ErrObjectNotFound) && w.worktree != nil
	if err != nil && !lacking {
		return err
	}
	at := filepath.Join(w.under, name)
	perm, _ := entry.Mode.ToOSFileMode() // what is read of a tree has no other modes
	if err := w.to.makeFolder(filepath.Dir(at)); err != nil {
		return err
	}
	if w.worktree != nil && (lacking || isPointer(blob)) {
		if info, err := w.worktree.Lstat(name); err == nil && info.Mode().IsRegular() {
			file, err := w.worktree.Open(name)
			if err != nil {
				return err
			}
			defer file.Close()
			return w.to.file(at, perm.Perm(), file)
		}
	}
	if lacking {
		return nil // a part is checked out, and this is not in it
	}
	if err := w.left.take(blob.Size); err != nil {
		return err
	}
	content, err := blob.Reader()
	if err != nil {
		return err
	}
	defer content.Close()
	if entry.Mode != filemode.Symlink {
		return w.to.file(at, perm.Perm(), content)
	}
	link, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	return w.to.link(at, string(link))
}

// isPointer reports whether a blob stands for a file that Git LFS keeps.
func isPointer(blob *object.Blob) bool {
	const first, longest = "version https://git-lfs.github.com/spec/", 1024
	if blob.Size > longest {
		return false
	}
	content, err := blob.Reader()
	if err != nil {
		return false
	}
	defer content.Close()
	text, err := io.ReadAll(content)
	return err == nil && bytes.HasPrefix(text, []byte(first))
}
