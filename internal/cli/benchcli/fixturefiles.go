package benchcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// snapshotExtension ends the name of the sandbox snapshot that lies beside a
// manifest.
const snapshotExtension = ".sandbox"

// snapshotPath returns where the snapshot of a manifest lies:
// fixtures/latest.json has fixtures/latest.sandbox.
func snapshotPath(manifest string) string {
	return strings.TrimSuffix(manifest, filepath.Ext(manifest)) + snapshotExtension
}

// missingFixtures is an error about resources that a manifest lacks.
type missingFixtures struct {
	manifest  string
	resources []string
}

// Error names the resources and the mend.
func (m missingFixtures) Error() string {
	return fmt.Sprintf("fixture manifest %s lacks %s: run `bench fixtures seed --out %s`, or add --seed-if-missing",
		m.manifest, strings.Join(m.resources, ", "), m.manifest)
}

// loadSandbox makes a sandbox of a manifest and its snapshot. An error about a
// file that does not exist is fs.ErrNotExist.
func (a *app) loadSandbox(path string, needed []string) (*target.Sandbox, error) {
	manifest, err := fixture.Read(path)
	if err != nil {
		return nil, err
	}
	lacking := missingFixtures{manifest: path}
	for _, name := range needed {
		if _, seeded := manifest.Resources[name]; !seeded {
			lacking.resources = append(lacking.resources, name)
		}
	}
	if len(lacking.resources) > 0 {
		return nil, fault.Wrap(fault.Invalid, lacking)
	}
	snapshot, err := os.ReadFile(snapshotPath(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Invalidf("fixture manifest %s has no sandbox snapshot %s beside it: make both with `bench fixtures seed --sandbox --out %s`; or, if it is of a repository on GitHub, set %s: %w",
			path, snapshotPath(path), path, FixturesTokenVariable, fs.ErrNotExist)
	case err != nil:
		return nil, fault.Infraf("read sandbox snapshot: %w", err)
	}
	sandbox, err := target.LoadSandbox(snapshot, manifest)
	if err != nil {
		return nil, fault.Invalidf("sandbox snapshot %s cannot be used: %w; make it again with `bench fixtures seed --out %s`", snapshotPath(path), err, path)
	}
	return sandbox, nil
}

// saveSandbox writes a sandbox's manifest and snapshot. The snapshot comes
// first, so that a manifest always has one.
func (a *app) saveSandbox(sandbox *target.Sandbox, path string) error {
	var snapshot bytes.Buffer
	if err := sandbox.Save(&snapshot); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fault.Infraf("write sandbox snapshot: %w", err)
	}
	if err := os.WriteFile(snapshotPath(path), snapshot.Bytes(), 0o644); err != nil {
		return fault.Infraf("write sandbox snapshot: %w", err)
	}
	return fixture.Write(path, sandbox.Manifest())
}

// seeded is what a manifest is about, wherever that is.
type seeded struct {
	// place says where, for people.
	place    string
	manifest bench.Manifest
	clients  fixture.Clients
	// options are those with which more is seeded there.
	options fixture.Options
	// save keeps a manifest, and what belongs to it.
	save func(bench.Manifest) error
	// close ends the access.
	close func() error
}

// withSeeded opens what a manifest is about: a sandbox where a snapshot lies
// beside it, else a repository on GitHub.
func (a *app) withSeeded(ctx context.Context, path, apiURL string, use func(*seeded) error) (err error) {
	open := func() (*seeded, error) { return a.seededInSandbox(ctx, path) }
	if _, statErr := os.Stat(snapshotPath(path)); errors.Is(statErr, fs.ErrNotExist) && (a.hasCredentials() || apiURL != "") {
		open = func() (*seeded, error) { return a.seededOnGitHub(ctx, path, apiURL) }
	}
	s, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	return use(s)
}

func (a *app) seededInSandbox(ctx context.Context, path string) (*seeded, error) {
	sandbox, err := a.loadSandbox(path, nil)
	if err != nil {
		return nil, err
	}
	keys, err := sandbox.Open(ctx)
	if err != nil {
		return nil, errors.Join(err, sandbox.Close())
	}
	s := &seeded{
		place: "in the sandbox", manifest: sandbox.Manifest(),
		save: func(m bench.Manifest) error {
			sandbox.Use(m)
			return a.saveSandbox(sandbox, path)
		},
		close: func() error { return errors.Join(keys.Close(), sandbox.Close()) },
	}
	s.options = fixture.Options{Repo: s.manifest.Repo.FullName, SeedID: fixture.SeedID(s.manifest), Now: a.now()}
	if s.clients.Owner, err = verify.Client(keys.Owner); err == nil {
		s.clients.Reviewer, err = verify.Client(keys.Reviewer)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (a *app) seededOnGitHub(ctx context.Context, path, apiURL string) (*seeded, error) {
	m, err := fixture.Read(path)
	if err != nil {
		return nil, err
	}
	r, err := a.remote(m.Repo.FullName, apiURL, false)
	if err != nil {
		return nil, err
	}
	return &seeded{
		place: "on GitHub", manifest: m, clients: fixture.Clients{Owner: r.seeder},
		options: a.seedOptions(r, fixture.SeedID(m), ""),
		save:    func(m bench.Manifest) error { return fixture.Write(path, m) },
		close:   func() error { return r.credentials.revoke(ctx) },
	}, nil
}

// forget removes a manifest and the snapshot beside it, if there is one.
func forget(path string) error {
	for _, file := range []string{path, snapshotPath(path)} {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.Infraf("remove the fixtures' files: %w", err)
		}
	}
	return nil
}
