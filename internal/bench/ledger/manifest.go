package ledger

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// ManifestFile is the name of a manifest in the folder of its run.
const ManifestFile = "bench-manifest.json"

// ManifestVersion is that of a Manifest. docs/manifest.schema.json describes it.
const ManifestVersion = 1

// maxFile is the longest manifest that is read, in bytes.
const maxFile = 1 << 20

// Manifest says where the files of a run come from. Each job that runs cells writes
// one beside its rows, and a job that judges what others have run holds it against
// what it knows itself.
//
// It is a claim, as rows are: who makes up rows makes up a manifest for them. It
// keeps apart what has got mixed up, and says which rows an origin is to be found
// out of that GitHub vouches for.
type Manifest struct {
	SchemaVersion int `json:"schema_version"`
	Origin
	// Settings are the inputs that say what was measured, and how, by their names.
	Settings map[string]string `json:"settings"`
	// Files are the run's files by their names, each with its SHA-256 in hexadecimal.
	Files map[string]string `json:"files"`
}

// Origin is the job that made rows, and what they are of.
type Origin struct {
	// Repository is "owner/name".
	Repository string `json:"repository"`
	// Workflow is the workflow's file and ref, "owner/name/.github/workflows/x.yml@ref".
	Workflow string `json:"workflow"`
	// Event is the name of what started it.
	Event string `json:"event"`
	// Run is the number of its run, and Attempt the attempt's, from 1.
	Run     string `json:"run_id"`
	Attempt int    `json:"run_attempt"`
	// Commit is what was measured.
	Commit string `json:"commit"`
}

// WriteManifest writes the manifest of the files in a run's folder.
func WriteManifest(folder string, from Origin, settings map[string]string) error {
	m := Manifest{SchemaVersion: ManifestVersion, Origin: from, Settings: settings, Files: map[string]string{}}
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if err != nil || !entry.Type().IsRegular() || entry.Name() == ManifestFile {
			continue
		}
		m.Files[entry.Name()], err = sum(filepath.Join(folder, entry.Name()))
	}
	var text []byte
	if err == nil {
		text, err = json.MarshalIndent(m, "", "  ")
	}
	if err == nil {
		const perm = 0o644
		err = os.WriteFile(filepath.Join(folder, ManifestFile), append(text, '\n'), perm)
	}
	if err != nil {
		return fault.Infraf("write the manifest of the run: %w", err)
	}
	return nil
}

// ReadManifest reads the manifest in a run's folder. Errors are of kind invalid.
func ReadManifest(folder string) (Manifest, error) {
	path := filepath.Join(folder, ManifestFile)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, fault.Invalidf("%s has rows, but no %s that says where they come from: the job that ran them has ended before it could write that, or they are not the action's; run that job again", folder, ManifestFile)
	}
	if err != nil {
		return Manifest{}, fault.Invalidf("read %s: %w", path, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil || len(text) > maxFile {
		return Manifest{}, fault.Invalidf("%s cannot be read, or is longer than 1 MiB", path)
	}
	var m Manifest
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil || m.SchemaVersion != ManifestVersion {
		return Manifest{}, fault.Invalidf("%s is no manifest of this version: %w", path, cmp.Or(err, fmt.Errorf("schema_version is %d, want %d", m.SchemaVersion, ManifestVersion)))
	}
	return m, nil
}

// Check says what of a manifest, of the files in a run's folder, is not as it is to be
// there. An earlier attempt of the same run may have made them: jobs that have not failed
// are not run again.
func (m Manifest) Check(folder string, from Origin, settings map[string]string) error {
	for _, f := range []struct{ what, got, want string }{
		{"repository", strings.ToLower(m.Repository), strings.ToLower(from.Repository)}, {"run", m.Run, from.Run}, {"commit", m.Commit, from.Commit},
		{"event", m.Event, from.Event}, {"workflow", m.workflow(from.Workflow), from.Workflow},
	} {
		if f.got != f.want && f.want != "" {
			return fault.Invalidf("%s: the rows are of %s %q, and those of %s %q are to be judged", folder, f.what, f.got, f.what, f.want)
		}
	}
	if m.Attempt < 1 || m.Attempt > from.Attempt {
		return fault.Invalidf("%s: the rows are of attempt %d of the run, and this is attempt %d", folder, m.Attempt, from.Attempt)
	}
	for _, name := range slices.Sorted(maps.Keys(joined(m.Settings, settings))) {
		if got, want := m.Settings[name], settings[name]; got != want {
			return fault.Invalidf("%s: input %s was %q where the rows were made, and is %q here: give both jobs the same", folder, name, got, want)
		}
	}
	return m.checkFiles(folder)
}

// workflow returns the workflow, without its ref where that is not asked for.
func (m Manifest) workflow(asked string) string {
	if strings.Contains(asked, "@") {
		return m.Workflow
	}
	file, _, _ := strings.Cut(m.Workflow, "@")
	return file
}

func joined(a, b map[string]string) map[string]string {
	both := map[string]string{}
	maps.Copy(both, a)
	maps.Copy(both, b)
	return both
}

// checkFiles looks whether all that is read of a run is as its job has left it.
func (m Manifest) checkFiles(folder string) error {
	ledgers, err := Files(folder)
	if err != nil {
		return err
	}
	for _, path := range append(ledgers, filepath.Join(folder, RunFile)) {
		want, known := m.Files[filepath.Base(path)]
		if !known {
			return fault.Invalidf("%s is not among the files of its manifest: it was added after the run", path)
		}
		got, err := sum(path)
		if err != nil {
			return fault.Invalidf("%s cannot be read: %w", path, err)
		}
		if got != want {
			return fault.Invalidf("%s is not what the run has left: its SHA-256 is %.12s…, and the manifest says %.12s…", path, got, want)
		}
	}
	return nil
}

// sum returns the SHA-256 of a file, which is no link: that could lead anywhere.
func sum(path string) (string, error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return "", cmp.Or(err, errors.New("it is no file"))
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
