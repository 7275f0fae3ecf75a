package model

import (
	"maps"
	"slices"
)

// tellRepo tells of a repository and of what is kept in its row. That it is
// deleted is told of where it is.
func tellRepo(s *State, before, after *Repo) {
	switch {
	case after == nil:
	case before == nil:
		s.emit(Happening{Event: "repository", Action: "created", RepoID: after.ID})
		if after.ParentID != 0 {
			s.emit(Happening{Event: "fork", RepoID: after.ParentID, Subject: after})
		}
	default:
		tellSettings(s, before, after)
		tellStars(s, before, after)
		tellCollaborators(s, before, after)
		tellDeployKeys(s, before, after)
		tellProtection(s, before, after)
		tellRulesets(s, before, after)
	}
}

func tellSettings(s *State, before, after *Repo) {
	h := Happening{Event: "repository", RepoID: after.ID}
	tell := func(action string, changes map[string]any) {
		h.Action, h.Changes = action, changes
		s.emit(h)
	}
	if before.OwnerID != after.OwnerID {
		kind := "user"
		if u := s.Users.peek(before.OwnerID); u != nil && u.Type == TypeOrganization {
			kind = "organization"
		}
		h.Subject = before.OwnerID
		tell("transferred", map[string]any{"owner": map[string]any{"from": map[string]any{kind: nil}}})
		h.Subject = nil
	}
	if before.Name != after.Name {
		tell("renamed", map[string]any{"repository": map[string]any{"name": from(before.Name)}})
	}
	if before.Archived != after.Archived {
		tell(onOff(after.Archived, "archived", "unarchived"), nil)
	}
	if before.Private != after.Private {
		tell(onOff(after.Private, "privatized", "publicized"), nil)
		if !after.Private {
			s.emit(Happening{Event: "public", RepoID: after.ID})
		}
	}
	changes := changesOf(
		edited{"default_branch", before.DefaultBranch, after.DefaultBranch}, edited{"description", orNull(before.Description), orNull(after.Description)},
		edited{"homepage", orNull(before.Homepage), orNull(after.Homepage)},
	)
	if !slices.Equal(before.Topics, after.Topics) {
		changes = orEmpty(changes)
		changes["topics"] = map[string]any{"from": append([]string{}, before.Topics...)}
	}
	if changes != nil {
		tell("edited", changes)
	}
}

func onOff(on bool, whenOn, whenOff string) string {
	if on {
		return whenOn
	}
	return whenOff
}

// orNull is a text, nil for an empty one.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// tellStars tells of those who starred the repository or took a star back. To
// star one was once to watch it: that event still tells of it.
func tellStars(s *State, before, after *Repo) {
	for _, user := range difference(after.Stargazers, before.Stargazers) {
		s.emit(Happening{Event: "star", Action: "created", RepoID: after.ID, ActorID: user, Subject: after.StarredAt[user]})
		s.emit(Happening{Event: "watch", Action: "started", RepoID: after.ID, ActorID: user})
	}
	for _, user := range difference(before.Stargazers, after.Stargazers) {
		s.emit(Happening{Event: "star", Action: "deleted", RepoID: after.ID, ActorID: user})
	}
}

// tellCollaborators tells of whoever may do something else than before.
func tellCollaborators(s *State, before, after *Repo) {
	h := Happening{Event: "member", RepoID: after.ID}
	came, went := cameAndWent(before.Collaborators, after.Collaborators)
	for _, h.UserID = range came {
		h.Action, h.Changes = "added", map[string]any{"permission": map[string]any{"to": after.Collaborators[h.UserID].older()}, "role_name": map[string]any{"to": after.Collaborators[h.UserID].String()}}
		s.emit(h)
	}
	for _, h.UserID = range went {
		h.Action, h.Changes = "removed", nil
		s.emit(h)
	}
	for _, h.UserID = range slices.Sorted(maps.Keys(after.Collaborators)) {
		was, is := before.Collaborators[h.UserID], after.Collaborators[h.UserID]
		if was != PermNone && was != is {
			h.Action, h.Changes = "edited", map[string]any{"old_permission": from(was.older()), "permission": map[string]any{"from": was.older(), "to": is.older()}}
			s.emit(h)
		}
	}
}

// older is a permission among the three that there were at first.
func (p Permission) older() string {
	switch p {
	case PermAdmin:
		return "admin"
	case PermWrite, PermMaintain:
		return "write"
	default:
		return "read"
	}
}

