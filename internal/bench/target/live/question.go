package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
)

// The names of GitHub's.
const (
	webHost      = "github.com"
	apiHost      = "api.github.com"
	uploadHost   = "uploads.github.com"
	rawHost      = "raw.githubusercontent.com"
	codeloadHost = "codeload.github.com"
)

// part is a part of GitHub.
type part int

const (
	// partAPI are the APIs, uploads included.
	partAPI part = iota
	partRaw
	// partWeb is github.com: git's requests, and pages.
	partWeb
	partArchive
	// partGist has nothing of a repository's.
	partGist
	// partDownload is where the others send clients on to, with addresses that
	// are good for one thing. No token is sent there.
	partDownload
)

// parts are those that GitHub's names stand for; the others are downloads.
func parts() map[string]part {
	return map[string]part{
		apiHost: partAPI, uploadHost: partAPI, rawHost: partRaw, webHost: partWeb, codeloadHost: partArchive,
		"gist.github.com": partGist, "gist.githubusercontent.com": partGist,
	}
}

// question is a request of the agent's.
type question struct {
	*http.Request
	part part
	// loopback is true if it came to us by our own address.
	loopback bool
	// query is that of a request to the GraphQL API, after it was read.
	query query
}

// loopbackDownloads begins the paths under which a GitHub that is reached by
// an address answers for its downloads.
const loopbackDownloads = "/_downloads/"

func ask(r *http.Request) *question {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(host)
	if isAddress(host) {
		q := &question{Request: r, part: partAPI, loopback: true}
		if strings.HasPrefix(r.URL.Path, loopbackDownloads) {
			q.part = partDownload
		}
		return q
	}
	known, ok := parts()[host]
	if !ok {
		known = partDownload
	}
	return &question{Request: r, part: known}
}

// graphQL reports whether it is for the GraphQL API.
func (q *question) graphQL() bool {
	return q.part == partAPI && q.URL.Path == graphqlPath && q.Method == http.MethodPost
}

// writes reports whether it may change something.
func (q *question) writes() bool {
	switch {
	case q.graphQL():
		return q.query.mutates()
	case q.part == partWeb:
		return q.Method == http.MethodPost && strings.HasSuffix(q.URL.Path, "/git-receive-pack")
	case q.part == partAPI:
		return q.Method != http.MethodGet && q.Method != http.MethodHead
	default:
		return false
	}
}

// maxQuery is the longest request to the GraphQL API that is read, in bytes.
const maxQuery = 1 << 20

// read reads a request to the GraphQL API, and puts it back.
func (q *question) read() *denial {
	if !q.graphQL() {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(q.Body, maxQuery+1))
	switch {
	case err != nil:
		return failure(http.StatusBadRequest, "Problems reading the request body")
	case len(body) > maxQuery:
		return failure(http.StatusRequestEntityTooLarge, "Payload too large")
	}
	// GitHub reads the last of two equal keys, as this does, and no key of
	// another case.
	var fields map[string]json.RawMessage
	decoder := json.NewDecoder(bytes.NewReader(body))
	if err := decoder.Decode(&fields); err != nil {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	if problem := q.query.parse(fields); problem != nil {
		return problem
	}
	q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return nil
}

// onward returns the request to forward. One that came by our own address is
// for the API.
func (q *question) onward() *http.Request {
	r := q.WithContext(withHost(q.Context(), q.Host))
	if q.loopback {
		r.Host = apiHost
	}
	return r
}

// denial is an answer that GitHub does not need to give.
type denial struct {
	status int
	body   any
}

func (d *denial) send(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(d.status)
	// The client is gone if this fails.
	_ = json.NewEncoder(w).Encode(d.body)
}

// failure is an answer of the REST API.
func failure(status int, message string) *denial {
	return &denial{status, map[string]string{"message": message, "documentation_url": "https://docs.github.com/rest"}}
}

// notFound is what GitHub answers about what a token does not reach.
func notFound() *denial { return failure(http.StatusNotFound, "Not Found") }

// graphqlFailure is an answer of the GraphQL API.
func graphqlFailure(kind, message string) *denial {
	problem := map[string]string{"message": message}
	body := map[string]any{"errors": []map[string]string{problem}}
	if kind != "" {
		problem["type"], body["data"] = kind, nil
	}
	return &denial{http.StatusOK, body}
}
