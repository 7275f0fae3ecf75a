package model

import "slices"

// CopyProject makes a project with the fields of another one and, if drafts is
// true, its drafts of issues.
func (s *State) CopyProject(actor ID, from *Project, account *User, title string, drafts bool) (*Project, error) {
	if s.ProjectPermission(actor, from) < ProjectRead {
		return nil, notFound()
	}
	p, err := s.CreateProject(actor, account, title)
	if err != nil {
		return nil, err
	}
	p.ShortDescription, p.Readme = from.ShortDescription, from.Readme
	ids := s.copyFields(from, p)
	for _, item := range s.ItemsOf(from) {
		if !drafts || item.Draft == nil {
			continue
		}
		made, err := s.AddDraft(actor, p, item.Draft.Title, item.Draft.Body, slices.Clone(item.Draft.Assignees))
		if err != nil {
			return nil, err
		}
		for field, value := range item.Values {
			value.ID = s.newID()
			made.Values[ids[field]] = value
		}
	}
	return p, nil
}

// copyFields gives a new project the fields of another one, with their options,
// and returns the ids of the new fields by those of the old ones.
func (s *State) copyFields(from, to *Project) map[ID]ID {
	ids := map[ID]ID{}
	for _, f := range s.FieldsOf(from) {
		own := s.fieldNamed(to, f.Name)
		if own == nil {
			own = s.addField(to, NewProjectField{Name: f.Name, Type: f.Type, Duration: f.Duration})
			s.follows(own.ID, CauseCreation)
		}
		own.Options, own.Iterations = slices.Clone(f.Options), slices.Clone(f.Iterations)
		ids[f.ID] = own.ID
	}
	return ids
}

// SetTemplate makes a project of an organization a template, or no more.
func (s *State) SetTemplate(actor ID, p *Project, template bool) error {
	if err := s.mayEdit(actor, p, ProjectAdmin); err != nil {
		return err
	}
	if owner := s.Users.Get(p.OwnerID); owner == nil || owner.Type != TypeOrganization {
		return unprocessable("Only projects of an organization can be templates")
	}
	p.Template, p.UpdatedAt = template, s.Advance()
	return nil
}
