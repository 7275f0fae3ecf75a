package rest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// uploadsURL is where assets are uploaded to.
const uploadsURL = "https://uploads.github.com"

type releaseView struct {
	URL             string      `json:"url"`
	HTMLURL         string      `json:"html_url"`
	AssetsURL       string      `json:"assets_url"`
	UploadURL       string      `json:"upload_url"`
	TarballURL      *string     `json:"tarball_url"`
	ZipballURL      *string     `json:"zipball_url"`
	ID              int64       `json:"id"`
	Author          *userView   `json:"author"`
	NodeID          string      `json:"node_id"`
	TagName         string      `json:"tag_name"`
	TargetCommitish string      `json:"target_commitish"`
	Name            *string     `json:"name"`
	Body            *string     `json:"body"`
	Draft           bool        `json:"draft"`
	Immutable       bool        `json:"immutable"`
	Prerelease      bool        `json:"prerelease"`
	CreatedAt       stamp       `json:"created_at"`
	UpdatedAt       stamp       `json:"updated_at"`
	PublishedAt     stamp       `json:"published_at"`
	Assets          []assetView `json:"assets"`
	DiscussionURL   string      `json:"discussion_url,omitempty"`
	// Reactions are nil for none.
	Reactions map[string]any `json:"reactions,omitempty"`
}

type assetView struct {
	URL                string    `json:"url"`
	ID                 int64     `json:"id"`
	NodeID             string    `json:"node_id"`
	Name               string    `json:"name"`
	Label              *string   `json:"label"`
	Uploader           *userView `json:"uploader"`
	ContentType        string    `json:"content_type"`
	State              string    `json:"state"`
	Size               int       `json:"size"`
	Digest             string    `json:"digest"`
	DownloadCount      int       `json:"download_count"`
	CreatedAt          stamp     `json:"created_at"`
	UpdatedAt          stamp     `json:"updated_at"`
	BrowserDownloadURL string    `json:"browser_download_url"`
}

func (v *view) release(r *model.Release) releaseView {
	full := v.s.FullName(v.s.Repos.Get(r.RepoID))
	path := fmt.Sprintf("/repos/%s/releases/%d", full, r.ID)
	shown := releaseView{
		URL: apiURL + path, HTMLURL: htmlURL + v.s.ReleasePage(r), AssetsURL: apiURL + path + "/assets",
		UploadURL: uploadsURL + path + "/assets{?name,label}", ID: r.ID, Author: v.user(r.AuthorID),
		NodeID: model.NodeID(model.NodeRelease, r.RepoID, r.ID), TagName: r.TagName, TargetCommitish: r.Target,
		Name: optional(r.Name), Body: optional(r.Body), Draft: r.Draft, Prerelease: r.Prerelease,
		CreatedAt: at(r.CreatedAt), UpdatedAt: at(r.UpdatedAt), PublishedAt: maybe(r.PublishedAt), Assets: []assetView{},
	}
	if len(v.s.ReactionsTo(r.ID)) > 0 {
		shown.Reactions = v.reactions(shown.URL, r.ID)
	}
	if d := v.s.Discussions.Get(r.DiscussionID); d != nil {
		shown.DiscussionURL = fmt.Sprintf("%s/discussions/%d", v.repoHTML(r.RepoID), d.Number)
	}
	if !r.Draft {
		shown.TarballURL = optional(fmt.Sprintf("%s/repos/%s/tarball/%s", apiURL, full, r.TagName))
		shown.ZipballURL = optional(fmt.Sprintf("%s/repos/%s/zipball/%s", apiURL, full, r.TagName))
	}
	for i := range r.Assets {
		shown.Assets = append(shown.Assets, v.asset(r, &r.Assets[i]))
	}
	return shown
}

func (v *view) asset(r *model.Release, a *model.Asset) assetView {
	full := v.s.FullName(v.s.Repos.Get(r.RepoID))
	return assetView{
		URL: fmt.Sprintf("%s/repos/%s/releases/assets/%d", apiURL, full, a.ID), ID: a.ID,
		NodeID: model.NodeID(model.NodeReleaseAsset, r.RepoID, a.ID), Name: a.Name, Label: optional(a.Label), Uploader: v.user(a.UploaderID),
		ContentType: a.ContentType, State: "uploaded", Size: len(a.Content), Digest: digest(a.Content), CreatedAt: at(a.CreatedAt), UpdatedAt: at(a.CreatedAt),
		BrowserDownloadURL: fmt.Sprintf("%s/%s/releases/download/%s/%s", htmlURL, full, r.TagName, url.PathEscape(a.Name)),
	}
}

// digest names the content of a file by its hash.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}
