package comment

import (
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// share is what part of all sessions is expected to run, from 0 to 1.
func (p Plan) share() float64 {
	if p.Foreseen == nil || !p.Repetitions.Adapt() || p.Foreseen.AtMost.Sessions <= 0 {
		return 1
	}
	return p.Foreseen.Expected.Sessions / p.Foreseen.AtMost.Sessions
}

func (p Plan) cellsText() string {
	if p.share() == 1 {
		return bench.CountText(float64(p.Cells))
	}
	return fmt.Sprintf("about %s where nothing differs, at most %s", bench.NumberText(p.share()*float64(p.Cells), 0), bench.CountText(float64(p.Cells)))
}

// passText says how often a candidate that does not differ passes; empty where
// evidence does not decide.
func (p Plan) passText() string {
	if p.Foreseen == nil || p.Foreseen.PassPct == nil {
		return ""
	}
	whose := "candidates that do not differ"
	if p.Profile == bench.ProfileClaim {
		whose = "candidates that save the claimed and as much again"
	}
	return fmt.Sprintf("%s of %s, if sessions vary as is usual (30%%)", bench.PercentText(*p.Foreseen.PassPct), whose)
}

// seesText says what the sessions could show at the end (rule V8).
func (p Plan) seesText() string {
	if p.Foreseen == nil || len(p.Foreseen.Looks) == 0 {
		return ""
	}
	last := p.Foreseen.Looks[len(p.Foreseen.Looks)-1]
	if !p.Profile.ByEvidence() {
		if last.Success == nil {
			return "no drop of success for sure: fixed thresholds pass and fail by luck"
		}
		return fmt.Sprintf("no drop of success under %s points for sure: fixed thresholds pass and fail by luck", bench.NumberText(-*last.Success, 0))
	}
	return seenText(last)
}

func seenText(look evidence.PlannedLook) string {
	var seen []string
	for _, of := range []struct {
		name   string
		change *float64
		write  func(float64) string
	}{{"success", look.Success, bench.PointsText}, {"cost", look.Cost, bench.ChangeText}, {"latency", look.Latency, bench.ChangeText}} {
		if of.change != nil {
			seen = append(seen, of.name+" "+of.write(*of.change))
		}
	}
	if len(seen) == 0 {
		return "no change"
	}
	return markdown.Text(strings.Join(seen, ", ")+" or worse, in four runs of five", maxSentence)
}
