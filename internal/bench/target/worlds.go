package target

import (
	"context"
	"slices"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox"
)

// Fill seeds the world of a variation, and returns the manifest of what it has
// made. Equal variations are filled equally.
type Fill func(ctx context.Context, keys *Keys, v bench.Variation) (bench.Manifest, error)

// seededWorld is a world and what was seeded there.
type seededWorld struct {
	*sandbox.World
	// name is empty for the fixtures.
	name     string
	manifest bench.Manifest
	// variation is nil where the fixtures do not vary.
	variation *bench.Variation
	// agent and verifier are the logins of who works there, and who reads.
	agent, verifier string
}

// ofFixtures is a world that has the fixtures.
func ofFixtures(w *sandbox.World, m bench.Manifest) *seededWorld {
	return &seededWorld{World: w, manifest: m, variation: m.Variation(), agent: Agent, verifier: Verifier}
}

// lacks is the error about a resource that is not there.
func (w *seededWorld) lacks(resource string) error {
	if w.name != "" {
		return fault.Invalidf("nothing in the world %q makes %q: look at it with `bench scenarios check`", w.name, resource)
	}
	return fault.Invalidf("fixture resource %q is not seeded: run `bench fixtures seed`, or add --seed-if-missing", resource)
}

// maxWorlds is how many worlds of variations are kept. One that was dropped is
// made again if it is needed again.
const maxWorlds = 16

// worlds are those of variations. They are made when they are first needed, one
// for all modes and scenarios.
type worlds struct {
	// fill seeds the fixtures; nil where they have one world alone.
	fill Fill
	// find returns the files of other worlds; nil where there are none.
	find func(name string) (*world.World, error)
	// setup runs their scripts; nil where that cannot be done.
	setup Setup

	mu sync.Mutex
	// made has the worlds, those last that were used last.
	made []*variedWorld
}

// worldKey says which world it is: that of a file, or for an empty name the
// fixtures.
type worldKey struct {
	name      string
	variation bench.Variation
}

// variedWorld is the world of a variation, once it is made.
type variedWorld struct {
	key worldKey
	mu  sync.Mutex
	// world is nil until it is made.
	world *seededWorld
}

// get returns a world.
func (w *worlds) get(ctx context.Context, key worldKey) (*seededWorld, error) {
	entry := w.entry(key)
	entry.mu.Lock()
	defer entry.mu.Unlock()
	if entry.world != nil {
		return entry.world, nil
	}
	begin := w.fixtures
	if key.name != "" {
		begin = w.described
	}
	made, err := begin(ctx, key)
	if err != nil {
		return nil, err
	}
	made.name, made.variation = key.name, &key.variation
	entry.world = made
	return made, nil
}

// fixtures makes a world with the fixtures.
func (w *worlds) fixtures(ctx context.Context, key worldKey) (*seededWorld, error) {
	empty, err := newWorld(fixture.Draw(key.variation).Ground)
	if err != nil {
		return nil, err
	}
	manifest, err := w.fill(ctx, inside(empty, &key.variation), key.variation)
	if err != nil {
		return nil, err
	}
	return ofFixtures(empty, manifest), nil
}

// described makes the world that a file describes.
func (w *worlds) described(ctx context.Context, key worldKey) (*seededWorld, error) {
	if w.find == nil {
		return nil, fault.Internalf("the sandbox knows no worlds, so it cannot have %q", key.name)
	}
	file, err := w.find(key.name)
	if err != nil {
		return nil, err
	}
	made, err := MakeWorld(ctx, file, key.variation, w.setup)
	if err != nil {
		return nil, err
	}
	return &seededWorld{World: made.World, manifest: made.Manifest, agent: made.Plan.Agent, verifier: made.Plan.Verifier()}, nil
}

// entry returns the place of a world, which is the one that was used last from
// now on.
func (w *worlds) entry(key worldKey) *variedWorld {
	w.mu.Lock()
	defer w.mu.Unlock()
	entry := &variedWorld{key: key}
	if at := slices.IndexFunc(w.made, func(e *variedWorld) bool { return e.key == key }); at >= 0 {
		entry = w.made[at]
		w.made = slices.Delete(w.made, at, at+1)
	}
	w.made = append(w.made, entry)
	w.made = slices.Delete(w.made, 0, max(0, len(w.made)-maxWorlds))
	return entry
}
