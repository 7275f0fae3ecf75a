package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

const (
	// maxPush is the largest push that is taken, in bytes: what a repository may have.
	maxPush = gitstore.MaxStoreSize
	// maxHeld is how many bytes of a push are held in memory; of a larger one all is in
	// a file.
	maxHeld = 1 << 20
)

// errTooLong is in the chain of the error of a push that does not end.
var errTooLong = errors.New("the push does not end")

// received is the body of a push.
type received struct {
	held bytes.Buffer
	// file has all of a body that is not held, nil otherwise.
	file *os.File
	size int64
	// cut is true if the body was longer than it may be: only its beginning is here.
	cut bool
}

// receive reads a body. Of one that is longer than most bytes the rest is read and
// dropped, because a client listens only once it has sent all, up to as much again.
func receive(body io.Reader, most int64) (r *received, err error) {
	r = &received{}
	if r.size, err = io.CopyN(&r.held, body, min(maxHeld, most)); errors.Is(err, io.EOF) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if r.file, err = os.CreateTemp("", "sandbox-push-"); err != nil {
		return r, fault.Infraf("make a file for a push: %w", err)
	}
	more, err := io.Copy(r.file, io.MultiReader(&r.held, io.LimitReader(body, most-r.size)))
	r.size = more
	if err != nil || r.size < most {
		return r, err
	}
	dropped, err := io.CopyN(io.Discard, body, most)
	r.cut = dropped > 0
	switch {
	case errors.Is(err, io.EOF):
		return r, nil
	case err == nil:
		return r, errTooLong
	default:
		return r, err
	}
}

// reader returns a reader of it from its beginning.
func (r *received) reader() (io.Reader, error) {
	if r.file == nil {
		return bytes.NewReader(r.held.Bytes()), nil
	}
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return nil, fault.Infraf("read a push: %w", err)
	}
	return r.file, nil
}

// isCut reports whether it is only the beginning of a push.
func (r *received) isCut() bool { return r != nil && r.cut }

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

// reportTooLarge tells a client, in git's words, that a push has more than so many
// bytes.
func (p *Pushed) reportTooLarge(most int64) []byte {
	const mebi, gibi = 1 << 20, 1 << 30
	size := fmt.Sprintf("%.2f GiB", float64(most)/gibi)
	if most < gibi {
		size = fmt.Sprintf("%.2f MiB", float64(most)/mebi)
	}
	return p.Report(errUnpacking, "fatal: pack exceeds maximum allowed size ("+size+")\n")
}
