package evidence_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

var (
	long  = flag.Bool("long", false, "simulate 1,000 suites a cell instead of 200")
	write = flag.Bool("write-table", false, "with -long, write the table of docs/evidence.md anew")
)

// cell is a world, what is asked of a design in it, and what must not happen.
type cell struct {
	group, name string
	profile     bench.GateProfile
	first, last int
	truth       evidence.Truth
	// neverFail and neverPass say that FAIL, or PASS, would be wrong.
	neverFail, neverPass bool
	// leastPass, leastFail and leastSaved are in percent; the last is of the
	// sessions of twelve blocks.
	leastPass, leastFail, leastSaved float64
}

// world is what all cells share: sessions of a block are alike, and some void.
func world(scenarios int, success, cv float64) evidence.Truth {
	return evidence.Truth{Scenarios: scenarios, SuccessRate: success, CV: cv, BlockNoise: 0.2, VoidShare: 0.01}
}

func named(w evidence.Truth) string {
	name := fmt.Sprintf("S = %d, success %g, CV %g", w.Scenarios, w.SuccessRate, w.CV)
	if w.OutlierShare > 0 {
		name += fmt.Sprintf(", %g %% × %g", 100*w.OutlierShare, w.OutlierFactor)
	}
	return name
}

const (
	unchanged  = "no difference"
	atMargin   = "exactly at a margin"
	different  = "a difference"
	claimed    = "a claim"
	oneLook    = "one look"
	outliers   = 0.03
	timesAsBig = 10
)

// cells are all cells of rule V13.
func cells() []cell {
	all := unchangedCells()
	all = append(all, marginCells()...)
	all = append(all, differentCells()...)
	all = append(all, claimCells()...)
	return append(all, oneLookCells()...)
}

func unchangedCells() (all []cell) {
	add := func(w evidence.Truth) {
		c := cell{group: unchanged, name: named(w), truth: w, neverFail: true}
		if w.SuccessRate >= 0.95 && w.CV <= 0.3 {
			if w.Scenarios >= 12 {
				c.leastPass, c.leastSaved = 90, 40
			}
			if w.Scenarios == 10 && w.OutlierShare == 0 {
				c.leastSaved = 40
			}
		}
		all = append(all, c)
	}
	for _, scenarios := range []int{2, 10, 12, 30} {
		for _, cv := range []float64{0.1, 0.3, 0.6} {
			for _, success := range []float64{0.8, 0.95, 0.99} {
				add(world(scenarios, success, cv))
			}
			w := world(scenarios, 0.95, cv)
			w.OutlierShare, w.OutlierFactor = outliers, timesAsBig
			add(w)
		}
	}
	return all
}

func marginCells() (all []cell) {
	add := func(what string, w evidence.Truth) {
		all = append(all, cell{group: atMargin, name: what + ", " + named(w), truth: w, neverPass: true})
	}
	for _, scenarios := range []int{2, 10, 12, 30} {
		for _, cv := range []float64{0.1, 0.3, 0.6} {
			w := world(scenarios, 0.99, cv)
			w.CostLog = math.Log(evidence.DefaultCostRatio)
			add("cost × 1.20", w)
			w.OutlierShare, w.OutlierFactor = outliers, timesAsBig
			add("cost × 1.20", w)
			w = world(scenarios, 0.99, cv)
			w.LatencyLog = math.Log(evidence.DefaultLatencyRatio)
			add("latency × 1.25", w)
		}
		for _, success := range []float64{0.8, 0.95, 0.99} {
			w := world(scenarios, success, 0.1)
			w.SuccessDrop = evidence.DefaultSuccessDropPct / 100.0
			add("success −15 pp", w)
		}
	}
	return all
}

func differentCells() []cell {
	dearer := world(10, 0.95, 0.3)
	dearer.CostLog = math.Log(1.25)
	worse := world(10, 0.95, 0.3)
	worse.SuccessDrop = 0.15
	slower := world(12, 0.95, 0.3)
	slower.LatencyLog = math.Log(1.5)
	cheaper := world(12, 0.95, 0.3)
	cheaper.CostLog, cheaper.LatencyLog = math.Log(0.7), math.Log(0.7)
	few := world(30, 0.95, 0.3)
	few.Harmed, few.HarmFactor = 3, 6.2
	return []cell{
		{group: different, name: "cost × 1.25, " + named(dearer), truth: dearer, neverPass: true, leastFail: 95, leastSaved: 50},
		{group: different, name: "success −15 pp, " + named(worse), truth: worse, neverPass: true, leastFail: 85},
		{group: different, name: "latency × 1.5, " + named(slower), truth: slower, neverPass: true, leastFail: 95, leastSaved: 50},
		{group: different, name: "cost and latency × 0.7, " + named(cheaper), truth: cheaper, neverFail: true, leastPass: 90, leastSaved: 50},
		{group: different, name: "3 scenarios × 6.2, " + named(few), truth: few, neverPass: true},
	}
}

