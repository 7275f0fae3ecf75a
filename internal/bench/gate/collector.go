package gate

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Collector takes rows in, one by one, and keeps what a summary needs of
// them: about 50 bytes a row, 100 with a timing breakdown. The zero value is
// ready to use. It is not safe for concurrent use.
//
// What it comes to does not depend on the order of the rows (rule G17): where one
// row of several stands for all, it is the earliest.
type Collector struct {
	modes     []*modeRows
	scenarios register
	// runs has the earliest row of every run, by its id.
	runs      map[string]occurrence
	rows      int
	simulated int
	// lacking counts the rows that name something which the sandbox lacks, and
	// unsupported those that name each.
	lacking     int
	unsupported map[string]int
	// unjudgedIn says what was not judged where some changes were; the first such
	// sentence in their order.
	unjudgedIn string
	// doubted counts the rows whose tokens are not those that were counted outside
	// of the agent, by the doubt.
	doubted map[bench.WireDoubt]doubted
}

// doubted are rows with a doubt in common.
type doubted struct {
	rows int
	// example is the sentence of the earliest.
	example string
	at      occurrence
}

// modeRows is what is known of one mode's rows.
type modeRows struct {
	mode bench.Mode
	tally
	// groups are by scenario number; scenarios that came later are absent.
	groups  []group
	records chunks[record]
	timings chunks[timing]
	origins map[origin]struct{}
	uses    toolUses
}

// tally counts rows.
type tally struct {
	runs, successes, valid, runnerFailures, timeouts, retried, stable int
	// notJudged are the rows whose changes could not be judged, or not wholly,
	// partly those in which some were; routed those whose scenario names a route,
	// routeOK those that took it.
	notJudged, partly, routed, routeOK int
	// tasks are the rows of tasks of another system's benchmark, and reward what these
	// were rewarded with, in billionths: the sum of floats would depend on their order.
	tasks  int
	reward int64
}

// group is what is known of a scenario's rows in one mode.
type group struct {
	tally
	// errors are by type, the one that occurred earliest first once they are
	// settled.
	errors []errorTally
	// unallowed are the changes of the earliest row that has any, as sentences.
	unallowed   []string
	unallowedAt occurrence
}

// occurrence is where something stands among all rows.
type occurrence struct {
	timestamp, runID string
	iteration        int
	message          string
}

func occurrenceOf(row *bench.Row) occurrence {
	o := occurrence{timestamp: row.Timestamp, runID: row.RunID, iteration: row.Iteration}
	if row.Error != nil {
		o.message = row.Error.Message
	}
	return o
}

// compare orders occurrences by time.
func (o occurrence) compare(other occurrence) int {
	return cmp.Or(
		strings.Compare(o.timestamp, other.timestamp), strings.Compare(o.runID, other.runID),
		cmp.Compare(o.iteration, other.iteration), strings.Compare(o.message, other.message),
	)
}

// own returns a copy that does not keep the row's memory.
func (o occurrence) own() occurrence {
	o.timestamp, o.runID, o.message = strings.Clone(o.timestamp), strings.Clone(o.runID), strings.Clone(o.message)
	return o
}

// errorTally counts the rows with an error of one type.
type errorTally struct {
	kind bench.ErrorType
	rows int
	// first is the earliest such error, and example its message, as plain text
	// cut short.
	first   occurrence
	example string
	// runnerFailure and timeout tell what the earliest such error was.
	runnerFailure, timeout bool
}

// record is what a row's figures are computed from.
type record struct {
	latencyMS, costUSD        float64
	spentUSD                  float64 // of all attempts
	tokensTotal, tokensActive int64
	toolCalls                 int
	scenario                  int32
	stable                    bool
}

// timing is what profiling is computed from, in milliseconds.
type timing struct {
	assistantTotal, reasoning, betweenReasoningAndTool, toolTotal, toolBash, postTool float64
}

// origin is what two modes must agree on to be compared (rule G11).
type origin struct {
	provider, model               string
	variant, scenarioSet          string
	commit, modeHash              string
	hasVariant, hasSet, hasCommit bool
}

