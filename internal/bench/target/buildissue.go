package target

import (
	"cmp"
	"context"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/bench/world"
)

// discussed is an issue or a pull request that was made.
type discussed struct {
	number int
	nodeID string
	fields map[string]any
}

// issues plans the issues.
func (r *repository) issues() {
	made := map[string]*discussed{}
	opened := map[string]time.Time{}
	all := make([]discussed, len(r.plan.Issues))
	for i := range r.plan.Issues {
		issue, d := &r.plan.Issues[i], &all[i]
		if issue.As != "" {
			made[issue.As], opened[issue.As] = d, issue.When.Time
		}
		r.then(issue.Place, issue.When.Time, quoted("open issue", issue.Title), func(ctx context.Context) error { return r.openIssue(ctx, issue, d) })
		r.discussion(&issue.Conversation, d)
		if c := issue.Closed; c != nil {
			r.then(c.Place, c.When.Time, quoted("close issue", issue.Title), func(ctx context.Context) error {
				return r.editIssue(ctx, r.triager(cmp.Or(c.By, issue.By)), d, &gh.IssueRequest{
					State: gh.String("closed"), StateReason: gh.String(cmp.Or(c.Reason, "completed")),
				})
			})
		}
	}
	for i := range r.plan.Issues {
		r.relations(&r.plan.Issues[i], &all[i], made, opened)
	}
}

const (
	addSubIssue = `mutation($issue: ID!, $other: ID!) { addSubIssue(input: {issueId: $other, subIssueId: $issue}) { clientMutationId } }`
	addBlocker  = `mutation($issue: ID!, $other: ID!) { addBlockedBy(input: {issueId: $issue, blockingIssueId: $other}) { clientMutationId } }`
)

// relations plans what an issue has to do with others, as soon as both are
// there.
func (r *repository) relations(issue *world.Issue, d *discussed, made map[string]*discussed, opened map[string]time.Time) {
	relate := func(mutation, name, numberField, idField string) {
		other := made[name]
		at := opened[name]
		if issue.When.Time.After(at) {
			at = issue.When.Time
		}
		r.then(issue.Place, at, quoted("relate issue", issue.Title), func(ctx context.Context) error {
			if d.fields[numberField] == nil {
				d.fields[numberField], d.fields[idField] = other.number, other.nodeID
			}
			return r.mutate(ctx, r.maintainer(), mutation, map[string]any{"issue": d.nodeID, "other": other.nodeID}, nil)
		})
	}
	if issue.Parent != "" {
		relate(addSubIssue, issue.Parent, world.FieldParentNumber, world.FieldParentID)
	}
	for _, name := range issue.BlockedBy {
		relate(addBlocker, name, world.FieldBlockerNumber, world.FieldBlockerID)
	}
}

// openIssue opens an issue, and has it sorted by somebody who may.
func (r *repository) openIssue(ctx context.Context, issue *world.Issue, d *discussed) error {
	by := r.by(issue.By)
	request := &gh.IssueRequest{Title: gh.String(issue.Title), Body: r.text(issue.Body)}
	sorted := r.sorting(&issue.Conversation)
	alone := r.triager(by) == by
	if alone && sorted != nil {
		request.Labels, request.Assignees, request.Milestone = sorted.Labels, sorted.Assignees, sorted.Milestone
	}
	var made *gh.Issue
	err := r.write(ctx, func() (err error) {
		made, _, err = r.rest(by).Issues.Create(ctx, r.owner, r.name, request)
		return err
	})
	if err != nil {
		return err
	}
	d.number, d.nodeID = made.GetNumber(), made.GetNodeID()
	d.fields = map[string]any{
		"id": d.nodeID, "database_id": made.GetID(), "number": d.number, "url": made.GetHTMLURL(), "title": issue.Title, "author": made.GetUser().GetLogin(),
	}
	r.noted(&issue.Conversation, d)
	if alone || sorted == nil {
		return nil
	}
	return r.editIssue(ctx, r.maintainer(), d, sorted)
}

// noted gives an issue or pull request its name, and the fields that it has
// besides its own.
func (r *repository) noted(i *world.Conversation, d *discussed) {
	if i.Milestone != "" {
		d.fields[world.FieldMilestoneNumber] = r.milestones[i.Milestone]
	}
	if len(i.Assignees) > 0 {
		d.fields[world.FieldAssignee] = r.login(i.Assignees[0])
	}
	if len(i.Labels) > 0 {
		d.fields[world.FieldLabel] = i.Labels[0]
	}
	r.export(i.As, d.fields)
	if i.As != "" {
		r.contents[i.As], r.numbers[i.As] = d.nodeID, d.number
	}
}

// sorting is what labels, assignees and milestone an issue or pull request
// gets, nil for none.
func (r *repository) sorting(i *world.Conversation) *gh.IssueRequest {
	if len(i.Labels)+len(i.Assignees) == 0 && i.Milestone == "" {
		return nil
	}
	request := &gh.IssueRequest{}
	if len(i.Labels) > 0 {
		request.Labels = &i.Labels
	}
	if logins := r.loginsOf(i.Assignees); len(logins) > 0 {
		request.Assignees = &logins
	}
	if i.Milestone != "" {
		request.Milestone = gh.Int(r.milestones[i.Milestone])
	}
	return request
}

func (r *repository) editIssue(ctx context.Context, by string, d *discussed, request *gh.IssueRequest) error {
	return r.write(ctx, func() error {
		_, _, err := r.rest(by).Issues.Edit(ctx, r.owner, r.name, d.number, request)
		return err
	})
}

// discussion plans the comments and reactions.
func (r *repository) discussion(i *world.Conversation, d *discussed) {
	for n := range i.Comments {
		c := &i.Comments[n]
		r.then(c.Place, c.When.Time, quoted("comment on", i.Title), func(ctx context.Context) error { return r.comment(ctx, c, d) })
	}
	for _, content := range i.Reactions {
		r.then(i.Place, i.When.Time, quoted("react to", i.Title), func(ctx context.Context) error {
			return r.write(ctx, func() error {
				_, _, err := r.rest(r.maintainer()).Reactions.CreateIssueReaction(ctx, r.owner, r.name, d.number, content)
				return err
			})
		})
	}
}

func (r *repository) comment(ctx context.Context, c *world.Comment, d *discussed) error {
	var made *gh.IssueComment
	err := r.write(ctx, func() (err error) {
		made, _, err = r.rest(r.by(c.By)).Issues.CreateComment(ctx, r.owner, r.name, d.number, &gh.IssueComment{Body: r.text(c.Body)})
		return err
	})
	if err != nil {
		return err
	}
	r.export(c.As, map[string]any{"id": made.GetID(), "node_id": made.GetNodeID(), "url": made.GetHTMLURL()})
	for _, content := range c.Reactions {
		err := r.write(ctx, func() error {
			_, _, err := r.rest(r.maintainer()).Reactions.CreateIssueCommentReaction(ctx, r.owner, r.name, made.GetID(), content)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
