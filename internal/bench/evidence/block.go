package evidence

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Block is one iteration of one scenario in both modes (rule V4).
type Block struct {
	Scenario string
	// Iteration counts from 1. Blocks of a scenario count in its order.
	Iteration           int
	Baseline, Candidate Session
}

// Session is what became of a cell, with all its attempts: what was spent is
// their sum, and it succeeded if the first one did (rule V3).
type Session struct {
	Success bool
	// CostUSD is 0 where there is no price.
	CostUSD   float64
	LatencyMS float64
	// TokensActive and TokensTotal count what was not read from a cache and
	// everything.
	TokensActive, TokensTotal float64
	// EndedMS is when, in Unix milliseconds; 0 where that is not known.
	EndedMS int64
	// Void says why the session tells nothing of the tool: what failed was
	// around it (rule N10). Empty if it tells something.
	Void string
}

// void reports whether the block tells nothing.
func (b *Block) void() bool { return b.Baseline.Void != "" || b.Candidate.Void != "" }

// series are the blocks of a scenario in the order of their iterations.
type series struct {
	id     string
	blocks []Block
}

// seriesOf sorts blocks, whose order does not matter. Of two with the same
// scenario and iteration both count, one after the other.
func seriesOf(blocks []Block) []series {
	sorted := blocks
	if !slices.IsSortedFunc(blocks, compareBlocks) {
		sorted = slices.Clone(blocks)
		slices.SortFunc(sorted, compareBlocks)
	}
	var all []series
	for from := 0; from < len(sorted); {
		to := from
		for to < len(sorted) && sorted[to].Scenario == sorted[from].Scenario {
			to++
		}
		all = append(all, series{id: sorted[from].Scenario, blocks: sorted[from:to]})
		from = to
	}
	return all
}

func compareBlocks(a, b Block) int {
	return cmp.Or(
		strings.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Iteration, b.Iteration),
		compareSessions(a.Baseline, b.Baseline), compareSessions(a.Candidate, b.Candidate),
	)
}

// compareSessions puts the earlier one first, and what failed before what did
// not, so that the order in which sessions are given never matters.
func compareSessions(a, b Session) int {
	return cmp.Or(
		cmp.Compare(a.EndedMS, b.EndedMS), compareBools(a.Success, b.Success),
		cmp.Compare(a.CostUSD, b.CostUSD), cmp.Compare(a.LatencyMS, b.LatencyMS),
		cmp.Compare(a.TokensTotal, b.TokensTotal), cmp.Compare(a.TokensActive, b.TokensActive),
		strings.Compare(a.Void, b.Void),
	)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// window is what a look sees: of every scenario the first blocks up to the one
// that makes enough of them without a void.
type window struct {
	n         int
	scenarios []series
	// voids have the blocks among them that are void, rest those that come after.
	voids, rest []series
}

// windowOf returns the window of a look after n blocks; ok is false where a
// scenario has fewer.
func windowOf(all []series, n int) (w window, ok bool) {
	w = window{n: n, scenarios: make([]series, len(all)), voids: make([]series, len(all)), rest: make([]series, len(all))}
	for i, s := range all {
		at := 0
		for at < len(s.blocks) && at < n && !s.blocks[at].void() {
			at++
		}
		sound, void := s.blocks[:at:at], []Block(nil)
		for ; at < len(s.blocks) && len(sound) < n; at++ {
			if s.blocks[at].void() {
				void = append(void, s.blocks[at])
			} else {
				sound = append(sound, s.blocks[at])
			}
		}
		if len(sound) < n {
			return window{}, false
		}
		w.scenarios[i], w.voids[i], w.rest[i] = series{s.id, sound}, series{s.id, void}, series{s.id, s.blocks[at:]}
	}
	return w, len(all) > 0
}

// blocks returns how many sound blocks the window has.
func (w *window) blocks() int { return w.n * len(w.scenarios) }

// countWithVoids adds to a table what only one mode had void, as that mode's
// failure (rule N10).
func countWithVoids(t table, voids []Block) table {
	for i := range voids {
		b := &voids[i]
		if b.Baseline.Void != "" && b.Candidate.Void != "" {
			continue
		}
		t.baselineRuns++
		t.candidateRuns++
		t.baseline += one(b.Baseline.Void == "" && b.Baseline.Success)
		t.candidate += one(b.Candidate.Void == "" && b.Candidate.Success)
	}
	return t
}

func count(blocks []Block) table {
	t := table{candidateRuns: len(blocks), baselineRuns: len(blocks)}
	for i := range blocks {
		t.baseline += one(blocks[i].Baseline.Success)
		t.candidate += one(blocks[i].Candidate.Success)
	}
	return t
}

func one(counted bool) int {
	if counted {
		return 1
	}
	return 0
}

// What voids forbid (rule N10).
const (
	maxVoidShare      = 0.20
	maxVoidDifference = 0.05
)

func (w *window) countVoids() bench.Voids {
	v := bench.Voids{Of: w.blocks()}
	for _, s := range w.voids {
		v.Blocks += len(s.blocks)
		v.Of += len(s.blocks)
		for _, b := range s.blocks {
			v.Baseline += one(b.Baseline.Void != "")
			v.Candidate += one(b.Candidate.Void != "")
		}
	}
	return v
}

// tooManyVoid reports whether so much is void that nothing can be said.
func tooManyVoid(v bench.Voids) bool { return float64(v.Blocks) > maxVoidShare*float64(v.Of) }

// voidsApart reports whether one mode has too many more than the other.
func voidsApart(v bench.Voids) bool {
	difference := float64(v.Baseline - v.Candidate)
	return max(difference, -difference) > maxVoidDifference*float64(v.Of)
}
