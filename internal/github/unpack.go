package github

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// ArchiveLimits say how much of an archive is unpacked.
type ArchiveLimits struct {
	// Files is a number of files, those that are left out too.
	Files int
	// Bytes are of all that are unpacked, together.
	Bytes int64
}

// UnpackArchive writes those files of an archive to a folder whose path is wanted; others are
// left out. Errors are of kind invalid: names that lead out of the folder, links and
// whatever else is no file, names that are there twice, and what is beyond the limits.
func UnpackArchive(archive []byte, folder string, limits ArchiveLimits, wanted func(name string) bool) error {
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return fault.Invalidf("it is no zip archive")
	}
	if len(files.File) > limits.Files {
		return fault.Invalidf("it has %d files, and %d are the most", len(files.File), limits.Files)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fault.Infraf("unpack the artifact: %w", err)
	}
	defer root.Close()
	seen, left := map[string]bool{}, limits.Bytes
	for _, file := range files.File {
		name := file.Name
		// Names of different case are one file where the system takes them for one.
		key := strings.ToLower(path.Clean(name))
		switch {
		case !filepath.IsLocal(name) || strings.ContainsAny(name, "\\\x00:"):
			return fault.Invalidf("it has a file %.100q, which would be outside of it", name)
		case file.Mode().IsDir():
			continue
		case !file.Mode().IsRegular():
			return fault.Invalidf("%.100q in it is no file, but %s", name, file.Mode().Type())
		case seen[key]:
			return fault.Invalidf("it has two files %.100q", name)
		}
		seen[key] = true
		if !wanted(name) {
			continue
		}
		if err := unpack(file, root, &left); err != nil {
			return err
		}
	}
	return nil
}

// source notes that a reader fails.
type source struct {
	io.Reader
	failed bool
}

// Read reads.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.failed = err != nil && !errors.Is(err, io.EOF)
	return n, err
}

// unpack writes one file, as long as left is not used up.
func unpack(file *zip.File, root *os.Root, left *int64) error {
	content, err := file.Open()
	if err != nil {
		return fault.Invalidf("%.100q in it cannot be unpacked", file.Name)
	}
	defer content.Close()
	const folderPerm, filePerm = 0o700, 0o600
	name := filepath.FromSlash(path.Clean(file.Name))
	if err := root.MkdirAll(filepath.Dir(name), folderPerm); err != nil {
		return fault.Invalidf("%.100q in it is below a file", file.Name)
	}
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
	if errors.Is(err, fs.ErrExist) {
		return fault.Invalidf("%.100q in it is a folder, too", file.Name)
	}
	if err != nil {
		return fault.Infraf("unpack the artifact: %w", err)
	}
	from := &source{Reader: content}
	written, err := io.Copy(to, io.LimitReader(from, *left+1))
	err = errors.Join(err, to.Close())
	switch *left -= written; {
	case *left < 0:
		return fault.Invalidf("it has more than may be unpacked of it")
	case from.failed:
		return fault.Invalidf("%.100q in it is damaged", file.Name)
	case err != nil:
		return fault.Infraf("unpack the artifact: %w", err)
	}
	return nil
}
