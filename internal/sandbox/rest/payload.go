package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Payload is the body of a webhook that tells a listener of a happening.
func Payload(s *model.State, h model.Happening, to model.Listener) ([]byte, error) {
	v := &payloadView{view: &view{s: s}, h: h, to: to}
	body := map[string]any{}
	if h.Action != "" {
		body["action"] = h.Action
	}
	if err := v.fill(body); err != nil {
		return nil, fmt.Errorf("payload of %s: %w", h.Event, err)
	}
	v.surround(body)
	return encode(body)
}

// payloadView shows a happening.
type payloadView struct {
	*view
	h  model.Happening
	to model.Listener
}

// surround adds what most payloads have: where it happened, who did it, and the
// installation through which an App is told.
func (v *payloadView) surround(body map[string]any) {
	if repo := v.h.Repo; repo != nil && body["repository"] == nil {
		body["repository"] = v.fullRepo(repo)
	}
	if org := v.s.Users.Get(v.h.OrgID); org != nil {
		body["organization"] = v.organization(org)
	}
	if v.s.Users.Get(v.h.ActorID) != nil {
		body["sender"] = v.user(v.h.ActorID)
	}
	if i := v.to.Installation; i != nil && body["installation"] == nil {
		body["installation"] = map[string]any{"id": i.ID, "node_id": installationNode(i)}
	}
}

func (v *view) organization(u *model.User) map[string]any {
	api := apiURL + "/orgs/" + u.Login
	return map[string]any{
		"login": u.Login, "id": u.ID, "node_id": model.NodeID(model.NodeOrganization, 0, u.ID), "url": api, "repos_url": api + "/repos",
		"events_url": api + "/events", "hooks_url": api + "/hooks", "issues_url": api + "/issues", "members_url": api + "/members{/member}",
		"public_members_url": api + "/public_members{/member}", "avatar_url": v.user(u.ID).AvatarURL, "description": optional(u.Description),
	}
}

// fill adds what is an event's own.
func (v *payloadView) fill(body map[string]any) error {
	v.shared(body)
	if show := payloads[v.h.Event]; show != nil {
		return show(v, body)
	}
	return nil
}

// payloads add what is an event's own to its payload, by event; those that are
// not here have nothing else than what [payloadView.shared] adds.
var payloads = map[string]func(v *payloadView, body map[string]any) error{
	"branch_protection_rule":      about("rule", (*payloadView).protectionRule),
	"check_run":                   (*payloadView).checked,
	"commit_comment":              about("comment", func(v *payloadView, c *model.CommitComment) any { return v.commitComment(c) }),
	"create":                      (*payloadView).ref,
	"delete":                      (*payloadView).ref,
	"deploy_key":                  about("key", func(v *payloadView, k *model.Key) any { return key(v.repoURL(v.h.RepoID))(*k) }),
	"deployment":                  (*payloadView).deployed,
	"deployment_status":           (*payloadView).deployed,
	"discussion":                  (*payloadView).discussed,
	"discussion_comment":          (*payloadView).discussed,
	"fork":                        about("forkee", (*payloadView).forkee),
	"installation":                (*payloadView).installed,
	"installation_repositories":   (*payloadView).installed,
	"issue_dependencies":          (*payloadView).related,
	"issues":                      (*payloadView).moved,
	"label":                       about("label", func(v *payloadView, l *model.Label) any { return v.label(l) }),
	"membership":                  (*payloadView).membership,
	"merge_group":                 (*payloadView).mergeGroup,
	"meta":                        (*payloadView).meta,
	"milestone":                   about("milestone", func(v *payloadView, m *model.Milestone) any { return v.milestoneRow(m) }),
	"organization":                (*payloadView).membership,
	"ping":                        (*payloadView).ping,
	"projects_v2":                 about("projects_v2", (*payloadView).payloadProject),
	"projects_v2_item":            about("projects_v2_item", (*payloadView).payloadItem),
	"pull_request":                (*payloadView).pullRequest,
	"pull_request_review":         (*payloadView).reviewed,
	"pull_request_review_comment": (*payloadView).reviewCommented,
	"pull_request_review_thread":  (*payloadView).threadResolved,
	"push":                        (*payloadView).push,
	"release":                     about("release", (*payloadView).payloadRelease),
	"repository":                  (*payloadView).transferred,
	"repository_dispatch":         (*payloadView).dispatchedFromOutside,
	"repository_ruleset":          about("repository_ruleset", func(v *payloadView, set *model.Ruleset) any { return v.ruleset(v.h.Repo, set) }),
	"star":                        (*payloadView).starred,
	"status":                      (*payloadView).statusOf,
	"sub_issues":                  (*payloadView).related,
	"team":                        about("team", (*payloadView).payloadTeam),
	"workflow_dispatch":           (*payloadView).dispatched,
	"workflow_run":                (*payloadView).ran,
}

// about is the payload of an event that is about one row, under a name.
func about[T any](name string, show func(v *payloadView, subject T) any) func(v *payloadView, body map[string]any) error {
	return func(v *payloadView, body map[string]any) error {
		subject, is := v.h.Subject.(T)
		if !is {
			return fmt.Errorf("it is about a %T", v.h.Subject)
		}
		body[name] = show(v, subject)
		return nil
	}
}

func (v *payloadView) ran(body map[string]any) error {
	body["workflow_run"] = v.run(v.h.Run, len(v.h.Run.Attempts))
	body["workflow"] = v.workflow(v.s.Workflows.Get(v.h.Run.WorkflowID))
	return nil
}

