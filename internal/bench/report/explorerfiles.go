package report

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// piecesFolder has the pieces of a report's folder, PageFile is its page.
const (
	piecesFolder = "data"
	PageFile     = "index.html"
	pieceEnding  = ".js"
)

// Folder is a report as a folder: a page, and files beside it.
type Folder struct {
	*Explorer
	page *os.File
}

// CreateFolder begins a report in a folder, which is made. Pieces of an earlier report
// there are removed.
func CreateFolder(dir string) (*Folder, error) {
	data := filepath.Join(dir, piecesFolder)
	const perm = 0o755
	if err := os.MkdirAll(data, perm); err != nil {
		return nil, fault.Infraf("write report %s: %w", dir, err)
	}
	entries, err := os.ReadDir(data)
	if err != nil {
		return nil, fault.Infraf("write report %s: %w", dir, err)
	}
	for _, entry := range entries {
		if isPiece(entry.Name()) {
			if err := os.Remove(filepath.Join(data, entry.Name())); err != nil {
				return nil, fault.Infraf("write report %s: %w", dir, err)
			}
		}
	}
	page, err := os.Create(filepath.Join(dir, PageFile))
	if err != nil {
		return nil, fault.Infraf("write report: %w", err)
	}
	return &Folder{&Explorer{page: page, pieces: fileOfEach(data)}, page}, nil
}

// isPiece reports whether a file of the folder of pieces is one, by its name.
func isPiece(name string) bool {
	name, is := strings.CutSuffix(name, pieceEnding)
	return is && (name == pieceIndex || name == pieceBody || name != "" && strings.Trim(name, "0123456789") == "")
}

// Release closes the page, as far as that has not been done.
func (f *Folder) Release() error { return released(f.page) }

func released(file *os.File) error {
	if err := file.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return fault.Infraf("write report: %w", err)
	}
	return nil
}

// fileOfEach keeps each piece in a script of its own: a page from a disk can load
// scripts, and nothing else.
type fileOfEach string

func (dir fileOfEach) put(name, text string) error {
	const perm = 0o644
	if err := os.WriteFile(filepath.Join(string(dir), name+pieceEnding), []byte(`benchPiece("`+name+`","`+text+`")`+"\n"), perm); err != nil {
		return fault.Infraf("write report: %w", err)
	}
	return nil
}

func (fileOfEach) end(page io.Writer, script string) error {
	return written(io.WriteString(page, script+pageEnd))
}

// pageEnd ends a page behind its script.
const pageEnd = "</body>\n</html>\n"

func written(_ int, err error) error {
	if err != nil {
		return fault.Infraf("write HTML report: %w", err)
	}
	return nil
}

// OnePage is a report in one page, which holds the pieces.
type OnePage struct {
	*Explorer
	pieces *spool
}

// NewOnePage begins a report that is written to page when it is closed. Until then its
// pieces are in a file that [OnePage.Release] removes.
func NewOnePage(page io.Writer) *OnePage {
	s := &spool{}
	return &OnePage{&Explorer{page: page, pieces: s}, s}
}

// Release removes what was kept on the way.
func (o *OnePage) Release() error {
	file := o.pieces.file
	if file == nil {
		return nil
	}
	if err := errors.Join(released(file), os.Remove(file.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Infraf("write report: %w", err)
	}
	return nil
}

// spool keeps pieces until their page has begun; the index is the first behind that.
type spool struct {
	file  *os.File
	index string
}

func (s *spool) put(name, text string) error {
	element := `<script type="text/plain" id="piece-` + name + `">` + text + "</script>\n"
	if name == pieceIndex {
		s.index = element
		return nil
	}
	if s.file == nil {
		var err error
		if s.file, err = os.CreateTemp("", "bench-report-"); err != nil {
			return fault.Infraf("write report: %w", err)
		}
	}
	return written(s.file.WriteString(element))
}

func (s *spool) end(page io.Writer, script string) error {
	if err := written(io.WriteString(page, s.index+script)); err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return fault.Infraf("write HTML report: %w", err)
	}
	if _, err := io.Copy(page, s.file); err != nil {
		return fault.Infraf("write HTML report: %w", err)
	}
	return written(io.WriteString(page, pageEnd))
}
