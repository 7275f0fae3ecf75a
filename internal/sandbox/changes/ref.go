package changes

import (
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// pullRefs are those that follow pull requests.
const pullRefs = "refs/pull/"

// refChange tells what became of a ref; told is false for one that follows
// something else.
func refChange(before, after *model.State, ref model.MovedRef) (c Change, told bool) {
	s, kind, at := after, Changed, ref.To
	switch {
	case strings.HasPrefix(ref.Name, pullRefs):
		return Change{}, false
	case ref.From.IsZero():
		kind = Created
	case ref.To.IsZero():
		kind, at = Deleted, ref.From
		if after.Repos.Get(ref.Repo.ID) == nil {
			s = before
		}
	}
	c = Change{Kind: kind, Object: refObject(s, ref.Repo, ref.Name, at)}
	switch kind {
	case Created:
		c.Fields = pairs(nil, tipFields(s, ref.Repo, ref.To))
	case Changed:
		c.Fields = pairs(tipFields(s, ref.Repo, ref.From), tipFields(s, ref.Repo, ref.To))
	case Deleted:
		c.Fields = pairs(tipFields(s, ref.Repo, ref.From), nil)
	}
	return c, true
}

// refObject names a ref; its title is the first line of its commit's message.
func refObject(s *model.State, repo *model.Repo, name string, at gitstore.Hash) Object {
	o := Object{Kind: "ref", Name: s.FullName(repo) + ": " + name}
	for prefix, kind := range map[string]string{"refs/heads/": "branch", "refs/tags/": "tag"} {
		if short, found := strings.CutPrefix(name, prefix); found {
			o.Kind, o.Name = kind, s.FullName(repo)+": "+short
		}
	}
	if commit, err := repo.Git.Commit(at); err == nil {
		o.Title = firstLine(commit.Message)
	}
	return o
}

// tipFields are those of what a ref names. An annotated tag is told of by the
// commit that it names.
func tipFields(s *model.State, repo *model.Repo, tip gitstore.Hash) []field {
	fields := []field{{name: "commit", value: tip.String()}}
	commit, err := repo.Git.Commit(tip)
	if err != nil {
		tag, err := repo.Git.Tag(tip)
		if err != nil {
			return fields
		}
		if commit, err = repo.Git.Commit(tag.Target); err != nil {
			return fields
		}
	}
	author := commit.Author.Name
	if u := s.Signer(commit.Author); u != nil {
		author = u.Login
	}
	return append(fields, field{name: "message", value: commit.Message}, field{name: "parents", value: len(commit.Parents)}, field{name: "author", value: author})
}
