package gitstore

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// LargeFile is a file of a commit, and its size in bytes.
type LargeFile struct {
	Path string
	Size int64
}

// LargeFilesError is in the chain of the error of a packfile with files over
// [MaxObjectSize], which are named in the order of their paths.
type LargeFilesError struct{ Files []LargeFile }

func (e *LargeFilesError) Error() string {
	return fmt.Sprintf("%d files are over the limit of %d bytes, the first of them %s with %d", len(e.Files), MaxObjectSize, e.Files[0].Path, e.Files[0].Size)
}

// LargeFiles returns the files of so many bytes or more that commits have
// which were not there before, each content once, in the order of their paths.
func (s *Store) LargeFiles(before Objects, atLeast int) []LargeFile {
	large := map[Hash]int64{}
	var commits []*Commit
	for o := range s.objects.minus(before.set) {
		switch {
		case o.kind == plumbing.BlobObject && len(o.data) >= atLeast:
			large[o.hash] = int64(len(o.data))
		case o.commit != nil:
			commits = append(commits, o.commit)
		default:
		}
	}
	return s.objects.filesOf(large, before.set, commits)
}

// filesOf names the files with some contents, each once. Trees that were there
// before are not looked into.
func (s objectSet) filesOf(contents map[Hash]int64, before objectSet, commits []*Commit) []LargeFile {
	if len(contents) == 0 {
		return nil
	}
	found, seen := map[Hash]string{}, map[Hash]bool{}
	var look func(tree Hash, folder string)
	look = func(tree Hash, folder string) {
		o := s.get(tree)
		if o == nil || o.kind != plumbing.TreeObject || seen[tree] || before.get(tree) != nil {
			return
		}
		seen[tree] = true
		for rest := o.data; rest != ""; {
			var e entry
			var err error
			if e, rest, err = cutEntry(rest); err != nil {
				return // no tree in the set is malformed
			}
			if e.mode == filemode.Dir {
				look(e.hash, folder+e.name+"/")
			} else if _, is := contents[e.hash]; is {
				found[e.hash] = folder + e.name
			}
		}
	}
	for _, c := range commits {
		look(c.Tree, "")
	}
	var all []LargeFile
	for h, size := range contents {
		all = append(all, LargeFile{cmp.Or(found[h], h.String()), size})
	}
	slices.SortFunc(all, func(a, b LargeFile) int { return cmp.Compare(a.Path, b.Path) })
	return all
}

// passOver reads the content of a file that is too large to be kept, and notes
// which it is.
func (p *packReader) passOver(size uint64) error {
	if err := p.decompress(); err != nil {
		return err
	}
	h := plumbing.NewHasher(plumbing.BlobObject, int64(size))
	read, err := io.Copy(h, io.LimitReader(p.zlib, int64(size)+1))
	if err != nil || uint64(read) != size {
		return errDamaged
	}
	p.large[h.Sum()] = int64(size)
	return nil
}