func claimCells() (all []cell) {
	for _, scenarios := range []int{10, 30} {
		add := func(what string, ratio float64, c cell) {
			c.truth = world(scenarios, 0.95, 0.3)
			c.truth.CostLog, c.truth.LatencyLog = math.Log(ratio), math.Log(ratio)
			c.group, c.name, c.profile = claimed, what+", "+named(c.truth), bench.ProfileClaim
			all = append(all, c)
		}
		add("saves the 10 % exactly", 0.9, cell{neverPass: true, neverFail: true})
		add("saves nothing", 1, cell{neverPass: true})
		add("saves 40 %", 0.6, cell{neverFail: true, leastPass: 90})
	}
	return all
}

func oneLookCells() (all []cell) {
	for _, scenarios := range []int{10, 30} {
		for _, n := range []int{4, 8} {
			w := world(scenarios, 0.95, 0.3)
			all = append(all, cell{group: oneLook, name: fmt.Sprintf("after %d blocks, no difference, %s", n, named(w)), first: n, last: n, truth: w, neverFail: true})
			w.CostLog = math.Log(evidence.DefaultCostRatio)
			all = append(all, cell{group: oneLook, name: fmt.Sprintf("after %d blocks, cost × 1.20, %s", n, named(w)), first: n, last: n, truth: w, neverPass: true})
		}
	}
	return all
}

// most is how many of the suites may go wrong where 5 % do (rule V13).
func most(suites int) int {
	if suites == 1000 {
		return 73
	}
	return 21
}

func TestV13ErrorsAndSavingsAreThosePromised(t *testing.T) {
	testkit.NeedComplete(t)
	suites := 200
	if *long {
		suites = 1000
	}
	var table strings.Builder
	group := ""
	for i, c := range cells() {
		if i%7 != 0 && !testkit.IsComplete() && !*long {
			continue
		}
		profile, first, last := c.profile, c.first, c.last
		if profile == "" {
			profile = bench.ProfileRegression
		}
		if last == 0 {
			first, last = 2, 12
		}
		got := design(t, profile, first, last).Simulate(c.truth, suites, uint64(i))
		c.check(t, got)
		if c.group != group {
			group = c.group
			fmt.Fprintf(&table, "| **%s** | | | | | |\n", group)
		}
		table.WriteString(c.line(got))
	}
	if *long {
		inDocs(t, table.String())
	}
}

func (c cell) check(t *testing.T, got evidence.Characteristics) {
	t.Helper()
	limit := most(got.Suites)
	percent := func(n int) float64 { return 100 * float64(n) / float64(got.Suites) }
	if c.neverFail {
		assert.LessOrEqual(t, got.Fail, limit, "%s, %s: false FAIL", c.group, c.name)
	}
	if c.neverPass {
		assert.LessOrEqual(t, got.Pass, limit, "%s, %s: false PASS", c.group, c.name)
	}
	assert.GreaterOrEqual(t, percent(got.Pass), c.leastPass, "%s, %s: PASS", c.group, c.name)
	assert.GreaterOrEqual(t, percent(got.Fail), c.leastFail, "%s, %s: FAIL", c.group, c.name)
	assert.GreaterOrEqual(t, 100-100*got.MeanBlocks/12, c.leastSaved, "%s, %s: saved", c.group, c.name)
	if c.truth.Harmed > 0 {
		return // there is no one ratio to cover
	}
	for i, covered := range got.Covered {
		// Of 1,000 intervals 930 must cover.
		if missed := got.Intervals[i] - covered; got.Suites < 1000 {
			assert.LessOrEqual(t, missed, limit, "%s, %s: interval %d misses", c.group, c.name, i)
		} else {
			assert.LessOrEqual(t, 100*missed, 7*got.Intervals[i], "%s, %s: interval %d misses", c.group, c.name, i)
		}
	}
}

// line is the cell's line in the table.
func (c cell) line(got evidence.Characteristics) string {
	percent := func(n int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(got.Suites)) }
	wrong := func(isWrong bool, n int) string {
		if isWrong {
			return "**" + percent(n) + "**"
		}
		return percent(n)
	}
	least := 100.0
	for i, covered := range got.Covered {
		if got.Intervals[i] > 0 {
			least = min(least, 100*float64(covered)/float64(got.Intervals[i]))
		}
	}
	coverage := fmt.Sprintf("%.1f %%", least)
	if c.truth.Harmed > 0 {
		coverage = "–"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %.1f | %s |\n", c.name,
		wrong(c.neverPass, got.Pass), wrong(c.neverFail, got.Fail), percent(got.CannotTell), got.MeanBlocks, coverage)
}

const (
	docs       = "../../../docs/evidence.md"
	tableBegin = "<!-- table: begin -->\n"
	tableEnd   = "<!-- table: end -->\n"
)

// inDocs holds that the table is the one in the docs, or writes it there.
func inDocs(t *testing.T, table string) {
	t.Helper()
	text, err := os.ReadFile(docs)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), tableBegin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, tableEnd)
	require.True(t, found)
	want := before + tableBegin + "\n| truth | PASS | FAIL | can't tell | mean blocks | least coverage |\n|---|---:|---:|---:|---:|---:|\n" + table + "\n" + tableEnd + after
	if *write {
		require.NoError(t, os.WriteFile(docs, []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(text), "the table is out of date: run this with -write-table")
}
