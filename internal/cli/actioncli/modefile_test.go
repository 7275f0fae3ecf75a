package actioncli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

const ownMode = `name: mytool
description: A tool that the build makes
of: head
commands:
  - name: gh
  - {name: mytool, command: ./bin/mytool, version: []}
instructions: Work with mytool.
`

// ownTool has the workflow measure a tool that is not ghx.
func ownTool(t *testing.T) *runner {
	t.Helper()
	r := newRunner(t)
	r.write("tools/mytool.yml", ownMode, 0o644)
	r.inputs["modes"], r.inputs["candidate-mode"], r.inputs["mode-files"] = "agent_direct,mytool", "mytool", "tools/mytool.yml"
	r.inputs["scenarios"], r.inputs["repetitions"] = "pr-view-001", "3"
	r.inputs["build-command"] = "mkdir -p tools/bin && printf '#!/bin/sh\\necho made by the build\\n' > tools/bin/mytool && chmod +x tools/bin/mytool"
	r.builds = true
	return r
}

func TestAnyToolIsMeasured(t *testing.T) {
	t.Parallel()
	testkit.NeedComplete(t)
	opencode := realtool.Find(t, realtool.Tool{Name: "opencode", Variable: "BENCH_OPENCODE", Mend: "make clients"})
	gh := realtool.Find(t, realtool.GH())
	r := ownTool(t)
	model := &stubmodel.Server{Key: "sk-of-the-model", Plan: func(request stubmodel.Request) []stubmodel.Step {
		command := "gh --version"
		if strings.Contains(request.System(), "Work with mytool.") {
			command = "mytool"
		}
		return []stubmodel.Step{{Calls: []stubmodel.Call{stubmodel.Shell(command)}}, {Text: "done"}}
	}}
	endpoint, err := model.Listen(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, endpoint.Close()) })
	r.env["PATH"] = strings.Join([]string{filepath.Dir(opencode), filepath.Dir(gh), os.Getenv("PATH")}, ":")
	r.inputs["provider"], r.inputs["model"], r.inputs["model-base-url"], r.inputs["model-api-key"] = "opencode", "stub/m", endpoint.URL, model.Key
	ended := r.run()
	assert.Equal(t, "failure", ended.outputs["conclusion"], ended.log) // nobody has said what was asked
	var said []string
	for _, request := range model.Requests() {
		for _, m := range request.Messages {
			if m.Role == "tool" {
				said = append(said, m.Text)
			}
		}
	}
	assert.Contains(t, strings.Join(said, "\n"), "made by the build")
	assert.Equal(t, 1, strings.Count(ended.log, model.Key), "where the runner is asked to mask it")
}

func TestAModeFileIsOneOfTheWorkspace(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret.yml")
	require.NoError(t, os.WriteFile(outside, []byte("hunter2: x\n"), 0o600))
	for name, c := range map[string]struct {
		files, modes string
		change       func(*runner)
		says         string
	}{
		"a file that is not there":  {"tools/mine.yml", "agent_direct,mytool", nil, "mode file tools/mine.yml is neither in the repository nor made by the build"},
		"a file of somewhere else":  {outside, "agent_direct,mytool", nil, "want a file inside the workspace"},
		"a file above":              {"../secret.yml", "agent_direct,mytool", nil, "want a file inside the workspace"},
		"a mode that no file names": {"tools/mytool.yml", "agent_direct,mytol", func(r *runner) { r.inputs["candidate-mode"] = "mytol" }, `unknown mode "mytol"`},
		"a link that leads out": {"tools/link.yml", "agent_direct,mytool", func(r *runner) {
			require.NoError(r.t, os.Symlink(outside, filepath.Join(r.workspace, "tools/link.yml")))
		}, "leads out of the workspace"},
		"a mistake": {"tools/mytool.yml", "agent_direct,mytool", func(r *runner) { r.write("tools/mytool.yml", ownMode+"comands: []\n", 0o644) }, "did you mean"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ownTool(t)
			r.inputs["build-command"], r.inputs["mode-files"], r.inputs["modes"] = "none", c.files, c.modes
			if c.change != nil {
				c.change(r)
			}
			ended := r.run()
			assert.Equal(t, 2, ended.code, ended.log)
			assert.Contains(t, ended.log, c.says)
			assert.NotContains(t, ended.log, "hunter2")
			require.Len(t, r.checks(), 1)
			assert.Equal(t, "action_required", r.checks()[0]["conclusion"])
		})
	}
}

// The plans of gh are played where the mode has it.
func TestAModeOfAFileIsTriedWithoutAModel(t *testing.T) {
	t.Parallel()
	r := ownTool(t)
	ended := r.run()
	assert.Zero(t, ended.code, ended.log)
	assert.Contains(t, ended.log, "Measured is mode mytool")
	assert.Equal(t, "neutral", ended.outputs["conclusion"])
	assert.Contains(t, ended.summary, "`mytool` against `agent_direct`")
}
