package gitstore

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// Redated returns a copy in which every commit and tag was made so much later,
// and their new hashes by the old ones. Trees and files stay what they are.
// reword is asked for the message of each commit and tag, with the hashes that
// have changed so far: it may name older commits.
func (s *Store) Redated(by time.Duration, reword func(message string, changed map[Hash]Hash) string) (*Store, map[Hash]Hash, error) {
	r := redating{from: s, to: New(), by: by, reword: reword, changed: map[Hash]Hash{}}
	var dated []Hash
	for o := range s.objects.all() {
		if o.kind == plumbing.CommitObject || o.kind == plumbing.TagObject {
			dated = append(dated, o.hash)
			continue
		}
		var err error
		if r.to.objects, err = r.to.objects.with(o); err != nil {
			return nil, nil, err
		}
	}
	for _, h := range dated {
		if err := r.redate(h); err != nil {
			return nil, nil, err
		}
	}
	for name, h := range s.refs {
		r.to.refs[name] = r.renamed(h)
	}
	return r.to, r.changed, nil
}

// redating is a copy that is being made.
type redating struct {
	from, to *Store
	by       time.Duration
	reword   func(string, map[Hash]Hash) string
	changed  map[Hash]Hash
}

func (r *redating) renamed(h Hash) Hash {
	if to, has := r.changed[h]; has {
		return to
	}
	return h
}

// redate makes a commit or tag anew, after those that it names. The way back in
// a history may be long, so it is kept in a list.
func (r *redating) redate(h Hash) error {
	for open := []Hash{h}; len(open) > 0; {
		last := open[len(open)-1]
		o := r.from.objects.get(last)
		if _, done := r.changed[last]; done || o == nil || o.kind != plumbing.CommitObject && o.kind != plumbing.TagObject {
			open = open[:len(open)-1]
			continue
		}
		waits := false
		for _, before := range r.named(o) {
			if _, done := r.changed[before]; !done {
				open, waits = append(open, before), true
			}
		}
		if waits {
			continue
		}
		text, err := r.text(o.data)
		if err != nil {
			return fmt.Errorf("redate %s: %w", last, err)
		}
		if r.changed[last], err = r.to.write(o.kind, []byte(text)); err != nil {
			return fmt.Errorf("redate %s: %w", last, err)
		}
		open = open[:len(open)-1]
	}
	return nil
}

// named returns the commits and tags that a commit or tag names.
func (r *redating) named(o *object) []Hash {
	if o.commit != nil {
		return o.commit.Parents
	}
	tag, err := parseTag(o.hash, o.data)
	if err != nil || tag.TargetType != plumbing.CommitObject && tag.TargetType != plumbing.TagObject {
		return nil
	}
	return []Hash{tag.Target}
}

// text returns a commit or tag with later times, and with the new names of what
// it names.
func (r *redating) text(data string) (string, error) {
	header, message, _ := strings.Cut(data, "\n\n")
	lines := strings.Split(header, "\n")
	for n, line := range lines {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "parent", "object":
			lines[n] = key + " " + r.renamed(plumbing.NewHash(value)).String()
		case "author", "committer", "tagger":
			who, err := parseSignature(value)
			if err != nil {
				return "", err
			}
			who.When = who.When.Add(r.by)
			lines[n] = key + " " + who.String()
		}
	}
	return strings.Join(lines, "\n") + "\n\n" + r.reword(message, r.changed), nil
}
