package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// FolderOptions say what commands run with.
type FolderOptions struct {
	// Files is the scenario folder, for the files that tasks name.
	Files fs.FS
	// Env is the environment of commands, as NAME=value, but for what they are
	// told by the target. Nothing of it reaches an agent.
	Env []string
	// Base is the folder in which attempts have theirs; empty means the one for
	// temporary files.
	Base string
}

// FolderTarget prepares places for tasks that are not about GitHub, and leaves the
// others to the next target. It implements [Target].
type FolderTarget struct {
	// Next is nil where there are no others.
	next    Target
	options FolderOptions

	mu     sync.Mutex
	closed bool
	places map[*place]bool
}

var _ Target = (*FolderTarget)(nil)

// NewFolder returns a target before the next one, which may be nil and is closed with
// it.
func NewFolder(options FolderOptions, next Target) *FolderTarget {
	return &FolderTarget{next: next, options: options, places: map[*place]bool{}}
}

// place is a place of one attempt.
type place struct {
	target *FolderTarget
	task   Task
	seed   uint32
	// root is the folder of ours. It has the folders below.
	root string
	// began is true once the agent's folder was filled; writer is whose it is.
	began  bool
	writer *account
	// input is the scenario's, as JSON.
	input []byte

	before, after Snapshot
	// told is what Verify has printed as JSON, nil if it did not.
	told  map[string]any
	close func() error
}

// The folders of a place: where set-up works, what the agent has left, what
// commands keep for each other, their home, and the task's files.
const (
	workFolder  = "work"
	afterFolder = "after"
	stateFolder = "state"
	homeFolder  = "home"
	tempFolder  = "tmp"
	filesFolder = "files"
	// agentFolder is where the agent works if nobody has said where.
	agentFolder = "agent"
)

func (p *place) in(name string) string { return filepath.Join(p.root, name) }

// Prepare makes a place: it runs the task's set-up in a folder of its own. A
// set-up that fails, and one that does not tell what it is to, are errors of
// kind invalid.
func (t *FolderTarget) Prepare(ctx context.Context, needs Needs) (_ *Place, err error) {
	if needs.Task == nil {
		if t.next == nil {
			return nil, fault.Internalf("a place on GitHub is asked for where no scenario is about GitHub")
		}
		return t.next.Prepare(ctx, needs)
	}
	p, err := t.open(*needs.Task, needs.Variation)
	if err != nil {
		return nil, err
	}
	resources, err := p.setUp(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("scenario %q: %w", p.task.ScenarioID, err), p.close())
	}
	return &Place{
		Manifest:  bench.Manifest{Version: bench.ManifestVersion, Resources: resources},
		Variation: needs.Variation,
		Env:       []string{"HOME=" + p.in(homeFolder), "TMPDIR=" + p.in(tempFolder)},
		Folder:    p.task.Folder,
		Begin:     p.begin, End: p.end, Read: p.read,
		Changes: p.changes,
		Close:   p.close,
	}, nil
}

