package model

import (
	"slices"
	"time"
)

// Issue is an issue, or the part that a pull request shares with issues.
type Issue struct {
	ID       ID
	RepoID   ID
	Number   int
	Title    string
	Body     string
	AuthorID ID
	Closed   bool
	// StateReason is completed, not_planned, reopened or empty.
	StateReason string
	Locked      bool
	// LockReason may be empty for locked ones too.
	LockReason string
	// Pinned issues are shown on top of the others.
	Pinned bool
	// Branches are those on which it is worked on.
	Branches    []LinkedBranch
	Labels      []ID
	Assignees   []ID
	MilestoneID ID
	// TypeID is the type that it has, one of the owner's, 0 for none.
	TypeID ID `json:",omitempty"`
	// SubIssues are the issues under this one, in their order.
	SubIssues []ID
	// BlockedBy are the issues that this one waits for.
	BlockedBy []ID
	ClosedBy  ID
	CreatedAt time.Time
	UpdatedAt time.Time
	ClosedAt  *time.Time
	// Pull is nil for issues.
	Pull *Pull
}

func (i *Issue) clone() *Issue {
	c := *i
	c.Labels = slices.Clone(i.Labels)
	c.Assignees = slices.Clone(i.Assignees)
	c.SubIssues = slices.Clone(i.SubIssues)
	c.BlockedBy = slices.Clone(i.BlockedBy)
	c.Branches = slices.Clone(i.Branches)
	c.ClosedAt = copyOf(i.ClosedAt)
	c.Pull = i.Pull.clone()
	return &c
}

// Pull is what a pull request has beyond an issue.
type Pull struct {
	// ID is the pull request's own id; its issue has another.
	ID      ID
	HeadRef string
	BaseRef string
	// HeadRepoID is the repository that the head is in, 0 for the base's own.
	HeadRepoID ID
	// HeadSHA follows the head branch while the pull request is open.
	HeadSHA string
	// BaseSHA is the tip of the base branch when the pull request was opened
	// or last retargeted.
	BaseSHA             string
	Draft               bool
	MaintainerCanModify bool
	MergedAt            *time.Time
	MergedBy            ID
	MergeCommitSHA      string
	// MergeMethod is empty for one that is not merged, or whose commits its base
	// got by other ways.
	MergeMethod        MergeMethod `json:",omitempty"`
	RequestedReviewers []ID
	RequestedTeams     []ID
	// LinkedIssues are those whose branch it was opened from, whatever its text
	// says.
	LinkedIssues []ID
	// AutoMerge is nil unless it is to be merged as soon as that is allowed.
	AutoMerge *AutoMerge
	// Queue is nil unless it is in the merge queue of its base.
	Queue *QueueEntry `json:",omitempty"`
}

// Merged reports whether the pull request was merged.
func (p *Pull) Merged() bool { return p.MergedAt != nil }

func (p *Pull) clone() *Pull {
	if p == nil {
		return nil
	}
	c := *p
	c.MergedAt = copyOf(p.MergedAt)
	c.RequestedReviewers, c.RequestedTeams = slices.Clone(p.RequestedReviewers), slices.Clone(p.RequestedTeams)
	c.LinkedIssues = slices.Clone(p.LinkedIssues)
	c.AutoMerge, c.Queue = copyOf(p.AutoMerge), copyOf(p.Queue)
	return &c
}

// Comment is a comment on an issue or pull request as a whole.
type Comment struct {
	ID        ID
	RepoID    ID
	IssueID   ID
	AuthorID  ID
	Body      string
	CreatedAt time.Time
	UpdatedAt time.Time
	// Minimized is why it is hidden, such as "outdated"; empty if it is not.
	Minimized string `json:",omitempty"`
}

func (c *Comment) clone() *Comment { return copyOf(c) }

// ReviewState is the state of a review.
type ReviewState string

// The review states.
const (
	ReviewPending          ReviewState = "PENDING"
	ReviewCommented        ReviewState = "COMMENTED"
	ReviewApproved         ReviewState = "APPROVED"
	ReviewChangesRequested ReviewState = "CHANGES_REQUESTED"
	ReviewDismissed        ReviewState = "DISMISSED"
)

// Review is a pull request review.
type Review struct {
	ID        ID
	RepoID    ID
	IssueID   ID
	AuthorID  ID
	State     ReviewState
	Body      string
	CommitSHA string
	CreatedAt time.Time
	UpdatedAt time.Time
	// SubmittedAt is nil while the review is pending.
	SubmittedAt *time.Time
	// Minimized is why it is hidden, such as "outdated"; empty if it is not.
	Minimized string `json:",omitempty"`
}

func (r *Review) clone() *Review {
	c := *r
	c.SubmittedAt = copyOf(r.SubmittedAt)
	return &c
}

// Thread is a conversation on lines of a pull request's diff.
type Thread struct {
	ID       ID
	RepoID   ID
	IssueID  ID
	Path     string
	Side     DiffSide
	FileWide bool
	// Line and StartLine are where the thread was made; 0 means none.
	Line      int
	StartLine int
	StartSide DiffSide
	// CommitSHA is the head that the thread was made on.
	CommitSHA  string
	Resolved   bool
	ResolvedBy ID
}

func (t *Thread) clone() *Thread { return copyOf(t) }

// DiffSide is a side of a diff.
type DiffSide string

// The sides: what a change removes, what it brings.
const (
	SideLeft  DiffSide = "LEFT"
	SideRight DiffSide = "RIGHT"
)

// ReviewComment is a comment in a thread.
type ReviewComment struct {
	ID       ID
	RepoID   ID
	ThreadID ID
	ReviewID ID
	AuthorID ID
	// InReplyTo is the thread's first comment, 0 for that one itself.
	InReplyTo ID
	Body      string
	DiffHunk  string
	CommitSHA string
	CreatedAt time.Time
	UpdatedAt time.Time
	// Minimized is why it is hidden, such as "outdated"; empty if it is not.
	Minimized string `json:",omitempty"`
}

func (c *ReviewComment) clone() *ReviewComment { return copyOf(c) }

// Event is an entry of an issue's or pull request's timeline.
type Event struct {
	ID      ID
	RepoID  ID
	IssueID ID
	ActorID ID
	// Kind is GitHub's event name: labeled, assigned, closed, merged, …
	Kind      string
	LabelID   ID
	SubjectID ID
	CommitSHA string
	// Title and Color are those of the label, milestone or type at that time.
	Title, Color string `json:",omitempty"`
	// From and To are the value before and the new one of what was changed: a
	// title, a base, a head's commit, a type, a state and the reason for it.
	From, To  string `json:",omitempty"`
	CreatedAt time.Time
}

func (e *Event) clone() *Event { return copyOf(e) }
