package benchcli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/format/index"

	"github.com/ghx-dev/bench-action/internal/bench/ledger"
)

// historyIn returns the path of the history in a folder of runs. It is empty,
// which is a history without entries that none is added to, where a commit may
// have written it: the history says which scenarios count, and who proposes a
// change is not to say that. The user is told, once.
func (a *app) historyIn(dir string) string {
	path := filepath.Join(dir, ledger.HistoryFile)
	committed, err := isCommitted(path)
	if !committed && err == nil {
		return path
	}
	why := "it is a file of the repository, so that a commit can say which scenarios count: take it out with git rm --cached, and keep it in a cache"
	if err != nil {
		why = fmt.Sprintf("whether it is a file of the repository is not known: %v", err)
	}
	if !a.historyRefused {
		fmt.Fprintf(a.stderr, "bench: %s is not read: %s\n", path, why)
		a.historyRefused = true
	}
	return ""
}

// isCommitted reports whether a file, or a link or module that leads to it, is
// one of the repository of a checkout. A file that is not there is none.
func isCommitted(path string) (bool, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return false, err
	}
	if _, err := os.Lstat(full); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	ways := []string{full}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		ways = append(ways, real)
	}
	for _, way := range ways {
		if is, err := isIndexed(way); is || err != nil {
			return is, err
		}
	}
	return false, nil
}

// isIndexed looks in every checkout that a file is in, however they lie in each
// other.
func isIndexed(file string) (bool, error) {
	for folder := filepath.Dir(file); ; {
		repo, err := git.PlainOpenWithOptions(folder, &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
		if errors.Is(err, git.ErrRepositoryNotExists) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		tree, err := repo.Worktree()
		if errors.Is(err, git.ErrIsBareRepository) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		top := tree.Filesystem.Root()
		entries, err := repo.Storer.Index()
		if err != nil {
			return false, err
		}
		inside, err := filepath.Rel(top, file)
		if err != nil || holds(entries, filepath.ToSlash(inside)) {
			return err == nil, err
		}
		if folder = filepath.Dir(top); folder == top {
			return false, nil
		}
	}
}

// holds reports whether an index has a file, or in place of a folder above it a
// link or a module. Some systems tell no capital letters from small ones.
func holds(entries *index.Index, file string) bool {
	for _, e := range entries.Entries {
		if strings.EqualFold(e.Name, file) || len(file) > len(e.Name) && file[len(e.Name)] == '/' && strings.EqualFold(e.Name, file[:len(e.Name)]) {
			return true
		}
	}
	return false
}
