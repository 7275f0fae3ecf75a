package rest

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func contentRoutes() []route {
	return []route{
		{"GET " + reposPath + "/contents", onRepo(getContents)},
		{"GET " + reposPath + "/contents/{path...}", onRepo(getContents)},
		{"PUT " + reposPath + "/contents/{path...}", onRepo(putContents)},
		{"DELETE " + reposPath + "/contents/{path...}", onRepo(deleteContents)},
	}
}

func getContents(c *call, repo *model.Repo) (reply, error) {
	if repo.Empty() {
		return reply{}, &model.Problem{Kind: model.NotFound, Message: "This repository is empty."}
	}
	ref := orDefault(c.URL.Query().Get("ref"), repo.DefaultBranch)
	commit, err := repo.Git.Resolve(ref)
	if err != nil {
		return reply{}, &model.Problem{Kind: model.NotFound, Message: "No commit found for the ref " + ref}
	}
	entry, err := repo.Git.Entry(commit, strings.Trim(c.PathValue("path"), "/"))
	switch {
	case err != nil:
		return reply{}, errNotFound
	case entry.Type == "blob":
		return fileContent(c, repo, ref, entry)
	case entry.Type == "tree":
		return folderContent(c, repo, ref, entry)
	default:
		return ok(c.content(repo, ref, entry))
	}
}

func folderContent(c *call, repo *model.Repo, ref string, folder gitstore.TreeEntry) (reply, error) {
	entries, err := repo.Git.Tree(folder.Hash, false)
	if err != nil {
		return reply{}, err
	}
	views := make([]contentView, 0, len(entries))
	for _, e := range entries {
		if folder.Path != "" {
			e.Path = folder.Path + "/" + e.Name
		}
		views = append(views, c.content(repo, ref, e))
	}
	if c.accepts("object") {
		return ok(struct {
			contentView
			Entries []contentView `json:"entries"`
		}{c.content(repo, ref, folder), views})
	}
	return ok(views)
}

func fileContent(c *call, repo *model.Repo, ref string, entry gitstore.TreeEntry) (reply, error) {
	for media, shown := range map[string]func(string, []byte) ([]byte, error){
		"raw": func(_ string, blob []byte) ([]byte, error) { return blob, nil }, "html": fileHTML,
	} {
		if !c.accepts(media) {
			continue
		}
		blob, err := repo.Git.Blob(entry.Hash)
		if err != nil {
			return reply{}, err
		}
		text, err := shown(entry.Path, blob)
		if err != nil {
			return reply{}, err
		}
		return plain(media, text)
	}
	return okOr(c.file64(repo, ref, entry))
}

// signer is who the body says has written or committed something.
type signer struct{ Name, Email, Date string }

// signature returns the zero signature for nil.
func (p *signer) signature() (gitstore.Signature, error) {
	if p == nil {
		return gitstore.Signature{}, nil
	}
	if p.Name == "" || p.Email == "" {
		return gitstore.Signature{}, missing("name or email")
	}
	when, err := timeOf(p.Date)
	return gitstore.Signature{Name: p.Name, Email: p.Email, When: when.Truncate(time.Second)}, err
}

type contentInput struct {
	Message   string
	Content   *string
	SHA       string
	Branch    string
	Author    *signer
	Committer *signer
}

func putContents(c *call, repo *model.Repo) (reply, error) { return writeContents(c, repo, true) }

func deleteContents(c *call, repo *model.Repo) (reply, error) { return writeContents(c, repo, false) }

// writeContents makes, changes or deletes a file.
func writeContents(c *call, repo *model.Repo, put bool) (reply, error) {
	var in contentInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	write, err := in.fileWrite(c.PathValue("path"), put)
	if err != nil {
		return reply{}, err
	}
	commit, err := c.s.WriteFile(c.actor, repo, write)
	if err != nil {
		return reply{}, err
	}
	body := map[string]any{"content": nil, "commit": c.gitCommit(repo, commit)}
	if !put {
		return ok(body)
	}
	entry, err := repo.Git.Entry(commit.Hash, write.Path)
	if err != nil {
		return reply{}, err
	}
	body["content"] = c.content(repo, orDefault(in.Branch, repo.DefaultBranch), entry)
	if in.SHA == "" {
		return created(body)
	}
	return ok(body)
}

func (in contentInput) fileWrite(path string, put bool) (model.FileWrite, error) {
	write := model.FileWrite{Path: strings.Trim(path, "/"), Message: in.Message, Branch: in.Branch, BlobSHA: in.SHA}
	if in.Message == "" {
		return write, missing("message")
	}
	var err error
	if write.Author, err = in.Author.signature(); err != nil {
		return write, err
	}
	if write.Committer, err = in.Committer.signature(); err != nil || !put {
		return write, err
	}
	if in.Content == nil {
		return write, missing("content")
	}
	content, err := decode64(*in.Content)
	// An empty file is no deletion.
	write.Content = append([]byte{}, content...)
	return write, err
}

// decode64 reads contents that a client has encoded, in one line or several.
func decode64(text string) ([]byte, error) {
	content, err := base64.StdEncoding.DecodeString(strings.NewReplacer("\n", "", "\r", "").Replace(text))
	if err != nil {
		return nil, &model.Problem{Kind: model.Invalid, Message: "content is not valid Base64"}
	}
	return content, nil
}
