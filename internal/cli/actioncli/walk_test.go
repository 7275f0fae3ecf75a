package actioncli_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
)

// Where a pull request is from.
const (
	fromBranch     = "a branch of this repository"
	fromFork       = "a fork"
	fromDependabot = "Dependabot"
)

func origins() []string { return []string{fromBranch, fromFork, fromDependabot} }

// from returns a runner for a pull request of that origin, whose own workflow lacks the
// key where GitHub gives none, and which measures as little as it can.
func from(t *testing.T, origin string) *runner {
	t.Helper()
	r := newRunner(t)
	r.inputs["scenarios"], r.inputs["repetitions"] = "pr-view-001", "1"
	if origin == fromFork {
		r.forked()
	}
	r.trusted() // what a fork's token may not write is nowhere else
	return r
}

// secretless has the event be one of the pull request's own workflow, without secrets.
func (r *runner) secretless(origin string) {
	if origin == fromBranch {
		return
	}
	if origin == fromDependabot {
		r.env["GITHUB_ACTOR"] = "dependabot[bot]"
	}
	r.ofModel()
}

// happening is something on GitHub, and the event that it is.
type happening struct {
	what string
	// event sets the event. It returns false where there is none of that origin.
	event func(r *runner, origin string) bool
}

func happenings() []happening {
	pull := func(action string, change, more map[string]any) func(*runner, string) bool {
		return func(r *runner, origin string) bool {
			of := maps.Collect(maps.All(change))
			if origin == fromFork {
				of["head"] = map[string]any{"sha": r.head, "ref": "main", "repo": map[string]any{"full_name": forkName, "id": 2}}
			}
			r.pullRequestWith(action, of, more)
			r.secretless(origin)
			return true
		}
	}
	return []happening{
		{"a push", pull("synchronize", nil, nil)},
		{"its title is edited", pull("edited", nil, nil)},
		{"its base branch is changed", pull("edited", nil, map[string]any{"changes": map[string]any{"base": map[string]any{"ref": map[string]any{"from": "v1"}}}})},
		{"a push, and it is a draft", pull("synchronize", map[string]any{"draft": true}, nil)},
		{"it is closed", pull("closed", map[string]any{"state": "closed"}, nil)},
		{"`pull_request_target` of anything", func(r *runner, origin string) bool {
			pull("synchronize", nil, nil)(r, origin)
			r.env["GITHUB_EVENT_NAME"] = "pull_request_target"
			return true
		}},
		{"the end of its workflow (`workflow_run`)", func(r *runner, origin string) bool {
			change := map[string]any(nil)
			if origin == fromFork {
				change = ofFork()
			}
			r.ranElsewhere(change)
			return true
		}},
		{"a merge queue has it", func(r *runner, _ string) bool {
			r.event("merge_group", map[string]any{"action": "checks_requested", "merge_group": map[string]any{"head_sha": r.head, "base_sha": r.head, "base_ref": "refs/heads/main"}})
			return true
		}},
		{"a push to its branch (`push`)", func(r *runner, origin string) bool {
			r.event("push", map[string]any{"ref": "refs/heads/change", "before": r.head, "after": r.head, "head_commit": map[string]any{"message": "x"}})
			r.secretless(origin)
			return origin != fromFork // that is a push to another repository
		}},
		{"started by hand with its commit", func(r *runner, _ string) bool {
			r.event("workflow_dispatch", map[string]any{"inputs": map[string]any{"sha": r.head}})
			return true
		}},
	}
}

// outcome says in a few words what came of an event.
func (r *runner) outcome(ended ended, comment int) string {
	r.t.Helper()
	if checks := r.checks(); len(checks) > 0 {
		if strings.Contains(ended.log, "$ bench verify") {
			return map[any]string{"bench": "measured", "bench (partial)": "measured apart"}[checks[0]["name"]]
		}
		assert.NotContains(r.t, []string{"success", "neutral", "skipped"}, checks[0]["conclusion"], ended.log)
		assert.NotEmpty(r.t, ended.summary, "it is said why")
		return fmt.Sprintf("`%s`", checks[0]["conclusion"])
	}
	assert.NotContains(r.t, ended.log, "$ bench ", "what is run has a check")
	if comment == 0 {
		return "nothing"
	}
	switch strings.Join(r.reactions(comment), "") {
	case "":
		return "nothing"
	case "+1":
		return "an answer"
	default:
		return "refused"
	}
}

// table is what comes of each, by origin.
type table struct {
	mu    sync.Mutex
	cells map[string]map[string]string
}