// Add takes a row in. It copies what it keeps, so the row may be reused. A row
// without mode or scenario is an error of kind [fault.Invalid].
func (c *Collector) Add(row *bench.Row) error {
	if row.Mode == "" || row.ScenarioID == "" {
		return fault.Invalidf("row of run %q at %q: it has no %s", row.RunID, row.Timestamp, missingName(row))
	}
	m := c.mode(row.Mode)
	scenario := c.scenarios.number(row.ScenarioID)
	c.noteRun(row)
	c.rows++
	if row.Simulated {
		c.simulated++
	}
	c.countLacking(row)
	c.countDoubted(row)
	m.note(originOf(row))
	stable := row.Success && row.OutputValid && !row.Error.RunnerFailure()
	m.records.add(record{
		latencyMS:    row.LatencyMSWall,
		costUSD:      row.Cost,
		spentUSD:     row.SpentUSD(),
		tokensTotal:  row.Tokens.Total,
		tokensActive: row.Tokens.Active(),
		toolCalls:    row.ToolCalls,
		scenario:     int32(scenario),
		stable:       stable,
	})
	if t := row.TimingBreakdown; t != nil {
		m.timings.add(timing{
			assistantTotal:          t.AssistantTotalMS,
			reasoning:               t.AssistantReasoningMS,
			betweenReasoningAndTool: t.AssistantBetweenReasoningAndToolMS,
			toolTotal:               t.ToolTotalMS,
			toolBash:                t.ToolBashMS,
			postTool:                t.AssistantPostToolMS,
		})
	}
	m.uses.add(scenario, row)
	g := m.group(scenario)
	m.tally.count(row, stable)
	g.tally.count(row, stable)
	if row.Error != nil {
		g.countError(row)
	}
	return nil
}

func (c *Collector) noteRun(row *bench.Row) {
	at := occurrence{timestamp: row.Timestamp, runID: row.RunID}
	if first, known := c.runs[row.RunID]; known && first.compare(at) <= 0 {
		return
	}
	if c.runs == nil {
		c.runs = map[string]occurrence{}
	}
	at = at.own()
	c.runs[at.runID] = at
}

// runIDs returns the ids of the runs, the earliest first.
func (c *Collector) runIDs() []string {
	runs := slices.SortedFunc(maps.Values(c.runs), occurrence.compare)
	ids := make([]string, len(runs))
	for i, run := range runs {
		ids[i] = run.runID
	}
	return ids
}

// costUSD returns what all attempts of all rows cost. It adds in the order of
// size, since sums of floating-point numbers depend on the order.
func (c *Collector) costUSD() float64 {
	spent := make([]float64, 0, c.rows)
	for _, m := range c.modes {
		for r := range m.records.all() {
			spent = append(spent, r.spentUSD)
		}
	}
	sum := 0.0
	for _, v := range stats.Sorted(spent) {
		sum += v
	}
	return sum
}

// settle puts what rows left in order of appearance into that of time.
func (c *Collector) settle() {
	for _, m := range c.modes {
		for i := range m.groups {
			slices.SortFunc(m.groups[i].errors, func(a, b errorTally) int {
				return cmp.Or(a.first.compare(b.first), strings.Compare(string(a.kind), string(b.kind)))
			})
		}
	}
}

func (c *Collector) countLacking(row *bench.Row) {
	c.lacking += one(len(row.Unsupported) > 0)
	if said := row.FootprintUnjudged; said != "" && (c.unjudgedIn == "" || said < c.unjudgedIn) {
		c.unjudgedIn = strings.Clone(said)
	}
	for _, name := range row.Unsupported {
		if c.unsupported == nil {
			c.unsupported = map[string]int{}
		}
		c.unsupported[strings.Clone(name)]++
	}
}

func (c *Collector) countDoubted(row *bench.Row) {
	doubt, sentence := row.WireDoubt()
	if doubt == "" {
		return
	}
	d, at, example := c.doubted[doubt], occurrenceOf(row), row.Cell().String()+", "+sentence
	if d.rows++; d.rows == 1 || cmp.Or(at.compare(d.at), strings.Compare(example, d.example)) < 0 {
		d.example, d.at = example, at.own()
	}
	if c.doubted == nil {
		c.doubted = map[bench.WireDoubt]doubted{}
	}
	c.doubted[doubt] = d
}

func missingName(row *bench.Row) string {
	if row.Mode == "" {
		return "mode"
	}
	return "scenario_id"
}

func (c *Collector) mode(mode bench.Mode) *modeRows {
	if m := c.find(mode); m != nil {
		return m
	}
	m := &modeRows{mode: bench.Mode(strings.Clone(string(mode))), origins: map[origin]struct{}{}}
	c.modes = append(c.modes, m)
	return m
}

// find returns the rows of a mode, nil if it has none.
func (c *Collector) find(mode bench.Mode) *modeRows {
	for _, m := range c.modes {
		if m.mode == mode {
			return m
		}
	}
	return nil
}

// group returns the scenario's group, which stays valid until the next call.
func (m *modeRows) group(scenario int) *group {
	for len(m.groups) <= scenario {
		m.groups = append(m.groups, group{})
	}
	return &m.groups[scenario]
}

// tallyOf returns the counts of a scenario, zeros if it has no rows here.
func (m *modeRows) tallyOf(scenario int) tally {
	if scenario >= len(m.groups) {
		return tally{}
	}
	return m.groups[scenario].tally
}

