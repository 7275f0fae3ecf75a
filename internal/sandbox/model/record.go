package model

import "slices"

// record is what a recording knows of one table: its rows as they were before
// they were handed out.
type record[T any] struct {
	clone func(*T) *T
	// noted is called with each row that is noted, unless it is nil.
	noted func(*T)
	rows  map[ID]*changedRow[T]
	// length is how many ids the table's order had.
	length int
}

// changedRow is a row that may have been changed.
type changedRow[T any] struct {
	row *T
	// first and before are copies of the row as it was when the recording
	// began, and at its last cut; nil if it was not there.
	first, before *T
	gone          bool
}

// touch notes what a row is like, unless that is known.
func (r *record[T]) touch(id ID, row *T) *changedRow[T] {
	known := r.rows[id]
	if known == nil {
		if r.noted != nil {
			r.noted(row)
		}
		copied := r.clone(row)
		known = &changedRow[T]{row: row, first: copied, before: copied}
		r.rows[id] = known
	}
	return known
}

// added notes a row that was not there.
func (r *record[T]) added(id ID, row *T) { r.rows[id] = &changedRow[T]{row: row} }

// touched yields the rows in the order of their ids, which is that of their
// creation.
func (r *record[T]) touched(yield func(ID, *changedRow[T]) bool) {
	ids := make([]ID, 0, len(r.rows))
	for id := range r.rows {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if !yield(id, r.rows[id]) {
			return
		}
	}
}

// Touched is a row that may have been changed between two cuts of a recording.
type Touched struct {
	// Table is the name of its table in [State].
	Table string
	ID    ID
	// Before and After are pointers to the row as it was and as it is; an
	// untyped nil if it was not there, or is not any more.
	Before, After any
}

// someTable is a table, whatever its rows are.
type someTable interface {
	// row is a pointer to the row of an id, an untyped nil if there is none.
	row(id ID) any
	// separate gives the table rows of its own, which are not recorded, and
	// indexes if it has them and they are wanted.
	separate(indexed bool)
	// take takes a step of a recording.
	take(step)
	// touched yields the rows that may have been changed since the last cut.
	touched(yield func(Touched) bool)
}

// step is one of a recording.
type step int

// The steps.
const (
	// begin has changes recorded, keep ends that, undo ends it and puts the
	// rows back.
	begin step = iota
	keep
	undo
	// look makes the table one that shows rows as they were at the last cut.
	look
	// cut takes rows as they are for what they were before.
	cut
)

// namedTable is a table of a [State].
type namedTable[T any] struct {
	*Table[T]
	name  string
	clone func(*T) *T
	// noted is that of the table's [record].
	noted   func(*T)
	indexes []index[T]
}

func (t namedTable[T]) row(id ID) any {
	if row := t.peek(id); row != nil {
		return row
	}
	return nil
}

func (t namedTable[T]) separate(indexed bool) {
	own := Table[T]{rows: make(map[ID]*T, len(t.rows)), order: slices.Clone(t.order)}
	for id, row := range t.rows {
		own.rows[id] = t.clone(row)
	}
	if indexed && t.found != nil {
		own.found = make([]found, len(t.found))
		for n, f := range t.found {
			own.found[n] = f.clone()
		}
	}
	*t.Table = own
}

func (t namedTable[T]) take(one step) {
	switch one {
	case begin:
		t.record = &record[T]{clone: t.clone, noted: t.noted, rows: map[ID]*changedRow[T]{}, length: len(t.order)}
	case keep:
		t.reindex()
		t.record = nil
		t.tidy()
	case undo:
		t.undo()
	case look:
		t.past = true
	case cut:
		t.cut()
	}
}

func (t namedTable[T]) undo() {
	for id, r := range t.record.rows {
		if r.first == nil {
			delete(t.rows, id)
			continue
		}
		*r.row = *r.first
		t.rows[id] = r.row
	}
	t.order = t.order[:t.record.length]
	t.record = nil
}

