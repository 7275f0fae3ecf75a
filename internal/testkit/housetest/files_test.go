package housetest

import (
	"encoding/json"
	"fmt"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
)

// languages are those that blocks of code may be in; "" is what programs print.
var languages = []string{"", "sh", "yaml", "json", "go", "js", "text", "markdown"}

// Keys of workflows (https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax)
// and of GitLab's (https://docs.gitlab.com/ci/yaml/), as far as pages use them.
var (
	workflowKeys = []string{"name", "on", "permissions", "concurrency", "env", "jobs"}
	jobKeys      = []string{"name", "if", "needs", "runs-on", "timeout-minutes", "permissions", "concurrency", "outputs", "env", "strategy", "steps", "uses", "with", "secrets", "container"}
	stepKeys     = []string{"name", "id", "if", "uses", "with", "run", "env", "shell", "continue-on-error", "working-directory"}
	gitlabKeys   = []string{"image", "rules", "variables", "before_script", "script", "artifacts", "cache", "parallel", "needs", "stage", "allow_failure", "timeout", "interruptible"}
)

type object = map[string]any

// unknown returns the keys of an object that are none of the known.
func unknown(what string, of object, known []string) (wrong []string) {
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if !slices.Contains(known, key) {
			wrong = append(wrong, fmt.Sprintf("%s has no key %s", what, key))
		}
	}
	return wrong
}

func inputs() (names []string) {
	for _, input := range actions.Declared() {
		names = append(names, input.Name)
	}
	return names
}

// wrongSteps returns what is wrong with the steps of a workflow's job.
func wrongSteps(steps []any, targets []string) (wrong []string) {
	for _, s := range steps {
		step, is := s.(object)
		if !is {
			return append(wrong, "a step is no object")
		}
		wrong = append(wrong, unknown("a step", step, stepKeys)...)
		if uses, _ := step["uses"].(string); strings.HasPrefix(uses, "ghx-dev/bench-action@") {
			with, _ := step["with"].(object)
			wrong = append(wrong, unknown("the action", with, inputs())...)
		}
		if run, is := step["run"].(string); is {
			wrong = append(wrong, wrongCalls(run, targets)...)
		}
	}
	return wrong
}

func wrongWorkflow(workflow object, targets []string) []string {
	wrong := unknown("a workflow", workflow, workflowKeys)
	jobs, _ := workflow["jobs"].(object)
	for _, j := range jobs {
		job, _ := j.(object)
		wrong = append(wrong, unknown("a job", job, jobKeys)...)
		if uses, _ := job["uses"].(string); uses != "" {
			continue
		}
		steps, _ := job["steps"].([]any)
		wrong = append(wrong, wrongSteps(steps, targets)...)
	}
	return wrong
}

func wrongGitLab(jobs object, targets []string) (wrong []string) {
	for _, j := range jobs {
		job, _ := j.(object)
		wrong = append(wrong, unknown("a job of GitLab's", job, gitlabKeys)...)
		for _, part := range []string{"before_script", "script"} {
			lines, _ := job[part].([]any)
			for _, line := range lines {
				wrong = append(wrong, wrongCalls(fmt.Sprint(line), targets)...)
			}
		}
	}
	return wrong
}

