package benchcli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// modelKey is what the stub of the model takes as its key.
const modelKey = "sk-the-real-key-of-the-model"

// rig is a model, and the command line with agents that have it.
type rig struct {
	model *stubmodel.Server
	// dir is the folder that the command runs in, temp the one that it has for
	// temporary files.
	dir, temp string
	env       []string
	flags     []string
	// pid is the number of the command's process while it runs.
	pid atomic.Int64
}

// newRig serves a model to agents whose programs are real ones.
func newRig(t testing.TB, plan func(stubmodel.Request) []stubmodel.Step) *rig {
	t.Helper()
	return newRigWith(t, "opencode", realtool.Tool{Name: "opencode", Variable: "BENCH_OPENCODE", Mend: "npm install -g opencode-ai@" + opencode.Version}, plan)
}

// newRigWith serves a model to agents of a provider, whose program is a real
// one.
func newRigWith(t testing.TB, provider string, program realtool.Tool, plan func(stubmodel.Request) []stubmodel.Step) *rig {
	t.Helper()
	testkit.NeedComplete(t)
	testkit.NeedShell(t)
	bin := realtool.Find(t, program)
	model := &stubmodel.Server{Plan: plan, Key: modelKey}
	endpoint, err := model.Listen(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, endpoint.Close()) })
	dir, temp := t.TempDir(), t.TempDir()
	// As folders are that people work in: agents' users can enter them.
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	prices := filepath.Join(dir, "prices.json")
	require.NoError(t, os.WriteFile(prices, []byte(`{"default_model": "stub/m", "expectations": {},
		"pricing": {"stub/m": {"input": 2, "output": 10, "cache_read": 0.2, "cache_write": 0}}}`), 0o600))
	return &rig{
		model: model, dir: dir, temp: temp,
		env: append(os.Environ(), "STUB_KEY="+modelKey, "TMPDIR="+temp),
		flags: []string{
			"--provider", provider, "--" + provider + "-bin", bin, "--model", "stub/m", "--model-base-url", endpoint.URL,
			"--model-api-key-env", "STUB_KEY", "--expectations-config", prices,
		},
	}
}

// ended is how a command ended.
type ended struct {
	code   int
	stdout string
	stderr string
	took   time.Duration
}

// run runs the command line with the rig's agents.
func (r *rig) run(t testing.TB, args ...string) ended {
	t.Helper()
	cmd := benchIn(r.dir, slices.Concat(args[:1], r.flags, args[1:])...)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = r.env, &stdout, &stderr
	began := time.Now()
	require.NoError(t, cmd.Start())
	r.pid.Store(int64(cmd.Process.Pid))
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return ended{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), time.Since(began)}
}

// rows returns the rows of the rig's runs, by mode.
func (r *rig) rows(t testing.TB) map[bench.Mode][]bench.Row {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(r.dir, ".bench", "*", "*-suite.jsonl"))
	require.NoError(t, err)
	rows := map[bench.Mode][]bench.Row{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			var row bench.Row
			require.NoError(t, json.Unmarshal([]byte(line), &row))
			rows[row.Mode] = append(rows[row.Mode], row)
		}
	}
	return rows
}

// bash is the call of a shell command.
func bash(command string) stubmodel.Call { return stubmodel.Shell(command) }

// task is what a prompt asks for.
type task struct {
	capability, repo string
	input            json.RawMessage
	// Of the input.
	PRNumber, RunID int64
}

var taskLines = regexp.MustCompile(`(?m)^(Task|Repository|Input): (.*)$`)

// taskOf reads the prompt that begins a conversation.
func taskOf(r stubmodel.Request) task {
	var t task
	for _, m := range r.Messages {
		if m.Role != "user" {
			continue
		}
		for _, found := range taskLines.FindAllStringSubmatch(m.Text, -1) {
			switch found[1] {
			case "Task":
				t.capability = found[2]
			case "Repository":
				t.repo = found[2]
			case "Input":
				t.input = json.RawMessage(found[2])
				// A prompt without a readable input shows in what the agent does.
				_ = json.Unmarshal(t.input, &t)
			}
		}
	}
	return t
}

// lastResult is what the last tool has returned, without what an agent says
// before it.
func lastResult(r stubmodel.Request) string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "tool" {
			text := r.Messages[i].Text
			return text[max(0, strings.IndexByte(text, '{')):]
		}
	}
	return ""
}

