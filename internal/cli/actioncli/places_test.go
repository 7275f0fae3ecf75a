package actioncli_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/scenarios"
)

// annotations returns those of the head commit's check run.
func (r *runner) annotations() []map[string]any {
	r.t.Helper()
	require.Len(r.t, r.checks(), 1)
	return r.list(fmt.Sprintf("/check-runs/%.0f/annotations", r.checks()[0]["id"]), "")
}

func TestAFailedCheckIsExplainedWhereItsThresholdStands(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.write("bench.json", `{
  "default_model": "scripted/plan-v1",
  "expectations": {
    "scripted/plan-v1": {
      "verify_pr": {
        "minToolCallReductionPct": 99
      }
    }
  }
}`, 0o644)
	r.inputs["expectations"] = "bench.json"
	require.Zero(t, r.run().code)
	annotations := r.annotations()
	require.Len(t, annotations, 1)
	assert.Equal(t, "bench.json", annotations[0]["path"])
	assert.EqualValues(t, 6, annotations[0]["start_line"])
}

func TestAScenarioThatCameOutBadlyIsExplainedWhereItStands(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	require.NoError(t, fs.WalkDir(scenarios.Files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := scenarios.Files.ReadFile(path)
		r.write(filepath.Join("eval/scenarios", path), string(text), 0o644)
		return err
	}))
	r.inputs["scenarios-path"], r.inputs["scenarios"] = "eval/scenarios", "pr-merge-001"
	r.inputs["candidate-mode"], r.inputs["baseline-mode"] = "agent_direct", "ghx"
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Contains(t, ended.log, "--scenarios eval/scenarios")
	annotations := r.annotations()
	require.Len(t, annotations, 1)
	assert.Equal(t, "eval/scenarios/pr/pr-merge-001.json", annotations[0]["path"])
	assert.EqualValues(t, 3, annotations[0]["start_line"])
	assert.Equal(t, "Scenario pr-merge-001", annotations[0]["title"])

	r.write("eval/scenarios/pr/pr-merge-001.json", "{\n  \"id\": \"pr-merge-001\",\n  \"tsak\": \"pr.merge\"\n}", 0o644)
	ended = r.run()
	assert.Equal(t, 2, ended.code, ended.log)
	annotations = r.annotations()
	require.Len(t, annotations, 1)
	assert.Equal(t, "eval/scenarios/pr/pr-merge-001.json", annotations[0]["path"])
	assert.Contains(t, annotations[0]["message"], "tsak")

	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(r.workspace, "eval/scenarios/pr/linked.json")))
	ended = r.run()
	assert.Equal(t, 2, ended.code, ended.log)
	assert.Contains(t, ended.log, "linked.json is a link")
}

func TestAnErrorInTheConfigurationIsExplainedWhereItStands(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.onProgram(halfRight)
	r.write("experiment_config.yaml", "benchmark: command\ncomand: [sh]\n", 0o644)
	assert.Equal(t, 2, r.run().code)
	annotations := r.annotations()
	require.Len(t, annotations, 1)
	assert.Equal(t, "experiment_config.yaml", annotations[0]["path"])
	assert.Contains(t, annotations[0]["message"], "experiment_config.yaml:2: ")
}
