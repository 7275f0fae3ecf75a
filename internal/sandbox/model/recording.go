package model

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// recording is a record of what changes in a state, by which it can be told and
// taken back.
type recording struct {
	now      time.Time
	lastID   ID
	scripts  []Script
	happened int
	// cause is why what is done now is done, empty for what was asked for;
	// causes are why rows were made that follow from something else.
	cause  string
	causes map[ID]string
	// told are whom GitHub tells of what was changed since the last cut, by row.
	told map[ID][]Told
	// notes are the notifications that are sent when the act ends.
	notes []note
}

// Watcher is told of changes of a state that it watches.
type Watcher interface {
	// Changed tells of what was changed for one reason. What the stretch shows
	// must be read at once.
	Changed(Stretch)
	// Ended tells whether what was changed since the last time stays, or was
	// taken back.
	Ended(kept bool)
}

// Watch has somebody told of what [State.Atomically] does from now on; nil ends
// that. Copies of the state start without.
func (s *State) Watch(by Watcher) { s.watcher = by }

// Tell has somebody called after each act of [State.Atomically] that is kept,
// with the state in which it was done, to take what happened; nil ends that.
// Copies of the state by [State.Clone] start without.
func (s *State) Tell(of func(*State)) { s.told = of }

// Stretch is what was changed for one reason.
type Stretch struct {
	// Cause is the rule by which GitHub itself did it, such as [CauseMerge];
	// empty for what was asked for. Rows may have others: see
	// [Stretch.CauseOf].
	Cause string
	// Before is the state as it was, of which only rows and refs' objects can be
	// read; After is the state as it is.
	Before, After *State
}

// Rows yields the rows that may differ, table by table in the order in which
// [State] declares them, each in the order of creation.
func (st Stretch) Rows() iter.Seq[Touched] {
	return func(yield func(Touched) bool) {
		for _, t := range tables {
			if !t.touched(st.After, yield) {
				return
			}
		}
	}
}

// CauseOf returns why a row was changed.
func (st Stretch) CauseOf(id ID) string { return cmp.Or(st.After.recording.causes[id], st.Cause) }

// Told returns whom GitHub tells of the change of a row.
func (st Stretch) Told(id ID) []Told { return st.After.recording.told[id] }

// MovedRef is a ref of a repository that names something else than before.
type MovedRef struct {
	Repo *Repo
	Name string
	// From and To are zero where there is no such ref.
	From, To gitstore.Hash
	// Cause is why it moved where that is not the cause of the stretch: with
	// its repository.
	Cause string
}

// Refs yields the refs that differ, repository by repository, in the order of
// their names.
func (st Stretch) Refs() iter.Seq[MovedRef] {
	return func(yield func(MovedRef) bool) {
		for _, r := range st.After.Repos.record.touched {
			for _, moved := range movedRefs(r) {
				if !yield(moved) {
					return
				}
			}
		}
	}
}

// movedRefs returns the refs that a repository has got, lost or moved since the
// last cut.
func movedRefs(r *changedRow[Repo]) []MovedRef {
	var was map[string]gitstore.Hash
	is := map[string]gitstore.Hash{}
	same := r.before != nil && r.before.Git == r.row.Git && !r.gone
	switch {
	case same:
		was = r.row.Git.Moved()
	case r.before != nil:
		was = r.before.Git.AtCut()
	}
	if !same && !r.gone {
		for _, ref := range r.row.Git.Refs("") {
			is[ref.Name] = ref.Hash
		}
	}
	for name := range was {
		if now, exists := r.row.Git.Ref(name); exists && !r.gone {
			is[name] = now
		}
	}
	names := maps.Clone(is)
	maps.Copy(names, was)
	cause := ""
	switch {
	case r.gone:
		cause = CauseDeletion
	case r.before == nil:
		cause = CauseCreation
	}
	var moved []MovedRef
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if was[name] != is[name] {
			moved = append(moved, MovedRef{Repo: r.row, Name: name, From: was[name], To: is[name], Cause: cause})
		}
	}
	return moved
}

// Atomically runs something that changes the state, and puts everything back
// if it fails or panics: rows, refs, objects, the clock and ids. Whoever watches
// the state is told. What is done atomically within another such act is a part
// of that.
func (s *State) Atomically(act func() error) error {
	if s.recording != nil {
		return act()
	}
	s.begin()
	kept := false
	defer func() {
		if !kept {
			s.undo()
		}
		if s.watcher != nil {
			s.watcher.Ended(kept)
		}
	}()
	if err := act(); err != nil {
		return err
	}
	s.cut()
	s.sendNotes()
	s.tellChanged()
	s.keep()
	kept = true
	if s.told != nil {
		s.told(s)
	}
	return nil
}

// because runs what GitHub does by a rule of its own in consequence of what was
// done before.
func (s *State) because(cause string, act func()) {
	if s.recording == nil || s.watcher == nil || s.recording.cause == cause {
		act()
		return
	}
	s.cut()
	outer := s.recording.cause
	s.recording.cause = cause
	act()
	s.cut()
	s.recording.cause = outer
}

// follows notes that a new row was made by a rule of GitHub's own.
func (s *State) follows(id ID, cause string) {
	if s.recording != nil {
		s.recording.causes[id] = cause
	}
}

func (s *State) begin() {
	s.recording = &recording{now: s.Now, lastID: s.LastID, scripts: slices.Clip(s.Scripts), happened: len(s.happened), causes: map[ID]string{}, told: map[ID][]Told{}}
	for _, t := range tables {
		t.take(s, begin)
	}
}

// cut tells of what was changed since the last cut.
func (s *State) cut() {
	if s.watcher == nil {
		return
	}
	before := *s
	for _, t := range tables {
		t.take(&before, look)
	}
	s.watcher.Changed(Stretch{Cause: s.recording.cause, Before: &before, After: s})
	clear(s.recording.told)
	for _, t := range tables {
		t.take(s, cut)
	}
	for _, r := range s.Repos.record.rows {
		r.row.Git.Record()
		r.row.Git.Cut()
	}
}

// Visited returns how many rows were looked at, in lists of them, by what was
// done last by [State.Atomically] and kept: what it costs.
func (s *State) Visited() int { return s.visited }

func (s *State) keep() {
	s.visited = 0
	for _, r := range s.Repos.record.rows {
		r.row.Git.Keep()
		if r.first != nil {
			r.first.Git.Keep()
		}
	}
	for _, t := range tables {
		t.take(s, keep)
	}
	s.recording = nil
}

func (s *State) undo() {
	s.Now, s.LastID, s.Scripts = s.recording.now, s.recording.lastID, s.recording.scripts
	s.happened = s.happened[:s.recording.happened]
	for _, r := range s.Repos.record.rows {
		if r.first != nil {
			r.first.Git.Undo()
		}
	}
	for _, t := range tables {
		t.take(s, undo)
	}
	s.recording = nil
}
