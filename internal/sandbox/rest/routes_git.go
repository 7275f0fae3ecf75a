package rest

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func gitRoutes() []route {
	return []route{
		{"GET " + reposPath + "/git/ref/{ref...}", onCommits(getRef)},
		{"GET " + reposPath + "/git/refs/{ref...}", onCommits(getRef)},
		{"GET " + reposPath + "/git/matching-refs/{ref...}", onCommits(matchingRefs)},
		{"POST " + reposPath + "/git/refs", onCommits(createRef)},
		{"PATCH " + reposPath + "/git/refs/{ref...}", onCommits(updateRef)},
		{"DELETE " + reposPath + "/git/refs/{ref...}", onCommits(deleteRef)},
		{"GET " + reposPath + "/git/commits/{sha}", onCommits(getGitCommit)},
		{"GET " + reposPath + "/git/trees/{sha}", onCommits(getTree)},
		{"GET " + reposPath + "/commits", onCommits(listCommits)},
		{"GET " + reposPath + "/commits/{ref...}", onCommits(getCommit)},
	}
}

func getRef(c *call, repo *model.Repo) (reply, error) {
	name := "refs/" + c.PathValue("ref")
	to, known := repo.Git.Ref(name)
	if !known {
		return reply{}, errNotFound
	}
	return ok(c.ref(repo, name, to))
}

func matchingRefs(c *call, repo *model.Repo) (reply, error) {
	return list(c, repo.Git.Refs("refs/"+c.PathValue("ref")), func(r gitstore.Ref) refView {
		return c.ref(repo, r.Name, r.Hash)
	})
}

func createRef(c *call, repo *model.Repo) (reply, error) {
	var in struct{ Ref, SHA string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Ref == "" {
		return reply{}, missing("ref")
	}
	to, err := objectName(in.SHA)
	if err != nil {
		return reply{}, err
	}
	if err := c.s.CreateRef(c.actor, repo, in.Ref, to); err != nil {
		return reply{}, err
	}
	return created(c.ref(repo, in.Ref, to))
}

// missing says that a field of the body is not there.
func missing(name string) error {
	return &model.Problem{Kind: model.Invalid, Message: "Invalid request.\n\n\"" + name + "\" wasn't supplied."}
}

func objectName(sha string) (gitstore.Hash, error) {
	if sha == "" {
		return gitstore.Hash{}, missing("sha")
	}
	if !plumbing.IsHash(sha) {
		return gitstore.Hash{}, &model.Problem{Kind: model.Invalid, Message: "The sha parameter must be exactly 40 characters and contain only [0-9a-f]."}
	}
	return plumbing.NewHash(sha), nil
}

func updateRef(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		SHA   string
		Force bool
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	to, err := objectName(in.SHA)
	if err != nil {
		return reply{}, err
	}
	name := "refs/" + c.PathValue("ref")
	if err := c.s.UpdateRef(c.actor, repo, name, to, in.Force); err != nil {
		return reply{}, err
	}
	return ok(c.ref(repo, name, to))
}

func deleteRef(c *call, repo *model.Repo) (reply, error) {
	if err := c.s.DeleteRef(c.actor, repo, "refs/"+c.PathValue("ref")); err != nil {
		return reply{}, err
	}
	return noContent()
}

func getGitCommit(c *call, repo *model.Repo) (reply, error) {
	commit, err := repo.Git.Commit(plumbing.NewHash(c.PathValue("sha")))
	if err != nil {
		return reply{}, errNotFound
	}
	return ok(c.gitCommit(repo, commit))
}

func getTree(c *call, repo *model.Repo) (reply, error) {
	name := c.PathValue("sha")
	tree := plumbing.NewHash(name)
	if commit, err := repo.Git.Resolve(name); err == nil {
		root, err := repo.Git.Entry(commit, "")
		if err != nil {
			return reply{}, err
		}
		tree = root.Hash
	}
	entries, err := repo.Git.Tree(tree, c.URL.Query().Has("recursive"))
	if err != nil {
		return reply{}, errNotFound
	}
	return ok(c.tree(repo, tree, entries))
}

// listCommits lists the history of a branch, tag or commit, newest first.
func listCommits(c *call, repo *model.Repo) (reply, error) {
	query := c.URL.Query()
	head, err := repo.Git.Resolve(orDefault(query.Get("sha"), repo.DefaultBranch))
	if err != nil {
		return reply{}, errNotFound
	}
	since, err := timeOf(query.Get("since"))
	if err != nil {
		return reply{}, err
	}
	until, err := timeOf(query.Get("until"))
	if err != nil {
		return reply{}, err
	}
	commits, err := repo.Git.Log(head, strings.Trim(query.Get("path"), "/"), 0)
	if err != nil {
		return reply{}, err
	}
	commits = slices.DeleteFunc(commits, func(commit gitstore.Commit) bool {
		when := commit.Committer.When
		return when.Before(since) || !until.IsZero() && when.After(until) ||
			!c.signedBy(commit.Author, query.Get("author")) || !c.signedBy(commit.Committer, query.Get("committer"))
	})
	return list(c, commits, func(commit gitstore.Commit) commitView { return c.commit(repo, commit) })
}

// signedBy reports whether a signature is of a login or address; empty is
// anybody.
func (c *call) signedBy(sig gitstore.Signature, who string) bool {
	u := c.s.Signer(sig)
	return who == "" || sig.Email == who || u != nil && strings.EqualFold(u.Login, who)
}

// timeOf reads a moment of a query, the zero time for empty text.
func timeOf(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, &model.Problem{Kind: model.Invalid, Message: "Invalid request.\n\n" + text + " is not a valid date-time."}
	}
	return t, nil
}

