package model

import (
	"slices"
	"strings"
)

// searchTerm is a part of a search query: a word or phrase, or a qualifier
// with its values.
type searchTerm struct {
	negated bool
	// qualifier is in small letters, empty for words.
	qualifier string
	// values are alternatives; a word has one.
	values []string
}

// parseSearch takes a query apart. Double quotes hold phrases together, a
// leading minus or NOT negates, and a comma divides a qualifier's alternatives.
func parseSearch(query string) []searchTerm {
	var terms []searchTerm
	negated := false
	for _, token := range searchTokens(query) {
		switch token {
		case "AND":
			continue
		case "NOT":
			negated = true
			continue
		}
		term := termOf(token)
		term.negated = term.negated || negated
		negated = false
		if term.qualifier != "" || term.values[0] != "" {
			terms = append(terms, term)
		}
	}
	return terms
}

// termOf reads a token of a query that is no operator.
func termOf(token string) searchTerm {
	rest, minus := strings.CutPrefix(token, "-")
	term := searchTerm{negated: minus && rest != "", values: []string{strings.Trim(rest, `"`)}}
	if name, value, qualified := strings.Cut(rest, ":"); qualified && name != "" && !strings.Contains(name, `"`) {
		term.qualifier, term.values = strings.ToLower(name), alternatives(value)
	}
	return term
}

// alternatives divides a qualifier's value at the commas outside of quotes.
func alternatives(value string) []string {
	quoted := false
	values := strings.FieldsFunc(value, func(r rune) bool {
		quoted = quoted != (r == '"')
		return r == ',' && !quoted
	})
	for n := range values {
		values[n] = strings.Trim(values[n], `"`)
	}
	return values
}

// searchTokens divides a query at the spaces outside of quotes.
func searchTokens(query string) []string {
	quoted := false
	return strings.FieldsFunc(query, func(r rune) bool {
		quoted = quoted != (r == '"')
		return (r == ' ' || r == '\t' || r == '\n') && !quoted
	})
}

// SearchOrder is an order of results; the zero value is the newest first.
type SearchOrder struct {
	// By is created, updated, comments, interactions, reactions, or reactions- and one of
	// [Reactions]; others count as created.
	By        string
	Ascending bool
}

// maxSearchTerms bounds a query.
const maxSearchTerms = 64

func searchTerms(query string) ([]searchTerm, error) {
	terms := parseSearch(query)
	if len(terms) == 0 {
		return nil, invalid("Search", "q", "missing")
	}
	if len(terms) > maxSearchTerms {
		return nil, custom("Search", "q", "The search is longer than %d terms.", maxSearchTerms)
	}
	return terms, nil
}

// notSearchable is GitHub's refusal of a query that names what the user cannot
// see.
func notSearchable() *Problem {
	p := invalid("Search", "q", "invalid")
	p.Errors[0].Message = "The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them."
	return p
}

// searchScope returns the repositories that a query is about, among those that
// the user may read, and the terms that are left. Naming what he cannot see is
// refused.
func (s *State) searchScope(actor ID, terms []searchTerm) (map[ID]bool, []searchTerm, error) {
	readable := s.Repos.Where(func(r *Repo) bool { return s.Permission(actor, r) >= PermRead })
	named, others := map[ID]bool{}, []searchTerm(nil)
	excluded, scoped := map[ID]bool{}, false
	for _, term := range terms {
		in := scopeOf(s, term)
		if in == nil {
			others = append(others, term)
			continue
		}
		found := false
		for _, r := range readable {
			if !in(r) {
				continue
			}
			found = true
			if term.negated {
				excluded[r.ID] = true
			} else {
				named[r.ID] = true
			}
		}
		if !found && !term.negated && !s.knownOwner(term) {
			return nil, nil, notSearchable()
		}
		scoped = scoped || !term.negated
	}
	scope := map[ID]bool{}
	for _, r := range readable {
		if !excluded[r.ID] && (!scoped || named[r.ID]) {
			scope[r.ID] = true
		}
	}
	return scope, others, nil
}

// knownOwner reports whether a term names an account that there is, even one
// without repositories.
func (s *State) knownOwner(term searchTerm) bool {
	return term.qualifier != "repo" && slices.ContainsFunc(term.values, func(login string) bool { return s.User(login) != nil })
}

// scopeOf returns what a term asks of a repository, nil if it is not about
// repositories.
func scopeOf(s *State, term searchTerm) func(*Repo) bool {
	switch term.qualifier {
	case "repo":
		return func(r *Repo) bool { return slices.ContainsFunc(term.values, equalFold(s.FullName(r))) }
	case "user", "org", "owner":
		return func(r *Repo) bool { return slices.ContainsFunc(term.values, equalFold(s.Login(r.OwnerID))) }
	default:
		return nil
	}
}

func equalFold(text string) func(string) bool {
	return func(other string) bool { return strings.EqualFold(text, other) }
}

// containsFold reports whether a text has a word in it, whatever the case.
func containsFold(text, word string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(word))
}

// SearchUsers returns the accounts that a query finds by login, name, type, place, times and counts.
// Qualifiers that ask for more than that find nobody.
func (s *State) SearchUsers(query string) ([]*User, error) {
	terms, err := searchTerms(query)
	if err != nil {
		return nil, err
	}
	return s.Users.Where(func(u *User) bool {
		return u.Type != TypeBot && !slices.ContainsFunc(terms, func(term searchTerm) bool {
			return s.matchesUser(u, term) == term.negated
		})
	}), nil
}

func (s *State) matchesUser(u *User, term searchTerm) bool {
	return slices.ContainsFunc(term.values, func(value string) bool {
		switch term.qualifier {
		case "":
			return containsFold(u.Login+" "+u.Name, value)
		case "fullname":
			return containsFold(u.Name, value)
		case "created":
			return InRange(value, u.CreatedAt)
		case "location":
			return containsFold(u.Location, value)
		case "followers":
			return numberInRange(value, len(s.Followers(u.ID)))
		case "repos":
			return numberInRange(value, len(s.Repos.Where(func(r *Repo) bool { return r.OwnerID == u.ID && !r.Private })))
		case "user", "org":
			return strings.EqualFold(u.Login, value)
		case "type":
			return strings.EqualFold(value, "user") == (u.Type == TypeUser)
		case "in":
			return true
		default:
			return false
		}
	})
}
