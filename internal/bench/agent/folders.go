package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/ghx-dev/bench-action/internal/platform"
)

// Modes of what is made in the agent's folders.
const (
	folderMode = 0o755
	fileMode   = 0o644
)

// File is a file that a home folder begins with, or a folder, whose name has a
// final slash.
type File struct{ Name, Content string }

// Reset empties the folders, but for what the home begins with. The agent may
// have filled them with anything, links that lead elsewhere and folders that
// cannot be read included.
func (f Folders) Reset(home []File) error {
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
	for _, file := range home {
		name, isFolder := path.Clean(file.Name), file.Name != path.Clean(file.Name)
		if isFolder {
			err = root.Mkdir(name, folderMode)
		} else {
			err = root.WriteFile(name, []byte(file.Content), fileMode)
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
	owner, group, known := platform.Owner(info)
	if !known {
		return 0, 0, fmt.Errorf("folder %s has no owner", root.Name())
	}
	return owner, group, nil
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
