package appcli_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// thinking is how long a model takes for an answer.
const thinking = 400 * time.Millisecond

// bash is the call of a shell command.
func bash(command string) stubmodel.Call {
	return stubmodel.Call{Name: "bash", Arguments: map[string]string{"command": command, "description": "work"}}
}

// task is what a prompt asks for.
type task struct {
	capability, repo, input string
	PRNumber                int64
}

var taskLines = regexp.MustCompile(`(?m)^(Task|Repository|Input): (.*)$`)

// taskOf reads the prompt that begins a conversation.
func taskOf(r stubmodel.Request) (t task) {
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
			default:
				t.input = found[2]
				// A prompt without a readable input shows in what the agent does.
				_ = json.Unmarshal([]byte(t.input), &t)
			}
		}
	}
	return t
}

// heard returns what tools have told a model.
func heard(r stubmodel.Request) (all []string) {
	for _, m := range r.Messages {
		if m.Role == "tool" {
			all = append(all, m.Text)
		}
	}
	return all
}

// last returns the last text, empty if there is none.
func last(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[len(texts)-1]
}

// envelope is an answer to an atomic scenario: what ghx has said, which leaves
// out what is null, or what gh has as data.
func envelope(data string) string {
	result := struct {
		OK    bool            `json:"ok"`
		Data  json.RawMessage `json:"data"`
		Error any             `json:"error"`
		Meta  map[string]any  `json:"meta"`
	}{OK: true, Data: json.RawMessage(data), Meta: map[string]any{}}
	if strings.Contains(data, `"meta"`) {
		if err := json.Unmarshal([]byte(data), &result); err != nil {
			return err.Error()
		}
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err.Error() + ": " + data
	}
	return string(text)
}

// proposedGHX is a ghx with two capabilities, which gh does for it, and proposedBuild
// the script that makes it.
const (
	proposedGHX = `#!/bin/sh
case "$1" in
--version) echo 0.9.9; exit ;;
capabilities) echo '[{"capability_id": "pr.view"}, {"capability_id": "pr.merge"}]'; exit ;;
esac
number=$(sed -n 's/.*"prNumber": *\([0-9]*\).*/\1/p')
set -- "$2" "$number" aryeko/ghx-bench-fixtures
case "$1" in
repo.view) gh repo view "$3" --json name ;;
pr.view) gh pr view "$2" --repo "$3" --json id,number,title,state,url,labels --jq '{id,number,title,state,url,labels:[.labels[].name]}' ;;
pr.merge) gh pr merge "$2" --repo "$3" --squash >&2 && echo '{"prNumber":'$2',"method":"squash","isMethodAssumed":false,"queued":false,"deleteBranch":false}' ;;
esac | sed 's/.*/{"ok":true,"data":&,"meta":{"route_used":"graphql"}}/'
`
	proposedBuild = "mkdir out && cp ghx.sh out/ghx && chmod +x out/ghx && echo was built"
	proposedSkill = "Run `ghx run CAPABILITY --input -`.\n"
)

// nosy lets the first agent of each mode look around before it works.
type nosy struct {
	mu       sync.Mutex
	sessions map[bool]string
}

// is reports whether it is the agent of that session.
func (n *nosy) is(ghx bool, session string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.sessions[ghx] == "" {
		n.sessions[ghx] = session
	}
	return n.sessions[ghx] == session
}

// agents plays agents that work. Those with gh need more for it.
func agents(around func() string) func(stubmodel.Request) []stubmodel.Step {
	first := &nosy{sessions: map[bool]string{}}
	return func(r stubmodel.Request) []stubmodel.Step {
		t := taskOf(r)
		if t.capability == "" {
			return nil // it warms up
		}
		ghx := strings.Contains(r.System(), "`ghx` command")
		var steps []stubmodel.Step
		does := func(prompt int64, latency time.Duration, command string) {
			steps = append(steps, stubmodel.Step{
				Calls: []stubmodel.Call{bash(command)}, Latency: latency,
				Usage: stubmodel.Usage{Prompt: prompt, Cached: prompt / 4, Completion: 200, Reasoning: 50},
			})
		}
		if first.is(ghx, r.Session()) {
			does(1000, 0, around())
		}
		if ghx {
			does(5000, thinking, fmt.Sprintf("ghx run %s --verbose --input - <<'EOF'\n%s\nEOF", t.capability, t.input))
		} else {
			does(9000, 2*thinking, fmt.Sprintf("gh pr view %d --repo %s", t.PRNumber, t.repo))
			does(9000, 2*thinking, withGH(t))
		}
		return append(steps, stubmodel.Step{
			Text: envelope(last(heard(r))), Latency: thinking, Usage: stubmodel.Usage{Prompt: 9000, Cached: 3000, Completion: 100},
		})
	}
}

// withGH is a command that does a task, and prints its answer.
func withGH(t task) string {
	if t.capability == "pr.merge" {
		return fmt.Sprintf(`gh pr merge %[1]d --repo %[2]s --squash >&2 && echo '{"prNumber":%[1]d,"method":"squash","isMethodAssumed":false,"queued":false,"deleteBranch":false}'`, t.PRNumber, t.repo)
	}
	return fmt.Sprintf("gh pr view %d --repo %s --json id,number,title,state,url,labels --jq '{id,number,title,state,url,labels:[.labels[].name]}'", t.PRNumber, t.repo)
}
