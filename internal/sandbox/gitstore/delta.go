package gitstore

import (
	"encoding/binary"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

var errMisfit = fault.Invalidf("a delta does not fit its base")

// applyDelta returns what a delta makes of its base: see "Deltified
// representation" in gitformat-pack(5). Nothing is copied but into the result.
func applyDelta(base, delta string) (string, error) {
	from, delta, ok := cutSize(delta)
	if !ok {
		return "", fault.Invalidf("a delta is cut short")
	}
	size, delta, ok := cutSize(delta)
	if !ok || size > MaxObjectSize {
		return "", fault.Invalidf("a delta's result is over the limit of %d bytes", MaxObjectSize)
	}
	if from != uint64(len(base)) {
		return "", errMisfit
	}
	var made strings.Builder
	made.Grow(int(size))
	for delta != "" {
		var part string
		if part, delta, ok = cutInstruction(base, delta); !ok || uint64(made.Len()+len(part)) > size {
			return "", errMisfit
		}
		made.WriteString(part)
	}
	if uint64(made.Len()) != size {
		return "", errMisfit
	}
	return made.String(), nil
}

// cutSize cuts off a size: 7 bits a byte, small end first.
func cutSize(delta string) (size uint64, rest string, ok bool) {
	size, n := binary.Uvarint([]byte(delta[:min(len(delta), binary.MaxVarintLen64)]))
	if n <= 0 {
		return 0, "", false
	}
	return size, delta[n:], true
}

// The parts of an instruction that copies from the base: which bytes of the offset
// and of the size follow.
const (
	copies      = 0x80
	offsetBytes = 4
	sizeBytes   = 3
	// wholeSize is what the size 0 stands for.
	wholeSize = 0x10000
)

// cutInstruction cuts off the first instruction, and returns the part that it adds to
// the result.
func cutInstruction(base, delta string) (part, rest string, ok bool) {
	op, delta := delta[0], delta[1:]
	if op&copies == 0 {
		n := int(op)
		if n == 0 || n > len(delta) {
			return "", "", false
		}
		return delta[:n], delta[n:], true
	}
	var numbers uint64
	for i := range offsetBytes + sizeBytes {
		if op&(1<<i) == 0 {
			continue
		}
		if delta == "" {
			return "", "", false
		}
		numbers |= uint64(delta[0]) << (8 * i)
		delta = delta[1:]
	}
	offset, size := numbers&(1<<(8*offsetBytes)-1), numbers>>(8*offsetBytes)
	if size == 0 {
		size = wholeSize
	}
	if offset+size > uint64(len(base)) {
		return "", "", false
	}
	return base[offset : offset+size], delta, true
}
