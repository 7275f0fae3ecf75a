package evidence

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Pairing says which rows are compared.
type Pairing struct {
	Baseline, Candidate bench.Mode
	// NotCounted are scenarios that are left out, with the reason of each (rule
	// V10).
	NotCounted map[string]string
	// Void says why a row tells nothing of the tool, empty if it does. Nil means
	// [bench.Row.ProviderFailure].
	Void func(*bench.Row) string
}

// Reasons why rows are in no block, but for scenarios that are not counted.
const (
	ReasonMode       = "another mode"
	ReasonRepeated   = "the cell has an earlier row"
	ReasonIteration  = "the iteration is not 1 or more"
	ReasonVariation  = "the two modes had different variations"
	ReasonAlone      = "the other mode has no row"
	ReasonImpossible = "a figure is negative or no number"
	ReasonAfterEnd   = "not judged: the block came after the last look"
)

// Collector makes blocks of rows. It keeps about 100 bytes of each.
type Collector struct {
	pairing Pairing
	records []record
	// others counts the rows of which nothing else is kept.
	others    bench.Omissions
	scenarios names
	reasons   names
	runs      names
	models    map[string]bool
	// contents are the hashes of the scenarios' contents.
	contents map[int32]string
	changed  string
	// commits and trees are those of baseline and candidate.
	commits, trees [2]map[string]bool
	// files are the contents of their modes' files.
	files [2]map[string]bool
}

// record is what is kept of a row.
type record struct {
	scenario, reason, run int32
	iteration             int
	candidate             bool
	variation             bench.Variation
	session               Session
}

// names numbers texts in order of appearance.
type names struct {
	list    []string
	numbers map[string]int32
}

func (n *names) number(name string) int32 {
	if number, known := n.numbers[name]; known {
		return number
	}
	if n.numbers == nil {
		n.numbers = map[string]int32{}
	}
	own := strings.Clone(name)
	n.numbers[own] = int32(len(n.list))
	n.list = append(n.list, own)
	return n.numbers[own]
}

// NewCollector returns a collector without rows. An error is of kind
// [fault.Invalid].
func NewCollector(pairing Pairing) (*Collector, error) {
	if pairing.Baseline == pairing.Candidate || pairing.Baseline == "" || pairing.Candidate == "" {
		return nil, fault.Invalidf("evidence compares two modes, and %q and %q are named", pairing.Baseline, pairing.Candidate)
	}
	if pairing.Void == nil {
		pairing.Void = (*bench.Row).ProviderFailure
	}
	return &Collector{
		pairing: pairing, models: map[string]bool{}, contents: map[int32]string{},
		commits: [2]map[string]bool{{}, {}}, trees: [2]map[string]bool{{}, {}}, files: [2]map[string]bool{{}, {}},
	}, nil
}

// FromRows makes blocks of rows in any order; see [Collector].
func FromRows(rows []bench.Row, pairing Pairing) (Data, error) {
	c, err := NewCollector(pairing)
	if err != nil {
		return Data{}, err
	}
	for i := range rows {
		c.Add(&rows[i])
	}
	return c.Data()
}

// Add takes a row in, of which it keeps a copy.
func (c *Collector) Add(row *bench.Row) {
	if row.Mode != c.pairing.Baseline && row.Mode != c.pairing.Candidate {
		c.others.Add(ReasonMode, row.Cell())
		return
	}
	r := record{
		scenario: c.scenarios.number(row.ScenarioID), iteration: row.Iteration, run: c.runs.number(row.RunID),
		candidate: row.Mode == c.pairing.Candidate, session: sessionOf(row),
	}
	if row.Variation != nil {
		r.variation = *row.Variation
	}
	why := c.pairing.NotCounted[row.ScenarioID]
	if why == "" && row.Iteration < 1 {
		why = ReasonIteration
	}
	r.reason = c.reasons.number(why)
	if why == "" {
		c.models[row.Model.Text()] = true
		c.noteContent(r.scenario, row.ScenarioHash)
		if row.ModeHash != "" {
			note(c.files[one(r.candidate)], &row.ModeHash)
		}
		if row.Mode.OwnCommit() {
			note(c.commits[one(r.candidate)], row.Git.Commit)
			note(c.trees[one(r.candidate)], row.Git.Tree)
		}
	}
	switch {
	case r.session.impossible():
		r.session.Void = ReasonImpossible
	default:
		// The name is shared by all rows that have it.
		r.session.Void = c.reasons.list[c.reasons.number(c.pairing.Void(row))]
	}
	c.records = append(c.records, r)
}

