package gitstore

import (
	"maps"
	"slices"
)

// sourcesOf returns the renames of one side, each new path by its old one. Only
// those can matter whose old path the other side changed as well.
func (m *treeMerge) sourcesOf(changes []treeChange, side int) map[string]string {
	other := inOurs + inTheirs - side
	relevant := func(path string) bool {
		p := m.paths[path]
		return !p.stage[other].same(p.stage[inBase])
	}
	moved := map[string]string{}
	for _, r := range m.store.renames(changes, renameOptions{relevant: relevant, skipEmpty: true}) {
		moved[changes[r.from].path] = changes[r.to].path
	}
	return moved
}

// followRenames brings together what belongs together: a file that one side
// moved and the other changed is merged at its new path.
func (m *treeMerge) followRenames(ours, theirs map[string]string) error {
	all := maps.Clone(ours)
	maps.Copy(all, theirs)
	for _, source := range slices.Sorted(maps.Keys(all)) {
		old := m.paths[source]
		ourTarget, weMoved := ours[source]
		theirTarget, theyMoved := theirs[source]
		var err error
		switch {
		case weMoved && theyMoved && ourTarget == theirTarget:
			m.paths[ourTarget].stage[inBase], old.moved = old.stage[inBase], true
		case weMoved && theyMoved:
			err = m.splitRename(old, m.paths[ourTarget], m.paths[theirTarget])
		case weMoved:
			err = m.followRename(old, m.paths[ourTarget], inOurs)
		default:
			err = m.followRename(old, m.paths[theirTarget], inTheirs)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// splitRename handles a file that each side moved to another path.
func (m *treeMerge) splitRename(old, ours, theirs *mergedPath) error {
	merged, _, err := m.mergeEntries(stages{
		stage: [3]entry{old.stage[inBase], ours.stage[inOurs], theirs.stage[inTheirs]},
		from:  [3]string{old.path, ours.path, theirs.path},
	}, 1)
	if err != nil {
		return err
	}
	ours.stage[inOurs], theirs.stage[inTheirs] = merged, merged
	for _, p := range []*mergedPath{old, ours, theirs} {
		m.conflict(p, ConflictRenameRename)
	}
	return nil
}

// followRename handles a file that only one side moved.
func (m *treeMerge) followRename(old, new *mergedPath, side int) error {
	other := inOurs + inTheirs - side
	deleted := old.stage[other].absent()
	typeChanged := !deleted && old.stage[other].isRegular() != new.stage[side].isRegular()
	taken := !new.stage[other].absent() && !typeChanged
	old.moved = !typeChanged
	if deleted {
		m.conflict(new, ConflictRenameDelete)
	}
	// What the other side and the base have at the old path belongs to what
	// this side has at the new one.
	together := old.stages
	together.stage[side], together.from[side] = new.stage[side], new.path
	switch {
	case taken && deleted:
	case taken:
		var err error
		new.stage[side], _, err = m.mergeEntries(together, 1)
		return err
	case typeChanged:
		new.stage[inBase], new.renamed = old.stage[inBase], true
		old.stage[inBase] = entry{}
	default:
		new.stages, new.renamed = together, true
	}
	return nil
}
