package confine

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/platform"
)

const (
	// toolPerm is for programs and folders, dataPerm for other files that
	// the space's user may read and not change.
	toolPerm = 0o755
	dataPerm = 0o644
	// anyExecute and readExecute are rights of anyone, otherRead and
	// otherEnter of those who are neither owner nor in the group, sharedWrite
	// of those who are not the owner.
	anyExecute  = 0o111
	readExecute = 0o555
	otherRead   = 0o004
	otherEnter  = 0o001
	sharedWrite = 0o022
)

// Provide writes a file that the space's user can read and, where it is one of
// its own, not change, and returns its path. The name is a plain file name; a
// file of that name is replaced.
func (s *Space) Provide(name string, content []byte) (string, error) {
	return s.provide("provided", name, content, dataPerm)
}

// ProvideProgram is [Space.Provide] for a program, such as a script. All are
// in one folder, [Space.Programs].
func (s *Space) ProvideProgram(name string, content []byte) (string, error) {
	return s.provide(programsFolder, name, content, toolPerm)
}

// Programs returns the folder of the provided programs, which may not be there
// yet.
func (s *Space) Programs() string { return filepath.Join(s.root, programsFolder) }

const programsFolder = "bin"

func (s *Space) provide(folder, name string, content []byte, perm os.FileMode) (string, error) {
	folder = filepath.Join(s.root, folder)
	path := filepath.Join(folder, name)
	if filepath.Dir(path) != folder {
		return "", fault.Invalidf("provide %q for the agent: it is no plain name", name)
	}
	err := makeOpenFolder(folder)
	if err == nil {
		err = writeOpenFile(path, content, perm)
	}
	if err != nil {
		return "", fault.Infraf("provide %q for the agent: %w", name, err)
	}
	return path, nil
}

// Stage returns a path at which the space's user can run, or read, the file:
// its own where that user can reach it, else that of a copy, which the user
// cannot change and which is made once. What the kernel shows of processes and
// devices, below /proc and /sys, is an error of kind invalid.
func (s *Space) Stage(path string) (string, error) {
	return s.stage(path, func(from, folder string) (string, error) {
		to := filepath.Join(folder, filepath.Base(path))
		return to, copyFile(from, to)
	})
}

// StageTree is Stage for a folder with everything below it, such as a program
// that is installed with its libraries. Links within the tree stay links;
// those to files outside become files, if the space's user can read those, and
// are left out if not, or if they are the kernel's: whoever made the tree is not
// to get at what is ours. A link to a folder outside is an error of kind
// invalid.
func (s *Space) StageTree(path string) (string, error) {
	return s.stage(path, func(from, folder string) (string, error) {
		to := filepath.Join(folder, filepath.Base(path))
		return to, s.copyTree(from, to)
	})
}

// stage finds where the user reaches path, or has it copied to a new folder.
func (s *Space) stage(path string, copyTo func(from, folder string) (string, error)) (string, error) {
	if s.isolation.User != OwnUser {
		return path, nil
	}
	s.staging.Lock()
	defer s.staging.Unlock()
	if staged, done := s.staged[path]; done {
		return staged, nil
	}
	from, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fault.Invalidf("stage %s for the agent: %w", path, err)
	}
	staged := path
	switch {
	case !filepath.IsAbs(path):
		return "", fault.Invalidf("stage %s for the agent: its path must be absolute", path)
	case isKernels(filepath.Clean(path)), isKernels(from):
		return "", fault.Invalidf("stage %s for the agent: it leads to %s, which is no program's file but the kernel's", path, from)
	case !s.reaches(from):
		staged, err = s.copyTool(from, copyTo)
	case !s.reachesParent(path), !s.hold.shows(path):
		staged = from
	}
	if err != nil {
		return "", fault.Wrap(fault.Infrastructure, err)
	}
	s.staged[path] = staged
	return staged, nil
}

