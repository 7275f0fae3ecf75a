package model

import (
	"maps"
	"slices"
)

// record is what a recording knows of one table: its rows as they were before
// they were handed out.
type record[T any] struct {
	clone func(*T) *T
	// noted is called with each row that is noted, unless it is nil.
	noted func(*T)
	rows  map[ID]*changedRow[T]
	// length is how many ids the table's order had.
	length int
	// visited is how many rows were looked at.
	visited int
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
		r.note(id, known)
	}
	return known
}

// added notes a row that was not there.
func (r *record[T]) added(id ID, row *T) { r.note(id, &changedRow[T]{row: row}) }

func (r *record[T]) note(id ID, row *changedRow[T]) {
	if r.rows == nil {
		r.rows = map[ID]*changedRow[T]{}
	}
	r.rows[id] = row
}

// touched yields the rows in the order of their ids, which is that of their
// creation.
func (r *record[T]) touched(yield func(ID, *changedRow[T]) bool) {
	for _, id := range slices.Sorted(maps.Keys(r.rows)) {
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

// someTable is a table of states, whatever its rows are.
type someTable interface {
	// row is a pointer to the row of an id, an untyped nil if there is none.
	row(s *State, id ID) any
	// separate gives the table rows of its own, which are not recorded, and
	// indexes if it has them and they are wanted.
	separate(s *State, indexed bool)
	// take takes a step of a recording.
	take(s *State, one step)
	rowsOfTable
}

// rowsOfTable walks over the rows of a table.
type rowsOfTable interface {
	// touched yields the rows that may have been changed since the last cut, and
	// returns false if it was stopped.
	touched(s *State, yield func(Touched) bool) bool
	// reshape puts a changed copy in the place of each row.
	reshape(s *State, change reshaping)
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

// tableOf is a table of states.
type tableOf[T any] struct {
	name  string
	in    func(*State) *Table[T]
	clone func(*T) *T
	// noted is that of the table's [record]; nil for none.
	noted   func(*T)
	indexes []index[T]
}

func (d tableOf[T]) row(s *State, id ID) any {
	if row := d.in(s).peek(id); row != nil {
		return row
	}
	return nil
}

func (d tableOf[T]) separate(s *State, indexed bool) {
	t := d.in(s)
	own := Table[T]{rows: make(map[ID]*T, len(t.rows)), order: slices.Clone(t.order)}
	for id, row := range t.rows {
		own.rows[id] = d.clone(row)
	}
	if indexed && t.found != nil {
		own.found = make([]found, len(t.found))
		for n, f := range t.found {
			own.found[n] = maps.Clone(f)
		}
	}
	*t = own
}

func (d tableOf[T]) take(s *State, one step) {
	t := d.in(s)
	switch one {
	case begin:
		t.record = &record[T]{clone: d.clone, noted: d.noted, length: len(t.order)}
	case keep:
		s.visited += t.record.visited
		d.reindex(t)
		t.record = nil
		t.tidy()
	case undo:
		t.undo()
	case look:
		t.past = true
	case cut:
		t.record.cut()
	}
}

// undo puts the rows back as they were when the recording began.
func (t *Table[T]) undo() {
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

func (r *record[T]) cut() {
	for _, row := range r.rows {
		row.before = nil
		if !row.gone {
			row.before = r.clone(row.row)
		}
	}
}

func (d tableOf[T]) touched(s *State, yield func(Touched) bool) bool {
	for id, r := range d.in(s).record.touched {
		one := Touched{Table: d.name, ID: id}
		if r.before != nil {
			one.Before = r.before
		}
		if !r.gone {
			one.After = r.row
		}
		if (one.Before != nil || one.After != nil) && !yield(one) {
			return false
		}
	}
	return true
}

// tables are those of a state in the order in which it declares them.
var tables = []someTable{
	tableOf[User]{name: "Users", in: func(s *State) *Table[User] { return &s.Users }, clone: (*User).clone},
	tableOf[Repo]{name: "Repos", in: func(s *State) *Table[Repo] { return &s.Repos }, clone: (*Repo).clone, noted: (*Repo).record},
	tableOf[Label]{name: "Labels", in: func(s *State) *Table[Label] { return &s.Labels }, clone: (*Label).clone, indexes: []index[Label]{labelByRepo}},
	tableOf[Milestone]{name: "Milestones", in: func(s *State) *Table[Milestone] { return &s.Milestones }, clone: (*Milestone).clone, indexes: []index[Milestone]{milestoneByRepo}},
	tableOf[Issue]{name: "Issues", in: func(s *State) *Table[Issue] { return &s.Issues }, clone: (*Issue).clone, indexes: issueIndexes},
	tableOf[Comment]{name: "Comments", in: func(s *State) *Table[Comment] { return &s.Comments }, clone: (*Comment).clone, indexes: []index[Comment]{commentByIssue}},
	tableOf[Review]{name: "Reviews", in: func(s *State) *Table[Review] { return &s.Reviews }, clone: (*Review).clone, indexes: []index[Review]{reviewByIssue}},
	tableOf[Thread]{name: "Threads", in: func(s *State) *Table[Thread] { return &s.Threads }, clone: (*Thread).clone, indexes: []index[Thread]{threadByIssue}},
	tableOf[ReviewComment]{name: "ReviewComments", in: func(s *State) *Table[ReviewComment] { return &s.ReviewComments }, clone: (*ReviewComment).clone, indexes: []index[ReviewComment]{commentByThread, commentByReview}},
	tableOf[Workflow]{name: "Workflows", in: func(s *State) *Table[Workflow] { return &s.Workflows }, clone: (*Workflow).clone, indexes: []index[Workflow]{workflowByRepo}},
	tableOf[Run]{name: "Runs", in: func(s *State) *Table[Run] { return &s.Runs }, clone: (*Run).clone, indexes: []index[Run]{runBySuite}},
	tableOf[Job]{name: "Jobs", in: func(s *State) *Table[Job] { return &s.Jobs }, clone: (*Job).clone, indexes: []index[Job]{jobByRun}},
	tableOf[Artifact]{name: "Artifacts", in: func(s *State) *Table[Artifact] { return &s.Artifacts }, clone: (*Artifact).clone, indexes: []index[Artifact]{artifactByRun}},
	tableOf[CheckSuite]{name: "CheckSuites", in: func(s *State) *Table[CheckSuite] { return &s.CheckSuites }, clone: (*CheckSuite).clone, indexes: []index[CheckSuite]{suiteByCommit}},
	tableOf[CheckRun]{name: "CheckRuns", in: func(s *State) *Table[CheckRun] { return &s.CheckRuns }, clone: (*CheckRun).clone, indexes: []index[CheckRun]{checkByCommit, checkBySuite}},
	tableOf[CommitStatus]{name: "Statuses", in: func(s *State) *Table[CommitStatus] { return &s.Statuses }, clone: (*CommitStatus).clone, indexes: []index[CommitStatus]{statusByCommit}},
	tableOf[Environment]{name: "Environments", in: func(s *State) *Table[Environment] { return &s.Environments }, clone: (*Environment).clone, indexes: []index[Environment]{environmentByRepo}},
	tableOf[Deployment]{name: "Deployments", in: func(s *State) *Table[Deployment] { return &s.Deployments }, clone: (*Deployment).clone, indexes: []index[Deployment]{deploymentByRepo}},
	tableOf[DeploymentStatus]{name: "DeploymentStatuses", in: func(s *State) *Table[DeploymentStatus] { return &s.DeploymentStatuses }, clone: (*DeploymentStatus).clone, indexes: []index[DeploymentStatus]{statusByDeployment}},
	tableOf[App]{name: "Apps", in: func(s *State) *Table[App] { return &s.Apps }, clone: (*App).clone},
	tableOf[Installation]{name: "Installations", in: func(s *State) *Table[Installation] { return &s.Installations }, clone: (*Installation).clone},
	tableOf[Hook]{name: "Hooks", in: func(s *State) *Table[Hook] { return &s.Hooks }, clone: (*Hook).clone},
	tableOf[Event]{name: "Events", in: func(s *State) *Table[Event] { return &s.Events }, clone: (*Event).clone, indexes: []index[Event]{eventByIssue}},
	tableOf[Reaction]{name: "Reactions", in: func(s *State) *Table[Reaction] { return &s.Reactions }, clone: (*Reaction).clone, indexes: []index[Reaction]{reactionBySubject}},
	tableOf[Release]{name: "Releases", in: func(s *State) *Table[Release] { return &s.Releases }, clone: (*Release).clone, indexes: []index[Release]{releaseByRepo}},
	tableOf[Project]{name: "Projects", in: func(s *State) *Table[Project] { return &s.Projects }, clone: (*Project).clone},
	tableOf[ProjectField]{name: "ProjectFields", in: func(s *State) *Table[ProjectField] { return &s.ProjectFields }, clone: (*ProjectField).clone, indexes: []index[ProjectField]{fieldByProject}},
	tableOf[ProjectItem]{name: "ProjectItems", in: func(s *State) *Table[ProjectItem] { return &s.ProjectItems }, clone: (*ProjectItem).clone, indexes: []index[ProjectItem]{itemByProject, itemByIssue}},
	tableOf[Gist]{name: "Gists", in: func(s *State) *Table[Gist] { return &s.Gists }, clone: (*Gist).clone},
	tableOf[Team]{name: "Teams", in: func(s *State) *Table[Team] { return &s.Teams }, clone: (*Team).clone, indexes: []index[Team]{teamByRepo}},
	tableOf[CommitComment]{name: "CommitComments", in: func(s *State) *Table[CommitComment] { return &s.CommitComments }, clone: (*CommitComment).clone, indexes: []index[CommitComment]{commentByCommit}},
	tableOf[Invitation]{name: "Invitations", in: func(s *State) *Table[Invitation] { return &s.Invitations }, clone: (*Invitation).clone},
	tableOf[Notification]{name: "Notifications", in: func(s *State) *Table[Notification] { return &s.Notifications }, clone: (*Notification).clone, indexes: []index[Notification]{notificationByUser, notificationBySubject}},
	tableOf[GistComment]{name: "GistComments", in: func(s *State) *Table[GistComment] { return &s.GistComments }, clone: (*GistComment).clone, indexes: []index[GistComment]{commentByGist}},
	tableOf[Discussion]{name: "Discussions", in: func(s *State) *Table[Discussion] { return &s.Discussions }, clone: (*Discussion).clone, indexes: []index[Discussion]{discussionByNumber}},
	tableOf[DiscussionComment]{name: "DiscussionComments", in: func(s *State) *Table[DiscussionComment] { return &s.DiscussionComments }, clone: (*DiscussionComment).clone, indexes: []index[DiscussionComment]{commentByDiscussion}},
	tableOf[Activity]{name: "Activities", in: func(s *State) *Table[Activity] { return &s.Activities }, clone: (*Activity).clone},
}
