package gql

import (
	"net/url"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

const (
	headsPrefix = "refs/heads/"
	tagsPrefix  = "refs/tags/"
)

// commit is a commit of a repository.
type commit struct {
	repo *model.Repo
	gitstore.Commit
}

// ref is a branch or tag of a repository.
type ref struct {
	repo *model.Repo
	name string
	at   gitstore.Hash
}

// comparison is how far two commits are apart.
type comparison struct {
	repo          *model.Repo
	base, head    gitstore.Hash
	ahead, behind int
}

// refFields resolves branches and tags, and their comparison.
func refFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"Repository.defaultBranchRef": prop(func(_ *query, r *model.Repo) any { return refNamed(r, headsPrefix+r.DefaultBranch) }),
		"Repository.ref": lookup(func(_ *query, r *model.Repo, args graphql.Args) any {
			return refNamed(r, args.String("qualifiedName"))
		}),
		"Ref.name":    prop(func(_ *query, r ref) any { return shortName(r.name) }),
		"Ref.prefix":  prop(func(_ *query, r ref) any { return strings.TrimSuffix(r.name, shortName(r.name)) }),
		"Ref.target":  prop(func(_ *query, r ref) any { return commitAt(r.repo, r.at) }),
		"Ref.compare": field(compareRef),
		"Comparison.id": prop(func(_ *query, c comparison) any {
			return named("CMP", c.repo.ID, c.base.String()+"..."+c.head.String())
		}),
		"Comparison.aheadBy":  prop(func(_ *query, c comparison) any { return c.ahead }),
		"Comparison.behindBy": prop(func(_ *query, c comparison) any { return c.behind }),
		"Comparison.status":   prop(func(_ *query, c comparison) any { return c.status() }),
	}
}

// compareRef compares two refs; there is no comparison where one is missing.
func compareRef(_ *query, r ref, args graphql.Args) (any, error) {
	base, hasBase := resolve(r.repo, r.name)
	head, hasHead := resolve(r.repo, args.String("headRef"))
	if !hasBase || !hasHead {
		return nil, nil
	}
	ahead, behind, err := r.repo.Git.AheadBehind(base, head)
	return comparison{r.repo, base, head, ahead, behind}, err
}

func resolve(r *model.Repo, name string) (hash gitstore.Hash, known bool) {
	hash, err := r.Git.Resolve(name)
	return hash, err == nil
}

func (c comparison) status() string {
	switch {
	case c.ahead > 0 && c.behind > 0:
		return "DIVERGED"
	case c.ahead > 0:
		return "AHEAD"
	case c.behind > 0:
		return "BEHIND"
	default:
		return "IDENTICAL"
	}
}

// refNamed returns a branch or tag by its short or full name, nil if there is
// none.
func refNamed(r *model.Repo, name string) any {
	for _, full := range []string{name, "refs/" + name, headsPrefix + name, tagsPrefix + name} {
		if at, known := r.Git.Ref(full); known {
			return ref{r, full, at}
		}
	}
	return nil
}

func shortName(full string) string {
	return strings.TrimPrefix(strings.TrimPrefix(full, headsPrefix), tagsPrefix)
}

