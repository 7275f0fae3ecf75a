package gitstore

import "github.com/go-git/go-git/v5/plumbing/filemode"

// The values of FileDiff.Status.
const (
	StatusAdded    = "added"
	StatusRemoved  = "removed"
	StatusModified = "modified"
	StatusRenamed  = "renamed"
)

// FileDiff is what became of one file between two trees.
type FileDiff struct {
	Path string
	// PreviousPath is the old path of a renamed file, empty for others.
	PreviousPath string
	// Status is one of the Status constants. A file that became a symbolic
	// link, or the other way round, is removed and added.
	Status string
	// Similarity is a renamed file's, in percent; 0 for others.
	Similarity           int
	Additions, Deletions int
	// OldBlob and OldMode are zero for an added file, NewBlob and NewMode for a
	// removed one.
	OldBlob, NewBlob Hash
	OldMode, NewMode filemode.FileMode
	// Binary says that there are no lines to compare.
	Binary bool
	// Patch is the hunks as git diff writes them, without a newline at the end;
	// empty for binary files and where the content is the same.
	Patch string
	// Hunks is the same, line by line.
	Hunks []Hunk
}

// Diff returns the files that differ between two trees, given by their hashes
// or commits', sorted by path. Zero is the empty tree. A removed and an added
// file that are at least half alike are a renamed one.
func (s *Store) Diff(base, head Hash) ([]FileDiff, error) {
	old, err := s.treeOf(base)
	if err != nil {
		return nil, err
	}
	new, err := s.treeOf(head)
	if err != nil {
		return nil, err
	}
	changes := s.treeChanges(old, new)
	source, moved := map[int]rename{}, map[int]bool{}
	for _, r := range s.renames(changes, renameOptions{}) {
		source[r.to], moved[r.from] = r, true
	}
	files := make([]FileDiff, 0, len(changes))
	for i, c := range changes {
		switch r, renamed := source[i]; {
		case moved[i]:
		case renamed:
			from := changes[r.from]
			f := s.fileDiff(StatusRenamed, c.path, from.old, c.new)
			f.PreviousPath, f.Similarity = from.path, r.score*100/maxScore
			files = append(files, f)
		case c.old.absent():
			files = append(files, s.fileDiff(StatusAdded, c.path, c.old, c.new))
		case c.new.absent():
			files = append(files, s.fileDiff(StatusRemoved, c.path, c.old, c.new))
		case c.old.sameType(c.new):
			files = append(files, s.fileDiff(StatusModified, c.path, c.old, c.new))
		default:
			files = append(files,
				s.fileDiff(StatusRemoved, c.path, c.old, entry{}),
				s.fileDiff(StatusAdded, c.path, entry{}, c.new))
		}
	}
	return files, nil
}

// sameType reports whether both are files, symbolic links or submodules.
func (e entry) sameType(f entry) bool {
	return e.mode == f.mode || e.isRegular() && f.isRegular()
}

func (s *Store) fileDiff(status, path string, old, new entry) FileDiff {
	f := FileDiff{
		Path: path, Status: status,
		OldBlob: old.hash, OldMode: old.mode,
		NewBlob: new.hash, NewMode: new.mode,
	}
	if old.hash == new.hash {
		return f
	}
	before, after := s.diffText(old), s.diffText(new)
	if isBinary(before) || isBinary(after) {
		f.Binary = true
		return f
	}
	a, b := splitLines(before), splitLines(after)
	edits := compareLines(a, b, myers, true)
	for _, e := range edits {
		f.Deletions += e.oldLen
		f.Additions += e.newLen
	}
	f.Hunks = hunks(a, b, edits)
	f.Patch = patchText(f.Hunks, len(before)+len(after))
	return f
}

// diffText returns what a diff compares of an entry: a file's content, a
// symbolic link's target, a line that names a submodule's commit.
func (s *Store) diffText(e entry) string {
	if e.mode == filemode.Submodule {
		return "Subproject commit " + e.hash.String() + "\n"
	}
	return s.blobText(e.hash)
}