// envelope is an answer to an atomic scenario.
func envelope(data map[string]any) string {
	text, err := json.Marshal(map[string]any{"ok": true, "data": data, "error": nil, "meta": map[string]any{}})
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// thinking is how long the model takes for an answer: most of the time, as
// real ones do.
const thinking = 400 * time.Millisecond

// withGH plays an agent that looks before it acts, with gh.
func withGH(r stubmodel.Request) []stubmodel.Step {
	t := taskOf(r)
	spent := func(prompt int64) stubmodel.Usage {
		return stubmodel.Usage{Prompt: prompt, Cached: prompt / 4, Completion: 200, Reasoning: 50}
	}
	var look, act string
	var answer map[string]any
	switch t.capability {
	case "pr.merge":
		look = fmt.Sprintf("gh pr view %d --repo %s --json state,mergeable,mergeStateStatus", t.PRNumber, t.repo)
		act = fmt.Sprintf("gh pr merge %d --repo %s --squash && echo merged", t.PRNumber, t.repo)
		answer = map[string]any{"prNumber": t.PRNumber, "method": "squash", "isMethodAssumed": false, "queued": false, "deleteBranch": false}
	case "pr.checks.rerun.all":
		look = fmt.Sprintf("gh pr checks %d --repo %s", t.PRNumber, t.repo)
		act = fmt.Sprintf("gh run rerun %d --repo %s", t.RunID, t.repo)
		answer = map[string]any{"runId": t.RunID, "queued": true}
	}
	return []stubmodel.Step{
		{Calls: []stubmodel.Call{bash(look)}, Latency: thinking, Usage: spent(8000)},
		{Calls: []stubmodel.Call{bash(act)}, Latency: thinking, Usage: spent(9000)},
		{Text: envelope(answer), Latency: thinking, Usage: spent(10000)},
	}
}

// completed returns what ghx has said as an envelope; ghx leaves out what is
// null.
func completed(said string) string {
	var result struct {
		OK    bool           `json:"ok"`
		Data  any            `json:"data"`
		Error any            `json:"error"`
		Meta  map[string]any `json:"meta"`
	}
	if err := json.Unmarshal([]byte(said), &result); err != nil {
		return said
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// withGHX plays an agent that runs the capability and tells what it said.
func withGHX(r stubmodel.Request) []stubmodel.Step {
	t := taskOf(r)
	return []stubmodel.Step{
		{Calls: []stubmodel.Call{bash(fmt.Sprintf("ghx run %s --verbose --input - <<'EOF'\n%s\nEOF", t.capability, t.input))}, Latency: thinking,
			Usage: stubmodel.Usage{Prompt: 8000, Cached: 2000, Completion: 150}},
		{Text: completed(lastResult(r)), Latency: thinking, Usage: stubmodel.Usage{Prompt: 9000, Cached: 3000, Completion: 100}},
	}
}

// withMCP plays an agent that works with the tools of GitHub's MCP server.
func withMCP(r stubmodel.Request) []stubmodel.Step {
	t := taskOf(r)
	repo := map[string]any{"owner": "aryeko", "repo": "ghx-bench-fixtures"}
	var tool string
	var answer map[string]any
	switch t.capability {
	case "pr.merge":
		tool, repo["pullNumber"], repo["merge_method"] = "merge_pull_request", t.PRNumber, "squash"
		answer = map[string]any{"prNumber": t.PRNumber, "method": "squash", "isMethodAssumed": false, "queued": false, "deleteBranch": false}
	case "pr.checks.rerun.all":
		tool, repo["run_id"] = "rerun_workflow_run", t.RunID
		answer = map[string]any{"runId": t.RunID, "queued": true}
	}
	return []stubmodel.Step{
		{Calls: []stubmodel.Call{stubmodel.Tool("github", tool, repo)}, Usage: stubmodel.Usage{Prompt: 20000, Completion: 100}},
		{Text: envelope(answer), Usage: stubmodel.Usage{Prompt: 21000, Completion: 100}},
	}
}

// byMode plays an agent by the command that it was told to use.
func byMode(r stubmodel.Request) []stubmodel.Step {
	if strings.Contains(r.System(), "`ghx` command") {
		return withGHX(r)
	}
	return withGH(r)
}

// requireTokensAsCharged fails unless the rows' tokens are what the model has
// told, warm-ups aside.
func requireTokensAsCharged(t *testing.T, model *stubmodel.Server, rows []bench.Row) {
	t.Helper()
	for _, row := range rows {
		charged := model.Charged(func(r stubmodel.Request) bool { return row.SessionID != nil && r.Session() == *row.SessionID })
		assert.Positive(t, charged.Total())
		assert.Equal(t, charged.Total(), row.Tokens.Total, row.Cell())
		assert.Equal(t, charged.Cached, row.Tokens.CacheRead, row.Cell())
		assert.Equal(t, charged.Completion, row.Tokens.Output+row.Tokens.Reasoning, row.Cell())
		// Anthropic's API does not tell it.
		if !strings.HasPrefix(row.Tools["agent"], "claude-code") {
			assert.Equal(t, charged.Reasoning, row.Tokens.Reasoning, row.Cell())
		}
		require.NotNil(t, row.Wire)
		assert.Equal(t, charged.Total(), row.Wire.Tokens.Total, "%s: counted at the model's API", row.Cell())
		_, doubt := row.WireDoubt()
		assert.Empty(t, doubt, row.Cell())
	}
}

// requireNoSecret fails if a file of the rig's folder has the model's key.
func (r *rig) requireNoSecret(t *testing.T) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		assert.NotContains(t, string(data), modelKey, path)
		return err
	}))
}

