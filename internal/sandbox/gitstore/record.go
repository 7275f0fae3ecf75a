package gitstore

import "maps"

// record is what a Store was like when its recording began, as far as it has
// changed since.
type record struct {
	objects objectSet
	// first and since are what references named, zero for none, before they
	// were moved first: since the recording began, and since the last cut.
	first, since map[string]Hash
}

// Record notes what references name before they are moved, from now on, until
// [Store.Keep] or [Store.Undo]. A recording that is under way goes on. Copies
// of the Store start without.
func (s *Store) Record() {
	if s.record == nil {
		s.record = &record{objects: s.objects, first: map[string]Hash{}, since: map[string]Hash{}}
	}
}

// Cut begins what [Store.Moved] tells anew.
func (s *Store) Cut() {
	if s.record != nil {
		clear(s.record.since)
	}
}

// Moved returns what references that name something else than at the last cut
// of the recording named then, zero for those that were not there.
func (s *Store) Moved() map[string]Hash {
	moved := map[string]Hash{}
	if s.record == nil {
		return moved
	}
	for name, before := range s.record.since {
		if s.refs[name] != before {
			moved[name] = before
		}
	}
	return moved
}

// AtCut returns what references named at the last cut of the recording.
func (s *Store) AtCut() map[string]Hash {
	refs := maps.Clone(s.refs)
	for name, before := range s.Moved() {
		if refs[name] = before; before.IsZero() {
			delete(refs, name)
		}
	}
	return refs
}

// Keep ends a recording, if there is one.
func (s *Store) Keep() { s.record = nil }

// Undo ends a recording, if there is one, and puts objects and references back.
func (s *Store) Undo() {
	if s.record == nil {
		return
	}
	s.objects = s.record.objects
	for name, before := range s.record.first {
		if before.IsZero() {
			delete(s.refs, name)
		} else {
			s.refs[name] = before
		}
	}
	s.record = nil
}

// note notes what a reference names before it is moved.
func (s *Store) note(ref string) {
	if s.record == nil {
		return
	}
	for _, moved := range []map[string]Hash{s.record.first, s.record.since} {
		if _, known := moved[ref]; !known {
			moved[ref] = s.refs[ref]
		}
	}
}
