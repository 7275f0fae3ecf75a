package gitstore

import (
	"path"
	"slices"

	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// renameOptions is what differs between the renames of a diff and those of a
// merge.
type renameOptions struct {
	// relevant says whether a removed path's new place matters, beyond exact
	// renames; nil for all.
	relevant func(path string) bool
	// skipEmpty leaves empty files alone.
	skipEmpty bool
}

// rename says that the added file at index to of a list of changes is the
// removed one at index from.
type rename struct{ from, to, score int }

// renames finds the renamed files among changes, at most one for each added
// and each removed file, in the steps that git takes: equal files, then files
// that are alone in having their name, then all pairs, the most alike first.
func (s *Store) renames(changes []treeChange, opts renameOptions) []rename {
	f := &renameFinder{changes: changes, similar: s.newSimilarities(), opts: opts}
	for i, c := range changes {
		switch {
		case c.new.absent() && !f.skipped(c.old):
			f.removed = append(f.removed, i)
		case c.old.absent() && !f.skipped(c.new):
			f.added = append(f.added, i)
		}
	}
	if len(f.removed) == 0 || len(f.added) == 0 {
		return nil
	}
	f.matchEqual()
	f.matchByName()
	if opts.relevant != nil {
		f.removed = slices.DeleteFunc(f.removed, func(i int) bool { return !opts.relevant(changes[i].path) })
	}
	if len(f.removed)*len(f.added) <= RenameLimit*RenameLimit && f.work() <= RenameWork {
		f.matchAlike()
	}
	return f.found
}

// renameFinder holds the files that have no partner yet, as indexes of changes
// in rising order.
type renameFinder struct {
	changes        []treeChange
	removed, added []int
	found          []rename
	similar        *similarities
	opts           renameOptions
}

// work returns how many bytes the comparison of all open pairs goes through.
func (f *renameFinder) work() int {
	total := 0
	for _, i := range f.removed {
		total += len(f.added) * len(f.similar.store.blobText(f.changes[i].old.hash))
	}
	for _, i := range f.added {
		total += len(f.removed) * len(f.similar.store.blobText(f.changes[i].new.hash))
	}
	return total
}

func (f *renameFinder) skipped(e entry) bool {
	return f.opts.skipEmpty && e.mode != filemode.Submodule && f.similar.store.blobText(e.hash) == ""
}

func (f *renameFinder) sameBase(from, to int) bool {
	return path.Base(f.changes[from].path) == path.Base(f.changes[to].path)
}

// settle takes the partners found since the n-th off the open files.
func (f *renameFinder) settle(n int) {
	taken := map[int]bool{}
	for _, r := range f.found[n:] {
		taken[r.from], taken[r.to] = true, true
	}
	isTaken := func(i int) bool { return taken[i] }
	f.removed = slices.DeleteFunc(f.removed, isTaken)
	f.added = slices.DeleteFunc(f.added, isTaken)
}

// maxEqualSources is how many files of the same content are looked at for one
// of the same name.
const maxEqualSources = 100

// matchEqual pairs files of equal content, those of equal name first.
func (f *renameFinder) matchEqual() {
	defer f.settle(len(f.found))
	open := map[Hash][]int{}
	for _, from := range f.removed {
		h := f.changes[from].old.hash
		open[h] = append(open[h], from)
	}
	for _, to := range f.added {
		target := f.changes[to].new
		candidates := open[target.hash]
		best := -1
		for k, from := range candidates[:min(len(candidates), maxEqualSources)] {
			source := f.changes[from].old
			if !source.sameType(target) {
				continue
			}
			if same := f.sameBase(from, to); same || best < 0 {
				if best = k; same {
					break
				}
			}
		}
		if best >= 0 {
			f.found = append(f.found, rename{candidates[best], to, maxScore})
			copy(candidates[1:], candidates[:best])
			open[target.hash] = candidates[1:]
		}
	}
}

// matchByName pairs an added and a removed file that alone have their name
// among the open files, if they are alike enough.
func (f *renameFinder) matchByName() {
	defer f.settle(len(f.found))
	const several = -1
	alone := func(list []int) map[string]int {
		names := map[string]int{}
		for _, i := range list {
			name := path.Base(f.changes[i].path)
			if _, taken := names[name]; taken {
				i = several
			}
			names[name] = i
		}
		return names
	}
	sources, targets := alone(f.removed), alone(f.added)
	for _, from := range f.removed {
		c := f.changes[from]
		if f.opts.relevant != nil && !f.opts.relevant(c.path) {
			continue
		}
		name := path.Base(c.path)
		to, ok := targets[name]
		if !ok || to == several || sources[name] == several {
			continue
		}
		if score := f.similar.score(c.old, f.changes[to].new, minBasenameScore); score >= minBasenameScore {
			f.found = append(f.found, rename{from, to, score})
		}
	}
}

// candidate is a pair of open files with its score, which rises with equal
// names where the contents' scores are the same.
type candidate struct {
	rename
	sameBase bool
}

// compare orders candidates, the best first.
func (c candidate) compare(d candidate) int {
	switch {
	case c.score != d.score:
		return d.score - c.score
	case c.sameBase == d.sameBase:
		return 0
	case c.sameBase:
		return -1
	default:
		return 1
	}
}

// candidatesPerTarget is how many of the best sources are kept for an added
// file.
const candidatesPerTarget = 4

// matchAlike pairs the open files by their similarity.
func (f *renameFinder) matchAlike() {
	var all []candidate
	for _, to := range f.added {
		all = append(all, f.bestSources(to)...)
	}
	slices.SortStableFunc(all, candidate.compare)
	taken := map[int]bool{}
	for _, c := range all {
		if c.score < minRenameScore {
			break
		}
		if !taken[c.from] && !taken[c.to] {
			taken[c.from], taken[c.to] = true, true
			f.found = append(f.found, c.rename)
		}
	}
}

func (f *renameFinder) bestSources(to int) []candidate {
	var best []candidate
	for _, from := range f.removed {
		c := candidate{
			rename{from, to, f.similar.score(f.changes[from].old, f.changes[to].new, minRenameScore)},
			f.sameBase(from, to),
		}
		if len(best) < candidatesPerTarget {
			best = append(best, c)
			continue
		}
		worst := 0
		for i := range best {
			if best[i].compare(best[worst]) > 0 {
				worst = i
			}
		}
		if best[worst].compare(c) > 0 {
			best[worst] = c
		}
	}
	return best
}
