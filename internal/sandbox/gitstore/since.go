package gitstore

import (
	"io"
	"iter"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Since returns how many objects the Store has that were not in others, and
// whether it has all of those. What both share takes no time.
func (s *Store) Since(before Objects) (added int, grown bool) {
	for range s.objects.minus(before.set) {
		added++
	}
	return added, before.set.count+added == s.objects.count
}

// WritePackSince is WritePack of the objects that were not in others, and writes
// the packfile's index too, as git index-pack does.
func (s *Store) WritePackSince(w, index io.Writer, before Objects) error {
	added, _ := s.Since(before)
	places := &packIndex{}
	if err := writePack(w, added, s.objects.minus(before.set), places); err != nil {
		return fault.Infraf("write packfile: %w", err)
	}
	return places.write(index)
}

// minus yields the objects that are not in another set, in the order of their
// hashes.
func (s objectSet) minus(other objectSet) iter.Seq[*object] {
	return func(yield func(*object) bool) {
		s.root.walkBeside(other.root, func(o *object) bool { return other.get(o.hash) != nil || yield(o) })
	}
}

// walkBeside walks over what a node does not share with the one at the same
// place of another set, which may be nil.
func (n *trieNode) walkBeside(other *trieNode, yield func(*object) bool) bool {
	if n == nil || n == other {
		return true
	}
	for i, c := range n {
		var beside *trieNode
		if other != nil {
			beside = other[i].node
		}
		if c.leaf != nil && !yield(c.leaf) || !c.node.walkBeside(beside, yield) {
			return false
		}
	}
	return true
}
