package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// strips is a picture of every session's cost or latency: a lane per scenario, the
// baseline's sessions in its upper half and the candidate's in its lower one. Places
// are in units of the picture.
type strips struct {
	Noun  noun
	Title string
	// Axis says what the axis has, Label in words what is drawn.
	Axis, Label   string
	Width, Height float64
	// Top and Bottom are those of the plot. AxisX and AxisY are where the axis' text
	// stands, TickY where the ticks' texts do.
	Top, Bottom, AxisX, AxisY, TickY float64
	Ticks                            []forestTick
	Lanes                            []stripLane
	// More counts the scenarios that there is no room for, NotDrawn the sessions of
	// the others that have no place: void ones, and those with nothing to show.
	More, NotDrawn int
}

type stripLane struct {
	Name string
	// Y is the lane's middle, Low its lower end.
	Y, Low float64
	Marks  []stripMark
}

// stripMark is a session.
type stripMark struct {
	// Label has the session and its figure in words.
	Label             string
	X, Y              float64
	Candidate, Failed bool
}

const (
	stripLaneHeight = 28.0
	stripOffset     = 6.0
	mostStripTicks  = 9
)

// sessionStrips are the pictures of cost and latency; none where nothing was
// compared, or where the blocks are too many to be told.
func sessionStrips(e *bench.Evidence) []strips {
	if e == nil {
		return nil
	}
	var all []strips
	for _, p := range e.Endpoints {
		if p.Name == bench.EndpointSuccess || p.Untold {
			continue
		}
		if s := newStrips(e.Scenarios, p); len(s.Ticks) > 0 {
			all = append(all, s)
		}
	}
	return all
}

func newStrips(told []bench.ScenarioEvidence, p bench.Endpoint) strips {
	scenarios := told[:min(len(told), mostInForest)]
	s := strips{
		Title: p.Label(), Width: forestNames + forestPlot + 2*forestEdge, Top: forestHead, More: len(told) - len(scenarios),
		AxisX: forestNames + forestEdge + forestPlot/2,
	}
	s.Bottom = s.Top + stripLaneHeight*float64(len(scenarios))
	s.TickY, s.AxisY, s.Height = s.Bottom+16, s.Bottom+36, s.Bottom+forestFoot
	value, unit, text := measured(p)
	s.Axis = unit + " of a session (logarithmic); left is better"
	var drawn []float64
	for _, scenario := range scenarios {
		for _, b := range scenario.Blocks {
			for _, session := range []bench.SessionEvidence{b.Baseline, b.Candidate} {
				if v := value(session); session.Void || !(v > 0) || math.IsInf(v, 0) {
					s.NotDrawn++
				} else {
					drawn = append(drawn, v)
				}
			}
		}
	}
	if len(drawn) == 0 {
		return strips{}
	}
	const apart = 1.1 // so that one value has a place, and the outermost marks are whole
	low, high := math.Log(slices.Min(drawn)/apart), math.Log(slices.Max(drawn)*apart)
	at := func(v float64) float64 {
		return math.Round(10*(forestNames+forestEdge+(math.Log(v)-low)/(high-low)*forestPlot)) / 10
	}
	for _, v := range logTicks(math.Exp(low), math.Exp(high)) {
		s.Ticks = append(s.Ticks, forestTick{at(v), text(v)})
	}
	for i, scenario := range scenarios {
		lane := stripLane{Name: cutName(oneLine(scenario.ID)), Y: s.Top + stripLaneHeight*(float64(i)+0.5), Low: s.Top + stripLaneHeight*float64(i+1)}
		for _, b := range scenario.Blocks {
			for side, session := range []bench.SessionEvidence{b.Baseline, b.Candidate} {
				v := value(session)
				if session.Void || !(v > 0) || math.IsInf(v, 0) {
					continue
				}
				mark := stripMark{X: at(v), Y: lane.Y - stripOffset, Candidate: side == 1, Failed: !session.Solved}
				name, outcome := "baseline", "solved"
				if mark.Candidate {
					mark.Y, name = lane.Y+stripOffset, "candidate"
				}
				if mark.Failed {
					outcome = "not solved"
				}
				mark.Label = fmt.Sprintf("%s, iteration %d, %s: %s, %s", lane.Name, b.Iteration, name, text(v), outcome)
				lane.Marks = append(lane.Marks, mark)
			}
		}
		s.Lanes = append(s.Lanes, lane)
	}
	s.Label = fmt.Sprintf("%s of %d sessions, from %s to %s", unit, len(drawn), text(slices.Min(drawn)), text(slices.Max(drawn)))
	return s
}

// measured tells what an endpoint measures of a session, its name and how to write
// it.
func measured(p bench.Endpoint) (value func(bench.SessionEvidence) float64, unit string, text func(float64) string) {
	switch {
	case p.Name == bench.EndpointLatency:
		return func(s bench.SessionEvidence) float64 { return s.LatencyMS }, "Latency", bench.DurationText
	case p.Measure == bench.MeasureTokens:
		return func(s bench.SessionEvidence) float64 { return s.Cost }, "Tokens in total", bench.CountText
	default:
		return func(s bench.SessionEvidence) float64 { return s.Cost }, "Cost in USD", bench.USDText
	}
}

// logTicks returns round numbers between two, at most [mostStripTicks], for an axis
// by logarithms; the lower one where there is no round number.
func logTicks(low, high float64) []float64 {
	var ticks []float64
	for _, steps := range [][]float64{{1, 1.5, 2, 3, 5, 7}, {1, 2, 5}, {1}} {
		ticks = ticks[:0]
		for power := math.Floor(math.Log10(low)); power <= math.Log10(high); power++ {
			for _, step := range steps {
				if v := step * math.Pow(10, power); v >= low && v <= high {
					ticks = append(ticks, v)
				}
			}
		}
		if len(ticks) <= mostStripTicks {
			break
		}
	}
	if len(ticks) == 0 {
		return []float64{low}
	}
	every := (len(ticks)-1)/mostStripTicks + 1
	var few []float64
	for i := 0; i < len(ticks); i += every {
		few = append(few, ticks[i])
	}
	return few
}
