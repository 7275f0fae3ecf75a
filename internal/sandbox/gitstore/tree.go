package gitstore

import (
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// TreeEntry is a file, directory or submodule in a tree.
type TreeEntry struct {
	// Path is the path from the tree that was asked for, Name its last segment.
	// Both are empty for that tree itself.
	Path, Name string
	Mode       filemode.FileMode
	Hash       Hash
	// Type is "blob", "tree", or "commit" for a submodule.
	Type string
	// Size is a file's length in bytes, 0 for others.
	Size int64
}

// Tree lists a tree, given by its hash or a commit's, in git's order. With
// recursive it goes on into directories, each listed before what is in it.
func (s *Store) Tree(h Hash, recursive bool) ([]TreeEntry, error) {
	root, err := s.treeOf(h)
	if err != nil {
		return nil, err
	}
	return s.appendTree(nil, root, "", recursive), nil
}

func (s *Store) appendTree(list []TreeEntry, tree Hash, prefix string, recursive bool) []TreeEntry {
	for _, e := range s.entries(tree) {
		list = append(list, s.treeEntry(prefix+e.name, e))
		if recursive && e.mode == filemode.Dir {
			list = s.appendTree(list, e.hash, prefix+e.name+"/", true)
		}
	}
	return list
}

// Entry returns what is at path in a tree, given by its hash or a commit's. The
// empty path is the tree itself.
func (s *Store) Entry(commitOrTree Hash, path string) (TreeEntry, error) {
	root, err := s.treeOf(commitOrTree)
	if err != nil {
		return TreeEntry{}, err
	}
	e := s.lookup(root, path)
	if e.absent() {
		return TreeEntry{}, fault.Invalidf("path %q in %s: %w", path, commitOrTree, ErrNotFound)
	}
	return s.treeEntry(path, e), nil
}

func (s *Store) treeEntry(path string, e entry) TreeEntry {
	t := TreeEntry{Path: path, Name: e.name, Mode: e.mode, Hash: e.hash, Type: e.kind().String()}
	if e.kind() == plumbing.BlobObject {
		t.Size = int64(len(s.objects.get(e.hash).data))
	}
	return t
}

// treeOf returns the tree of a commit or tree; the zero hash is the empty tree.
func (s *Store) treeOf(commitOrTree Hash) (Hash, error) {
	if commitOrTree.IsZero() {
		return commitOrTree, nil
	}
	if o := s.objects.get(commitOrTree); o != nil && o.kind == plumbing.CommitObject {
		return o.commit.Tree, nil
	}
	_, err := s.object(commitOrTree, plumbing.TreeObject)
	return commitOrTree, err
}

// lookup returns the entry at path below a tree, the absent entry if there is
// none. The empty path is the tree itself.
func (s *Store) lookup(tree Hash, path string) entry {
	e := entry{mode: filemode.Dir, hash: tree}
	if path == "" {
		return e
	}
	for name := range strings.SplitSeq(path, "/") {
		if e.mode != filemode.Dir {
			return entry{}
		}
		e = s.child(e.hash, name)
	}
	return e
}

func (s *Store) child(tree Hash, name string) entry {
	if o := s.objects.get(tree); o != nil {
		for rest := o.data; rest != ""; {
			var e entry
			if e, rest, _ = cutEntry(rest); e.name == name {
				return e
			}
		}
	}
	return entry{}
}

// entry is one line of a tree object. The zero entry stands for nothing there.
type entry struct {
	name string
	mode filemode.FileMode
	hash Hash
}

func (e entry) absent() bool { return e.mode == filemode.Empty }

// same reports whether two entries have the same mode and content.
func (e entry) same(f entry) bool { return e.mode == f.mode && e.hash == f.hash }

// kind returns the type of object that the entry names.
func (e entry) kind() plumbing.ObjectType {
	switch e.mode {
	case filemode.Dir:
		return plumbing.TreeObject
	case filemode.Submodule:
		return plumbing.CommitObject
	default:
		return plumbing.BlobObject
	}
}

// isRegular reports whether the entry is a file, executable or not, and no
// symbolic link.
func (e entry) isRegular() bool {
	return e.mode == filemode.Regular || e.mode == filemode.Executable
}

// entries returns a tree's entries in git's order; none for the zero hash.
func (s *Store) entries(tree Hash) []entry {
	o := s.objects.get(tree)
	if o == nil {
		return nil
	}
	list := make([]entry, 0, strings.Count(o.data, "\x00"))
	for rest := o.data; rest != ""; {
		var e entry
		e, rest, _ = cutEntry(rest)
		list = append(list, e)
	}
	return list
}

// cutEntry takes the first entry off a tree object's content.
func cutEntry(data string) (e entry, rest string, err error) {
	mode, rest, ok := strings.Cut(data, " ")
	if !ok {
		return entry{}, "", fault.Invalidf("a tree entry has no mode")
	}
	name, rest, ok := strings.Cut(rest, "\x00")
	if !ok || len(rest) < len(e.hash) {
		return entry{}, "", fault.Invalidf("a tree entry is cut short")
	}
	bits, err := strconv.ParseUint(mode, 8, 32)
	if err != nil {
		return entry{}, "", fault.Invalidf("a tree entry has the mode %q, which is no octal number", mode)
	}
	e.name, e.mode = name, filemode.FileMode(bits)
	copy(e.hash[:], rest)
	return e, rest[len(e.hash):], nil
}

// encodeTree returns the tree object's content for entries in git's order.
func encodeTree(entries []entry) []byte {
	var b []byte
	for _, e := range entries {
		b = strconv.AppendUint(b, uint64(e.mode), 8)
		b = append(b, ' ')
		b = append(b, e.name...)
		b = append(b, 0)
		b = append(b, e.hash[:]...)
	}
	return b
}

// checkTree checks that data is a tree in canonical form: valid names and
// modes, in order, none twice.
func checkTree(data string) error {
	var list []entry
	for rest := data; rest != ""; {
		e, after, err := cutEntry(rest)
		if err != nil {
			return err
		}
		if validName(e.name) != nil || strings.Contains(e.name, "/") {
			return fault.Invalidf("a tree has the entry %q, which is no valid name", e.name)
		}
		if e.mode.IsMalformed() || e.mode == filemode.Deprecated || rest[0] == '0' {
			return fault.Invalidf("tree entry %q has the mode %o, which git does not use", e.name, uint32(e.mode))
		}
		if len(list) > 0 && compareEntries(list[len(list)-1], e) >= 0 {
			return fault.Invalidf("tree entry %q is not in git's order", e.name)
		}
		// A file of the name sorts before the directory; only names that it
		// begins can lie between the two.
		for i := len(list) - 1; i >= 0 && strings.HasPrefix(list[i].name, e.name); i-- {
			if list[i].name == e.name {
				return fault.Invalidf("tree entry %q is there twice", e.name)
			}
		}
		list = append(list, e)
		rest = after
	}
	return nil
}

// compareEntries orders entries as git does: by name, a directory's name ending
// with a slash.
func compareEntries(a, b entry) int {
	n := min(len(a.name), len(b.name))
	if c := strings.Compare(a.name[:n], b.name[:n]); c != 0 {
		return c
	}
	return int(a.byteAt(n)) - int(b.byteAt(n))
}

// byteAt returns the byte at i of the name, with a directory's slash; 0 past
// the end.
func (e entry) byteAt(i int) byte {
	switch {
	case i < len(e.name):
		return e.name[i]
	case i == len(e.name) && e.mode == filemode.Dir:
		return '/'
	default:
		return 0
	}
}
