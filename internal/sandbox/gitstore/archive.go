package gitstore

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"

	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// The permissions of files in archives: git's default of tar.umask, 0002.
const (
	plainPermissions      = 0o664
	executablePermissions = 0o775
	linkPermissions       = 0o777
)

// archived is a file, directory or symbolic link in an archive. Directories
// end with a slash.
type archived struct {
	name    string
	mode    filemode.FileMode
	content []byte
}

func (a archived) permissions() int64 {
	if a.mode == filemode.Symlink {
		return linkPermissions
	}
	if a.mode == filemode.Dir || a.mode == filemode.Executable {
		return executablePermissions
	}
	return plainPermissions
}

// eachArchived calls add with the directory prefix, which is empty or ends
// with a slash, and with what is in a commit, below it. Submodules are empty
// directories, as in git archive.
func (s *Store) eachArchived(c Commit, prefix string, add func(archived) error) error {
	entries, err := s.Tree(c.Hash, true)
	if err != nil {
		return err
	}
	if prefix != "" {
		if err := add(archived{name: prefix, mode: filemode.Dir}); err != nil {
			return err
		}
	}
	for _, e := range entries {
		a := archived{name: prefix + e.Path, mode: e.Mode}
		if e.Type == "blob" {
			if a.content, err = s.Blob(e.Hash); err != nil {
				return err
			}
		} else {
			a.name, a.mode = a.name+"/", filemode.Dir
		}
		if err := add(a); err != nil {
			return err
		}
	}
	return nil
}

// WriteZip writes a commit's files below a directory, as git archive
// --format=zip does. The prefix is empty or ends with a slash.
func (s *Store) WriteZip(w io.Writer, commit Hash, prefix string) error {
	c, err := s.Commit(commit)
	if err != nil {
		return err
	}
	out := zip.NewWriter(w)
	err = s.eachArchived(c, prefix, func(a archived) error {
		mode, err := a.mode.ToOSFileMode()
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: a.name, Modified: c.Committer.When, Method: zip.Deflate}
		if len(a.content) == 0 {
			header.Method = zip.Store
		}
		header.SetMode(mode)
		file, err := out.CreateHeader(header)
		if err != nil || a.mode == filemode.Dir {
			return err
		}
		_, err = file.Write(a.content)
		return err
	})
	if err != nil {
		return err
	}
	if err := out.SetComment(commit.String()); err != nil {
		return err
	}
	return out.Close()
}

// WriteTarGz is [Store.WriteZip] in the format tar.gz.
func (s *Store) WriteTarGz(w io.Writer, commit Hash, prefix string) error {
	c, err := s.Commit(commit)
	if err != nil {
		return err
	}
	compressed := gzip.NewWriter(w)
	out := tar.NewWriter(compressed)
	global := &tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": commit.String()}}
	if err := out.WriteHeader(global); err != nil {
		return err
	}
	err = s.eachArchived(c, prefix, func(a archived) error {
		header := &tar.Header{
			Name: a.name, Mode: a.permissions(), ModTime: c.Committer.When, Uname: "root", Gname: "root",
			Typeflag: tar.TypeReg, Size: int64(len(a.content)),
		}
		if a.mode == filemode.Dir {
			header.Typeflag = tar.TypeDir
		}
		if a.mode == filemode.Symlink {
			header.Typeflag, header.Linkname, header.Size, a.content = tar.TypeSymlink, string(a.content), 0, nil
		}
		if err := out.WriteHeader(header); err != nil {
			return err
		}
		_, err := out.Write(a.content)
		return err
	})
	if err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return compressed.Close()
}