func (t *tally) count(row *bench.Row, stable bool) {
	t.runs++
	t.successes += one(row.Success)
	t.valid += one(row.OutputValid)
	t.runnerFailures += one(row.Error.RunnerFailure())
	t.timeouts += one(row.TimeoutOrStall())
	t.retried += one(row.ExternalRetryCount > 0)
	t.stable += one(stable)
	t.notJudged += one(row.FootprintJudged != nil && !*row.FootprintJudged && !row.Error.RunnerFailure())
	t.partly += one(row.FootprintUnjudged != "" && !row.Error.RunnerFailure())
	t.routed += one(row.RouteOK != nil)
	t.routeOK += one(row.RouteOK != nil && *row.RouteOK)
	t.tasks += one(row.Reward != nil)
	if row.Reward != nil && row.Reward.Value != nil {
		t.reward += int64(math.Round(*row.Reward.Value * rewardUnit))
	}
}

func one(counted bool) int {
	if counted {
		return 1
	}
	return 0
}

func (g *group) countError(row *bench.Row) {
	at := occurrenceOf(row)
	if len(g.unallowed) == 0 || at.compare(g.unallowedAt) < 0 {
		if sentences := unallowed(row); len(sentences) > 0 {
			g.unallowed, g.unallowedAt = sentences, at.own()
		}
	}
	e := row.Error
	for i := range g.errors {
		if tally := &g.errors[i]; tally.kind == e.Type {
			tally.rows++
			if at.compare(tally.first) < 0 {
				tally.exemplify(row, at)
			}
			return
		}
	}
	tally := errorTally{kind: bench.ErrorType(strings.Clone(string(e.Type))), rows: 1}
	tally.exemplify(row, at)
	g.errors = append(g.errors, tally)
}

// exemplify makes a row's error the one that stands for all of its type.
func (e *errorTally) exemplify(row *bench.Row, at occurrence) {
	e.first, e.example = at.own(), plainText(row.Error.Message)
	e.runnerFailure, e.timeout = row.Error.RunnerFailure(), row.TimeoutOrStall()
}

// unallowed returns sentences on the changes of a row that its scenario does not
// allow, which come first.
func unallowed(row *bench.Row) []string {
	var sentences []string
	for _, c := range row.ChangeList() {
		if c.Unallowed == "" || len(sentences) == bench.MaxUnallowedChanges {
			break
		}
		what := c.String()
		if c.Title != "" {
			what += " (" + c.Title + ")"
		}
		sentences = append(sentences, plainText(what+": "+c.Unallowed))
	}
	return sentences
}

func originOf(row *bench.Row) origin {
	o := origin{provider: row.Model.ProviderID, model: row.Model.ModelID, modeHash: row.ModeHash}
	o.variant, o.hasVariant = optional(row.Model.Mode)
	o.scenarioSet, o.hasSet = optional(row.ScenarioSet)
	o.commit, o.hasCommit = optional(row.Git.Commit)
	return o
}

func optional(text *string) (value string, given bool) {
	if text == nil {
		return "", false
	}
	return *text, true
}

func (m *modeRows) note(o origin) {
	if _, known := m.origins[o]; known {
		return
	}
	o.provider, o.model = strings.Clone(o.provider), strings.Clone(o.model)
	o.variant, o.scenarioSet, o.commit = strings.Clone(o.variant), strings.Clone(o.scenarioSet), strings.Clone(o.commit)
	o.modeHash = strings.Clone(o.modeHash)
	m.origins[o] = struct{}{}
}

// Rows returns the number of rows that were added.
func (c *Collector) Rows() int { return c.rows }

// Modes returns the modes that have rows, in order of appearance.
func (c *Collector) Modes() []bench.Mode {
	modes := make([]bench.Mode, 0, len(c.modes))
	for _, m := range c.modes {
		modes = append(modes, m.mode)
	}
	return modes
}

// Models returns the distinct "provider/model" keys of the rows, sorted.
func (c *Collector) Models() []string {
	return c.distinct(func(o origin) string { return o.provider + "/" + o.model })
}

// ScenarioSet returns the name of the rows' scenario set as a history entry
// states it: names are sorted and joined with a comma if there are several; it
// is empty if no row has one.
func (c *Collector) ScenarioSet() string {
	sets := c.distinct(func(o origin) string { return o.scenarioSet })
	return strings.Join(slices.DeleteFunc(sets, func(set string) bool { return set == "" }), ",")
}

func (c *Collector) distinct(of func(origin) string) []string {
	var found []string
	for _, m := range c.modes {
		found = append(found, m.distinct(of)...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}
