package rest

import (
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// related shows two issues that have to do with each other. The repository beside
// them is that of the one whose own repository is not told.
func (v *payloadView) related(body map[string]any) error {
	both, is := v.h.Subject.(*model.RelatedIssues)
	if !is {
		return errNotFound
	}
	above, below := "parent_issue", "sub_issue"
	if v.h.Event == "issue_dependencies" {
		above, below = "blocked_issue", "blocking_issue"
	}
	// What becomes of the upper one is told where that is.
	other, theirs := below, both.Below
	if strings.HasPrefix(v.h.Action, "parent_issue") || strings.HasPrefix(v.h.Action, "blocking") {
		other, theirs = above, both.Above
	}
	for name, issue := range map[string]*model.Issue{above: both.Above, below: both.Below} {
		body[name], body[name+"_id"] = v.payloadIssue(issue), issue.ID
	}
	body[other+"_repo"] = v.fullRepo(v.s.Repos.Get(theirs.RepoID))
	return nil
}

// moved shows what an issue was in another repository, or is there now.
func (v *payloadView) moved(body map[string]any) error {
	elsewhere, is := v.h.Subject.(*model.Moved)
	if !is {
		return nil
	}
	which := "old_"
	if v.h.Action == "transferred" {
		which = "new_"
	}
	body["changes"] = map[string]any{which + "issue": v.payloadIssue(elsewhere.Issue), which + "repository": v.fullRepo(elsewhere.Repo)}
	return nil
}

// forkee is the repository that was forked from the one that is told.
func (v *payloadView) forkee(fork *model.Repo) any {
	fields := fieldsOf(v.repo(fork))
	fields["public"] = !fork.Private
	return fields
}

// transferred shows who had the repository before; of other changes nothing.
func (v *payloadView) transferred(body map[string]any) error {
	before, is := v.h.Subject.(model.ID)
	u := v.s.Users.Get(before)
	if !is || u == nil {
		return nil
	}
	from := map[string]any{"user": v.user(u.ID)}
	if u.Type == model.TypeOrganization {
		from = map[string]any{"organization": v.organization(u)}
	}
	body["changes"] = map[string]any{"owner": map[string]any{"from": from}}
	return nil
}

func (v *payloadView) starred(body map[string]any) error {
	body["starred_at"] = nil
	if since, is := v.h.Subject.(time.Time); is {
		body["starred_at"] = at(since)
	}
	return nil
}

func (v *payloadView) meta(body map[string]any) error {
	shown := v.hook(v.h.Hook)
	body["hook_id"] = v.h.Hook.ID
	body["hook"] = map[string]any{
		"type": shown.Type, "id": shown.ID, "name": shown.Name, "active": shown.Active, "events": shown.Events, "config": shown.Config,
		"updated_at": shown.UpdatedAt, "created_at": shown.CreatedAt,
	}
	return nil
}

// membership shows a member of an organization or of a team.
func (v *payloadView) membership(body map[string]any) error {
	m, is := v.h.Subject.(*model.Membership)
	if !is {
		return errNotFound
	}
	if m.Team != nil {
		body["scope"], body["team"] = "team", v.payloadTeam(m.Team)
		return nil
	}
	api, who := apiURL+"/orgs/"+m.Org.Login, v.user(v.h.UserID)
	delete(body, "user")
	body["membership"] = map[string]any{
		"url": api + "/memberships/" + v.s.Login(v.h.UserID), "state": "active", "role": m.Role, "organization_url": api, "user": who,
		"direct_membership": true, "enterprise_teams_providing_indirect_membership": []string{},
	}
	return nil
}

func (v *payloadView) payloadTeam(t *model.Team) any { return v.team(t) }

// payloadRelease is a release with its reactions, even if there are none.
func (v *payloadView) payloadRelease(r *model.Release) any {
	shown := v.release(r)
	fields := fieldsOf(shown)
	fields["reactions"] = v.reactions(shown.URL, r.ID)
	return fields
}

func (v *payloadView) payloadProject(p *model.Project) any {
	fields := fieldsOf(v.project(p))
	if v.h.Action == "deleted" {
		fields["deleted_at"], fields["deleted_by"] = at(v.s.Now), v.user(v.h.ActorID)
	}
	return fields
}

// payloadItem is an item of a project in the short form of payloads, with what
// became of one of its fields in words.
func (v *payloadView) payloadItem(i *model.ProjectItem) any {
	p := v.s.Projects.Get(i.ProjectID)
	shown := map[string]any{
		"id": i.ID, "node_id": model.NodeID(model.NodeProjectItem, i.ProjectID, i.ID), "project_node_id": model.NodeID(model.NodeProject, p.OwnerID, p.ID),
		"creator": v.user(i.CreatorID), "created_at": at(i.CreatedAt), "updated_at": at(i.UpdatedAt), "archived_at": nil,
	}
	if i.Archived {
		shown["archived_at"] = at(i.UpdatedAt)
	}
	shown["content_type"], shown["content_node_id"] = "DraftIssue", ""
	if issue := v.s.Issues.Get(i.IssueID); issue != nil {
		shown["content_type"], shown["content_node_id"] = "Issue", issueNode(issue)
		if issue.Pull != nil {
			shown["content_type"] = "PullRequest"
		}
	} else if i.Draft != nil {
		shown["content_node_id"] = model.NodeID(model.NodeDraftIssue, i.ProjectID, i.Draft.ID)
	}
	return shown
}

// fieldChange shows what a field of a project's item was and is.
func fieldChange(c *model.FieldChange) map[string]any {
	shown := map[string]any{
		"field_node_id": model.FieldNodeID(c.Field), "field_type": strings.ToLower(string(c.Field.Type)), "field_name": c.Field.Name,
		"project_number": c.Project.Number,
	}
	for name, value := range map[string]model.ProjectValue{"from": c.Was, "to": c.Is} {
		if value.ID != 0 {
			shown[name] = payloadValue(c.Field, value)
		}
	}
	return shown
}

func payloadValue(f *model.ProjectField, value model.ProjectValue) any {
	switch option, iteration := f.Option(value.Choice), f.Iteration(value.Choice); {
	case option != nil:
		return map[string]any{"id": option.ID, "name": option.Name, "color": option.Color, "description": option.Description}
	case iteration != nil:
		return map[string]any{"id": iteration.ID, "title": iteration.Title, "title_html": iteration.Title, "duration": iteration.Days, "start_date": iteration.Start}
	case f.Type == model.FieldNumber:
		return value.Number
	default:
		return value.Text
	}
}

// payloadComment is a comment of a thread as payloads have it: they say that its place
// is no more.
func (v *payloadView) payloadComment(c *model.ReviewComment, t *model.Thread) (map[string]any, error) {
	shown, err := v.commentInThread(c, t)
	if err != nil {
		return nil, err
	}
	fields := fieldsOf(shown)
	fields["position"] = shown.Position
	fields["reactions"] = v.reactions(shown.URL, c.ID)
	return fields, nil
}

func (v *payloadView) reviewCommented(body map[string]any) error {
	c, is := v.h.Subject.(*model.ReviewComment)
	if !is || v.h.Thread == nil || v.h.Issue == nil {
		return errNotFound
	}
	shown, err := v.payloadComment(c, v.h.Thread)
	body["comment"], body["pull_request"] = shown, v.pull(v.h.Issue)
	return err
}

func (v *payloadView) threadResolved(body map[string]any) error {
	comments := []map[string]any{}
	for _, c := range v.s.VisibleComments(0, v.h.Thread) {
		shown, err := v.payloadComment(c, v.h.Thread)
		if err != nil {
			return err
		}
		comments = append(comments, shown)
	}
	body["pull_request"], body["updated_at"] = v.pull(v.h.Issue), at(v.h.Issue.UpdatedAt)
	body["thread"] = map[string]any{"node_id": model.NodeID(model.NodeThread, v.h.RepoID, v.h.Thread.ID), "comments": comments}
	return nil
}

// protectionRule is a rule of the classic protection of branches.
func (v *payloadView) protectionRule(p *model.ProtectionRule) any {
	actors := []string{}
	if p.Pushers != nil {
		for _, id := range p.Pushers.Users {
			actors = append(actors, v.s.Login(id))
		}
	}
	return map[string]any{
		"id": p.ID, "repository_id": v.h.RepoID, "name": p.Pattern, "created_at": at(v.h.Repo.UpdatedAt), "updated_at": at(v.h.Repo.UpdatedAt),
		"admin_enforced": p.AdminsToo, "authorized_actor_names": actors, "authorized_actors_only": p.Pushers != nil,
		"authorized_dismissal_actors_only": p.Dismissers != nil, "create_protected": p.BlocksCreations,
		"allow_deletions_enforcement_level": p.Enforced(p.Deletions), "allow_force_pushes_enforcement_level": p.Enforced(p.ForcePushes),
		"dismiss_stale_reviews_on_push": p.DismissStale, "ignore_approvals_from_contributors": false,
		"linear_history_requirement_enforcement_level": p.Enforced(p.LinearHistory), "lock_branch_enforcement_level": p.Enforced(p.Locked),
		"lock_allows_fork_sync": p.LockAllowsSyncing, "merge_queue_enforcement_level": p.Enforced(false),
		"pull_request_reviews_enforcement_level": p.Enforced(p.AsksForPulls()), "require_code_owner_review": p.CodeOwners,
		"require_last_push_approval": p.LastPushApproval, "required_approving_review_count": p.RequiredApprovals,
		"required_conversation_resolution_level": p.Enforced(p.Conversations), "required_deployments_enforcement_level": p.Enforced(false),
		"required_status_checks": append([]string{}, p.RequiredChecks...), "required_status_checks_enforcement_level": p.Enforced(p.AsksForChecks()),
		"signature_requirement_enforcement_level": p.Enforced(p.Signatures), "strict_required_status_checks_policy": p.Strict,
	}
}

func (v *payloadView) dispatched(body map[string]any) error {
	d, is := v.h.Subject.(*model.Dispatched)
	if !is {
		return errNotFound
	}
	body["workflow"], body["ref"], body["inputs"] = d.Workflow.Path, d.Ref, nil
	if len(d.Inputs) > 0 {
		body["inputs"] = d.Inputs
	}
	return nil
}
