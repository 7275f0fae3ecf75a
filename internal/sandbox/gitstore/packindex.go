package gitstore

import (
	"bufio"
	"hash/crc32"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// packIndex collects where the objects of a packfile are. A nil one collects
// nothing.
type packIndex struct{ idxfile.Writer }

func (x *packIndex) add(h Hash, offset int64, crc uint32) {
	if x != nil {
		x.Add(h, uint64(offset), crc)
	}
}

// end notes the packfile's checksum.
func (x *packIndex) end(sum []byte) error {
	if x == nil {
		return nil
	}
	return x.OnFooter(plumbing.Hash(sum))
}

// write writes it as git's index of the packfile.
func (x *packIndex) write(w io.Writer) error {
	index, err := x.Index()
	if err == nil {
		_, err = idxfile.NewEncoder(w).Encode(index)
	}
	if err != nil {
		return fault.Infraf("write the index of a packfile: %w", err)
	}
	return nil
}

// entryWriter counts and sums up the bytes of one entry after the other.
type entryWriter struct {
	to     *bufio.Writer
	offset int64
	crc    uint32
}

// next begins an entry, and returns where it is.
func (e *entryWriter) next() int64 {
	e.crc = 0
	return e.offset
}

func (e *entryWriter) Write(p []byte) (int, error) {
	n, err := e.to.Write(p)
	e.offset += int64(n)
	e.crc = crc32.Update(e.crc, crc32.IEEETable, p[:n])
	return n, err
}
