package sandbox

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Service is what a client wants to do.
type Service string

// The services.
const (
	// Fetch is what clone, fetch and ls-remote ask for.
	Fetch Service = "git-upload-pack"
	Push  Service = "git-receive-pack"
)

// Request is a request of git's.
type Request struct {
	// Owner and Name are the repository's, without ".git".
	Owner, Name string
	Service     Service
	// Advertise is true for the request that begins an exchange: what is
	// there?
	Advertise bool
	// Version is the protocol's, 0 to 2, that the client would like.
	Version int
}

// Parse reads a request's path and header. ok is false if it is none of git's.
func Parse(r *http.Request) (in Request, ok bool) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if len(parts) < 3 || parts[0] == "" {
		return Request{}, false
	}
	in = Request{Owner: parts[0], Name: strings.TrimSuffix(parts[1], ".git"), Version: version(r)}
	switch action := strings.Join(parts[2:], "/"); {
	case action == "info/refs" && r.Method == http.MethodGet:
		in.Service, in.Advertise = Service(r.URL.Query().Get("service")), true
	case r.Method == http.MethodPost:
		in.Service = Service(action)
	}
	return in, in.Service == Fetch || in.Service == Push
}

// version reads the header Git-Protocol, a list such as "version=2".
func version(r *http.Request) int {
	for part := range strings.SplitSeq(r.Header.Get("Git-Protocol"), ":") {
		switch part {
		case "version=1":
			return 1
		case "version=2":
			return 2
		}
	}
	return 0
}

// Body returns a request's body as it was before it was compressed. What is
// longer than most bytes is refused.
func Body(r *http.Request, body []byte, most int64) ([]byte, error) {
	unpacked, err := unpack(r, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(unpacked, most+1))
	switch {
	case err != nil:
		return nil, fault.Invalidf("unpack the body: %w", err)
	case int64(len(plain)) > most:
		return nil, fault.Invalidf("the body is over %d bytes when it is unpacked", most)
	default:
		return plain, nil
	}
}

// unpack returns a reader of a request's body as it was before it was compressed.
func unpack(r *http.Request, body io.Reader) (io.Reader, error) {
	switch r.Header.Get("Content-Encoding") {
	case "", "identity":
		return body, nil
	case "gzip", "x-gzip":
	default:
		return nil, fault.Invalidf("the body has an encoding other than gzip")
	}
	unpacked, err := gzip.NewReader(body)
	if err != nil {
		return nil, fault.Invalidf("unpack the body: %w", err)
	}
	return unpacked, nil
}
