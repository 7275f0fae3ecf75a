package model

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ProjectPermission returns what a user may do in a project: its owner and an
// organization's owners all, its members write, anyone read a public one.
func (s *State) ProjectPermission(user ID, p *Project) ProjectRole {
	role := ProjectNone
	if p.Public {
		role = ProjectRead
	}
	switch member := s.memberPermission(user, p.OwnerID); {
	case user != 0 && user == p.OwnerID, member == PermAdmin:
		return ProjectAdmin
	case member != PermNone:
		role = ProjectWrite
	}
	return max(role, p.Collaborators[user])
}

// mayEdit refuses to change a project for users with less than a role: with
// "not found" where they may not even read.
func (s *State) mayEdit(user ID, p *Project, least ProjectRole) error {
	switch role := s.ProjectPermission(user, p); {
	case role < ProjectRead:
		return notFound()
	case role < least:
		return &Problem{Kind: Forbidden, Message: "Must have write access to the project.", Lacking: true}
	default:
		return nil
	}
}

// MayCreateProjects reports whether a user may make projects of an account.
func (s *State) MayCreateProjects(user ID, account *User) bool {
	return user != 0 && (user == account.ID || account.Members[user] != "")
}

// ProjectsOf returns the projects of an account that a user sees, the newest
// first.
func (s *State) ProjectsOf(viewer ID, account *User) []*Project {
	found := s.Projects.Where(func(p *Project) bool { return p.OwnerID == account.ID && s.ProjectPermission(viewer, p) >= ProjectRead })
	slices.Reverse(found)
	return found
}

// Project returns an account's project by number, if a user sees it; else nil.
func (s *State) Project(viewer ID, account *User, number int) *Project {
	return s.Projects.First(func(p *Project) bool {
		return p.OwnerID == account.ID && p.Number == number && s.ProjectPermission(viewer, p) >= ProjectRead
	})
}

// ProjectPage returns the path of a project's page.
func (s *State) ProjectPage(p *Project) string {
	kind := "users"
	if owner := s.Users.Get(p.OwnerID); owner != nil && owner.Type == TypeOrganization {
		kind = "orgs"
	}
	return fmt.Sprintf("/%s/%s/projects/%d", kind, s.Login(p.OwnerID), p.Number)
}

const projectResource = "ProjectV2"

// CreateProject makes a project with the fields that every one has.
func (s *State) CreateProject(actor ID, account *User, title string) (*Project, error) {
	if !s.MayCreateProjects(actor, account) {
		return nil, &Problem{Kind: Forbidden, Message: "Must be a member of the organization.", Lacking: true}
	}
	if err := checkTitle(projectResource, title); err != nil {
		return nil, err
	}
	now := s.Advance()
	account.LastProject++
	p := &Project{
		ID: s.newID(), OwnerID: account.ID, CreatorID: actor, Number: account.LastProject, Title: title, CreatedAt: now, UpdatedAt: now,
		Collaborators: map[ID]ProjectRole{actor: ProjectAdmin},
	}
	for _, f := range []struct {
		name string
		kind FieldType
	}{
		{"Title", FieldTitle}, {"Assignees", FieldAssignees}, {"Status", FieldSingleSelect}, {"Labels", FieldLabels},
		{"Linked pull requests", FieldPulls}, {"Milestone", FieldMilestone}, {"Repository", FieldRepository}, {"Reviewers", FieldReviewers},
		{"Parent issue", FieldParentIssue}, {"Sub-issues progress", FieldSubIssues},
	} {
		in := NewProjectField{Name: f.name, Type: f.kind}
		if f.kind == FieldSingleSelect {
			in.Options = []ProjectOption{{Name: "Todo", Color: "GREEN"}, {Name: "In Progress", Color: "YELLOW"}, {Name: "Done", Color: "PURPLE"}}
		}
		s.follows(s.addField(p, in).ID, CauseCreation)
	}
	return s.Projects.Add(p.ID, p), nil
}

// ProjectEdit is a change of a project; nil fields stay.
type ProjectEdit struct {
	Title, ShortDescription, Readme *string
	Public, Closed                  *bool
}

// EditProject changes a project.
func (s *State) EditProject(actor ID, p *Project, edit ProjectEdit) error {
	least := ProjectWrite
	if edit.Public != nil {
		least = ProjectAdmin
	}
	if err := s.mayEdit(actor, p, least); err != nil {
		return err
	}
	if edit.Title != nil {
		if err := checkTitle(projectResource, *edit.Title); err != nil {
			return err
		}
	}
	now := s.Advance()
	assign(&p.Title, edit.Title)
	assign(&p.ShortDescription, edit.ShortDescription)
	assign(&p.Readme, edit.Readme)
	assign(&p.Public, edit.Public)
	switch {
	case edit.Closed == nil:
	case !*edit.Closed:
		p.ClosedAt = nil
	case p.ClosedAt == nil:
		p.ClosedAt = &now
	}
	p.UpdatedAt = now
	return nil
}

// DeleteProject removes a project with its fields and items.
func (s *State) DeleteProject(actor ID, p *Project) error {
	if err := s.mayEdit(actor, p, ProjectAdmin); err != nil {
		return err
	}
	s.Advance()
	s.because(CauseDeletion, func() {
		for _, i := range s.ItemsOf(p) {
			s.ProjectItems.Delete(i.ID)
		}
		for _, f := range s.FieldsOf(p) {
			s.ProjectFields.Delete(f.ID)
		}
	})
	s.Projects.Delete(p.ID)
	return nil
}

