package model

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// FoundFile is a file that a search for code found.
type FoundFile struct {
	Repo *Repo
	// Commit is the tip of the default branch, where the file is.
	Commit  gitstore.Hash
	Entry   gitstore.TreeEntry
	Content []byte
	// Words are those of the query, in small letters.
	Words []string
}

// maxSearchedFile is the largest file that is searched for code, in bytes.
const maxSearchedFile = 384 << 10

// SearchCode returns the text files on default branches that the user may read
// and that a query finds by their contents and paths.
func (s *State) SearchCode(actor ID, query string) ([]FoundFile, error) {
	terms, err := searchTerms(query)
	if err != nil {
		return nil, err
	}
	scope, terms, err := s.searchScope(actor, terms)
	if err != nil {
		return nil, err
	}
	words := slices.ContainsFunc(terms, func(term searchTerm) bool { return term.qualifier == "" && !term.negated })
	if !words {
		return nil, custom("Search", "q", "Query must include at least one word to look for.")
	}
	var found []FoundFile
	for repo := range s.Repos.All() {
		head, exists := s.BranchHead(repo, repo.DefaultBranch)
		if !scope[repo.ID] || !exists {
			continue
		}
		entries, err := repo.Git.Tree(head, true)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if f, matches := searchFile(repo, head, e, terms); matches {
				found = append(found, f)
			}
		}
	}
	return found, nil
}

// searchFile reads a file of a tree and looks whether every term fits.
func searchFile(repo *Repo, head gitstore.Hash, e gitstore.TreeEntry, terms []searchTerm) (FoundFile, bool) {
	f := FoundFile{Repo: repo, Commit: head, Entry: e}
	if e.Type != "blob" || e.Size > maxSearchedFile {
		return f, false
	}
	var err error
	if f.Content, err = repo.Git.Blob(e.Hash); err != nil || !utf8.Valid(f.Content) {
		return f, false
	}
	text := bytes.ToLower(f.Content)
	for _, term := range terms {
		if term.matchesFile(e.Path, text) == term.negated {
			return f, false
		}
		if term.qualifier == "" && !term.negated {
			f.Words = append(f.Words, strings.ToLower(term.values[0]))
		}
	}
	return f, true
}

// matchesFile reports whether a file fits a term; its text is in small
// letters.
func (term searchTerm) matchesFile(at string, text []byte) bool {
	return slices.ContainsFunc(term.values, func(value string) bool {
		value = strings.ToLower(value)
		switch term.qualifier {
		case "":
			return bytes.Contains(text, []byte(value)) || containsFold(at, value)
		case "path":
			folder := strings.Trim(value, "/")
			return folder == "" && !strings.Contains(at, "/") || strings.HasPrefix(strings.ToLower(at), folder+"/") || strings.EqualFold(at, folder)
		case "filename":
			return containsFold(path.Base(at), value)
		case "extension":
			return strings.EqualFold(strings.TrimPrefix(path.Ext(at), "."), strings.TrimPrefix(value, "."))
		case "language":
			return slices.Contains(extensionsOf(value), strings.ToLower(path.Ext(at)))
		case "in":
			return value == "file" || value == "path"
		default:
			return bytes.Contains(text, []byte(term.qualifier+":"+value))
		}
	})
}

// extensionsOf returns the extensions of a language's files.
func extensionsOf(language string) []string {
	return map[string][]string{
		"go": {".go"}, "typescript": {".ts", ".tsx", ".mts", ".cts"}, "javascript": {".js", ".jsx", ".mjs", ".cjs"},
		"python": {".py"}, "ruby": {".rb"}, "java": {".java"}, "rust": {".rs"}, "c": {".c", ".h"}, "c++": {".cc", ".cpp", ".hpp"},
		"shell": {".sh", ".bash"}, "yaml": {".yml", ".yaml"}, "json": {".json"}, "markdown": {".md"}, "html": {".html"}, "css": {".css"},
	}[language]
}

// FoundCommit is a commit that a search found.
type FoundCommit struct {
	Repo *Repo
	gitstore.Commit
}

// SearchCommits returns the commits of default branches that the user may read
// and that a query finds, the newest of each repository first.
func (s *State) SearchCommits(actor ID, query string) ([]FoundCommit, error) {
	terms, err := searchTerms(query)
	if err != nil {
		return nil, err
	}
	scope, terms, err := s.searchScope(actor, terms)
	if err != nil {
		return nil, err
	}
	var found []FoundCommit
	for repo := range s.Repos.All() {
		head, exists := s.BranchHead(repo, repo.DefaultBranch)
		if !scope[repo.ID] || !exists {
			continue
		}
		commits, err := repo.Git.Log(head, "", 0)
		if err != nil {
			return nil, err
		}
		for _, c := range commits {
			if !slices.ContainsFunc(terms, func(term searchTerm) bool { return s.matchesCommit(term, c) == term.negated }) {
				found = append(found, FoundCommit{repo, c})
			}
		}
	}
	return found, nil
}

func (s *State) matchesCommit(term searchTerm, c gitstore.Commit) bool {
	login := func(sig gitstore.Signature) string {
		if u := s.Signer(sig); u != nil {
			return u.Login
		}
		return ""
	}
	return slices.ContainsFunc(term.values, func(value string) bool {
		switch term.qualifier {
		case "":
			return containsFold(c.Message, value)
		case "author":
			return strings.EqualFold(login(c.Author), value)
		case "committer":
			return strings.EqualFold(login(c.Committer), value)
		case "author-name":
			return containsFold(c.Author.Name, value)
		case "author-email":
			return strings.EqualFold(c.Author.Email, value)
		case "author-date":
			return InRange(value, c.Author.When)
		case "committer-date":
			return InRange(value, c.Committer.When)
		case "hash":
			return len(value) >= 7 && strings.HasPrefix(c.Hash.String(), strings.ToLower(value))
		case "merge":
			return (value == "true") == (len(c.Parents) > 1)
		default:
			return false
		}
	})
}
