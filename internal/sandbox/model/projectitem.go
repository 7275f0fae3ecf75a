package model

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// ItemsOf returns a project's items in their order.
func (s *State) ItemsOf(p *Project) []*ProjectItem {
	return s.ProjectItems.with(itemByProject, key{of: p.ID})
}

// ItemsAbout returns the items of an issue or pull request in the projects
// that a user sees.
func (s *State) ItemsAbout(viewer ID, issue *Issue) []*ProjectItem {
	return s.ProjectItems.whereOf(itemByIssue, key{of: issue.ID}, func(i *ProjectItem) bool {
		return s.ProjectPermission(viewer, s.Projects.Get(i.ProjectID)) >= ProjectRead
	})
}

// AddItem adds an issue or pull request to a project. What is there already
// stays, and is returned.
func (s *State) AddItem(actor ID, p *Project, issue *Issue) (*ProjectItem, error) {
	if err := s.mayEdit(actor, p, ProjectWrite); err != nil {
		return nil, err
	}
	if s.Permission(actor, s.Repos.Get(issue.RepoID)) < PermRead {
		return nil, notFound()
	}
	known := s.ProjectItems.firstOf(itemByIssue, key{of: issue.ID}, func(i *ProjectItem) bool { return i.ProjectID == p.ID })
	if known != nil {
		return known, nil
	}
	return s.addItem(actor, p, &ProjectItem{IssueID: issue.ID}), nil
}

func (s *State) addItem(actor ID, p *Project, i *ProjectItem) *ProjectItem {
	now := s.Advance()
	i.ID, i.ProjectID, i.CreatorID, i.CreatedAt, i.UpdatedAt = s.newID(), p.ID, actor, now, now
	i.Values = map[ID]ProjectValue{}
	p.UpdatedAt = now
	return s.ProjectItems.Add(i.ID, i)
}

// AddDraft adds a draft of an issue to a project.
func (s *State) AddDraft(actor ID, p *Project, title, body string, assignees []ID) (*ProjectItem, error) {
	if err := s.mayEdit(actor, p, ProjectWrite); err != nil {
		return nil, err
	}
	if err := checkTitle("DraftIssue", title); err != nil {
		return nil, err
	}
	i := s.addItem(actor, p, &ProjectItem{Draft: &DraftIssue{Title: title, Body: body, AuthorID: actor, Assignees: slices.Clone(assignees)}})
	i.Draft.ID, i.Draft.CreatedAt, i.Draft.UpdatedAt = s.newID(), s.Now, s.Now
	return i, nil
}

// DraftEdit is a change of a draft; nil fields stay.
type DraftEdit struct {
	Title, Body *string
	Assignees   *[]ID
}

// EditDraft changes a draft in a project.
func (s *State) EditDraft(actor ID, i *ProjectItem, edit DraftEdit) error {
	if err := s.mayEdit(actor, s.Projects.Get(i.ProjectID), ProjectWrite); err != nil {
		return err
	}
	if edit.Title != nil {
		if err := checkTitle("DraftIssue", *edit.Title); err != nil {
			return err
		}
	}
	now := s.Advance()
	assign(&i.Draft.Title, edit.Title)
	assign(&i.Draft.Body, edit.Body)
	if edit.Assignees != nil {
		i.Draft.Assignees = slices.Clone(*edit.Assignees)
	}
	i.Draft.UpdatedAt, i.UpdatedAt = now, now
	return nil
}

// onBoard refuses an item that is not in a project, for users who may write
// there.
func (s *State) onBoard(actor ID, p *Project, i *ProjectItem) error {
	if err := s.mayEdit(actor, p, ProjectWrite); err != nil {
		return err
	}
	if i.ProjectID != p.ID {
		return unprocessable("The item does not exist in the project")
	}
	return nil
}

// DeleteItem takes an item off its project.
func (s *State) DeleteItem(actor ID, p *Project, i *ProjectItem) error {
	if err := s.onBoard(actor, p, i); err != nil {
		return err
	}
	p.UpdatedAt = s.Advance()
	s.ProjectItems.Delete(i.ID)
	return nil
}

// ArchiveItem puts an item into a project's archive, or brings it back.
func (s *State) ArchiveItem(actor ID, p *Project, i *ProjectItem, archived bool) error {
	if err := s.onBoard(actor, p, i); err != nil {
		return err
	}
	i.Archived, i.UpdatedAt = archived, s.Advance()
	return nil
}

// NewValue is what a field of an item is set to; one of its fields is not nil.
type NewValue struct {
	Text   *string
	Number *float64
	// Date is a day, as "2026-01-05".
	Date                *string
	OptionID, Iteration *string
}

