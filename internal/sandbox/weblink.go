package sandbox

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// Answers of the API name files at addresses outside of it: assets of releases and files
// of commits at github.com, files of gists at gist.githubusercontent.com.

// linked are the parts of a path at github.com by which an answer links a file or an
// archive: owner, name, what it is, and the rest; nil for other paths.
func linked(path string) []string {
	parts := strings.SplitN(strings.TrimPrefix(path, "/"), "/", 4)
	apart := []string{"", "api", "networks", "orgs", "repos", "repositories", "user", "users"} // the API's, on loopback
	if len(parts) < 4 || slices.Contains(apart, parts[0]) || !slices.Contains([]string{"archive", "raw", "releases"}, parts[2]) {
		return nil
	}
	return parts
}

// answerLinked answers a request to github.com for what an answer links.
func (w *World) answerLinked(x *exchange, parts []string) rest.Response {
	switch parts[2] {
	case "archive":
		if address, is := rest.ArchivePage(x.in.URL.Path); is {
			if rest, found := strings.CutPrefix(address, "https://"); found && onLoopback(x.in) {
				address = baseURL(x.in) + loopbackDownloads + rest
			}
			return rest.SeeOther(address)
		}
	case "raw":
		base := "https://" + rawHost
		if onLoopback(x.in) {
			base = baseURL(x.in) + rawPath
		}
		if path := strings.SplitN(x.in.URL.EscapedPath(), "/", 5); len(path) == 5 { // of fewer, some slashes are escaped
			return rest.SeeOther(strings.Join([]string{base, path[1], path[2], path[4]}, "/"))
		}
	case "releases":
		return w.read(func(s *model.State) rest.Response {
			s, _ = w.narrowed(s, x.token.Token)
			if a := assetAt(s, actor(s, x.token), parts); a != nil && x.refusal == nil {
				return rest.Response{Status: http.StatusOK, Body: a.Content, Header: http.Header{
					"Content-Type": {a.ContentType}, "Content-Disposition": {"attachment; filename=" + a.Name},
				}}
			}
			return text(http.StatusNotFound, "Not Found")
		})
	}
	return text(http.StatusNotFound, "Not Found")
}

// assetAt is the asset of a release that download/TAG/NAME or latest/download/NAME names,
// nil for none.
func assetAt(s *model.State, actor model.ID, parts []string) *model.Asset {
	repo, err := s.VisibleRepo(actor, parts[0], parts[1])
	if err != nil {
		return nil
	}
	var r *model.Release
	name, latest := strings.CutPrefix(parts[3], "latest/download/")
	if latest {
		r = s.LatestRelease(repo)
	} else if named, is := strings.CutPrefix(parts[3], "download/"); is {
		slash := max(0, strings.LastIndexByte(named, '/'))
		r, name = s.PublishedRelease(repo, named[:slash]), strings.TrimPrefix(named[slash:], "/")
	}
	if r == nil {
		return nil
	}
	for n := range r.Assets {
		if r.Assets[n].Name == name {
			return &r.Assets[n]
		}
	}
	return nil
}

// answerGistRaw answers a request to gist.githubusercontent.com for a file of a gist:
// /login/gist/raw/file, as it is, or with the hash of a blob or of a revision before the
// file's name, as it was.
func (w *World) answerGistRaw(x *exchange) rest.Response {
	if x.in.Method != http.MethodGet && x.in.Method != http.MethodHead {
		return text(http.StatusMethodNotAllowed, "Method Not Allowed")
	}
	path := x.in.URL.Path
	if onLoopback(x.in) {
		path = strings.TrimPrefix(path, gistsPath)
	}
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	return w.read(func(s *model.State) rest.Response {
		if len(parts) < 3 || parts[2] != "raw" {
			return rawMissing()
		}
		g := s.Gist(parts[1])
		if g == nil || !strings.EqualFold(s.Login(g.OwnerID), parts[0]) {
			return rawMissing()
		}
		name, hash := parts[len(parts)-1], ""
		switch len(parts) {
		case 3:
			name = g.Files[0].Name
		case 4:
		case 5:
			hash = parts[3]
		default:
			return rawMissing()
		}
		for _, revision := range g.History() {
			for _, f := range revision.Files {
				if f.Name == name && (hash == "" || hash == revision.Version || hash == plumbing.ComputeHash(plumbing.BlobObject, []byte(f.Text)).String()) {
					return rawFile(f.Name, []byte(f.Text))
				}
			}
			if hash == "" {
				break // what it was before is not what it is
			}
		}
		return rawMissing()
	})
}
