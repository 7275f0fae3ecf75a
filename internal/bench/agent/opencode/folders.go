//go:build unix

package opencode

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// Modes of what is made in the agent's folders.
const (
	folderMode = 0o755
	fileMode   = 0o644
)

// Places in the home folder.
const (
	configFolder = ".config"
	dataFolder   = ".local/share"
	stateFolder  = ".local/state"
	cacheFolder  = ".cache"
	modelsFile   = ".config/opencode/models.json"
)

// homeFiles are what a home folder begins with, folders with a final slash.
//
// OpenCode installs a package of its own from npm into the folder of its
// configuration, unless there are node_modules and a lock file that names it.
// The list of models is empty: one that is given by its address needs none.
func homeFiles() [][2]string {
	return [][2]string{
		{configFolder + "/", ""},
		{configFolder + "/opencode/", ""},
		{configFolder + "/opencode/node_modules/", ""},
		{configFolder + "/opencode/package-lock.json", `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}`},
		{modelsFile, "{}"},
	}
}

// reset empties the folders, but for what a home begins with. The agent may
// have filled them with anything, links that lead elsewhere and folders that
// cannot be read included.
func (f Folders) reset() error {
	for _, folder := range []string{f.Work, f.Temp, f.Home} {
		if err := empty(folder); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(f.Home)
	if err != nil {
		return err
	}
	defer root.Close()
	owner, group, err := owned(root)
	if err != nil {
		return err
	}
	for _, file := range homeFiles() {
		name, isFolder := path.Clean(file[0]), file[0] != path.Clean(file[0])
		if isFolder {
			err = root.Mkdir(name, folderMode)
		} else {
			err = root.WriteFile(name, []byte(file[1]), fileMode)
		}
		if err = errors.Join(err, root.Lchown(name, owner, group)); err != nil {
			return err
		}
	}
	return nil
}

// owned returns who owns a folder.
func owned(root *os.Root) (owner, group int, err error) {
	info, err := root.Stat(".")
	if err != nil {
		return 0, 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, fmt.Errorf("folder %s has no owner", root.Name())
	}
	return int(stat.Uid), int(stat.Gid), nil
}

// empty removes what is in a folder.
func empty(folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	entries, err := list(root, ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := root.RemoveAll(entry.Name()); err == nil {
			continue
		}
		unlock(root, entry.Name())
		if err := root.RemoveAll(entry.Name()); err != nil {
			return err
		}
	}
	return nil
}

// remove removes a folder that may be gone already.
func remove(folder string) error {
	err := empty(folder)
	if err == nil {
		err = os.Remove(folder)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// unlock makes folders removable whose owner has taken that right away from
// itself, as Go does in its module cache. What fails shows in the removal.
func unlock(root *os.Root, name string) {
	info, err := root.Lstat(name)
	if err != nil || !info.IsDir() {
		return
	}
	_ = root.Chmod(name, folderMode)
	entries, err := list(root, name)
	if err != nil {
		return
	}
	for _, entry := range entries {
		unlock(root, path.Join(name, entry.Name()))
	}
}

func list(root *os.Root, name string) ([]fs.DirEntry, error) {
	folder, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return folder.ReadDir(-1)
}
