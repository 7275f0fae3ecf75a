package gitstore

import (
	"maps"
	"slices"

	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// The values of Conflict.Kind, as git's messages name them.
const (
	ConflictContent       = "content"
	ConflictAddAdd        = "add/add"
	ConflictModifyDelete  = "modify/delete"
	ConflictRenameDelete  = "rename/delete"
	ConflictRenameRename  = "rename/rename"
	ConflictFileDirectory = "file/directory"
	ConflictTypes         = "distinct types"
	ConflictSubmodule     = "submodule"
)

// Conflict is a path that a merge could not settle.
type Conflict struct {
	Path string
	// Kind is one of the Conflict constants.
	Kind string
}

// The sides of a three-way merge, as indexes.
const (
	inBase = iota
	inOurs
	inTheirs
)

// treeMerge merges two trees that come from a common one.
type treeMerge struct {
	store *Store
	// depth is above 0 for the merge of merge bases: conflicts then are settled
	// somehow, as git does, and nobody is told.
	depth int
	paths map[string]*mergedPath
	ours  Hash
}

// stages is what belongs together in a merge: an entry of each tree, and the
// path that it has there.
type stages struct {
	stage [3]entry
	from  [3]string
}

// mergedPath is a path that at least one side changed.
type mergedPath struct {
	path string
	// What the three trees have at the path, and after renames were followed,
	// what belongs together there.
	stages
	// before is what our tree has.
	before entry
	// moved says that a rename took the content to another path, renamed that
	// the base's stage was brought here by one.
	moved, renamed bool

	result entry
	// conflict is the kind of conflict, empty for none.
	conflict string
}

// mergeTrees merges the trees ours and theirs, which come from base. The tree
// is zero if there are conflicts and depth is 0.
func (s *Store) mergeTrees(base, ours, theirs Hash, depth int) (Hash, []Conflict, error) {
	if base == theirs || ours == theirs {
		return ours, nil, nil
	}
	if base == ours {
		return theirs, nil, nil
	}
	m := &treeMerge{store: s, depth: depth, ours: ours, paths: map[string]*mergedPath{}}
	ourChanges, theirChanges := s.treeChanges(base, ours), s.treeChanges(base, theirs)
	m.collect(ourChanges, inOurs)
	m.collect(theirChanges, inTheirs)
	if err := m.followRenames(m.sourcesOf(ourChanges, inOurs), m.sourcesOf(theirChanges, inTheirs)); err != nil {
		return Hash{}, nil, err
	}
	order := slices.Sorted(maps.Keys(m.paths))
	for _, path := range order {
		if err := m.settle(m.paths[path]); err != nil {
			return Hash{}, nil, err
		}
	}
	m.findFilesInTheWay(order)
	order = slices.Sorted(maps.Keys(m.paths))
	var conflicts []Conflict
	for _, path := range order {
		if p := m.paths[path]; p.conflict != "" && depth == 0 {
			conflicts = append(conflicts, Conflict{path, p.conflict})
		}
	}
	if len(conflicts) > 0 {
		return Hash{}, conflicts, nil
	}
	tree, err := m.write(order)
	return tree, nil, err
}

// collect notes what one side changed.
func (m *treeMerge) collect(changes []treeChange, side int) {
	for _, c := range changes {
		p := m.paths[c.path]
		if p == nil {
			p = &mergedPath{path: c.path, stages: stages{
				stage: [3]entry{c.old, c.old, c.old},
				from:  [3]string{c.path, c.path, c.path},
			}}
			m.paths[c.path] = p
		}
		p.stage[side] = c.new
		p.before = p.stage[inOurs]
	}
}

// settle finds the result for a path.
func (m *treeMerge) settle(p *mergedPath) error {
	base, ours, theirs := p.stage[inBase], p.stage[inOurs], p.stage[inTheirs]
	switch {
	case p.moved:
	case ours.absent() && theirs.absent():
	case ours.same(theirs), base.same(theirs) && !p.renamed:
		p.result = ours
	case base.same(ours) && !p.renamed:
		p.result = theirs
	case ours.absent():
		m.fail(p, ConflictModifyDelete, theirs)
	case theirs.absent():
		m.fail(p, ConflictModifyDelete, ours)
	case !ours.sameType(theirs):
		m.fail(p, ConflictTypes, ours)
	default:
		var clean bool
		var err error
		if p.result, clean, err = m.mergeEntries(p.stages, 0); err != nil {
			return err
		}
		if !clean {
			m.conflict(p, contentKind(base, ours))
		}
	}
	return nil
}

// contentKind names a conflict between two entries of the same type.
func contentKind(base, ours entry) string {
	switch {
	case ours.mode == filemode.Submodule:
		return ConflictSubmodule
	case base.absent():
		return ConflictAddAdd
	default:
		return ConflictContent
	}
}

// conflict notes a conflict, unless one of another kind is known.
func (m *treeMerge) conflict(p *mergedPath, kind string) {
	if p.conflict == "" {
		p.conflict = kind
	}
}

// fail notes a conflict that leaves a side's entry as it is; in a merge of
// merge bases, that of the base.
func (m *treeMerge) fail(p *mergedPath, kind string, side entry) {
	m.conflict(p, kind)
	if p.result = side; m.depth > 0 {
		p.result = p.stage[inBase]
	}
}

// mergeEntries merges two entries of the same type; the base's may be absent or
// of another type. nested is added to the size of conflict markers.
func (m *treeMerge) mergeEntries(v stages, nested int) (merged entry, clean bool, err error) {
	base, ours, theirs := v.stage[inBase], v.stage[inOurs], v.stage[inTheirs]
	merged, clean = ours, true
	switch {
	case ours.mode == theirs.mode || ours.mode == base.mode:
		merged.mode = theirs.mode
	case theirs.mode != base.mode:
		clean = false
	}
	switch {
	case ours.hash == theirs.hash || theirs.hash == base.hash:
	case ours.hash == base.hash:
		merged.hash = theirs.hash
	case ours.isRegular():
		hash, ok, err := m.mergeBlobs(v, nested)
		if err != nil {
			return entry{}, false, err
		}
		merged.hash, clean = hash, clean && ok
	default:
		clean = false
		if m.depth > 0 {
			merged = base
		}
	}
	return merged, clean, nil
}

const (
	markerSize = 7
	// The labels of conflicts in a merge of merge bases, git's own.
	oursLabel, theirsLabel = "Temporary merge branch 1", "Temporary merge branch 2"
)

// markers returns the markers for a conflict between the stages.
func (m *treeMerge) markers(v stages, nested int) markers {
	mark := markers{oursLabel, theirsLabel, markerSize + 2*m.depth + nested}
	if v.from[inBase] != v.from[inOurs] || v.from[inOurs] != v.from[inTheirs] {
		mark.ours += ":" + v.from[inOurs]
		mark.theirs += ":" + v.from[inTheirs]
	}
	return mark
}

// mergeBlobs merges two files line by line. Binary files cannot be merged.
func (m *treeMerge) mergeBlobs(v stages, nested int) (Hash, bool, error) {
	var base string
	if v.stage[inBase].isRegular() {
		base = m.store.blobText(v.stage[inBase].hash)
	}
	ours, theirs := v.stage[inOurs].hash, v.stage[inTheirs].hash
	a, b := m.store.blobText(ours), m.store.blobText(theirs)
	text, clean := base, false
	switch {
	case !isBinary(base) && !isBinary(a) && !isBinary(b):
		text, clean = merge3(base, a, b, m.markers(v, nested))
	case m.depth == 0:
		return ours, false, nil
	}
	if !clean && m.depth == 0 && nested == 0 {
		return ours, false, nil
	}
	h, err := m.store.WriteBlob([]byte(text))
	return h, clean, err
}

// findFilesInTheWay finds files whose path is a directory of another result.
// The directory stays; in a merge of merge bases the file moves beside it.
func (m *treeMerge) findFilesInTheWay(order []string) {
	for _, path := range order {
		if m.paths[path].result.absent() {
			continue
		}
		for i := range len(path) {
			if path[i] != '/' {
				continue
			}
			if p := m.paths[path[:i]]; p != nil && !p.result.absent() {
				p.conflict = ConflictFileDirectory
				m.moveAside(p)
			}
		}
	}
}

func (m *treeMerge) moveAside(p *mergedPath) {
	label := theirsLabel
	if p.stage[inTheirs].absent() {
		label = oursLabel
	}
	aside := &mergedPath{path: p.path + "~" + label, result: p.result}
	m.paths[aside.path] = aside
	p.result = entry{}
}

// write stores the merged tree.
func (m *treeMerge) write(order []string) (Hash, error) {
	d := m.store.openDir(m.ours)
	for _, path := range order {
		if p := m.paths[path]; p.result.absent() && !p.before.absent() {
			d.delete(m.store, path)
		}
	}
	for _, path := range order {
		if p := m.paths[path]; !p.result.absent() && !p.result.same(p.before) {
			if err := d.set(m.store, path, p.result); err != nil {
				return Hash{}, err
			}
		}
	}
	return d.write(m.store)
}
