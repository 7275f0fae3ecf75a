package model

import (
	"maps"
	"slices"
)

// Membership is a member of an organization with the role there, or of one of
// its teams.
type Membership struct {
	Org  *User
	Role OrgRole
	// Team is nil for a member of the organization alone.
	Team *Team
}

// tellOrganization tells of the members that an organization has got or lost.
func tellOrganization(s *State, before, after *User) {
	if before == nil || after == nil || after.Type != TypeOrganization {
		return
	}
	h := Happening{Event: "organization", OrgID: after.ID}
	came, went := cameAndWent(before.Members, after.Members)
	for _, h.UserID = range came {
		h.Action, h.Subject = "member_added", &Membership{Org: after, Role: after.Members[h.UserID]}
		s.emit(h)
	}
	for _, h.UserID = range went {
		h.Action, h.Subject = "member_removed", &Membership{Org: after, Role: before.Members[h.UserID]}
		s.emit(h)
	}
}

// tellTeam tells of a team and of its members.
func tellTeam(s *State, before, after *Team) {
	team := either(before, after)
	became(s, Happening{Event: "team", OrgID: team.OrgID}, before, after, func() map[string]any {
		return changesOf(edited{"name", before.Name, after.Name}, edited{"description", before.Description, after.Description})
	})
	if before == nil || after == nil {
		return
	}
	h := Happening{Event: "membership", OrgID: team.OrgID, Subject: &Membership{Org: s.Users.peek(team.OrgID), Team: after}}
	for _, h.UserID = range difference(after.Members, before.Members) {
		h.Action = "added"
		s.emit(h)
	}
	for _, h.UserID = range difference(before.Members, after.Members) {
		h.Action = "removed"
		s.emit(h)
	}
}

// ofOrg returns the id of an account if it is an organization, else 0: GitHub
// tells of the projects of no others.
func (s *State) ofOrg(account ID) ID {
	if u := s.Users.peek(account); u != nil && u.Type == TypeOrganization {
		return u.ID
	}
	return 0
}

func tellProject(s *State, before, after *Project) {
	h := Happening{Event: "projects_v2", OrgID: s.ofOrg(either(before, after).OwnerID)}
	if h.OrgID == 0 {
		return
	}
	became(s, h, before, after, func() map[string]any {
		return changesTo(
			edited{"title", before.Title, after.Title}, edited{"short_description", orNull(before.ShortDescription), orNull(after.ShortDescription)},
			edited{"description", orNull(before.Readme), orNull(after.Readme)}, edited{"public", before.Public, after.Public},
		)
	})
	if before != nil && after != nil && (before.ClosedAt == nil) != (after.ClosedAt == nil) {
		h.Action, h.Subject = onOff(after.ClosedAt != nil, "closed", "reopened"), after
		s.emit(h)
	}
}

// changesTo is [changesOf] with what fields are now, too.
func changesTo(fields ...edited) map[string]any {
	changes := changesOf(fields...)
	for _, f := range fields {
		if one, changed := changes[f.name].(map[string]any); changed {
			one["to"] = f.now
		}
	}
	return changes
}

// tellProjectItem tells of what becomes of an item while its project is there.
func tellProjectItem(s *State, before, after *ProjectItem) {
	p := s.Projects.peek(either(before, after).ProjectID)
	if p == nil || s.ofOrg(p.OwnerID) == 0 {
		return
	}
	h := Happening{Event: "projects_v2_item", OrgID: p.OwnerID}
	if before == nil || after == nil {
		became(s, h, before, after, nil)
		return
	}
	h.Subject = after
	if before.Archived != after.Archived {
		h.Action, h.Changes = onOff(after.Archived, "archived", "restored"), map[string]any{"archived_at": map[string]any{"from": before.archivedAt(), "to": after.archivedAt()}}
		s.emit(h)
	}
	if before.Draft != nil && after.Draft == nil {
		h.Action, h.Changes = "converted", map[string]any{"content_type": map[string]any{"from": "DraftIssue", "to": "Issue"}}
		s.emit(h)
	}
	h.Action = "edited"
	if before.Draft != nil && after.Draft != nil && before.Draft.Body != after.Draft.Body {
		h.Changes = map[string]any{"body": map[string]any{"from": orNull(before.Draft.Body), "to": orNull(after.Draft.Body)}}
		s.emit(h)
	}
	fields := maps.Clone(before.Values)
	if fields == nil {
		fields = map[ID]ProjectValue{}
	}
	maps.Copy(fields, after.Values)
	for _, id := range slices.Sorted(maps.Keys(fields)) {
		f, was, is := s.ProjectFields.peek(id), before.Values[id], after.Values[id]
		if f == nil || was.Text == is.Text && was.Number == is.Number && was.Choice == is.Choice {
			continue
		}
		h.Changes = map[string]any{"field_value": &FieldChange{p, f, was, is}}
		s.emit(h)
	}
}

// FieldChange is a field of an item that has another value than before.
type FieldChange struct {
	Project *Project
	Field   *ProjectField
	// Was and Is have no ID where there was or is no value.
	Was, Is ProjectValue
}

// archivedAt is when an item was archived, nil if it is not.
func (i *ProjectItem) archivedAt() any {
	if !i.Archived {
		return nil
	}
	return i.UpdatedAt
}
