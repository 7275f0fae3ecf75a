package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/report"
)

// picture returns an SVG, which is XML and has no figure that is none.
func picture(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, write(&out))
	for reader := xml.NewDecoder(bytes.NewReader(out.Bytes())); ; {
		token, err := reader.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if element, is := token.(xml.StartElement); is {
			for _, a := range element.Attr {
				switch a.Name.Local {
				case "x", "y", "cx", "cy", "width", "height", "x1", "x2", "y1", "y2":
					if a.Value == "100%" {
						continue
					}
					v, err := strconv.ParseFloat(a.Value, 64)
					require.NoError(t, err, "%s=%s", a.Name.Local, a.Value)
					assert.True(t, v >= 0 && v < 10_000, "%s=%s is outside of the picture", a.Name.Local, a.Value)
				default:
				}
			}
		}
	}
	return out.String()
}

func designed(t *testing.T, profile bench.GateProfile, first, most int) *evidence.Design {
	t.Helper()
	margins := evidence.DefaultMargins(bench.Thresholds{MinCostReductionPct: 10, MinLatencyReductionPct: 10})
	design, err := evidence.NewDesign(profile, margins, first, most)
	require.NoError(t, err)
	return design
}

func TestAPlanIsDrawn(t *testing.T) {
	for name, c := range map[string]struct {
		profile     bench.GateProfile
		first, most int
		scenarios   int
	}{
		"as it comes": {bench.ProfileRegression, 2, 12, 12}, "many": {bench.ProfileRegression, 2, 100, 500},
		"few": {bench.ProfileRegression, 12, 12, 2}, "a claim": {bench.ProfileClaim, 2, 12, 12},
	} {
		t.Run(name, func(t *testing.T) {
			plan := designed(t, c.profile, c.first, c.most).Plan(evidence.Unknown(c.scenarios))
			text := picture(t, func(w io.Writer) error { return report.WritePlan(w, plan, "a <b> & c") })
			assert.Contains(t, text, "a &lt;b&gt; &amp; c")
			shown := 0
			for _, look := range plan.Looks {
				for _, v := range []*float64{look.Success, look.Cost, look.Latency} {
					if v != nil {
						shown++
					}
				}
			}
			assert.Equal(t, shown, strings.Count(text, "<circle"), "a dot for what a look shows, none for what it does not")
		})
	}
}

func TestACalibrationIsDrawn(t *testing.T) {
	of := func(candidate string, pass, fail, cannotTell int, wrongPass, wrongFail bool) evidence.Calibrated {
		return evidence.Calibrated{
			Candidate: candidate, WrongPass: wrongPass, WrongFail: wrongFail,
			Characteristics: evidence.Characteristics{Suites: pass + fail + cannotTell, Pass: pass, Fail: fail, CannotTell: cannotTell},
		}
	}
	c := evidence.Calibration{Truths: []evidence.Calibrated{
		of("does not differ", 96, 3, 1, false, true),
		of("costs × 1.2", 4, 90, 6, true, false),
		of("costs × 1.44", 0, 100, 0, true, false),
	}}
	text := picture(t, func(w io.Writer) error { return report.WriteCalibration(w, c, "title") })
	assert.Equal(t, 2, strings.Count(text, `fill="url(#hatch)"`), "what is wrong, where there is any")
	for _, says := range []string{
		"if the candidate does not differ: fail in 3% of 100 suites, which is wrong", "if the candidate does not differ: pass in 96% of 100 suites<",
		"if the candidate costs × 1.2: pass in 4% of 100 suites, which is wrong", "… costs × 1.44",
	} {
		assert.Contains(t, text, says)
	}
	assert.Equal(t, 7, strings.Count(text, "<g><title>"), "nothing is drawn where there is none")
}
