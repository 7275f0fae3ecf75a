package gate_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

const scenarios = "../../../scenarios/"

func shipped(t *testing.T) *gate.Expectations {
	t.Helper()
	data, err := os.ReadFile(scenarios + "expectations.json")
	require.NoError(t, err)
	e, err := gate.ParseExpectations("expectations.json", data)
	require.NoError(t, err)
	return e
}

func TestG7ShippedThresholds(t *testing.T) {
	mini := func(profile bench.GateProfile, drop float64) bench.Thresholds {
		thresholds := bench.DefaultThresholds(profile)
		thresholds.MaxSuccessRateDropPct = drop
		return thresholds
	}
	cases := []struct {
		name    string
		model   string
		profile bench.GateProfile
		want    bench.Thresholds
		own     bool
	}{
		{"gpt-5.3-codex on a pull request", "openai/gpt-5.3-codex", bench.VerifyPR, bench.Thresholds{
			MaxSuccessRateDropPct: 3, MinOutputValidityRatePct: 97, MaxRunnerFailureRatePct: 5, MaxTimeoutStallRatePct: 2,
			MaxRetryRatePct: 15, MinSamplesPerScenarioPerMode: 3, MinEfficiencyCoveragePct: 80, MinTokensActiveReductionPct: 15,
			MinLatencyReductionPct: 15, MinToolCallReductionPct: 20, MinCostReductionPct: 10,
		}, true},
		{"gpt-5.3-codex on a release", "openai/gpt-5.3-codex", bench.VerifyRelease, bench.Thresholds{
			MaxSuccessRateDropPct: 1, MinOutputValidityRatePct: 99, MaxRunnerFailureRatePct: 2, MaxTimeoutStallRatePct: 1,
			MaxRetryRatePct: 8, MinSamplesPerScenarioPerMode: 5, MinEfficiencyCoveragePct: 95, MinTokensActiveReductionPct: 22,
			MinLatencyReductionPct: 20, MinToolCallReductionPct: 30, MinCostReductionPct: 15,
		}, true},
		{"gpt-5.1-codex-mini may succeed less often on a pull request", "openai/gpt-5.1-codex-mini", bench.VerifyPR, mini(bench.VerifyPR, 6), true},
		{"gpt-5.1-codex-mini may succeed less often on a release", "openai/gpt-5.1-codex-mini", bench.VerifyRelease, mini(bench.VerifyRelease, 4), true},
		{"a claim is held to what the model is to save", "openai/gpt-5.3-codex", bench.ProfileClaim, bench.Thresholds{
			MaxSuccessRateDropPct: 3, MinOutputValidityRatePct: 97, MaxRunnerFailureRatePct: 5, MaxTimeoutStallRatePct: 2,
			MaxRetryRatePct: 15, MinSamplesPerScenarioPerMode: 3, MinEfficiencyCoveragePct: 80, MinTokensActiveReductionPct: 15,
			MinLatencyReductionPct: 15, MinToolCallReductionPct: 20, MinCostReductionPct: 10,
		}, true},
		{"another model has the defaults", "openai/gpt-9", bench.VerifyRelease, bench.DefaultThresholds(bench.VerifyRelease), false},
	}
	e := shipped(t)
	for _, c := range cases {
		t.Run("G7: "+c.name, func(t *testing.T) {
			got, own := e.Thresholds(c.model, c.profile)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.own, own)
		})
	}
}

func TestG9ShippedPrices(t *testing.T) {
	cases := map[string]bench.Price{
		"openai/gpt-5.3-codex": {Input: 1.75, Output: 14, CacheRead: 0.175},
		"openai/gpt-5.4":       {Input: 2.5, Output: 15, CacheRead: 0.25},
		"scripted/plan-v1":     {Input: 1, Output: 4, CacheRead: 0.1},
	}
	e := shipped(t)
	for model, want := range cases {
		got, ok := e.Price(model)
		assert.True(t, ok, model)
		assert.Equal(t, want, got, model)
	}
	_, ok := e.Price("openai/gpt-9")
	assert.False(t, ok)
}

func TestShippedSchemaIsTheOneThatIsApplied(t *testing.T) {
	own, err := os.ReadFile("expectations.schema.json")
	require.NoError(t, err)
	forEditors, err := os.ReadFile(scenarios + "expectations.schema.json")
	require.NoError(t, err)
	assert.Equal(t, string(own), string(forEditors))
}

func TestG8PartialEntriesHaveDefaultsUnderThem(t *testing.T) {
	e, err := gate.ParseExpectations("e.json", []byte(`{
		"default_model": "a/b",
		"expectations": {"a/b/c": {"verify_pr": {"minSamplesPerScenarioPerMode": 4.0, "minLatencyReductionPct": -2.5}}}
	}`))
	require.NoError(t, err)
	want := bench.DefaultThresholds(bench.VerifyPR)
	want.MinSamplesPerScenarioPerMode, want.MinLatencyReductionPct = 4, -2.5
	got, own := e.Thresholds("a/b/c", bench.VerifyPR)
	assert.True(t, own)
	assert.Equal(t, want, got)

	got, own = e.Thresholds("a/b/c", bench.VerifyRelease)
	assert.False(t, own, "the entry says nothing of releases")
	assert.Equal(t, bench.DefaultThresholds(bench.VerifyRelease), got)
}