// wrongMode reads a mode file. What it names is not looked for.
func wrongMode(t *testing.T, text string) []string {
	path := filepath.Join(t.TempDir(), "mode.yml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	if _, err := toolset.LoadMode(path); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// wrongYAML returns what is wrong with a file, which is told by its keys.
func wrongYAML(t *testing.T, text string, targets []string) []string {
	t.Helper()
	var parsed any
	if err := yaml.Unmarshal([]byte(text), &parsed); err != nil {
		return []string{err.Error()}
	}
	if steps, is := parsed.([]any); is {
		return wrongSteps(steps, targets)
	}
	file, is := parsed.(object)
	if !is {
		return []string{"it is no object"}
	}
	has := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { _, is := file[key]; return is })
	}
	scripted := func(v any) bool {
		job, _ := v.(object)
		_, is := job["script"]
		return is
	}
	switch {
	case has("jobs", "on"):
		return wrongWorkflow(file, targets)
	case slices.ContainsFunc(slices.Collect(maps.Values(file)), scripted):
		return wrongGitLab(file, targets)
	case has("benchmark") && !has("model"): // which is a setting of the App's
		if _, err := harness.ParseConfig("file", []byte(text)); err != nil {
			return []string{err.Error()}
		}
		return nil
	case has("instructions", "commands", "mcp"):
		return wrongMode(t, text)
	case has("repositories"):
		return unknown(settings.ConsentPath, file, []string{"repositories"})
	case has("target"):
		return unknown("the action", file, inputs())
	default:
		_, problems := settings.Parse([]byte(text), "", settings.Known{})
		var wrong []string
		for _, problem := range problems {
			wrong = append(wrong, fmt.Sprint(problem))
		}
		return wrong
	}
}

// wrongJSON returns what is wrong with JSON, or with the inside of an object.
func wrongJSON(text string) []string {
	if json.Valid([]byte(text)) || json.Valid([]byte("{"+text+"}")) {
		return nil
	}
	return []string{"it is no JSON"}
}

func wrongBlock(t *testing.T, b block, targets []string) []string {
	t.Helper()
	switch {
	case !slices.Contains(languages, b.language):
		return []string{"the block is in no language of this test: " + b.language}
	case b.language == "yaml":
		return wrongYAML(t, b.text, targets)
	case b.language == "json":
		return wrongJSON(b.text)
	case b.language == "go":
		if _, err := format.Source([]byte(b.text)); err != nil {
			return []string{err.Error()}
		}
	case b.language == "sh":
		_, files, err := called(b.text)
		if err != nil {
			return []string{err.Error()}
		}
		var wrong []string
		for name, text := range files {
			if strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml") {
				wrong = append(wrong, wrongYAML(t, text, targets)...)
			}
		}
		return wrong
	}
	return nil
}

func TestFilesHaveTheKeysThatAreRead(t *testing.T) {
	targets := makeTargets(t)
	for name, p := range pages(t) {
		blocks, _ := p.split()
		for _, b := range blocks {
			assert.Empty(t, wrongBlock(t, b, targets), "%s:%d", name, b.line)
		}
	}
}

func TestAWrongFileIsFound(t *testing.T) {
	for text, wrong := range map[string]string{
		"- uses: ghx-dev/bench-action@v1\n  with:\n    modle: a/b\n":               "the action has no key modle",
		"on: push\njobs:\n  a:\n    runs-onn: x\n    steps: []\n":                  "a job has no key runs-onn",
		"on: push\njobs:\n  a:\n    steps:\n      - run: bench verify --no-such\n": "unknown flag",
		"bench:\n  image: x\n  scripts: []\n  script: [bench verify]\n":            "no key scripts",
		"bench:\n  script: [bench verify --no-such]\n":                             "unknown flag",
		"model: a/b\nprofil: regression\n":                                         "profil",
		"name: a\nof: installed\ncommand: []\ninstructions: x\n":                   "command",
		"benchmark: command\ncomand: [a]\n":                                        "comand",
		"benchmark: command\nmodel: a/b\nepochs: 2\n":                              "epochs",
		"repositories: [a/b]\nowner: a\n":                                          "no key owner",
		"a: [":                                                                     "",
	} {
		found := strings.Join(wrongBlock(t, block{language: "yaml", text: text}, nil), "\n")
		assert.NotEmpty(t, found, text)
		assert.Contains(t, found, wrong, text)
	}
	assert.NotEmpty(t, wrongBlock(t, block{language: "json", text: `{"a": }`}, nil))
	assert.NotEmpty(t, wrongBlock(t, block{language: "yml", text: "a: b"}, nil))
	assert.NotEmpty(t, wrongBlock(t, block{language: "go", text: "func {"}, nil))
	assert.NotEmpty(t, wrongBlock(t, block{language: "sh", text: "cat > a.yml <<'EOF'\nname: a\ncommands: {}\nEOF\n"}, nil))
}