// getCommit serves a commit and what hangs below it; the ref may have slashes,
// so the rest of the path is taken apart here.
func getCommit(c *call, repo *model.Repo) (reply, error) {
	below := map[string]func(*call, *model.Repo, gitstore.Hash) (reply, error){
		"/check-runs": commitCheckRuns, "/check-suites": commitSuites, "/status": combinedStatus, "/statuses": listStatuses, "/pulls": commitPulls,
		"/branches-where-head": branchesAt, "/comments": listCommitComments,
	}
	ref, show := c.PathValue("ref"), showCommit
	if at := strings.LastIndexByte(ref, '/'); at >= 0 && below[ref[at:]] != nil {
		ref, show = ref[:at], below[ref[at:]]
	}
	hash, err := repo.Git.Resolve(ref)
	if err != nil {
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "No commit found for SHA: " + ref}
	}
	return show(c, repo, hash)
}

// filesOnPage is how many files a page of a commit's has.
const filesOnPage = 300

func showCommit(c *call, repo *model.Repo, hash gitstore.Hash) (reply, error) {
	commit, err := repo.Git.Commit(hash)
	if err != nil {
		return reply{}, err
	}
	if c.accepts("sha") {
		answer, err := plain("sha", []byte(hash.String()))
		answer.tag = hash.String()
		return answer, err
	}
	if c.accepts("diff") || c.accepts("patch") {
		return diffText(c, repo, parentOf(commit), hash)
	}
	view, err := c.fullCommit(repo, commit)
	if err != nil {
		return reply{}, err
	}
	files, header := pageOf(c, *view.Files, filesOnPage, filesOnPage)
	view.Files = &files
	return reply{status: http.StatusOK, body: view, header: header}, nil
}

// parentOf returns a commit's first parent, zero if it has none.
func parentOf(commit gitstore.Commit) gitstore.Hash {
	if len(commit.Parents) == 0 {
		return gitstore.Hash{}
	}
	return commit.Parents[0]
}

// diffText answers with a diff or a patch series, as the client accepts.
func diffText(c *call, repo *model.Repo, base, head gitstore.Hash) (reply, error) {
	var text bytes.Buffer
	if c.accepts("patch") {
		if err := repo.Git.WritePatch(&text, base, head); err != nil {
			return reply{}, err
		}
		return plain("patch", text.Bytes())
	}
	files, err := repo.Git.Diff(base, head)
	if err != nil {
		return reply{}, err
	}
	if err := gitstore.WriteDiff(&text, files); err != nil {
		return reply{}, err
	}
	return plain("diff", text.Bytes())
}

// commitPulls lists the pull requests that have a commit, or made it by being
// merged.
func commitPulls(c *call, repo *model.Repo, commit gitstore.Hash) (reply, error) {
	pulls := c.s.Issues.Where(func(i *model.Issue) bool {
		return i.RepoID == repo.ID && i.Pull != nil && c.hasCommit(i, commit)
	})
	return list(c, pulls, c.pull)
}

func (c *call) hasCommit(i *model.Issue, hash gitstore.Hash) bool {
	commits, err := c.s.PullCommits(i)
	return i.Pull.MergeCommitSHA == hash.String() ||
		err == nil && slices.ContainsFunc(commits, func(commit gitstore.Commit) bool { return commit.Hash == hash })
}
