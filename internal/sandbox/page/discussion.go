package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

type discussionView struct {
	top
	repoTop
	Pill     pill
	Heading  string
	Number   int
	Facts    []fact
	Body     string
	Said     []saying
	Threads  []threadView
	Checks   []entry
	Commits  []entry
	Files    []fileView
	IsPull   bool
	Problem  string
	MoreSaid int
}

// saying is a comment, a review or an event.
type saying struct {
	at        time.Time
	Who, What string
	Pill      *pill
	When      string
	Body      string
}

type threadView struct {
	Place string
	Pill  pill
	Hunk  string
	Said  []saying
}

type fileView struct {
	Path, Status         string
	Additions, Deletions int
	Patch                string
}

// discussion is the page of an issue or pull request.
func discussion(at *look) (any, bool) {
	s := at.state
	repo, found := at.repo()
	number, err := strconv.Atoi(at.PathValue("number"))
	if !found || err != nil {
		return nil, false
	}
	i := s.Issue(repo, number)
	if i == nil {
		return nil, false
	}
	view := discussionView{
		top: top{Title: fmt.Sprintf("%s#%d", s.FullName(repo), number), Above: above(s, repo)}, repoTop: repoTops(s, repo, "issues"),
		Pill: issuePill(i), Heading: i.Title, Number: number, Body: clipped(i.Body), Facts: issueFacts(s, i),
	}
	view.Said = said(s, i)
	if more := len(view.Said) - maxList; more > 0 {
		view.Said, view.MoreSaid = view.Said[:maxList], more
	}
	if i.Pull != nil {
		view.repoTop, view.IsPull = repoTops(s, repo, "pulls"), true
		view.pull(s, repo, i)
	}
	return view, true
}

func issueFacts(s *model.State, i *model.Issue) []fact {
	facts := []fact{
		newFact("Author", s.Login(i.AuthorID)), newFact("Labels", labels(s, i.Labels)...), newFact("Assignees", logins(s, i.Assignees)...),
		newFact("Opened", when(i.CreatedAt)), newFact("Updated", when(i.UpdatedAt)),
		related(s, "Sub-issues", i.SubIssues), related(s, "Blocked by", i.BlockedBy),
	}
	if m := s.Milestones.Get(i.MilestoneID); m != nil {
		facts = append(facts, newFact("Milestone", m.Title))
	}
	if i.Locked {
		facts = append(facts, newFact("Conversation", "locked"))
	}
	if i.Pull != nil {
		facts = append(facts, pullFacts(s, i)...)
	}
	return some(facts...)
}

func pullFacts(s *model.State, i *model.Issue) []fact {
	p := i.Pull
	merge := ""
	if state, err := s.MergeState(i); err == nil && !i.Closed {
		merge = strings.ToLower(string(state))
	}
	facts := []fact{
		newFact("Branches", p.HeadRef+" → "+p.BaseRef), newFact("Head", shortSHA(p.HeadSHA)), newFact("Merge state", merge),
		newFact("Review decision", strings.ToLower(strings.ReplaceAll(s.ReviewDecision(i), "_", " "))),
		newFact("Reviewers asked", logins(s, p.RequestedReviewers)...),
	}
	var closes []model.ID
	for _, issue := range s.Closes(i) {
		closes = append(closes, issue.ID)
	}
	facts = append(facts, related(s, "Closes", closes))
	if p.Merged() {
		facts = append(facts, newFact("Merged", fmt.Sprintf("%s by %s as %s", when(*p.MergedAt), s.Login(p.MergedBy), shortSHA(p.MergeCommitSHA))))
	}
	return facts
}

// related are issues, with their pages.
func related(s *model.State, name string, ids []model.ID) fact {
	f := fact{Name: name}
	for _, id := range ids {
		if i := s.Issues.Get(id); i != nil {
			f.Values = append(f.Values, link{fmt.Sprintf("#%d %s", i.Number, i.Title), issuePath(s, i)})
		}
	}
	return f
}

func labels(s *model.State, ids []model.ID) []string {
	var names []string
	for _, id := range ids {
		if label := s.Labels.Get(id); label != nil {
			names = append(names, label.Name)
		}
	}
	return names
}

func logins(s *model.State, ids []model.ID) []string {
	var names []string
	for _, id := range ids {
		names = append(names, s.Login(id))
	}
	return names
}

// said is what was said and done on an issue, oldest first.
func said(s *model.State, i *model.Issue) []saying {
	var all []saying
	for _, c := range s.CommentsOf(i) {
		all = append(all, saying{at: c.CreatedAt, Who: s.Login(c.AuthorID), What: edited("commented", c.CreatedAt, c.UpdatedAt), Body: clipped(c.Body)})
	}
	for r := range s.Reviews.All() {
		if r.IssueID == i.ID {
			all = append(all, saying{at: r.CreatedAt, Who: s.Login(r.AuthorID), What: "reviewed", Pill: new(reviewPill(r.State)), Body: clipped(r.Body)})
		}
	}
	for e := range s.Events.All() {
		if e.IssueID == i.ID && e.Kind != "reviewed" && e.Kind != "commented" {
			all = append(all, saying{at: e.CreatedAt, Who: s.Login(e.ActorID), What: eventText(s, e)})
		}
	}
	slices.SortStableFunc(all, func(a, b saying) int { return a.at.Compare(b.at) })
	for n := range all {
		all[n].When = when(all[n].at)
	}
	return all
}