// note adds a text, if there is one, as a copy.
func note(to map[string]bool, text *string) {
	if text != nil && !to[*text] {
		to[strings.Clone(*text)] = true
	}
}

func (c *Collector) noteContent(scenario int32, hash string) {
	if hash == "" {
		return
	}
	known, seen := c.contents[scenario]
	if seen && known != hash && (c.changed == "" || c.scenarios.list[scenario] < c.changed) {
		c.changed = c.scenarios.list[scenario]
	}
	if !seen {
		c.contents[scenario] = strings.Clone(hash)
	}
}

// sessionOf adds up a row's attempts (rule V3). What a second attempt mends the
// first one failed in.
func sessionOf(row *bench.Row) Session {
	s := Session{
		Success: row.Success && row.ExternalRetryCount == 0, CostUSD: row.Cost, LatencyMS: row.LatencyMSWall,
		TokensActive: float64(row.Tokens.Active()), TokensTotal: float64(row.Tokens.Total),
	}
	if len(row.Attempts) > 1 {
		s.Success = row.Success && row.Attempts[0].Error == nil
		s.CostUSD, s.LatencyMS, s.TokensActive, s.TokensTotal = 0, 0, 0, 0
		for _, a := range row.Attempts {
			s.CostUSD += a.Cost
			s.LatencyMS += a.LatencyMSWall
			s.TokensActive += float64(a.Tokens.Active())
			s.TokensTotal += float64(a.Tokens.Total)
		}
	}
	if ended, err := time.Parse(time.RFC3339, row.Timestamp); err == nil {
		s.EndedMS = ended.UnixMilli()
	}
	return s
}

func (s *Session) impossible() bool {
	for _, v := range []float64{s.CostUSD, s.LatencyMS, s.TokensActive, s.TokensTotal} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return true
		}
	}
	return false
}

// Data returns the blocks of the rows, and what is left out of them. The rows'
// order does not matter: of several rows of a cell the earliest counts, and the
// others never replace it (rule V3). Rows of two models, or of a scenario or a
// mode's file that changed meanwhile, are an error of kind [fault.Invalid].
func (c *Collector) Data() (Data, error) {
	if len(c.models) > 1 {
		return Data{}, fault.Invalidf("rows of %d models cannot be judged together: %s", len(c.models), bench.JoinWords(sortedKeys(c.models)))
	}
	if c.changed != "" {
		return Data{}, fault.Invalidf("the rows of scenario %s are of different contents: it was changed meanwhile, so they cannot be judged together", c.changed)
	}
	for i, mode := range []bench.Mode{c.pairing.Baseline, c.pairing.Candidate} {
		if files := c.files[i]; len(files) > 1 {
			return Data{}, fault.Invalidf("the rows of mode %s are of %d contents of its file, %s: it was changed meanwhile, so they cannot be judged together", mode, len(files), bench.JoinWords(sortedKeys(files)))
		}
	}
	c.sort()
	out := &bench.Omissions{}
	blocks := make([]Block, 0, len(c.records)/2)
	for from := 0; from < len(c.records); {
		to := from
		for to < len(c.records) && c.records[to].sameBlock(&c.records[from]) {
			to++
		}
		if b, ok := c.block(c.records[from:to], out); ok {
			blocks = append(blocks, b)
		}
		from = to
	}
	out.Merge(c.others.List()...)
	return Data{
		Blocks: c.withoutTails(blocks, out), LeftOut: out.List(),
		Baseline: c.side(c.pairing.Baseline, 0), Candidate: c.side(c.pairing.Candidate, 1),
	}, nil
}

