package target

import (
	"context"
	"slices"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/sandbox"
)

// Fill seeds the world of a variation, and returns the manifest of what it has
// made. Equal variations are filled equally.
type Fill func(ctx context.Context, keys *Keys, v bench.Variation) (bench.Manifest, error)

// seededWorld is a world and what was seeded there.
type seededWorld struct {
	*sandbox.World
	manifest bench.Manifest
	// variation is nil where the fixtures do not vary.
	variation *bench.Variation
}

// maxWorlds is how many worlds of variations are kept. One that was dropped is
// made again if it is needed again.
const maxWorlds = 16

// worlds are those of variations. They are made when they are first needed, one
// for all modes and scenarios.
type worlds struct {
	fill Fill

	mu sync.Mutex
	// made has the worlds, those last that were used last.
	made []*variedWorld
}

// variedWorld is the world of a variation, once it is made.
type variedWorld struct {
	variation bench.Variation
	mu        sync.Mutex
	// world is nil until it is made.
	world *seededWorld
}

// get returns the world of a variation.
func (w *worlds) get(ctx context.Context, v bench.Variation) (*seededWorld, error) {
	entry := w.entry(v)
	entry.mu.Lock()
	defer entry.mu.Unlock()
	if entry.world != nil {
		return entry.world, nil
	}
	world, err := newWorld(&v)
	if err != nil {
		return nil, err
	}
	keys, err := open(ctx, world)
	if err != nil {
		return nil, err
	}
	manifest, err := w.fill(ctx, keys, v)
	if closing := keys.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}
	entry.world = &seededWorld{World: world, manifest: manifest, variation: &v}
	return entry.world, nil
}

// entry returns the place of a variation's world, which is the one that was used
// last from now on.
func (w *worlds) entry(v bench.Variation) *variedWorld {
	w.mu.Lock()
	defer w.mu.Unlock()
	entry := &variedWorld{variation: v}
	if at := slices.IndexFunc(w.made, func(e *variedWorld) bool { return e.variation == v }); at >= 0 {
		entry = w.made[at]
		w.made = slices.Delete(w.made, at, at+1)
	}
	w.made = append(w.made, entry)
	w.made = slices.Delete(w.made, 0, max(0, len(w.made)-maxWorlds))
	return entry
}
