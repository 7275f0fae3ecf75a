// Package gitstore keeps one git repository in memory: its objects, its
// references and the operations that a forge needs on them, such as diffs,
// three-way merges, rebases and histories. Hashes, diffs and merge results are
// those of git itself.
//
// A [Store] is closed and well formed: what a commit, tree or tag in it names
// is in it too, except the commits that submodule entries name, and every
// object has git's canonical form. Writes that would break this are refused.
//
// Three things of git are not here: attributes (every file has the default
// diff and merge driver), merges that infer that a whole directory was renamed
// (what the other side adds to it stays where it was added), and grafts or
// shallow histories.
//
// # Concurrency
//
// Methods that read, Clone and Save among them, may run at the same time.
// WriteBlob, WriteTree, WriteCommit, WriteTag, SetRef, DeleteRef, ReadPack,
// MergeTrees and Rebase write: each must run alone on its Store, which is up to
// the caller. Stores made by Clone need no guard between them. A write that
// fails, and a merge or rebase with conflicts, leaves the Store as it was.
package gitstore

import (
	"errors"
	"maps"
	"sync/atomic"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Limits of a Store. What goes beyond is refused with an [fault.Invalid]
// error, except where the constant says otherwise.
const (
	// MaxObjectSize bounds one object's content, in bytes, as GitHub does.
	MaxObjectSize = 100 << 20
	// MaxStoreSize bounds the content of all objects of a Store, in bytes.
	MaxStoreSize = 1 << 30
	// MaxObjects bounds the number of objects.
	MaxObjects = 1 << 20
	// MaxRefs bounds the number of references.
	MaxRefs = 1 << 16
	// MaxPathLength bounds a path and a reference's name, in bytes.
	MaxPathLength = 4096
	// MaxPathDepth bounds the segments of a path.
	MaxPathDepth = 128
	// MaxTreeEntries bounds the files and directories in a tree, those of its
	// directories included.
	MaxTreeEntries = 1 << 18
	// MaxDiffSize and MaxDiffLines are the bytes and lines above which a file
	// counts as binary in diffs and merges.
	MaxDiffSize  = 8 << 20
	MaxDiffLines = 1 << 17
	// RenameLimit and RenameWork bound the search for renames with changes. It
	// is left out when removed × added files exceed the square of the first, as
	// git does, or the bytes to compare exceed the second.
	RenameLimit = 1000
	RenameWork  = 1 << 33
)

// ErrNotFound is in the chain of every error about an object, path, reference
// or revision that is not in the Store.
var ErrNotFound = errors.New("not found")

// Hash is the SHA-1 of an object.
type Hash = plumbing.Hash

// Store is one repository. Its zero value is not ready: use [New], [Load] or
// Clone.
type Store struct {
	objects objectSet
	refs    map[string]Hash
	// record is nil unless changes are recorded.
	record *record
	// authors are those of a history that was asked for last, nil at first.
	authors atomic.Pointer[Authors]
}

// New returns an empty Store.
func New() *Store {
	return &Store{refs: map[string]Hash{}}
}

// Clone returns an independent copy. It takes time for the references alone:
// objects are immutable and shared.
func (s *Store) Clone() *Store {
	c := &Store{objects: s.objects, refs: maps.Clone(s.refs)}
	c.authors.Store(s.authors.Load())
	return c
}

// Type returns the type of an object, and whether it is in the Store.
func (s *Store) Type(h Hash) (plumbing.ObjectType, bool) {
	if o := s.objects.get(h); o != nil {
		return o.kind, true
	}
	return plumbing.InvalidObject, false
}

// WriteBlob stores a file's content and returns its hash.
func (s *Store) WriteBlob(content []byte) (Hash, error) {
	return s.write(plumbing.BlobObject, content)
}

// Blob returns a file's content, a copy that the caller owns.
func (s *Store) Blob(h Hash) ([]byte, error) {
	o, err := s.object(h, plumbing.BlobObject)
	if err != nil {
		return nil, err
	}
	return []byte(o.data), nil
}

// write checks and stores one object, which may be there already.
func (s *Store) write(kind plumbing.ObjectType, data []byte) (Hash, error) {
	o, err := newObject(kind, string(data))
	if err != nil {
		return Hash{}, err
	}
	if err := s.objects.checkLinks(o, 1); err != nil {
		return Hash{}, err
	}
	s.objects, err = s.objects.with(o)
	return o.hash, err
}

// object returns the object with the hash and type.
func (s *Store) object(h Hash, kind plumbing.ObjectType) (*object, error) {
	o := s.objects.get(h)
	if o == nil {
		return nil, fault.Invalidf("%s %s: %w", kind, h, ErrNotFound)
	}
	if o.kind != kind {
		return nil, fault.Invalidf("%s is a %s, not a %s: %w", h, o.kind, kind, ErrNotFound)
	}
	return o, nil
}