func (s *Space) copyTool(from string, copyTo func(from, folder string) (string, error)) (string, error) {
	tools := filepath.Join(s.root, "tools")
	folder := filepath.Join(tools, strconv.Itoa(len(s.staged)))
	if err := errors.Join(makeOpenFolder(tools), makeOpenFolder(folder)); err != nil {
		return "", fault.Infraf("stage %s for the agent: %w", from, err)
	}
	return copyTo(from, folder)
}

// reaches reports whether the space's user can reach and read what is at a
// path without links, and execute it if anyone can.
func (s *Space) reaches(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !s.reachesParent(path) || !s.hold.shows(path) {
		return false
	}
	mode := info.Mode().Perm()
	return mode&otherRead != 0 && (mode&anyExecute == 0 || mode&otherEnter != 0)
}

func (s *Space) reachesParent(path string) bool {
	return closedTo(filepath.Dir(path), s.isolation.UID) == ""
}

// closedTo returns the first folder on the way to the one at path, itself
// included, that a user without groups cannot enter; "" if there is none.
func closedTo(path string, uid int) string {
	if parent := filepath.Dir(path); parent != path {
		if closed := closedTo(parent, uid); closed != "" {
			return closed
		}
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path
	}
	if owner, _, known := platform.Owner(info); info.Mode().Perm()&otherEnter != 0 || known && owner == uid {
		return ""
	}
	return path
}

func (s *Space) copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, inside)
		switch entry.Type() {
		case os.ModeDir:
			return makeOpenFolder(target)
		case os.ModeSymlink:
			return s.copyLink(from, path, target)
		case 0:
			return copyFile(path, target)
		default:
			// Sockets and devices are no part of a program.
			return nil
		}
	})
}

// copyLink copies the symbolic link at path, in the tree at root.
func (s *Space) copyLink(root, path, to string) error {
	link, err := os.Readlink(path)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(link) && within(root, filepath.Join(filepath.Dir(path), link)) {
		return os.Symlink(link, to)
	}
	outside, err := filepath.EvalSymlinks(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(outside)
	if err != nil {
		return err
	}
	if !info.IsDir() && (!s.reaches(outside) || isKernels(outside)) {
		return nil
	}
	if !info.Mode().IsRegular() {
		return fault.Invalidf("stage %s for the agent: %s leads out of it, to %s; install the program with copies in place of links",
			root, path, outside)
	}
	return copyFile(outside, to)
}

func within(root, path string) bool {
	return path == root || strings.HasPrefix(path, root+string(filepath.Separator))
}

// isKernels reports whether a path is that of something which the kernel shows
// of itself, of processes and of devices. What it tells whoever reads it may be
// the secrets of that one, whatever the rights of the file are.
func isKernels(path string) bool { return within("/proc", path) || within("/sys", path) }

// copyFile makes a file that everyone can read and only we can change. It is
// the same file, at no cost, if that holds for it already.
func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	perm := os.FileMode(dataPerm)
	if info.Mode().Perm()&anyExecute != 0 {
		perm = toolPerm
	}
	if mayLink(info, perm) && os.Link(from, to) == nil {
		return nil
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Chmod(perm), target.Close())
}

func mayLink(info os.FileInfo, perm os.FileMode) bool {
	mode := info.Mode()
	owner, _, known := platform.Owner(info)
	return mode&readExecute == perm&readExecute && mode&sharedWrite == 0 &&
		mode&(os.ModeSetuid|os.ModeSetgid) == 0 && known && owner == os.Geteuid()
}

func makeOpenFolder(path string) error {
	if err := os.Mkdir(path, toolPerm); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	// Our own mask may have taken rights away.
	return os.Chmod(path, toolPerm)
}

func writeOpenFile(path string, content []byte, perm os.FileMode) error {
	if err := os.WriteFile(path, content, perm); err != nil {
		return err
	}
	return os.Chmod(path, perm)
}