func TestG8TheModelIsTheGivenOneElseThatOfTheRowsElseTheDefault(t *testing.T) {
	cases := []struct {
		name, given string
		inRows      []string
		want, err   string
	}{
		{"given", "a/b", []string{"c/d", "e/f"}, "a/b", ""},
		{"in the rows", "", []string{"c/d", "c/d"}, "c/d", ""},
		{"the default", "", nil, "openai/gpt-5.3-codex", ""},
		{"rows of two models", "", []string{"e/f", "c/d", "e/f"}, "", "2 models, c/d, e/f"},
		{"a given name that is none", "gpt-5.4", nil, "", `model "gpt-5.4": want "<provider>/<model>"`},
	}
	e := shipped(t)
	for _, c := range cases {
		t.Run("G8: "+c.name, func(t *testing.T) {
			got, err := e.ResolveModel(c.given, c.inRows)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				assert.Equal(t, fault.Invalid, fault.KindOf(err))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestG8DefectsAreAllReportedWithTheirPlaces(t *testing.T) {
	const codex = `"openai/gpt-5.3-codex"`
	type defect struct {
		line, column int
		path         string
		// says are parts of the message.
		says []string
	}
	cases := []struct {
		name, text string
		want       []defect
	}{
		{"everything that is missing", `{}`, []defect{
			{1, 1, `default_model`, []string{"missing"}},
			{1, 1, `expectations`, []string{"missing"}},
		}},
		{"not an object", `[]`, []defect{{1, 1, ``, []string{"object", "array"}}}},
		{"no JSON", "{\n  \"default_model\": x}", []defect{{2, 20, `default_model`, []string{`"x"`}}}},
		{"unknown and misspelt fields", `{
  "default_modle": "a/b",
  "default_model": "a/b",
  "expectations": {
    "a/b": {
      "verify_pr": {
        "minLatencyReduction": 10
      },
      "verify_prs": {}
    }
  }
}`, []defect{
			{2, 3, `default_modle`, []string{`did you mean "default_model"?`}},
			{7, 9, `expectations["a/b"].verify_pr.minLatencyReduction`, []string{`did you mean "minLatencyReductionPct"?`}},
			{9, 7, `expectations["a/b"].verify_prs`, []string{`did you mean "verify_pr"?`}},
		}},
		{"thresholds out of range or of another type", `{"default_model": "a/b", "expectations": {"a/b": {"verify_pr": {
  "maxRetryRatePct": 101,
  "maxRunnerFailureRatePct": -1,
  "minLatencyReductionPct": -100.5,
  "minTokensActiveReductionPct": "15",
  "minSamplesPerScenarioPerMode": 0
}, "verify_release": {
  "minSamplesPerScenarioPerMode": 2.5,
  "minCostReductionPct": null
}}, "c/d": {"verify_pr": {
  "minSamplesPerScenarioPerMode": 1e30
}}}}`, []defect{
			{2, 22, `expectations["a/b"].verify_pr.maxRetryRatePct`, []string{"at most 100", "101"}},
			{3, 30, `expectations["a/b"].verify_pr.maxRunnerFailureRatePct`, []string{"at least 0", "-1"}},
			{4, 29, `expectations["a/b"].verify_pr.minLatencyReductionPct`, []string{"at least -100", "-100.5"}},
			{5, 34, `expectations["a/b"].verify_pr.minTokensActiveReductionPct`, []string{"a number", `"15"`}},
			{6, 35, `expectations["a/b"].verify_pr.minSamplesPerScenarioPerMode`, []string{"at least 1", "0"}},
			{8, 35, `expectations["a/b"].verify_release.minSamplesPerScenarioPerMode`, []string{"a whole number", "2.5"}},
			{9, 26, `expectations["a/b"].verify_release.minCostReductionPct`, []string{"a number", "null"}},
			{11, 35, `expectations["c/d"].verify_pr.minSamplesPerScenarioPerMode`, []string{"at most 1000000"}},
		}},
		{"names that are no model's, and prices", `{"default_model": "gpt-5.4",
  "expectations": {"gpt-5.4": {}},
  "pricing": {
    "/x": {"input": 1, "output": 1, "cache_read": 0, "cache_write": 0},
    "a/b": {"input": -1, "output": 1, "cache_read": 0}
  }
}`, []defect{
			{1, 19, `default_model`, []string{codex, `"gpt-5.4"`}},
			{2, 20, `expectations["gpt-5.4"]`, []string{codex}},
			{4, 5, `pricing["/x"]`, []string{codex}},
			{5, 12, `pricing["a/b"].cache_write`, []string{"missing"}},
			{5, 22, `pricing["a/b"].input`, []string{"at least 0", "-1"}},
		}},
		{"a model that is there twice", `{"default_model": "a/b", "expectations": {
  "a/b": {},
  "a/b": {}
}}`, []defect{{3, 3, `expectations["a/b"]`, []string{"twice", "line 2"}}}},
	}
	for _, c := range cases {
		t.Run("G8: "+c.name, func(t *testing.T) {
			_, err := gate.ParseExpectations("e.json", []byte(c.text))
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			var problems jsondoc.Problems
			require.ErrorAs(t, err, &problems)
			require.Len(t, problems, len(c.want), "%v", err)
			for i, want := range c.want {
				got := problems[i]
				assert.Equal(t, defect{want.line, want.column, want.path, want.says}, defect{got.Line, got.Column, got.Path, want.says})
				assert.Equal(t, "e.json", got.File)
				for _, part := range want.says {
					assert.Contains(t, got.Message, part)
				}
			}
		})
	}
}
