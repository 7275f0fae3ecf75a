package model

import (
	"maps"
	"slices"
	"strings"
)

// Protection is a rule of the classic protection of branches: that of the branch
// with its pattern's name, or of all that are like the pattern. Unless AdminsToo
// is true, administrators are bound by no more than that nobody may move such a
// branch by force or delete it.
type Protection struct {
	ID        ID
	CreatorID ID
	// RequiredChecks names the checks that must have passed, and CheckApps the
	// Apps that some of them must be of. ChecksAsked is true for a rule about
	// checks that names none.
	RequiredChecks []string
	CheckApps      map[string]ID
	ChecksAsked    bool
	// Strict asks that the head contains the base's tip.
	Strict bool
	// PullsAsked asks for pull requests, and RequiredApprovals for that many
	// approving reviews of them.
	PullsAsked        bool
	RequiredApprovals int
	// DismissStale dismisses approvals when what is changed is changed.
	DismissStale     bool
	CodeOwners       bool
	LastPushApproval bool
	// Dismissers may dismiss reviews, nil for all who may write; Bypassers need
	// no pull requests.
	Dismissers *Actors
	Bypassers  Actors
	AdminsToo  bool
	// Pushers are those who may push besides administrators, nil for all who may
	// write. BlocksCreations has them alone make such branches.
	Pushers         *Actors
	BlocksCreations bool

	LinearHistory, Conversations, Signatures bool
	ForcePushes                              bool
	// ForcePushers may force-push where others may not.
	ForcePushers      Actors
	Deletions         bool
	Locked            bool
	LockAllowsSyncing bool
}

// Actors are users, teams and Apps.
type Actors struct{ Users, Teams, Apps []ID }

func (a Actors) clone() Actors {
	return Actors{slices.Clone(a.Users), slices.Clone(a.Teams), slices.Clone(a.Apps)}
}

func cloneActors(a *Actors) *Actors {
	if a == nil {
		return nil
	}
	c := a.clone()
	return &c
}

// Copy returns a rule that shares nothing with this one.
func (p Protection) Copy() Protection {
	p.RequiredChecks, p.CheckApps = slices.Clone(p.RequiredChecks), maps.Clone(p.CheckApps)
	p.Dismissers, p.Pushers = cloneActors(p.Dismissers), cloneActors(p.Pushers)
	p.Bypassers, p.ForcePushers = p.Bypassers.clone(), p.ForcePushers.clone()
	return p
}

// AsksForPulls reports whether a rule asks for pull requests.
func (p Protection) AsksForPulls() bool { return p.PullsAsked || p.RequiredApprovals > 0 }

// AsksForChecks reports whether a rule is about checks.
func (p Protection) AsksForChecks() bool {
	return p.ChecksAsked || p.Strict || len(p.RequiredChecks) > 0
}

// rules returns what the protection asks for as rules.
func (p Protection) rules() []Rule {
	var all []Rule
	for _, one := range []struct {
		is   bool
		rule Rule
	}{
		{!p.Deletions || p.Locked, Rule{Type: RuleDeletion}},
		{!p.ForcePushes, Rule{Type: RuleNonFastForward}},
		{p.Locked, Rule{Type: ruleLock, Update: &UpdateRule{AllowsFetchAndMerge: p.LockAllowsSyncing}}},
		{p.Signatures, Rule{Type: RuleSignatures}},
		{p.LinearHistory, Rule{Type: RuleLinearHistory}},
		{p.AsksForPulls(), Rule{Type: RulePullRequest, Pull: p.pullRule()}},
		{p.Conversations, Rule{Type: ruleConversations}},
		{p.AsksForChecks(), Rule{Type: RuleStatusChecks, Checks: p.checksRule()}},
		{p.Pushers != nil, Rule{Type: ruleRestriction, allowed: p.Pushers}},
		{p.Pushers != nil && p.BlocksCreations, Rule{Type: RuleCreation}},
	} {
		if one.is {
			all = append(all, one.rule)
		}
	}
	return all
}

func (p Protection) pullRule() *PullRule {
	return &PullRule{
		DismissStaleReviewsOnPush: p.DismissStale, RequireCodeOwnerReview: p.CodeOwners, RequireLastPushApproval: p.LastPushApproval,
		RequiredApprovingReviewCount: p.RequiredApprovals,
	}
}

func (p Protection) checksRule() *ChecksRule {
	rule := &ChecksRule{Strict: p.Strict}
	for _, name := range p.RequiredChecks {
		rule.Checks = append(rule.Checks, RequiredCheck{Context: name, IntegrationID: p.CheckApps[name]})
	}
	return rule
}

// ProtectionOf returns the pattern and the rule by which a branch is protected:
// the rule of its own name, or else the oldest whose pattern it is like.
func (r *Repo) ProtectionOf(branch string) (pattern string, rule Protection, protected bool) {
	if rule, own := r.Protection[branch]; own {
		return branch, rule, true
	}
	for _, other := range slices.Sorted(maps.Keys(r.Protection)) {
		known := r.Protection[other]
		if (!protected || known.ID < rule.ID) && strings.ContainsAny(other, wildcards) && fnmatch(other, branch) {
			pattern, rule, protected = other, known, true
		}
	}
	return pattern, rule, protected
}

// Protect sets the rule of a pattern. A new one belongs to the actor.
func (s *State) Protect(actor ID, repo *Repo, pattern string, rule Protection) error {
	if err := s.mayAdminister(actor, repo, false); err != nil {
		return err
	}
	repo.UpdatedAt = s.Advance()
	known, replaced := repo.Protection[pattern]
	if rule.ID, rule.CreatorID = known.ID, known.CreatorID; !replaced || rule.ID == 0 {
		rule.ID, rule.CreatorID = s.newID(), actor
	}
	repo.Protection[pattern] = rule
	return nil
}

// Unprotect removes the rule of a pattern.
func (s *State) Unprotect(actor ID, repo *Repo, pattern string) error {
	if err := s.mayAdminister(actor, repo, false); err != nil {
		return err
	}
	repo.UpdatedAt = s.Advance()
	delete(repo.Protection, pattern)
	return nil
}

// among reports whether an actor is one of users, a member of one of teams, or
// the bot of one of Apps.
func (s *State) among(actor ID, a Actors) bool {
	if slices.Contains(a.Users, actor) {
		return true
	}
	if app := s.AppOfBot(actor); app != nil && slices.Contains(a.Apps, app.ID) {
		return true
	}
	return slices.ContainsFunc(a.Teams, func(id ID) bool {
		t := s.Teams.Get(id)
		return t != nil && slices.Contains(t.Members, actor)
	})
}

// exempts reports whether a classic rule does not bind the actor of a change.
func (p Protection) exempts(s *State, c refChange, rule Rule) bool {
	admin := s.Permission(c.actor, c.repo) >= PermAdmin
	switch {
	case c.actor == 0:
		return false
	case rule.Type == RuleDeletion:
		return false
	case rule.Type == RuleNonFastForward:
		return s.among(c.actor, p.ForcePushers)
	case rule.Type == ruleRestriction, rule.Type == RuleCreation:
		return admin || s.among(c.actor, *p.Pushers)
	case admin && !p.AdminsToo:
		return true
	default:
		return rule.Type == RulePullRequest && s.among(c.actor, p.Bypassers)
	}
}
