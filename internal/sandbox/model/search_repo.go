package model

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/githubschema"
)

// SearchRepos returns the repositories that the user may read and that a query
// finds by owner, name, description, visibility, language, topic, times and counts.
// Forks are found if the query asks for them. Other qualifiers find none.
func (s *State) SearchRepos(actor ID, query string) ([]*Repo, error) {
	terms, err := searchTerms(query)
	if err != nil {
		return nil, err
	}
	scope, terms, err := s.searchScope(actor, terms)
	if err != nil {
		return nil, err
	}
	var in []string
	forks := "false"
	for _, term := range terms {
		switch term.qualifier {
		case "in":
			in = append(in, term.values...)
		case "fork":
			forks = strings.ToLower(term.values[0])
		}
	}
	return s.Repos.Where(func(r *Repo) bool {
		if !scope[r.ID] || forks == "only" && r.ParentID == 0 || forks == "false" && r.ParentID != 0 {
			return false
		}
		return !slices.ContainsFunc(terms, func(term searchTerm) bool { return s.matchesRepo(r, term, in) == term.negated })
	}), nil
}

// saysWord reports whether a repository has a word where it is looked for, in the name,
// the description and the topics if that is nowhere else.
func (r *Repo) saysWord(word string, in []string) bool {
	looksIn := func(place string) bool { return len(in) == 0 || slices.Contains(in, place) }
	return looksIn("name") && containsFold(r.Name, word) || looksIn("description") && containsFold(r.Description, word) ||
		looksIn("topics") && slices.ContainsFunc(r.Topics, func(topic string) bool { return containsFold(topic, word) })
}

// OpenWith counts the open issues of a repository that have a label.
func (s *State) OpenWith(r *Repo, label string) int {
	l := s.Label(r, label)
	if l == nil {
		return 0
	}
	return len(s.Issues.Where(func(i *Issue) bool {
		return i.RepoID == r.ID && !i.Closed && i.Pull == nil && slices.Contains(i.Labels, l.ID)
	}))
}

// hasLicense reports whether a repository's default branch has a license, by GitHub's key.
func (s *State) hasLicense(r *Repo, key string) bool {
	head, exists := s.BranchHead(r, r.DefaultBranch)
	if !exists {
		return false
	}
	entry, found := LicenseFile(r.Git, head)
	if !found {
		return false
	}
	text, err := r.Git.Blob(entry.Hash)
	return err == nil && strings.EqualFold(githubschema.LicenseOf(string(text)).Key, key)
}

func (s *State) matchesRepo(r *Repo, term searchTerm, in []string) bool {
	return slices.ContainsFunc(term.values, func(value string) bool {
		switch term.qualifier {
		case "":
			return r.saysWord(value, in)
		case "stars":
			return numberInRange(value, len(r.Stargazers))
		case "forks":
			return numberInRange(value, r.ForkCount)
		case "followers":
			return numberInRange(value, len(s.Followers(r.OwnerID)))
		case "topics":
			return numberInRange(value, len(r.Topics))
		case "good-first-issues":
			return numberInRange(value, s.OpenWith(r, "good first issue"))
		case "help-wanted-issues":
			return numberInRange(value, s.OpenWith(r, "help wanted"))
		case "created":
			return InRange(value, r.CreatedAt)
		case "pushed":
			return InRange(value, r.PushedAt)
		case "template":
			return (value == "true") == r.IsTemplate
		case "size":
			return numberInRange(value, 0) // which is what is told of it
		case "license":
			return s.hasLicense(r, value)
		case "mirror":
			return value != "true" // there are none
		case "is", "visibility":
			return value == "private" && r.Private || value == "public" && !r.Private
		case "archived":
			return (value == "true") == r.Archived
		case "language":
			return slices.ContainsFunc(r.Languages[:min(1, len(r.Languages))], func(l Language) bool { return strings.EqualFold(l.Name, value) })
		case "topic":
			return slices.Contains(r.Topics, strings.ToLower(value))
		case "fork", "in", "sort":
			// They say how it is searched.
			return true
		default:
			return false
		}
	})
}
