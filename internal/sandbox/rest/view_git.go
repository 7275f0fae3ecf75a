package rest

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// view shows a world's objects to one user.
type view struct {
	s     *model.State
	actor model.ID
}

func (v *view) repoURL(id model.ID) string {
	return apiURL + "/repos/" + v.s.FullName(v.s.Repos.Get(id))
}

func (v *view) repoHTML(id model.ID) string {
	return htmlURL + "/" + v.s.FullName(v.s.Repos.Get(id))
}

// pathEscape escapes a path, leaving its slashes.
func pathEscape(path string) string { return (&url.URL{Path: path}).EscapedPath() }

type objectReference struct {
	SHA  string `json:"sha"`
	Type string `json:"type"`
	URL  string `json:"url"`
}

type refView struct {
	Ref    string          `json:"ref"`
	NodeID string          `json:"node_id"`
	URL    string          `json:"url"`
	Object objectReference `json:"object"`
}

func (v *view) ref(repo *model.Repo, name string, to gitstore.Hash) refView {
	kind := "commit"
	if _, err := repo.Git.Tag(to); err == nil {
		kind = "tag"
	}
	api := v.repoURL(repo.ID) + "/git"
	return refView{
		Ref: name, NodeID: nodeOfName("REF", repo.ID, name), URL: api + "/" + name,
		Object: objectReference{SHA: to.String(), Type: kind, URL: api + "/" + kind + "s/" + to.String()},
	}
}

// nodeOfName is the node id of an object that has a name rather than a number.
func nodeOfName(prefix string, repo model.ID, name string) string {
	return prefix + "_" + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d:%s", repo, name))
}

type datedSigner struct {
	Name  string    `json:"name"`
	Email string    `json:"email"`
	Date  time.Time `json:"date"`
}

func dated(s gitstore.Signature) datedSigner { return datedSigner{s.Name, s.Email, s.When.UTC()} }

type hashLink struct {
	SHA     string `json:"sha"`
	URL     string `json:"url"`
	HTMLURL string `json:"html_url,omitempty"`
}

type verificationView struct {
	Verified   bool    `json:"verified"`
	Reason     string  `json:"reason"`
	Signature  *string `json:"signature"`
	Payload    *string `json:"payload"`
	VerifiedAt *string `json:"verified_at"`
}

type gitCommitView struct {
	SHA          string           `json:"sha"`
	NodeID       string           `json:"node_id"`
	URL          string           `json:"url"`
	HTMLURL      string           `json:"html_url"`
	Author       datedSigner      `json:"author"`
	Committer    datedSigner      `json:"committer"`
	Tree         hashLink         `json:"tree"`
	Message      string           `json:"message"`
	Parents      []hashLink       `json:"parents"`
	Verification verificationView `json:"verification"`
}

// unsigned is the verification of every commit of a sandbox.
var unsigned = verificationView{Reason: "unsigned"}

func (v *view) gitCommit(repo *model.Repo, c gitstore.Commit) gitCommitView {
	api, html := v.repoURL(repo.ID), v.repoHTML(repo.ID)
	return gitCommitView{
		SHA: c.Hash.String(), NodeID: nodeOfName("C", repo.ID, c.Hash.String()),
		URL: api + "/git/commits/" + c.Hash.String(), HTMLURL: html + "/commit/" + c.Hash.String(),
		Author: dated(c.Author), Committer: dated(c.Committer),
		Tree:    hashLink{SHA: c.Tree.String(), URL: api + "/git/trees/" + c.Tree.String()},
		Message: c.Message, Parents: v.parents(repo, c, "/git/commits/"), Verification: unsigned,
	}
}

func (v *view) parents(repo *model.Repo, c gitstore.Commit, path string) []hashLink {
	links := make([]hashLink, 0, len(c.Parents))
	for _, p := range c.Parents {
		links = append(links, hashLink{
			SHA: p.String(), URL: v.repoURL(repo.ID) + path + p.String(), HTMLURL: v.repoHTML(repo.ID) + "/commit/" + p.String(),
		})
	}
	return links
}

