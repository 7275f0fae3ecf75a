package gitstore

// Author is an address of which commits are.
type Author struct {
	// By is what the newest of them is signed with.
	By      Signature
	Commits int
}

// Authors are those of a history. They must not be changed.
type Authors struct {
	// All begins with who wrote the newest commit.
	All []Author

	head      Hash
	byAddress map[string]int
}

// Has reports whether one of the commits is of an address.
func (a *Authors) Has(address string) bool {
	_, has := a.byAddress[address]
	return has && address != ""
}

// Authors returns who wrote the commits that can be reached from one, merges left out.
// The last answer is kept: a history does not change.
func (s *Store) Authors(from Hash) (*Authors, error) {
	if kept := s.authors.Load(); kept != nil && kept.head == from {
		return kept, nil
	}
	commits, err := s.Log(from, "", 0)
	if err != nil {
		return nil, err
	}
	found := &Authors{head: from, byAddress: map[string]int{}}
	for _, c := range commits {
		if len(c.Parents) > 1 {
			continue
		}
		at, known := found.byAddress[c.Author.Email]
		if !known {
			at = len(found.All)
			found.byAddress[c.Author.Email] = at
			found.All = append(found.All, Author{By: c.Author})
		}
		found.All[at].Commits++
	}
	s.authors.Store(found)
	return found, nil
}
