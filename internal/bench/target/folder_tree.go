package target

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghx-dev/bench-action/internal/platform"
)

// Limits of a folder: what goes beyond them is not read, and told.
const (
	MaxFiles = 10_000
	MaxBytes = 256 << 20
	maxDepth = 64
	// maxText is the longest text that a snapshot has, maxTexts how much of them
	// all, in bytes.
	maxText  = 64 << 10
	maxTexts = 2 << 20
)

// The fields of a file and of a link.
const (
	fieldSize = "size"
	fieldSum  = "sha256"
	fieldText = "text"
	fieldMode = "mode"
	fieldTo   = "to"
)

const (
	privatePerm = 0o700
	// plainMode is what git knows a file's rights by, if nobody may execute it.
	plainMode      = 0o644
	executableMode = 0o755
	ownersExecute  = 0o100
	// unreadable stands for the sum of what cannot be read, or is not to be.
	unreadable = "not read"
)

// account is whose a file is.
type account struct{ user, group int }

// copier copies a folder, and says what is in it. Links are never followed, and
// nothing else is opened than what its owner's user has made.
type copier struct {
	from, to *os.Root
	// owner is whose the copies become; nil leaves them to us. Links are copied
	// for an owner alone: commands of ours are not to follow them.
	owner *account
	// writer is who may have made what is copied; nil means anyone.
	writer *account

	seen  Snapshot
	files int
	bytes int64
	texts int
	// beyond says in a sentence which limit was met, empty if none was.
	beyond string
}

// copyTree copies what is in a folder to another one, which is empty.
func copyTree(from, to *os.Root, owner, writer *account) (*copier, error) {
	c := &copier{from: from, to: to, owner: owner, writer: writer, seen: Snapshot{}}
	return c, c.folder(".", 0)
}

func (c *copier) folder(name string, depth int) error {
	entries, err := list(c.from, name)
	if errors.Is(err, fs.ErrPermission) {
		c.seen.add(kindFolder, name, map[string]any{fieldSum: unreadable})
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if c.files++; c.files > MaxFiles || depth > maxDepth {
			c.beyond = fmt.Sprintf("The folder has more than %d files, or more than %d folders in each other.", MaxFiles, maxDepth)
			return nil
		}
		if err := c.entry(path.Join(name, entry.Name()), depth); err != nil {
			return err
		}
	}
	return nil
}

// list returns what is in a folder, by name.
func list(root *os.Root, name string) ([]fs.DirEntry, error) {
	folder, err := root.OpenFile(name, os.O_RDONLY|platform.Folder|platform.NoFollow|platform.NoWait, 0)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	entries, err := folder.ReadDir(MaxFiles + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

func (c *copier) entry(name string, depth int) error {
	info, err := c.from.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	switch {
	case info.IsDir():
		return c.subfolder(name, info, depth)
	case info.Mode()&fs.ModeSymlink != 0:
		return c.link(name)
	case info.Mode().IsRegular():
		return c.file(name, info)
	default:
		c.seen.add(kindOther, name, map[string]any{})
		return nil
	}
}

func (c *copier) subfolder(name string, info fs.FileInfo, depth int) error {
	c.seen.add(kindFolder, name, map[string]any{})
	if err := c.to.Mkdir(name, privatePerm); err != nil {
		return err
	}
	if err := c.folder(name, depth+1); err != nil {
		return err
	}
	if c.owner == nil {
		return nil
	}
	return errors.Join(c.to.Chmod(name, info.Mode().Perm()), c.own(name))
}

func (c *copier) link(name string) error {
	to, err := c.from.Readlink(name)
	if err != nil {
		return err
	}
	c.seen.add(kindLink, name, map[string]any{fieldTo: strings.ToValidUTF8(to, "�")})
	if c.owner == nil {
		return nil
	}
	return errors.Join(c.to.Symlink(to, name), c.own(name))
}

// file copies a file. What others than the writer have made, such as a hard link
// to what is ours, is not opened.
func (c *copier) file(name string, info fs.FileInfo) error {
	fields := map[string]any{fieldSize: info.Size(), fieldSum: unreadable}
	if mode := modeOf(info.Mode()); mode != modeOf(plainMode) {
		fields[fieldMode] = mode
	}
	c.seen.add(kindFile, name, fields)
	if c.bytes += info.Size(); c.bytes > MaxBytes {
		c.beyond = fmt.Sprintf("The folder has more than %d MiB.", MaxBytes>>20)
		return nil
	}
	source, err := c.open(name)
	if err != nil || source == nil {
		return err
	}
	defer source.Close()
	copied, err := c.to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, privatePerm)
	if err != nil {
		return err
	}
	sum, text := sha256.New(), &beginning{}
	// It may grow while it is read.
	n, err := io.Copy(io.MultiWriter(copied, sum, text), io.LimitReader(source, MaxBytes+1))
	if err = errors.Join(err, copied.Chmod(info.Mode().Perm()), copied.Close()); err != nil {
		return err
	}
	if c.bytes += n - info.Size(); c.bytes > MaxBytes {
		c.beyond = fmt.Sprintf("The folder has more than %d MiB.", MaxBytes>>20)
	}
	fields[fieldSize], fields[fieldSum] = n, hex.EncodeToString(sum.Sum(nil))
	if n <= maxText && c.texts+int(n) <= maxTexts && isText(text.kept) {
		c.texts += int(n)
		fields[fieldText] = string(text.kept)
	}
	return c.own(name)
}

// open opens a file to be read; nil if it is not to be, or cannot be.
func (c *copier) open(name string) (*os.File, error) {
	file, err := c.from.OpenFile(name, os.O_RDONLY|platform.NoFollow|platform.NoWait, 0)
	if err != nil {
		// It is not there any more, or may not be read.
		return nil, nil //nolint:nilerr // the snapshot says so
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if owner, _, known := platform.Owner(info); !info.Mode().IsRegular() || c.writer != nil && (!known || owner != c.writer.user) {
		return nil, file.Close()
	}
	return file, nil
}

// own gives a copy to its owner.
func (c *copier) own(name string) error {
	if c.owner == nil {
		return nil
	}
	return c.to.Lchown(name, c.owner.user, c.owner.group)
}

// modeOf is what a file's rights come to: whether it is a program, as git knows
// it, and the bits that give a program rights of others.
func modeOf(mode fs.FileMode) string {
	bits := plainMode
	if mode.Perm()&ownersExecute != 0 {
		bits = executableMode
	}
	for bit, flag := range map[int]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if mode&flag != 0 {
			bits |= bit
		}
	}
	return fmt.Sprintf("%04o", bits)
}

func isText(data []byte) bool { return utf8.Valid(data) && !slices.Contains(data, 0) }

// beginning keeps what a text in a snapshot may have.
type beginning struct{ kept []byte }

// Write never fails.
func (b *beginning) Write(p []byte) (int, error) {
	b.kept = append(b.kept, p[:min(len(p), maxText-len(b.kept))]...)
	return len(p), nil
}
