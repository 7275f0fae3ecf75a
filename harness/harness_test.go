package harness_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func scored(rewards map[string]float64) harness.Results {
	results := harness.Results{}
	for id, reward := range rewards {
		results[id] = harness.Reward(reward)
	}
	return results
}

func TestValScore(t *testing.T) {
	none := harness.NoReward(harness.Timeout, "too slow")
	tests := []struct {
		name    string
		results harness.Results
		want    float64
	}{
		{"no results are 0.0", harness.Results{}, 0},
		{"nil results are 0.0", nil, 0},
		{"the mean of rewards", scored(map[string]float64{"a": 1, "b": 0.5}), 0.75},
		{"no reward counts as 0.0", harness.Results{"a": harness.Reward(1), "b": none}, 0.5},
		{"no reward at all is 0.0", harness.Results{"a": none}, 0},
		{"thirds are kept to the last digit", scored(map[string]float64{"a": 1, "b": 1, "c": 0}), 2.0 / 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, harness.ValScore(tt.results))
		})
	}
	t.Run("equal rewards on other tasks have an equal mean", func(t *testing.T) {
		first := scored(map[string]float64{"a": 0.7, "b": 0.3, "c": 0.1, "d": 0.2, "e": 1})
		second := scored(map[string]float64{"e": 0.7, "d": 0.3, "c": 0.2, "b": 0.1, "a": 1})
		for range 20 {
			assert.Equal(t, harness.ValScore(first), harness.ValScore(second))
		}
	})
}

func TestTimeoutPolicy(t *testing.T) {
	results := harness.Results{
		"a": harness.Reward(1), "b": harness.NoReward(harness.Timeout, ""), "c": harness.NoReward(harness.Infrastructure, ""), "d": harness.Reward(0),
	}
	assert.Equal(t, 0.25, harness.ChargeAgent.ValScore(results), "agent: an agent that crashes must not raise its score")
	assert.Equal(t, 0.5, harness.BlameInfrastructure.ValScore(results), "infra: tasks without a reward are left out")
	assert.Len(t, results, 4, "results are not changed")
	assert.Zero(t, harness.BlameInfrastructure.ValScore(harness.Results{"b": results["b"]}))
}

func TestReward(t *testing.T) {
	for _, score := range []float64{0, 0.5, 1} {
		assert.Equal(t, harness.Outcome{Status: harness.Scored, Score: score}, harness.Reward(score))
	}
	for _, score := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		o := harness.Reward(score)
		assert.Equal(t, harness.Infrastructure, o.Status)
		assert.Contains(t, o.Reason, "from 0 to 1")
		assert.Zero(t, o.Score)
	}
	assert.True(t, harness.Reward(0.5).Passed())
	assert.False(t, harness.Reward(0.499).Passed())
	assert.False(t, harness.NoReward(harness.Missing, "").Passed())
}

func TestComplete(t *testing.T) {
	some := harness.Results{"a": harness.Reward(1), "x": harness.Reward(0)}
	t.Run("every task that was asked for is in the results", func(t *testing.T) {
		got, err := harness.Complete([]string{"a", "b"}, some)
		require.NoError(t, err)
		assert.Equal(t, harness.Missing, got["b"].Status)
		assert.NotEmpty(t, got["b"].Reason)
		assert.Equal(t, some["a"], got["a"])
	})
	t.Run("tasks that were not asked for are left out", func(t *testing.T) {
		got, err := harness.Complete([]string{"a"}, some)
		require.NoError(t, err)
		assert.NotContains(t, got, "x")
		assert.Len(t, some, 2, "results are not changed")
	})
	t.Run("without a list all results are kept", func(t *testing.T) {
		got, err := harness.Complete(nil, some)
		require.NoError(t, err)
		assert.Equal(t, some, got)
	})
	t.Run("an empty list is nothing", func(t *testing.T) {
		got, err := harness.Complete([]string{}, nil)
		require.NoError(t, err)
		assert.NotNil(t, got)
		assert.Empty(t, got)
	})
	for name, ids := range map[string][]string{"of those asked for": {"b", "c"}, "at all": nil} {
		t.Run("a run that produced nothing "+name+" is an error", func(t *testing.T) {
			results := some
			if ids == nil {
				results = nil
			}
			_, err := harness.Complete(ids, results)
			require.Error(t, err)
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
		})
	}
}

func TestIDsAreInTheOrderThatPeopleExpect(t *testing.T) {
	results := scored(map[string]float64{"10": 0, "9": 0, "b": 0, "[a]|b:c": 0, "1": 0, "01": 0})
	assert.Equal(t, []string{"01", "1", "9", "10", "[a]|b:c", "b"}, results.IDs())
}

func TestResultsAsJSON(t *testing.T) {
	results := harness.Results{
		"a": harness.Reward(0.7), "b": harness.NoReward(harness.Timeout, "after 20m0s"),
		"c": {Status: harness.Scored, Score: 0, Reason: "the agent ran out of time"},
	}
	t.Run("the plain form is that of the original's files", func(t *testing.T) {
		data, err := json.Marshal(results.Plain())
		require.NoError(t, err)
		assert.JSONEq(t, `{"a": 0.7, "b": null, "c": 0}`, string(data))
	})
	t.Run("the rich form is read back as it was", func(t *testing.T) {
		data, err := json.Marshal(results)
		require.NoError(t, err)
		assert.JSONEq(t, `{"a": {"reward": 0.7, "status": "scored"}, "b": {"reward": null, "status": "timeout", "reason": "after 20m0s"},
			"c": {"reward": 0, "status": "scored", "reason": "the agent ran out of time"}}`, string(data))
		var back harness.Results
		require.NoError(t, json.Unmarshal(data, &back))
		assert.Equal(t, results, back)
	})
	t.Run("the plain form can be read", func(t *testing.T) {
		var read harness.Results
		require.NoError(t, json.Unmarshal([]byte(`{"a": 1, "b": null, "c": "n/a", "d": 7, "e": true}`), &read))
		assert.Equal(t, harness.Reward(1), read["a"])
		for _, id := range []string{"b", "c", "d", "e"} {
			assert.Equal(t, harness.Infrastructure, read[id].Status, "%s: a reward that is none does not crash, and is not 0.0", id)
			assert.NotEmpty(t, read[id].Reason)
		}
	})
	for name, data := range map[string]string{
		"an unknown status":          `{"a": {"reward": 1, "status": "fine"}}`,
		"a score without a reward":   `{"a": {"reward": null, "status": "scored"}}`,
		"a reward that is no number": `{"a": {"reward": "x", "status": "scored"}}`,
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			var read harness.Results
			assert.Error(t, json.Unmarshal([]byte(data), &read))
		})
	}
}

func FuzzOutcome(f *testing.F) {
	for _, seed := range []string{"1", "null", `"x"`, "1e999", `{"reward": 2, "status": "scored"}`, `{"status": "missing"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var o harness.Outcome
		if json.Unmarshal(data, &o) != nil {
			return
		}
		assert.Contains(t, harness.Statuses(), o.Status)
		assert.True(t, o.Score >= 0 && o.Score <= 1)
		assert.True(t, o.Rewarded() || o.Score == 0)
		written, err := json.Marshal(o)
		require.NoError(t, err)
		var back harness.Outcome
		require.NoError(t, json.Unmarshal(written, &back))
		assert.Equal(t, o.Status, back.Status)
		assert.Equal(t, o.Score, back.Score)
	})
}
