package runner

import (
	"math/rand/v2"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// OrderKind is how the cells of a plan follow each other.
type OrderKind string

const (
	// Interleaved mixes scenarios and modes in one seeded random order, so
	// that drift of machine or provider hits all modes alike (rule N4). Every
	// iteration is complete before the next begins.
	Interleaved OrderKind = "interleaved"
	// Blocks is as Interleaved, but the modes of one iteration of a scenario
	// follow each other, in random order (rule V4).
	Blocks OrderKind = "blocks"
	// Sequential runs one mode after the other.
	Sequential OrderKind = "sequential"
)

// ParseOrder returns the order of that name.
func ParseOrder(name string) (OrderKind, error) {
	switch kind := OrderKind(name); kind {
	case Interleaved, Blocks, Sequential:
		return kind, nil
	default:
		return "", fault.Invalidf("order %q is unknown: use %s, %s or %s", name, Interleaved, Blocks, Sequential)
	}
}

// PlanOptions say which cells a plan has.
type PlanOptions struct {
	// ScenarioIDs and Modes are not empty.
	ScenarioIDs []string
	Modes       []bench.Mode
	Repetitions int
	Order       OrderKind
	// Seed decides random orders.
	Seed uint64
}

// Plan returns the cells in the order in which they run. Equal options make
// equal plans.
func Plan(opts PlanOptions) []bench.Cell {
	var cells []bench.Cell
	add := func(mode bench.Mode, iteration int) {
		for _, id := range opts.ScenarioIDs {
			cells = append(cells, bench.Cell{ScenarioID: id, Mode: mode, Iteration: iteration})
		}
	}
	if opts.Order == Sequential {
		for _, mode := range opts.Modes {
			for i := range opts.Repetitions {
				add(mode, i+1)
			}
		}
		return cells
	}
	random := rand.New(rand.NewPCG(opts.Seed, opts.Seed))
	if opts.Order == Blocks {
		return inBlocks(opts, random)
	}
	for i := range opts.Repetitions {
		start := len(cells)
		for _, mode := range opts.Modes {
			add(mode, i+1)
		}
		block := cells[start:]
		random.Shuffle(len(block), func(a, b int) { block[a], block[b] = block[b], block[a] })
	}
	return cells
}

func inBlocks(opts PlanOptions, random *rand.Rand) (cells []bench.Cell) {
	for i := range opts.Repetitions {
		for _, scenario := range random.Perm(len(opts.ScenarioIDs)) {
			for _, mode := range random.Perm(len(opts.Modes)) {
				cells = append(cells, bench.Cell{ScenarioID: opts.ScenarioIDs[scenario], Mode: opts.Modes[mode], Iteration: i + 1})
			}
		}
	}
	return cells
}
