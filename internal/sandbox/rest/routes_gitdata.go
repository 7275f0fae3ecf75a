package rest

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// gitDataRoutes make git's objects one by one, and show them.
func gitDataRoutes() []route {
	const git = reposPath + "/git"
	return []route{
		{"GET " + git + "/blobs/{sha}", onCommits(getBlob)},
		{"POST " + git + "/blobs", onCommits(createBlob)},
		{"POST " + git + "/trees", onCommits(createTree)},
		{"POST " + git + "/commits", onCommits(createCommit)},
		{"GET " + git + "/tags/{sha}", onCommits(getTag)},
		{"POST " + git + "/tags", onCommits(createTag)},
		{"GET " + reposPath + "/tags", onRepo(listTags)},
	}
}

func getBlob(c *call, repo *model.Repo) (reply, error) {
	hash := plumbing.NewHash(c.PathValue("sha"))
	blob, err := repo.Git.Blob(hash)
	if err != nil {
		return reply{}, errNotFound
	}
	if c.accepts("raw") {
		return plain("raw", blob)
	}
	return ok(map[string]any{
		"sha": hash.String(), "node_id": nodeOfName("B", repo.ID, hash.String()), "size": len(blob),
		"url": c.repoURL(repo.ID) + "/git/blobs/" + hash.String(), "content": base64Lines(blob), "encoding": "base64",
	})
}

func createBlob(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		Content  *string
		Encoding string
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Content == nil {
		return reply{}, missing("content")
	}
	content := []byte(*in.Content)
	if in.Encoding == "base64" {
		var err error
		if content, err = decode64(*in.Content); err != nil {
			return reply{}, err
		}
	}
	hash, err := c.s.CreateBlob(c.actor, repo, content)
	if err != nil {
		return reply{}, err
	}
	return created(map[string]string{"sha": hash.String(), "url": c.repoURL(repo.ID) + "/git/blobs/" + hash.String()})
}

// treeInput is an entry of a tree to be made: a file's content, or an object
// by its name, or null for what is to be removed.
type treeInput struct {
	Path, Mode string
	// Type is what the mode says, or empty.
	Type    string
	Content *string
	SHA     json.RawMessage
}

func (in treeInput) change() (gitstore.Change, error) {
	change := gitstore.Change{Path: in.Path}
	mode, err := filemode.New(in.Mode)
	if err != nil || !validTreeModes()[mode] {
		return change, &model.Problem{Kind: model.Invalid, Message: "Must supply a valid tree.mode"}
	}
	if in.Type != "" && in.Type != typeOfMode(mode) {
		return change, &model.Problem{Kind: model.Invalid, Message: "Must supply a valid tree.type"}
	}
	change.Mode = mode
	switch {
	case bytes.Equal(in.SHA, []byte("null")):
		change.Delete = true
	case len(in.SHA) > 0:
		var name string
		if err := json.Unmarshal(in.SHA, &name); err != nil {
			return change, &model.Problem{Kind: model.Invalid, Message: "tree.sha must be a string"}
		}
		change.Blob, err = objectName(name)
		return change, err
	case in.Content != nil:
		change.Content = append([]byte{}, *in.Content...)
	default:
		return change, &model.Problem{Kind: model.Invalid, Message: "Must supply either tree.sha or tree.content"}
	}
	return change, nil
}

// typeOfMode returns the type of the objects that have a mode in a tree.
func typeOfMode(mode filemode.FileMode) string {
	switch mode {
	case filemode.Dir:
		return "tree"
	case filemode.Submodule:
		return "commit"
	default:
		return "blob"
	}
}

func validTreeModes() map[filemode.FileMode]bool {
	return map[filemode.FileMode]bool{
		filemode.Regular: true, filemode.Executable: true, filemode.Symlink: true, filemode.Dir: true, filemode.Submodule: true,
	}
}

