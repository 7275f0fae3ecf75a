package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// answerRaw answers a request to raw.githubusercontent.com: the content of the
// file at /owner/name/ref/path. The ref may have slashes.
func (w *World) answerRaw(x *exchange) rest.Response {
	if x.in.Method != http.MethodGet && x.in.Method != http.MethodHead {
		return text(http.StatusMethodNotAllowed, "Method Not Allowed")
	}
	named := strings.TrimPrefix(x.in.URL.Path, "/")
	if onLoopback(x.in) {
		named = strings.TrimPrefix(named, rawPath[1:]+"/")
	}
	parts := strings.SplitN(named, "/", 3)
	if len(parts) < 3 || x.refusal != nil {
		return rawMissing()
	}
	return w.read(func(s *model.State) rest.Response {
		s, _ = w.narrowed(s, x.token.Token)
		repo, err := s.VisibleRepo(actor(s, x.token), parts[0], parts[1])
		if err != nil {
			return rawMissing()
		}
		entry, found := rawEntry(repo, parts[2])
		if !found {
			return rawMissing()
		}
		blob, err := repo.Git.Blob(entry.Hash)
		if err != nil {
			return rawMissing()
		}
		return rawFile(entry.Name, blob)
	})
}

func rawMissing() rest.Response { return text(http.StatusNotFound, "404: Not Found") }

// maxRefParts is how many of a path's parts can be its ref; the rest of longer
// ones is the file's path.
const maxRefParts = 16

// rawEntry returns the file that a ref and a path name that are joined by a
// slash.
func rawEntry(repo *model.Repo, refAndPath string) (gitstore.TreeEntry, bool) {
	parts := strings.Split(refAndPath, "/")
	for n := 1; n < min(len(parts), maxRefParts+1); n++ {
		ref := strings.Join(parts[:n], "/")
		if ref == "HEAD" {
			ref = "refs/heads/" + repo.DefaultBranch
		}
		commit, err := repo.Git.Resolve(ref)
		if err != nil {
			continue
		}
		entry, err := repo.Git.Entry(commit, strings.Join(parts[n:], "/"))
		if err == nil && entry.Type == "blob" {
			return entry, true
		}
	}
	return gitstore.TreeEntry{}, false
}

func rawFile(name string, content []byte) rest.Response {
	sum := sha256.Sum256(content)
	return rest.Response{Status: http.StatusOK, Body: content, Header: http.Header{
		"Content-Type":            {rawType(name, content)},
		"Cache-Control":           {"max-age=300"},
		"Content-Security-Policy": {"default-src 'none'; style-src 'unsafe-inline'; sandbox"},
		"X-Content-Type-Options":  {"nosniff"},
		"ETag":                    {`"` + hex.EncodeToString(sum[:]) + `"`},
	}}
}

// rawType returns the content type of a file: images have their own, what else
// is text is plain text, whatever it says, and the rest is bytes.
func rawType(name string, content []byte) string {
	switch kind := mime.TypeByExtension(path.Ext(name)); {
	case strings.HasPrefix(kind, "image/"):
		return kind
	case utf8.Valid(content):
		return "text/plain; charset=utf-8"
	default:
		return "application/octet-stream"
	}
}