// SetCollaborator gives a user a role in a project; [ProjectNone] takes it
// away.
func (s *State) SetCollaborator(actor ID, p *Project, user ID, role ProjectRole) error {
	if err := s.mayEdit(actor, p, ProjectAdmin); err != nil {
		return err
	}
	if p.Collaborators[user] == role {
		return nil
	}
	p.UpdatedAt = s.Advance()
	delete(p.Collaborators, user)
	if role > ProjectNone {
		p.Collaborators[user] = role
	}
	return nil
}

// LinkProject shows a project at a repository, or no more.
func (s *State) LinkProject(actor ID, p *Project, repo *Repo, linked bool) error {
	if err := s.mayEdit(actor, p, ProjectWrite); err != nil {
		return err
	}
	if err := s.require(actor, repo, PermRead); err != nil {
		return err
	}
	p.UpdatedAt = s.Advance()
	p.Repos = without(p.Repos, repo.ID)
	if linked {
		p.Repos = append(p.Repos, repo.ID)
	}
	return nil
}

// LinkProjectToTeam shows a project at a team of the organization that owns it, or no more.
func (s *State) LinkProjectToTeam(actor ID, p *Project, t *Team, linked bool) error {
	if err := s.mayEdit(actor, p, ProjectWrite); err != nil {
		return err
	}
	if t.OrgID != p.OwnerID {
		return unprocessable("The team must belong to the organization that owns the project")
	}
	p.UpdatedAt = s.Advance()
	p.Teams = without(p.Teams, t.ID)
	if linked {
		p.Teams = append(p.Teams, t.ID)
	}
	return nil
}

// FieldsOf returns a project's fields in their order.
func (s *State) FieldsOf(p *Project) []*ProjectField {
	return s.ProjectFields.with(fieldByProject, key{of: p.ID})
}

// NewProjectField describes a field to add to a project.
type NewProjectField struct {
	Name       string
	Type       FieldType
	Options    []ProjectOption
	Iterations []ProjectIteration
	Duration   int
}

// CreateField adds a field to a project. The ids of its options and iterations
// are made.
func (s *State) CreateField(actor ID, p *Project, in NewProjectField) (*ProjectField, error) {
	if err := s.mayEdit(actor, p, ProjectWrite); err != nil {
		return nil, err
	}
	const resource = "ProjectV2Field"
	switch {
	case strings.TrimSpace(in.Name) == "":
		return nil, invalid(resource, "name", "missing_field")
	case s.fieldNamed(p, in.Name) != nil:
		return nil, invalid(resource, "name", "already_exists")
	case in.Type == FieldSingleSelect && len(in.Options) == 0:
		return nil, unprocessable("Single select options can't be blank")
	}
	for _, i := range in.Iterations {
		if _, err := time.Parse(time.DateOnly, i.Start); err != nil || i.Days < 1 {
			return nil, unprocessable("Iterations must have a start date and a duration of at least one day")
		}
	}
	p.UpdatedAt = s.Advance()
	return s.addField(p, in), nil
}

func (s *State) addField(p *Project, in NewProjectField) *ProjectField {
	f := &ProjectField{
		ID: s.newID(), ProjectID: p.ID, Name: in.Name, Type: in.Type, Options: slices.Clone(in.Options), Iterations: slices.Clone(in.Iterations),
		Duration: in.Duration, CreatedAt: s.Now, UpdatedAt: s.Now,
	}
	for i := range f.Options {
		f.Options[i].ID = s.newChoice()
	}
	for i := range f.Iterations {
		f.Iterations[i].ID = s.newChoice()
	}
	return s.ProjectFields.Add(f.ID, f)
}

// newChoice returns the id of an option or iteration.
func (s *State) newChoice() string { return fmt.Sprintf("%08x", uint32(s.newID())*2654435761) }

// fieldNamed returns a project's field, nil if there is none.
func (s *State) fieldNamed(p *Project, name string) *ProjectField {
	return s.ProjectFields.firstOf(fieldByProject, key{of: p.ID}, func(f *ProjectField) bool { return strings.EqualFold(f.Name, name) })
}

// DeleteField removes a field that was added to a project, with its values.
func (s *State) DeleteField(actor ID, f *ProjectField) error {
	p := s.Projects.Get(f.ProjectID)
	if err := s.mayEdit(actor, p, ProjectWrite); err != nil {
		return err
	}
	if !f.Type.custom() || f.Name == "Status" {
		return unprocessable("Only custom fields can be deleted")
	}
	p.UpdatedAt = s.Advance()
	s.because(CauseDeletion, func() {
		for _, i := range s.ItemsOf(p) {
			delete(i.Values, f.ID)
		}
	})
	s.ProjectFields.Delete(f.ID)
	return nil
}

// custom reports whether fields of a type have values of their own.
func (t FieldType) custom() bool {
	return slices.Contains([]FieldType{FieldText, FieldNumber, FieldDate, FieldSingleSelect, FieldIteration}, t)
}

// Matches reports whether a project is what a search asks for: is:open,
// is:closed, and words of its title.
func (p *Project) Matches(query string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		var fits bool
		switch word {
		case "is:open":
			fits = p.ClosedAt == nil
		case "is:closed":
			fits = p.ClosedAt != nil
		default:
			fits = strings.Contains(strings.ToLower(p.Title+" "+p.ShortDescription), word)
		}
		if !fits {
			return false
		}
	}
	return true
}

// IterationsBy returns the iterations that are over at a time, or the others.
func (f *ProjectField) IterationsBy(now time.Time, over bool) []ProjectIteration {
	return slices.DeleteFunc(slices.Clone(f.Iterations), func(i ProjectIteration) bool {
		start, err := time.Parse(time.DateOnly, i.Start)
		return err != nil || !start.AddDate(0, 0, i.Days).After(now) != over
	})
}
