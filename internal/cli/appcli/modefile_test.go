package appcli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

const (
	// ownTool are settings of a tool that is not ghx, and for which no model is
	// asked.
	ownTool = "model: scripted\nexecutor: local\nscenarios: [pr-view-001]\nrepetitions: 2\n" +
		"modes: [agent_direct, mytool]\ncandidate_mode: mytool\nmode_files: [tools/mytool.yml]\n"
	ownMode = `name: mytool
description: A tool that the build makes
of: head
commands:
  - name: gh
  - {name: mytool, command: ./bin/mytool, version: []}
instructions: Work with mytool.
`
	ownBuild = `BENCH_APP_BUILD_COMMAND=mkdir -p tools/bin && printf '#!/bin/sh\necho made by the build\n' > tools/bin/mytool && chmod +x tools/bin/mytool`
)

func modeFile(content string) gitstore.Change {
	return gitstore.Change{Path: "tools/mytool.yml", Content: []byte(content)}
}

// Settings name the tool and the agent; the tool is what the commit builds.
func TestAnyToolIsMeasuredWithTheAgentOfTheSettings(t *testing.T) {
	testkit.NeedComplete(t)
	claude, err := filepath.Abs(realtool.Find(t, realtool.ClaudeCode()))
	require.NoError(t, err)
	plan := func(r stubmodel.Request) []stubmodel.Step {
		command := "gh --version"
		if strings.Contains(r.System(), "Work with mytool.") {
			command = "mytool"
		}
		return []stubmodel.Step{{Calls: []stubmodel.Call{stubmodel.Shell(command)}}, {Text: "done"}}
	}
	config := strings.Replace(ownTool, "model: scripted", "model: stub/m\nagent: claude-code", 1)
	m := newWithModel(t, config, plan, modeFile(ownMode))
	more := append(m.more, "PATH="+filepath.Dir(claude)+string(os.PathListSeparator)+m.tools, ownBuild)
	m.serveBuilding(more...)
	m.open()
	check := m.judged()
	assert.Equal(t, model.Failure, check.Conclusion, "nobody has said what was asked: %s", check.Output.Summary)
	rows := m.ledgers(m.folder)[check.ExternalID]
	require.Len(t, rows, 4)
	for _, row := range rows {
		assert.Contains(t, row.Tools["agent"], "claude")
		if row.Mode == "mytool" {
			require.NotNil(t, row.Git.Commit)
			assert.Equal(t, m.head, *row.Git.Commit)
			assert.NotEmpty(t, row.ModeHash)
		}
	}
	var said []string
	for _, r := range m.model.Requests() {
		said = append(said, heard(r)...)
	}
	assert.Contains(t, strings.Join(said, "\n"), "made by the build")
}

// Each ends in a check that says what is wrong, and passes nothing.
func TestAModeFileIsOneOfTheCommit(t *testing.T) {
	const notBuilt = "BENCH_APP_BUILD_COMMAND=none"
	for name, c := range map[string]struct {
		file        gitstore.Change
		build, says string
		conclusion  model.Conclusion
	}{
		"as it should be":        {modeFile(ownMode), ownBuild, "Simulated", "neutral"},
		"no such file":           {gitstore.Change{Path: "tools/other.yml", Content: []byte(ownMode)}, notBuilt, "mode file tools/mytool.yml is neither in the repository nor made by the build", "action_required"},
		"a misspelt field":       {modeFile(ownMode + "comands: []\n"), notBuilt, "did you mean", "action_required"},
		"a mode of another name": {modeFile(strings.Replace(ownMode, "name: mytool", "name: mytol", 1)), notBuilt, "mytool", "action_required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, ownTool, c.file)
			w.serveBuilding(c.build)
			w.open()
			check := w.concluded(1)
			assert.Equal(t, c.conclusion, check.Conclusion, check.Output.Summary)
			assert.Contains(t, check.Output.Summary, c.says)
		})
	}
}

// A command may name modes of files; which there are shows once they are read.
func TestACommandNamesModesOfFiles(t *testing.T) {
	w := newWorld(t, ownTool, modeFile(ownMode))
	w.serveBuilding(ownBuild)
	w.open()
	w.concluded(1)
	w.comment("writer", "/bench run --modes agent_direct,mytool,mcp --repetitions 1")
	w.until("a run of three modes", func() bool {
		c := w.last()
		return c.Status == model.Completed && strings.Contains(c.Output.Text, "`mcp`")
	})
	w.comment("writer", "/bench run --modes agent_direct,mytool,mytol")
	w.until("the unknown mode", func() bool {
		c := w.last()
		return c.Status == model.Completed && strings.Contains(c.Output.Summary, `unknown mode "mytol"`)
	})
	assert.Equal(t, model.ActionRequired, w.last().Conclusion)
}

// The workflow is given the words of the settings, in those of the action's inputs.
func TestTheWorkflowMeasuresAnyTool(t *testing.T) {
	w := newWorld(t, strings.NewReplacer("executor: local", "executor: dispatch", "model: scripted", "model: stub/m\nagent: codex").Replace(ownTool), modeFile(ownMode),
		gitstore.Change{Path: ".github/workflows/bench.yml", Content: workflow(t)})
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Scripts = []model.Script{{Workflow: "bench.yml", Hanging: true}}
	})
	w.serve()
	w.open()
	plan := w.planOf(w.started(1))
	for input, value := range map[string]string{"provider": "codex", "modes": "agent_direct,mytool", "candidate-mode": "mytool", "mode-files": "tools/mytool.yml"} {
		assert.Equal(t, value, plan[input], input)
	}
}
