package benchcli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/schollz/progressbar/v3"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
)

// progress tells how a run goes: as a bar on a terminal, as a line per cell
// elsewhere, or as JSON lines for machines.
type progress struct {
	out  io.Writer
	json *json.Encoder
	bar  *progressbar.ProgressBar
	// beside is the room for what the bar says.
	beside    int
	simulated bool
	model     string
	runID     string
	// variations are those of the fixtures, once they are known.
	variations bench.Variations
}

func (a *app) progress(p *prepared) *progress {
	info := p.provider.Describe()
	pr := &progress{out: a.stderr, simulated: info.Simulated, model: info.Model.Key(), runID: p.suite.RunID}
	cells := len(p.suite.Cells())
	switch {
	case p.flags.json:
		pr.json = json.NewEncoder(a.stdout)
	case a.terminal:
		width, beside := barWidth(a.barColumns, cells)
		pr.beside = beside
		pr.bar = progressbar.NewOptions(cells,
			progressbar.OptionSetWriter(a.stderr), progressbar.OptionSetWidth(width), progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription("cells"))
	}
	return pr
}

// barWidth returns how long a bar of so many cells is, and how much room is
// beside it for what it says: at most 30 columns, and a third of a narrow
// terminal's. A terminal whose width is not known has all room.
func barWidth(columns, cells int) (width, beside int) {
	const most, narrow = 30, 3
	if columns == 0 {
		return most, math.MaxInt
	}
	// Per cent, count and times, of up to 99 hours.
	rest := len(" 100% || (/) [99h59m:99h59m]") + 2*len(strconv.Itoa(cells))
	width = min(most, max(1, (columns-rest)/narrow))
	return width, columns - rest - width
}

// watch has a suite's progress told: its steps and its events.
func (a *app) watch(p *prepared) *progress {
	told := a.progress(p)
	p.deps.Observe = a.observers(told)
	p.enter = func(step verify.Step) {
		told.variations = p.suite.Variations
		if a.entered != nil {
			a.entered(step)
		}
		told.step(step)
	}
	return told
}

// observers returns what tells of a run's events: to the user, and to the
// program that has run the command.
func (a *app) observers(p *progress) func(runner.Event) {
	return func(e runner.Event) {
		p.event(e)
		if a.observe != nil {
			a.observe(e)
		}
	}
}

// line is one JSON event.
type line struct {
	Event     string      `json:"event"`
	RunID     string      `json:"run_id"`
	Simulated bool        `json:"simulated"`
	Step      verify.Step `json:"step,omitempty"`
	// Variations are those of the fixtures, told with the step that runs.
	Variations *bench.Variations `json:"variations,omitempty"`
	Cell       *bench.Cell       `json:"cell,omitempty"`
	Row        *bench.Row        `json:"row,omitempty"`
	Reason     string            `json:"reason,omitempty"`
	Done       int               `json:"done,omitempty"`
	Total      int               `json:"total,omitempty"`
	CostUSD    float64           `json:"cost_usd,omitempty"`
	Summary    *bench.Summary    `json:"summary,omitempty"`
	Files      any               `json:"files,omitempty"`
}

func (p *progress) emit(l line) {
	l.RunID, l.Simulated = p.runID, p.simulated
	// A reader that went away shows at the end, when standard output is
	// closed.
	_ = p.json.Encode(l)
}

func (p *progress) step(s verify.Step) {
	switch {
	case p.json != nil && s == verify.StepRun && p.variations.Seed != 0:
		p.emit(line{Event: "step", Step: s, Variations: &p.variations})
	case p.json != nil:
		p.emit(line{Event: "step", Step: s})
	case p.bar == nil && s == verify.StepRun && p.variations.Seed != 0:
		fmt.Fprintf(p.out, "run %s with %s, on variations of fixtures: %s\n", p.runID, p.model, p.variations)
	case p.bar == nil && s == verify.StepRun:
		fmt.Fprintf(p.out, "run %s with %s\n", p.runID, p.model)
	}
}

func (p *progress) event(e runner.Event) {
	switch {
	case p.json != nil:
		p.emit(line{Event: string(e.Kind), Cell: &e.Cell, Row: e.Row, Reason: e.Reason, Done: e.Done, Total: e.Total, CostUSD: e.CostUSD})
	case p.bar != nil:
		p.draw(e)
	default:
		p.plain(e)
	}
}

// draw moves the bar. What went wrong stands above it. A bar only draws; what it
// cannot draw is not missed.
func (p *progress) draw(e runner.Event) {
	if e.Kind == runner.EventRetry || e.Kind == runner.EventLeftover || e.Kind == runner.EventRow && e.Row.Error != nil {
		_ = p.bar.Clear()
		p.plain(e)
	}
	p.bar.Describe(p.described(e))
	_ = p.bar.Set(e.Done)
}

// described is what a bar says, as far as there is room.
func (p *progress) described(e runner.Event) string {
	cost := fmt.Sprintf("%.4f USD", e.CostUSD)
	room := p.beside - len(cost) - 1
	cell := []rune(e.Cell.String())
	switch {
	case len(cell) <= room:
		return string(cell) + " " + cost
	case room >= leastName:
		return string(cell[:room-1]) + "… " + cost
	default:
		return cost
	}
}

// leastName is how much of a cell's name says something.
const leastName = 8

func (p *progress) plain(e runner.Event) {
	switch e.Kind {
	case runner.EventRetry:
		fmt.Fprintf(p.out, "%s again: %s\n", e.Cell, e.Reason)
	case runner.EventLeftover:
		fmt.Fprintf(p.out, "%s left something behind: %s\n", e.Cell, e.Reason)
	case runner.EventRow:
		result := "ok"
		if e.Row.Error != nil {
			result = string(e.Row.Error.Type) + ": " + e.Row.Error.Message
		}
		fmt.Fprintf(p.out, "%3d/%d %s %s %s\n", e.Done, e.Total, e.Cell, bench.DurationText(e.Row.LatencyMSWall), result)
	case runner.EventWarmup, runner.EventStart:
	}
}

// verdict emits the last event of a verify run.
func (p *progress) verdict(s bench.Summary, files verify.Outputs) {
	p.emit(line{Event: "verdict", Summary: &s, Files: map[string]string{
		"summary_json": files.SummaryJSON, "summary_md": files.SummaryMarkdown, "report_html": files.HTML,
		"rows_csv": files.CSV, "junit": files.JUnit,
	}})
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
