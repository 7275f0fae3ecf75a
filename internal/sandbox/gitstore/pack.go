package gitstore

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"iter"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/hash"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	packMagic   = "PACK"
	packVersion = 2
	// maxPackSize bounds a packfile that is read, in bytes: all objects of a
	// full Store, uncompressed, with some room for their headers.
	maxPackSize = MaxStoreSize + MaxStoreSize/8
	// maxPackedObject bounds what one entry of a packfile may state as its size,
	// in bytes.
	maxPackedObject = 2 << 30
	// believedSize is up to what size, in bytes, an entry is believed what it states,
	// before so much of it has come.
	believedSize = 1 << 20
	// partSize is how many bytes of an object are read or written at a time.
	partSize = 32 << 10
	// largeEntry is the size of objects, in bytes, of which a part is compressed
	// first, to see whether all of it is worth that.
	largeEntry = 1 << 20
)

// WritePack writes all objects as a git packfile, which git index-pack and git
// unpack-objects read. Equal content gives equal bytes.
func (s *Store) WritePack(w io.Writer) error {
	if err := writePack(w, s.objects.count, s.objects.all(), nil); err != nil {
		return fault.Infraf("write packfile: %w", err)
	}
	return nil
}

// writePack writes so many objects, and notes in an index, if it is not nil, where they
// are.
func writePack(w io.Writer, count int, objects iter.Seq[*object], index *packIndex) error {
	sum := hash.New(hash.CryptoType)
	out := &entryWriter{to: bufio.NewWriter(io.MultiWriter(w, sum))}
	header := binary.BigEndian.AppendUint32([]byte(packMagic), packVersion)
	header = binary.BigEndian.AppendUint32(header, uint32(count))
	if _, err := out.Write(header); err != nil {
		return err
	}
	packed := zlib.NewWriter(out)
	// A known level is no error.
	plain, _ := zlib.NewWriterLevel(out, zlib.NoCompression)
	for o := range objects {
		z := packed
		if isDense(o.data, packed) {
			z = plain
		}
		start := out.next()
		if err := writePackEntry(out, z, o); err != nil {
			return err
		}
		index.add(o.hash, start, out.crc)
	}
	if err := out.to.Flush(); err != nil {
		return err
	}
	total := sum.Sum(nil)
	if err := index.end(total); err != nil {
		return err
	}
	_, err := w.Write(total)
	return err
}

// isDense reports whether a large object would hardly be smaller if it were compressed,
// which takes long: pictures and archives are compressed already. A part of it is
// tried with z.
func isDense(data string, z *zlib.Writer) bool {
	const part, worth = 64 << 10, 60 << 10
	if len(data) < largeEntry {
		return false
	}
	var packed bytes.Buffer
	z.Reset(&packed)
	// Nothing fails in memory.
	_, _ = io.WriteString(z, data[len(data)/2:len(data)/2+part])
	_ = z.Close()
	return packed.Len() > worth
}

func writePackEntry(out io.Writer, z *zlib.Writer, o *object) error {
	if _, err := out.Write(packEntryHeader(o)); err != nil {
		return err
	}
	z.Reset(out)
	if err := writeParts(z, o.data); err != nil {
		return err
	}
	return z.Close()
}

