package gitstore

import (
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Objects are all objects of a Store at some time.
type Objects struct{ set objectSet }

// Objects returns what objects there are.
func (s *Store) Objects() Objects { return Objects{s.objects} }

// Forget forgets all objects that have come since. No reference may lead to
// one of them.
func (s *Store) Forget(since Objects) { s.objects = since.set }

// Take adds a commit of another Store with all that it is made of. Objects are
// immutable and shared. What is there already is not walked again.
func (s *Store) Take(from *Store, commit Hash) error {
	objects := s.objects
	for todo := []Hash{commit}; len(todo) > 0; {
		h := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if objects.get(h) != nil {
			continue
		}
		o := from.objects.get(h)
		if o == nil {
			return fault.Invalidf("object %s: %w", h, ErrNotFound)
		}
		var err error
		if objects, err = objects.with(o); err != nil {
			return err
		}
		todo = append(todo, o.names()...)
	}
	s.objects = objects
	return nil
}

// names returns what a commit or tree names.
func (o *object) names() []Hash {
	switch o.kind {
	case plumbing.CommitObject:
		return append([]Hash{o.commit.Tree}, o.commit.Parents...)
	case plumbing.TreeObject:
		var all []Hash
		for rest := o.data; rest != ""; {
			var e entry
			if e, rest, _ = cutEntry(rest); e.mode != filemode.Submodule {
				all = append(all, e.hash)
			}
		}
		return all
	default:
		return nil
	}
}
