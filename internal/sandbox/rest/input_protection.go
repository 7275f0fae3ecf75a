package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// protectionInput is the body of a request that protects a branch.
type protectionInput struct {
	Checks           *checksInput  `json:"required_status_checks"`
	Reviews          *reviewsInput `json:"required_pull_request_reviews"`
	Restrictions     *actorsInput  `json:"restrictions"`
	EnforceAdmins    *bool         `json:"enforce_admins"`
	LinearHistory    bool          `json:"required_linear_history"`
	ForcePushes      *bool         `json:"allow_force_pushes"`
	Deletions        bool          `json:"allow_deletions"`
	BlockCreations   bool          `json:"block_creations"`
	Conversations    bool          `json:"required_conversation_resolution"`
	LockBranch       bool          `json:"lock_branch"`
	AllowForkSyncing bool          `json:"allow_fork_syncing"`
}

type checksInput struct {
	Strict   *bool                 `json:"strict"`
	Contexts *[]string             `json:"contexts"`
	Checks   *[]requiredCheckInput `json:"checks"`
}

// requiredCheckInput names a check. AppID is nil to take the App that it was of last, and
// anyApp for any.
type requiredCheckInput struct {
	Context string    `json:"context"`
	AppID   *model.ID `json:"app_id"`
}

const anyApp = -1

type reviewsInput struct {
	Dismissals  *actorsInput `json:"dismissal_restrictions"`
	Bypasses    *actorsInput `json:"bypass_pull_request_allowances"`
	Stale       *bool        `json:"dismiss_stale_reviews"`
	CodeOwners  *bool        `json:"require_code_owner_reviews"`
	LastPush    *bool        `json:"require_last_push_approval"`
	ReviewCount *int         `json:"required_approving_review_count"`
}

// actorsInput names users by login, teams and Apps by slug.
type actorsInput struct {
	Users *[]string `json:"users"`
	Teams *[]string `json:"teams"`
	Apps  *[]string `json:"apps"`
}

var unknownField = regexp.MustCompile(`unknown field "(.*)"`)

// decodeWhole is [call.decode] for a body of which nothing may be lost: it
// refuses keys that the target has not, and bodies that lack some.
func (c *call) decodeWhole(target any, required ...string) error {
	var given map[string]json.RawMessage
	for _, into := range []any{target, &given} {
		if err := c.decode(into); err != nil {
			return err
		}
	}
	if err := lacking(given, required...); err != nil {
		return err
	}
	return strictly(c.body, target)
}

// lacking refuses an object without some of its fields.
func lacking(given map[string]json.RawMessage, required ...string) error {
	var names []string
	for _, name := range required {
		if _, there := given[name]; !there {
			names = append(names, fmt.Sprintf("%q", name))
		}
	}
	switch len(names) {
	case 0:
		return nil
	case 1:
		return invalidRequest(names[0] + " wasn't supplied.")
	default:
		return invalidRequest(strings.Join(names, ", ") + " weren't supplied.")
	}
}

func invalidRequest(why string) error {
	return &model.Problem{Kind: model.Invalid, Message: "Invalid request.\n\n" + why}
}

// strictly reads an object into a target that has all of its keys.
func strictly(body []byte, target any) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(target)
	if err == nil {
		return nil
	}
	if unknown := unknownField.FindStringSubmatch(err.Error()); unknown != nil {
		return invalidRequest(fmt.Sprintf("%q is not a permitted key.", unknown[1]))
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return invalidRequest(fmt.Sprintf("For 'properties/%s', %s is not %s.", strings.ReplaceAll(wrong.Field, ".", "/"), wrong.Value, jsonKind(wrong.Type.Kind().String())))
	}
	return invalidRequest(err.Error())
}

