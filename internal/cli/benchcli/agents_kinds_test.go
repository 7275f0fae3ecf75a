package benchcli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent/claudecode"
	"github.com/ghx-dev/bench-action/internal/bench/agent/codex"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// kinds are the agents, and the versions that rows are to tell.
func kinds() []struct {
	provider, version string
	program           realtool.Tool
} {
	return []struct {
		provider, version string
		program           realtool.Tool
	}{
		{opencode.Name, opencode.Version, realtool.Tool{Name: "opencode", Variable: "BENCH_OPENCODE", Mend: "make clients"}},
		{claudecode.Name, claudecode.Version, realtool.ClaudeCode()},
		{codex.Name, codex.Version, realtool.Codex()},
	}
}

// prtool is a tool of somebody's, and prtoolMode the mode with it.
const (
	prtool = `#!/bin/sh
case "$1" in
merge) exec gh api -X PUT "repos/$GITHUB_REPOSITORY/pulls/$2/merge" -f merge_method=squash ;;
rerun) exec gh api -X POST "repos/$GITHUB_REPOSITORY/actions/runs/$2/rerun" ;;
esac
`
	prtoolMode = `name: prtool
description: A tool over gh
of: installed
commands:
  - name: gh
  - {name: prtool, command: ./prtool, version: []}
instructions: Work in your shell with the ` + "`prtool`" + ` command.
preflight: prtool help
`
)

func TestEveryAgentWorksInEveryMode(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds() {
		for _, mode := range []struct {
			name  bench.Mode
			flags func(t *testing.T, r *rig) []string
			plan  func(stubmodel.Request) []stubmodel.Step
		}{
			{bench.AgentDirect, func(t *testing.T, _ *rig) []string { return []string{"--gh-command", realtool.Find(t, realtool.GH())} }, withGH},
			{bench.MCP, func(t *testing.T, _ *rig) []string {
				return []string{"--mcp-command", realtool.Find(t, realtool.MCPServer())}
			}, withMCP},
			{bench.GHX, func(t *testing.T, r *rig) []string {
				skill := filepath.Join(r.dir, "SKILL.md")
				require.NoError(t, os.WriteFile(skill, []byte("Run `ghx run CAPABILITY --input -`."), 0o600))
				return []string{"--gh-command", realtool.Find(t, realtool.GH()), "--ghx-command", realtool.Find(t, realtool.GHX()), "--ghx-skill", skill}
			}, withGHX},
			{"prtool", func(t *testing.T, r *rig) []string {
				require.NoError(t, os.WriteFile(filepath.Join(r.dir, "prtool"), []byte(prtool), 0o755)) //nolint:gosec // agents' users run it
				file := filepath.Join(r.dir, "prtool.yml")
				require.NoError(t, os.WriteFile(file, []byte(prtoolMode), 0o600))
				return []string{"--gh-command", realtool.Find(t, realtool.GH()), "--mode-file", file}
			}, withPage},
		} {
			t.Run(kind.provider+" in mode "+string(mode.name), func(t *testing.T) {
				r := newRigWith(t, kind.provider, kind.program, mode.plan)
				args := append([]string{"run", string(mode.name), "1", "--scenario-set", "ci-verify-pr", "--skip-warmup"}, mode.flags(t, r)...)
				ran := r.run(t, args...)
				require.Zero(t, ran.code, "%s%s", ran.stdout, ran.stderr)
				rows := r.rows(t)[mode.name]
				require.Len(t, rows, 2)
				for _, row := range rows {
					assert.True(t, row.Success, "%s: %+v", row.Cell(), row.Error)
					assert.Equal(t, kind.provider+" "+kind.version, row.Tools["agent"])
					assert.Positive(t, row.ToolCalls)
					// gh tells by its status that checks have failed.
					assert.LessOrEqual(t, row.ToolErrors, map[bool]int{true: 1}[mode.name == bench.AgentDirect])
					assert.Empty(t, row.RefusedHosts, "hosts that it was kept from")
					require.NotNil(t, row.APIRequests)
					assert.Positive(t, row.APIRequests.REST+row.APIRequests.GraphQL, "requests to the sandbox")
				}
				requireTokensAsCharged(t, r.model, rows)
				r.requireNoSecret(t)
				t.Logf("%s", ran.took)
			})
		}
	}
}

func TestAnAgentIsGivenAModelThatItCanAsk(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for name, c := range map[string]struct {
		flags []string
		want  string
	}{
		"Claude Code with OpenAI's":   {[]string{"--provider", "claude-code", "--model", "openai/gpt-5.3-codex"}, `Claude Code cannot ask a model of provider "openai": name one of anthropic, such as anthropic/`},
		"Codex with Anthropic's":      {[]string{"--provider", "codex", "--model", "anthropic/claude-sonnet-4-5"}, `Codex cannot ask a model of provider "anthropic": name one of openai, such as openai/`},
		"another address":             {[]string{"--provider", "claude-code", "--model", "x/m", "--model-base-url", "http://127.0.0.1:1/api"}, "it must end in /v1"},
		"no such provider":            {[]string{"--provider", "clade-code", "--model", "x/m"}, "use one of scripted, claude-code, codex, command, opencode"},
		"no key of the provider's":    {[]string{"--provider", "claude-code", "--model", "anthropic/claude-sonnet-4-5"}, "ANTHROPIC_API_KEY, which is to hold the model's API key, is empty"},
		"a program that is not there": {[]string{"--provider", "codex", "--model", "x/m", "--model-base-url", "http://127.0.0.1:1/v1", "--codex-bin", "no-such-codex"}, "Codex is not there"},
	} {
		t.Run(name, func(t *testing.T) {
			r.flags = nil
			ran := r.run(t, append([]string{"run", "agent_direct", "1", "--scenario", "repo-view-001", "--gh-command", "true"}, c.flags...)...)
			assert.Equal(t, 2, ran.code, "%s%s", ran.stdout, ran.stderr)
			assert.Contains(t, ran.stderr, c.want)
		})
	}
}