func tellDeployKeys(s *State, before, after *Repo) {
	has := func(keys []Key, id ID) bool { return slices.ContainsFunc(keys, func(k Key) bool { return k.ID == id }) }
	for _, k := range after.Keys {
		if !has(before.Keys, k.ID) {
			s.emit(Happening{Event: "deploy_key", Action: "created", RepoID: after.ID, Subject: &k})
		}
	}
	for _, k := range before.Keys {
		if !has(after.Keys, k.ID) {
			s.emit(Happening{Event: "deploy_key", Action: "deleted", RepoID: after.ID, Subject: &k})
		}
	}
}

// ProtectionRule is the rule of a pattern of branches.
type ProtectionRule struct {
	Pattern string
	Protection
}

// tellProtection tells of rules by pattern, and whether the repository has any.
func tellProtection(s *State, before, after *Repo) {
	patterns := maps.Clone(before.Protection)
	if patterns == nil {
		patterns = map[string]Protection{}
	}
	maps.Copy(patterns, after.Protection)
	rule := func(of map[string]Protection, pattern string) *ProtectionRule {
		if p, has := of[pattern]; has {
			return &ProtectionRule{pattern, p}
		}
		return nil
	}
	for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
		was, is := rule(before.Protection, pattern), rule(after.Protection, pattern)
		became(s, Happening{Event: "branch_protection_rule", RepoID: after.ID}, was, is, func() map[string]any { return protectionChanges(was, is) })
	}
	if had, has := len(before.Protection) > 0, len(after.Protection) > 0; had != has {
		s.emit(Happening{Event: "branch_protection_configuration", Action: onOff(has, "enabled", "disabled"), RepoID: after.ID})
	}
}

// Enforced is whom a part of a rule of the classic protection binds, in GitHub's
// words.
func (p Protection) Enforced(on bool) string {
	switch {
	case !on:
		return "off"
	case p.AdminsToo:
		return "everyone"
	default:
		return "non_admins"
	}
}

// protectionChanges are what GitHub tells of a rule that was changed, an empty
// map for what it tells nothing of; nil where nothing was.
func protectionChanges(was, is *ProtectionRule) map[string]any {
	changes := changesOf(
		edited{"admin_enforced", was.AdminsToo, is.AdminsToo},
		edited{"authorized_actors_only", was.Pushers != nil, is.Pushers != nil},
		edited{"authorized_dismissal_actors_only", was.Dismissers != nil, is.Dismissers != nil},
		edited{"linear_history_requirement_enforcement_level", was.Enforced(was.LinearHistory), is.Enforced(is.LinearHistory)},
		edited{"lock_branch_enforcement_level", was.Enforced(was.Locked), is.Enforced(is.Locked)},
		edited{"lock_allows_fork_sync", was.LockAllowsSyncing, is.LockAllowsSyncing},
		edited{"pull_request_reviews_enforcement_level", was.Enforced(was.AsksForPulls()), is.Enforced(is.AsksForPulls())},
		edited{"require_last_push_approval", was.LastPushApproval, is.LastPushApproval},
		edited{"required_status_checks", append([]string{}, was.RequiredChecks...), append([]string{}, is.RequiredChecks...)},
		edited{"required_status_checks_enforcement_level", was.Enforced(was.AsksForChecks()), is.Enforced(is.AsksForChecks())},
	)
	if changes == nil && changesOf(edited{"rule", was.Protection, is.Protection}) != nil {
		return map[string]any{}
	}
	return changes
}

// tellRulesets tells of rulesets by their ids.
func tellRulesets(s *State, before, after *Repo) {
	for n := range after.Rulesets {
		is := &after.Rulesets[n]
		was := before.Ruleset(is.ID)
		became(s, Happening{Event: "repository_ruleset", RepoID: after.ID}, was, is, func() map[string]any { return rulesetChanges(was, is) })
	}
	for n := range before.Rulesets {
		if was := &before.Rulesets[n]; after.Ruleset(was.ID) == nil {
			became(s, Happening{Event: "repository_ruleset", RepoID: after.ID}, was, nil, nil)
		}
	}
}

func rulesetChanges(was, is *Ruleset) map[string]any {
	changes := changesOf(edited{"name", was.Name, is.Name}, edited{"enforcement", was.Enforcement, is.Enforcement})
	then, now := was.Copy(), is.Copy()
	then.UpdatedAt, now.UpdatedAt = is.UpdatedAt, is.UpdatedAt
	if changes == nil && changesOf(edited{"ruleset", then, now}) != nil {
		return map[string]any{}
	}
	return changes
}
