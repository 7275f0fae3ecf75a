package bench

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// NoFigure stands where there is no figure.
const NoFigure = "—"

// SimulatedNotice is in every output of a run with simulated rows (rule G15).
const SimulatedNotice = "Simulated: no model was involved, and the verdict is for show."

// Word is the verdict as the first thing to read.
func (v Verdict) Word() string {
	switch v {
	case VerdictPass:
		return "PASS"
	case VerdictFail:
		return "FAIL"
	case VerdictInconclusive:
		return "CAN'T TELL"
	default:
		return "NO VERDICT"
	}
}

// HasFigure reports whether there is a value to show. A reduction without data
// to compare fails with a value of 0, as the original harness has it, and has
// nothing beside it but a reason.
func (c Check) HasFigure() bool {
	if !c.Name.OfReduction() {
		return true
	}
	return c.Value != 0 || c.Passed || c.Interval != nil || c.PValue != nil || c.Reason == ""
}

// ValueText writes the check's value with as many decimals as it takes to see
// on which side of the threshold it is: "14.996%", "+5 pp"; [NoFigure] without
// one.
func (c Check) ValueText() string {
	if !c.HasFigure() {
		return NoFigure
	}
	text := withUnit(c.sided(c.Value), c.unit())
	if c.Name.Rule().Points && c.Value > 0 && text != NoFigure {
		return "+" + text
	}
	return text
}

// RuleText writes what the value must be: "≥ 15%".
func (c Check) RuleText() string {
	sign := "≥ "
	if c.Operator == AtMost {
		sign = "≤ "
	}
	return sign + c.ThresholdText()
}

// ThresholdText writes what the value is compared with: "15%", "−3 pp".
func (c Check) ThresholdText() string { return NumberText(c.Threshold, manyDecimals) + c.unit() }

// IntervalText writes the interval: "18.3 to 34.9%", or [NoFigure].
func (c Check) IntervalText() string {
	if c.Interval == nil {
		return NoFigure
	}
	low, high := c.sided(c.Interval[0]), c.sided(c.Interval[1])
	if low == NoFigure || high == NoFigure {
		return NoFigure
	}
	return low + " to " + high + c.unit()
}

// EvidenceText writes p-value and effect size, empty without any.
func (c Check) EvidenceText() string {
	const leastP, decimalsOfP, decimalsOfEffect = 0.001, 3, 2
	var parts []string
	switch p := c.PValue; {
	case p == nil:
	case *p < leastP:
		parts = append(parts, "p < 0.001")
	default:
		parts = append(parts, "p = "+NumberText(*p, decimalsOfP))
	}
	if c.EffectSize != nil {
		parts = append(parts, "effect "+NumberText(*c.EffectSize, decimalsOfEffect))
	}
	return strings.Join(parts, ", ")
}

func (c Check) unit() string {
	if c.Name.Rule().Points {
		return " pp"
	}
	return "%"
}

func (c Check) sided(v float64) string {
	const mostDecimals = 6
	decimals := decimalsOf(v)
	for decimals < mostDecimals && c.meets(rounded(v, decimals)) != c.meets(v) {
		decimals++
	}
	return NumberText(v, decimals)
}

func (c Check) meets(v float64) bool {
	if c.Operator == AtMost {
		return v <= c.Threshold
	}
	return v >= c.Threshold
}

func rounded(v float64, decimals int) float64 {
	unit := math.Pow10(decimals)
	return math.Round(v*unit) / unit
}

// minus is the sign for people; a hyphen is too short beside digits.
const minus = "−"

// Figures have one decimal, those below a tenth have three.
const (
	fewDecimals  = 1
	manyDecimals = 3
)

func decimalsOf(v float64) int {
	if v != 0 && math.Abs(v) < 0.1 {
		return manyDecimals
	}
	return fewDecimals
}

// NumberText writes v with at most that many decimals, digits in groups of
// three and no noughts at the end: "1,234.5". What is no number is [NoFigure].
func NumberText(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return NoFigure
	}
	text := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = strings.TrimRight(fraction, "0")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if v < 0 && whole != "0" {
		return minus + whole
	}
	return whole
}

func withUnit(number, unit string) string {
	if number == NoFigure {
		return NoFigure
	}
	return number + unit
}

// CountText writes a count or a median of counts: "1,234.5".
func CountText(v float64) string { return NumberText(v, fewDecimals) }

// CountWord writes a small count as a word, "ten", and a greater one as [CountText].
func CountWord(n int) string {
	words := [...]string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	if n < len(words) {
		return words[n]
	}
	return CountText(float64(n))
}

// PercentText writes a figure that is in percent: "27.5%".
func PercentText(v float64) string { return withUnit(NumberText(v, decimalsOf(v)), "%") }

// PointsText writes a difference in percentage points: "+5 pp".
func PointsText(v float64) string {
	text := NumberText(v, decimalsOf(v))
	if v > 0 && text != NoFigure {
		text = "+" + text
	}
	return withUnit(text, " pp")
}

// DurationText writes milliseconds in a unit that suits them: "25.4 s".
func DurationText(ms float64) string {
	const second, minute, hour = 1e3, 60e3, 3600e3
	switch {
	case ms >= 2*hour:
		return withUnit(NumberText(ms/hour, fewDecimals), " h")
	case ms >= 2*minute:
		return withUnit(NumberText(ms/minute, fewDecimals), " min")
	case ms >= second:
		return withUnit(NumberText(ms/second, fewDecimals), " s")
	default:
		return withUnit(NumberText(ms, 0), " ms")
	}
}

