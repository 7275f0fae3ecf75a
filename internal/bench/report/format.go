package report

import "github.com/ghx-dev/bench-action/internal/bench"

// lessOrMore puts a reduction in percent into words.
func lessOrMore(reduction float64) cell {
	c := cell{Text: bench.ReductionText(reduction)}
	switch {
	case c.Text == bench.NoFigure || bench.PercentText(reduction) == "0%":
	case reduction > 0:
		c.Tone = good
	default:
		c.Tone = bad
	}
	return c
}

// reductionCell is lessOrMore for a reduction that may be unknown.
func reductionCell(reduction *float64) cell {
	if reduction == nil {
		return cell{Text: bench.NoFigure}
	}
	return lessOrMore(*reduction)
}

func pointsCell(v float64) cell {
	switch {
	case v > 0:
		return cell{Text: bench.PointsText(v), Tone: good}
	case v < 0:
		return cell{Text: bench.PointsText(v), Tone: bad}
	default:
		return cell{Text: bench.PointsText(v)}
	}
}
