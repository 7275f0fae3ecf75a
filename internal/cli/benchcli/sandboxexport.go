package benchcli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// githubExport is what GitHub's REST API has listed of a repository: issues, pull requests,
// comments on them, labels, milestones. The zero value is empty.
type githubExport struct {
	issues     map[int]*gh.Issue
	pulls      map[int]*gh.PullRequest
	comments   map[int]*gh.IssueComment // by id
	labels     []*gh.Label
	milestones map[int]*gh.Milestone
}

// exportedKinds are how what is listed is told apart: by fields that all of one kind have, and
// those of the kinds before it have not.
var exportedKinds = []struct {
	fields []string
	add    func(*githubExport, json.RawMessage) error
}{
	{[]string{"pull_request_url", "diff_hunk"}, func(*githubExport, json.RawMessage) error {
		return errors.New("comments on lines of a pull request cannot be imported yet: leave them out")
	}},
	{[]string{"number", "head", "base"}, listedAs(func(e *githubExport, p *gh.PullRequest) { putAt(&e.pulls, p.GetNumber(), p) })},
	{[]string{"issue_url", "body"}, listedAs(func(e *githubExport, c *gh.IssueComment) { putAt(&e.comments, int(c.GetID()), c) })},
	{[]string{"number", "title", "open_issues"}, listedAs(func(e *githubExport, m *gh.Milestone) { putAt(&e.milestones, m.GetNumber(), m) })},
	{[]string{"number", "title", "labels"}, listedAs(func(e *githubExport, i *gh.Issue) { putAt(&e.issues, i.GetNumber(), i) })},
	{[]string{"name", "color"}, listedAs(func(e *githubExport, l *gh.Label) { e.labels = append(e.labels, l) })},
}

func listedAs[T any](add func(*githubExport, *T)) func(*githubExport, json.RawMessage) error {
	return func(e *githubExport, raw json.RawMessage) error {
		one := new(T)
		if err := json.Unmarshal(raw, one); err != nil {
			return err
		}
		add(e, one)
		return nil
	}
}

func putAt[T any](all *map[int]T, number int, one T) {
	if *all == nil {
		*all = map[int]T{}
	}
	(*all)[number] = one
}

// read adds what a file has: lists, or single objects, one after the other, as `gh api
// --paginate` prints them. An error is of kind invalid and says which one is wrong.
func (e *githubExport) read(r io.Reader) error {
	decoder := json.NewDecoder(bufio.NewReader(r))
	for count := 1; ; {
		var value json.RawMessage
		if err := decoder.Decode(&value); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fault.Invalidf("after %d objects: %w", count-1, err)
		}
		list := []json.RawMessage{value}
		if value[0] == '[' {
			if err := json.Unmarshal(value, &list); err != nil {
				return fault.Invalidf("after %d objects: %w", count-1, err)
			}
		}
		for _, one := range list {
			if err := e.add(one); err != nil {
				return fault.Invalidf("object %d: %w", count, err)
			}
			count++
		}
	}
}

func (e *githubExport) add(raw json.RawMessage) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return fmt.Errorf("it is no object: %w", err)
	}
	for _, kind := range exportedKinds {
		if !slices.ContainsFunc(kind.fields, func(name string) bool { _, has := fields[name]; return !has }) {
			return kind.add(e, raw)
		}
	}
	return errors.New("it is no issue, pull request, comment, label or milestone as GitHub's REST API lists them; `gh api --paginate 'repos/OWNER/REPO/issues?state=all'` prints them so")
}