// USDText writes an amount of USD without the unit; 0 is "no cost data" and
// so [NoFigure].
func USDText(v float64) string {
	const wholeDecimals, smallDecimals = 2, 4
	switch {
	case v == 0:
		return NoFigure
	case v >= 1:
		return NumberText(v, wholeDecimals)
	default:
		return NumberText(v, smallDecimals)
	}
}

// USDAmount is [USDText] with the unit: "12.34 USD".
func USDAmount(v float64) string { return withUnit(USDText(v), " USD") }

// ReductionText puts a reduction in percent into words: "27.5% less".
func ReductionText(reduction float64) string {
	switch text := PercentText(math.Abs(reduction)); {
	case text == NoFigure:
		return NoFigure
	case text == "0%":
		return "the same"
	case reduction > 0:
		return text + " less"
	default:
		return text + " more"
	}
}

// Text says how many cells have no row, and why, without a full stop: the cells
// may follow.
func (m MissingCells) Text() string {
	cells := CountText(float64(len(m.Cells))) + " cells"
	if len(m.Cells) == 1 {
		cells = "1 cell"
	}
	why := "because of " + string(m.Reason)
	switch m.Reason {
	case MissingStopped:
		why = "because the run was stopped"
	case MissingBudget:
		why = "because the budget was used up"
	case MissingNeverRan:
		why = "because they never ran"
	}
	return cells + " without a row, " + why
}

// Sentence tells the regression.
func (r Regression) Sentence() string {
	switch r.Metric {
	case "median_latency_ms":
		return string(r.Mode) + ": median latency is " + DurationText(r.Current) + ", " + PercentText(math.Abs(r.DeltaPct)) + " above the recent average of " +
			DurationText(r.RecentAverage) + " (more than " + PercentText(math.Abs(r.ThresholdPct)) + " is a warning)."
	case "success_rate_pct":
		return string(r.Mode) + ": success rate is " + PercentText(r.Current) + ", " + NumberText(math.Abs(r.DeltaPct), fewDecimals) + " pp below the recent average of " +
			PercentText(r.RecentAverage) + " (more than " + NumberText(math.Abs(r.ThresholdPct), fewDecimals) + " pp is a warning)."
	default:
		return string(r.Mode) + ": " + r.Metric + " is " + CountText(r.Current) + ", the recent average " + CountText(r.RecentAverage) + "."
	}
}

// SortedModes returns the modes of a map in the order in which reports show
// them, unknown ones last.
func SortedModes[T any](m map[Mode]T) []Mode {
	order := Modes()
	rank := func(mode Mode) int {
		if i := slices.Index(order, mode); i >= 0 {
			return i
		}
		return len(order)
	}
	return slices.SortedFunc(maps.Keys(m), func(a, b Mode) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}

// BaselineFirst is [SortedModes] with the baseline before all others.
func BaselineFirst[T any](m map[Mode]T, baseline Mode) []Mode {
	modes := SortedModes(m)
	if i := slices.Index(modes, baseline); i > 0 {
		modes = slices.Insert(slices.Delete(modes, i, i+1), 0, baseline)
	}
	return modes
}

// Label names the endpoint for people, and what stands in for it.
func (t EndpointTests) Label() string {
	switch {
	case t.Measure == MeasureTokens:
		return "Total tokens (there is no price)"
	case t.Name == EndpointSuccess:
		return "Success rate"
	case t.Name == EndpointCost:
		return "Cost"
	case t.Name == EndpointLatency:
		return "Latency"
	default:
		return string(t.Name)
	}
}

// ResultText says what the tests of an endpoint show. To save less than is claimed
// is not to be worse.
func (e Endpoint) ResultText() string {
	claimed := e.Name != EndpointSuccess && e.Margin <= 0 // else it is above 0
	switch {
	case e.Untold:
		return "not told"
	case e.NotWorse.Shown && e.Harm.Shown:
		return "worse, within the margin"
	case e.NotWorse.Shown && claimed:
		return "as claimed"
	case e.NotWorse.Shown:
		return "not worse"
	case e.Harm.Shown && claimed && (e.Interval == nil || e.Interval[0] <= 0):
		return "not as claimed"
	case e.Harm.Shown:
		return "worse"
	default:
		return "not shown"
	}
}

// Text writes a change of the endpoint: "+4.2%", "−3 pp".
func (t EndpointTests) Text(change float64) string {
	if t.Name == EndpointSuccess {
		return PointsText(change)
	}
	return ChangeText(change)
}

// ChangeText writes the endpoint's change, or [NoFigure].
func (e Endpoint) ChangeText() string {
	if e.Untold {
		return NoFigure
	}
	return e.Text(e.Change)
}

// IntervalText writes the repeated 95 % interval, or [NoFigure].
func (e Endpoint) IntervalText() string {
	if e.Interval == nil {
		return NoFigure
	}
	return e.Text(e.Interval[0]) + " to " + e.Text(e.Interval[1])
}

// ChangeText writes a change in percent, with its sign: "+4.2%".
func ChangeText(change float64) string {
	if text := PercentText(change); change > 0 && text != NoFigure {
		return "+" + text
	}
	return PercentText(change)
}

// Sentence has a text end as a sentence does; one that is empty stays so.
func Sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

// JoinWords joins words as a sentence does: "a, b and c".
func JoinWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
