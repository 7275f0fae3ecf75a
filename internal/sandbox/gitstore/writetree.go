package gitstore

import (
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Change is one edit of a tree.
type Change struct {
	Path string
	// Content is the file's new content; nil means that Blob names it. A
	// symbolic link's content is its target.
	Content []byte
	// Mode is the entry's mode, zero for a regular file that is not
	// executable. With [filemode.Dir], Blob is a tree that replaces the whole
	// directory; with [filemode.Submodule] it is the submodule's commit.
	Mode filemode.FileMode
	Blob Hash
	// Delete removes the file, or the directory with all that is in it.
	Delete bool
}

// WriteTree stores the tree that the changes make of base, a tree or commit or
// zero for the empty tree, and returns its hash. Deletions are made first, then
// the others in their order. Directories left empty vanish. A change that
// would put a file in the place of a directory or the other way round is
// refused; deleting what is not there is an [ErrNotFound].
func (s *Store) WriteTree(base Hash, changes []Change) (Hash, error) {
	before := s.objects
	h, err := s.editTree(base, changes)
	if err != nil {
		s.objects = before
	}
	return h, err
}

func (s *Store) editTree(base Hash, changes []Change) (Hash, error) {
	root, err := s.treeOf(base)
	if err != nil {
		return Hash{}, err
	}
	d := s.openDir(root)
	for _, c := range changes {
		if err := ValidPath(c.Path); err != nil {
			return Hash{}, err
		}
		if c.Delete && !d.delete(s, c.Path) {
			return Hash{}, fault.Invalidf("delete path %q: %w", c.Path, ErrNotFound)
		}
	}
	for _, c := range changes {
		if c.Delete {
			continue
		}
		e, err := s.changedEntry(c)
		if err != nil {
			return Hash{}, fault.Invalidf("change path %q: %w", c.Path, err)
		}
		if err := d.set(s, c.Path, e); err != nil {
			return Hash{}, fault.Invalidf("change path %q: %w", c.Path, err)
		}
	}
	return d.write(s)
}

// changedEntry returns the entry that a change puts at its path, stores its
// content if need be and checks that it fits its mode.
func (s *Store) changedEntry(c Change) (entry, error) {
	e := entry{mode: c.Mode, hash: c.Blob}
	if e.mode == filemode.Empty {
		e.mode = filemode.Regular
	}
	if e.mode.IsMalformed() || e.mode == filemode.Deprecated {
		return e, fault.Invalidf("the mode %o is not one that git uses", uint32(e.mode))
	}
	if c.Content != nil {
		if e.kind() != plumbing.BlobObject {
			return e, fault.Invalidf("the mode %o has no content of its own", uint32(e.mode))
		}
		var err error
		e.hash, err = s.WriteBlob(c.Content)
		return e, err
	}
	if e.mode == filemode.Submodule {
		if e.hash.IsZero() {
			return e, fault.Invalidf("the submodule has no commit")
		}
		return e, nil
	}
	_, err := s.object(e.hash, e.kind())
	return e, err
}

// dir is a directory under edit. Its subdirectories are opened when an edit
// reaches them.
type dir struct {
	entries map[string]dirEntry
}

type dirEntry struct {
	entry
	// open is the directory under edit, nil while it is as entry says.
	open *dir
}

func (s *Store) openDir(tree Hash) *dir {
	list := s.entries(tree)
	d := &dir{entries: make(map[string]dirEntry, len(list)+1)}
	for _, e := range list {
		d.entries[e.name] = dirEntry{entry: e}
	}
	return d
}

// sub opens the subdirectory of the name; nil if there is none.
func (d *dir) sub(s *Store, name string) *dir {
	e, ok := d.entries[name]
	if !ok || e.mode != filemode.Dir {
		return nil
	}
	if e.open == nil {
		e.open = s.openDir(e.hash)
		d.entries[name] = e
	}
	return e.open
}

// delete removes what is at path and reports whether there was something.
func (d *dir) delete(s *Store, path string) bool {
	name, below, deep := strings.Cut(path, "/")
	if !deep {
		_, ok := d.entries[name]
		delete(d.entries, name)
		return ok
	}
	sub := d.sub(s, name)
	if sub == nil || !sub.delete(s, below) {
		return false
	}
	if len(sub.entries) == 0 {
		delete(d.entries, name)
	}
	return true
}

// set puts e at path.
func (d *dir) set(s *Store, path string, e entry) error {
	name, below, deep := strings.Cut(path, "/")
	old, exists := d.entries[name]
	if !deep {
		if exists && (old.mode == filemode.Dir) != (e.mode == filemode.Dir) {
			return fault.Invalidf("a file and a directory cannot have the same name: delete the old one first")
		}
		e.name = name
		d.entries[name] = dirEntry{entry: e}
		return nil
	}
	if !exists {
		old = dirEntry{entry: entry{name: name, mode: filemode.Dir}, open: &dir{entries: map[string]dirEntry{}}}
		d.entries[name] = old
	}
	sub := d.sub(s, name)
	if sub == nil {
		return fault.Invalidf("%q is a file, not a directory", name)
	}
	return sub.set(s, below, e)
}

// write stores the directory with its edited subdirectories.
func (d *dir) write(s *Store) (Hash, error) {
	list := make([]entry, 0, len(d.entries))
	for _, e := range d.entries {
		if e.open != nil {
			var err error
			if e.hash, err = e.open.write(s); err != nil {
				return Hash{}, err
			}
		}
		list = append(list, e.entry)
	}
	slices.SortFunc(list, compareEntries)
	return s.write(plumbing.TreeObject, encodeTree(list))
}
