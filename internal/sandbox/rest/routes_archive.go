package rest

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func archiveRoutes() []route {
	zipball := onCommits(func(c *call, repo *model.Repo) (reply, error) { return c.archive(repo, "legacy.zip") })
	tarball := onCommits(func(c *call, repo *model.Repo) (reply, error) { return c.archive(repo, "legacy.tar.gz") })
	return []route{
		{"GET " + reposPath + "/zipball", zipball},
		{"GET " + reposPath + "/zipball/{ref...}", zipball},
		{"GET " + reposPath + "/tarball", tarball},
		{"GET " + reposPath + "/tarball/{ref...}", tarball},
	}
}

// archive sends on to an archive of what a ref names, or the default branch.
// GitHub does so too for a ref that there is not.
func (c *call) archive(repo *model.Repo, format string) (reply, error) {
	ref := orDefault(c.PathValue("ref"), "refs/heads/"+repo.DefaultBranch)
	return c.found(ArchiveHost, "/%s/%s/%s", c.s.FullName(repo), format, pathEscape(ref))
}

// Archive answers a request for an archive at codeload.github.com, by its path:
// /owner/name/format/ref. readable tells whether the client may read the
// repository.
func (a *API) Archive(s *model.State, path string, readable func(*model.Repo) bool) Response {
	parts := strings.SplitN(strings.TrimPrefix(path, "/"), "/", 4)
	if len(parts) < 4 {
		return errorResponse(errNotFound)
	}
	repo := s.Repo(parts[0], parts[1])
	if repo == nil || !readable(repo) {
		return errorResponse(errNotFound)
	}
	commit, err := repo.Git.Resolve(parts[3])
	if err != nil {
		return errorResponse(errNotFound)
	}
	folder := fmt.Sprintf("%s-%s-%s", parts[0], parts[1], commit.String()[:7])
	format, legacy := strings.CutPrefix(parts[2], "legacy.")
	if !legacy {
		folder = repo.Name + "-" + archiveName(parts[3])
	}
	return archiveOf(repo.Git, commit, format, folder)
}

// archiveName is a ref as archives are named by it.
func archiveName(ref string) string {
	for _, prefix := range []string{headsPrefix, tagsPrefix} {
		ref = strings.TrimPrefix(ref, prefix)
	}
	if digits, isVersion := strings.CutPrefix(ref, "v"); isVersion && digits != "" && digits[0] >= '0' && digits[0] <= '9' {
		ref = digits
	}
	return strings.ReplaceAll(ref, "/", "-")
}

func archiveOf(git *gitstore.Store, commit gitstore.Hash, format, folder string) Response {
	var out bytes.Buffer
	var err error
	kind := "application/x-gzip"
	switch format {
	case "zip":
		kind, err = "application/zip", git.WriteZip(&out, commit, folder+"/")
	case "tar.gz":
		err = git.WriteTarGz(&out, commit, folder+"/")
	default:
		return errorResponse(errNotFound)
	}
	if err != nil {
		return errorResponse(err)
	}
	response := downloaded(kind, out.Bytes())
	response.Header.Set("Content-Disposition", "attachment; filename="+folder+"."+format)
	response.Header.Set("ETag", `W/"`+commit.String()+`"`)
	return response
}

// ArchivePage returns where github.com sends the path of an archive on to: the
// address of /owner/name/archive/ref.zip at [ArchiveHost].
func ArchivePage(path string) (address string, ok bool) {
	parts := strings.SplitN(strings.TrimPrefix(path, "/"), "/", 4)
	if len(parts) < 4 || parts[2] != "archive" {
		return "", false
	}
	for _, format := range []string{"zip", "tar.gz"} {
		if ref, is := strings.CutSuffix(parts[3], "."+format); is && ref != "" {
			return "https://" + ArchiveHost + "/" + parts[0] + "/" + parts[1] + "/" + format + "/" + pathEscape(ref), true
		}
	}
	return "", false
}

// SeeOther is the answer that sends a client on.
func SeeOther(address string) Response {
	return Response{Status: http.StatusFound, Header: http.Header{"Location": {address}}}
}