// apply takes an input over to a rule.
func (in protectionInput) apply(c *call, p *protected) error {
	p.AdminsToo = in.EnforceAdmins != nil && *in.EnforceAdmins
	p.ForcePushes = in.ForcePushes != nil && *in.ForcePushes
	p.LinearHistory, p.Deletions, p.BlocksCreations, p.Conversations = in.LinearHistory, in.Deletions, in.BlockCreations, in.Conversations
	p.Locked, p.LockAllowsSyncing = in.LockBranch, in.AllowForkSyncing
	if in.Checks != nil {
		switch {
		case in.Checks.Strict == nil:
			return invalidRequest(`"strict" wasn't supplied.`)
		case in.Checks.Contexts == nil && in.Checks.Checks == nil:
			return invalidRequest(`"contexts" wasn't supplied.`)
		}
		if err := in.Checks.apply(c, p); err != nil {
			return err
		}
	}
	if in.Reviews != nil {
		p.RequiredApprovals = 1
		if err := in.Reviews.apply(c, p); err != nil {
			return err
		}
	}
	if in.Restrictions == nil {
		return nil
	}
	if in.Restrictions.Users == nil || in.Restrictions.Teams == nil {
		return invalidRequest(`No subschema in "anyOf" matched.` + "\n" + `"users", "teams" weren't supplied.` + "\nFor 'anyOf/1', it is not a null.")
	}
	actors, err := c.actors(p.repo, in.Restrictions)
	p.Pushers = &actors
	return err
}

func (in checksInput) apply(c *call, p *protected) error {
	strict, checks := p.Strict, []requiredCheckInput(nil)
	if in.Strict != nil {
		strict = *in.Strict
	}
	if in.Contexts == nil && in.Checks == nil {
		p.Strict, p.ChecksAsked = strict, true
		return nil
	}
	if in.Checks != nil {
		checks = *in.Checks
	}
	if in.Contexts != nil {
		for _, name := range *in.Contexts {
			if !slices.ContainsFunc(checks, func(check requiredCheckInput) bool { return check.Context == name }) {
				checks = append(checks, requiredCheckInput{Context: name})
			}
		}
	}
	for n, check := range checks {
		switch {
		case check.Context == "":
			return invalidRequest(`"context" wasn't supplied.`)
		case check.AppID == nil:
			id := c.s.CheckSource(p.repo, check.Context)
			checks[n].AppID = &id
		case *check.AppID != anyApp && c.s.Apps.Get(*check.AppID) == nil:
			return invalidRequest(fmt.Sprintf("%d is not the id of an App.", *check.AppID))
		}
	}
	p.setChecks(strict, checks)
	return nil
}

// setChecks replaces the checks of a rule.
func (p *protected) setChecks(strict bool, checks []requiredCheckInput) {
	p.Strict, p.ChecksAsked, p.RequiredChecks, p.CheckApps = strict, true, nil, nil
	for _, check := range checks {
		if slices.Contains(p.RequiredChecks, check.Context) {
			continue
		}
		p.RequiredChecks = append(p.RequiredChecks, check.Context)
		if check.AppID != nil && *check.AppID > 0 {
			if p.CheckApps == nil {
				p.CheckApps = map[string]model.ID{}
			}
			p.CheckApps[check.Context] = *check.AppID
		}
	}
}

// keepChecks gives a rule checks of some names, those that it has as they are.
func (p *protected) keepChecks(names []string) {
	var checks []requiredCheckInput
	for _, name := range names {
		check := requiredCheckInput{Context: name}
		if id, known := p.CheckApps[name]; known {
			check.AppID = &id
		}
		checks = append(checks, check)
	}
	p.setChecks(p.Strict, checks)
}

// maxApprovals is how many approving reviews a rule may ask for.
const maxApprovals = 6

