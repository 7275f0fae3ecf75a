package gitstore

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	base85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
	// literalLine is the number of bytes in a line of a binary patch.
	literalLine = 52
	lineLengths = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// writeLiteral writes one side of a binary patch: the compressed content in
// base 85, each line beginning with a letter for its length.
func writeLiteral(b *bytes.Buffer, content string) error {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := io.WriteString(z, content); err != nil {
		return fault.Internalf("compress binary patch: %w", err)
	}
	if err := z.Close(); err != nil {
		return fault.Internalf("compress binary patch: %w", err)
	}
	fmt.Fprintf(b, "literal %d\n", len(content))
	for packed.Len() > 0 {
		line := packed.Next(literalLine)
		b.WriteByte(lineLengths[len(line)-1])
		for len(line) > 0 {
			var group [4]byte
			line = line[copy(group[:], line):]
			n := binary.BigEndian.Uint32(group[:])
			var digits [5]byte
			for i := len(digits) - 1; i >= 0; i-- {
				digits[i] = base85[n%85]
				n /= 85
			}
			b.Write(digits[:])
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return nil
}
