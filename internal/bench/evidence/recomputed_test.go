package evidence_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// recomputed is a case whose figures evidence.py in internal/testkit/byscipy
// computes a second time.
type recomputed struct {
	First    int              `json:"first"`
	Last     int              `json:"last"`
	Blocks   []evidence.Block `json:"blocks"`
	Evidence bench.Evidence   `json:"evidence"`
}

func TestFiguresAreThoseThatSciPyComputes(t *testing.T) {
	truth := func(scenarios int, alter func(*evidence.Truth)) evidence.Truth {
		w := world(scenarios, 0.9, 0.3)
		alter(&w)
		return w
	}
	same := func(*evidence.Truth) {}
	tied := blocks(world(4, 0.9, 0.4), 6, 6)
	for i := range tied {
		for _, s := range []*evidence.Session{&tied[i].Baseline, &tied[i].Candidate} {
			s.LatencyMS = math.Round(s.LatencyMS/20_000) * 20_000
			s.CostUSD = 0
			s.TokensTotal = math.Round(s.TokensTotal)
		}
	}
	var cases []recomputed
	for _, c := range []struct {
		profile     bench.GateProfile
		first, last int
		blocks      []evidence.Block
	}{
		{bench.ProfileRegression, 2, 12, blocks(truth(3, same), 12, 1)},
		{bench.ProfileRegression, 2, 12, blocks(truth(8, func(w *evidence.Truth) { w.CostLog = 0.12 }), 10, 2)},
		{bench.ProfileRegression, 3, 6, blocks(truth(4, func(w *evidence.Truth) { w.VoidShare = 0.05 }), 6, 3)},
		{bench.ProfileClaim, 2, 12, blocks(truth(4, func(w *evidence.Truth) { w.CostLog, w.LatencyLog = -0.3, -0.2 }), 8, 4)},
		{bench.ProfileRegression, 6, 6, blocks(truth(5, func(w *evidence.Truth) { w.Harmed, w.HarmFactor = 1, 8 }), 6, 5)},
		{bench.ProfileRegression, 2, 6, tied},
		{bench.ProfileRegression, 2, 12, blocks(truth(3, func(w *evidence.Truth) { w.SuccessDrop = 0.6 }), 12, 7)},
	} {
		judged := design(t, c.profile, c.first, c.last).Judge(evidence.Data{Blocks: c.blocks})
		for i := range judged.Scenarios {
			judged.Scenarios[i].Blocks = nil // they are given
		}
		judged.LeftOut = []bench.LeftOut{} // no figure
		cases = append(cases, recomputed{c.first, c.last, c.blocks, judged})
	}
	text, err := json.MarshalIndent(cases, "", " ")
	require.NoError(t, err)
	testkit.CheckGolden(t, "SciPy computes its figures a second time", "testdata/recomputed.json", append(text, '\n'))
}
