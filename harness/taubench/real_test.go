package taubench_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/taubench"
)

// stub is a model's API that plays the agent, the user and the judge.
func stub(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var asked struct {
			Model    string `json:"model"`
			Messages []struct {
				Role    string `json:"role"`
				Content any    `json:"content"`
			} `json:"messages"`
		}
		if err := json.NewDecoder(req.Body).Decode(&asked); err != nil || len(asked.Messages) == 0 {
			http.Error(w, "want messages", http.StatusBadRequest)
			return
		}
		last := asked.Messages[len(asked.Messages)-1]
		text, _ := last.Content.(string)
		reply := map[string]any{"role": "assistant"}
		switch {
		case asked.Model == "stub-user" && strings.Contains(text, "is created"):
			reply["content"] = "###STOP###"
		case asked.Model == "stub-user":
			reply["content"] = "Create a task called Important Meeting for user_1."
		case asked.Model != "stub-agent":
			reply["content"] = `{"results": [{"expectedOutcome": "", "reasoning": "", "metExpectation": true}]}`
		case last.Role == "tool":
			reply["content"] = "The task is created."
		default:
			reply["content"] = nil
			reply["tool_calls"] = []any{map[string]any{"id": "call_1", "type": "function", "function": map[string]any{
				"name": "create_task", "arguments": `{"user_id": "user_1", "title": "Important Meeting"}`,
			}}}
		}
		w.Header().Set("Content-Type", "application/json")
		// A caller that is gone needs no answer.
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": "1", "object": "chat.completion", "created": 1, "model": asked.Model,
			"choices": []any{map[string]any{"index": 0, "message": reply, "finish_reason": "stop"}},
			"usage":   map[string]any{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
		})
	}))
	t.Cleanup(server.Close)
	return server
}

// BENCH_TAU2_PYTHON is a Python with tau2 installed from its source, the
// pinned revision or a newer one.
func TestRealTau2(t *testing.T) {
	python := os.Getenv("BENCH_TAU2_PYTHON")
	if python == "" {
		t.Skip("BENCH_TAU2_PYTHON is not set")
	}
	data, err := exec.CommandContext(t.Context(), python, "-c", "from tau2.utils.utils import DATA_DIR; print(DATA_DIR)").Output()
	require.NoError(t, err)
	r := newRig(t, "")
	r.agent(t, "from tau2.agent.llm_agent import LLMAgent\n\n\nclass HarnessAgent(LLMAgent):\n    pass\n")
	dir := strings.TrimSpace(string(data[strings.LastIndex(strings.TrimSpace(string(data)), "\n")+1:]))
	require.NoError(t, os.MkdirAll(r.Host.Dir+"/tau2_data", 0o755))
	require.NoError(t, os.Symlink(dir+"/tau2", r.Host.Dir+"/tau2_data/tau2"))
	o := taubench.Defaults(r.Host, "mock")
	o.Python, o.Split = python, "base"
	o.Agent.Model, o.UserModel = "openai/stub-agent", "openai/stub-user"
	o.Host.Environ = append(o.Host.Environ, "HOME="+t.TempDir(), "OPENAI_BASE_URL="+stub(t).URL+"/v1", "NO_PROXY=127.0.0.1")
	runner, err := taubench.New(o)
	require.NoError(t, err)
	results, err := runner.Run(t.Context(), []string{"create_task_1", "update_task_1"})
	require.NoError(t, err, r.log)
	t.Logf("%s%v", r.log, results)
	assert.Equal(t, harness.Reward(1), results["create_task_1"])
	assert.Equal(t, 0.0, results["update_task_1"].Score)
	assert.Equal(t, harness.Scored, results["update_task_1"].Status)
	assert.Len(t, r.seen, 2)

	_, err = runner.Run(t.Context(), []string{"create_task_1", "no_such_task"})
	require.ErrorContains(t, err, `"no_such_task" (no split has it)`)
	assert.Len(t, r.saves(t), 0)
}
