package gate_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

const docsFile = "../../../docs/efficiency-criteria.md"

func TestG8AThresholdOfTheExpectationsIsWhatItsCheckIsHeldTo(t *testing.T) {
	for _, rule := range bench.CheckRules() {
		for _, profile := range []bench.GateProfile{bench.VerifyPR, bench.VerifyRelease} {
			e, err := gate.ParseExpectations("e.json", fmt.Appendf(nil, `{"default_model": "a/b", "expectations": {"a/b": {%q: {%q: 33.25}}}}`, profile, rule.Key))
			require.NoError(t, err, "%s: the schema is written with -update, and read by the next run", rule.Name)
			thresholds, _ := e.Thresholds("a/b", profile)
			opts := quick()
			opts.Thresholds = thresholds
			for _, c := range summarize(t, better("a-001"), opts).Gate.Checks {
				if c.Name == rule.Name {
					assert.InDelta(t, 33.25, math.Abs(c.Threshold), 0, "%s", c.Name)
				} else {
					assert.InDelta(t, c.Name.Rule().Threshold(bench.DefaultThresholds(profile)), c.Threshold, 0, "%s, though %s was set", c.Name, rule.Key)
				}
			}
		}
	}
}

// The part of the schema with the thresholds is written with -update.
func TestG8TheSchemaHasTheThresholdsOfTheChecks(t *testing.T) {
	for _, file := range []string{"expectations.schema.json", scenarios + "expectations.schema.json"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		text = between(t, text, "What is left out has its built-in default.\",\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n      \"properties\": {\n",
			"      }\n    },\n    \"price\": {", thresholdProperties())
		testkit.CheckGolden(t, "what expectations may say is what checks are held to", file, text)
	}
}

func thresholdProperties() string {
	const property = "        %q: {\n          \"description\": %q,\n          \"type\": %q,\n          \"minimum\": %d,\n          \"maximum\": %d\n        }"
	var all []string
	for _, r := range bench.CheckRules() {
		least := 0
		switch {
		case r.Name.OfReduction():
			least = -100
		case r.Name == bench.CheckCoverage:
			all = append(all, fmt.Sprintf(property, "minSamplesPerScenarioPerMode", "Stable runs that a scenario needs in each mode to count for efficiency.", "integer", 1, 1_000_000))
		}
		all = append(all, fmt.Sprintf(property, r.Key, r.KeyHelp, "number", least, 100))
	}
	return strings.Join(all, ",\n") + "\n"
}

// The parts between the markers are written with -update.
func TestG7TheDocumentationHasTheChecksAndTheirThresholds(t *testing.T) {
	text, err := os.ReadFile(docsFile)
	require.NoError(t, err)
	text = between(t, text, "<!-- begin checks -->\n", "<!-- end checks -->\n", docsChecks())
	text = between(t, text, "<!-- begin thresholds -->\n", "<!-- end thresholds -->\n", docsThresholds(t))
	testkit.CheckGolden(t, "what the documentation says is what the gate asks", docsFile, text)
}

func docsChecks() string {
	var b strings.Builder
	b.WriteString("| check | rule |\n|---|---|\n")
	for _, r := range bench.CheckRules() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.Name, r.Judged)
	}
	return b.String()
}

func docsThresholds(t *testing.T) string {
	const model = "openai/gpt-5.3-codex"
	profiles := []bench.GateProfile{bench.VerifyPR, bench.VerifyRelease}
	var columns []bench.Thresholds
	var b strings.Builder
	b.WriteString("| threshold | `verify_pr` | `verify_release` | `verify_pr`, " + model + " | `verify_release`, same |\n|---|---:|---:|---:|---:|\n")
	for _, profile := range profiles {
		columns = append(columns, bench.DefaultThresholds(profile))
	}
	for _, profile := range profiles {
		own, has := shipped(t).Thresholds(model, profile)
		require.True(t, has)
		columns = append(columns, own)
	}
	line := func(name string, figure func(bench.Thresholds) float64) {
		fmt.Fprintf(&b, "| `%s` |", name)
		for _, column := range columns {
			fmt.Fprintf(&b, " %v |", figure(column))
		}
		b.WriteString("\n")
	}
	for _, r := range bench.CheckRules() {
		if r.Name == bench.CheckCoverage {
			line("minSamplesPerScenarioPerMode", func(t bench.Thresholds) float64 { return float64(t.MinSamplesPerScenarioPerMode) })
		}
		line(r.Key, func(t bench.Thresholds) float64 { return math.Abs(r.Threshold(t)) })
	}
	return b.String()
}

// between puts a text in the place between two others, of which the file has one each.
func between(t *testing.T, text []byte, begin, end, part string) []byte {
	t.Helper()
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found, "%q is missing", begin)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found, "%q is missing", end)
	return slices.Concat([]byte(before), []byte(begin+part+end), []byte(after))
}
