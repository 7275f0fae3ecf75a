package benchcli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	gopath "path"
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
	committed, err := Committed(path)
	if committed == "" && err == nil {
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

// Committed returns the file of a checkout's repository that a path is, or that is in
// the folder that it is, or the link or module that leads to it; empty if there is
// none. A path that is not there is none.
func Committed(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(full); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	ways := []string{full}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		ways = append(ways, real)
	}
	for _, way := range ways {
		if entry, err := indexed(way); entry != "" || err != nil {
			return entry, err
		}
	}
	return "", nil
}

// indexed looks in every checkout that a path is in, however they lie in each other.
func indexed(path string) (string, error) {
	for folder := filepath.Dir(path); ; {
		repo, err := git.PlainOpenWithOptions(folder, &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
		if errors.Is(err, git.ErrRepositoryNotExists) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		tree, err := repo.Worktree()
		if errors.Is(err, git.ErrIsBareRepository) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		top := tree.Filesystem.Root()
		entries, err := repo.Storer.Index()
		if err != nil {
			return "", err
		}
		inside, err := filepath.Rel(top, path)
		if err != nil {
			return "", err
		}
		if entry := entryAt(entries, filepath.ToSlash(inside)); entry != "" {
			return entry, nil
		}
		if folder = filepath.Dir(top); folder == top {
			return "", nil
		}
	}
}

// entryAt returns the entry of an index that is a path, is below it, or is a link or
// a module in place of a folder above it. Files such as .gitignore below it do not
// count. Some systems tell no capital letters from small ones.
func entryAt(entries *index.Index, path string) string {
	under := func(a, b string) bool {
		return len(a) > len(b) && a[len(b)] == '/' && strings.EqualFold(a[:len(b)], b)
	}
	for _, e := range entries.Entries {
		below := under(e.Name, path) && !strings.HasPrefix(gopath.Base(e.Name), ".")
		if below || strings.EqualFold(e.Name, path) || under(path, e.Name) {
			return e.Name
		}
	}
	return ""
}
