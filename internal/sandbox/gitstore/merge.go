package gitstore

import "slices"

// MergeTrees merges the commit theirs into the commit ours as git merge does:
// three ways from their merge base, line by line, with renames followed. Of
// several merge bases it merges the bases first; without one the base is empty.
// The tree is zero if there are conflicts; these are sorted by path. No commit
// is made.
func (s *Store) MergeTrees(ours, theirs Hash) (tree Hash, conflicts []Conflict, err error) {
	before := s.objects
	defer func() {
		if err != nil || len(conflicts) > 0 {
			s.objects = before
		}
	}()
	a, err := s.commit(ours)
	if err != nil {
		return Hash{}, nil, err
	}
	b, err := s.commit(theirs)
	if err != nil {
		return Hash{}, nil, err
	}
	return s.mergeSides(mergeSide{a.Tree, []Hash{ours}}, mergeSide{b.Tree, []Hash{theirs}}, 0)
}

// mergeSide is one side of a merge: a commit, or the merge of several bases.
type mergeSide struct {
	tree Hash
	// tips are the commits whose history the side has.
	tips []Hash
}

func (s *Store) mergeSides(ours, theirs mergeSide, depth int) (Hash, []Conflict, error) {
	bases, err := s.mergeBases(ours.tips, theirs.tips)
	if err != nil {
		return Hash{}, nil, err
	}
	var base mergeSide
	// The oldest first, as git does.
	for i, c := range slices.Backward(bases) {
		next := mergeSide{c.Tree, []Hash{c.Hash}}
		if i == len(bases)-1 {
			base = next
			continue
		}
		tree, _, err := s.mergeSides(base, next, depth+1)
		if err != nil {
			return Hash{}, nil, err
		}
		base = mergeSide{tree, append(base.tips, c.Hash)}
	}
	return s.mergeTrees(base.tree, ours.tree, theirs.tree, depth)
}

// Rebase replays commits, the oldest first, on another commit and returns the
// last new one. Author and message of each are kept. Merges are left out, and
// so is a commit whose change the new base has already, unless it was empty
// from the start. At the first conflict it stops: the hash is then zero.
func (s *Store) Rebase(commits []Commit, onto Hash, committer Signature) (Hash, []Conflict, error) {
	head, err := s.commit(onto)
	if err != nil {
		return Hash{}, nil, err
	}
	before := s.objects
	for _, c := range commits {
		if len(c.Parents) > 1 {
			continue
		}
		var conflicts []Conflict
		head, conflicts, err = s.replay(c, head, committer)
		if err != nil || len(conflicts) > 0 {
			s.objects = before
			return Hash{}, conflicts, err
		}
	}
	return head.Hash, nil, nil
}

// replay makes the change of one commit on head, and returns the new head.
func (s *Store) replay(c Commit, head *Commit, committer Signature) (*Commit, []Conflict, error) {
	var base Hash
	if len(c.Parents) > 0 {
		parent, err := s.commit(c.Parents[0])
		if err != nil {
			return nil, nil, err
		}
		base = parent.Tree
	}
	tree, conflicts, err := s.mergeTrees(base, head.Tree, c.Tree, 0)
	if err != nil || len(conflicts) > 0 {
		return nil, conflicts, err
	}
	if tree == head.Tree && len(s.treeChanges(base, c.Tree)) > 0 {
		return head, nil, nil
	}
	h, err := s.WriteCommit(CommitSpec{
		Tree: tree, Parents: []Hash{head.Hash},
		Author: c.Author, Committer: committer, Message: c.Message,
	})
	if err != nil {
		return nil, nil, err
	}
	next, err := s.commit(h)
	return next, nil, err
}
