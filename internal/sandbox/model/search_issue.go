package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SearchIssues returns the issues and pull requests that the user may read and
// that a query of GitHub's search finds. A qualifier that is none of GitHub's
// counts as a word. A query that names what the user cannot see is refused, unless
// there is an alternative to that.
func (s *State) SearchIssues(actor ID, query string, order SearchOrder) ([]*Issue, error) {
	cases, err := searchCases(query)
	if err != nil {
		return nil, err
	}
	found, searched := map[*Issue]bool{}, false
	for _, terms := range cases {
		issues, by, refused := s.issuesWith(actor, terms, order)
		if refused != nil {
			err = refused
			continue
		}
		order, searched = by, true
		for _, i := range issues {
			found[i] = true
		}
	}
	if !searched {
		return nil, err
	}
	issues := slices.Collect(maps.Keys(found))
	s.sortFound(issues, order)
	return issues, nil
}

// issuesWith returns the issues and pull requests that meet all terms, and the order that
// one of those names.
func (s *State) issuesWith(actor ID, terms []searchTerm, order SearchOrder) ([]*Issue, SearchOrder, error) {
	scope, terms, err := s.searchScope(actor, terms)
	if err != nil {
		return nil, order, err
	}
	q := issueQuery{s: s, actor: actor}
	for _, term := range terms {
		switch term.qualifier {
		case "in":
			q.in = append(q.in, term.values...)
		case "sort":
			order = order.from(term.values)
		default:
			q.terms = append(q.terms, term)
		}
	}
	return s.Issues.Where(func(i *Issue) bool {
		repo := s.Repos.Get(i.RepoID)
		return scope[i.RepoID] && (i.Pull != nil || repo.HasIssues) && q.finds(repo, i)
	}), order, nil
}

// from reads an order from the qualifier sort, such as "updated-asc".
func (o SearchOrder) from(values []string) SearchOrder {
	if o.By != "" || len(values) == 0 {
		return o
	}
	by, ascending := strings.CutSuffix(values[0], "-asc")
	return SearchOrder{By: strings.TrimSuffix(by, "-desc"), Ascending: ascending}
}

