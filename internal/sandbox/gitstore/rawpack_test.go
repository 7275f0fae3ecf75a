package gitstore_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"
)

// rawObject is an object that no Store would write.
type rawObject struct{ kind, data string }

// The hashes of empty objects, as trees have them.
var (
	emptyBlob = rawHash(plumbing.BlobObject)
	emptyTree = rawHash(plumbing.TreeObject)
)

func rawHash(kind plumbing.ObjectType) string {
	h := plumbing.ComputeHash(kind, nil)
	return string(h[:])
}

// rawPack returns a packfile of any objects.
func rawPack(tb testing.TB, objects []rawObject) []byte {
	tb.Helper()
	b := bytes.NewBufferString("PACK")
	b.Write(binary.BigEndian.AppendUint32(nil, 2))
	b.Write(binary.BigEndian.AppendUint32(nil, uint32(len(objects))))
	for _, o := range objects {
		kind, err := plumbing.ParseObjectType(o.kind)
		require.NoError(tb, err)
		size := len(o.data)
		b.WriteByte(byte(kind)<<4 | byte(size&0xf) | 0x80)
		b.Write(binary.AppendUvarint(nil, uint64(size>>4)))
		z := zlib.NewWriter(b)
		_, err = z.Write([]byte(o.data))
		require.NoError(tb, err)
		require.NoError(tb, z.Close())
	}
	sum := sha1.Sum(b.Bytes())
	return append(b.Bytes(), sum[:]...)
}

// withChecksum puts the right checksum at the end of a bundle.
func withChecksum(bundle []byte) []byte {
	start := bytes.Index(bundle, []byte("PACK"))
	end := len(bundle) - sha1.Size
	if start < 0 || end < start {
		return bundle
	}
	sum := sha1.Sum(bundle[start:end])
	return append(bundle[:end:end], sum[:]...)
}
