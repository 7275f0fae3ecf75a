package actioncli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// seclude keeps what is proposed, which builds and agents run, from credentials: it
// takes them out of the configuration of every repository in the workspace and, where
// we are root and others work as other users, closes these repositories and the
// runner's own folders to them until the end.
func (a *action) seclude() error {
	repositories, err := repositoriesIn(".")
	if err != nil {
		return fault.Infraf("look for repositories in the workspace: %w", err)
	}
	for _, repository := range repositories {
		if err := dropCredentials(repository); err != nil {
			return fault.Infraf("take the credentials out of the checkout: %w; set persist-credentials: false at actions/checkout", err)
		}
	}
	if os.Geteuid() != 0 {
		return nil
	}
	for _, folder := range append(repositories, a.runnersFolders()...) {
		if err := a.closeFolder(folder); err != nil {
			return fault.Infraf("keep %s from what is built: %w", folder, err)
		}
	}
	return nil
}

// maxDepth is how deep below the workspace a checkout may lie.
const maxDepth = 4

// repositoriesIn returns the .git folders below a folder.
func repositoriesIn(folder string) (found []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission):
			return nil // who builds cannot read it either
		case err != nil || !entry.IsDir():
			return err
		case entry.Name() == ".git":
			found = append(found, path)
			return fs.SkipDir
		case entry.Name() == "node_modules" || strings.Count(filepath.ToSlash(path), "/") >= maxDepth:
			return fs.SkipDir
		}
		return nil
	})
	return found, err
}

// runnersFolders are those where the runner keeps the event, what earlier steps have
// set, and the credentials of actions/checkout.
func (a *action) runnersFolders() (folders []string) {
	for _, name := range []string{"GITHUB_EVENT_PATH", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"} {
		if file := a.getenv(name); filepath.IsAbs(file) {
			folders = append(folders, filepath.Dir(file))
		}
	}
	folders = append(folders, a.getenv("RUNNER_TEMP"))
	if home := a.getenv("HOME"); strings.HasPrefix(home, "/github/") {
		folders = append(folders, home)
	}
	return folders
}

// closeFolder has nobody but its owner, and us, look into a folder until the end. What
// is built, and where we write ourselves, stays open.
func (a *action) closeFolder(folder string) error {
	for _, open := range []string{".", os.TempDir()} {
		path, err := filepath.Abs(open)
		if err != nil {
			return err
		}
		if inside, err := filepath.Rel(folder, path); filepath.IsAbs(folder) && err == nil && filepath.IsLocal(inside) {
			return nil
		}
	}
	info, err := os.Lstat(folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil
	}
	const ownerOnly = 0o700
	if err != nil || info.Mode().Perm()&^ownerOnly == 0 {
		return err
	}
	a.closed = append(a.closed, closedFolder{folder, info.Mode().Perm()})
	return os.Chmod(folder, info.Mode().Perm()&ownerOnly)
}

// closedFolder is a folder with its permissions of before.
type closedFolder struct {
	path string
	was  fs.FileMode
}

// open gives folders the permissions back that they had.
func (a *action) open() {
	for _, folder := range a.closed {
		if err := os.Chmod(folder.path, folder.was); err != nil && !errors.Is(err, fs.ErrNotExist) {
			a.log.Line("A folder stays closed: " + err.Error())
		}
	}
	a.closed = nil
}

// userInfo is a name, or a token, in the address of a remote.
var userInfo = regexp.MustCompile(`(?i)(https?://)[^/@\s"]+@`)

// dropCredentials takes out of the configuration of a repository, and of its
// submodules', what lets git in: a header with the token, the file that has it, or an
// address with a password.
func dropCredentials(repository string) error {
	return filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "objects" || entry.Name() == "refs"):
			return fs.SkipDir
		case !entry.Type().IsRegular() || !strings.HasPrefix(entry.Name(), "config"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var kept strings.Builder
		for line := range strings.Lines(string(text)) {
			low := strings.ToLower(line)
			if !strings.Contains(low, "extraheader") && !strings.Contains(low, "git-credentials") {
				kept.WriteString(userInfo.ReplaceAllString(line, "$1"))
			}
		}
		if kept.String() == string(text) {
			return nil
		}
		const ownerOnly = 0o600
		return os.WriteFile(path, []byte(kept.String()), ownerOnly)
	})
}
