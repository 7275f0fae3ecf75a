package gitstore

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// bundleSignature is the first line of a git bundle, version 2: see
// gitformat-bundle(5).
const bundleSignature = "# v2 git bundle"

// maxBundleLine bounds a line of a bundle's header: a hash, a space, a
// reference's name and the newline.
const maxBundleLine = 2*len(Hash{}) + 2 + MaxPathLength

// Save writes the references and all objects as a git bundle, which git clone
// reads too. Equal content gives equal bytes.
func (s *Store) Save(w io.Writer) error {
	var b strings.Builder
	b.WriteString(bundleSignature + "\n")
	for _, r := range s.Refs("") {
		fmt.Fprintf(&b, "%s %s\n", r.Hash, r.Name)
	}
	b.WriteString("\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fault.Infraf("write bundle: %w", err)
	}
	return s.WritePack(w)
}

// Load reads what Save wrote, or another git bundle of version 2 without
// prerequisites. Input that is damaged or goes beyond a limit gives a
// [fault.Invalid] error.
func Load(r io.Reader) (*Store, error) {
	in := bufio.NewReaderSize(r, maxBundleLine)
	refs, err := readBundleHeader(in)
	if err != nil {
		return nil, fmt.Errorf("load bundle: %w", err)
	}
	s := New()
	if err := s.ReadPack(in); err != nil {
		return nil, fmt.Errorf("load bundle: %w", err)
	}
	for name, h := range refs {
		if err := s.checkRef(name, h); err != nil {
			return nil, fault.Invalidf("load bundle: %w", err)
		}
	}
	s.refs = refs
	for name := range refs {
		if other, clash := s.refAbove(name); clash {
			return nil, fault.Invalidf("load bundle: it has both references %q and %q", other, name)
		}
	}
	return s, nil
}

// readBundleHeader reads up to the packfile.
func readBundleHeader(in *bufio.Reader) (map[string]Hash, error) {
	if line, err := bundleLine(in); err != nil || line != bundleSignature {
		return nil, fault.Invalidf("it does not begin with %q", bundleSignature)
	}
	refs := map[string]Hash{}
	for {
		line, err := bundleLine(in)
		if err != nil {
			return nil, err
		}
		if line == "" {
			return refs, nil
		}
		hash, name, ok := strings.Cut(line, " ")
		if !ok || !plumbing.IsHash(hash) {
			return nil, fault.Invalidf("its line %q is not a hash and a reference", line)
		}
		if name == "HEAD" {
			continue // Which branch is the default one is not kept here.
		}
		if _, twice := refs[name]; twice {
			return nil, fault.Invalidf("it has reference %q twice", name)
		}
		if refs[name] = plumbing.NewHash(hash); len(refs) > MaxRefs {
			return nil, fault.Invalidf("it has more than %d references", MaxRefs)
		}
	}
}

// bundleLine reads a line without its newline.
func bundleLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	switch {
	case errors.Is(err, io.EOF):
		return "", fault.Invalidf("it ends within its header")
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fault.Invalidf("a line of its header is over %d bytes", maxBundleLine)
	case err != nil:
		return "", fault.Infraf("read it: %w", err)
	}
	return string(line[:len(line)-1]), nil
}
