package verify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// The sides of a comparison stand in the place of modes.
const (
	sideA bench.Mode = "A"
	sideB bench.Mode = "B"
)

// ComparedSource is one of two runs.
type ComparedSource struct {
	// Name is what it was asked for by.
	Name   string
	Source Source
	// Mode is the one to compare, empty for all that both have.
	Mode bench.Mode
}

// Compare puts two runs side by side: what is not the same in both, and the
// figures of B against A. There is a verdict where they share their blocks, by
// profile and margins of how. Errors are of kind invalid: rows that cannot be
// read, or nothing in common; the notes, also beside an error, tell of torn lines.
func Compare(a, b ComparedSource, how JudgeOptions) (c bench.Comparison, notes []string, err error) {
	sides := [2]*side{{ComparedSource: a}, {ComparedSource: b}}
	for _, s := range sides {
		torn, err := s.read()
		for _, t := range torn {
			notes = append(notes, t.String())
		}
		if err != nil {
			return bench.Comparison{}, notes, fmt.Errorf("compare %s: %w", s.Name, err)
		}
	}
	pairs, err := pairsOf(sides)
	if err != nil {
		return bench.Comparison{}, notes, err
	}
	c = bench.Comparison{
		SchemaVersion: bench.ComparisonSchemaVersion, GeneratedAt: how.GeneratedAt,
		A: sides[0].described(), B: sides[1].described(),
		Simulated: sides[0].facts.simulated || sides[1].facts.simulated,
	}
	if how.Model, err = how.comparedModel(sides); err != nil {
		return bench.Comparison{}, notes, err
	}
	c.Differences, c.Alike = settingsOf(&sides[0].facts, &sides[1].facts)
	for _, pair := range pairs {
		if pair[0] == pair[1] {
			notes = append(notes, otherFile(sides, pair[0])...)
		}
		compared, err := how.compareModes(sides, pair)
		if err != nil {
			return bench.Comparison{}, notes, err
		}
		c.Modes = append(c.Modes, compared)
	}
	return c, notes, nil
}

// side is a run, and what its rows say of how they came about.
type side struct {
	ComparedSource
	facts facts
}

func (s *side) read() ([]ledger.Torn, error) {
	s.facts = newFacts(s.Source.Runs)
	altered := alterationsOf(s.Source.Runs...)
	report, err := altered.scan(s.Source.Files, func(row *bench.Row) error {
		s.facts.add(row)
		return nil
	})
	s.Source.Runs = altered.note(s.Source.Runs)
	if err == nil && s.facts.rows == 0 {
		err = fault.Invalidf("there are no rows: name a run that has some")
	}
	return report.Torn, err
}

func (s *side) described() bench.ComparedRun {
	return bench.ComparedRun{
		Name: s.Name, RunIDs: slices.Sorted(maps.Keys(s.facts.runs)), Rows: s.facts.rows,
		From: s.facts.from, To: s.facts.to,
	}
}

// pairsOf returns the pairs of modes to compare.
func pairsOf(sides [2]*side) (pairs [][2]bench.Mode, err error) {
	var modes [2][]bench.Mode
	for i, s := range sides {
		modes[i] = bench.SortedModes(s.facts.modes)
		if s.Mode == "" {
			continue
		}
		if !s.facts.modes[s.Mode] {
			return nil, fault.Invalidf("%s has no rows of mode %s: it has %s", s.Name, s.Mode, joinModes(modes[i]))
		}
		modes[i] = []bench.Mode{s.Mode}
	}
	if len(modes[0]) == 1 && len(modes[1]) == 1 {
		pairs = [][2]bench.Mode{{modes[0][0], modes[1][0]}}
	} else {
		for _, m := range modes[0] {
			if slices.Contains(modes[1], m) {
				pairs = append(pairs, [2]bench.Mode{m, m})
			}
		}
	}
	if len(pairs) == 0 {
		return nil, fault.Invalidf("%s has %s and %s has %s: name a mode of each with --mode-a and --mode-b", sides[0].Name, joinModes(modes[0]), sides[1].Name, joinModes(modes[1]))
	}
	if maps.Equal(sides[0].facts.runs, sides[1].facts.runs) {
		for _, pair := range pairs {
			if pair[0] == pair[1] {
				return nil, fault.Invalidf("mode %s of run %s would be compared with itself: name two runs, or two modes with --mode-a and --mode-b", pair[0], sides[0].Name)
			}
		}
	}
	return pairs, nil
}

// comparedModel returns the model whose thresholds say what is claimed to be
// saved: that of both runs, else none unless one is named.
func (how JudgeOptions) comparedModel(sides [2]*side) (string, error) {
	if !maps.Equal(sides[0].facts.models, sides[1].facts.models) {
		return how.Model, nil
	}
	return how.Expectations.ResolveModel(how.Model, slices.Sorted(maps.Keys(sides[0].facts.models)))
}

func joinModes(modes []bench.Mode) string {
	names := make([]string, len(modes))
	for i, m := range modes {
		names[i] = string(m)
	}
	return strings.Join(names, ", ")
}

// otherFile says that a mode of one name is two, where its file has changed.
func otherFile(sides [2]*side, mode bench.Mode) []string {
	name := fileOf(mode)
	a, b := sides[0].facts.settings[name], sides[1].facts.settings[name]
	if len(a) == 0 || len(b) == 0 || maps.Equal(a, b) {
		return nil
	}
	return []string{fmt.Sprintf("mode %s is not the same in both: its file has content %s in A and %s in B, so the figures are of two modes of that name",
		mode, sides[0].facts.text(name), sides[1].facts.text(name))}
}

