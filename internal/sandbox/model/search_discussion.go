package model

import (
	"slices"
	"strings"
)

// SearchDiscussions returns the discussions that the user may read and that a
// query finds, newest first: by words, author, labels, category, when they were
// begun or changed, and by what they are. Other qualifiers find none.
func (s *State) SearchDiscussions(actor ID, query string) ([]*Discussion, error) {
	terms, err := searchTerms(query)
	if err != nil {
		return nil, err
	}
	scope, terms, err := s.searchScope(actor, terms)
	if err != nil {
		return nil, err
	}
	found := s.Discussions.Where(func(d *Discussion) bool {
		repo := s.Repos.Get(d.RepoID)
		return scope[d.RepoID] && repo.HasDiscussions && !slices.ContainsFunc(terms, func(term searchTerm) bool {
			return slices.ContainsFunc(term.values, func(value string) bool { return s.isDiscussion(actor, repo, d, term.qualifier, value) }) == term.negated
		})
	})
	slices.Reverse(found)
	return found, nil
}

func (s *State) isDiscussion(actor ID, repo *Repo, d *Discussion, qualifier, value string) bool {
	switch qualifier {
	case "":
		return containsFold(d.Title+" "+d.Body, value) || slices.ContainsFunc(s.DiscussionComments.with(commentByDiscussion, key{of: d.ID}), func(c *DiscussionComment) bool {
			return containsFold(c.Body, value)
		})
	case "author":
		return strings.EqualFold(value, s.Login(d.AuthorID)) || value == "@me" && d.AuthorID == actor
	case "label":
		l := s.Label(repo, value)
		return l != nil && slices.Contains(d.Labels, l.ID)
	case "category":
		return strings.EqualFold(value, repo.Category(d.CategoryID).Name)
	case "created":
		return InRange(value, d.CreatedAt)
	case "updated":
		return InRange(value, d.UpdatedAt)
	case "is", "state":
		return s.discussionIs(repo, d, value)
	case "in", "sort", "type":
		return true
	default:
		return false
	}
}

func (s *State) discussionIs(repo *Repo, d *Discussion, value string) bool {
	switch value {
	case "open":
		return !d.Closed
	case "closed":
		return d.Closed
	case "answered":
		return d.AnswerID != 0
	case "unanswered":
		return d.AnswerID == 0 && repo.Category(d.CategoryID).Answerable
	case "locked":
		return d.Locked
	case "unlocked":
		return !d.Locked
	case "public":
		return !repo.Private
	case "private":
		return repo.Private
	default:
		return false
	}
}