type commitBody struct {
	Author       datedSigner      `json:"author"`
	Committer    datedSigner      `json:"committer"`
	Message      string           `json:"message"`
	Tree         hashLink         `json:"tree"`
	URL          string           `json:"url"`
	CommentCount int              `json:"comment_count"`
	Verification verificationView `json:"verification"`
}

type commitView struct {
	URL         string      `json:"url"`
	SHA         string      `json:"sha"`
	NodeID      string      `json:"node_id"`
	HTMLURL     string      `json:"html_url"`
	CommentsURL string      `json:"comments_url"`
	Commit      commitBody  `json:"commit"`
	Author      *userView   `json:"author"`
	Committer   *userView   `json:"committer"`
	Parents     []hashLink  `json:"parents"`
	Stats       *statsView  `json:"stats,omitempty"`
	Files       *[]fileView `json:"files,omitempty"`
}

type statsView struct {
	Additions int `json:"additions"`
	Deletions int `json:"deletions"`
	Total     int `json:"total"`
}

func (v *view) commit(repo *model.Repo, c gitstore.Commit) commitView {
	g := v.gitCommit(repo, c)
	api := v.repoURL(repo.ID) + "/commits/" + g.SHA
	return commitView{
		URL: api, SHA: g.SHA, NodeID: g.NodeID, HTMLURL: g.HTMLURL, CommentsURL: api + "/comments",
		Commit: commitBody{Author: g.Author, Committer: g.Committer, Message: g.Message, Tree: g.Tree, URL: g.URL, Verification: g.Verification,
			CommentCount: v.s.CommitCommentCount(repo, g.SHA)},
		Author: v.signer(c.Author), Committer: v.signer(c.Committer), Parents: v.parents(repo, c, "/commits/"),
	}
}

// fullCommit is a commit's own page, with what it changed.
func (v *view) fullCommit(repo *model.Repo, c gitstore.Commit) (commitView, error) {
	view := v.commit(repo, c)
	diff, err := repo.Git.Diff(parentOf(c), c.Hash)
	if err != nil {
		return view, err
	}
	view.Stats = &statsView{}
	files := make([]fileView, 0, len(diff))
	for _, f := range diff {
		view.Stats.Additions += f.Additions
		view.Stats.Deletions += f.Deletions
		files = append(files, v.file(repo, c.Hash.String(), f))
	}
	view.Stats.Total = view.Stats.Additions + view.Stats.Deletions
	view.Files = &files
	return view, nil
}

// signer returns the user whom a signature names, nil if it is nobody's.
func (v *view) signer(s gitstore.Signature) *userView {
	if u := v.s.Signer(s); u != nil {
		return v.user(u.ID)
	}
	return nil
}

type branchView struct {
	Name      string   `json:"name"`
	Commit    hashLink `json:"commit"`
	Protected bool     `json:"protected"`
}

func (v *view) branch(repo *model.Repo, name string, to gitstore.Hash) branchView {
	return branchView{
		Name: name, Protected: repo.Protected(name),
		Commit: hashLink{SHA: to.String(), URL: v.repoURL(repo.ID) + "/commits/" + to.String()},
	}
}

func (v *view) tree(repo *model.Repo, hash gitstore.Hash, entries []gitstore.TreeEntry) map[string]any {
	api := v.repoURL(repo.ID) + "/git/"
	views := make([]map[string]any, 0, len(entries))
	for _, e := range entries {
		entry := map[string]any{
			"path": e.Path, "mode": modeText(e.Mode), "type": e.Type, "sha": e.Hash.String(),
			"url": api + e.Type + "s/" + e.Hash.String(),
		}
		if e.Type == "blob" {
			entry["size"] = e.Size
		}
		views = append(views, entry)
	}
	return map[string]any{"sha": hash.String(), "url": api + "trees/" + hash.String(), "tree": views, "truncated": false}
}

// modeText writes a mode as git's trees do in six digits.
func modeText(m filemode.FileMode) string {
	text := m.String()
	return text[max(0, len(text)-6):]
}

