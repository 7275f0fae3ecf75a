package model

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SearchIssues returns the issues and pull requests that the user may read and
// that a query of GitHub's search finds. A qualifier that is none of GitHub's
// counts as a word.
func (s *State) SearchIssues(actor ID, query string, order SearchOrder) ([]*Issue, error) {
	terms, err := searchTerms(query)
	if err != nil {
		return nil, err
	}
	scope, terms, err := s.searchScope(actor, terms)
	if err != nil {
		return nil, err
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
	found := s.Issues.Where(func(i *Issue) bool {
		repo := s.Repos.Get(i.RepoID)
		return scope[i.RepoID] && (i.Pull != nil || repo.HasIssues) && q.finds(repo, i)
	})
	s.sortFound(found, order)
	return found, nil
}

// from reads an order from the qualifier sort, such as "updated-asc".
func (o SearchOrder) from(values []string) SearchOrder {
	if o.By != "" || len(values) == 0 {
		return o
	}
	by, direction, _ := strings.Cut(values[0], "-")
	return SearchOrder{By: by, Ascending: direction == "asc"}
}

func (s *State) sortFound(issues []*Issue, order SearchOrder) {
	slices.SortStableFunc(issues, func(a, b *Issue) int {
		by := 0
		switch order.By {
		case "updated":
			by = a.UpdatedAt.Compare(b.UpdatedAt)
		case "comments":
			by = cmp.Compare(s.CommentCount(a), s.CommentCount(b))
		}
		return cmp.Or(by, a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	if !order.Ascending {
		slices.Reverse(issues)
	}
}

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
	case "review-requested", "user-review-requested":
		return is && i.Pull != nil && slices.Contains(i.Pull.RequestedReviewers, who), true
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
		return lacks(i, strings.ToLower(value)), true
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
	default:
		return false
	}
}

func lacks(i *Issue, what string) bool {
	switch what {
	case "label":
		return len(i.Labels) == 0
	case "milestone":
		return i.MilestoneID == 0
	case "assignee":
		return len(i.Assignees) == 0
	case "type":
		return i.TypeID == 0
	default:
		return what == "project"
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
	case len(checks.Runs) == 0:
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
