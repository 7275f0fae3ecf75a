package evidence

import "github.com/ghx-dev/bench-action/internal/bench"

// Compare returns the figures of the last look that is whole, and why they are
// no verdict: those of two runs that share no blocks (rule V9). The intervals
// are as wide as if it had been looked at each earlier one.
func (d *Design) Compare(data Data) bench.Evidence {
	all := seriesOf(data.Blocks)
	v := d.undecided(data.Blocks)
	v.Verdict, v.Cause = bench.VerdictNone, d.noLook(all)
	var last *look
	for number, n := range d.looks {
		window, whole := windowOf(all, n)
		if !whole {
			break
		}
		l := d.lookAt(number, window)
		last = l
		tests := l.tests(none)
		judged := l.judge(tests, none)
		v.Baseline, v.Candidate = l.window.totals()
		v.BlocksNotJudged = len(data.Blocks) - l.window.blocks() - l.voids.Blocks
		if nothingCompared(judged.kind) {
			v.Cause = l.cause(judged)
			continue
		}
		v.Cause = bench.Cause{Kind: bench.CauseSeparateRuns, Text: "These are two runs, and what changed around them meanwhile cannot be told from a difference between them: figures, and no verdict"}
		v.Endpoints, v.Described, v.Scenarios = l.endpoints(tests), l.described(v.Baseline, v.Candidate), l.scenarios()
	}
	v.LeftOut = d.leftOut(data, last, last != nil && last.number == len(d.looks)-1)
	for i := range v.Scenarios {
		v.Scenarios[i].Without, v.Scenarios[i].Harmed = "", nil
	}
	v.Sentence = sentence(&v)
	return v
}

// Sound returns how many blocks without a void the scenario has that has the
// fewest.
func (data Data) Sound() int {
	least := 0
	for i, s := range seriesOf(data.Blocks) {
		sound := 0
		for k := range s.blocks {
			sound += one(!s.blocks[k].void())
		}
		if i == 0 || sound < least {
			least = sound
		}
	}
	return least
}