// fullBranch is a branch's own page.
func (v *view) fullBranch(repo *model.Repo, name string, tip gitstore.Commit) map[string]any {
	_, rule, classic := repo.ProtectionOf(name)
	level := "off"
	switch {
	case !classic || !rule.AsksForChecks():
	case rule.AdminsToo:
		level = "everyone"
	default:
		level = "non_admins"
	}
	api := v.repoURL(repo.ID) + "/branches/" + pathEscape(name)
	return map[string]any{
		"name": name, "commit": v.commit(repo, tip), "protected": repo.Protected(name), "protection_url": api + "/protection",
		"_links": map[string]string{"self": api, "html": v.repoHTML(repo.ID) + "/tree/" + pathEscape(name)},
		"protection": map[string]any{"enabled": classic, "required_status_checks": map[string]any{
			"enforcement_level": level, "contexts": append([]string{}, rule.RequiredChecks...), "checks": checksOf(rule),
		}},
	}
}

type contentView struct {
	Name        string            `json:"name"`
	Path        string            `json:"path"`
	SHA         string            `json:"sha"`
	Size        int64             `json:"size"`
	URL         string            `json:"url"`
	HTMLURL     string            `json:"html_url"`
	GitURL      string            `json:"git_url"`
	DownloadURL *string           `json:"download_url"`
	Type        string            `json:"type"`
	Content     *string           `json:"content,omitempty"`
	Encoding    *string           `json:"encoding,omitempty"`
	Links       map[string]string `json:"_links"`
	// License is what the text of the license says.
	License *licenseView `json:"license,omitempty"`
}

// contentKind returns GitHub's name for what is in a tree, and what the address
// of its page has.
func contentKind(e gitstore.TreeEntry) (kind, page string) {
	switch e.Mode {
	case filemode.Dir:
		return "dir", "tree"
	case filemode.Symlink:
		return "symlink", "blob"
	case filemode.Submodule:
		return "submodule", "tree"
	default:
		return "file", "blob"
	}
}

func (v *view) content(repo *model.Repo, ref string, e gitstore.TreeEntry) contentView {
	name := pathEscape(e.Path)
	api := v.repoURL(repo.ID) + "/contents/" + name + "?ref=" + url.QueryEscape(ref)
	kind, place := contentKind(e)
	git := v.repoURL(repo.ID) + "/git/" + place + "s/" + e.Hash.String()
	html := v.repoHTML(repo.ID) + "/" + place + "/" + pathEscape(ref) + "/" + name
	view := contentView{
		Name: e.Name, Path: e.Path, SHA: e.Hash.String(), Size: e.Size, URL: api, HTMLURL: html, GitURL: git, Type: kind,
		Links: map[string]string{"self": api, "git": git, "html": html},
	}
	if place == "blob" {
		download := "https://raw.githubusercontent.com/" + v.s.FullName(repo) + "/" + pathEscape(ref) + "/" + name
		view.DownloadURL = &download
	}
	return view
}

const (
	// base64Width is where GitHub breaks the lines of encoded contents.
	base64Width = 60
	// maxEncoded is the largest file that is shown encoded, in bytes; of larger
	// ones the contents are left out.
	maxEncoded = 1 << 20
)

// file64 is a file with its contents.
func (v *view) file64(repo *model.Repo, ref string, e gitstore.TreeEntry) (contentView, error) {
	view := v.content(repo, ref, e)
	if e.Size > maxEncoded {
		content, encoding := "", "none"
		view.Content, view.Encoding = &content, &encoding
		return view, nil
	}
	blob, err := repo.Git.Blob(e.Hash)
	if err != nil {
		return view, err
	}
	content, encoding := base64Lines(blob), "base64"
	view.Content, view.Encoding = &content, &encoding
	return view, nil
}

// base64Lines encodes contents as GitHub does, in lines.
func base64Lines(content []byte) string {
	var lines strings.Builder
	for encoded := base64.StdEncoding.EncodeToString(content); len(encoded) > 0; {
		n := min(base64Width, len(encoded))
		lines.WriteString(encoded[:n] + "\n")
		encoded = encoded[n:]
	}
	return lines.String()
}