// edited adds to what was done that it was changed since.
func edited(done string, made, changed time.Time) string {
	if changed.After(made) {
		return done + ", edited " + when(changed)
	}
	return done
}

func reviewPill(state model.ReviewState) pill {
	word := strings.ToLower(strings.ReplaceAll(string(state), "_", " "))
	switch state {
	case model.ReviewApproved:
		return pill{word, good}
	case model.ReviewChangesRequested:
		return pill{word, bad}
	case model.ReviewPending:
		return pill{word, busy}
	default:
		return pill{word, neutral}
	}
}

// eventText is an event in words, with GitHub's name for it.
func eventText(s *model.State, e *model.Event) string {
	words := []string{strings.ReplaceAll(e.Kind, "_", " ")}
	if label := s.Labels.Get(e.LabelID); label != nil {
		words = append(words, label.Name)
	}
	switch subject := e.SubjectID; {
	case s.Users.Get(subject) != nil:
		words = append(words, s.Login(subject))
	case s.Issues.Get(subject) != nil:
		words = append(words, fmt.Sprintf("#%d", s.Issues.Get(subject).Number))
	}
	if e.CommitSHA != "" {
		words = append(words, shortSHA(e.CommitSHA))
	}
	return strings.Join(words, " ")
}

// pull adds what a pull request has beyond an issue.
func (v *discussionView) pull(s *model.State, repo *model.Repo, i *model.Issue) {
	for t := range s.Threads.All() {
		if t.IssueID == i.ID && len(v.Threads) < maxList {
			v.Threads = append(v.Threads, threadOf(s, t))
		}
	}
	rollup := s.Rollup(repo, i.Pull.HeadSHA)
	for _, c := range rollup.Runs {
		v.Checks = append(v.Checks, checkEntry(s, repo, c))
	}
	for _, c := range rollup.Statuses {
		v.Checks = append(v.Checks, entry{Link: link{Text: c.Context}, Notes: []string{string(c.State), c.Description}, When: when(c.CreatedAt)})
	}
	commits, err := s.PullCommits(i)
	if err != nil {
		v.Problem = err.Error()
	}
	for _, c := range commits[:min(len(commits), maxList)] {
		v.Commits = append(v.Commits, entry{Link: link{Text: subject(c.Message)}, Notes: []string{shortSHA(c.Hash.String()), "by " + c.Author.Name}, When: when(c.Author.When)})
	}
	files, err := s.PullDiff(i)
	if err != nil {
		v.Problem = err.Error()
	}
	for _, f := range files[:min(len(files), maxList)] {
		v.Files = append(v.Files, fileView{f.Path, f.Status, f.Additions, f.Deletions, clipped(f.Patch)})
	}
}

func subject(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return line
}

func threadOf(s *model.State, t *model.Thread) threadView {
	v := threadView{Place: t.Path, Pill: pill{"open", busy}}
	if t.Line > 0 {
		v.Place = fmt.Sprintf("%s, line %d", t.Path, t.Line)
	}
	if place, err := s.PlaceOf(t); err == nil && place.Outdated {
		v.Place += " (outdated)"
	}
	if t.Resolved {
		v.Pill = pill{"resolved by " + s.Login(t.ResolvedBy), good}
	}
	for _, c := range s.CommentsOfThread(t.ID) {
		if v.Hunk == "" {
			v.Hunk = clipped(c.DiffHunk)
		}
		v.Said = append(v.Said, saying{Who: s.Login(c.AuthorID), What: edited("commented", c.CreatedAt, c.UpdatedAt), When: when(c.CreatedAt), Body: clipped(c.Body)})
	}
	return v
}

// checkEntry shows a check; one of Actions leads to its run.
func checkEntry(s *model.State, repo *model.Repo, c *model.CheckRun) entry {
	e := entry{Pill: new(resultPill(c.Status, c.Conclusion)), Link: link{Text: c.Name}, When: when(c.StartedAt)}
	if app := s.Apps.Get(c.AppID); app != nil {
		e.Notes = append(e.Notes, app.Name)
	}
	if c.Output.Title != "" {
		e.Notes = append(e.Notes, c.Output.Title)
	}
	if c.Output.Summary != "" {
		e.Notes = append(e.Notes, clipped(c.Output.Summary))
	}
	if job := s.Jobs.Get(c.ID); job != nil {
		e.Link.Path = repoPath(s, repo, "runs", strconv.FormatInt(job.RunID, 10))
	}
	return e
}
