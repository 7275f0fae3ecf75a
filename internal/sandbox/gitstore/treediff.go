package gitstore

import "github.com/go-git/go-git/v5/plumbing/filemode"

// treeChange is a path whose entry differs between two trees. The absent entry
// stands for a path that one of them does not have; neither is a directory.
type treeChange struct {
	path     string
	old, new entry
}

// treeChanges returns what differs between two trees, sorted by path.
func (s *Store) treeChanges(old, new Hash) []treeChange {
	return s.appendChanges(nil, "", old, new)
}

func (s *Store) appendChanges(list []treeChange, prefix string, old, new Hash) []treeChange {
	if old == new {
		return list
	}
	a, b := s.entries(old), s.entries(new)
	for len(a) > 0 || len(b) > 0 {
		var before, after entry
		// A file and a directory of the same name compare as different.
		switch {
		case len(b) == 0 || len(a) > 0 && compareEntries(a[0], b[0]) < 0:
			before, a = a[0], a[1:]
		case len(a) == 0 || compareEntries(a[0], b[0]) > 0:
			after, b = b[0], b[1:]
		default:
			before, after, a, b = a[0], b[0], a[1:], b[1:]
		}
		list = s.appendChange(list, prefix, before, after)
	}
	return list
}

func (s *Store) appendChange(list []treeChange, prefix string, before, after entry) []treeChange {
	if before.same(after) {
		return list
	}
	name := after.name
	if after.absent() {
		name = before.name
	}
	if before.mode == filemode.Dir || after.mode == filemode.Dir {
		// Both are directories, or one is and the other is absent.
		return s.appendChanges(list, prefix+name+"/", before.hash, after.hash)
	}
	return append(list, treeChange{prefix + name, before, after})
}
