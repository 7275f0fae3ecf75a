package gitstore

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	refPrefix    = "refs/"
	branchPrefix = "refs/heads/"
	tagPrefix    = "refs/tags/"

	// minAbbreviation is the shortest abbreviated hash that Resolve takes.
	minAbbreviation = 4
)

// Ref is a reference: a full name, such as refs/heads/main, and an object.
type Ref struct {
	Name string
	Hash Hash
}

// Ref returns the object that a reference names, and whether there is such a
// reference.
func (s *Store) Ref(name string) (Hash, bool) {
	h, ok := s.refs[name]
	return h, ok
}

// Refs returns the references whose full names begin with prefix, sorted by
// name.
func (s *Store) Refs(prefix string) []Ref {
	var list []Ref
	for _, name := range slices.Sorted(maps.Keys(s.refs)) {
		if strings.HasPrefix(name, prefix) {
			list = append(list, Ref{name, s.refs[name]})
		}
	}
	return list
}

// SetRef makes a reference or moves it. A branch names a commit, other
// references any object of the Store. As in git, no reference's name is a
// directory of another's.
func (s *Store) SetRef(name string, h Hash) error {
	if err := s.checkRef(name, h); err != nil {
		return err
	}
	if _, exists := s.refs[name]; !exists {
		if len(s.refs) >= MaxRefs {
			return fault.Invalidf("the repository is full: it has %d references", len(s.refs))
		}
		other, clash := s.refAbove(name)
		if !clash {
			other, clash = s.refBelow(name)
		}
		if clash {
			return fault.Invalidf("reference %q cannot be made while %q exists", name, other)
		}
	}
	s.note(name)
	s.refs[name] = h
	return nil
}

// checkRef checks a reference by itself, without regard to the others.
func (s *Store) checkRef(name string, h Hash) error {
	if err := ValidRefName(name); err != nil {
		return err
	}
	kind, ok := s.Type(h)
	if !ok {
		return fault.Invalidf("reference %q to object %s: %w", name, h, ErrNotFound)
	}
	if strings.HasPrefix(name, branchPrefix) && kind != plumbing.CommitObject {
		return fault.Invalidf("reference %q cannot name %s, which is a %s", name, h, kind)
	}
	return nil
}

// refAbove returns the reference that is a directory of name, if there is one.
func (s *Store) refAbove(name string) (string, bool) {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		if _, taken := s.refs[name[:i]]; taken {
			return name[:i], true
		}
	}
	return "", false
}

// refBelow returns a reference that name is a directory of, if there is one.
func (s *Store) refBelow(name string) (string, bool) {
	for other := range s.refs {
		if strings.HasPrefix(other, name+"/") {
			return other, true
		}
	}
	return "", false
}

// DeleteRef removes a reference and reports whether it was there.
func (s *Store) DeleteRef(name string) bool {
	_, ok := s.refs[name]
	s.note(name)
	delete(s.refs, name)
	return ok
}

// ValidRefName returns an [fault.Invalid] error unless name is a full reference
// name by the rules of git check-ref-format, beginning with "refs/".
func ValidRefName(name string) error {
	rest, full := strings.CutPrefix(name, refPrefix)
	switch {
	case !full:
		return fault.Invalidf("reference name %q does not begin with %q", name, refPrefix)
	case len(name) > MaxPathLength:
		return fault.Invalidf("a reference name of %d bytes is over the limit of %d bytes", len(name), MaxPathLength)
	case strings.Contains(name, ".."), strings.Contains(name, "@{"), strings.HasSuffix(name, "."):
		return fault.Invalidf("reference name %q has \"..\", \"@{\" or a dot at its end", name)
	case strings.ContainsFunc(name, refusedInRefs):
		return fault.Invalidf("reference name %q has a space, a control character or one of ~^:?*[\\", name)
	}
	for segment := range strings.SplitSeq(rest, "/") {
		if segment == "" || segment[0] == '.' || strings.HasSuffix(segment, ".lock") {
			return fault.Invalidf("reference name %q has a segment that is empty, begins with a dot or ends with \".lock\"", name)
		}
	}
	return nil
}

func refusedInRefs(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r)
}

// Resolve returns the commit that rev names: a full reference, one without
// "refs/", a branch, a tag, a full hash, or an abbreviated hash of at least 4
// digits; the first of these that there is. Annotated tags count as the commits
// that they name. What is no commit is an [ErrNotFound]; an abbreviation that
// fits several commits is refused.
func (s *Store) Resolve(rev string) (Hash, error) {
	for _, prefix := range []string{"", refPrefix, branchPrefix, tagPrefix} {
		if h, ok := s.refs[prefix+rev]; ok {
			return s.peel(rev, h)
		}
	}
	digits := strings.ToLower(rev)
	if len(digits) < minAbbreviation {
		return Hash{}, fault.Invalidf("revision %q: %w", rev, ErrNotFound)
	}
	return s.resolveDigits(rev, digits)
}

func (s *Store) resolveDigits(rev, digits string) (Hash, error) {
	var found Hash
	for o := range s.objects.withPrefix(digits) {
		commit, err := s.peel(rev, o.hash)
		if err != nil || commit == found {
			continue
		}
		if !found.IsZero() {
			return Hash{}, fault.Invalidf("revision %q is ambiguous: give more digits", rev)
		}
		found = commit
	}
	if found.IsZero() {
		return Hash{}, fault.Invalidf("revision %q: %w", rev, ErrNotFound)
	}
	return found, nil
}

// peel follows tags from h to a commit.
func (s *Store) peel(rev string, h Hash) (Hash, error) {
	for {
		o := s.objects.get(h)
		if o == nil {
			return Hash{}, fault.Invalidf("revision %q: %w", rev, ErrNotFound)
		}
		switch o.kind {
		case plumbing.CommitObject:
			return h, nil
		case plumbing.TagObject:
			tag, err := parseTag(o.hash, o.data)
			if err != nil {
				return Hash{}, err
			}
			h = tag.Target
		default:
			return Hash{}, fault.Invalidf("revision %q is a %s, not a commit: %w", rev, o.kind, ErrNotFound)
		}
	}
}
