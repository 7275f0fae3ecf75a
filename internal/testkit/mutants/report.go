package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// report is what is told at the end.
type report struct {
	mutants []*mutant
	// untrue are names in the list of equivalent mutants that there are none of.
	untrue []string
	// least is the wanted share, in per cent.
	least float64
}

// spared is how many mutants may survive in a package unless all are to be
// noticed: of a few, the share that may is less than one.
const spared = 1

// tally counts the verdicts on mutants, without the equivalent ones.
type tally struct {
	folder     string
	of         [notCovered + 1]int
	equivalent int
}

func (t *tally) tried() int   { return t.noticed() + t.of[survived] + t.of[notCovered] }
func (t *tally) noticed() int { return t.of[killed] + t.of[timedOut] }

// share is how many of those that were tried were noticed, in per cent.
func (t *tally) share() float64 {
	if t.tried() == 0 {
		return 100
	}
	return 100 * float64(t.noticed()) / float64(t.tried())
}

// below reports whether the share of all is less than that, whatever may come of
// those that were not tried.
func (t *tally) below(least float64) bool {
	missed := t.tried() - t.noticed()
	return 100*float64(missed) > (100-least)*float64(t.tried()+t.of[notTried]) && (missed > spared || least == 100)
}

// missedAs is how it is told that a mutant was not noticed.
var missedAs = map[verdict]string{notCovered: "no test comes by", survived: "survived"}

// write tells what survived, what no test comes by first, and the exit code.
func (r *report) write(out io.Writer) int {
	code := exitGood
	for _, missed := range []verdict{notCovered, survived} {
		for _, m := range r.with(missed) {
			if m.equivalent == "" {
				fmt.Fprintf(out, "%s: %s\n", m, missedAs[missed])
			}
		}
	}
	for _, name := range r.untrue {
		fmt.Fprintf(out, "LISTED AS EQUIVALENT, AND GONE: %s\n", name)
		code = exitBelow
	}
	for _, m := range slices.Concat(r.with(killed), r.with(timedOut)) {
		if m.equivalent != "" {
			fmt.Fprintf(out, "LISTED AS EQUIVALENT, AND NOTICED: %s\n", m.name())
			code = exitBelow
		}
	}
	tallies := r.tallies()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "noticed\tof\tkilled\ttimed out\tsurvived\tnot covered\tequivalent\tnot tried\t  package")
	left := 0
	for _, t := range tallies {
		said := t.folder
		if t.below(r.least) {
			said += fmt.Sprintf(": less than %g %%", r.least)
			code = exitBelow
		}
		left += t.of[notTried]
		fmt.Fprintf(table, "%.1f %%\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t  %s\n", t.share(), t.tried(),
			t.of[killed], t.of[timedOut], t.of[survived], t.of[notCovered], t.equivalent, t.of[notTried], said)
	}
	_ = table.Flush()
	if left > 0 {
		fmt.Fprintf(out, "not all were tried: %d are left\n", left)
	}
	return code
}

// with returns the mutants with a verdict, by place.
func (r *report) with(v verdict) []*mutant {
	var some []*mutant
	for _, m := range r.mutants {
		if m.verdict == v {
			some = append(some, m)
		}
	}
	slices.SortStableFunc(some, func(a, b *mutant) int {
		return cmp.Or(strings.Compare(a.source.name, b.source.name), cmp.Compare(a.start, b.start))
	})
	return some
}

func (r *report) tallies() []*tally {
	var tallies []*tally
	for _, m := range r.mutants {
		at := slices.IndexFunc(tallies, func(t *tally) bool { return t.folder == m.target.folder })
		if at < 0 {
			at = len(tallies)
			tallies = append(tallies, &tally{folder: m.target.folder})
		}
		if m.equivalent != "" {
			tallies[at].equivalent++
			continue
		}
		tallies[at].of[m.verdict]++
	}
	return tallies
}
