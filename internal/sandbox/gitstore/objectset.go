package gitstore

import (
	"iter"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// object is one immutable, well-formed git object.
type object struct {
	hash Hash
	kind plumbing.ObjectType
	// data is the content without git's header. A string, so that lines and
	// names can be cut out of it without copying.
	data string
	// commit is the parsed form of a commit, nil for other kinds.
	commit *Commit
	// extent is a tree's, known once its links are checked; nil for other
	// kinds.
	extent *extent
}

// newObject checks that data is the canonical form of an object of the kind.
func newObject(kind plumbing.ObjectType, data string) (*object, error) {
	if len(data) > MaxObjectSize {
		return nil, fault.Invalidf("a %s of %d bytes is over the limit of %d bytes", kind, len(data), MaxObjectSize)
	}
	o := &object{hash: sumOf(kind, data), kind: kind, data: data}
	var err error
	switch kind {
	case plumbing.BlobObject:
	case plumbing.TreeObject:
		err = checkTree(o.data)
	case plumbing.CommitObject:
		o.commit, err = parseCommit(o.hash, o.data)
	case plumbing.TagObject:
		_, err = parseTag(o.hash, o.data)
	default:
		err = fault.Invalidf("unknown object type %d", kind)
	}
	return o, err
}

// sumOf is the name of an object.
func sumOf(kind plumbing.ObjectType, data string) Hash {
	h := plumbing.NewHasher(kind, int64(len(data)))
	// A sum takes everything.
	_ = writeParts(h, data)
	return h.Sum()
}

// objectSet is a persistent set of objects: with returns a larger set that
// shares its structure with the old one, which stays as it was. It is a trie
// over the hashes' hexadecimal digits, so sets are copied in no time, ordered,
// and searched by abbreviated hash. The zero value is the empty set.
type objectSet struct {
	root  *trieNode
	count int
	size  int64
}

// trieNode has a child for each next digit. A child is a subtree, or the one
// object whose hash goes on with that digit.
type trieNode [16]trieChild

type trieChild struct {
	node *trieNode
	leaf *object
}

// digit returns the i-th hexadecimal digit of h.
func digit(h *Hash, i int) byte {
	if i%2 == 0 {
		return h[i/2] >> 4
	}
	return h[i/2] & 0xf
}

// get returns the object with the hash, or nil.
func (s objectSet) get(h Hash) *object {
	n := s.root
	for i := 0; n != nil; i++ {
		c := n[digit(&h, i)]
		if c.leaf != nil {
			if c.leaf.hash == h {
				return c.leaf
			}
			return nil
		}
		n = c.node
	}
	return nil
}

// with returns the set with o in it.
func (s objectSet) with(o *object) (objectSet, error) {
	if s.get(o.hash) != nil {
		return s, nil
	}
	if s.count >= MaxObjects {
		return s, fault.Invalidf("the repository is full: it has %d objects", s.count)
	}
	if s.size+int64(len(o.data)) > MaxStoreSize {
		return s, fault.Invalidf("the repository is full: its objects would exceed %d bytes", MaxStoreSize)
	}
	return objectSet{
		root:  s.root.insert(o, 0),
		count: s.count + 1,
		size:  s.size + int64(len(o.data)),
	}, nil
}

// insert returns a copy of n with o, which is not in it, at the given depth.
func (n *trieNode) insert(o *object, depth int) *trieNode {
	var grown trieNode
	if n != nil {
		grown = *n
	}
	c := &grown[digit(&o.hash, depth)]
	switch {
	case c.leaf != nil:
		var below *trieNode
		below = below.insert(c.leaf, depth+1)
		*c = trieChild{node: below.insert(o, depth+1)}
	case c.node != nil:
		c.node = c.node.insert(o, depth+1)
	default:
		c.leaf = o
	}
	return &grown
}

// all yields the objects in the order of their hashes.
func (s objectSet) all() iter.Seq[*object] {
	return func(yield func(*object) bool) { s.root.walk(yield) }
}

func (n *trieNode) walk(yield func(*object) bool) bool {
	if n == nil {
		return true
	}
	for _, c := range n {
		if c.leaf != nil && !yield(c.leaf) || !c.node.walk(yield) {
			return false
		}
	}
	return true
}

// withPrefix yields the objects whose hexadecimal hash begins with prefix, in
// order.
func (s objectSet) withPrefix(prefix string) iter.Seq[*object] {
	return func(yield func(*object) bool) {
		n := s.root
		for i := 0; i < len(prefix) && n != nil; i++ {
			next := strings.IndexByte("0123456789abcdef", prefix[i])
			if next < 0 {
				return
			}
			c := n[next]
			if c.leaf != nil {
				if strings.HasPrefix(c.leaf.hash.String(), prefix) {
					yield(c.leaf)
				}
				return
			}
			n = c.node
		}
		n.walk(yield)
	}
}