// fill has an import bring what was read. What it returns are the numbers of pull
// requests of which the list of issues tells and no list of pull requests.
func (e *githubExport) fill(to *model.Imported) (unlisted []int) {
	for _, l := range e.labels {
		to.Labels = append(to.Labels, model.NewLabel{Name: l.GetName(), Color: l.GetColor(), Description: l.GetDescription()})
	}
	for _, i := range e.issues {
		if m := i.Milestone; m != nil && e.milestones[m.GetNumber()] == nil {
			putAt(&e.milestones, m.GetNumber(), m)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(e.milestones)) {
		to.Milestones = append(to.Milestones, importedMilestone(e.milestones[number]))
	}
	numbers := slices.Sorted(maps.Keys(e.issues))
	for _, number := range slices.Sorted(maps.Keys(e.pulls)) {
		if e.issues[number] == nil {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		i, p := e.issues[number], e.pulls[number]
		switch {
		case p != nil:
			to.Issues = append(to.Issues, importedPull(p, i))
			if owner := p.GetBase().GetRepo().GetOwner().GetType(); owner != "" {
				to.OwnerType = model.UserType(owner)
			}
		case i.IsPullRequest():
			unlisted = append(unlisted, number)
		default:
			to.Issues = append(to.Issues, importedIssue(i))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(e.comments)) {
		c := e.comments[id]
		number, err := strconv.Atoi(path.Base(c.GetIssueURL()))
		if err != nil || slices.Contains(unlisted, number) {
			continue
		}
		to.Comments = append(to.Comments, model.ImportedComment{
			Number: number, Author: c.GetUser().GetLogin(), Body: c.GetBody(), Created: c.GetCreatedAt().Time, Updated: c.GetUpdatedAt().Time,
		})
	}
	slices.SortStableFunc(to.Comments, func(a, b model.ImportedComment) int { return a.Created.Compare(b.Created) })
	return unlisted
}

func importedMilestone(m *gh.Milestone) model.Milestone {
	return model.Milestone{
		Number: m.GetNumber(), Title: m.GetTitle(), Description: m.GetDescription(), Closed: m.GetState() == "closed",
		DueOn: importedTime(m.DueOn), CreatedAt: m.GetCreatedAt().Time, UpdatedAt: m.GetUpdatedAt().Time, ClosedAt: importedTime(m.ClosedAt),
	}
}

func importedIssue(i *gh.Issue) model.ImportedIssue {
	made := model.ImportedIssue{
		Issue: model.Issue{
			Number: i.GetNumber(), Title: i.GetTitle(), Body: i.GetBody(), Closed: i.GetState() == "closed", StateReason: i.GetStateReason(),
			Locked: i.GetLocked(), LockReason: i.GetActiveLockReason(),
			CreatedAt: i.GetCreatedAt().Time, UpdatedAt: i.GetUpdatedAt().Time, ClosedAt: importedTime(i.ClosedAt),
		},
		Author: i.GetUser().GetLogin(), Closer: i.GetClosedBy().GetLogin(), Assignees: loginsOf(i.Assignees), Milestone: i.GetMilestone().GetNumber(),
	}
	for _, l := range i.Labels {
		made.Labels = append(made.Labels, l.GetName())
	}
	return made
}

// importedPull is a pull request, of which the list of issues may say more.
func importedPull(p *gh.PullRequest, listed *gh.Issue) model.ImportedIssue {
	if listed == nil {
		listed = &gh.Issue{
			Number: p.Number, Title: p.Title, Body: p.Body, State: p.State, Locked: p.Locked, ActiveLockReason: p.ActiveLockReason,
			CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, ClosedAt: p.ClosedAt,
			User: p.User, Assignees: p.Assignees, Labels: p.Labels, Milestone: p.Milestone,
		}
	}
	made := importedIssue(listed)
	made.StateReason = ""
	made.Pull = &model.Pull{
		HeadRef: p.GetHead().GetRef(), HeadSHA: p.GetHead().GetSHA(), BaseRef: p.GetBase().GetRef(), BaseSHA: p.GetBase().GetSHA(),
		Draft: p.GetDraft(), MaintainerCanModify: p.GetMaintainerCanModify(), MergedAt: importedTime(p.MergedAt),
	}
	if made.Pull.Merged() {
		made.Merger, made.Pull.MergeCommitSHA = p.GetMergedBy().GetLogin(), p.GetMergeCommitSHA()
	}
	made.Reviewers = loginsOf(p.RequestedReviewers)
	if head, base := p.GetHead().GetRepo(), p.GetBase().GetRepo(); head == nil {
		made.HeadGone = true
	} else if head.GetFullName() != base.GetFullName() {
		made.HeadOwner = head.GetOwner().GetLogin()
	}
	return made
}

func loginsOf(users []*gh.User) (all []string) {
	for _, u := range users {
		all = append(all, u.GetLogin())
	}
	return all
}

// importedTime is a time, nil for none.
func importedTime(t *gh.Timestamp) *time.Time {
	if t == nil || t.IsZero() {
		return nil
	}
	utc := t.UTC()
	return &utc
}

// repositoryOf splits OWNER/NAME, or the address of a repository on GitHub. The error is of
// kind invalid.
func repositoryOf(name string) (owner, repo string, err error) {
	short := strings.TrimSuffix(name, ".git")
	for _, prefix := range []string{"https://github.com/", "git@github.com:", "ssh://git@github.com/"} {
		short = strings.TrimPrefix(short, prefix)
	}
	owner, repo, found := strings.Cut(short, "/")
	if !found || owner == "" || repo == "" || strings.Contains(repo, "/") {
		return "", "", fault.Invalidf("%q is not OWNER/NAME", name)
	}
	return owner, repo, nil
}
