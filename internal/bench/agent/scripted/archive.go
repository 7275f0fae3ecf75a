package scripted

import (
	"archive/zip"
	"bytes"
	"io"
)

// maxUnzipped is how many bytes of an archive's files are read in all.
const maxUnzipped = 16 << 20

// unzipped returns the files of an archive, texts by their names, and whether
// the data is one. Files beyond [maxUnzipped] are left out.
func unzipped(data []byte) (map[string]any, bool) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, false
	}
	files, left := map[string]any{}, int64(maxUnzipped)
	for _, entry := range archive.File {
		text, err := unzip(entry, left)
		if err != nil {
			return nil, false
		}
		if left -= int64(len(text)); left < 0 {
			break
		}
		files[entry.Name] = string(text)
	}
	return files, true
}

// unzip reads one file, and one byte more than most if it has more.
func unzip(entry *zip.File, most int64) ([]byte, error) {
	file, err := entry.Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most+1))
}
