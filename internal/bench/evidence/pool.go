package evidence

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Pool has the sessions of rows by scenario, from which suites are drawn whose
// truth is known (rule V12).
type Pool struct {
	mode, other bench.Mode
	taken       map[string][]record
	runs        names
	// impossible is how many rows were not taken for their figures.
	impossible int
}

// NewPool returns an empty pool of a mode's sessions: both sides of a block are
// drawn from them. Where other is not empty, the rows are of a tool that was
// compared with itself under the names of both modes, and blocks are drawn whole,
// with what their sessions have in common.
func NewPool(mode, other bench.Mode) *Pool {
	return &Pool{mode: mode, other: other, taken: map[string][]record{}}
}

// Add takes a row in, of which it keeps a copy. Rows of other modes, and those
// with impossible figures, do not count.
func (p *Pool) Add(row *bench.Row) {
	if row.Mode != p.mode && row.Mode != p.other {
		return
	}
	r := record{iteration: row.Iteration, run: p.runs.number(row.RunID), candidate: row.Mode == p.other, session: sessionOf(row)}
	if r.session.impossible() {
		p.impossible++
		return
	}
	r.session.Void = strings.Clone(row.ProviderFailure())
	id := row.ScenarioID
	if p.taken[id] == nil {
		id = strings.Clone(id)
	}
	p.taken[id] = append(p.taken[id], r)
}

// pooled are the blocks that are drawn of a scenario, and how often their
// sessions that are not void succeed. Unless they were run as such, a block has
// a session beside itself.
type pooled struct {
	id     string
	blocks []Block
	sound  int
	rate   float64
}

// scenarios returns what is drawn from, in an order that does not depend on that
// of the rows. An error is of kind [fault.Invalid]: there is too little.
func (p *Pool) scenarios() ([]pooled, error) {
	if len(p.taken) == 0 && p.impossible > 0 {
		return nil, fault.Invalidf("there is nothing to draw from: in each of the %d rows of mode %s %s", p.impossible, p.mode, ReasonImpossible)
	}
	if len(p.taken) == 0 {
		return nil, fault.Invalidf("there are no rows of mode %s to draw from: name another with --baseline-mode", p.mode)
	}
	var all []pooled
	succeeded := 0.0
	for _, id := range slices.Sorted(maps.Keys(p.taken)) {
		s := pooled{id: id, blocks: p.blocks(id)}
		solved, sessions := 0, 0
		for i := range s.blocks {
			b := &s.blocks[i]
			s.sound += one(!b.void())
			for _, side := range []*Session{&b.Baseline, &b.Candidate} {
				sessions += one(side.Void == "")
				solved += one(side.Void == "" && side.Success)
			}
		}
		if s.sound < MinBlocks {
			return nil, fault.Invalidf("scenario %s has %d sessions to draw from that are not void, and %d are needed at least: run it more often, or leave it out", id, s.sound, MinBlocks)
		}
		s.rate = float64(solved) / float64(sessions)
		succeeded += s.rate
		all = append(all, s)
	}
	if succeeded == 0 {
		return nil, fault.Invalidf("no session of mode %s succeeded, so every suite that is drawn from them would end without a verdict", p.mode)
	}
	return all, nil
}

func (p *Pool) blocks(id string) []Block {
	rows := slices.Clone(p.taken[id])
	slices.SortFunc(rows, func(a, b record) int {
		return cmp.Or(
			strings.Compare(p.runs.list[a.run], p.runs.list[b.run]), cmp.Compare(a.iteration, b.iteration),
			compareBools(a.candidate, b.candidate), compareSessions(a.session, b.session),
		)
	})
	var blocks []Block
	for i, r := range rows {
		switch {
		case p.other == "":
			blocks = append(blocks, Block{Scenario: id, Baseline: r.session, Candidate: r.session})
		case i > 0 && r.candidate && !rows[i-1].candidate && rows[i-1].run == r.run && rows[i-1].iteration == r.iteration:
			blocks = append(blocks, Block{Scenario: id, Baseline: rows[i-1].session, Candidate: r.session})
		}
	}
	return blocks
}

// Effect is what is done to the candidate's sessions. The zero value is none.
type Effect struct {
	// SuccessDrop is how much lower the success rate is, from 0 to 1, at most as
	// far as there are successes.
	SuccessDrop float64
	// CostLog is the logarithm of how many times the cost and the tokens are,
	// LatencyLog that of the time.
	CostLog, LatencyLog float64
}

// drawn are suites drawn from a pool, with an effect.
type drawn struct {
	scenarios []pooled
	whole     bool
	effect    Effect
}

// blocks draws until every scenario has that many without a void.
func (d *drawn) blocks(most int, r *rand.Rand) []Block {
	blocks := make([]Block, 0, most*len(d.scenarios))
	var clock int64
	for i := range d.scenarios {
		s := &d.scenarios[i]
		for iteration, sound := 1, 0; sound < most; iteration++ {
			b := s.draw(d.whole, r)
			b.Iteration = iteration
			d.effect.on(&b.Candidate, s.rate, r)
			first := r.IntN(2)
			b.Baseline.EndedMS, b.Candidate.EndedMS = clock+1+int64(first), clock+2-int64(first)
			clock += 2
			sound += one(!b.void())
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// draw returns a block in which the two sides do not differ but by luck.
func (s *pooled) draw(whole bool, r *rand.Rand) Block {
	b := s.blocks[r.IntN(len(s.blocks))]
	if !whole {
		b.Candidate = s.blocks[r.IntN(len(s.blocks))].Candidate
	} else if r.IntN(2) == 0 {
		b.Baseline, b.Candidate = b.Candidate, b.Baseline
	}
	return b
}

// on changes a session of a scenario with that success rate.
func (e Effect) on(s *Session, rate float64, r *rand.Rand) {
	cost := math.Exp(e.CostLog)
	s.CostUSD *= cost
	s.TokensTotal *= cost
	s.TokensActive *= cost
	s.LatencyMS *= math.Exp(e.LatencyLog)
	if e.SuccessDrop > 0 && s.Success && r.Float64()*rate < e.SuccessDrop {
		s.Success = false
	}
}

// truth returns the changes that the endpoints' intervals should have in them.
func (d *drawn) truth() [3]float64 {
	drop := 0.0
	for i := range d.scenarios {
		drop += min(d.effect.SuccessDrop, d.scenarios[i].rate)
	}
	return [3]float64{points(drop / float64(len(d.scenarios))), changePct(d.effect.CostLog), changePct(d.effect.LatencyLog)}
}