func (s *State) sortFound(issues []*Issue, order SearchOrder) {
	slices.SortStableFunc(issues, func(a, b *Issue) int {
		by := 0
		kind, isReaction := strings.CutPrefix(order.By, "reactions")
		switch {
		case order.By == "updated":
			by = a.UpdatedAt.Compare(b.UpdatedAt)
		case order.By == "comments":
			by = cmp.Compare(s.CommentCount(a), s.CommentCount(b))
		case order.By == "interactions":
			by = cmp.Compare(s.interactions(a), s.interactions(b))
		case isReaction:
			kind = reactionInSearch(strings.TrimPrefix(kind, "-"))
			by = cmp.Compare(s.reactionCount(a, kind), s.reactionCount(b, kind))
		}
		return cmp.Or(by, a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	if !order.Ascending {
		slices.Reverse(issues)
	}
}

// reactionInSearch is the content of a reaction that searches name.
func reactionInSearch(name string) string {
	switch name {
	case "tada":
		return "hooray"
	case "thinking_face":
		return "confused"
	case "smile":
		return "laugh"
	default:
		return name
	}
}

// reactionCount counts the reactions to an issue, those of one content if that is named.
func (s *State) reactionCount(i *Issue, content string) int {
	n := 0
	for _, r := range s.ReactionsTo(i.ID) {
		if content == "" || r.Content == content {
			n++
		}
	}
	return n
}

// interactions counts the comments on an issue and the reactions to it.
func (s *State) interactions(i *Issue) int { return s.CommentCount(i) + s.reactionCount(i, "") }

// issueQuery is a search for issues and pull requests.
type issueQuery struct {
	s     *State
	actor ID
	terms []searchTerm
	// in says where words are looked for; empty means everywhere.
	in []string
}

func (q issueQuery) finds(repo *Repo, i *Issue) bool {
	return !slices.ContainsFunc(q.terms, func(term searchTerm) bool {
		match := slices.ContainsFunc(term.values, func(value string) bool { return q.has(repo, i, term.qualifier, value) })
		return match == term.negated
	})
}

func (q issueQuery) has(repo *Repo, i *Issue, qualifier, value string) bool {
	if is, known := q.people(i, qualifier, value); known {
		return is
	}
	if is, known := q.things(repo, i, qualifier, value); known {
		return is
	}
	switch qualifier {
	case "created":
		return InRange(value, i.CreatedAt)
	case "updated":
		return InRange(value, i.UpdatedAt)
	case "closed":
		return i.ClosedAt != nil && InRange(value, *i.ClosedAt)
	case "merged":
		return i.Pull != nil && i.Pull.Merged() && InRange(value, *i.Pull.MergedAt)
	case "comments":
		return numberInRange(value, q.s.CommentCount(i))
	case "reactions":
		return numberInRange(value, q.s.reactionCount(i, ""))
	case "interactions":
		return numberInRange(value, q.s.interactions(i))
	case "":
		return q.saysWord(i, value)
	default:
		return q.saysWord(i, qualifier+":"+value)
	}
}

// people answers qualifiers that name a user; known is false for others.
func (q issueQuery) people(i *Issue, qualifier, login string) (is, known bool) {
	who := q.actor
	if login != "@me" {
		who = 0
		if app, isApp := strings.CutPrefix(login, "app/"); isApp {
			login = app + "[bot]"
		}
		if u := q.s.User(login); u != nil {
			who = u.ID
		}
	}
	is = who != 0
	switch qualifier {
	case "author":
		return is && i.AuthorID == who, true
	case "assignee":
		return is && slices.Contains(i.Assignees, who) || login == "*" && len(i.Assignees) > 0, true
	case "mentions":
		return is && q.mentions(i, who), true
	case "commenter":
		return is && q.commented(i, who), true
	case "involves":
		return is && (i.AuthorID == who || slices.Contains(i.Assignees, who) || q.mentions(i, who) || q.commented(i, who)), true
	case "user-review-requested":
		return is && i.Pull != nil && slices.Contains(i.Pull.RequestedReviewers, who), true
	case "review-requested":
		return is && i.Pull != nil && (slices.Contains(i.Pull.RequestedReviewers, who) || slices.ContainsFunc(i.Pull.RequestedTeams, func(team ID) bool {
			return slices.Contains(q.s.Teams.Get(team).Members, who)
		})), true
	case "team-review-requested":
		return i.Pull != nil && slices.ContainsFunc(i.Pull.RequestedTeams, func(id ID) bool {
			team := q.s.Teams.Get(id)
			return strings.EqualFold(login, q.s.Login(team.OrgID)+"/"+team.Slug)
		}), true
	case "reviewed-by":
		return is && slices.ContainsFunc(q.s.ReviewsOf(0, i), func(r *Review) bool { return r.AuthorID == who }), true
	default:
		return false, false
	}
}

func (q issueQuery) mentions(i *Issue, who ID) bool { return containsFold(i.Body, "@"+q.s.Login(who)) }

func (q issueQuery) commented(i *Issue, who ID) bool {
	return slices.ContainsFunc(q.s.CommentsOf(i), func(c *Comment) bool { return c.AuthorID == who })
}

// things answers qualifiers about an issue's or pull request's state and what
// it has; known is false for others.
func (q issueQuery) things(repo *Repo, i *Issue, qualifier, value string) (is, known bool) {
	switch qualifier {
	case "type":
		return q.isA(repo, i, strings.ToLower(value)) || q.hasType(i, value), true
	case "is", "state":
		return q.isA(repo, i, strings.ToLower(value)), true
	case "draft":
		return i.Pull != nil && strconv.FormatBool(i.Pull.Draft) == value, true
	case "archived":
		return strconv.FormatBool(repo.Archived) == value, true
	case "label":
		l := q.s.Label(repo, value)
		return l != nil && slices.Contains(i.Labels, l.ID), true
	case "milestone":
		m := q.s.Milestones.Get(i.MilestoneID)
		return m != nil && (strings.EqualFold(m.Title, value) || value == "*"), true
	case "no":
		return q.lacks(i, strings.ToLower(value)), true
	case "has":
		return !q.lacks(i, strings.ToLower(value)), true
	case "linked":
		return q.linked(i, strings.ToLower(value)), true
	case "project":
		return slices.ContainsFunc(q.s.ItemsAbout(q.actor, i), func(item *ProjectItem) bool {
			p := q.s.Projects.Get(item.ProjectID)
			return strings.EqualFold(value, fmt.Sprintf("%s/%d", q.s.Login(p.OwnerID), p.Number))
		}), true
	case "language":
		return slices.ContainsFunc(repo.Languages[:min(1, len(repo.Languages))], func(l Language) bool { return strings.EqualFold(l.Name, value) }), true
	case "head":
		return i.Pull != nil && i.Pull.HeadRef == value, true
	case "base":
		return i.Pull != nil && i.Pull.BaseRef == value, true
	case "reason":
		return strings.EqualFold(strings.ReplaceAll(value, " ", "_"), i.StateReason), true
	case "review":
		return i.Pull != nil && q.reviewed(i) == strings.ToLower(value), true
	case "status":
		return i.Pull != nil && q.checked(repo, i) == strings.ToLower(value), true
	default:
		return false, false
	}
}

func (q issueQuery) isA(repo *Repo, i *Issue, what string) bool {
	switch what {
	case "issue":
		return i.Pull == nil
	case "pr", "pull-request":
		return i.Pull != nil
	case "open":
		return !i.Closed
	case "closed":
		return i.Closed
	case "merged":
		return i.Pull != nil && i.Pull.Merged()
	case "unmerged":
		return i.Pull != nil && !i.Pull.Merged()
	case "draft":
		return i.Pull != nil && i.Pull.Draft
	case "locked":
		return i.Locked
	case "unlocked":
		return !i.Locked
	case "public":
		return !repo.Private
	case "private":
		return repo.Private
	case "queued":
		return i.Pull != nil && i.Pull.Queue != nil
	default:
		return false
	}
}

// linked reports whether an issue has a pull request that closes it, or a pull request
// closes an issue.
func (q issueQuery) linked(i *Issue, what string) bool {
	if i.Pull != nil {
		return what == "issue" && len(q.s.Closes(i)) > 0
	}
	return what == "pr" && len(q.s.ClosingPulls(i)) > 0
}

func (q issueQuery) lacks(i *Issue, what string) bool {
	switch what {
	case "label":
		return len(i.Labels) == 0
	case "milestone":
		return i.MilestoneID == 0
	case "assignee":
		return len(i.Assignees) == 0
	case "type":
		return i.TypeID == 0
	case "project":
		return len(q.s.ItemsAbout(q.actor, i)) == 0
	case "parent-issue":
		return q.s.Parent(i) == nil
	case "sub-issue":
		return len(i.SubIssues) == 0
	default:
		return false
	}
}

// reviewed returns how a pull request stands with its reviewers, as the
// qualifier review names it.
func (q issueQuery) reviewed(i *Issue) string {
	switch q.s.ReviewDecision(i) {
	case "APPROVED":
		return "approved"
	case "CHANGES_REQUESTED":
		return "changes_requested"
	case "REVIEW_REQUIRED":
		return "required"
	default:
		return "none"
	}
}

// checked returns how the checks of a pull request's head stand, as the
// qualifier status names it.
func (q issueQuery) checked(repo *Repo, i *Issue) string {
	checks := q.s.Rollup(repo, i.Pull.HeadSHA)
	switch state := checks.State(); {
	case len(checks.Runs)+len(checks.Statuses) == 0:
		return ""
	case state == "":
		return "pending"
	default:
		return string(state)
	}
}

func (q issueQuery) saysWord(i *Issue, word string) bool {
	looksIn := func(place string) bool { return len(q.in) == 0 || slices.Contains(q.in, place) }
	return looksIn("title") && containsFold(i.Title, word) || looksIn("body") && containsFold(i.Body, word) ||
		looksIn("comments") && slices.ContainsFunc(q.s.CommentsOf(i), func(c *Comment) bool { return containsFold(c.Body, word) })
}

// InRange reports whether a moment is in a range of a query: a day, a moment,
// two of them with .. between, or one after <, <=, > or >=. A day is all of
// it. A range that makes no sense has nothing in it.
func InRange(text string, at time.Time) bool {
	if from, to, isRange := strings.Cut(text, ".."); isRange {
		return (from == "*" || InRange(">="+from, at)) && (to == "*" || InRange("<="+to, at))
	}
	day := strings.TrimLeft(text, "<>=")
	from, err := time.Parse(time.DateOnly, day)
	to := from.AddDate(0, 0, 1)
	if err != nil {
		if from, err = time.Parse(time.RFC3339, day); err != nil {
			return false
		}
		to = from.Add(time.Second)
	}
	switch text[:len(text)-len(day)] {
	case "":
		return !at.Before(from) && at.Before(to)
	case "<":
		return at.Before(from)
	case "<=":
		return at.Before(to)
	case ">":
		return !at.Before(to)
	case ">=":
		return !at.Before(from)
	default:
		return false
	}
}

// numberInRange is [InRange] for whole numbers.
func numberInRange(text string, n int) bool {
	if from, to, isRange := strings.Cut(text, ".."); isRange {
		return (from == "*" || numberInRange(">="+from, n)) && (to == "*" || numberInRange("<="+to, n))
	}
	digits := strings.TrimLeft(text, "<>=")
	limit, err := strconv.Atoi(digits)
	if err != nil {
		return false
	}
	switch text[:len(text)-len(digits)] {
	case "":
		return n == limit
	case "<":
		return n < limit
	case "<=":
		return n <= limit
	case ">":
		return n > limit
	case ">=":
		return n >= limit
	default:
		return false
	}
}