// writeParts writes a text, of which no copy is made as a whole.
func writeParts(w io.Writer, text string) error {
	part := make([]byte, min(len(text), partSize))
	for text != "" {
		n := copy(part, text)
		if _, err := w.Write(part[:n]); err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// packEntryHeader encodes an object's type and size: 4 bits of the size beside
// the type, then 7 bits a byte, a set top bit saying that more follow.
func packEntryHeader(o *object) []byte {
	size := uint64(len(o.data))
	first := byte(o.kind)<<4 | byte(size&0xf)
	if size >>= 4; size == 0 {
		return []byte{first}
	}
	return binary.AppendUvarint([]byte{first | 0x80}, size)
}

// ReadPack adds the objects of a git packfile. Deltas are resolved against
// objects before them in the packfile and, as in a thin pack, against those of
// the Store. A packfile that is damaged, goes beyond a limit, or has objects
// that are malformed or name missing ones is refused as a whole. Of the packfile
// no more is in memory than the objects that it has so far, and a part of the
// one that is being read.
func (s *Store) ReadPack(r io.Reader) error {
	body := newPackBody(r)
	grown, err := readPack(s.objects, body)
	switch {
	case body.failed != nil:
		return fault.Infraf("read packfile: %w", body.failed)
	case err != nil:
		return fault.Invalidf("read packfile: %w", err)
	}
	s.objects = grown
	return nil
}

func readPack(known objectSet, body *packBody) (objectSet, error) {
	var header [len(packMagic) + 8]byte
	if _, err := io.ReadFull(body, header[:]); err != nil || string(header[:len(packMagic)]) != packMagic {
		return known, fault.Invalidf("it does not begin as a packfile")
	}
	if v := binary.BigEndian.Uint32(header[len(packMagic):]); v != packVersion {
		return known, fault.Invalidf("it has version %d, not %d", v, packVersion)
	}
	p := &packReader{objects: known, body: body, at: map[int64]*object{}, large: map[Hash]int64{}, buffer: make([]byte, partSize)}
	for range binary.BigEndian.Uint32(header[len(packMagic)+4:]) {
		if err := p.next(); err != nil {
			return known, fault.Invalidf("at byte %d: %w", body.offset(), err)
		}
	}
	if err := body.end(); err != nil {
		return known, err
	}
	if len(p.large) > 0 {
		return known, &LargeFilesError{p.objects.filesOf(p.large, known, p.commits())}
	}
	for _, o := range p.at {
		if err := p.objects.checkLinks(o, 1); err != nil {
			return known, err
		}
	}
	return p.objects, nil
}

// packReader reads a packfile's entries one by one.
type packReader struct {
	objects objectSet
	body    *packBody
	// at has the objects read so far by the offset of their entries.
	at map[int64]*object
	// large are the sizes of the files that are too large to be kept.
	large map[Hash]int64
	// zlib decompresses one entry after the other, nil before the first.
	zlib io.ReadCloser
	// buffer is for what is decompressed.
	buffer []byte
}

// commits returns those that were read.
func (p *packReader) commits() (all []*Commit) {
	for _, o := range p.at {
		if o.commit != nil {
			all = append(all, o.commit)
		}
	}
	return all
}

func (p *packReader) next() error {
	start := p.body.offset()
	kind, size, err := p.entryHeader()
	if err != nil {
		return err
	}
	var base *object
	switch kind {
	case plumbing.OFSDeltaObject:
		base, err = p.baseByOffset(start)
	case plumbing.REFDeltaObject:
		base, err = p.baseByHash()
	default:
	}
	if err != nil {
		return err
	}
	if size > MaxObjectSize {
		if kind != plumbing.BlobObject {
			return fault.Invalidf("an entry is over the limit of %d bytes", MaxObjectSize)
		}
		return p.passOver(size)
	}
	data, err := p.inflate(size)
	if err != nil {
		return err
	}
	if base != nil {
		kind = base.kind
		if data, err = applyDelta(base.data, data); err != nil {
			return err
		}
	}
	o, err := newObject(kind, data)
	if err != nil {
		return err
	}
	if p.objects, err = p.objects.with(o); err != nil {
		return err
	}
	p.at[start] = p.objects.get(o.hash)
	return nil
}

func (p *packReader) entryHeader() (kind plumbing.ObjectType, size uint64, err error) {
	first, err := p.body.ReadByte()
	if err != nil {
		return 0, 0, fault.Invalidf("an entry is cut short")
	}
	kind, size = plumbing.ObjectType(first>>4&7), uint64(first&0xf)
	if first&0x80 != 0 {
		more, err := binary.ReadUvarint(p.body)
		if err != nil {
			return 0, 0, fault.Invalidf("an entry is cut short")
		}
		// A size that loses bits here was beyond the limit anyway.
		size |= min(more, maxPackedObject) << 4
	}
	if size > maxPackedObject {
		return 0, 0, fault.Invalidf("an entry is over the limit of %d bytes", maxPackedObject)
	}
	return kind, size, nil
}

// baseByOffset reads how far before start a delta's base begins: 7 bits a byte,
// big end first, every continuation adding one.
func (p *packReader) baseByOffset(start int64) (*object, error) {
	distance := int64(-1)
	for {
		b, err := p.body.ReadByte()
		if err != nil || distance > start {
			return nil, fault.Invalidf("a delta has no valid base")
		}
		distance = (distance+1)<<7 | int64(b&0x7f)
		if b&0x80 == 0 {
			break
		}
	}
	base := p.at[start-distance]
	if base == nil {
		return nil, fault.Invalidf("a delta's base is not before it")
	}
	return base, nil
}

func (p *packReader) baseByHash() (*object, error) {
	var h Hash
	if _, err := io.ReadFull(p.body, h[:]); err != nil {
		return nil, fault.Invalidf("a delta has no valid base")
	}
	base := p.objects.get(h)
	if base == nil {
		return nil, fault.Invalidf("a delta's base %s: %w", h, ErrNotFound)
	}
	return base, nil
}

// inflate reads compressed data that must have the size. The reader is left
// behind it, because zlib reads the body byte by byte.
func (p *packReader) inflate(size uint64) (string, error) {
	if err := p.decompress(); err != nil {
		return "", err
	}
	var begun, data strings.Builder
	in := io.LimitReader(p.zlib, int64(size)+1)
	if size > believedSize {
		begun.Grow(believedSize)
		if _, err := io.CopyBuffer(&begun, io.LimitReader(in, believedSize), p.buffer); err != nil {
			return "", errDamaged
		}
		if begun.Len() < believedSize {
			return "", errOtherSize
		}
	}
	data.Grow(int(size))
	data.WriteString(begun.String())
	if _, err := io.CopyBuffer(&data, in, p.buffer); err != nil {
		return "", errDamaged
	}
	if uint64(data.Len()) != size {
		return "", errOtherSize
	}
	return data.String(), nil
}

var (
	errDamaged   = fault.Invalidf("an entry's compressed data is damaged")
	errOtherSize = fault.Invalidf("an entry has not the size that it states")
)

// decompress has zlib begin where the body is.
func (p *packReader) decompress() error {
	var err error
	if p.zlib == nil {
		p.zlib, err = zlib.NewReader(p.body)
	} else {
		err = p.zlib.(zlib.Resetter).Reset(p.body, nil)
	}
	if err != nil {
		return fault.Invalidf("an entry is not compressed with zlib")
	}
	return nil
}
