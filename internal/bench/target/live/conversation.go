package live

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// The objects of a view, as a sandbox's log names them.
const (
	objectIssue         = "issue"
	objectPull          = "pull request"
	objectComment       = "comment"
	objectReview        = "review"
	objectThread        = "review thread"
	objectReviewComment = "review comment"
)

// conversationQuery asks for an issue or pull request and what was said there.
const conversationQuery = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) {
      ... on Issue {
        databaseId title body issueState: state stateReason locked activeLockReason author { login } milestone { title }
        labels(first: 100) { nodes { name } } assignees(first: 100) { nodes { login } }
        comments(first: 100) { totalCount nodes { databaseId body author { login } } }
      }
      ... on PullRequest {
        databaseId title body pullState: state isDraft merged headRefName baseRefName locked activeLockReason author { login } milestone { title }
        labels(first: 100) { nodes { name } } assignees(first: 100) { nodes { login } }
        comments(first: 100) { totalCount nodes { databaseId body author { login } } }
        mergeCommit { message parents { totalCount } }
        commits(last: 1) { totalCount nodes { commit { message } } }
        reviewRequests(first: 100) { nodes { requestedReviewer { ... on User { login } } } }
        reviews(first: 100) { totalCount nodes { databaseId state body author { login } } }
        reviewThreads(first: 100) { totalCount nodes {
          id isResolved path line startLine diffSide startDiffSide subjectType
          comments(first: 100) { totalCount nodes { databaseId body author { login } } }
        } }
      }
    }
  }
}`

// said is a comment or a review.
type said struct {
	DatabaseID  int64
	State, Body string
	Author      *struct{ Login string }
}

func (s said) by() string {
	if s.Author == nil {
		return ""
	}
	return s.Author.Login
}

// listOf is a list of which the first hundred are there.
type listOf[T any] struct {
	TotalCount int
	Nodes      []T
}

func (l listOf[T]) cut() bool { return l.TotalCount > len(l.Nodes) }

// named is what a conversation lists by name.
type named struct {
	Name, Login       string
	RequestedReviewer struct{ Login string }
}

// thread is a review thread.
type thread struct {
	ID                                         string
	IsResolved                                 bool
	Path, DiffSide, StartDiffSide, SubjectType string
	Line, StartLine                            *float64
	Comments                                   listOf[said]
}

// conversation is an issue or pull request. IssueState is empty of a pull
// request.
type conversation struct {
	said
	Title, IssueState, PullState, StateReason, ActiveLockReason string
	HeadRefName, BaseRefName                                    string
	Locked, IsDraft, Merged                                     bool
	Milestone                                                   struct{ Title string }
	Labels, Assignees, ReviewRequests                           listOf[named]
	Comments, Reviews                                           listOf[said]
	ReviewThreads                                               listOf[thread]
	MergeCommit                                                 *struct {
		Message string
		Parents struct{ TotalCount int }
	}
	Commits listOf[struct{ Commit struct{ Message string } }]
}

// addTo puts the conversation and what was said there into a view.
func (c *conversation) addTo(v view, name string) {
	object := objectIssue
	if c.IssueState == "" {
		object = objectPull
	}
	of := object + " " + name
	add := func(object, name, title string, id int64, by string, fields map[string]any) {
		v[object+" "+name] = sighting{Change: bench.Change{Object: object, Name: name, Title: title, ID: id, Actor: by}, fields: fields, of: of}
	}
	add(object, name, c.Title, c.DatabaseID, c.by(), c.fields())
	cut := c.Comments.cut() || c.Reviews.cut() || c.ReviewThreads.cut()
	on := func(id int64) string { return fmt.Sprintf("%d on %s", id, name) }
	for _, s := range c.Comments.Nodes {
		add(objectComment, on(s.DatabaseID), "", s.DatabaseID, s.by(), map[string]any{"body": text(s.Body)})
	}
	for _, s := range c.Reviews.Nodes {
		add(objectReview, on(s.DatabaseID), "", s.DatabaseID, s.by(), map[string]any{"state": text(s.State), "body": text(s.Body)})
	}
	for _, t := range c.ReviewThreads.Nodes {
		cut = cut || t.Comments.cut()
		for i, s := range t.Comments.Nodes {
			if i == 0 {
				// A thread has no number; that of its first comment tells it from others.
				add(objectThread, on(s.DatabaseID), "", s.DatabaseID, s.by(), t.fields())
			}
			add(objectReviewComment, on(s.DatabaseID), "", s.DatabaseID, s.by(), map[string]any{"body": text(s.Body)})
		}
	}
	whole := v[of]
	whole.cut = cut
	v[of] = whole
}

func (c *conversation) fields() map[string]any {
	fields := map[string]any{
		"title": text(c.Title), "body": text(c.Body), "state": strings.ToLower(c.IssueState), "state_reason": text(strings.ToLower(c.StateReason)),
		"locked": c.Locked, "active_lock_reason": text(strings.ToLower(c.ActiveLockReason)), "milestone": text(c.Milestone.Title),
		"labels":    names(c.Labels, func(n named) string { return n.Name }),
		"assignees": names(c.Assignees, func(n named) string { return n.Login }),
	}
	if c.IssueState != "" {
		return fields
	}
	fields["state"], fields["merged"] = "open", c.Merged
	if c.PullState != "OPEN" {
		fields["state"] = "closed"
	}
	fields["draft"], fields["head.ref"], fields["base.ref"] = c.IsDraft, c.HeadRefName, c.BaseRefName
	fields["requested_reviewers"] = names(c.ReviewRequests, func(n named) string { return n.RequestedReviewer.Login })
	if c.Merged && c.MergeCommit != nil {
		fields["merge_commit_message"] = text(c.MergeCommit.Message)
		if method := c.method(); method != "" {
			fields["merge_method"] = method
		}
	}
	return fields
}

// method tells how a pull request was merged, nothing where one commit's rebase
// and its squash look alike.
func (c *conversation) method() string {
	last := len(c.Commits.Nodes) - 1
	switch {
	case c.MergeCommit.Parents.TotalCount > 1:
		return "merge"
	case last < 0:
		return ""
	case strings.TrimSpace(c.Commits.Nodes[last].Commit.Message) != strings.TrimSpace(c.MergeCommit.Message):
		return "squash"
	case c.Commits.TotalCount > 1:
		return "rebase"
	default:
		return ""
	}
}

func (t thread) fields() map[string]any {
	return map[string]any{
		"path": text(t.Path), "line": number(t.Line), "start_line": number(t.StartLine), "side": text(t.DiffSide),
		"start_side": text(t.StartDiffSide), "subject_type": text(strings.ToLower(t.SubjectType)), "resolved": t.IsResolved,
	}
}

// text is a text as a log has it: one that is empty is none.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func number(n *float64) any {
	if n == nil {
		return nil
	}
	return *n
}

// names are those of a list, in one order; none of an empty one.
func names(list listOf[named], of func(named) string) any {
	var all []any
	for _, n := range list.Nodes {
		if name := of(n); name != "" {
			all = append(all, name)
		}
	}
	if all == nil {
		return nil
	}
	slices.SortFunc(all, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return all
}
