package gql

import (
	"bytes"
	"encoding/base64"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// tree, blob and treeEntry are what a commit holds.
type (
	tree struct {
		repo *model.Repo
		hash gitstore.Hash
		// at is where it lies, empty for the root and where that is not known.
		at string
	}
	blob struct {
		repo *model.Repo
		hash gitstore.Hash
	}
	treeEntry struct {
		repo *model.Repo
		gitstore.TreeEntry
	}
)

// gitObjectFields resolves what hangs below commits, and what is in them.
func gitObjectFields() map[string]graphql.Resolver {
	fields := map[string]graphql.Resolver{
		"Repository.refs": connection(refsOf),
		"Ref.associatedPullRequests": connection(func(q *query, r ref, args graphql.Args) ([]*model.Issue, error) {
			args["headRefName"] = shortName(r.name)
			return pullsOf(q, r.repo, args)
		}),
		"Commit.history": connection(historyOf),
		"Commit.associatedPullRequests": connection(func(q *query, c commit, args graphql.Args) ([]*model.Issue, error) {
			return directed(q.s.PullsWith(c.repo, c.Hash), args.Object("orderBy")), nil
		}),
		"Commit.authoredByCommitter": prop(func(_ *query, c commit) any { return c.Author.Email == c.Committer.Email }),
		"Commit.committedViaWeb":     constant(false),
		"Commit.signature":           constant(nil),
		"Commit.changedFilesIfAvailable": field(func(_ *query, c commit, _ graphql.Args) (any, error) {
			files, err := c.repo.Git.Diff(c.parent(), c.Hash)
			return len(files), err
		}),
		"Commit.tree":             prop(func(_ *query, c commit) any { return tree{repo: c.repo, hash: c.Tree} }),
		"Commit.treeResourcePath": prop(func(q *query, c commit) any { return q.path(c.repo.ID, "/tree/"+c.Hash.String()) }),
		"Commit.treeUrl":          prop(func(q *query, c commit) any { return webURL + q.path(c.repo.ID, "/tree/"+c.Hash.String()) }),
		"Commit.file": lookup(func(_ *query, c commit, args graphql.Args) any {
			e, err := c.repo.Git.Entry(c.Hash, strings.Trim(args.String("path"), "/"))
			if err != nil {
				return nil
			}
			return treeEntry{c.repo, e}
		}),
		"Commit.blame":            field(blameOf),
		"Blame.ranges":            prop(func(_ *query, b []blameRange) any { return b }),
		"BlameRange.commit":       prop(func(_ *query, b blameRange) any { return b.by }),
		"BlameRange.startingLine": prop(func(_ *query, b blameRange) any { return b.first }),
		"BlameRange.endingLine":   prop(func(_ *query, b blameRange) any { return b.last }),
		"BlameRange.age":          prop(func(_ *query, b blameRange) any { return b.age }),

		"Tree.entries": field(func(_ *query, t tree, _ graphql.Args) (any, error) {
			entries, err := t.repo.Git.Tree(t.hash, false)
			shown := make([]treeEntry, 0, len(entries))
			for _, e := range entries {
				e.Path = path.Join(t.at, e.Name)
				shown = append(shown, treeEntry{t.repo, e})
			}
			return shown, err
		}),
		"TreeEntry.name":        prop(func(_ *query, e treeEntry) any { return e.Name }),
		"TreeEntry.path":        prop(func(_ *query, e treeEntry) any { return e.Path }),
		"TreeEntry.extension":   prop(func(_ *query, e treeEntry) any { return path.Ext(e.Name) }),
		"TreeEntry.oid":         prop(func(_ *query, e treeEntry) any { return e.Hash.String() }),
		"TreeEntry.mode":        prop(func(_ *query, e treeEntry) any { return int(e.Mode) }),
		"TreeEntry.type":        prop(func(_ *query, e treeEntry) any { return e.Type }),
		"TreeEntry.size":        prop(func(_ *query, e treeEntry) any { return e.Size }),
		"TreeEntry.isGenerated": constant(false),
		"TreeEntry.repository":  prop(func(_ *query, e treeEntry) any { return e.repo }),
		"TreeEntry.lineCount": prop(func(_ *query, e treeEntry) any {
			content, err := e.repo.Git.Blob(e.Hash)
			if err != nil || !utf8.Valid(content) {
				return nil
			}
			return len(slices.Collect(strings.Lines(string(content))))
		}),
		"TreeEntry.object": prop(func(_ *query, e treeEntry) any { return gitObject(e.repo, e.Hash, e.Path) }),

		"Blob.byteSize":    prop(func(_ *query, b blob) any { return len(b.content()) }),
		"Blob.isBinary":    prop(func(_ *query, b blob) any { return b.binary() }),
		"Blob.isTruncated": constant(false),
		"Blob.text": prop(func(_ *query, b blob) any {
			if b.binary() {
				return nil
			}
			return string(b.content())
		}),

		"Repository.collaborators":              field(collaboratorsOf),
		"RepositoryCollaboratorEdge.permission": prop(func(_ *query, e graphql.Edge[collaborator]) any { return e.Node.permission }),
		"RepositoryCollaboratorEdge.node":       prop(func(_ *query, e graphql.Edge[collaborator]) any { return e.Node.User }),
		"RepositoryCollaboratorConnection.nodes": prop(func(_ *query, p graphql.Page[collaborator]) any {
			users := make([]*model.User, 0, len(p.Nodes))
			for _, one := range p.Nodes {
				users = append(users, one.User)
			}
			return users
		}),
		"Repository.pinnedIssues": connection(func(q *query, r *model.Repo, _ graphql.Args) ([]pinnedIssue, error) {
			var pinned []pinnedIssue
			for _, i := range q.s.PinnedIssues(r) {
				pinned = append(pinned, pinnedIssue{i})
			}
			return pinned, nil
		}),
		"PinnedIssue.issue":          prop(func(_ *query, p pinnedIssue) any { return p.Issue }),
		"PinnedIssue.repository":     prop(func(q *query, p pinnedIssue) any { return q.repoOf(p.Issue) }),
		"PinnedIssue.databaseId":     prop(func(_ *query, p pinnedIssue) any { return p.ID }),
		"PinnedIssue.fullDatabaseId": prop(func(_ *query, p pinnedIssue) any { return p.ID }),

		"Repository.licenseInfo": prop(func(q *query, r *model.Repo) any { return q.licenseOf(r) }),
		"License.id":             prop(func(_ *query, l githubschema.License) any { return named("LI", 0, l.Key) }),
		"License.key":            prop(func(_ *query, l githubschema.License) any { return l.Key }),
		"License.name":           prop(func(_ *query, l githubschema.License) any { return l.Name }),
		"License.nickname":       constant(nil),
		"License.spdxId":         prop(func(_ *query, l githubschema.License) any { return l.SPDXID }),
		"License.url": prop(func(_ *query, l githubschema.License) any {
			if l.Key == githubschema.OtherLicense.Key {
				return nil
			}
			return "http://choosealicense.com/licenses/" + l.Key + "/"
		}),
	}
	for _, format := range []string{"tarball", "zipball"} {
		kind := map[string]string{"tarball": "legacy.tar.gz", "zipball": "legacy.zip"}[format]
		fields["Commit."+format+"Url"] = prop(func(q *query, c commit) any {
			return "https://codeload.github.com" + q.path(c.repo.ID, "/"+kind+"/"+c.Hash.String())
		})
	}
	for name, of := range map[string]func(any) (*model.Repo, gitstore.Hash){
		"Tree": func(o any) (*model.Repo, gitstore.Hash) { t, _ := o.(tree); return t.repo, t.hash },
		"Blob": func(o any) (*model.Repo, gitstore.Hash) { b, _ := o.(blob); return b.repo, b.hash },
	} {
		fields[name+".oid"] = prop(func(_ *query, o any) any { _, hash := of(o); return hash.String() })
		fields[name+".abbreviatedOid"] = prop(func(_ *query, o any) any { _, hash := of(o); return hash.String()[:abbreviated] })
		fields[name+".commitResourcePath"] = prop(func(q *query, o any) any { repo, hash := of(o); return q.path(repo.ID, "/commit/"+hash.String()) })
		fields[name+".commitUrl"] = prop(func(q *query, o any) any {
			repo, hash := of(o)
			return webURL + q.path(repo.ID, "/commit/"+hash.String())
		})
	}
	return fields
}

// gitObject returns a commit, tree or blob, nil if there is none.
func gitObject(r *model.Repo, hash gitstore.Hash, at string) any {
	switch kind, _ := r.Git.Type(hash); kind {
	case plumbing.CommitObject:
		return commitAt(r, hash)
	case plumbing.TreeObject:
		return tree{r, hash, at}
	case plumbing.BlobObject:
		return blob{r, hash}
	default:
		return nil
	}
}

// objectNamed returns what an expression names: a revision, or one with a colon
// and a path after it.
func objectNamed(r *model.Repo, expression string) any {
	revision, at, inside := strings.Cut(expression, ":")
	if !inside {
		return commitNamed(r, expression)
	}
	c, isCommit := commitNamed(r, revision).(commit)
	if !isCommit {
		return nil
	}
	e, err := r.Git.Entry(c.Hash, strings.Trim(at, "/"))
	if err != nil {
		return nil
	}
	return gitObject(r, e.Hash, e.Path)
}

func (b blob) content() []byte {
	content, err := b.repo.Git.Blob(b.hash)
	if err != nil {
		return nil
	}
	return content
}

func (b blob) binary() bool { return bytes.IndexByte(b.content(), 0) >= 0 || !utf8.Valid(b.content()) }

// parent is a commit's first parent, zero if it has none.
func (c commit) parent() gitstore.Hash {
	if len(c.Parents) == 0 {
		return gitstore.Hash{}
	}
	return c.Parents[0]
}

func refsOf(_ *query, r *model.Repo, args graphql.Args) ([]ref, error) {
	prefix := args.String("refPrefix")
	if !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	var found []ref
	for _, one := range r.Git.Refs(prefix) {
		if strings.Contains(strings.ToLower(one.Name), strings.ToLower(args.String("query"))) {
			found = append(found, ref{r, one.Name, one.Hash})
		}
	}
	order := args.Object("orderBy")
	if order.Enum("field") == "TAG_COMMIT_DATE" {
		slices.SortStableFunc(found, func(a, b ref) int { return a.date().Compare(b.date()) })
	}
	if order.Enum("direction") == "DESC" || args.Enum("direction") == "DESC" {
		slices.Reverse(found)
	}
	return found, nil
}

func historyOf(q *query, c commit, args graphql.Args) ([]commit, error) {
	commits, err := c.repo.Git.Log(c.Hash, strings.Trim(args.String("path"), "/"), 0)
	if err != nil {
		return nil, err
	}
	since, until, by := args.Time("since"), args.Time("until"), args.Object("author")
	var found []commit
	for _, one := range commits {
		when := one.Committer.When
		if when.Before(since) || !until.IsZero() && when.After(until) || !q.wrote(one, by) {
			continue
		}
		found = append(found, commit{c.repo, one})
	}
	return found, nil
}

// wrote reports whether a commit's author is one that an input names; nil names
// anybody.
func (q *query) wrote(c gitstore.Commit, by graphql.Args) bool {
	if by.Has("id") {
		u := q.s.Signer(c.Author)
		return u != nil && q.facts(u).node == by.String("id")
	}
	return !by.Has("emails") || slices.Contains(by.Strings("emails"), c.Author.Email)
}

// collaborator is a user with what he may do in a repository.
type collaborator struct {
	*model.User
	permission string
}

// collaboratorsOf pages through those who may do more than read, for those who
// may write; others get none.
func collaboratorsOf(q *query, r *model.Repo, args graphql.Args) (any, error) {
	if q.s.Permission(q.actor, r) < model.PermWrite {
		return nil, nil
	}
	var found []collaborator
	for _, u := range q.s.Users.Where(func(u *model.User) bool { return u.Type == model.TypeUser && q.s.Collaborates(u.ID, r) }) {
		direct := r.Collaborators[u.ID] > model.PermNone
		outside := direct && q.s.Users.Get(r.OwnerID).Members[u.ID] == ""
		switch {
		case args.Enum("affiliation") == "DIRECT" && !direct, args.Enum("affiliation") == "OUTSIDE" && !outside:
		case args.Has("login") && !strings.EqualFold(args.String("login"), u.Login):
		case !strings.Contains(strings.ToLower(u.Login+" "+u.Name), strings.ToLower(args.String("query"))):
		default:
			found = append(found, collaborator{u, strings.ToUpper(q.s.Permission(u.ID, r).String())})
		}
	}
	return graphql.Paginate(found, args)
}

// pinnedIssue is an issue as it is pinned.
type pinnedIssue struct{ *model.Issue }

// licenseOf returns what the license of a repository is, nil if it has none.
func (q *query) licenseOf(r *model.Repo) any {
	head, exists := q.s.BranchHead(r, r.DefaultBranch)
	if !exists {
		return nil
	}
	file, found := model.LicenseFile(r.Git, head)
	if !found {
		return nil
	}
	return githubschema.LicenseOf(string(blob{r, file.Hash}.content()))
}

// namedObject returns the ref or the part of git that a global id names, nil if
// it is none.
func (q *query) namedObject(node string) any {
	prefix, rest, _ := strings.Cut(node, "_")
	text, err := base64.RawURLEncoding.DecodeString(rest)
	if err != nil {
		return nil
	}
	id, name, _ := strings.Cut(string(text), ":")
	number, err := strconv.ParseInt(id, 10, 64)
	repo := q.s.Repos.Get(number)
	if err != nil || repo == nil {
		return nil
	}
	switch prefix {
	case "REF":
		if at, exists := repo.Git.Ref(name); exists {
			return ref{repo, name, at}
		}
	case "C", "T", "B":
		return gitObject(repo, plumbing.NewHash(name), "")
	}
	return nil
}
