package model

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// codeOwnerFiles are where GitHub looks for who owns code; the first one counts.
var codeOwnerFiles = []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"}

// ownership is a line of such a file.
type ownership struct {
	pattern *regexp.Regexp
	owners  []string
}

// codeOwners reads who owns code, from the base of a pull request.
func (s *State) codeOwners(i *Issue) []ownership {
	repo := s.Repos.Get(i.RepoID)
	base, known := s.BranchHead(repo, i.Pull.BaseRef)
	if !known {
		return nil
	}
	for _, path := range codeOwnerFiles {
		entry, err := repo.Git.Entry(base, path)
		if err != nil {
			continue
		}
		if text, err := repo.Git.Blob(entry.Hash); err == nil {
			return readOwners(string(text))
		}
	}
	return nil
}

func readOwners(text string) []ownership {
	var all []ownership
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if fields := strings.Fields(line); len(fields) > 0 {
			if pattern := ownedPaths(fields[0]); pattern != nil {
				all = append(all, ownership{pattern, fields[1:]})
			}
		}
	}
	return all
}

// ownedPaths returns what paths a pattern is for, as in .gitignore; nil for one
// that is none.
func ownedPaths(pattern string) *regexp.Regexp {
	var text strings.Builder
	text.WriteString("^")
	anchored := strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
	if !anchored {
		text.WriteString("(?:.*/)?")
	}
	rest := strings.TrimPrefix(pattern, "/")
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "**/"):
			text.WriteString("(?:.*/)?")
			rest = rest[3:]
			continue
		case strings.HasPrefix(rest, "**"):
			text.WriteString(".*")
			rest = rest[2:]
			continue
		case rest[0] == '*':
			text.WriteString("[^/]*")
		case rest[0] == '?':
			text.WriteString("[^/]")
		default:
			text.WriteString(regexp.QuoteMeta(rest[:1]))
		}
		rest = rest[1:]
	}
	switch {
	case strings.HasSuffix(pattern, "/"):
		text.WriteString(".*")
	case !strings.HasSuffix(pattern, "/*"):
		// What is like the name of a folder is for all that is in it.
		text.WriteString("(?:/.*)?")
	}
	expression, err := regexp.Compile("(?s)" + text.String() + "$")
	if err != nil {
		return nil
	}
	return expression
}

// ownersAwaited says whose approval of changed files is lacking, empty if
// nobody's: of each file one of its owners has to approve, by the last line for
// it.
func (s *State) ownersAwaited(i *Issue, approvals []*Review) string {
	lines := s.codeOwners(i)
	if len(lines) == 0 {
		return ""
	}
	files, err := s.PullDiff(i)
	if err != nil {
		return ""
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
		if f.PreviousPath != "" {
			paths = append(paths, f.PreviousPath)
		}
	}
	for _, path := range paths {
		var owners []string
		for _, line := range lines {
			if line.pattern.MatchString(path) {
				owners = line.owners
			}
		}
		owners = slices.DeleteFunc(slices.Clone(owners), func(owner string) bool { return !s.ownsCode(i, owner) })
		if len(owners) > 0 && !slices.ContainsFunc(approvals, func(r *Review) bool { return s.isOwner(i, r.AuthorID, owners) }) {
			for n := range owners {
				owners[n] = strings.TrimPrefix(owners[n], "@")
			}
			return strings.Join(owners, " and/or ")
		}
	}
	return ""
}

// OwnersError is a line of a file of code owners that names somebody who cannot own code.
type OwnersError struct {
	// Path is the file's; Line and Column begin at 1.
	Path         string
	Line, Column int
	Source       string
	Owner        string
}

// OwnersErrors returns what is wrong in the file of code owners at a commit. An error has
// the kind NotFound if there is no such file.
func (s *State) OwnersErrors(repo *Repo, at gitstore.Hash) ([]OwnersError, error) {
	for _, path := range codeOwnerFiles {
		entry, err := repo.Git.Entry(at, path)
		if err != nil {
			continue
		}
		text, err := repo.Git.Blob(entry.Hash)
		if err != nil {
			return nil, err
		}
		var wrong []OwnersError
		for n, source := range strings.Split(string(text), "\n") {
			line, _, _ := strings.Cut(source, "#")
			fields := strings.Fields(line)
			for _, owner := range fields[min(1, len(fields)):] {
				if !s.ownsCodeOf(repo, owner) {
					wrong = append(wrong, OwnersError{path, n + 1, strings.Index(line, owner) + 1, strings.TrimRight(source, "\r"), owner})
				}
			}
		}
		return wrong, nil
	}
	return nil, notFound()
}

// ownsCode reports whether a name is that of somebody who may write, or of a team
// of the repository's organization.
func (s *State) ownsCode(i *Issue, owner string) bool {
	return s.ownsCodeOf(s.Repos.Get(i.RepoID), owner)
}

func (s *State) ownsCodeOf(repo *Repo, owner string) bool {
	if t := s.ownerTeam(repo, owner); t != nil {
		return true
	}
	u := s.owner(owner)
	return u != nil && s.Permission(u.ID, repo) >= PermWrite
}

func (s *State) owner(name string) *User {
	if login, is := strings.CutPrefix(name, "@"); is {
		return s.User(login)
	}
	return s.Users.First(func(u *User) bool { return u.Email != "" && strings.EqualFold(u.Email, name) })
}

func (s *State) ownerTeam(repo *Repo, name string) *Team {
	org, slug, isTeam := strings.Cut(strings.TrimPrefix(name, "@"), "/")
	ownerID := repo.OwnerID
	if !isTeam || !strings.EqualFold(org, s.Login(ownerID)) {
		return nil
	}
	return s.Teams.First(func(t *Team) bool { return t.OrgID == ownerID && strings.EqualFold(t.Slug, slug) })
}

func (s *State) isOwner(i *Issue, user ID, owners []string) bool {
	return slices.ContainsFunc(owners, func(name string) bool {
		if t := s.ownerTeam(s.Repos.Get(i.RepoID), name); t != nil {
			return slices.Contains(t.Members, user)
		}
		u := s.owner(name)
		return u != nil && u.ID == user
	})
}
