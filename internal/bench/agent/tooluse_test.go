package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// shell is a call of a shell's line.
func shell(line, output, failure string) agent.ToolCall {
	input, _ := json.Marshal(map[string]string{"command": line})
	return agent.ToolCall{Name: "bash", Input: input, Output: output, Error: failure}
}

func usesOf(calls ...agent.ToolCall) []bench.ToolUse {
	message := agent.Message{Role: agent.Assistant}
	for _, call := range calls {
		message.Parts = append(message.Parts, agent.Part{Type: agent.PartTool, Tool: &call})
	}
	return agent.Measure(agent.Transcript{Messages: []agent.Message{message}}).ToolUse
}

func TestCommandsAreNamedWithTheirSubcommands(t *testing.T) {
	for line, want := range map[string][]string{
		`gh pr view 12 --json title`:                  {"gh pr view"},
		`GH_HOST=x /usr/bin/gh issue list`:            {"gh issue list"},
		`ghx run pr.view --input '{"a":1}'`:           {"ghx run pr.view"},
		`git push origin main`:                        {"git push"},
		`gh api repos/o/r/issues`:                     {"gh api"},
		`gh label create Bug`:                         {"gh label create"},
		`cd work && gh repo view | jq .name`:          {"cd", "jq", "gh repo view"},
		`for n in 1 2; do gh issue close $n; done`:    {"gh issue close"},
		`bash -lc 'gh pr merge 5 --squash'`:           {"gh pr merge"},
		`echo "$(gh auth status)"`:                    {"echo", "gh auth status"},
		`x=$(mytool list things today); test -n "$x"`: {"mytool list things", "test"},
		`$TOOL run`:                            {"bash"},
		`if then (`:                            {"bash"},
		``:                                     {"bash"},
		`gh pr comment 5 --body "gh pr close"`: {"gh pr comment"},
		`gh secret set ghp_S3cretS3cretS3cretS3cret0000`: {"gh secret set"},
	} {
		var names []string
		for _, use := range usesOf(shell(line, "", "")) {
			names = append(names, use.Name)
		}
		assert.ElementsMatch(t, want, names, line)
	}
}

func TestShellsOfAllAgentsAreReadAlike(t *testing.T) {
	for _, input := range []string{`{"command":"gh pr view 1"}`, `{"command":["bash","-lc","gh pr view 1"]}`, `{"cmd":"gh pr view 1"}`, `{"command":"/bin/bash -lc 'gh pr view 1'"}`} {
		for _, name := range []string{"bash", "Bash", "exec_command", "command_execution"} {
			uses := usesOf(agent.ToolCall{Name: name, Input: json.RawMessage(input)})
			assert.Equal(t, []bench.ToolUse{{Name: "gh pr view", Calls: 1}}, uses, "%s %s", name, input)
		}
	}
}

func TestToolUseTellsWhatWentWrong(t *testing.T) {
	const failed = "exit status 1"
	uses := usesOf(
		shell("gh pr view --foo", "unknown flag: --foo", failed), // written wrongly
		shell("gh pr view 7", "not found", failed),               // tried again
		shell("gh pr view 8", "hello", ""),                       // tried again, and well
		shell("gh pr merge 8", "conflict", failed),
		agent.ToolCall{Name: "github_get_issue", Error: "missing required parameter: owner"},
		shell("grep x y; gh pr merge 8", "conflict!", failed),
	)
	assert.Equal(t, []bench.ToolUse{
		{Name: "gh pr view", Calls: 3, Errors: 2, BadArguments: 1, Retries: 2, Bytes: 33},
		{Name: "gh pr merge", Calls: 2, Errors: 2, Retries: 1, DeadEnds: 2, Bytes: 17},
		{Name: "github_get_issue", Calls: 1, Errors: 1, BadArguments: 1, DeadEnds: 1},
		{Name: "grep", Calls: 1},
	}, uses)
}

func TestToolUseIsBounded(t *testing.T) {
	var calls []agent.ToolCall
	for i := range 3 * bench.MaxToolUse {
		calls = append(calls, agent.ToolCall{Name: "tool_" + string(rune('a'+i%26)) + string(rune('a'+i/26))})
	}
	assert.Len(t, usesOf(append(calls, calls[5])...), bench.MaxToolUse)
	assert.Len(t, usesOf(agent.ToolCall{Name: strings.Repeat("é", 5000)})[0].Name, 100)
	assert.Equal(t, bench.ToolUse{Name: "tool_fa", Calls: 2}, usesOf(append(calls, calls[5])...)[0], "the most used are kept")
}

func TestHostileLinesAreCountedForTheShell(t *testing.T) {
	for _, unit := range []string{"$(", "(", "{ ", "`", "${x:-", "$((", "bash -c '", "bash -c \""} {
		for _, size := range []int{10, 4 << 10, 8 << 20} {
			uses := usesOf(shell(strings.Repeat(unit, size/len(unit)), "", ""))
			assert.Len(t, uses, 1, "%q, %d bytes", unit, size)
		}
	}
}
