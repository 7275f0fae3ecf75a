package benchcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// worktree is the checkout that we run in, as git sees it. It is the user's own:
// git obeys its configuration.
type worktree struct {
	// top is its folder, prefix the way from there to where we are.
	top, prefix string
	git         string
}

// openWorktree finds the checkout that a folder is in. An error is of kind
// invalid.
func openWorktree(ctx context.Context, folder string) (*worktree, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, fault.Invalidf("git is not there, which finds commits: %w; install it", err)
	}
	w := &worktree{git: program}
	if w.top, err = w.run(ctx, folder, nil, "rev-parse", "--show-toplevel"); err != nil {
		return nil, fault.Invalidf("this is no checkout of a repository: %w; run bench in one", err)
	}
	if w.prefix, err = w.run(ctx, folder, nil, "rev-parse", "--show-prefix"); err != nil {
		return nil, fault.Infraf("find the place in the checkout: %w", err)
	}
	return w, nil
}

// run runs git and returns what it says, without the line end.
func (w *worktree) run(ctx context.Context, folder string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, w.git, args...) //nolint:gosec // git is what the user has installed
	cmd.Dir, cmd.Env = folder, append(os.Environ(), env...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return "", cause
		}
		last := strings.TrimSpace(said.String())
		last = last[strings.LastIndex(last, "\n")+1:]
		return "", errors.New(firstOf(strings.TrimPrefix(last, "fatal: "), err.Error()))
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// commit is one, with the hash of its tree.
type commit struct{ sha, tree string }

