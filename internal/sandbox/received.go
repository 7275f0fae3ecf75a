package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

const (
	// maxPush is the largest push that is taken, in bytes, as on GitHub.
	maxPush = 2 << 30
	// maxHeld is how many bytes of a push are held in memory; of a larger one all is in
	// a file.
	maxHeld = 1 << 20
)

// errTooLong is in the chain of the error of a push that does not end.
var errTooLong = errors.New("the push does not end")

// received is the body of a push.
type received struct {
	// held is its beginning.
	held bytes.Buffer
	// file has all of a body that is longer, nil otherwise.
	file *os.File
	size int64
	// refused is why no more than its beginning was kept, in git's words, empty if
	// all was.
	refused string
}

// receive reads a body. Of one that is longer than most bytes, or that there is no
// place for, the rest is read and dropped, because a client listens only once it has
// sent all, up to as much again.
func receive(body io.Reader, most int64) (r *received, err error) {
	r = &received{}
	if r.size, err = io.CopyN(&r.held, body, min(maxHeld, most)); errors.Is(err, io.EOF) {
		return r, nil
	}
	if err == nil {
		err = r.fill(body, most)
	}
	noPlace, isFile := errors.AsType[*fs.PathError](err)
	switch {
	case isFile:
		r.refused = "fatal: write error: " + noPlace.Err.Error()
	case err != nil || r.size < most:
		return r, err
	}
	dropped, err := io.CopyN(io.Discard, body, most)
	if dropped > 0 && !isFile {
		r.refused = tooLarge(most)
	}
	switch {
	case errors.Is(err, io.EOF):
		return r, nil
	case err == nil:
		return r, errTooLong
	default:
		return r, err
	}
}

// fill writes it to a file, up to so many bytes.
func (r *received) fill(body io.Reader, most int64) (err error) {
	if r.file, err = os.CreateTemp("", "sandbox-push-"); err != nil {
		return err
	}
	if _, err := r.file.Write(r.held.Bytes()); err != nil {
		return err
	}
	more, err := io.Copy(r.file, io.LimitReader(body, most-r.size))
	r.size += more
	return err
}

// reader returns a reader of what is kept of it, from its beginning.
func (r *received) reader() (io.Reader, error) {
	if r.file == nil || r.refused != "" {
		return bytes.NewReader(r.held.Bytes()), nil
	}
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return nil, fault.Infraf("read a push: %w", err)
	}
	return r.file, nil
}

// remove removes its file.
func (r *received) remove() {
	if r != nil && r.file != nil {
		// If it cannot be removed there is nobody to tell.
		_ = r.file.Close()
		_ = os.Remove(r.file.Name())
	}
}

// takesPush reports whether a request is a push of somebody who may push.
func (w *World) takesPush(x *exchange) (takes bool) {
	in, isGit := Parse(x.in)
	if !isGit || in.Service != Push || in.Advertise || x.refusal != nil {
		return false
	}
	w.Look(func(s *model.State) {
		s, _ = w.narrowed(s, x.token.Token)
		_, refusal := pushedRepo(s, x, in)
		takes = refusal == nil
	})
	return takes
}

// errUnpacking is what git tells of a packfile that it stopped reading.
var errUnpacking = errors.New("index-pack abnormal exit")

// tooLarge is what git tells of a push that has more than so many bytes.
func tooLarge(most int64) string {
	const mebi, gibi = 1 << 20, 1 << 30
	size := fmt.Sprintf("%.2f GiB", float64(most)/gibi)
	if most < gibi {
		size = fmt.Sprintf("%.2f MiB", float64(most)/mebi)
	}
	return "fatal: pack exceeds maximum allowed size (" + size + ")"
}
