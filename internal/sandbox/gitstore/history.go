package gitstore

import (
	"cmp"
	"container/heap"
	"slices"
)

// ancestors returns the commits that can be reached from the tips, these
// included.
func (s *Store) ancestors(tips ...Hash) (map[Hash]*Commit, error) {
	seen := map[Hash]*Commit{}
	for queue := slices.Clone(tips); len(queue) > 0; {
		h := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if h.IsZero() || seen[h] != nil {
			continue
		}
		c, err := s.commit(h)
		if err != nil {
			return nil, err
		}
		seen[h] = c
		queue = append(queue, c.Parents...)
	}
	return seen, nil
}

// History returns what reports whether a commit can be reached from a tip, the
// tip included.
func (s *Store) History(tip Hash) (has func(commit Hash) bool, err error) {
	known, err := s.ancestors(tip)
	return func(commit Hash) bool { return known[commit] != nil }, err
}

// MergeBase returns the best common ancestor of two commits, and whether there
// is one. Of several that are equally good, as criss-cross merges leave them,
// it is the one committed last.
func (s *Store) MergeBase(a, b Hash) (Hash, bool, error) {
	bases, err := s.mergeBases([]Hash{a}, []Hash{b})
	if err != nil || len(bases) == 0 {
		return Hash{}, false, err
	}
	return bases[0].Hash, true, nil
}

// mergeBases returns the common ancestors of two sides that are not ancestors
// of other common ones, the last committed first. A side is the union of its
// tips' histories.
func (s *Store) mergeBases(ours, theirs []Hash) ([]*Commit, error) {
	mine, err := s.ancestors(ours...)
	if err != nil {
		return nil, err
	}
	common, err := s.ancestors(theirs...)
	if err != nil {
		return nil, err
	}
	// What is common includes its own ancestors, so that what is not best is a
	// parent of something common.
	beaten := map[Hash]bool{}
	for h, c := range common {
		if mine[h] == nil {
			delete(common, h)
			continue
		}
		for _, p := range c.Parents {
			beaten[p] = true
		}
	}
	var best []*Commit
	for h, c := range common {
		if !beaten[h] {
			best = append(best, c)
		}
	}
	slices.SortFunc(best, newestFirst)
	return best, nil
}

// newestFirst orders commits by the time of committing, then by hash.
func newestFirst(a, b *Commit) int {
	return cmp.Or(b.Committer.When.Compare(a.Committer.When), slices.Compare(a.Hash[:], b.Hash[:]))
}

// AheadBehind returns how many commits only head has, and how many only base
// has.
func (s *Store) AheadBehind(base, head Hash) (ahead, behind int, err error) {
	old, err := s.ancestors(base)
	if err != nil {
		return 0, 0, err
	}
	new, err := s.ancestors(head)
	if err != nil {
		return 0, 0, err
	}
	shared := 0
	for h := range new {
		if old[h] != nil {
			shared++
		}
	}
	return len(new) - shared, len(old) - shared, nil
}

// Between returns the commits that can be reached from head and not from base,
// a zero base excluding none. Parents come before their children; where that
// leaves a choice, the order is that of git rev-list --date-order --reverse.
func (s *Store) Between(base, head Hash) ([]Commit, error) {
	excluded, err := s.ancestors(base)
	if err != nil {
		return nil, err
	}
	included, err := s.ancestors(head)
	if err != nil {
		return nil, err
	}
	children := map[Hash]int{}
	for h, c := range included {
		if excluded[h] != nil {
			delete(included, h)
			continue
		}
		for _, p := range c.Parents {
			children[p]++
		}
	}
	var list []Commit
	var ready commitQueue
	if c := included[head]; c != nil {
		ready.push(c)
	}
	for ready.Len() > 0 {
		c := ready.pop()
		list = append(list, c.copy())
		for _, p := range c.Parents {
			if children[p]--; children[p] == 0 && included[p] != nil {
				ready.push(included[p])
			}
		}
	}
	slices.Reverse(list)
	return list, nil
}

// Log returns the commits that can be reached from a commit, newest first, at
// most limit of them where limit is above 0. With a path it returns those that
// changed the file or directory, as git log -- path does: at a merge that took
// the path as it was in one parent, only that parent's history is followed.
func (s *Store) Log(from Hash, path string, limit int) ([]Commit, error) {
	first, err := s.commit(from)
	if err != nil {
		return nil, err
	}
	var list []Commit
	var queue commitQueue
	queue.push(first)
	seen := map[Hash]bool{from: true}
	for queue.Len() > 0 && (limit <= 0 || len(list) < limit) {
		c := queue.pop()
		parents, changed := c.Parents, true
		if path != "" {
			parents, changed = s.simplify(c, path)
		}
		for _, p := range parents {
			if seen[p] {
				continue
			}
			seen[p] = true
			parent, err := s.commit(p)
			if err != nil {
				return nil, err
			}
			queue.push(parent)
		}
		if changed {
			list = append(list, c.copy())
		}
	}
	return list, nil
}

// simplify returns the parents to follow for the path's history, and whether
// the commit belongs to it.
func (s *Store) simplify(c *Commit, path string) (parents []Hash, changed bool) {
	here := s.lookup(c.Tree, path)
	if len(c.Parents) == 0 {
		return nil, !here.absent()
	}
	for i, p := range c.Parents {
		if s.lookup(s.objects.get(p).commit.Tree, path).same(here) {
			return c.Parents[i : i+1], false
		}
	}
	return c.Parents, true
}

// commitQueue gives commits back by the time of committing, the last first;
// those of the same second in the order of pushing.
type commitQueue struct {
	items  []queuedCommit
	pushed int
}

type queuedCommit struct {
	*Commit
	order int
}

func (q *commitQueue) push(c *Commit) {
	heap.Push(q, queuedCommit{c, q.pushed})
	q.pushed++
}

func (q *commitQueue) pop() *Commit { return heap.Pop(q).(queuedCommit).Commit }

// Len is the number of waiting commits. It is one of the five methods of
// [heap.Interface].
func (q *commitQueue) Len() int { return len(q.items) }

// Less orders the heap.
func (q *commitQueue) Less(i, j int) bool {
	a, b := q.items[i], q.items[j]
	return cmp.Or(b.Committer.When.Compare(a.Committer.When), a.order-b.order) < 0
}

// Swap is for the heap.
func (q *commitQueue) Swap(i, j int) { q.items[i], q.items[j] = q.items[j], q.items[i] }

// Push is for the heap.
func (q *commitQueue) Push(x any) { q.items = append(q.items, x.(queuedCommit)) }

// Pop is for the heap.
func (q *commitQueue) Pop() any {
	last := q.items[len(q.items)-1]
	q.items = q.items[:len(q.items)-1]
	return last
}
