package sandbox

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

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
	// maxSnapshot is the most that is unpacked from a snapshot, in bytes.
	maxSnapshot = 128 << 20
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
		part, err := archive.Create(fmt.Sprintf(snapshotGit, repo.ID))
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
	w, err := New()
	if err != nil {
		return nil, err
	}
	zipped, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fault.Invalidf("it is not a sandbox snapshot: %w", err)
	}
	archive := &unpacking{zipped: zipped, left: maxSnapshot}
	if w.state, err = archive.state(); err != nil {
		return nil, err
	}
	for repo := range w.state.Repos.All() {
		part, err := archive.part(fmt.Sprintf(snapshotGit, repo.ID))
		if err != nil {
			return nil, err
		}
		if repo.Git, err = gitstore.Load(bytes.NewReader(part)); err != nil {
			return nil, fault.Invalidf("its repository %d is not as saved: %w", repo.ID, err)
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
	// left is how many bytes may still be unpacked.
	left int64
}

func (u *unpacking) state() (*model.State, error) {
	text, err := u.part(snapshotState)
	if err != nil {
		return nil, err
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

func (u *unpacking) part(name string) ([]byte, error) {
	part, err := u.zipped.Open(name)
	if err != nil {
		return nil, fault.Invalidf("it is not a sandbox snapshot: it has no part %q", name)
	}
	defer part.Close()
	// The reader refuses a part that is larger than it says.
	info, err := part.Stat()
	if err != nil || info.Size() < 0 || info.Size() > u.left {
		return nil, fault.Invalidf("it is larger than %d bytes when it is unpacked", maxSnapshot)
	}
	u.left -= info.Size()
	data, err := io.ReadAll(part)
	if err != nil {
		return nil, fault.Invalidf("its part %q cannot be read: %w", name, err)
	}
	return data, nil
}
