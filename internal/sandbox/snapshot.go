package sandbox

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// A snapshot is a zip archive: the state as JSON and, for each repository, its
// git objects and refs. Tokens and the audit log are not in it.
const (
	snapshotVersion = 1
	snapshotState   = "world.json"
	snapshotGit     = "git/%d"
	// maxState and maxSnapshot are the most that is unpacked of the state and of all
	// repositories, in bytes.
	maxState    = 128 << 20
	maxSnapshot = 4 * gitstore.MaxStoreSize
)

type snapshot struct {
	Version int          `json:"version"`
	State   *model.State `json:"state"`
}

// Save writes a snapshot of the world.
func (w *World) Save(out io.Writer) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	archive := zip.NewWriter(out)
	part, err := archive.Create(snapshotState)
	if err != nil {
		return fmt.Errorf("save world: %w", err)
	}
	if err := json.NewEncoder(part).Encode(snapshot{Version: snapshotVersion, State: w.state}); err != nil {
		return fmt.Errorf("save world: %w", err)
	}
	for repo := range w.state.Repos.All() {
		// What git packs is compressed already.
		part, err := archive.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf(snapshotGit, repo.ID), Method: zip.Store})
		if err != nil {
			return fmt.Errorf("save repository %s: %w", w.state.FullName(repo), err)
		}
		if err := repo.Git.Save(part); err != nil {
			return fmt.Errorf("save repository %s: %w", w.state.FullName(repo), err)
		}
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("save world: %w", err)
	}
	return nil
}

// Load reads what [World.Save] writes. The world has no tokens. An error of
// kind invalid means that the data is no snapshot, or one whose parts do not
// fit together.
func Load(data []byte) (*World, error) {
	return Read(bytes.NewReader(data), int64(len(data)))
}

// Read is [Load] of a file of so many bytes, of which no more is in memory than the world.
func Read(from io.ReaderAt, size int64) (*World, error) {
	w, err := New()
	if err != nil {
		return nil, err
	}
	zipped, err := zip.NewReader(from, size)
	if err != nil {
		return nil, fault.Invalidf("it is not a sandbox snapshot: %w", err)
	}
	archive := &unpacking{zipped: zipped, left: maxSnapshot}
	if w.state, err = archive.state(); err != nil {
		return nil, err
	}
	for repo := range w.state.Repos.All() {
		if repo.Git, err = archive.repository(repo.ID); err != nil {
			return nil, err
		}
	}
	if err := w.state.Validate(); err != nil {
		return nil, fault.Invalidf("its %s is not as saved: %w", snapshotState, err)
	}
	w.state.Index()
	return w, nil
}

// unpacking is a snapshot that is being read.
type unpacking struct {
	zipped *zip.Reader
	// left is how many bytes of repositories may still be unpacked.
	left int64
}

func (u *unpacking) state() (*model.State, error) {
	part, _, err := u.part(snapshotState, maxState)
	if err != nil {
		return nil, err
	}
	defer part.Close()
	text, err := io.ReadAll(part)
	if err != nil {
		return nil, fault.Invalidf("its part %q cannot be read: %w", snapshotState, err)
	}
	// The rest may be of another shape in another version.
	var header struct {
		Version int `json:"version"`
	}
	var s snapshot
	if err := json.Unmarshal(text, &header); err != nil {
		return nil, fault.Invalidf("its %s is not as saved: %w", snapshotState, err)
	}
	if header.Version != snapshotVersion {
		return nil, fault.Invalidf("it is a snapshot of version %d; this program reads version %d", header.Version, snapshotVersion)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fault.Invalidf("its %s is not as saved: %w", snapshotState, err)
	}
	if s.State == nil {
		return nil, fault.Invalidf("its %s has no state", snapshotState)
	}
	return s.State, nil
}

func (u *unpacking) repository(id model.ID) (*gitstore.Store, error) {
	part, size, err := u.part(fmt.Sprintf(snapshotGit, id), u.left)
	if err != nil {
		return nil, err
	}
	defer part.Close()
	u.left -= size
	git, err := gitstore.Load(part)
	if err != nil {
		return nil, fault.Invalidf("its repository %d is not as saved: %w", id, err)
	}
	return git, nil
}

// part opens a part that has no more than so many bytes, and returns how many.
func (u *unpacking) part(name string, most int64) (part fs.File, size int64, err error) {
	if part, err = u.zipped.Open(name); err != nil {
		return nil, 0, fault.Invalidf("it is not a sandbox snapshot: it has no part %q", name)
	}
	// The reader refuses a part that is larger than it says.
	info, err := part.Stat()
	if err != nil || info.Size() < 0 || info.Size() > most {
		_ = part.Close() // nothing was read
		return nil, 0, fault.Invalidf("it is larger than %d bytes when it is unpacked", most)
	}
	return part, info.Size(), nil
}
