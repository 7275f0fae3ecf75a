package model

import (
	"cmp"
	"net/url"
	"slices"
	"time"
)

// HookConfig says how a webhook is delivered.
type HookConfig struct {
	URL string
	// ContentType is "json" or "form".
	ContentType string
	// Secret signs deliveries; without one they are not signed.
	Secret string
	// InsecureSSL is "1" where certificates are not checked, otherwise "0".
	InsecureSSL string
}

func (c HookConfig) complete() HookConfig {
	c.ContentType, c.InsecureSSL = cmp.Or(c.ContentType, "form"), cmp.Or(c.InsecureSSL, "0")
	return c
}

// Hook is a webhook of a repository or of an organization.
type Hook struct {
	ID ID
	// One of RepoID and OrgID is 0.
	RepoID ID
	OrgID  ID `json:",omitempty"`
	Active bool
	// Events are the names of what it is told of; "*" is everything.
	Events    []string
	Config    HookConfig
	CreatedAt time.Time
	UpdatedAt time.Time
}

func (hook *Hook) clone() *Hook {
	c := *hook
	c.Events = slices.Clone(hook.Events)
	return &c
}

// Owner returns the id of the repository or organization.
func (hook *Hook) Owner() ID { return cmp.Or(hook.RepoID, hook.OrgID) }

// TargetType returns the kind of what a webhook belongs to.
func (hook *Hook) TargetType() string {
	if hook.OrgID != 0 {
		return TargetOrganization
	}
	return TargetRepository
}

// maxHooks is how many webhooks a repository or an organization may have.
const maxHooks = 20

// HookChange is what a request says about a webhook; what is nil stays as it
// is.
type HookChange struct {
	Active *bool
	Events []string
	Config *HookConfig
	// Add and Remove are events besides Events.
	Add, Remove []string
}

// CreateHook adds a webhook to a repository and tells it so with a ping. Only
// administrators may.
func (s *State) CreateHook(actor ID, repo *Repo, in HookChange) (*Hook, error) {
	return s.createHook(actor, &Hook{RepoID: repo.ID}, in)
}

// CreateOrgHook is [State.CreateHook] for an organization, whose owners may.
func (s *State) CreateOrgHook(actor ID, org *User, in HookChange) (*Hook, error) {
	return s.createHook(actor, &Hook{OrgID: org.ID}, in)
}

func (s *State) createHook(actor ID, h *Hook, in HookChange) (*Hook, error) {
	if err := s.requireHook(actor, h); err != nil {
		return nil, err
	}
	if in.Config == nil {
		in.Config = &HookConfig{}
	}
	if err := in.check(h); err != nil {
		return nil, err
	}
	same := func(other *Hook) bool { return other.Config.URL == in.Config.URL }
	switch others := s.hooksOf(h.Owner()); {
	case slices.ContainsFunc(others, same):
		return nil, custom("Hook", "", "Hook already exists on this %s", h.TargetType())
	case len(others) >= maxHooks:
		return nil, custom("Hook", "", "The %q event cannot have more than %d hooks", slices.Concat(in.Events, []string{"push"})[0], maxHooks)
	}
	now := s.Advance()
	h.ID, h.Active, h.Events, h.CreatedAt, h.UpdatedAt = s.newID(), true, []string{"push"}, now, now
	in.apply(h)
	s.Hooks.Add(h.ID, h)
	s.PingHook(actor, h)
	return h, nil
}

// EditHook changes a webhook.
func (s *State) EditHook(actor ID, h *Hook, in HookChange) error {
	if err := s.requireHook(actor, h); err != nil {
		return err
	}
	if err := in.check(h); err != nil {
		return err
	}
	h.UpdatedAt = s.Advance()
	in.apply(h)
	return nil
}

// DeleteHook removes a webhook, which is told of it last.
func (s *State) DeleteHook(actor ID, h *Hook) error {
	if err := s.requireHook(actor, h); err != nil {
		return err
	}
	s.Advance()
	s.emit(Happening{Event: "meta", Action: "deleted", RepoID: h.RepoID, OrgID: h.OrgID, ActorID: actor, Hook: h.clone()})
	s.Hooks.Delete(h.ID)
	return nil
}

// HooksOf returns a repository's webhooks.
func (s *State) HooksOf(repo *Repo) []*Hook { return s.hooksOf(repo.ID) }

// HooksOfOrg returns an organization's webhooks.
func (s *State) HooksOfOrg(org *User) []*Hook { return s.hooksOf(org.ID) }

func (s *State) hooksOf(owner ID) []*Hook {
	return s.Hooks.Where(func(h *Hook) bool { return h.Owner() == owner })
}