func (w *table) set(t *testing.T, what, origin, came string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cells == nil {
		w.cells = map[string]map[string]string{}
	}
	if w.cells[what] == nil {
		w.cells[what] = map[string]string{}
	}
	if before := w.cells[what][origin]; before != "" {
		assert.Equal(t, before, came, "%s, of %s: who may not write is one as another", what, origin)
	}
	w.cells[what][origin] = came
}

// alike groups the commands by what comes of them.
func (w *table) alike(who string) (groups [][]string) {
	for _, said := range commands() {
		at := slices.IndexFunc(groups, func(group []string) bool {
			return maps.Equal(w.cells[group[0]+" by "+who], w.cells[said+" by "+who])
		})
		if at < 0 {
			groups = append(groups, []string{said})
		} else {
			groups[at] = append(groups[at], said)
		}
	}
	return groups
}

// says has somebody comment, or a bot that may write.
func (r *runner) says(login string, bot bool, body string) int {
	if !bot {
		return r.commented(login, body)
	}
	id := r.commented("writer", body)
	text, err := os.ReadFile(r.env["GITHUB_EVENT_PATH"])
	require.NoError(r.t, err)
	var event map[string]any
	require.NoError(r.t, json.Unmarshal(text, &event))
	event["comment"].(map[string]any)["user"].(map[string]any)["type"] = "Bot"
	r.event("issue_comment", event)
	return id
}

// commands are what can be said, HEAD being the head commit.
func commands() []string {
	return []string{
		"/bench run", "/bench run verify_release", "/bench approve HEAD", "/bench approve " + strings.Repeat("0d", 20), "/bench status", "/bench help",
		"/bench retry", "/bench cancel", "/bench explain pr-view-001", "/bench rnu", "> /bench run",
	}
}

// Each event, of each origin, and each command of anybody: who gets something measured,
// and what the check says where nobody does. The documentation has the table.
func TestWhatTheActionDoesIsInTheDocumentation(t *testing.T) {
	testkit.NeedComplete(t)
	var came table
	t.Run("events", func(t *testing.T) {
		for _, h := range happenings() {
			for _, origin := range origins() {
				t.Run(h.what+" of "+origin, func(t *testing.T) {
					t.Parallel()
					r := from(t, origin)
					if !h.event(r, origin) {
						came.set(t, h.what, origin, "–")
						return
					}
					came.set(t, h.what, origin, r.outcome(r.run(), 0))
				})
			}
		}
	})
	writer, others, bot := "somebody who may write", "anybody else", "a bot or an App"
	t.Run("commands", func(t *testing.T) {
		for _, login := range []string{"owner", "writer", "triager", "reader", "stranger", bot} {
			for _, origin := range origins() {
				t.Run(login+" of "+origin, func(t *testing.T) {
					t.Parallel()
					who := map[string]string{"owner": writer, "writer": writer, bot: bot}[login]
					who = cmp.Or(who, others)
					for _, said := range commands() {
						r := from(t, origin)
						if strings.HasPrefix(said, "/bench run verify") {
							r.inputs["gate-profile"] = "verify_pr" // so that it is something else
						}
						id := r.says(login, login == bot, strings.ReplaceAll(said, "HEAD", r.head))
						came.set(t, said+" by "+who, origin, r.outcome(r.run(), id))
					}
				})
			}
		}
	})
	var out strings.Builder
	out.WriteString("| a pull request from | " + strings.Join(origins(), " | ") + " |\n|---|---|---|---|\n")
	row := func(what, key string) {
		fmt.Fprintf(&out, "| %s |", what)
		for _, origin := range origins() {
			fmt.Fprintf(&out, " %s |", came.cells[key][origin])
		}
		out.WriteString("\n")
	}
	for _, h := range happenings() {
		row(h.what, h.what)
	}
	for _, who := range []string{writer, others, bot} {
		for _, alike := range came.alike(who) {
			var shown []string
			for _, said := range alike {
				said = strings.NewReplacer("HEAD", "<its head>", strings.Repeat("0d", 20), "<another commit>").Replace(said)
				shown = append(shown, "`"+said+"`")
			}
			row(strings.Join(shown, ", ")+" by "+who, alike[0]+" by "+who)
		}
	}
	const page, begin, end = "../../../docs/conclusion.md", "<!-- begin events -->\n", "<!-- end events -->\n"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found)
	testkit.CheckGolden(t, "the docs tell what the action does", page, []byte(before+begin+out.String()+end+after))

	for what, cells := range came.cells {
		measured := strings.HasPrefix(what, "/bench approve HEAD by "+writer) || what == "a merge queue has it" || what == "started by hand with its commit"
		assert.Equal(t, measured, cells[fromFork] == "measured", "%s, of a fork: %s", what, cells[fromFork])
	}
}
