package rest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func artifactRoutes() []route {
	const base = " " + reposPath + "/actions"
	return []route{
		{"GET" + base + "/runs/{id}/artifacts", onRun(listRunArtifacts)},
		{"GET" + base + "/artifacts", onRepo(listArtifacts)},
		{"GET" + base + "/artifacts/{id}", onArtifact(getArtifact)},
		{"GET" + base + "/artifacts/{id}/zip", onArtifact(downloadArtifact)},
		{"DELETE" + base + "/artifacts/{id}", onArtifact(deleteArtifact)},
	}
}

func onArtifact(handle func(c *call, a *model.Artifact) (reply, error)) func(*call) (reply, error) {
	return onRow(func(s *model.State) *model.Table[model.Artifact] { return &s.Artifacts },
		func(a *model.Artifact) model.ID { return a.RepoID }, handle)
}

func listRunArtifacts(c *call, r *model.Run) (reply, error) {
	all := c.s.ArtifactsOf(c.repository, r.ID)
	if c.URL.Query().Get("direction") == "asc" {
		slices.Reverse(all)
	}
	return c.artifacts(all)
}

func listArtifacts(c *call, repo *model.Repo) (reply, error) {
	return c.artifacts(c.s.ArtifactsOf(repo, 0))
}

// artifacts lists those that the query asks for.
func (c *call) artifacts(all []*model.Artifact) (reply, error) {
	var named []*model.Artifact
	for _, a := range all {
		if asked(c.URL.Query(), "name", a.Name) {
			named = append(named, a)
		}
	}
	return wrapped(c, "artifacts", named, c.artifact)
}

func getArtifact(c *call, a *model.Artifact) (reply, error) { return ok(c.artifact(a)) }

// artifactPath is the path of an artifact, which [API.Logs] answers to.
const artifactPath = "/artifacts/%d.zip"

var artifactForm = regexp.MustCompile(`^/artifacts/(\d+)\.zip$`)

func downloadArtifact(c *call, a *model.Artifact) (reply, error) {
	return c.found(LogsHost, artifactPath, a.ID)
}

func deleteArtifact(c *call, a *model.Artifact) (reply, error) {
	if err := c.s.DeleteArtifact(c.actor, a); err != nil {
		return reply{}, err
	}
	return noContent()
}

// archived answers the request for an artifact's archive.
func archived(a *model.Artifact) Response {
	content, err := archiveOfArtifact(a)
	if err != nil {
		return errorResponse(err)
	}
	response := downloaded("application/zip", content)
	response.Header.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", a.Name+".zip"))
	return response
}

func archiveOfArtifact(a *model.Artifact) ([]byte, error) {
	var content bytes.Buffer
	err := model.WriteArtifact(&content, a)
	return content.Bytes(), err
}

type artifactView struct {
	ID                 int64           `json:"id"`
	NodeID             string          `json:"node_id"`
	Name               string          `json:"name"`
	Size               int             `json:"size_in_bytes"`
	URL                string          `json:"url"`
	ArchiveDownloadURL string          `json:"archive_download_url"`
	Expired            bool            `json:"expired"`
	Digest             string          `json:"digest"`
	CreatedAt          stamp           `json:"created_at"`
	UpdatedAt          stamp           `json:"updated_at"`
	ExpiresAt          stamp           `json:"expires_at"`
	WorkflowRun        artifactRunView `json:"workflow_run"`
}

type artifactRunView struct {
	ID               int64  `json:"id"`
	RepositoryID     int64  `json:"repository_id"`
	HeadRepositoryID int64  `json:"head_repository_id"`
	HeadBranch       string `json:"head_branch"`
	HeadSHA          string `json:"head_sha"`
}

// artifactNode returns an artifact's global id, which is of GitHub's older form.
func artifactNode(a *model.Artifact) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "08:Artifact%d", a.ID))
}

func (v *view) artifact(a *model.Artifact) artifactView {
	// Archives are written to memory, which does not fail.
	content, _ := archiveOfArtifact(a)
	sum := sha256.Sum256(content)
	api := fmt.Sprintf("%s/actions/artifacts/%d", v.repoURL(a.RepoID), a.ID)
	run := v.s.Runs.Get(a.RunID)
	head := run.RepoID
	if i := v.s.Issues.Get(run.PullID); i != nil && i.Pull != nil && i.Pull.FromFork() {
		head = i.Pull.HeadRepoID
	}
	return artifactView{
		ID: a.ID, NodeID: artifactNode(a), Name: a.Name, Size: len(content), URL: api,
		ArchiveDownloadURL: api + "/zip", Digest: "sha256:" + hex.EncodeToString(sum[:]),
		CreatedAt: at(a.CreatedAt), UpdatedAt: at(a.CreatedAt), ExpiresAt: at(a.CreatedAt.Add(model.ArtifactLife)),
		WorkflowRun: artifactRunView{
			ID: run.ID, RepositoryID: run.RepoID, HeadRepositoryID: head, HeadBranch: run.HeadBranch, HeadSHA: run.HeadSHA,
		},
	}
}
