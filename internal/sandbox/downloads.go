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
// which GitHub's other names do not lead here.
const loopbackDownloads = "/_downloads"

// downloadBase is the address below which a client is led to downloads.
func downloadBase(r *http.Request) string {
	if onLoopback(r) {
		return baseURL(r) + loopbackDownloads
	}
	return "https://" + logsHost
}

// downloads returns what makes an address of a download's path. The address is
// signed, and nothing else is needed to read it, as GitHub's are.
func (w *World) downloads(r *http.Request) func(path string) string {
	base := downloadBase(r)
	return func(path string) string { return base + path + "?sig=" + w.signature(path) }
}

func (w *World) signature(path string) string {
	mac := hmac.New(sha256.New, []byte(w.downloadKey))
	// A hash never returns an error.
	_, _ = mac.Write([]byte(path))
	return hex.EncodeToString(mac.Sum(nil))
}

// answerDownload answers a request to an address that [World.downloads] made.
func (w *World) answerDownload(x *exchange) rest.Response {
	path := strings.TrimPrefix(x.in.URL.Path, loopbackDownloads)
	if !hmac.Equal([]byte(x.in.URL.Query().Get("sig")), []byte(w.signature(path))) {
		return text(http.StatusForbidden, "The signature is not valid for this address.")
	}
	if x.in.Method != http.MethodGet && x.in.Method != http.MethodHead {
		return text(http.StatusMethodNotAllowed, "Method Not Allowed")
	}
	return w.locked(false, func(s *model.State) rest.Response { return w.rest.Download(s, path) })
}
