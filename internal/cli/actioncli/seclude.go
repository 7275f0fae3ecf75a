package actioncli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// seclude keeps what is proposed, which builds and agents run, from credentials: it
// takes them out of the configuration of every repository in the workspace and, where
// we are root and others work as other users, closes the workspace, the runner's own
// folders and whatever else has credentials to them until the end.
func (a *action) seclude() error {
	workspace, err := os.Getwd()
	if err != nil {
		return fault.Infraf("find the workspace: %w", err)
	}
	repositories, err := repositoriesIn(workspace)
	if err != nil {
		return fault.Infraf("look for repositories in the workspace: %w", err)
	}
	for _, repository := range repositories {
		if err := dropCredentials(repository); err != nil {
			return fault.Infraf("take the credentials out of the checkout: %w; set persist-credentials: false at actions/checkout", err)
		}
	}
	a.hidden = slices.Concat([]string{workspace, "/github"}, repositories, a.runnersFolders(), a.credentialFiles(workspace), dockersSockets())
	if os.Geteuid() != 0 {
		return nil
	}
	for _, path := range a.hidden {
		if err := a.closePath(path); err != nil {
			return fault.Infraf("keep %s from what is built: %w", path, err)
		}
	}
	return nil
}

// admit lets agents read the workspace where that has what they run: nothing was built,
// so that there is no copy.
func (a *action) admit(ghx ghxbuild.Built, modeFiles []string) (*confine.View, error) {
	view := &confine.View{Hide: a.hidden, Keep: a.temporary}
	workspace, err := os.Getwd()
	if err != nil {
		return nil, fault.Infraf("find the workspace: %w", err)
	}
	if ghx.Folder != workspace || ghx.Command == "" && ghx.Base == "" && len(modeFiles) == 0 {
		return view, nil
	}
	view.Keep = append(view.Keep, workspace)
	return view, a.openPath(workspace)
}

// maxDepth is how deep below the workspace a checkout may lie.
const maxDepth = 4

// repositoriesIn returns the folders of the repositories below a folder: those named
// .git, and those that files of that name lead to.
func repositoriesIn(folder string) (found []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission):
			return nil // who builds cannot read it either
		case err != nil:
			return err
		case entry.Name() == ".git" && entry.IsDir():
			found = append(found, path)
			return fs.SkipDir
		case entry.Name() == ".git":
			if led := ledTo(path); led != "" && strings.HasPrefix(led, folder+"/") {
				found = append(found, led)
			}
			return nil
		case !entry.IsDir():
			return nil
		}
		below, err := filepath.Rel(folder, path)
		if err == nil && (entry.Name() == "node_modules" || strings.Count(below, "/") >= maxDepth) {
			return fs.SkipDir
		}
		return err
	})
	return found, err
}

// ledTo returns the folder that a file named .git leads to, empty if it leads nowhere:
// see gitrepository-layout(5).
func ledTo(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	led, is := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !is {
		return ""
	}
	if !filepath.IsAbs(led) {
		led = filepath.Join(filepath.Dir(file), led)
	}
	return filepath.Clean(led)
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
	return slices.DeleteFunc(folders, func(folder string) bool { return !filepath.IsAbs(folder) })
}

// credentialFiles are files, and folders, that have credentials of earlier steps: by
// their usual names in the home and at the top of the workspace, and by the variables
// that name them.
func (a *action) credentialFiles(workspace string) (paths []string) {
	for _, name := range []string{
		".gitconfig", ".git-credentials", ".netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".docker", ".ssh", ".aws", ".azure", ".kube", ".gnupg",
		".config/git", ".config/gh", ".config/gcloud", ".config/containers",
	} {
		if home := a.getenv("HOME"); filepath.IsAbs(home) {
			paths = append(paths, filepath.Join(home, name))
		}
		// A folder there could be a link of the proposal's.
		if !strings.Contains(name, "/") {
			paths = append(paths, filepath.Join(workspace, name))
		}
	}
	// google-github-actions/auth writes it to the workspace.
	google, _ := filepath.Glob(filepath.Join(workspace, "gha-creds-*.json"))
	paths = append(paths, google...)
	for _, name := range []string{
		"NPM_CONFIG_USERCONFIG", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_GHA_CREDS_PATH", "CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE",
		"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "DOCKER_CONFIG", "REGISTRY_AUTH_FILE", "KUBECONFIG",
		"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "NETRC", "PIP_CONFIG_FILE", "SSH_AUTH_SOCK",
	} {
		if path := a.getenv(name); filepath.IsAbs(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// dockersSockets lead to whoever starts containers, with any rights.
func dockersSockets() []string { return []string{"/run/docker.sock", "/var/run/docker.sock"} }

// closePath has nobody but its owner, and us, look into a file or a folder until the
// end. Where we write ourselves stays open, and so does a link, which may be the
// proposal's.
func (a *action) closePath(path string) error {
	temp, err := filepath.Abs(os.TempDir())
	if err != nil {
		return err
	}
	if inside, err := filepath.Rel(path, temp); err != nil || filepath.IsLocal(inside) {
		return err
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&(fs.ModeSymlink|fs.ModeDevice) != 0 {
		return nil
	}
	const ownerOnly = 0o700
	if err != nil || info.Mode().Perm()&^ownerOnly == 0 {
		return err
	}
	a.closed = append(a.closed, closedPath{path, info.Mode().Perm()})
	return os.Chmod(path, info.Mode().Perm()&ownerOnly)
}

// closedPath is a file or a folder with its permissions of before.
type closedPath struct {
	path string
	was  fs.FileMode
}

// openPath gives what was closed the permissions back that it had.
func (a *action) openPath(path string) (err error) {
	a.closed = slices.DeleteFunc(a.closed, func(c closedPath) bool {
		if c.path == path {
			err = os.Chmod(path, c.was)
		}
		return c.path == path
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// open gives everything back that was closed.
func (a *action) open() {
	for len(a.closed) > 0 {
		if err := a.openPath(a.closed[0].path); err != nil {
			a.log.Line("It stays closed to others: " + err.Error())
		}
	}
}