// SetValue sets a field of an item. The value must be of the field's type.
func (s *State) SetValue(actor ID, p *Project, i *ProjectItem, f *ProjectField, in NewValue) error {
	if err := s.onBoard(actor, p, i); err != nil {
		return err
	}
	if f.ProjectID != p.ID {
		return unprocessable("The field does not exist in the project")
	}
	value, err := f.value(in)
	if err != nil {
		return err
	}
	now := s.Advance()
	before, known := i.Values[f.ID]
	value.ID, value.CreatorID, value.CreatedAt, value.UpdatedAt = before.ID, before.CreatorID, before.CreatedAt, now
	if !known {
		value.ID, value.CreatorID, value.CreatedAt = s.newID(), actor, now
	}
	i.Values[f.ID], i.UpdatedAt, p.UpdatedAt = value, now, now
	return nil
}

// value returns a field's value, or why it cannot be.
func (f *ProjectField) value(in NewValue) (ProjectValue, error) {
	lacks := func(what string) error {
		return unprocessable("Did not receive a %s to update a field of type %s", what, strings.ToLower(string(f.Type)))
	}
	var v ProjectValue
	switch f.Type {
	case FieldText:
		if in.Text == nil {
			return v, lacks("text value")
		}
		if utf8.RuneCountInString(*in.Text) > maxBody {
			return v, unprocessable("Text is too long")
		}
		v.Text = *in.Text
	case FieldNumber:
		if in.Number == nil {
			return v, lacks("number value")
		}
		v.Number = *in.Number
	case FieldDate:
		if in.Date == nil {
			return v, lacks("date value")
		}
		if _, err := time.Parse(time.DateOnly, *in.Date); err != nil {
			return v, unprocessable("Date is not a valid date")
		}
		v.Text = *in.Date
	case FieldSingleSelect:
		if in.OptionID == nil {
			return v, lacks("single select option Id")
		}
		if f.Option(*in.OptionID) == nil {
			return v, unprocessable("The single select option Id does not belong to the field")
		}
		v.Choice = *in.OptionID
	case FieldIteration:
		if in.Iteration == nil {
			return v, lacks("iteration Id")
		}
		if f.Iteration(*in.Iteration) == nil {
			return v, unprocessable("The iteration Id does not belong to the field")
		}
		v.Choice = *in.Iteration
	default:
		return v, unprocessable("The field of type %s is currently not supported.", strings.ToLower(string(f.Type)))
	}
	return v, nil
}

// Option returns an option of a single-select field, nil if there is none.
func (f *ProjectField) Option(id string) *ProjectOption {
	if at := slices.IndexFunc(f.Options, func(o ProjectOption) bool { return o.ID == id }); at >= 0 {
		return &f.Options[at]
	}
	return nil
}

// Iteration returns an iteration of an iteration field, nil if there is none.
func (f *ProjectField) Iteration(id string) *ProjectIteration {
	if at := slices.IndexFunc(f.Iterations, func(i ProjectIteration) bool { return i.ID == id }); at >= 0 {
		return &f.Iterations[at]
	}
	return nil
}

// ClearValue takes the value of a field off an item.
func (s *State) ClearValue(actor ID, p *Project, i *ProjectItem, f *ProjectField) error {
	if err := s.onBoard(actor, p, i); err != nil {
		return err
	}
	if !f.Type.custom() || f.ProjectID != p.ID {
		return unprocessable("The field of type %s is currently not supported.", strings.ToLower(string(f.Type)))
	}
	now := s.Advance()
	delete(i.Values, f.ID)
	i.UpdatedAt, p.UpdatedAt = now, now
	return nil
}

// dropItems takes an issue that is gone off all projects.
func (s *State) dropItems(issue ID) {
	for _, i := range s.ProjectItems.with(itemByIssue, key{of: issue}) {
		s.ProjectItems.Delete(i.ID)
	}
}

// projects checks the projects of a world that was read from a file.
func (v *validation) projects() {
	each(v, "project", &v.s.Projects, func(p *Project) ID { return p.ID }, func(p *Project, must demand) {
		owner := v.s.Users.Get(p.OwnerID)
		must(owner != nil, "its owner is missing")
		must(p.Number > 0 && (owner == nil || p.Number <= owner.LastProject), "has a number that was never given")
		must(p.Collaborators != nil, "lacks collaborators")
		for _, id := range p.Repos {
			must(v.repo(id), lacksRepo)
		}
	})
	each(v, "project field", &v.s.ProjectFields, func(f *ProjectField) ID { return f.ID }, func(f *ProjectField, must demand) {
		must(v.s.Projects.Get(f.ProjectID) != nil, lacksProject)
	})
	each(v, "project item", &v.s.ProjectItems, func(i *ProjectItem) ID { return i.ID }, func(i *ProjectItem, must demand) {
		must(v.s.Projects.Get(i.ProjectID) != nil, lacksProject)
		must((i.Draft == nil) == (v.s.Issues.Get(i.IssueID) != nil), "is about no issue, or about one and a draft")
		must(i.Values != nil, "lacks values")
		for field, value := range i.Values {
			f := v.s.ProjectFields.Get(field)
			must(f != nil && f.ProjectID == i.ProjectID, "has a value of a field that is missing")
			must(f == nil || value.Choice == "" || f.Option(value.Choice) != nil || f.Iteration(value.Choice) != nil, "has a value that its field has not")
		}
	})
}

const lacksProject = "its project is missing"
