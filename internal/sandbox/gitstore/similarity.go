package gitstore

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

const (
	// maxScore is the similarity of equal files.
	maxScore = 60000
	// minRenameScore is the least similarity of a renamed file: 50 %.
	minRenameScore = maxScore / 2
	// minBasenameScore is that of a file that only moved to another directory
	// when files of the same name are tried first: 75 %.
	minBasenameScore = minRenameScore + (maxScore-minRenameScore)/2
	// maxChunk is the length in bytes at which a line is cut for comparison.
	maxChunk = 64
)

// similarities computes how alike files are, as git does: by the share of bytes
// in chunks (lines, cut at 64 bytes) that both have.
type similarities struct {
	store  *Store
	chunks map[Hash][]chunk
}

// chunk is how many bytes of a file are in lines of a hash.
type chunk struct {
	hash uint32
	size int32
}

func (s *Store) newSimilarities() *similarities {
	return &similarities{store: s, chunks: map[Hash][]chunk{}}
}

// score returns the similarity of two regular files, of 0 to maxScore; 0 where
// their sizes alone rule out atLeast, or one is no regular file.
func (m *similarities) score(src, dst entry, atLeast int) int {
	if !src.isRegular() || !dst.isRegular() {
		return 0
	}
	a, b := len(m.store.blobText(src.hash)), len(m.store.blobText(dst.hash))
	longer, difference := max(a, b), abs(a-b)
	if b == 0 || longer > MaxDiffSize || longer*(maxScore-atLeast) < difference*maxScore {
		return 0
	}
	return shared(m.chunksOf(src.hash), m.chunksOf(dst.hash)) * maxScore / longer
}

// shared returns how many bytes both files have in chunks of the same hash.
func shared(a, b []chunk) int {
	total := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].hash < b[0].hash:
			a = a[1:]
		case a[0].hash > b[0].hash:
			b = b[1:]
		default:
			total += int(min(a[0].size, b[0].size))
			a, b = a[1:], b[1:]
		}
	}
	return total
}

// chunksOf returns a file's chunks by rising hash, none of them twice.
func (m *similarities) chunksOf(blob Hash) []chunk {
	if known, ok := m.chunks[blob]; ok {
		return known
	}
	text := m.store.blobText(blob)
	if !isBinary(text) {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	sizes := map[uint32]int32{}
	for text != "" {
		end := min(len(text), maxChunk)
		if newline := strings.IndexByte(text[:end], '\n'); newline >= 0 {
			end = newline + 1
		}
		sizes[chunkHash(text[:end])] += int32(end)
		text = text[end:]
	}
	list := make([]chunk, 0, len(sizes))
	for hash, size := range sizes {
		list = append(list, chunk{hash, size})
	}
	slices.SortFunc(list, func(a, b chunk) int { return cmp.Compare(a.hash, b.hash) })
	m.chunks[blob] = list
	return list
}

// chunkHash is the hash by which git tells chunks apart; with another one,
// scores would differ where hashes of different chunks are equal.
func chunkHash(chunk string) uint32 {
	const buckets = 107927
	var low, high uint32
	for i := range len(chunk) {
		low, high = low<<7^high>>25, high<<7^low>>25
		low += uint32(chunk[i])
	}
	return (low + high*0x61) % buckets
}

// blobText returns a file's content, empty for a hash that is no file's.
func (s *Store) blobText(h Hash) string {
	if o := s.objects.get(h); o != nil && o.kind == plumbing.BlobObject {
		return o.data
	}
	return ""
}

// binaryProbe is how many bytes are looked at to tell text from other content.
const binaryProbe = 8000

// isBinary reports whether there are no lines to compare, as git decides it or
// because there are too many.
func isBinary(text string) bool {
	return len(text) > MaxDiffSize || strings.IndexByte(text[:min(len(text), binaryProbe)], 0) >= 0 ||
		strings.Count(text, "\n") > MaxDiffLines
}
