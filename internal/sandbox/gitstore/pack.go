package gitstore

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"iter"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
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
	// likelyRatio is how much smaller files are when they are compressed, at most as
	// a rule.
	likelyRatio = 8
	// largeEntry is the size of objects, in bytes, of which a part is compressed
	// first, to see whether all of it is worth that.
	largeEntry = 1 << 20
)

// WritePack writes all objects as a git packfile, which git index-pack and git
// unpack-objects read. Equal content gives equal bytes.
func (s *Store) WritePack(w io.Writer) error {
	if err := writePack(w, s.objects.count, s.objects.all()); err != nil {
		return fault.Infraf("write packfile: %w", err)
	}
	return nil
}

// writePack writes so many objects.
func writePack(w io.Writer, count int, objects iter.Seq[*object]) error {
	sum := hash.New(hash.CryptoType)
	out := bufio.NewWriter(io.MultiWriter(w, sum))
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
		if isDense(o.data) {
			z = plain
		}
		if err := writePackEntry(out, z, o); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// isDense reports whether a large object would hardly be smaller if it were compressed,
// which takes long: pictures and archives are compressed already.
func isDense(data string) bool {
	const part, worth = 64 << 10, 60 << 10
	if len(data) < largeEntry {
		return false
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
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
	if _, err := io.WriteString(z, o.data); err != nil {
		return err
	}
	return z.Close()
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
// that are malformed or name missing ones is refused as a whole.
func (s *Store) ReadPack(r io.Reader) error {
	raw, err := io.ReadAll(io.LimitReader(r, maxPackSize+1))
	if err != nil {
		return fault.Infraf("read packfile: %w", err)
	}
	return s.AddPack(raw)
}

// AddPack is [Store.ReadPack] for a packfile that is in memory.
func (s *Store) AddPack(raw []byte) error {
	if len(raw) > maxPackSize {
		return fault.Invalidf("read packfile: it is over the limit of %d bytes", maxPackSize)
	}
	grown, err := readPack(s.objects, raw)
	if err != nil {
		return fault.Invalidf("read packfile: %w", err)
	}
	s.objects = grown
	return nil
}

func readPack(known objectSet, raw []byte) (objectSet, error) {
	const header = len(packMagic) + 8
	end := len(raw) - hash.Size
	if end < header || string(raw[:len(packMagic)]) != packMagic {
		return known, fault.Invalidf("it does not begin as a packfile")
	}
	sum := hash.New(hash.CryptoType)
	if _, err := sum.Write(raw[:end]); err != nil || !bytes.Equal(sum.Sum(nil), raw[end:]) {
		return known, fault.Invalidf("its checksum is wrong")
	}
	if v := binary.BigEndian.Uint32(raw[len(packMagic):]); v != packVersion {
		return known, fault.Invalidf("it has version %d, not %d", v, packVersion)
	}
	p := &packReader{
		objects: known,
		body:    bytes.NewReader(raw[header:end]),
		size:    int64(end),
		at:      map[int64]*object{},
		large:   map[Hash]int64{},
	}
	for range binary.BigEndian.Uint32(raw[len(packMagic)+4:]) {
		if err := p.next(); err != nil {
			return known, fault.Invalidf("at byte %d: %w", p.offset(), err)
		}
	}
	if p.body.Len() != 0 {
		return known, fault.Invalidf("it has %d bytes too many", p.body.Len())
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
	body    *bytes.Reader
	size    int64
	// at has the objects read so far by the offset of their entries.
	at map[int64]*object
	// large are the sizes of the files that are too large to be kept.
	large map[Hash]int64
	// zlib decompresses one entry after the other, nil before the first.
	zlib io.ReadCloser
}

func (p *packReader) offset() int64 { return p.size - int64(p.body.Len()) }

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
	start := p.offset()
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
		if data, err = applyDelta(base, data); err != nil {
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
		if err != nil || distance > p.size {
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
// behind it, because a bytes.Reader is read byte by byte.
func (p *packReader) inflate(size uint64) ([]byte, error) {
	if err := p.decompress(); err != nil {
		return nil, err
	}
	var data bytes.Buffer
	// Of what is to come the size is stated, which need not be true.
	data.Grow(int(min(size, uint64(p.body.Len())*likelyRatio+bytes.MinRead)))
	if _, err := io.Copy(&data, io.LimitReader(p.zlib, int64(size)+1)); err != nil {
		return nil, errDamaged
	}
	if uint64(data.Len()) != size {
		return nil, fault.Invalidf("an entry has not the size that it states")
	}
	return data.Bytes(), nil
}

var errDamaged = fault.Invalidf("an entry's compressed data is damaged")

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

// applyDelta returns the object that a delta makes of its base.
func applyDelta(base *object, delta []byte) ([]byte, error) {
	_, n := binary.Uvarint(delta)
	if n <= 0 {
		return nil, fault.Invalidf("a delta is cut short")
	}
	if size, n := binary.Uvarint(delta[n:]); n <= 0 || size > MaxObjectSize {
		return nil, fault.Invalidf("a delta's result is over the limit of %d bytes", MaxObjectSize)
	}
	data, err := packfile.PatchDelta([]byte(base.data), delta)
	if err != nil {
		return nil, fault.Invalidf("a delta does not fit its base")
	}
	return data, nil
}
