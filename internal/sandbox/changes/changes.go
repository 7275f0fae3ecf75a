// Package changes tells what became of the objects of a sandbox, in words that a
// person reads and in values that a program compares.
//
// A world's log has one [Event] for each object that a request changed, and one
// more for each that GitHub's own rules changed in consequence. Rows are
// compared field by field, whatever their kind, so that what the model learns
// is told of without being named here. What always follows from other changes
// is left out: timelines, feeds, check suites, the jobs of runs and their check runs.
// Fields that say when, or count, are left out too.
//
// An event names those whom GitHub sends a notification of it and of nothing
// else: who is assigned, asked for a review or newly mentioned, who is subscribed
// to what is closed or reopened, and who watches a repository where something is
// opened or published. Comments, reviews and pushes tell people too, and are in
// the log themselves.
//
// # Names
//
// Objects and what they are called:
//
//	account          octocat
//	repository       octocat/hello
//	issue            octocat/hello#1
//	pull request     octocat/hello#2
//	comment          1000009 on octocat/hello#1
//	review, review thread, review comment: like comment
//	reaction         heart of octocat to octocat/hello#1
//	label, milestone octocat/hello: bug
//	branch, tag      octocat/hello: main
//	release          octocat/hello: v1.0
//	discussion       octocat/hello#3
//	discussion comment  1000045 on octocat/hello#3
//	workflow         octocat/hello: .github/workflows/ci.yml
//	workflow run     octocat/hello: 1000042
//	artifact         octocat/hello: coverage
//	check run        octocat/hello: 1000043
//	commit status    octocat/hello: ci/build on 4b825dc642cb6eb9a060e54bf8d69288fbee4904
//	environment      octocat/hello: production
//	deployment, deployment status: octocat/hello: 1000046
//	webhook          octocat/hello: 1000044 (an organization's: acme: 1000044)
//	notification     octocat of octocat/hello#1
//	project          octocat/1
//	project field    octocat/1: Status
//	project item     octocat/1: octocat/hello#1 (a draft: octocat/1: 1000050)
//	App, installation, gist, team
//
// Fields have the names of GitHub's REST API where it has them, else those of
// its GraphQL API with underscores. Values are JSON's: nil for what is not
// there (empty texts too), bool, string, int, float64, []any and
// map[string]any. Accounts are logins, labels and milestones names, other
// objects what they are called; times are RFC 3339 in UTC.
//
//	issue            title, body, author, state (open, closed), state_reason, closed_at, closed_by, labels, assignees,
//	                 milestone, locked, active_lock_reason, pinned, sub_issues, blocked_by, linked_branches,
//	                 repository (if it was transferred)
//	pull request     those of an issue, and draft, head.ref, head.sha, head.repo, base.ref, base.sha, merged,
//	                 merged_at, merged_by, merge_commit_sha, merge_method (merge, squash, rebase), merge_commit_message,
//	                 requested_reviewers, requested_teams, maintainer_can_modify,
//	                 auto_merge {enabled_by, merge_method, commit_title, commit_message}, queue {enqueued_by, jump}
//	comment          issue, author, body
//	review           issue, author, state (PENDING, COMMENTED, APPROVED, CHANGES_REQUESTED, DISMISSED), body, commit_id
//	review thread    issue, path, line, start_line, side, start_side, subject_type (line, file), resolved, resolved_by, commit_id
//	review comment   thread, review, author, body, in_reply_to, path, line, start_line, side, start_side, commit_id, diff_hunk
//	reaction         subject, user, content
//	label            name, color, description, default
//	milestone        number, title, description, creator, state, due_on, closed_at
//	branch, tag      commit, and of that commit message, parents (how many), author
//	release          tag_name, target_commitish, name, body, author, draft, prerelease, assets [{name, label, size, digest, …}]
//	discussion       title, body, author, category, answer, answer_chosen_by, state, state_reason, closed_at, locked, active_lock_reason,
//	                 labels, upvoters
//	discussion comment  discussion, author, body, reply_to, minimized, upvoters, deleted_at
//	workflow         path, name, state (active, disabled_manually)
//	workflow run     workflow, event, status, conclusion, attempt (its number), rerun (all, failed, job; of the newest
//	                 attempt), jobs (names of those that the newest attempt ran anew), steps (of these, "job / step"
//	                 of each that ran, with its conclusion), logs (false once they are deleted), inputs, actor,
//	                 triggering_actor, head_branch, head_sha, run_number, display_title, pull_request
//	check run        name, status, conclusion, head_sha, output.title, output.summary, output.text, annotations, actions, …
//	commit status    commit_id, creator, state (error, failure, pending, success), context, description, target_url
//	environment      name, protected_branches, custom_policies, policies, secrets, variables
//	deployment       creator, ref, commit_id, task, payload, environment, description, transient, production, original_environment
//	deployment status  deployment, creator, state (error, failure, inactive, in_progress, queued, pending, success),
//	                 description, environment, log_url, environment_url
//	repository       name, description, private, archived, topics, default_branch, allow_squash_merge, …
//	notification     unread, done, ignored, subscribed, last_read_at, reason
//	project          title, short_description, readme, public, closed, template, …
//	project item     content, archived, draft.title, draft.body, draft.assignees, values.<field> such as values.Status
package changes

