package github

import (
	"io"
	"net/http"
	"slices"
	"sync"
)

// revalidated says which replies the cache may keep: those of GitHub's own that
// have an ETag. They are never used without asking whether they still hold,
// because we read what we and others have just written.
type revalidated struct {
	origins []string
	next    http.RoundTripper
}

// RoundTrip replaces what the reply says about caching.
func (v revalidated) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := v.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	kept := response.StatusCode == http.StatusNotModified ||
		response.StatusCode == http.StatusOK && response.Header.Get("ETag") != ""
	if kept && slices.Contains(v.origins, origin(r.URL)) {
		response.Header.Set("Cache-Control", "private, no-cache")
	} else {
		response.Header.Set("Cache-Control", "no-store")
	}
	return response, nil
}

// finished reads what is left of a reply when it is closed. The cache keeps a
// reply once its end was read, but a decoder of JSON stops before that.
type finished struct{ next http.RoundTripper }

// maxRest is how much is read of a reply that is closed early, in bytes.
const maxRest = 512

// RoundTrip wraps the reply's body.
func (f finished) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := f.next.RoundTrip(r)
	if err == nil {
		response.Body = finishedBody{response.Body}
	}
	return response, err
}

type finishedBody struct{ io.ReadCloser }

// Close reads a short rest first. Whether that works matters to the cache
// alone.
func (b finishedBody) Close() error {
	_, _ = io.CopyN(io.Discard, b.ReadCloser, maxRest)
	return b.ReadCloser.Close()
}

// The sizes of the cache, in bytes: of all replies and of the largest.
const (
	maxCache = 16 << 20
	maxEntry = maxCache / 4
)

// memory is a cache that forgets what it has had longest.
type memory struct {
	mu      sync.Mutex
	entries map[string][]byte
	// order is the keys, oldest first; size is that of all entries.
	order []string
	size  int
}

// Get returns an entry.
func (m *memory) Get(key string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	entry, known := m.entries[key]
	return entry, known
}

// Set keeps an entry, unless it is too large.
func (m *memory) Set(key string, entry []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(key)
	if len(entry) > maxEntry {
		return
	}
	for m.size+len(entry) > maxCache {
		m.drop(m.order[0])
	}
	m.entries[key] = entry
	m.order = append(m.order, key)
	m.size += len(entry)
}

// Delete forgets an entry.
func (m *memory) Delete(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(key)
}

func (m *memory) drop(key string) {
	entry, known := m.entries[key]
	if !known {
		return
	}
	delete(m.entries, key)
	m.order = slices.DeleteFunc(m.order, func(k string) bool { return k == key })
	m.size -= len(entry)
}
