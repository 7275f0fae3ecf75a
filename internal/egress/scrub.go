package egress

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

const (
	// hidden stands where a key was in a header.
	hidden = "***"
	// minSecret is the shortest key that is taken out, in bytes: shorter ones
	// are words, such as the "none" of models that need no key.
	minSecret = 6
)

// scrubHeader replaces a secret in a header's values.
func scrubHeader(h http.Header, secret, with string) {
	for _, values := range h {
		for i, value := range values {
			values[i] = strings.ReplaceAll(value, secret, with)
		}
	}
}

// scrubber replaces every byte of a secret in a stream by an asterisk, which
// leaves its length as it was. It holds back no more than a beginning of the
// secret, so events go on at once.
type scrubber struct {
	source io.ReadCloser
	secret []byte
	// ready is to be handed out, held may be the beginning of a secret.
	ready, held []byte
	chunk       []byte
	err         error
}

// scrubChunk is how much is read at once.
const scrubChunk = 32 << 10

func newScrubber(source io.ReadCloser, secret string) *scrubber {
	return &scrubber{source: source, secret: []byte(secret)}
}

// Read reads the stream without the secret.
func (s *scrubber) Read(p []byte) (int, error) {
	for len(s.ready) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.fill()
	}
	n := copy(p, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// fill reads a chunk.
func (s *scrubber) fill() {
	if s.chunk == nil {
		s.chunk = make([]byte, scrubChunk+len(s.secret))
	}
	held := copy(s.chunk, s.held)
	n, err := s.source.Read(s.chunk[held : held+scrubChunk])
	s.err = err
	data := s.chunk[:held+n]
	for at := bytes.Index(data, s.secret); at >= 0; at = bytes.Index(data, s.secret) {
		for i := range s.secret {
			data[at+i] = '*'
		}
	}
	keep := 0
	if err == nil {
		keep = overlap(data, s.secret)
	}
	s.ready = data[:len(data)-keep]
	s.held = append(s.held[:0], data[len(data)-keep:]...)
}

// overlap returns the length of the longest end of data that is a beginning
// of secret, and not all of it.
func overlap(data, secret []byte) int {
	for n := min(len(data), len(secret)-1); n > 0; n-- {
		if bytes.HasSuffix(data, secret[:n]) {
			return n
		}
	}
	return 0
}

// Close closes the stream.
func (s *scrubber) Close() error { return s.source.Close() }