// commit finds the commit of a ref. An error is of kind invalid and says what
// brings it here.
func (w *worktree) commit(ctx context.Context, ref string) (c commit, err error) {
	c.sha, err = w.run(ctx, w.top, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err == nil {
		c.tree, err = w.run(ctx, w.top, nil, "rev-parse", "--verify", "--quiet", c.sha+"^{tree}")
	}
	switch {
	case err == nil:
		return c, nil
	case ctx.Err() != nil:
		return c, err
	}
	mend := "git fetch origin " + ref
	if shallow, err := w.run(ctx, w.top, nil, "rev-parse", "--is-shallow-repository"); err == nil && shallow == "true" {
		mend = "git fetch --unshallow, or in a workflow give actions/checkout fetch-depth: 0: this clone is shallow"
	}
	return c, fault.Invalidf("--base %s: there is no such commit here, so there is nothing to compare with; mend: %s", ref, mend)
}

// addWorktree checks a commit out in a new folder. No hook runs.
func (w *worktree) addWorktree(ctx context.Context, folder, sha string) error {
	if _, err := w.run(ctx, w.top, nil, "-c", "core.hooksPath="+os.DevNull, "worktree", "add", "--detach", "--quiet", folder, sha); err != nil {
		return fault.Infraf("check out the base commit %s: %w", sha, err)
	}
	return nil
}

// removeWorktree removes what addWorktree has added, if it has. What git cannot
// remove it forgets once the folder is gone.
func (w *worktree) removeWorktree(ctx context.Context, folder string) {
	_, _ = w.run(ctx, w.top, nil, "worktree", "remove", "--force", "--force", folder)
	_ = os.RemoveAll(folder)
	_, _ = w.run(ctx, w.top, nil, "worktree", "prune")
}

// contentHash returns the hash of the tree that a commit of all files would have
// now, but for some, whether they are committed or not and without what git
// ignores: that of the commit that is checked out, where nothing was changed. The
// repository stays as it is. An error is of kind invalid.
func (w *worktree) contentHash(ctx context.Context, except ...string) (string, error) {
	hash, err := w.hash(ctx, func(env []string) error { return w.addFiles(ctx, env, except) })
	if err != nil && ctx.Err() == nil {
		err = fault.Invalidf("hash the files of %s, which tells the tool that is measured from others: %w; mend that, or name the hash with --git-tree, and of which commit it is with --git-commit", w.top, err)
	}
	return hash, err
}

// withoutFolders returns the hash of the tree of files as they are now or, with a
// commit, as they are there, without folders that are named from where we are, whether
// git knows them or not, and, of files as they are now, without others that git does
// not know.
func (w *worktree) withoutFolders(ctx context.Context, commit string, folders, unknown []string) (string, error) {
	return w.hash(ctx, func(env []string) error {
		err := w.addFiles(ctx, env, unknown)
		if commit != "" {
			_, err = w.run(ctx, w.top, env, "read-tree", commit)
		}
		if err != nil {
			return err
		}
		remove := []string{"rm", "-r", "-q", "--cached", "--ignore-unmatch", "--"}
		for _, folder := range folders {
			if inside, ok := w.inside(folder); ok { // git refuses to hear of others
				remove = append(remove, ":(literal)"+inside)
			}
		}
		_, err = w.run(ctx, w.top, env, remove...)
		return err
	})
}

// hash returns the hash of the tree of an index that fill fills, which begins as the
// checkout's.
func (w *worktree) hash(ctx context.Context, fill func(env []string) error) (hash string, err error) {
	temp, err := os.MkdirTemp("", "bench-tree-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	place := func(name string) (string, error) {
		return w.run(ctx, w.top, nil, "rev-parse", "--path-format=absolute", "--git-path", name)
	}
	index, errIndex := place("index")
	objects, errObjects := place("objects")
	if err := errors.Join(errIndex, errObjects); err != nil {
		return "", err
	}
	own := filepath.Join(temp, "index")
	// It knows which files are as they were.
	if err := copyFile(index, own); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.Mkdir(filepath.Join(temp, "objects"), 0o700); err != nil {
		return "", err
	}
	env := []string{"GIT_INDEX_FILE=" + own, "GIT_OBJECT_DIRECTORY=" + filepath.Join(temp, "objects"), "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects}
	if err := fill(env); err != nil {
		return "", err
	}
	return w.run(ctx, w.top, env, "write-tree")
}

// addFiles adds all files to an index as they are, but for some.
func (w *worktree) addFiles(ctx context.Context, env, except []string) error {
	add := []string{"add", "--all", "--", "."}
	for _, path := range except {
		// What is ignored is not added anyway, and git refuses to hear of it.
		if inside, ok := w.inside(path); ok && !w.ignored(ctx, inside) {
			add = append(add, ":(exclude,literal)"+inside)
		}
	}
	_, err := w.run(ctx, w.top, env, add...)
	return err
}

// ignored reports whether git ignores a path of the checkout.
func (w *worktree) ignored(ctx context.Context, inside string) bool {
	_, err := w.run(ctx, w.top, nil, "check-ignore", "--quiet", "--", inside)
	return err == nil
}

// untracked returns the names of files and folders in the folder that we are in of
// which git knows nothing, ignored ones with them.
func (w *worktree) untracked(ctx context.Context) ([]string, error) {
	listed, err := w.run(ctx, filepath.Join(w.top, w.prefix), nil, "ls-files", "--others", "--directory", "-z", "--", ".")
	if err != nil {
		return nil, fault.Infraf("list what is not in git: %w", err)
	}
	var names []string
	for _, path := range strings.Split(listed, "\x00") {
		if name := strings.TrimSuffix(path, "/"); name != "" && !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	return names, nil
}

// inside returns the way from the checkout's folder to a path in it.
func (w *worktree) inside(path string) (string, bool) {
	if path == "" {
		return "", false
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	// The folder that it is in may be there under another name.
	if real, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
		full = filepath.Join(real, filepath.Base(full))
	}
	inside, err := filepath.Rel(w.top, full)
	return filepath.ToSlash(inside), err == nil && filepath.IsLocal(inside) && inside != "."
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err = io.Copy(target, source); err != nil {
		err = fmt.Errorf("copy %s: %w", from, err)
	}
	return errors.Join(err, target.Close())
}
