package model

import (
	"slices"
	"strings"
	"time"
)

// Ruleset is a set of rules for branches or tags.
type Ruleset struct {
	ID   ID
	Name string
	// Target is branch or tag.
	Target string
	// Enforcement is active, evaluate or disabled; rules bind while it is active.
	Enforcement string
	Bypass      []BypassActor
	// Include and Exclude are patterns of refs, [DefaultBranchRef] or [AllRefs].
	Include, Exclude     []string
	Rules                []Rule
	CreatedAt, UpdatedAt time.Time
}

// The names for the default branch and for all refs among the conditions of a
// ruleset, and what it may be for.
const (
	DefaultBranchRef = "~DEFAULT_BRANCH"
	AllRefs          = "~ALL"

	TargetBranch = "branch"
	TargetTag    = "tag"

	EnforcementActive = "active"
)

// BypassActor may do what a ruleset forbids.
type BypassActor struct {
	// ActorID is a pointer because GitHub knows types without an id.
	ActorID    *ID    `json:"actor_id"`
	ActorType  string `json:"actor_type"`
	BypassMode string `json:"bypass_mode"`
}

// The modes in which a ruleset is bypassed: always, by merging a pull request
// alone, and always without being told of it.
const (
	BypassAlways = "always"
	BypassPulls  = "pull_request"
	BypassExempt = "exempt"
)

// bypassRoles are the permissions that repository roles have, by GitHub's ids.
var bypassRoles = map[ID]Permission{1: PermRead, 2: PermMaintain, 3: PermTriage, 4: PermWrite, 5: PermAdmin}

// IsBypassRole reports whether an id is that of a role of repositories.
func IsBypassRole(id ID) bool { return bypassRoles[id] != PermNone }

// Copy returns a ruleset that shares nothing with this one.
func (r Ruleset) Copy() Ruleset {
	r.Bypass, r.Include, r.Exclude, r.Rules = slices.Clone(r.Bypass), slices.Clone(r.Include), slices.Clone(r.Exclude), slices.Clone(r.Rules)
	for n := range r.Bypass {
		r.Bypass[n].ActorID = copyOf(r.Bypass[n].ActorID)
	}
	for n := range r.Rules {
		r.Rules[n] = r.Rules[n].clone()
	}
	return r
}

// covers reports whether a ruleset is for a ref.
func (r *Ruleset) covers(repo *Repo, ref string) bool {
	prefix := map[string]string{TargetBranch: headsPrefix, TargetTag: tagsPrefix}[r.Target]
	like := func(pattern string) bool {
		switch pattern {
		case AllRefs:
			return true
		case DefaultBranchRef:
			return ref == headsPrefix+repo.DefaultBranch
		default:
			return fnmatch(pattern, ref) || fnmatch(prefix+pattern, ref)
		}
	}
	return prefix != "" && strings.HasPrefix(ref, prefix) && slices.ContainsFunc(r.Include, like) && !slices.ContainsFunc(r.Exclude, like)
}

// RulesetsFor returns the active rulesets for a ref, oldest first.
func (r *Repo) RulesetsFor(ref string) []*Ruleset {
	var all []*Ruleset
	for n := range r.Rulesets {
		if set := &r.Rulesets[n]; set.Enforcement == EnforcementActive && set.covers(r, ref) {
			all = append(all, set)
		}
	}
	return all
}

// Ruleset returns the ruleset of an id, nil if there is none.
func (r *Repo) Ruleset(id ID) *Ruleset {
	if at := slices.IndexFunc(r.Rulesets, func(set Ruleset) bool { return set.ID == id }); at >= 0 {
		return &r.Rulesets[at]
	}
	return nil
}

// BypassOf returns how an actor may bypass a ruleset: always, exempt,
// pull_request or, if not at all, empty.
func (s *State) BypassOf(actor ID, repo *Repo, set *Ruleset) string {
	best := ""
	for _, b := range set.Bypass {
		if actor != 0 && s.isBypass(actor, repo, b) && best != BypassAlways {
			if best == "" || b.BypassMode != BypassPulls {
				best = b.BypassMode
			}
		}
	}
	return best
}

func (s *State) isBypass(actor ID, repo *Repo, b BypassActor) bool {
	var id ID
	if b.ActorID != nil {
		id = *b.ActorID
	}
	switch b.ActorType {
	case "User":
		return actor == id
	case "Team":
		return s.among(actor, Actors{Teams: []ID{id}})
	case "Integration":
		return s.among(actor, Actors{Apps: []ID{id}})
	case "RepositoryRole":
		return IsBypassRole(id) && s.Permission(actor, repo) >= bypassRoles[id]
	case "OrganizationAdmin":
		return s.Users.Get(repo.OwnerID).Members[actor] == OrgOwner
	default:
		return false
	}
}

// exempts reports whether a ruleset does not bind the actor of a change.
func (r *Ruleset) exempts(s *State, c refChange, _ Rule) bool {
	switch s.BypassOf(c.actor, c.repo, r) {
	case BypassAlways, BypassExempt:
		return true
	case BypassPulls:
		return c.pull != nil
	default:
		return false
	}
}

// SetRuleset adds a ruleset to a repository, or changes the one of its id, and
// returns it.
func (s *State) SetRuleset(actor ID, repo *Repo, set Ruleset) (*Ruleset, error) {
	if err := s.mayAdminister(actor, repo, false); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(repo.Rulesets, func(other Ruleset) bool { return other.Name == set.Name && other.ID != set.ID }) {
		return nil, custom("RepositoryRuleset", "name", "Name must be unique")
	}
	set.UpdatedAt = s.Advance()
	repo.UpdatedAt = s.Now
	if known := repo.Ruleset(set.ID); known != nil {
		set.CreatedAt = known.CreatedAt
		*known = set
		return known, nil
	}
	set.ID, set.CreatedAt = s.newID(), s.Now
	repo.Rulesets = append(repo.Rulesets, set)
	return &repo.Rulesets[len(repo.Rulesets)-1], nil
}

// DeleteRuleset removes a ruleset.
func (s *State) DeleteRuleset(actor ID, repo *Repo, id ID) error {
	if err := s.mayAdminister(actor, repo, false); err != nil {
		return err
	}
	repo.UpdatedAt = s.Advance()
	repo.Rulesets = slices.DeleteFunc(repo.Rulesets, func(set Ruleset) bool { return set.ID == id })
	return nil
}