// commitFields resolves commits and those who signed them.
func commitFields() map[string]graphql.Resolver {
	text := func(get func(commit) string) graphql.Resolver {
		return prop(func(_ *query, c commit) any { return get(c) })
	}
	return map[string]graphql.Resolver{
		"Repository.object": lookup(func(_ *query, r *model.Repo, args graphql.Args) any {
			if args.Has("oid") {
				return gitObject(r, plumbing.NewHash(args.String("oid")), "")
			}
			return objectNamed(r, args.String("expression"))
		}),
		"GitObject.oid":                text(func(c commit) string { return c.Hash.String() }),
		"GitObject.abbreviatedOid":     text(func(c commit) string { return c.Hash.String()[:abbreviated] }),
		"GitObject.commitUrl":          prop(func(q *query, c commit) any { return webURL + q.facts(c).path }),
		"GitObject.commitResourcePath": prop(func(q *query, c commit) any { return q.facts(c).path }),
		"Commit.message":               text(func(c commit) string { return c.Message }),
		"Commit.messageHeadline":       text(func(c commit) string { head, _, _ := strings.Cut(c.Message, "\n"); return head }),
		"Commit.messageBody": text(func(c commit) string {
			_, body, _ := strings.Cut(c.Message, "\n")
			return strings.TrimSpace(body)
		}),
		"Commit.authoredDate":  prop(func(_ *query, c commit) any { return c.Author.When }),
		"Commit.committedDate": prop(func(_ *query, c commit) any { return c.Committer.When }),
		"Commit.author":        prop(func(_ *query, c commit) any { return c.Author }),
		"Commit.committer":     prop(func(_ *query, c commit) any { return c.Committer }),
		"Commit.authors": connection(func(_ *query, c commit, _ graphql.Args) ([]gitstore.Signature, error) {
			return []gitstore.Signature{c.Author}, nil
		}),
		"Commit.parents": connection(func(_ *query, c commit, _ graphql.Args) ([]any, error) {
			parents := make([]any, 0, len(c.Parents))
			for _, p := range c.Parents {
				parents = append(parents, commitAt(c.repo, p))
			}
			return parents, nil
		}),
		"Commit.additions": field(func(_ *query, c commit, _ graphql.Args) (any, error) {
			size, err := c.size()
			return size.added, err
		}),
		"Commit.deletions": field(func(_ *query, c commit, _ graphql.Args) (any, error) {
			size, err := c.size()
			return size.removed, err
		}),
		"GitActor.name":  prop(func(_ *query, s gitstore.Signature) any { return s.Name }),
		"GitActor.email": prop(func(_ *query, s gitstore.Signature) any { return s.Email }),
		"GitActor.date":  prop(func(_ *query, s gitstore.Signature) any { return s.When }),
		"GitActor.avatarUrl": prop(func(_ *query, s gitstore.Signature) any {
			return "https://avatars.githubusercontent.com/u/e?" + url.Values{"email": {s.Email}}.Encode()
		}),
		"GitActor.user": prop(func(q *query, s gitstore.Signature) any { return present(q.s.Signer(s)) }),
	}
}

// abbreviated is the length of an abbreviated object id.
const abbreviated = 7

func commitAt(r *model.Repo, hash gitstore.Hash) any {
	c, err := r.Git.Commit(hash)
	if err != nil {
		return nil
	}
	return commit{r, c}
}

// commitNamed returns the commit that a revision names, nil if there is none.
func commitNamed(r *model.Repo, revision string) any {
	if revision == "HEAD" {
		revision = headsPrefix + r.DefaultBranch
	}
	hash, err := r.Git.Resolve(revision)
	if err != nil {
		return nil
	}
	return commitAt(r, hash)
}

// commitOf returns a commit by its full SHA, nil if there is none.
func commitOf(r *model.Repo, sha string) any { return commitAt(r, plumbing.NewHash(sha)) }

// size is how many lines a change adds and removes.
type size struct{ added, removed int }

func sizeOf(files []gitstore.FileDiff) size {
	var n size
	for _, f := range files {
		n.added += f.Additions
		n.removed += f.Deletions
	}
	return n
}

func (c commit) size() (size, error) {
	var base gitstore.Hash
	if len(c.Parents) > 0 {
		base = c.Parents[0]
	}
	files, err := c.repo.Git.Diff(base, c.Hash)
	return sizeOf(files), err
}

// date is when the commit of a ref was made, the zero time if it names none.
func (r ref) date() time.Time {
	hash, known := resolve(r.repo, r.name)
	c, err := r.repo.Git.Commit(hash)
	if !known || err != nil {
		return time.Time{}
	}
	return c.Committer.When
}
