package model

import (
	"maps"
	"slices"
	"time"
)

// ProjectRole is what a user may do in a project.
type ProjectRole int

// The roles, each including those before it.
const (
	ProjectNone ProjectRole = iota
	ProjectRead
	ProjectWrite
	ProjectAdmin
)

// String returns the role's name, in GitHub's words.
func (r ProjectRole) String() string {
	return [...]string{"none", "reader", "writer", "admin"}[r]
}

// Project is a project (v2) of a user or an organization.
type Project struct {
	ID               ID
	OwnerID          ID
	CreatorID        ID
	Number           int
	Title            string
	ShortDescription string
	Readme           string
	Public           bool
	// Template is true for those that others are made from.
	Template bool
	// Collaborators holds who may do what, besides the owner and the members
	// of an organization.
	Collaborators map[ID]ProjectRole
	// Repos are the repositories that the project is linked to.
	Repos []ID
	// Teams are those of the owner, an organization, that the project is linked to.
	Teams     []ID
	CreatedAt time.Time
	UpdatedAt time.Time
	// ClosedAt is nil while the project is open.
	ClosedAt *time.Time
}

func (p *Project) clone() *Project {
	c := *p
	c.Collaborators = maps.Clone(p.Collaborators)
	c.Repos, c.Teams = slices.Clone(p.Repos), slices.Clone(p.Teams)
	c.ClosedAt = copyOf(p.ClosedAt)
	return &c
}

// FieldType is the type of a project's field, as GraphQL names it.
type FieldType string

// The types of fields that have values of their own.
const (
	FieldText         FieldType = "TEXT"
	FieldNumber       FieldType = "NUMBER"
	FieldDate         FieldType = "DATE"
	FieldSingleSelect FieldType = "SINGLE_SELECT"
	FieldIteration    FieldType = "ITERATION"
)

// The types of fields that show what items are about.
const (
	FieldTitle       FieldType = "TITLE"
	FieldAssignees   FieldType = "ASSIGNEES"
	FieldLabels      FieldType = "LABELS"
	FieldPulls       FieldType = "LINKED_PULL_REQUESTS"
	FieldMilestone   FieldType = "MILESTONE"
	FieldRepository  FieldType = "REPOSITORY"
	FieldReviewers   FieldType = "REVIEWERS"
	FieldParentIssue FieldType = "PARENT_ISSUE"
	FieldSubIssues   FieldType = "SUB_ISSUES_PROGRESS"
)

// ProjectField is a field of a project.
type ProjectField struct {
	ID        ID
	ProjectID ID
	Name      string
	Type      FieldType
	// Options are those of a single-select field.
	Options []ProjectOption
	// Iterations are those of an iteration field, Duration the length of
	// further ones in days.
	Iterations []ProjectIteration
	Duration   int
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

func (f *ProjectField) clone() *ProjectField {
	c := *f
	c.Options = slices.Clone(f.Options)
	c.Iterations = slices.Clone(f.Iterations)
	return &c
}

// ProjectOption is one choice of a single-select field.
type ProjectOption struct {
	// ID is eight hexadecimal digits.
	ID, Name, Color, Description string
}

// ProjectIteration is one iteration of an iteration field.
type ProjectIteration struct {
	// ID is eight hexadecimal digits.
	ID, Title string
	// Start is a day, as "2026-01-05".
	Start string
	// Days is how long it takes.
	Days int
}

// ProjectItem is an issue or pull request in a project, or a draft of an
// issue.
type ProjectItem struct {
	ID        ID
	ProjectID ID
	CreatorID ID
	// IssueID is 0 for drafts, Draft is nil for others.
	IssueID  ID
	Draft    *DraftIssue
	Archived bool
	// Values are those of the project's fields, by the field's id.
	Values    map[ID]ProjectValue
	CreatedAt time.Time
	UpdatedAt time.Time
}

func (i *ProjectItem) clone() *ProjectItem {
	c := *i
	c.Draft = i.Draft.clone()
	c.Values = maps.Clone(i.Values)
	return &c
}

// DraftIssue is an issue that is in a project alone.
type DraftIssue struct {
	ID        ID
	Title     string
	Body      string
	AuthorID  ID
	Assignees []ID
	CreatedAt time.Time
	UpdatedAt time.Time
}

func (d *DraftIssue) clone() *DraftIssue {
	if d == nil {
		return nil
	}
	c := *d
	c.Assignees = slices.Clone(d.Assignees)
	return &c
}

// ProjectValue is the value of a field for an item. The field's type says
// which of Text, Number and Choice it has.
type ProjectValue struct {
	ID ID
	// Text is a text, or a day as "2026-01-05".
	Text   string
	Number float64
	// Choice is the id of an option or iteration.
	Choice    string
	CreatorID ID
	CreatedAt time.Time
	UpdatedAt time.Time
}