func (t namedTable[T]) touched(yield func(Touched) bool) {
	for id, r := range t.record.touched {
		one := Touched{Table: t.name, ID: id}
		if r.before != nil {
			one.Before = r.before
		}
		if !r.gone {
			one.After = r.row
		}
		if (one.Before != nil || one.After != nil) && !yield(one) {
			return
		}
	}
}

func (t namedTable[T]) cut() {
	for _, r := range t.record.rows {
		r.before = nil
		if !r.gone {
			r.before = t.record.clone(r.row)
		}
	}
}

// tables returns the tables of a state in the order in which it declares them.
func (s *State) tables() []someTable {
	return []someTable{
		namedTable[User]{&s.Users, "Users", (*User).clone, nil, nil},
		namedTable[Repo]{&s.Repos, "Repos", (*Repo).clone, (*Repo).record, nil},
		namedTable[Label]{&s.Labels, "Labels", (*Label).clone, nil, []index[Label]{labelByRepo}},
		namedTable[Milestone]{&s.Milestones, "Milestones", (*Milestone).clone, nil, []index[Milestone]{milestoneByRepo}},
		namedTable[Issue]{&s.Issues, "Issues", (*Issue).clone, nil, issueIndexes},
		namedTable[Comment]{&s.Comments, "Comments", (*Comment).clone, nil, []index[Comment]{commentByIssue}},
		namedTable[Review]{&s.Reviews, "Reviews", (*Review).clone, nil, []index[Review]{reviewByIssue}},
		namedTable[Thread]{&s.Threads, "Threads", (*Thread).clone, nil, []index[Thread]{threadByIssue}},
		namedTable[ReviewComment]{&s.ReviewComments, "ReviewComments", (*ReviewComment).clone, nil, []index[ReviewComment]{commentByThread, commentByReview}},
		namedTable[Workflow]{&s.Workflows, "Workflows", (*Workflow).clone, nil, []index[Workflow]{workflowByRepo}},
		namedTable[Run]{&s.Runs, "Runs", (*Run).clone, nil, []index[Run]{runBySuite}},
		namedTable[Job]{&s.Jobs, "Jobs", (*Job).clone, nil, []index[Job]{jobByRun}},
		namedTable[Artifact]{&s.Artifacts, "Artifacts", (*Artifact).clone, nil, []index[Artifact]{artifactByRun}},
		namedTable[CheckSuite]{&s.CheckSuites, "CheckSuites", (*CheckSuite).clone, nil, []index[CheckSuite]{suiteByCommit}},
		namedTable[CheckRun]{&s.CheckRuns, "CheckRuns", (*CheckRun).clone, nil, []index[CheckRun]{checkByCommit, checkBySuite}},
		namedTable[App]{&s.Apps, "Apps", (*App).clone, nil, nil},
		namedTable[Installation]{&s.Installations, "Installations", (*Installation).clone, nil, nil},
		namedTable[Hook]{&s.Hooks, "Hooks", (*Hook).clone, nil, nil},
		namedTable[Event]{&s.Events, "Events", (*Event).clone, nil, []index[Event]{eventByIssue}},
		namedTable[Reaction]{&s.Reactions, "Reactions", (*Reaction).clone, nil, []index[Reaction]{reactionBySubject}},
		namedTable[Release]{&s.Releases, "Releases", (*Release).clone, nil, []index[Release]{releaseByRepo}},
		namedTable[Project]{&s.Projects, "Projects", (*Project).clone, nil, nil},
		namedTable[ProjectField]{&s.ProjectFields, "ProjectFields", (*ProjectField).clone, nil, []index[ProjectField]{fieldByProject}},
		namedTable[ProjectItem]{&s.ProjectItems, "ProjectItems", (*ProjectItem).clone, nil, []index[ProjectItem]{itemByProject, itemByIssue}},
		namedTable[Gist]{&s.Gists, "Gists", (*Gist).clone, nil, nil},
		namedTable[Team]{&s.Teams, "Teams", (*Team).clone, nil, nil},
	}
}
