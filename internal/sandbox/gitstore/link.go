package gitstore

import (
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// extent is the size of a tree with all that is below it. Trees are shared, so
// a few small objects can name more files than any machine can list; the
// limits on extents keep every walk short.
type extent struct {
	entries, depth, longestPath int
}

// checkLinks checks that what o names is in the set, with the type that o says,
// and that a tree keeps within the limits. level is the depth at which o was
// reached from the object that was asked for, which counts as 1.
func (s objectSet) checkLinks(o *object, level int) error {
	switch o.kind {
	case plumbing.TreeObject:
		return s.checkTreeLinks(o, level)
	case plumbing.CommitObject:
		if _, err := s.linked(o, o.commit.Tree, plumbing.TreeObject); err != nil {
			return err
		}
		for _, parent := range o.commit.Parents {
			if _, err := s.linked(o, parent, plumbing.CommitObject); err != nil {
				return err
			}
		}
	case plumbing.TagObject:
		tag, err := parseTag(o.hash, o.data)
		if err != nil {
			return err
		}
		_, err = s.linked(o, tag.Target, tag.TargetType)
		return err
	default: // A blob names nothing.
	}
	return nil
}

// linked returns the object that o names.
func (s objectSet) linked(o *object, target Hash, kind plumbing.ObjectType) (*object, error) {
	t := s.get(target)
	if t == nil || t.kind != kind {
		return nil, fault.Invalidf("%s %s names the %s %s: %w", o.kind, o.hash, kind, target, ErrNotFound)
	}
	return t, nil
}

func (s objectSet) checkTreeLinks(o *object, level int) error {
	if o.extent != nil {
		return nil
	}
	if level > MaxPathDepth {
		return fault.Invalidf("a tree is more than %d directories deep", MaxPathDepth)
	}
	var all extent
	for rest := o.data; rest != ""; {
		var e entry
		e, rest, _ = cutEntry(rest)
		below := extent{}
		if e.mode != filemode.Submodule {
			target, err := s.linked(o, e.hash, e.kind())
			if err != nil {
				return err
			}
			if e.mode == filemode.Dir {
				if err := s.checkTreeLinks(target, level+1); err != nil {
					return err
				}
				below = *target.extent
			}
		}
		all.add(e.name, below)
	}
	if all.entries > MaxTreeEntries || all.depth > MaxPathDepth || all.longestPath > MaxPathLength {
		return fault.Invalidf("tree %s is too large: it has %d entries, is %d directories deep and its longest path has %d bytes",
			o.hash, all.entries, all.depth, all.longestPath)
	}
	o.extent = &all
	return nil
}

// add counts an entry of the name with what is below it.
func (x *extent) add(name string, below extent) {
	path := len(name)
	if below.entries > 0 {
		path += 1 + below.longestPath
	}
	x.entries += 1 + below.entries
	x.depth = max(x.depth, 1+below.depth)
	x.longestPath = max(x.longestPath, path)
}
