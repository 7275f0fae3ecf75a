package github

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Artifact is what GitHub says of one.
type Artifact struct {
	ID      int64  `json:"id"`
	Name    string `json:"name"`
	Size    int64  `json:"size_in_bytes"`
	Expired bool   `json:"expired"`
	// Digest is "sha256:" and the archive's sum, empty for older ones.
	Digest    string    `json:"digest"`
	CreatedAt time.Time `json:"created_at"`
	Run       struct {
		ID           int64  `json:"id"`
		RepositoryID int64  `json:"repository_id"`
		HeadSHA      string `json:"head_sha"`
	} `json:"workflow_run"`
}

// ArtifactSource is a run of a workflow. Who has written what it uploaded may be
// anybody, so it is read within limits, and nothing of it says where it is from:
// GitHub does.
type ArtifactSource struct {
	Client      *Client
	Owner, Name string
	Run         int64
	// HTTP downloads, and is given no token.
	HTTP *http.Client
}

// List returns what a run has uploaded, in all of its attempts.
func (s ArtifactSource) List(ctx context.Context) ([]Artifact, error) {
	var all []Artifact
	// go-github's own list leaves the digest out.
	pages := Pages(func(page gh.ListOptions) ([]Artifact, *gh.Response, error) {
		var answer struct {
			Artifacts []Artifact `json:"artifacts"`
		}
		path := fmt.Sprintf("repos/%s/%s/actions/runs/%d/artifacts?per_page=%d&page=%d", s.Owner, s.Name, s.Run, page.PerPage, page.Page)
		request, err := s.Client.REST.NewRequest(http.MethodGet, path, nil)
		if err != nil {
			return nil, nil, err
		}
		response, err := s.Client.REST.Do(ctx, request, &answer)
		return answer.Artifacts, response, err
	})
	for one, err := range pages {
		if err != nil {
			return nil, Explain("list the artifacts of the workflow's run", err)
		}
		all = append(all, one)
	}
	return all, nil
}

// maxRedirects is how often an address may lead to another one.
const maxRedirects = 5

// Download returns the archive of an artifact that has so many bytes at most. One that is
// larger, or is another one than GitHub's list says, is an error of kind invalid.
func (s ArtifactSource) Download(ctx context.Context, a Artifact, most int64) ([]byte, error) {
	tooLarge := fault.Invalidf("artifact %s is larger than %d MiB: upload the rows of the run alone", a.Name, most>>20)
	if a.Size > most {
		return nil, tooLarge
	}
	at, _, err := s.Client.REST.Actions.DownloadArtifact(ctx, s.Owner, s.Name, a.ID, maxRedirects)
	if err != nil {
		return nil, Explain("find the archive of artifact "+a.Name, err)
	}
	archive, err := s.fetch(ctx, at.String(), most)
	switch {
	case err != nil:
		return nil, err
	case int64(len(archive)) > most:
		return nil, tooLarge
	}
	sum := sha256.Sum256(archive)
	if got := "sha256:" + hex.EncodeToString(sum[:]); a.Digest != "" && !strings.EqualFold(got, a.Digest) {
		return nil, fault.Invalidf("the archive of artifact %s is not the one that was uploaded: it is %.20s…, and GitHub knows %.20s…", a.Name, got, a.Digest)
	}
	return archive, nil
}

// fetch reads an archive, of which one byte too many is read at most. The address has a
// secret in it, which errors do not repeat.
func (s ArtifactSource) fetch(ctx context.Context, address string, most int64) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, fault.Infraf("download the artifact: GitHub names no address for it")
	}
	response, err := s.HTTP.Do(request)
	if err != nil {
		return nil, fault.Infraf("download the artifact: %w", cmp.Or(context.Cause(ctx), fmt.Errorf("the server does not answer")))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fault.Infraf("download the artifact: %s", response.Status)
	}
	archive, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	if err != nil {
		return nil, fault.Infraf("download the artifact: the connection broke")
	}
	return archive, nil
}