func TestARealAgentWorksWithGH(t *testing.T) {
	t.Parallel()
	r := newRig(t, withGH)
	gh := realtool.Find(t, realtool.GH())
	ran := r.run(t, "run", "agent_direct", "2", "--scenario-set", "ci-verify-pr", "--gh-command", gh, "--isolation", "require")
	if os.Geteuid() != 0 {
		require.Equal(t, 3, ran.code, ran.stderr)
		require.Contains(t, ran.stderr, "cannot hold agents as --isolation require demands")
		ran = r.run(t, "run", "agent_direct", "2", "--scenario-set", "ci-verify-pr", "--gh-command", gh)
	}
	require.Zero(t, ran.code, ran.stderr)
	rows := r.rows(t)[bench.AgentDirect]
	require.Len(t, rows, 4)
	for _, row := range rows {
		assert.True(t, row.Success, "%s: %+v", row.Cell(), row.Error)
		assert.Equal(t, 2, row.ToolCalls)
		require.NotNil(t, row.APIRequests)
		assert.Positive(t, row.APIRequests.REST+row.APIRequests.GraphQL)
		assert.Positive(t, row.Cost)
		assert.False(t, row.Simulated)
		assert.Equal(t, "opencode "+opencode.Version, row.Tools["agent"])
		assert.NotEmpty(t, row.Tools["gh"])
		assert.NotEmpty(t, row.Tools["egress"])
		assert.NotEmpty(t, row.Tools["processes"])
	}
	requireTokensAsCharged(t, r.model, rows)
	r.requireNoSecret(t)
}

func TestARealAgentWorksWithTheMCPServer(t *testing.T) {
	t.Parallel()
	r := newRig(t, withMCP)
	server := realtool.Find(t, realtool.MCPServer())
	ran := r.run(t, "run", "mcp", "1", "--scenario-set", "ci-verify-pr", "--mcp-command", server, "--skip-warmup")
	require.Zero(t, ran.code, ran.stderr)
	rows := r.rows(t)[bench.MCP]
	require.Len(t, rows, 2)
	for _, row := range rows {
		assert.True(t, row.Success, "%s: %+v", row.Cell(), row.Error)
		assert.Equal(t, 1, row.ToolCalls)
		require.NotNil(t, row.APIRequests)
		assert.Equal(t, 1, row.APIRequests.REST)
	}
	requireTokensAsCharged(t, r.model, rows)
	for _, asked := range r.model.Requests() {
		assert.NotContains(t, asked.Tools, "bash", "an agent with the MCP server has no shell")
	}
}

func TestTheGatePassesAGHXThatSavesCalls(t *testing.T) {
	r := newRig(t, byMode)
	gh, ghx := realtool.Find(t, realtool.GH()), realtool.Find(t, realtool.GHX())
	skill := filepath.Join(r.dir, "SKILL.md")
	require.NoError(t, os.WriteFile(skill, []byte("Run `ghx run CAPABILITY --input -`."), 0o600))
	ran := r.run(t, "verify", "--repetitions", "3", "--gh-command", gh, "--ghx-command", ghx, "--ghx-skill", skill)
	assert.Zero(t, ran.code, "%s%s", ran.stdout, ran.stderr)
	assert.Contains(t, ran.stdout, "PASS")
	for _, rows := range r.rows(t) {
		requireTokensAsCharged(t, r.model, rows)
	}
	r.requireNoSecret(t)
}
