package benchcli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
)

// The configurations of these tests, which the wrong ones are changes of.
const (
	ownBenchmark = "benchmark: command\ncommand: [./bench.sh]\n"
	tauBenchmark = "benchmark: tau-bench\ndomain: mock\nsplit: base\ngate_split: base\n"
	terminal     = "benchmark: terminal-bench\nagent: oracle\nenv_provider: docker\ndataset: ./tasks\nsplit: null\ngate_split: null\nharbor: ./harbor\n"
	bird         = "benchmark: bird-interact\nbird_repo: ./adk\nbird_data_path: data.jsonl\nmode: oracle\nsplit: null\ngate_split: null\n"
)

// TestG16WrongConfigurationsOfTheHarness holds that what is wrong ends in one sentence with
// the place or the mend, with its exit code, and before anything is run or paid.
func TestG16WrongConfigurationsOfTheHarness(t *testing.T) {
	testkit.NeedComplete(t)
	testkit.NeedShell(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	const invalid, infrastructure = 2, 3
	run := []string{"run"}
	for _, test := range []struct {
		name, config string
		args         []string
		files        map[string]string
		env          []string
		code         int
		want         string
	}{
		{"an unknown key", ownBenchmark + "max_concurency: 3\n", run, nil, nil, invalid, `c.yaml:3: unknown key "max_concurency": did you mean "max_concurrency"?`},
		{"a key of another benchmark", ownBenchmark + "domain: retail\n", run, nil, nil, invalid, `c.yaml:3: domain is of benchmark tau-bench, and benchmark is "command": leave it out`},
		{"a key of two other benchmarks", tauBenchmark + "jobs_dir: x\n", run, nil, nil, invalid, "c.yaml:5: jobs_dir is of benchmark terminal-bench and bird-interact"},
		{"an option of another benchmark", terminal + "options: {max_steps: 5}\n", run, nil, nil, invalid, "c.yaml:8: options.max_steps is of benchmark tau-bench"},
		{"an option that there is none", tauBenchmark + "options:\n  max_step: 5\n", run, nil, nil, invalid, `c.yaml:6: options.max_step is none of the settings of tau-bench: did you mean "max_steps"?`},
		{"a wrong type", ownBenchmark + "threshold: high\n", run, nil, nil, invalid, `c.yaml:3: threshold is "high", want a number from 0 to 1`},
		{"a threshold out of range", ownBenchmark + "threshold: 80\n", run, nil, nil, invalid, "c.yaml:3: threshold is 80, want a number from 0 to 1"},
		{"no benchmark that there is", "benchmark: swe-bench\n", run, nil, nil, invalid, `c.yaml:1: benchmark is "swe-bench", want one of tau-bench, terminal-bench, bird-interact, command`},
		{"YAML that is broken", "benchmark: [\n", run, nil, nil, invalid, "c.yaml:1:"},
		{"no configuration", "", []string{"run", "--config", "other.yaml"}, nil, nil, invalid, "other.yaml is not there: write one"},
		{"a gate policy that there is none", ownBenchmark + "gate: {policy: sure}\n", run, nil, nil, invalid, `c.yaml:3: gate.policy is "sure", want one of seed, evidence`},
		{"a margin out of range", ownBenchmark + "gate:\n  policy: evidence\n  margin: 150\n", run, nil, nil, invalid, "c.yaml:5: gate.margin is 150, want a number of percentage points above 0 and below 100"},
		{"epochs of the gate in a wrong form", ownBenchmark + "gate: {epochs: often}\n", run, nil, nil, invalid, `c.yaml:3: gate.epochs is "often", want a whole number, or two as 2..10`},
		{"no epochs in the configuration", ownBenchmark + "epochs: 0\n", run, nil, nil, invalid, "c.yaml:3: epochs is 0, want a whole number from 1"},
		{"negative epochs", ownBenchmark, []string{"run", "--epochs=-1"}, nil, nil, invalid, "--epochs is -1, want 1 or more"},
		{"a task that is named twice", ownBenchmark, []string{"run", "--task-ids", "a", "b", "a"}, nil, nil, invalid, `--task-ids has the task "a" twice: name it once`},
		{"a program that is not there", "benchmark: command\ncommand: ./none\n", run, nil, nil, invalid, "none is not there: install it, or name another one with command"},
		{"a program without the right to run", "benchmark: command\ncommand: ./notes.txt\n", run, map[string]string{"notes.txt": ""}, nil, invalid, "notes.txt is no program that can be run: name one with command"},
		{"an output folder that is a file", ownBenchmark, []string{"run", "--output-dir", "bench.sh/runs"}, nil, nil, infrastructure, "make the directory writable and room on its disk, or choose another"},
		{"results that are broken", ownBenchmark, []string{"gate"}, map[string]string{"workspace/results.tsv": "x\ty\n1\n"}, nil, invalid, "results.tsv"},
		{"a suite that is broken", ownBenchmark, []string{"gate"}, map[string]string{"workspace/suite.json": "{"}, nil, invalid, "suite.json"},
		{"results of a split that are broken", ownBenchmark, []string{"run", "--task-ids", "a"}, map[string]string{"workspace/train_results.json": "{"}, nil, invalid, "train_results.json"},

		{"a program whose interpreter is not there", ownBenchmark, run, map[string]string{"bench.sh": "#!/no/such/sh\n"}, nil, invalid, "bench.sh begins with #!/no/such/sh, which is not there: install it"},
		{"a folder in place of the configuration", ownBenchmark, []string{"run", "--config", "tasks"}, nil, nil, invalid, "tasks is a folder: name the file in it, for example with --config tasks/experiment_config.yaml"},
		{"a file in place of the workspace", ownBenchmark, run, map[string]string{"workspace": ""}, nil, invalid, "workspace is no folder, and has to be one: move it away"},
		{"a folder in place of results", ownBenchmark, run, map[string]string{"workspace/train_results.json/x": ""}, nil, invalid, "workspace/train_results.json is a folder, and has to be a file: move it away"},
		{"a folder in place of the suite", ownBenchmark, []string{"gate"}, map[string]string{"workspace/suite.json/x": ""}, nil, invalid, "workspace/suite.json is a folder, and has to be a file: move it away"},
		{"a negative budget", ownBenchmark, []string{"run", "--max-cost-usd=-1"}, nil, nil, invalid, "--max-cost-usd is -1, want a number from 0"},
		{"a budget that is no number", ownBenchmark, []string{"gate", "--max-cost-usd=NaN"}, nil, nil, invalid, "--max-cost-usd is NaN, want a number from 0"},
		{"negative epochs of the gate", ownBenchmark, []string{"gate", "--policy=evidence", "--epochs=-3"}, nil, nil, invalid, "--epochs: "},
		{"a margin that is no number", ownBenchmark, []string{"gate", "--policy=evidence", "--margin-success=NaN"}, nil, nil, invalid, "--margin-success is NaN"},
		{"a negative margin", ownBenchmark, []string{"gate", "--policy=evidence", "--margin-cost=-1"}, nil, nil, invalid, "--margin-cost is -1"},
		{"evidence outside of git", ownBenchmark, []string{"gate", "--policy=evidence"}, map[string]string{"workspace/suite.json": `{"tasks": ["a"]}`}, nil, invalid, "takes from git: this is no checkout of a repository"},
		{"evidence of an agent of the benchmark's own", terminal, []string{"gate", "--policy=evidence"}, nil, nil, invalid, `agent is "oracle", which terminal-bench brings along`},

		{"no domain", "benchmark: tau-bench\n", run, nil, nil, invalid, "tau-bench needs a domain: name one, for example retail"},
		{"no Python", tauBenchmark + "tau2_python: ./none/python\n", run, nil, nil, invalid, "none/python is not there: install it, or name another one with tau2_python"},
		{"a Python without tau2", tauBenchmark, run, nil, nil, invalid, "cannot import tau2: No module named 'tau2'; install tau2 from its source, or name the Python that has it with tau2_python"},
		{"no key for the user's model", tauBenchmark, run, nil, []string{"OPENAI_API_KEY="}, invalid, "OPENAI_API_KEY is not set: set it"},
		{"no key for the agent's model", tauBenchmark + "agent_model: claude-x\nuser_model: gpt-x\n", run, nil, nil, invalid, "the model claude-x of the agent needs a key, and the environment variable ANTHROPIC_API_KEY is not set"},
		{"an agent with a name that cannot be", tauBenchmark + "agent: my agent\n", run, nil, nil, invalid, `c.yaml:5: agent is "my agent", want the name of an agent`},

		{"no harbor", strings.Replace(terminal, "./harbor", "./none", 1), run, nil, nil, invalid, "none is not there: install it, or name another one with harbor"},
		{"a harbor without its package", terminal, run, nil, nil, invalid, "cannot import harbor (ModuleNotFoundError"},
		{"a folder of tasks that is not there", strings.Replace(terminal, "./tasks", "./tsks", 1), run, nil, nil, invalid, "the dataset ./tsks cannot be read"},
		{"an unknown task", terminal, []string{"run", "--task-ids", "nope"}, nil, nil, invalid, `the dataset ./tasks does not have the task "nope"`},
		{"no split file", terminal, []string{"run", "--split", "train"}, nil, nil, invalid, "task_split.json is not there: make it with `bench harness prepare`"},
		{"an unknown split", terminal, []string{"run", "--split", "dev"}, map[string]string{"tbench_data/task_split.json": `{"train": ["one"]}`}, nil, invalid, `has no split "dev": use train`},
		{"an empty split", terminal, []string{"run", "--split", "train"}, map[string]string{"tbench_data/task_split.json": `{"train": []}`}, nil, invalid, "has no tasks: make it anew"},
		{"a task twice in a split", terminal, []string{"run", "--split", "train"}, map[string]string{"tbench_data/task_split.json": `{"train": ["one", "one"]}`}, nil, invalid, `task_split.json has the task "one" twice`},
		{"a split file that is broken", terminal, []string{"run", "--split", "train"}, map[string]string{"tbench_data/task_split.json": `{`}, nil, invalid, "task_split.json"},

		{"no ADK", strings.Replace(bird, "./adk", "./none", 1), run, nil, nil, invalid, "BIRD-Interact-ADK is not found: run `bench harness prepare`"},
		{"a Python without the ADK's packages", bird, run, nil, nil, invalid, "in the ADK's folder installs it, or name another Python with bird_python_bin"},
		{"no dataset", strings.Replace(bird, "data.jsonl", "none.jsonl", 1), run, nil, nil, invalid, "or say where it is with bird_data_path"},
		{"a dataset that is none", bird, run, map[string]string{"data.jsonl": "[]\n"}, nil, invalid, "data.jsonl:1: want a JSON object with an instance_id"},
		{"a task that the dataset has not", bird, []string{"run", "--task-ids", "b"}, nil, nil, invalid, "does not have the task b"},
		{"an agent that the ADK has not", bird + "agent: other\n", run, nil, nil, invalid, `BIRD-Interact has no agent "other" of its own: use system_agent`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			files := map[string]string{
				"c.yaml": test.config, "bench.sh": "#!/bin/sh\ntouch was-run\necho '{\"a\": 1}'\n", "harbor": "#!" + python + "\n",
				"tasks/one/task.toml": "", "adk/orchestrator/runner.py": "", "data.jsonl": `{"instance_id": "a"}`,
			}
			for name, text := range test.files {
				files[name] = text
			}
			for name, text := range files {
				path := filepath.Join(dir, name)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				mode := os.FileMode(0o600)
				if strings.HasPrefix(text, "#!") {
					mode = 0o700
				}
				require.NoError(t, os.WriteFile(path, []byte(text), mode))
			}
			args := append([]string{"harness", test.args[0], "--config", "c.yaml"}, test.args[1:]...)
			cmd := benchIn(dir, args...)
			cmd.Env = append([]string{
				"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + t.TempDir(), "OPENAI_API_KEY=key-of-the-test",
			}, test.env...)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit, string(out))
			said := strings.TrimSpace(string(out))
			assert.Equal(t, test.code, exit.ExitCode(), said)
			assert.Contains(t, said, test.want)
			assert.NotContains(t, said, "\n", "it is one sentence")
			for _, trace := range []string{"Traceback", "goroutine", "panic"} {
				assert.NotContains(t, said, trace)
			}
			assert.NoFileExists(t, filepath.Join(dir, "was-run"), "nothing was run")
		})
	}
}
