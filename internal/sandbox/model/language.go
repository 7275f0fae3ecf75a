package model

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// Language is a programming language that a repository is written in.
type Language struct {
	Name string
	// Color is that of its bar on the repository's page.
	Color string
	// Bytes is how much of it there is.
	Bytes int64
}

// languages are the most common ones by the ends of their files, with the
// names and colors of GitHub's library Linguist, which tells many more.
var languages = map[string]Language{
	".go": {Name: "Go", Color: "#00ADD8"}, ".py": {Name: "Python", Color: "#3572A5"}, ".rb": {Name: "Ruby", Color: "#701516"},
	".js": {Name: "JavaScript", Color: "#f1e05a"}, ".jsx": {Name: "JavaScript", Color: "#f1e05a"}, ".mjs": {Name: "JavaScript", Color: "#f1e05a"},
	".ts": {Name: "TypeScript", Color: "#3178c6"}, ".tsx": {Name: "TypeScript", Color: "#3178c6"}, ".java": {Name: "Java", Color: "#b07219"},
	".rs": {Name: "Rust", Color: "#dea584"}, ".c": {Name: "C", Color: "#555555"}, ".h": {Name: "C", Color: "#555555"},
	".cpp": {Name: "C++", Color: "#f34b7d"}, ".cc": {Name: "C++", Color: "#f34b7d"}, ".cs": {Name: "C#", Color: "#178600"},
	".php": {Name: "PHP", Color: "#4F5D95"}, ".sh": {Name: "Shell", Color: "#89e051"}, ".kt": {Name: "Kotlin", Color: "#A97BFF"},
	".swift": {Name: "Swift", Color: "#F05138"}, ".html": {Name: "HTML", Color: "#e34c26"}, ".css": {Name: "CSS", Color: "#663399"},
}

// texts are what is written in files that are none of code, as Linguist names it.
var texts = map[string]string{
	".md": "Markdown", ".json": "JSON", ".yml": "YAML", ".yaml": "YAML", ".txt": "Text", ".toml": "TOML", ".xml": "XML", ".sql": "SQL", ".csv": "CSV", ".diff": "Diff", ".patch": "Diff",
}

// LanguageOf is what a file is written in, by its name; empty if that is not known.
func LanguageOf(name string) string {
	end := strings.ToLower(path.Ext(name))
	return cmp.Or(languages[end].Name, texts[end])
}

// readLanguages notes what a repository is written in as of a commit, most of
// it first. What others wrote is left out.
func readLanguages(repo *Repo, tip gitstore.Hash) {
	repo.Languages = nil
	files, err := repo.Git.Tree(tip, true)
	if err != nil {
		return
	}
	for _, f := range files {
		known, isCode := languages[path.Ext(f.Path)]
		if !isCode || strings.Contains("/"+f.Path, "/vendor/") || strings.Contains("/"+f.Path, "/node_modules/") {
			continue
		}
		at := slices.IndexFunc(repo.Languages, func(l Language) bool { return l.Name == known.Name })
		if at < 0 {
			at, repo.Languages = len(repo.Languages), append(repo.Languages, known)
		}
		repo.Languages[at].Bytes += f.Size
	}
	slices.SortStableFunc(repo.Languages, func(a, b Language) int { return cmp.Compare(b.Bytes, a.Bytes) })
}

// Language is what most of a repository is written in, empty if nothing is
// known.
func (r *Repo) Language() string {
	if len(r.Languages) == 0 {
		return ""
	}
	return r.Languages[0].Name
}
