package model

import (
	"slices"
	"strings"
)

// SearchRepos returns the repositories that the user may read and that a query
// finds by owner, name, description, visibility, language and topic. Other
// qualifiers find none.
func (s *State) SearchRepos(actor ID, query string) ([]*Repo, error) {
	terms, err := searchTerms(query)
	if err != nil {
		return nil, err
	}
	scope, terms, err := s.searchScope(actor, terms)
	if err != nil {
		return nil, err
	}
	return s.Repos.Where(func(r *Repo) bool {
		return scope[r.ID] && !slices.ContainsFunc(terms, func(term searchTerm) bool { return term.matchesRepo(r) == term.negated })
	}), nil
}

func (term searchTerm) matchesRepo(r *Repo) bool {
	return slices.ContainsFunc(term.values, func(value string) bool {
		switch term.qualifier {
		case "":
			return containsFold(r.Name+" "+r.Description, value)
		case "is", "visibility":
			return value == "private" && r.Private || value == "public" && !r.Private
		case "archived":
			return (value == "true") == r.Archived
		case "language":
			return slices.ContainsFunc(r.Languages[:min(1, len(r.Languages))], func(l Language) bool { return strings.EqualFold(l.Name, value) })
		case "topic":
			return slices.Contains(r.Topics, strings.ToLower(value))
		case "fork", "in", "sort":
			// There are no forks, and the order is that of creation.
			return true
		default:
			return false
		}
	})
}