func createTree(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		BaseTree string `json:"base_tree"`
		Tree     []treeInput
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if len(in.Tree) == 0 {
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "Invalid tree info"}
	}
	base := plumbing.NewHash(in.BaseTree)
	if kind, _ := repo.Git.Type(base); in.BaseTree != "" && kind != plumbing.TreeObject && kind != plumbing.CommitObject {
		return reply{}, errNotFound
	}
	changes := make([]gitstore.Change, 0, len(in.Tree))
	for _, entry := range in.Tree {
		change, err := entry.change()
		if err != nil {
			return reply{}, err
		}
		changes = append(changes, change)
	}
	tree, err := c.s.CreateTree(c.actor, repo, base, changes)
	if err != nil {
		return reply{}, err
	}
	entries, err := repo.Git.Tree(tree, false)
	return createdOr(c.tree(repo, tree, entries), err)
}

func createCommit(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		Message           string
		Tree              string
		Parents           []string
		Author, Committer *signer
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Message == "" {
		return reply{}, missing("message")
	}
	spec := gitstore.CommitSpec{Message: in.Message}
	var err error
	if spec.Tree, err = objectName(in.Tree); err != nil {
		return reply{}, err
	}
	for _, parent := range in.Parents {
		hash, err := objectName(parent)
		if err != nil {
			return reply{}, err
		}
		spec.Parents = append(spec.Parents, hash)
	}
	if spec.Author, err = in.Author.signature(); err != nil {
		return reply{}, err
	}
	// GitHub takes the author as the committer where none is given.
	spec.Committer = spec.Author
	if in.Committer != nil {
		if spec.Committer, err = in.Committer.signature(); err != nil {
			return reply{}, err
		}
	}
	commit, err := c.s.CreateCommit(c.actor, repo, spec)
	if err != nil {
		return reply{}, err
	}
	return created(c.gitCommit(repo, commit))
}

func getTag(c *call, repo *model.Repo) (reply, error) {
	tag, err := repo.Git.Tag(plumbing.NewHash(c.PathValue("sha")))
	if err != nil {
		return reply{}, errNotFound
	}
	return ok(c.tag(repo, tag))
}

func createTag(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		Tag, Message, Object, Type string
		Tagger                     *signer
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Tag == "" {
		return reply{}, missing("tag")
	}
	target, err := objectName(in.Object)
	if err != nil {
		return reply{}, err
	}
	if kind, there := repo.Git.Type(target); there && in.Type != "" && in.Type != kind.String() {
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "Object is not a " + in.Type}
	}
	tagger, err := in.Tagger.signature()
	if err != nil {
		return reply{}, err
	}
	tag, err := c.s.CreateTag(c.actor, repo, gitstore.TagSpec{Target: target, Name: in.Tag, Tagger: tagger, Message: in.Message})
	if err != nil {
		return reply{}, err
	}
	return created(c.tag(repo, tag))
}

func (v *view) tag(repo *model.Repo, tag gitstore.Tag) map[string]any {
	api := v.repoURL(repo.ID) + "/git/"
	kind := tag.TargetType.String()
	return map[string]any{
		"node_id": nodeOfName("TA", repo.ID, tag.Hash.String()), "tag": tag.Name, "sha": tag.Hash.String(),
		"url": api + "tags/" + tag.Hash.String(), "message": tag.Message, "tagger": dated(tag.Tagger),
		"object":       objectReference{SHA: tag.Target.String(), Type: kind, URL: api + kind + "s/" + tag.Target.String()},
		"verification": unsigned,
	}
}

const tagsPrefix = "refs/tags/"

// listTags lists the tags by name, the last one first, with the commits that
// they lead to.
func listTags(c *call, repo *model.Repo) (reply, error) {
	refs := repo.Git.Refs(tagsPrefix)
	views := make([]map[string]any, 0, len(refs))
	for n := len(refs) - 1; n >= 0; n-- {
		name := strings.TrimPrefix(refs[n].Name, tagsPrefix)
		commit, err := repo.Git.Resolve(refs[n].Name)
		if err != nil {
			continue
		}
		api := c.repoURL(repo.ID)
		views = append(views, map[string]any{
			"name": name, "node_id": nodeOfName("REF", repo.ID, refs[n].Name),
			"zipball_url": api + "/zipball/refs/tags/" + pathEscape(name),
			"tarball_url": api + "/tarball/refs/tags/" + pathEscape(name),
			"commit":      hashLink{SHA: commit.String(), URL: api + "/commits/" + commit.String()},
		})
	}
	return list(c, views, same)
}
