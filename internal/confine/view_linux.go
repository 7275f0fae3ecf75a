package confine

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// commonFolders are those where everyone may write.
func commonFolders() []string { return []string{"/tmp", "/var/tmp", "/dev/shm", "/run/lock"} }

// view is a [View] in a mount namespace.
type view struct {
	// folder has what is written to the common folders. No other user than us
	// can enter it but through them.
	folder string
	places []place
}

// place is a folder, or a file, that is not as we see it, or that is so again
// within one that is not.
type place struct {
	path string // without links
	kind string
}

// The kinds of places.
const (
	hidden  = "hidden"
	private = "private"
	kept    = "kept"
)

// takeView gives the starter a mount namespace where that can be had, in which
// nothing is mounted yet.
func (c *Cage) takeView(opts CageOptions) (Files, string, error) {
	err := c.starter.do(func() error { return unix.Unshare(unix.CLONE_NEWNS) })
	if err != nil {
		why := fmt.Sprintf("no mount namespace: %v", err)
		if !opts.OwnUser {
			return OurFiles, why, nil
		}
		return Permissions, why, nil
	}
	// Nothing that is mounted there is to be seen here.
	err = c.starter.do(func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") })
	if err != nil {
		return "", "", fault.Infraf("keep a mount namespace to itself: %w", err)
	}
	folder, err := os.MkdirTemp(opts.Base, "view-")
	if err != nil {
		return "", "", fault.Infraf("make a folder for temporary files: %w", err)
	}
	c.view = &view{folder: folder}
	for _, common := range commonFolders() {
		c.view.add(common, private)
	}
	for _, path := range opts.View.Hide {
		c.view.add(path, hidden)
	}
	for _, path := range opts.View.Keep {
		c.view.add(path, kept)
	}
	return OwnMounts, "", nil
}

// add notes a place. What is not there need not be hidden, and what is kept is
// not.
func (v *view) add(path, kind string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || real == "/" {
		return
	}
	at := slices.IndexFunc(v.places, func(p place) bool { return p.path == real })
	switch {
	case at < 0:
		v.places = append(v.places, place{real, kind})
	case kind == kept:
		v.places[at].kind = kept
	}
}

// shows reports whether what is at a path, which has no links, can be seen.
func (v *view) shows(path string) bool {
	for parent := path; ; parent = filepath.Dir(parent) {
		at := slices.IndexFunc(v.places, func(p place) bool { return p.path == parent })
		switch {
		case at >= 0:
			return v.places[at].kind == kept
		case parent == filepath.Dir(parent):
			return true
		}
	}
}

// mount makes the view that of the calling thread, which is in a mount
// namespace of its own.
func (v *view) mount() error {
	// What is needed of a folder that will be covered is held before.
	held := map[string]string{}
	for _, p := range append([]place{{v.folder, kept}}, v.places...) {
		if p.kind != kept {
			continue
		}
		fd, err := unix.Open(p.path, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
		if err != nil {
			return fmt.Errorf("hold %s: %w", p.path, err)
		}
		defer func() { _ = unix.Close(fd) }()
		held[p.path] = fmt.Sprintf("/proc/self/fd/%d", fd)
	}
	// Folders come before what is in them.
	slices.SortFunc(v.places, func(a, b place) int { return cmp.Compare(a.path, b.path) })
	for i, p := range v.places {
		var err error
		switch p.kind {
		case hidden:
			err = hide(p.path)
		case private:
			err = makePrivate(p.path, filepath.Join(held[v.folder], strconv.Itoa(i)))
		case kept:
			err = showAgain(p.path, held[p.path])
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", p.kind, p.path, err)
		}
	}
	return nil
}

// hide puts nothing in the place of a folder or a file. What is in a hidden
// folder is gone already.
func hide(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return unix.Mount("nothing", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=0755,size=64k")
	default:
		return unix.Mount("/dev/null", path, "", unix.MS_BIND, "")
	}
}

// makePrivate puts a new folder in the place of one where everyone may write.
func makePrivate(path, folder string) error {
	const anyoneWrites = os.ModeSticky | 0o777
	if err := errors.Join(os.Mkdir(folder, ownPerm), os.Chmod(folder, anyoneWrites)); err != nil {
		return err
	}
	return unix.Mount(folder, path, "", unix.MS_BIND, "")
}

// showAgain puts a folder, or a file, back where it was covered.
func showAgain(path, from string) error {
	was, err := os.Stat(from)
	if err != nil {
		return err
	}
	if now, err := os.Lstat(path); err == nil && os.SameFile(was, now) {
		return nil
	}
	if was.IsDir() {
		err = makeWay(path)
	} else if err = makeWay(filepath.Dir(path)); err == nil {
		err = os.WriteFile(path, nil, dataPerm)
	}
	if err != nil {
		return err
	}
	return unix.Mount(from, path, "", unix.MS_BIND|unix.MS_REC, "")
}

// makeWay makes a folder, with those that it is in, which everyone can enter.
func makeWay(path string) error {
	err := os.Mkdir(path, ownPerm)
	if errors.Is(err, os.ErrNotExist) {
		if err := makeWay(filepath.Dir(path)); err != nil {
			return err
		}
		err = os.Mkdir(path, ownPerm)
	}
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	return errors.Join(err, os.Chmod(path, toolPerm))
}
