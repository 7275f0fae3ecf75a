package gitstore

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	gohash "hash"

	"github.com/go-git/go-git/v5/plumbing/hash"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// packBody reads a packfile, whose length is not known before, up to the checksum
// at its end.
type packBody struct {
	*bufio.Reader
	below *summed
	// failed is why the packfile could not be read, nil if it could.
	failed error
}

func newPackBody(r io.Reader) *packBody {
	b := &packBody{}
	b.below = &summed{in: bufio.NewReaderSize(r, partSize), sum: hash.New(hash.CryptoType), failed: &b.failed}
	b.Reader = bufio.NewReaderSize(b.below, partSize)
	return b
}

// offset returns how many bytes of the packfile were read.
func (b *packBody) offset() int64 { return b.below.read - int64(b.Buffered()) }

// end checks that the packfile ends here, with its checksum.
func (b *packBody) end() error {
	if _, err := b.ReadByte(); !errors.Is(err, io.EOF) {
		return fault.Invalidf("it is longer than its objects")
	}
	// What is left is the checksum, if anything is.
	if sum, _ := b.below.in.Peek(hash.Size); !bytes.Equal(sum, b.below.sum.Sum(nil)) {
		return fault.Invalidf("its checksum is wrong")
	}
	return nil
}

// summed reads all but a checksum's length of what it reads from, and sums that up.
type summed struct {
	in   *bufio.Reader
	sum  gohash.Hash
	read int64
	// failed is where it says what else than the end came.
	failed *error
}

func (s *summed) Read(p []byte) (int, error) {
	if s.read > maxPackSize {
		return 0, fault.Invalidf("it is over the limit of %d bytes", maxPackSize)
	}
	if _, err := s.in.Peek(hash.Size + 1); err != nil {
		if !errors.Is(err, io.EOF) {
			*s.failed = err
		}
		return 0, err
	}
	// What is in the buffer can be read.
	n, err := s.in.Read(p[:min(len(p), s.in.Buffered()-hash.Size)])
	s.read += int64(n)
	// A sum takes everything.
	_, _ = s.sum.Write(p[:n])
	return n, err
}
