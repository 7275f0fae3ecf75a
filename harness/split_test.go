package harness_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// tasks are ten that passed and seven that did not, one of them without a
// reward.
func tasks() harness.Results {
	results := harness.Results{}
	for i := range 10 {
		results[fmt.Sprintf("p%02d", i)] = harness.Reward(0.5)
	}
	for i := range 6 {
		results[fmt.Sprintf("f%02d", i)] = harness.Reward(0.4)
	}
	results["f06"] = harness.NoReward(harness.Timeout, "")
	return results
}

func TestStratify(t *testing.T) {
	split := harness.Stratify(tasks(), harness.SplitSeed)
	assert.Equal(t, []string{"f01", "f02", "f05", "f06", "p02", "p03", "p05", "p06", "p07", "p08", "p09"}, split.Train, "70 % of each kind, as CPython draws with seed 42")
	assert.Equal(t, []string{"f00", "f03", "f04", "p00", "p01", "p04"}, split.Test)
	assert.Equal(t, harness.SplitMetadata{TotalTasks: 17, Seed: 42}, split.Metadata)
}

func TestStratifyIsWhatThePythonThatIsHereDraws(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not on PATH")
	}
	const program = `
import json, random
passed = [f"task-{i}" for i in range(57)]
failed = [f"task-{i}" for i in range(57, 89)]
passed.sort(); failed.sort()
random.seed(42); random.shuffle(passed); random.shuffle(failed)
a, b = int(len(passed) * 0.7), int(len(failed) * 0.7)
print(json.dumps({"train": sorted(passed[:a] + failed[:b]), "test": sorted(passed[a:] + failed[b:])}))
`
	path := filepath.Join(t.TempDir(), "python.json")
	printed, err := exec.CommandContext(t.Context(), python, "-c", program).Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, printed, 0o600))
	results := harness.Results{}
	for i := range 89 {
		reward := 1.0
		if i >= 57 {
			reward = 0
		}
		results[fmt.Sprintf("task-%d", i)] = harness.Reward(reward)
	}
	split := harness.Stratify(results, 42)
	for name, got := range map[string][]string{"train": split.Train, "test": split.Test} {
		want, err := harness.ReadSplit(path, name)
		require.NoError(t, err)
		assert.Equal(t, want, got, name)
	}
}

func TestSplitFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tbench_data", "task_split.json")
	_, err := harness.ReadSplit(path, harness.TrainSplit)
	require.ErrorContains(t, err, "bench harness prepare", "a named split needs the file")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))

	all, err := harness.ReadSplit(path, harness.WholeDataset)
	require.NoError(t, err, "the whole dataset needs no file")
	assert.Nil(t, all)

	split := harness.Stratify(tasks(), harness.SplitSeed)
	split.Metadata.Created = "2026-08-01T00:00:00+00:00"
	require.NoError(t, harness.WriteSplit(path, split))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(data), `"total_tasks": 17`)

	train, err := harness.ReadSplit(path, harness.TrainSplit)
	require.NoError(t, err)
	assert.Equal(t, split.Train, train)

	_, err = harness.ReadSplit(path, "dev")
	require.ErrorContains(t, err, `no split "dev": use test, train`)

	require.NoError(t, os.WriteFile(path, []byte(`{"train": [], "test": "x"}`), 0o600))
	empty, err := harness.ReadSplit(path, harness.TrainSplit)
	require.NoError(t, err)
	assert.NotNil(t, empty, "an empty split is nothing to run, not the whole dataset")
	_, err = harness.ReadSplit(path, harness.TestSplit)
	require.ErrorContains(t, err, "no list of task ids")
	require.NoError(t, os.WriteFile(path, []byte("{\n"), 0o600))
	_, err = harness.ReadSplit(path, harness.TestSplit)
	require.ErrorContains(t, err, path+":")
}
