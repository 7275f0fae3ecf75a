package model

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Label returns the repository's label of that name, compared without case;
// nil if there is none.
func (s *State) Label(repo *Repo, name string) *Label {
	return s.Labels.firstOf(labelByRepo, key{of: repo.ID}, func(l *Label) bool { return strings.EqualFold(l.Name, name) })
}

// LabelsOf returns a repository's labels in order of creation.
func (s *State) LabelsOf(repo *Repo) []*Label {
	return s.Labels.with(labelByRepo, key{of: repo.ID})
}

// NewLabel describes a label.
type NewLabel struct {
	Name string
	// Color is six hexadecimal digits; empty means a light grey.
	Color       string
	Description string
}

const defaultLabelColor = "ededed"

// The longest name and description of a label, in characters.
const (
	maxLabelName        = 50
	maxLabelDescription = 100
)

var hexColor = regexp.MustCompile(`^[0-9a-fA-F]{6}$`)

// CreateLabel adds a label to a repository.
func (s *State) CreateLabel(actor ID, repo *Repo, in NewLabel) (*Label, error) {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return nil, err
	}
	in.Color = orElse(in.Color, defaultLabelColor)
	if s.Label(repo, in.Name) != nil {
		return nil, invalid("Label", "name", "already_exists")
	}
	if err := checkLabel(in); err != nil {
		return nil, err
	}
	s.Advance()
	return s.addLabel(repo, in), nil
}

// LabelEdit is a change of a label; nil fields stay.
type LabelEdit struct{ Name, Color, Description *string }

// EditLabel changes a label.
func (s *State) EditLabel(actor ID, repo *Repo, l *Label, edit LabelEdit) error {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return err
	}
	after := NewLabel{l.Name, l.Color, l.Description}
	for _, f := range []struct{ to, from *string }{
		{&after.Name, edit.Name}, {&after.Color, edit.Color}, {&after.Description, edit.Description},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if err := checkLabel(after); err != nil {
		return err
	}
	if other := s.Label(repo, after.Name); other != nil && other != l {
		return invalid("Label", "name", "already_exists")
	}
	l.Name, l.Color, l.Description, l.UpdatedAt = after.Name, strings.ToLower(after.Color), after.Description, s.Advance()
	return nil
}

// checkLabel refuses what no label can be like.
func checkLabel(in NewLabel) error {
	if err := checkLabelName(in.Name); err != nil {
		return err
	}
	switch {
	case !hexColor.MatchString(in.Color):
		return invalid("Label", "color", "invalid")
	case utf8.RuneCountInString(in.Description) > maxLabelDescription:
		return invalid("Label", "description", "invalid")
	default:
		return nil
	}
}

func checkLabelName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return invalid("Label", "name", "missing_field")
	case utf8.RuneCountInString(name) > maxLabelName:
		return invalid("Label", "name", "invalid")
	default:
		return nil
	}
}

// maxLabels is how many labels an issue can have.
const maxLabels = 100

func checkLabelNames(names []string) error {
	if len(names) > maxLabels {
		return custom("Issue", "labels", "An issue can have at most %d labels", maxLabels)
	}
	for _, name := range names {
		if err := checkLabelName(name); err != nil {
			return err
		}
	}
	return nil
}

func (s *State) addLabel(repo *Repo, in NewLabel) *Label {
	l := &Label{
		ID: s.newID(), RepoID: repo.ID, Name: in.Name, Color: strings.ToLower(in.Color), Description: in.Description,
		CreatedAt: s.Now, UpdatedAt: s.Now,
	}
	return s.Labels.Add(l.ID, l)
}

// DeleteLabel removes a label from its repository and every issue.
func (s *State) DeleteLabel(actor ID, repo *Repo, l *Label) error {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return err
	}
	s.Advance()
	s.because(CauseDeletion, func() {
		for _, i := range s.Issues.Where(func(i *Issue) bool { return slices.Contains(i.Labels, l.ID) }) {
			i.Labels = without(i.Labels, l.ID)
		}
		for _, d := range s.Discussions.Where(func(d *Discussion) bool { return slices.Contains(d.Labels, l.ID) }) {
			d.Labels = without(d.Labels, l.ID)
		}
	})
	s.Labels.Delete(l.ID)
	return nil
}

// AddLabels puts labels on an issue. Labels that the repository lacks are
// made.
func (s *State) AddLabels(actor ID, repo *Repo, i *Issue, names []string) error {
	if err := s.require(actor, repo, PermTriage); err != nil {
		return err
	}
	if err := checkLabelNames(names); err != nil {
		return err
	}
	s.Advance()
	s.setLabels(actor, i, append(slices.Clone(i.Labels), s.labelIDs(repo, names)...))
	return nil
}

// RemoveLabel takes a label off an issue. A label that is not on it is not
// found.
func (s *State) RemoveLabel(actor ID, repo *Repo, i *Issue, name string) error {
	if err := s.require(actor, repo, PermTriage); err != nil {
		return err
	}
	l := s.Label(repo, name)
	if l == nil || !slices.Contains(i.Labels, l.ID) {
		return &Problem{Kind: NotFound, Message: "Label does not exist"}
	}
	s.Advance()
	s.setLabels(actor, i, without(i.Labels, l.ID))
	return nil
}

// setLabels gives an issue its labels; one that is named twice counts once.
func (s *State) setLabels(actor ID, i *Issue, ids []ID) {
	s.replace(actor, i, &i.Labels, ids,
		func(id ID) Event { return Event{Kind: "labeled", LabelID: id} },
		func(id ID) Event { return Event{Kind: "unlabeled", LabelID: id} })
}

// replace changes a list of an issue, without repetitions, and records what
// came and what went.
func (s *State) replace(actor ID, i *Issue, list *[]ID, ids []ID, came, went func(ID) Event) {
	before := *list
	*list = nil
	i.UpdatedAt = s.Now
	for _, id := range ids {
		if slices.Contains(*list, id) {
			continue
		}
		*list = append(*list, id)
		if !slices.Contains(before, id) {
			s.record(actor, i, came(id))
		}
	}
	for _, id := range before {
		if !slices.Contains(*list, id) {
			s.record(actor, i, went(id))
		}
	}
}

// labelIDs returns the ids of labels by name, making those that are missing.
func (s *State) labelIDs(repo *Repo, names []string) []ID {
	ids := make([]ID, 0, len(names))
	for _, name := range names {
		l := s.Label(repo, name)
		if l == nil {
			l = s.addLabel(repo, NewLabel{Name: name, Color: defaultLabelColor})
			s.follows(l.ID, CauseLabel)
		}
		ids = append(ids, l.ID)
	}
	return ids
}