// shared adds what is shown alike in all events that have it.
func (v *payloadView) shared(body map[string]any) {
	h := v.h
	if h.Event == "issues" || h.Event == "issue_comment" {
		body["issue"] = v.payloadIssue(h.Issue)
	}
	if h.Comment != nil {
		body["comment"] = v.comment(h.Comment)
	}
	if h.Suite != nil {
		body["check_suite"] = v.payloadSuite(h.Suite)
	}
	if h.Job != nil {
		body["workflow_job"] = v.job(h.Job)
	}
	if l := v.s.Labels.Get(h.LabelID); l != nil {
		body["label"] = v.label(l)
	}
	if m := v.milestone(h.MilestoneID); m != nil {
		body["milestone"] = m
	}
	if t, is := h.Subject.(*model.IssueType); is {
		body["type"] = issueType(*t)
	}
	if u := v.user(h.UserID); u != nil {
		body[v.userKey()] = u
	}
	if h.Changes != nil {
		body["changes"] = h.Changes
	}
	if c, is := h.Changes["field_value"].(*model.FieldChange); is {
		body["changes"] = map[string]any{"field_value": fieldChange(c)}
	}
}

// userKey is what the user is whom an event is about.
func (v *payloadView) userKey() string {
	switch {
	case strings.HasPrefix(v.h.Action, "review_request"):
		return "requested_reviewer"
	case v.h.Event == "member" || v.h.Event == "membership":
		return "member"
	case v.h.Event == "organization":
		return "user"
	default:
		return "assignee"
	}
}

// payloadIssue is an issue as payloads show it: with reactions, and without
// who closed it.
func (v *payloadView) payloadIssue(i *model.Issue) map[string]any {
	shown := v.issue(i)
	fields := fieldsOf(shown)
	delete(fields, "closed_by")
	fields["reactions"] = v.reactions(shown.URL, i.ID)
	fields["performed_via_github_app"] = nil
	return fields
}

func (v *payloadView) pullRequest(body map[string]any) error {
	pull, err := v.fullPull(v.h.Issue)
	body["number"], body["pull_request"] = v.h.Issue.Number, pull
	if v.h.Before != "" {
		body["before"], body["after"] = v.h.Before, v.h.After
	}
	if team, asked := v.h.Subject.(*model.Team); asked && team != nil {
		body["requested_team"] = v.team(team)
	}
	switch v.h.Action {
	case "auto_merge_disabled":
		body["reason"] = "unknown"
	case "dequeued":
		body["reason"] = v.h.Identifier
	}
	return err
}

func (v *payloadView) reviewed(body map[string]any) error {
	review := fieldsOf(v.review(v.h.Review))
	// Payloads write states in small letters, where the API does not.
	review["state"] = strings.ToLower(string(v.h.Review.State))
	body["review"], body["pull_request"] = review, v.pull(v.h.Issue)
	return nil
}

func (v *payloadView) ping(body map[string]any) error {
	body["zen"] = "Keep it logically awesome."
	body["hook_id"] = v.to.HookID
	if v.h.Hook != nil {
		body["hook"] = v.hook(v.h.Hook)
	} else {
		body["hook"] = v.appHook(v.s.Apps.Get(v.h.AppID))
	}
	return nil
}

func (v *payloadView) checked(body map[string]any) error {
	run := fieldsOf(v.checkRun(v.h.CheckRun))
	run["check_suite"] = v.payloadSuite(v.s.CheckSuites.Get(v.h.CheckRun.SuiteID))
	body["check_run"] = run
	if v.h.Identifier != "" {
		body["requested_action"] = map[string]any{"identifier": v.h.Identifier}
	}
	return nil
}

// payloadSuite is a check suite without its repository, which payloads have
// beside it.
func (v *payloadView) payloadSuite(suite *model.CheckSuite) map[string]any {
	shown := v.suite(suite)
	delete(shown, "repository")
	if v.h.Action == "requested" || v.h.Action == "rerequested" {
		shown["status"], shown["conclusion"] = model.Queued, nil
	}
	return shown
}

func (v *payloadView) mergeGroup(body map[string]any) error {
	repo := v.h.Repo
	head, err := v.headCommit(repo, v.h.After)
	body["merge_group"] = map[string]any{
		"head_sha": v.h.After, "head_ref": v.h.Ref, "base_sha": v.h.Before, "base_ref": headsPrefix + v.h.Issue.Pull.BaseRef, "head_commit": head,
	}
	if v.h.Action == "destroyed" {
		body["reason"] = v.h.Identifier
	}
	return err
}

// headCommit is a commit in the short form of runs and check suites.
func (v *view) headCommit(repo *model.Repo, sha string) (*simpleCommitView, error) {
	c, err := repo.Git.Commit(plumbing.NewHash(sha))
	if err != nil {
		return nil, err
	}
	return simplified(c), nil
}

func (v *payloadView) installed(body map[string]any) error {
	h := v.h
	body["installation"], body["requester"] = v.installation(h.Installation), nil
	if h.Event == "installation" {
		var ids []model.ID
		for _, r := range v.s.InstalledRepos(h.Installation) {
			ids = append(ids, r.ID)
		}
		body["repositories"] = v.namedRepos(ids)
		return nil
	}
	body["repository_selection"] = v.installation(h.Installation).RepositorySelection
	body["repositories_added"], body["repositories_removed"] = []namedRepo{}, []namedRepo{}
	body["repositories_"+h.Action] = v.namedRepos(h.Repos)
	return nil
}

// fieldsOf returns the fields of a view, to change them.
func fieldsOf(view any) map[string]any {
	fields := map[string]any{}
	text, err := encode(view)
	if err != nil {
		return fields
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	// Ids keep all of their digits.
	decoder.UseNumber()
	// What was encoded can be decoded.
	_ = decoder.Decode(&fields)
	return fields
}

// unix is a time in the form in which payloads of pushes have those of the
// repository.
func unix(t time.Time) int64 { return t.Unix() }
