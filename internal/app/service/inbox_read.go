package service

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// buffers are used again and again.
type buffers struct{ pool sync.Pool }

func (b *buffers) get() *bytes.Buffer {
	if kept, is := b.pool.Get().(*bytes.Buffer); is {
		return kept
	}
	return &bytes.Buffer{}
}

func (b *buffers) put(buffer *bytes.Buffer) {
	if buffer.Cap() <= 2*smallBody {
		buffer.Reset()
		b.pool.Put(buffer)
	}
}

// read reads a body into the buffer. Its bytes are counted against the limit
// until release is called, which is never nil. Strangers who send large bodies,
// or slowly, take no room from small ones, and who only announces a small one
// takes none.
func (r *Receiver) read(into *bytes.Buffer, w http.ResponseWriter, request *http.Request) (release func(), err error) {
	size := request.ContentLength
	if size < 0 || size > smallBody {
		if size < 0 {
			size = MaxBody // it may be as large as that
		}
		release = func() { r.large.Add(-size) }
		if r.large.Add(size) > largeInFlight {
			return release, tooMuch()
		}
		return release, fill(into, w, request, request.Body)
	}
	body := &counted{body: request.Body, held: &r.small}
	late := time.AfterFunc(arrival, func() {
		// A moment that has passed ends what is being read. A connection that does
		// not know of such things has a server with limits of its own.
		_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
	})
	defer late.Stop()
	return body.release, fill(into, w, request, body)
}

func tooMuch() error {
	return refuse(Busy, http.StatusServiceUnavailable, "too much is being received at the moment")
}

// fill reads a body.
func fill(into *bytes.Buffer, w http.ResponseWriter, request *http.Request, body io.ReadCloser) error {
	if size := request.ContentLength; size > 0 {
		into.Grow(int(min(size, firstRoom)) + bytes.MinRead)
	}
	_, err := into.ReadFrom(http.MaxBytesReader(w, body, MaxBody))
	var large *http.MaxBytesError
	var refused *refusalError
	switch {
	case err == nil, errors.As(err, &refused):
		return err
	case errors.As(err, &large):
		return tooLarge()
	default:
		return refuse(Truncated, http.StatusBadRequest, "the body ends too early, or does not arrive")
	}
}

// counted counts the bytes of a small body as they arrive.
type counted struct {
	body io.ReadCloser
	held *atomic.Int64
	own  int64
}

// Read fails if there is no room for what has arrived.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.body.Read(p)
	c.own += int64(n)
	if c.held.Add(int64(n)) > smallInFlight {
		return n, tooMuch()
	}
	return n, err
}

// Close closes the body.
func (c *counted) Close() error { return c.body.Close() }

// release forgets the bytes.
func (c *counted) release() { c.held.Add(-c.own) }