import (
	"iter"
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Kind is what became of an object.
type Kind string

// The kinds.
const (
	Created Kind = "created"
	Changed Kind = "changed"
	Deleted Kind = "deleted"
)

// Change is what became of one object.
type Change struct {
	Kind Kind `json:"change"`
	Object
	// Fields are those that differ; of a new object, and of one that is gone,
	// those that are not empty.
	Fields []Field `json:"fields,omitempty"`
}

// Object names an object.
type Object struct {
	// Kind is a noun such as "pull request" or "branch".
	Kind string `json:"object"`
	// Name tells it from others of its kind, such as "octocat/hello#5".
	Name string `json:"name"`
	// Title is what it is called or how its text begins; possibly empty.
	Title string `json:"title,omitempty"`
	// ID is its database id, 0 for a ref.
	ID model.ID `json:"id,omitempty"`
}

// String is the object's kind and name.
func (o Object) String() string { return o.Kind + " " + o.Name }

// Field is a part of an object.
type Field struct {
	Name string `json:"name"`
	// Before and After are plain JSON values, nil for none.
	Before any `json:"before"`
	After  any `json:"after"`
}

// Compared returns how two states differ in rows and refs that may differ, in
// their order, rows first. Neither state may change meanwhile.
func Compared(before, after *model.State, rows iter.Seq[model.Touched], refs iter.Seq[model.MovedRef]) []Change {
	var found []Change
	for row := range rows {
		if c, differs := rowChange(before, after, row); differs {
			found = append(found, c)
		}
	}
	for ref := range refs {
		if c, told := refChange(before, after, ref); told {
			found = append(found, c)
		}
	}
	return found
}

// followers are the tables whose rows follow from those of others.
var followers = []string{"Events", "CheckSuites", "Jobs", "Activities"}

// rowChange tells what became of a row; differs is false for nothing.
func rowChange(before, after *model.State, row model.Touched) (c Change, differs bool) {
	switch {
	case slices.Contains(followers, row.Table), sent(row), follows(before, row.Before), follows(after, row.After):
		return Change{}, false
	case row.After == nil:
		return Change{Kind: Deleted, Object: named(before, row.Before), Fields: lost(before, row.Before)}, true
	case row.Before == nil:
		return Change{Kind: Created, Object: named(after, row.After), Fields: filled(after, row.After)}, true
	}
	fields := differing(before, after, row.Before, row.After)
	if len(fields) == 0 {
		return Change{}, false
	}
	return Change{Kind: Changed, Object: named(after, row.After), Fields: fields}, true
}

// sent reports whether a row is a notification that GitHub sends or takes back:
// that follows from what is told. What its reader does with it is told.
func sent(row model.Touched) bool {
	if row.Table != "Notifications" {
		return false
	}
	was, _ := row.Before.(*model.Notification)
	is, _ := row.After.(*model.Notification)
	return was == nil || is == nil || was.LatestID != is.LatestID || was.Reason != is.Reason || !was.UpdatedAt.Equal(is.UpdatedAt)
}

// follows reports whether a row says what another one says too: the check run
// of a job of Actions.
func follows(s *model.State, row any) bool {
	run, isCheck := row.(*model.CheckRun)
	if !isCheck {
		return false
	}
	app := s.App(model.ActionsSlug)
	return app != nil && run.AppID == app.ID
}
