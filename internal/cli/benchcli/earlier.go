package benchcli

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
)

// takeOver has the suite take over the rows of an earlier run that the flags
// name, if they name any.
func (a *app) takeOver(p *prepared) error {
	p.suite.Continues = a.continues
	p.followRows(p.suite.Rows)
	if len(p.flags.rows) == 0 {
		return nil
	}
	earlier, err := p.earlier()
	if err != nil {
		return err
	}
	if !p.seedKnown {
		if p.followRows(earlier.Rows); p.seedKnown {
			// They are compared with each other now.
			if earlier, err = p.earlier(); err != nil {
				return err
			}
		}
	}
	for _, torn := range earlier.Torn {
		fmt.Fprintf(a.stderr, "bench: %s\n", torn)
	}
	fmt.Fprintf(a.stderr, "bench: %d rows of an earlier run are taken over, whatever became of them\n", len(earlier.Rows))
	for _, left := range earlier.LeftOut {
		fmt.Fprintf(a.stderr, "bench: not taken over: %s\n", left.Text())
	}
	p.suite.LeftOut, p.suite.Continues = earlier.LeftOut, append(p.suite.Continues, earlier.Continues...)
	p.suite.Rows = append(p.suite.Rows, earlier.Rows...)
	p.suite.TakenUSD = earlier.SpentUSD()
	return nil
}

// earlier reads the rows that the flags name.
func (p *prepared) earlier() (verify.Earlier, error) {
	suite := p.suite
	if p.flags.live() && p.flags.manifest != "" {
		suite.SeedID = "" // the manifest has it, and is read later
	}
	if !p.seedKnown {
		suite.Variations = bench.Variations{}
	}
	return suite.Earlier(p.provider.Describe(), p.flags.rows...)
}

// left returns the cells of the plan that no earlier run has a row of.
func (p *prepared) left() []bench.Cell {
	taken := map[bench.Cell]bool{}
	for i := range p.suite.Rows {
		taken[p.suite.Rows[i].Cell()] = true
	}
	left := []bench.Cell{}
	for _, cell := range p.suite.Cells() {
		if !taken[cell] {
			left = append(left, cell)
		}
	}
	return left
}