func (c *Collector) side(mode bench.Mode, i int) bench.Side {
	return bench.Side{Mode: mode, Commits: sortedKeys(c.commits[i]), Trees: sortedKeys(c.trees[i])}
}

func sortedKeys(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for key := range set {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func (c *Collector) sort() {
	slices.SortFunc(c.records, func(a, b record) int {
		return cmp.Or(
			strings.Compare(c.scenarios.list[a.scenario], c.scenarios.list[b.scenario]), cmp.Compare(a.iteration, b.iteration),
			compareBools(a.candidate, b.candidate), compareSessions(a.session, b.session),
			strings.Compare(c.runs.list[a.run], c.runs.list[b.run]),
			cmp.Compare(a.variation.Seed, b.variation.Seed), cmp.Compare(a.variation.Number, b.variation.Number),
		)
	})
}

func (r *record) sameBlock(other *record) bool {
	return r.scenario == other.scenario && r.iteration == other.iteration
}

// block makes one of the rows of a scenario and iteration, those of the baseline
// first and the earliest first. A side without a row is void for now.
func (c *Collector) block(rows []record, out *bench.Omissions) (b Block, ok bool) {
	var sides [2]*record
	for i := range rows {
		r := &rows[i]
		side := &sides[one(r.candidate)]
		switch reason := c.reasons.list[r.reason]; {
		case reason != "":
			out.Add(reason, c.cell(r))
		case *side != nil:
			out.Add(ReasonRepeated, c.cell(r))
		default:
			*side = r
		}
	}
	baseline, candidate := sides[0], sides[1]
	if baseline == nil && candidate == nil {
		return Block{}, false
	}
	b = Block{Scenario: c.scenarios.list[rows[0].scenario], Iteration: rows[0].iteration, Baseline: noRow, Candidate: noRow}
	if baseline != nil {
		b.Baseline = baseline.session
	}
	if candidate != nil {
		b.Candidate = candidate.session
	}
	if baseline != nil && candidate != nil && baseline.variation != candidate.variation {
		b.Baseline.Void, b.Candidate.Void = ReasonVariation, ReasonVariation
	}
	return b, true
}

// noRow stands for the session of a mode that has none in a block.
var noRow = Session{Void: ReasonAlone}

func (c *Collector) cell(r *record) bench.Cell {
	return bench.Cell{ScenarioID: c.scenarios.list[r.scenario], Mode: c.mode(r.candidate), Iteration: r.iteration}
}

func (c *Collector) mode(candidate bool) bench.Mode {
	if candidate {
		return c.pairing.Candidate
	}
	return c.pairing.Baseline
}

// withoutTails leaves out the blocks of which one mode has no row where no whole
// one follows in the scenario, since a run that stops leaves some half done, and
// names what is void in the others. Where a row lacks in between, the block is
// void: a row that is gone may have been a failure.
func (c *Collector) withoutTails(blocks []Block, out *bench.Omissions) []Block {
	kept := blocks[:0]
	whole := map[string]int{}
	for i := range blocks {
		if b := &blocks[i]; b.Baseline.Void != ReasonAlone && b.Candidate.Void != ReasonAlone {
			whole[b.Scenario] = b.Iteration
		}
	}
	for i := range blocks {
		b := &blocks[i]
		for _, side := range []struct {
			candidate      bool
			session, other *Session
		}{{false, &b.Baseline, &b.Candidate}, {true, &b.Candidate, &b.Baseline}} {
			cell := bench.Cell{ScenarioID: b.Scenario, Mode: c.mode(side.candidate), Iteration: b.Iteration}
			switch {
			case side.session.Void == ReasonAlone:
			case side.session.Void != "":
				out.Add(voided(side.session.Void), cell)
			case side.other.Void == ReasonAlone:
				out.Add(ReasonAlone, cell)
			case side.other.Void != "":
				out.Add(voided("the other mode's session is"), cell)
			}
		}
		if b.Iteration <= whole[b.Scenario] {
			kept = append(kept, *b)
		}
	}
	return kept
}

func voided(why string) string { return fmt.Sprintf("void: %s", why) }
