package gitstore

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// CommitSpec is a commit to be written.
type CommitSpec struct {
	// Tree is the tree's hash, zero for the empty tree.
	Tree              Hash
	Parents           []Hash
	Author, Committer Signature
	// Message is stored as it is; git's own commands end it with a newline.
	Message string
}

// Commit is a stored commit.
type Commit struct {
	Hash, Tree        Hash
	Parents           []Hash
	Author, Committer Signature
	Message           string
}

// WriteCommit stores a commit and returns its hash. Its tree and parents must
// be in the Store.
func (s *Store) WriteCommit(spec CommitSpec) (Hash, error) {
	if spec.Tree.IsZero() {
		var err error
		if spec.Tree, err = s.write(plumbing.TreeObject, nil); err != nil {
			return Hash{}, err
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", spec.Tree)
	for _, p := range spec.Parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	if err := writeSignature(&b, "author", spec.Author); err != nil {
		return Hash{}, err
	}
	if err := writeSignature(&b, "committer", spec.Committer); err != nil {
		return Hash{}, err
	}
	if err := writeMessage(&b, spec.Message); err != nil {
		return Hash{}, err
	}
	return s.write(plumbing.CommitObject, b.Bytes())
}

// Commit returns a commit.
func (s *Store) Commit(h Hash) (Commit, error) {
	c, err := s.commit(h)
	if err != nil {
		return Commit{}, err
	}
	return c.copy(), nil
}

// copy returns the commit with parents that its owner may change.
func (c *Commit) copy() Commit {
	d := *c
	d.Parents = slices.Clone(c.Parents)
	return d
}

// commit returns the stored commit itself, which must not be changed.
func (s *Store) commit(h Hash) (*Commit, error) {
	o, err := s.object(h, plumbing.CommitObject)
	if err != nil {
		return nil, err
	}
	return o.commit, nil
}

// TagSpec is an annotated tag to be written.
type TagSpec struct {
	// Target is any object.
	Target Hash
	// Name is the tag's name without "refs/tags/".
	Name    string
	Tagger  Signature
	Message string
}

// Tag is a stored annotated tag.
type Tag struct {
	Hash, Target Hash
	TargetType   plumbing.ObjectType
	Name         string
	// Tagger is zero for the old tags that have none.
	Tagger  Signature
	Message string
}

// WriteTag stores an annotated tag and returns its hash. It sets no reference.
func (s *Store) WriteTag(spec TagSpec) (Hash, error) {
	kind, ok := s.Type(spec.Target)
	if !ok {
		return Hash{}, fault.Invalidf("target of tag %q, object %s: %w", spec.Name, spec.Target, ErrNotFound)
	}
	if err := ValidRefName(tagPrefix + spec.Name); err != nil {
		return Hash{}, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "object %s\ntype %s\ntag %s\n", spec.Target, kind, spec.Name)
	if err := writeSignature(&b, "tagger", spec.Tagger); err != nil {
		return Hash{}, err
	}
	if err := writeMessage(&b, spec.Message); err != nil {
		return Hash{}, err
	}
	return s.write(plumbing.TagObject, b.Bytes())
}

// Tag returns an annotated tag.
func (s *Store) Tag(h Hash) (Tag, error) {
	o, err := s.object(h, plumbing.TagObject)
	if err != nil {
		return Tag{}, err
	}
	return parseTag(o.hash, o.data)
}

func writeMessage(b *bytes.Buffer, message string) error {
	if strings.IndexByte(message, 0) >= 0 {
		return fault.Invalidf("the message has a NUL byte")
	}
	b.WriteByte('\n')
	b.WriteString(message)
	return nil
}

// parseCommit reads a commit object. Headers that are not git's first four,
// such as signatures, are skipped.
func parseCommit(h Hash, data string) (*Commit, error) {
	c := &Commit{Hash: h}
	p := &headerParser{rest: data, kind: plumbing.CommitObject}
	c.Tree = p.hash("tree")
	for p.at("parent") {
		c.Parents = append(c.Parents, p.hash("parent"))
	}
	c.Author = p.signature("author")
	c.Committer = p.signature("committer")
	c.Message = p.message()
	return c, p.err
}

func parseTag(h Hash, data string) (Tag, error) {
	t := Tag{Hash: h}
	p := &headerParser{rest: data, kind: plumbing.TagObject}
	t.Target = p.hash("object")
	kind := p.value("type")
	t.Name = p.value("tag")
	if p.at("tagger") {
		t.Tagger = p.signature("tagger")
	}
	t.Message = p.message()
	if p.err != nil {
		return t, p.err
	}
	switch t.TargetType, _ = plumbing.ParseObjectType(kind); t.TargetType {
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
		return t, nil
	default:
		return t, fault.Invalidf("a tag has a target of the unknown type %q", kind)
	}
}

// headerParser reads the lines at the start of a commit or tag. After the first
// error it returns zero values.
type headerParser struct {
	rest string
	kind plumbing.ObjectType
	err  error
}

// at reports whether the next line has the key.
func (p *headerParser) at(key string) bool {
	return p.err == nil && strings.HasPrefix(p.rest, key+" ")
}

// value takes the next line, which must have the key.
func (p *headerParser) value(key string) string {
	if p.err != nil {
		return ""
	}
	line, rest, whole := strings.Cut(p.rest, "\n")
	value, found := strings.CutPrefix(line, key+" ")
	if !whole || !found {
		p.err = fault.Invalidf("a %s lacks the line %q where it belongs", p.kind, key)
		return ""
	}
	p.rest = rest
	return value
}

func (p *headerParser) hash(key string) Hash {
	value := p.value(key)
	if p.err == nil && (!plumbing.IsHash(value) || strings.ToLower(value) != value) {
		p.err = fault.Invalidf("a %s has the line %q without a hash", p.kind, key)
	}
	return plumbing.NewHash(value)
}

func (p *headerParser) signature(key string) Signature {
	value := p.value(key)
	if p.err != nil {
		return Signature{}
	}
	var sig Signature
	sig, p.err = parseSignature(value)
	return sig
}

// message skips the remaining headers and returns what follows the empty line.
func (p *headerParser) message() string {
	if p.err == nil && strings.IndexByte(p.rest, 0) >= 0 {
		p.err = fault.Invalidf("a %s has a NUL byte", p.kind)
	}
	if message, ok := strings.CutPrefix(p.rest, "\n"); ok {
		return message
	}
	_, message, _ := strings.Cut(p.rest, "\n\n")
	return message
}