// compareModes compares a mode of A with one of B.
func (how JudgeOptions) compareModes(sides [2]*side, pair [2]bench.Mode) (bench.ComparedModes, error) {
	blocks, err := evidence.NewCollector(evidence.Pairing{
		Baseline: sideA, Candidate: sideB, NotCounted: notCounted(&sides[0].facts, &sides[1].facts, pair),
	})
	if err != nil {
		return bench.ComparedModes{}, err
	}
	origins, done := [2]map[string]origin{{}, {}}, map[bench.Cell]bool{}
	for i, s := range sides {
		_, err := ledger.Scan(s.Source.Files, func(row *bench.Row) error {
			if row.Mode != pair[i] {
				return nil
			}
			noteOrigin(origins[i], row)
			done[row.Cell()] = true
			own := *row
			// What the two runs differ in is told, and is no reason not to compare.
			own.Mode, own.Model, own.Variation = [2]bench.Mode{sideA, sideB}[i], bench.ModelRef{}, nil
			blocks.Add(&own)
			return nil
		})
		if err != nil {
			return bench.ComparedModes{}, fmt.Errorf("compare %s: %w", s.Name, err)
		}
	}
	data, err := blocks.Data()
	if err != nil {
		return bench.ComparedModes{}, err
	}
	runs := slices.Concat(sides[0].Source.Runs, sides[1].Source.Runs)
	both := Source{Runs: distinct(runs), folders: slices.Concat(sides[0].Source.folders, sides[1].Source.folders)}
	// Of a single repetition there are figures alone.
	judgeable := repetitionsOf(both.Runs, data.Blocks).Most >= evidence.MinBlocks
	compared := bench.ComparedModes{A: pair[0], B: pair[1], SharedBlocks: judgeable && shared(origins)}
	if compared.SharedBlocks {
		compared.Evidence, err = how.judgeShared(data, both, pair, done)
	} else {
		compared.Evidence, err = how.describeBlocks(data, runs)
	}
	return compared, err
}

// judgeShared judges blocks that were run as such. What a report would not pass
// does not pass here either. Done are the cells of the two modes that have a row.
func (how JudgeOptions) judgeShared(data evidence.Data, both Source, pair [2]bench.Mode, done map[bench.Cell]bool) (bench.Evidence, error) {
	thresholds, _ := how.Expectations.Thresholds(how.Model, how.Profile)
	design, err := how.Design(repetitionsOf(both.Runs, data.Blocks), thresholds)
	if err != nil {
		return bench.Evidence{}, err
	}
	judged := design.Judge(data)
	how.Baseline, how.Candidate = pair[0], pair[1]
	how.hold(&judged, both, missing(both.Runs, done), thresholds)
	return judged, nil
}

// describeBlocks describes sessions of two runs.
func (how JudgeOptions) describeBlocks(data evidence.Data, runs []ledger.RunInfo) (bench.Evidence, error) {
	thresholds, _ := how.Expectations.Thresholds(how.Model, how.Profile)
	r := lookedAt(runs, max(data.Sound(), evidence.MinBlocks))
	design, err := how.Design(r, thresholds)
	if err != nil {
		return bench.Evidence{}, err
	}
	return design.Compare(data), nil
}

// lookedAt returns when the runs were looked at, so that the intervals allow
// for it: where neither decided on the way, once, at what both have.
func lookedAt(runs []ledger.RunInfo, both int) bench.Repetitions {
	r := bench.Repetitions{First: both, Most: both}
	for _, run := range runs {
		if run.FirstLook > 0 {
			r.First, r.Most = min(r.First, run.FirstLook), max(r.Most, run.Repetitions)
		}
	}
	r.Most = min(r.Most, evidence.MaxBlocks)
	r.First = min(r.First, r.Most)
	return r
}

// distinct leaves out what is there twice, as a run is that is on both sides.
func distinct(runs []ledger.RunInfo) []ledger.RunInfo {
	var all []ledger.RunInfo
	for _, run := range runs {
		again := func(other ledger.RunInfo) bool {
			return other.RunID == run.RunID && (other.Shard == nil || run.Shard == nil || *other.Shard == *run.Shard)
		}
		if !slices.ContainsFunc(all, again) {
			all = append(all, run)
		}
	}
	return all
}

// origin is what two sessions have in common that were run as a block.
type origin struct {
	run       string
	variation bench.Variation
	order     bench.Order
}

func noteOrigin(of map[string]origin, row *bench.Row) {
	o := origin{run: row.RunID}
	if row.Variation != nil {
		o.variation = *row.Variation
	}
	if row.Order != nil {
		o.order = bench.Order{Kind: row.Order.Kind, Seed: row.Order.Seed}
	}
	key := fmt.Sprint(row.Iteration) + " " + row.ScenarioID
	if _, known := of[key]; !known {
		of[key] = o
	}
}

// shared reports whether the sessions of both sides were run as blocks: by the
// same run, in the same order, with the same fixtures (rule V9).
func shared(of [2]map[string]origin) bool {
	both := 0
	for key, a := range of[0] {
		b, has := of[1][key]
		if !has {
			continue
		}
		both++
		if a != b {
			return false
		}
	}
	return both > 0
}

// notCounted are the scenarios that cannot be compared, and why.
func notCounted(a, b *facts, pair [2]bench.Mode) map[string]string {
	reasons := map[string]string{}
	for id := range a.scenarios {
		if !b.ran(id, pair[1]) {
			reasons[id] = "the scenario was run in A alone"
		} else if len(a.hashes[id]) > 0 && len(b.hashes[id]) > 0 && !maps.Equal(a.hashes[id], b.hashes[id]) {
			reasons[id] = "the scenario's content is not the same in both"
		}
	}
	for id := range b.scenarios {
		if !a.ran(id, pair[0]) {
			reasons[id] = cmp.Or(reasons[id], "the scenario was run in B alone")
		}
	}
	return reasons
}
