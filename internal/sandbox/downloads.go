package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// loopbackDownloads begins the paths of downloads for clients on loopback,
// which GitHub's other names do not lead here. The name of the host follows.
const loopbackDownloads = "/_downloads/"

// downloads returns what makes an address of a path of another host of
// GitHub's. The address is signed, and nothing else is needed to read what is
// there, as with GitHub's.
func (w *World) downloads(r *http.Request) func(host, path string) string {
	base := "https://"
	if onLoopback(r) {
		base = baseURL(r) + loopbackDownloads
	}
	return func(host, path string) string { return base + host + path + "?token=" + w.signature(host, path) }
}

// signature is that of an escaped path.
func (w *World) signature(host, path string) string {
	mac := hmac.New(sha256.New, []byte(w.downloadKey))
	// A hash never returns an error.
	_, _ = mac.Write([]byte(host + path))
	return hex.EncodeToString(mac.Sum(nil))
}

// answerDownload answers a request to a host that the API leads to: for logs
// to those who have the address, for archives also to those who may read the
// repository.
func (w *World) answerDownload(x *exchange) rest.Response {
	if x.in.Method != http.MethodGet && x.in.Method != http.MethodHead {
		return text(http.StatusMethodNotAllowed, "Method Not Allowed")
	}
	host, path, escaped := hostOf(x.in), x.in.URL.Path, x.in.URL.EscapedPath()
	if below, found := strings.CutPrefix(path, loopbackDownloads); found && onLoopback(x.in) {
		host, path, _ = strings.Cut(below, "/")
		path, escaped = "/"+path, strings.TrimPrefix(escaped, loopbackDownloads+host)
	}
	signed := hmac.Equal([]byte(x.in.URL.Query().Get("token")), []byte(w.signature(host, escaped)))
	return w.read(func(s *model.State) rest.Response {
		s, _ = w.narrowed(s, x.token.Token)
		switch {
		case host == rest.ArchiveHost:
			return w.rest.Archive(s, path, func(repo *model.Repo) bool {
				return signed || x.refusal == nil && s.Permission(actor(s, x.token), repo) >= model.PermRead
			})
		case !signed:
			return text(http.StatusForbidden, "The signature is not valid for this address.")
		default:
			return w.rest.Logs(s, path)
		}
	})
}