// open makes the folders of a place.
func (t *FolderTarget) open(task Task, v *bench.Variation) (*place, error) {
	root, err := os.MkdirTemp(t.options.Base, "bench-task-")
	if err != nil {
		return nil, fault.Infraf("make a folder for the task: %w", err)
	}
	p := &place{target: t, task: task, seed: seedOf(v), root: root}
	p.close = sync.OnceValue(p.giveBack)
	made := []string{workFolder, afterFolder, stateFolder, homeFolder, tempFolder, filesFolder}
	if task.Folder == "" {
		p.task.Folder = p.in(agentFolder)
		made = append(made, agentFolder)
	}
	for _, name := range made {
		if err := os.Mkdir(p.in(name), privatePerm); err != nil {
			return nil, errors.Join(fault.Infraf("make a folder for the task: %w", err), os.RemoveAll(root))
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, errors.Join(fault.Internalf("the target of tasks is closed"), os.RemoveAll(root))
	}
	t.places[p] = true
	return p, nil
}

// seedOf is what set-up draws from, the same for equal variations: 31 bits, which
// every shell can count with.
func seedOf(v *bench.Variation) uint32 {
	v = cmp.Or(v, &bench.Variation{})
	return rand.New(rand.NewPCG(v.Seed, uint64(v.Number))).Uint32() >> 1
}

// variables are what each command is told.
func (p *place) variables() []string {
	return []string{
		"HOME=" + p.in(homeFolder), "TMPDIR=" + p.in(tempFolder),
		"BENCH_FILES=" + p.in(filesFolder), "BENCH_STATE=" + p.in(stateFolder), fmt.Sprintf("BENCH_SEED=%d", p.seed),
	}
}

// resourcesFile is where set-up tells resources, in the folder of the state;
// resourcesVariable names it.
const (
	resourcesFile     = "resources"
	resourcesVariable = "BENCH_RESOURCES"
)

// setUp fills the folder, and returns what set-up tells of it.
func (p *place) setUp(ctx context.Context) (map[string]map[string]any, error) {
	if p.task.Commands.Files != "" {
		if err := p.provide(path.Join(scenario.FilesFolder, p.task.Commands.Files)); err != nil {
			return nil, err
		}
	}
	told := p.in(path.Join(stateFolder, resourcesFile))
	if text := p.task.Commands.Setup; text != "" {
		ended, err := p.run(ctx, "target.setup", text, p.in(workFolder), nil, resourcesVariable+"="+told)
		switch {
		case ctx.Err() != nil:
			return nil, err
		case err != nil:
			return nil, fault.Invalidf("%w", err)
		case ended.status != 0:
			return nil, fault.Invalidf("target.setup ends with status %d: %s", ended.status, ended.said)
		}
	}
	text, err := os.ReadFile(told)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Infraf("read what target.setup tells: %w", err)
	}
	teller := world.Teller{Name: "target.setup", Promise: "target.makes", Variable: resourcesVariable}
	resources, err := teller.Resources(string(text), p.task.Commands.Makes)
	if err != nil || p.task.Commands.Snapshot == "" {
		return resources, err
	}
	if p.before, err = p.snapshot(ctx, workFolder); err != nil {
		return nil, fault.Invalidf("before the agent's turn: %w", err)
	}
	return resources, nil
}

// provide copies the task's files to where its commands find them.
func (p *place) provide(name string) error {
	files, err := fs.Sub(p.target.options.Files, name)
	if err == nil {
		err = os.CopyFS(p.in(filesFolder), files)
	}
	if err != nil {
		return fault.Invalidf("target.files: copy the folder %s: %w", name, err)
	}
	return nil
}

// giveBack cleans up, whatever became of the attempt. It is not stopped by the
// end of the run.
func (p *place) giveBack() error {
	t := p.target
	t.mu.Lock()
	delete(t.places, p)
	t.mu.Unlock()
	var problems []error
	if text := p.task.Commands.Cleanup; text != "" {
		ended, err := p.run(context.Background(), "target.cleanup", text, p.in(workFolder), nil)
		if err == nil && ended.status != 0 {
			err = fault.Infraf("target.cleanup ends with status %d: %s", ended.status, ended.said)
		}
		problems = append(problems, err)
	}
	if p.began {
		problems = append(problems, emptyFolder(p.task.Folder))
	}
	return errors.Join(append(problems, removeAll(p.root))...)
}

// emptyFolder removes what is in a folder, which may be gone.
func emptyFolder(folder string) error {
	root, err := openFolder(folder)
	if root == nil || err != nil {
		return err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	var problems []error
	for _, entry := range entries {
		problems = append(problems, root.RemoveAll(entry.Name()))
	}
	return errors.Join(problems...)
}

// removeAll removes a folder of ours, in which commands may have taken rights
// from themselves.
func removeAll(folder string) error {
	if os.RemoveAll(folder) == nil {
		return nil
	}
	_ = filepath.WalkDir(folder, func(at string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = os.Chmod(at, privatePerm)
		}
		return nil
	})
	return os.RemoveAll(folder)
}

// Close gives up the places that are still open, and the next target.
func (t *FolderTarget) Close() error {
	t.mu.Lock()
	t.closed = true
	var open []*place
	for p := range t.places {
		open = append(open, p)
	}
	t.mu.Unlock()
	var problems []error
	for _, p := range open {
		problems = append(problems, p.close())
	}
	if t.next != nil {
		problems = append(problems, t.next.Close())
	}
	return errors.Join(slices.Clip(problems)...)
}