// requireHidden refuses those who are not administrators, for whom webhooks do
// not exist.
func (s *State) requireHidden(actor ID, repo *Repo) error {
	if s.Permission(actor, repo) < PermAdmin && !s.installed(actor, repo) {
		return notFound()
	}
	return nil
}

// requireHook is [State.requireHidden] for what a webhook belongs to.
func (s *State) requireHook(actor ID, h *Hook) error {
	if h.OrgID == 0 {
		return s.requireHidden(actor, s.Repos.Get(h.RepoID))
	}
	if !s.MayAdministerOrg(actor, s.Users.Get(h.OrgID)) {
		return notFound()
	}
	return nil
}

// MayAdministerOrg reports whether a user is an owner of an organization.
func (s *State) MayAdministerOrg(actor ID, org *User) bool {
	return org.Members[actor] == OrgOwner && s.only == nil
}

// MayAdminister reports whether a user may see what only administrators may.
func (s *State) MayAdminister(actor ID, repo *Repo) bool { return s.requireHidden(actor, repo) == nil }

// PingHook tells a webhook that it is one.
func (s *State) PingHook(actor ID, h *Hook) {
	s.emit(Happening{Event: "ping", RepoID: h.RepoID, OrgID: h.OrgID, ActorID: actor, Hook: h})
}

// TestHook tells a webhook of the latest push to the default branch, if it
// wants to know of pushes.
func (s *State) TestHook(actor ID, h *Hook) {
	repo := s.Repos.Get(h.RepoID)
	tip, known := s.BranchHead(repo, repo.DefaultBranch)
	if !known || !wants(h.Events, "push") {
		return
	}
	s.emit(Happening{Event: "push", RepoID: repo.ID, ActorID: actor, Hook: h, Ref: headsPrefix + repo.DefaultBranch, Before: tip.String(), After: tip.String()})
}

func (c HookChange) check(h *Hook) error {
	if c.Config != nil {
		if err := c.Config.check(); err != nil {
			return err
		}
	}
	for _, name := range slices.Concat(c.Events, c.Add) {
		known := slices.Contains(hookEvents, name) || h.OrgID != 0 && slices.Contains(orgHookEvents, name)
		if name != "*" && !known {
			return custom("Hook", "", "%q is not a valid event", name)
		}
	}
	return nil
}

func (c HookConfig) check() error {
	at, err := url.Parse(c.URL)
	switch {
	case c.URL == "":
		return custom("Hook", "", "Config must contain URL for webhooks")
	case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "":
		return invalidValue("Hook", "url", "invalid", c.URL)
	case !slices.Contains([]string{"", "json", "form"}, c.ContentType):
		return invalidValue("Hook", "content_type", "invalid", c.ContentType)
	default:
		return nil
	}
}

// Check refuses a webhook of an App that cannot be delivered.
func (c HookConfig) Check() error { return c.check() }

func (c HookChange) apply(h *Hook) {
	assign(&h.Active, c.Active)
	if c.Events != nil {
		h.Events = slices.Clone(c.Events)
	}
	h.Events = slices.DeleteFunc(h.Events, func(name string) bool { return slices.Contains(c.Remove, name) })
	for _, name := range c.Add {
		if !slices.Contains(h.Events, name) {
			h.Events = append(h.Events, name)
		}
	}
	if c.Config != nil {
		h.Config = c.Config.complete()
	}
}

func wants(events []string, name string) bool {
	return slices.Contains(events, name) || slices.Contains(events, "*")
}

// hookEvents are the names of the events that webhooks of repositories may ask
// for.
var hookEvents = []string{
	"branch_protection_configuration", "branch_protection_rule", "check_run", "check_suite", "code_scanning_alert", "commit_comment", "create",
	"delete", "dependabot_alert", "deploy_key", "deployment", "deployment_status", "discussion", "discussion_comment", "fork",
	"gollum", "issue_comment", "issue_dependencies", "issues", "label", "member", "merge_group", "meta", "milestone", "package", "page_build", "ping",
	"public", "pull_request", "pull_request_review", "pull_request_review_comment", "pull_request_review_thread", "push",
	"registry_package", "release", "repository", "repository_advisory", "repository_dispatch", "repository_import", "repository_ruleset", "repository_vulnerability_alert",
	"secret_scanning_alert", "secret_scanning_alert_location", "security_and_analysis", "star", "status", "sub_issues", "team_add", "watch",
	"workflow_dispatch", "workflow_job", "workflow_run",
}

// orgHookEvents are those that webhooks of organizations may ask for besides.
var orgHookEvents = []string{
	"custom_property", "custom_property_values", "membership", "org_block", "organization", "personal_access_token_request", "projects_v2",
	"projects_v2_item", "projects_v2_status_update", "team",
}
