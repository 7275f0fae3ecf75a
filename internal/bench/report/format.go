package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// none stands where there is no figure.
const none = "—"

// minus is the sign for people; a hyphen is too short beside digits.
const minus = "−"

// number writes v with at most that many decimals, digits in groups of three
// and no noughts at the end.
func number(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return none
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

// Figures have one decimal, smaller ones than a tenth have three.
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

func percent(v float64) string { return withUnit(number(v, decimalsOf(v)), "%") }

func withUnit(number, unit string) string {
	if number == none {
		return none
	}
	return number + unit
}

// duration writes milliseconds.
func duration(ms float64) string {
	const second, minute = 1e3, 60e3
	switch {
	case ms >= 2*minute:
		return withUnit(number(ms/minute, fewDecimals), " min")
	case ms >= second:
		return withUnit(number(ms/second, fewDecimals), " s")
	default:
		return withUnit(number(ms, 0), " ms")
	}
}

func count(v float64) string { return number(v, fewDecimals) }

// dollars writes an amount of USD without the unit; 0 is "no cost data".
func dollars(v float64) string {
	const wholeDecimals, smallDecimals = 2, 4
	switch {
	case v == 0:
		return none
	case v >= 1:
		return number(v, wholeDecimals)
	default:
		return number(v, smallDecimals)
	}
}

// lessOrMore puts a reduction in percent into words.
func lessOrMore(reduction float64) cell {
	switch text := percent(math.Abs(reduction)); {
	case text == none:
		return cell{Text: none}
	case text == "0%":
		return cell{Text: "the same"}
	case reduction > 0:
		return cell{text + " less", good}
	default:
		return cell{text + " more", bad}
	}
}

// reductionCell is lessOrMore for a reduction that may be unknown.
func reductionCell(reduction *float64) cell {
	if reduction == nil {
		return cell{Text: none}
	}
	return lessOrMore(*reduction)
}

// points writes a difference in percentage points.
func points(v float64) string {
	text := number(v, decimalsOf(v))
	if v > 0 && text != none {
		text = "+" + text
	}
	return withUnit(text, " pp")
}

func pointsCell(v float64) cell {
	switch {
	case v > 0:
		return cell{points(v), good}
	case v < 0:
		return cell{points(v), bad}
	default:
		return cell{Text: points(v)}
	}
}

// unitOf returns the unit of a check's figures.
func unitOf(name bench.CheckName) string {
	if name == bench.CheckSuccessRate {
		return " pp"
	}
	return "%"
}

// checkValue writes a check's value.
func checkValue(c bench.Check) string {
	text := withUnit(sided(c.Value, c), unitOf(c.Name))
	if c.Name == bench.CheckSuccessRate && c.Value > 0 {
		return "+" + text
	}
	return text
}

// sided writes a figure with as many decimals as it takes to see on which
// side of a check's threshold it is.
func sided(v float64, c bench.Check) string {
	const mostDecimals = 6
	decimals := decimalsOf(v)
	for decimals < mostDecimals && meets(rounded(v, decimals), c) != meets(v, c) {
		decimals++
	}
	return number(v, decimals)
}

func meets(v float64, c bench.Check) bool {
	if c.Operator == bench.AtMost {
		return v <= c.Threshold
	}
	return v >= c.Threshold
}

func rounded(v float64, decimals int) float64 {
	unit := math.Pow10(decimals)
	return math.Round(v*unit) / unit
}

func ruleText(c bench.Check) string {
	sign := "≥ "
	if c.Operator == bench.AtMost {
		sign = "≤ "
	}
	return sign + number(c.Threshold, manyDecimals) + unitOf(c.Name)
}

func intervalText(c bench.Check) string {
	if c.Interval == nil {
		return none
	}
	low, high := sided(c.Interval[0], c), sided(c.Interval[1], c)
	if low == none || high == none {
		return none
	}
	return low + " to " + high + unitOf(c.Name)
}