func (in reviewsInput) apply(c *call, p *protected) error {
	p.PullsAsked = true
	if n := in.ReviewCount; n != nil {
		if *n < 0 || *n > maxApprovals {
			bound := fmt.Sprintf("%d must be less than or equal to %d.", *n, maxApprovals)
			if *n < 0 {
				bound = fmt.Sprintf("%d must be greater than or equal to 0.", *n)
			}
			return invalidRequest(`No subschema in "anyOf" matched.` + "\n" + bound + "\n" + `Not all subschemas of "allOf" matched.`)
		}
		p.RequiredApprovals = *n
	}
	for _, set := range []struct{ to, from *bool }{{&p.DismissStale, in.Stale}, {&p.CodeOwners, in.CodeOwners}, {&p.LastPushApproval, in.LastPush}} {
		if set.from != nil {
			*set.to = *set.from
		}
	}
	if in.Dismissals != nil {
		actors, err := c.actors(p.repo, in.Dismissals)
		if err != nil {
			return err
		}
		p.Dismissers = &actors
		if in.Dismissals.empty() {
			p.Dismissers = nil
		}
	}
	if in.Bypasses != nil {
		actors, err := c.actors(p.repo, in.Bypasses)
		if err != nil {
			return err
		}
		p.Bypassers = actors
	}
	return nil
}

func (p *protected) clearReviews() {
	p.PullsAsked, p.RequiredApprovals, p.DismissStale, p.CodeOwners, p.LastPushApproval = false, 0, false, false, false
	p.Dismissers, p.Bypassers = nil, model.Actors{}
}

func (in *actorsInput) empty() bool { return in.Users == nil && in.Teams == nil && in.Apps == nil }

// actors returns whom an input names.
func (c *call) actors(repo *model.Repo, in *actorsInput) (model.Actors, error) {
	var a model.Actors
	if in.empty() {
		return a, nil
	}
	for _, list := range []struct {
		kind  string
		names *[]string
		ids   *[]model.ID
	}{{"users", in.Users, &a.Users}, {"teams", in.Teams, &a.Teams}, {"apps", in.Apps, &a.Apps}} {
		var names []string
		if list.names != nil {
			names = *list.names
		}
		var err error
		if *list.ids, err = c.actorIDs(repo, list.kind, names); err != nil {
			return a, err
		}
	}
	return a, nil
}

// actorIDs finds users, teams or Apps that have to do with a repository of an
// organization; those of persons have none.
func (c *call) actorIDs(repo *model.Repo, kind string, names []string) ([]model.ID, error) {
	refused := func(format string, args ...any) error {
		return &model.Problem{Kind: model.Invalid, Message: "Validation Failed", Reasons: []string{fmt.Sprintf(format, args...)}}
	}
	owner := c.s.Users.Get(repo.OwnerID)
	if owner.Type != model.TypeOrganization {
		return nil, refused("Only organization repositories can have users and team restrictions")
	}
	var ids []model.ID
	for _, name := range names {
		id := c.actorID(repo, owner, kind, name)
		if id == 0 {
			return nil, refused("%s %q does not exist or may not push to %s", kind, name, c.s.FullName(repo))
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// actorID is 0 for nobody, and for those who may not write.
func (c *call) actorID(repo *model.Repo, owner *model.User, kind, name string) model.ID {
	switch kind {
	case "users":
		if u := c.s.User(name); u != nil && c.s.Permission(u.ID, repo) >= model.PermWrite {
			return u.ID
		}
	case "teams":
		if t := c.s.Team(c.actor, owner, name); t != nil {
			return t.ID
		}
	case "apps":
		if a := c.s.App(name); a != nil && c.s.Permission(a.BotID, repo) >= model.PermWrite {
			return a.ID
		}
	}
	return 0
}

// names reads the one list of a body: an object that holds it, or itself.
func (c *call) names(key string) ([]string, error) {
	if body := bytes.TrimSpace(c.body); len(body) > 0 && body[0] == '[' {
		var names []string
		if err := json.Unmarshal(body, &names); err != nil {
			return nil, invalidRequest(string(body) + " is not an array of strings.")
		}
		return names, nil
	}
	var in map[string][]string
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	names, there := in[key]
	for other := range in {
		if other != key {
			return nil, invalidRequest(fmt.Sprintf("%q is not a permitted key.", other))
		}
	}
	if !there {
		return nil, missing(key)
	}
	return names, nil
}
