package actioncli_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestCommands(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.commented("writer", "/bench help")
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Contains(t, r.comments()[1], "/bench run")
	r.deleteComments()

	r.commented("writer", "/bench run --repetitions 4")
	ended = r.run()
	require.Zero(t, ended.code, ended.log)
	require.Len(t, r.checks(), 1)
	assert.Equal(t, "bench (partial)", r.checks()[0]["name"], "the inputs say something else")
	assert.Equal(t, "neutral", r.checks()[0]["conclusion"])
	comments := r.comments()
	require.Len(t, comments, 3, "the command, what will be run, and the verdict")
	assert.Contains(t, comments[2], allPassed)

	r.commented("writer", "/bench run --repetitions "+r.inputs["repetitions"])
	require.Zero(t, r.run().code)
	assert.ElementsMatch(t, []any{"bench", "bench (partial)"}, []any{r.checks()[0]["name"], r.checks()[1]["name"]})
	assert.Len(t, r.comments(), 6, "each has a comment of its own")

	for i, login := range []string{"writer", "stranger"} {
		r.commented(login, " /Bench STATUS")
		require.Zero(t, r.run().code)
		require.Len(t, r.comments(), 8+2*i)
		assert.Contains(t, r.comments()[7+2*i], "PASS (simulated): "+allPassed)
	}

	r.commented("writer", "what about /bench run?")
	require.Zero(t, r.run().code)
	assert.Len(t, r.comments(), 11, "that is no command")
}

// Whoever comments gets one comment of ours for what leads to nothing, which says why.
func TestWhyACommandLeadsToNothingIsToldApart(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	commit := strings.Repeat("0d", 20)
	for _, c := range []struct{ login, body, says, reaction string }{
		{"reader", "/bench run", "it needs write permission", "-1"},
		{"reader", "/bench", "it needs write permission", "-1"},
		{"reader", "/bench approve " + commit, "it needs write permission", "-1"},
		{"reader", "/bench rnu", "`rnu` is no command (did you mean `run`?)", "confused"},
		{"reader", "/bench cancel", "that command is for the App", "confused"},
		{"reader", "/bench explain pr-merge-001", "that command is for the App", "confused"},
		{"reader", "/bench help", "| `/bench status` |", "+1"},
		{"reader", "/bench status", "There is no run of **bench**", "+1"},
		{"triager", "/bench", "it needs write permission", "-1"},
		{"writer", "/bench retry", "that command is for the App", "confused"},
		{"writer", "/bench run --modes gxh,ghx", "`gxh` is no mode (did you mean `ghx`?)", "confused"},
		{"writer", "/bench approve " + r.head, "on a branch of this repository", "confused"},
		{"writer", "/bench approve " + r.head[:12], "give all 40 digits", "confused"},
	} {
		id := r.commented(c.login, c.body)
		ended := r.run()
		require.Zero(t, ended.code, ended.log)
		assert.Contains(t, r.answerTo(c.login), c.says, "%s: %s", c.login, c.body)
		assert.Equal(t, []string{c.reaction}, r.reactions(id), "%s: %s", c.login, c.body)
	}
	assert.Empty(t, r.checks(), "nothing was run")
	for _, login := range []string{"reader", "triager", "writer"} {
		assert.NotEmpty(t, r.answerTo(login))
	}
}

// A hundred comments of one person are answered once, also if all are read at once.
func TestCommentsThatComeAtOnceAreAnsweredOnce(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	const jobs = 4
	var running []func() error
	for range jobs {
		r.commented("stranger", "/bench run")
		cmd := r.command("bench-action")
		require.NoError(t, cmd.Start())
		running = append(running, cmd.Wait)
	}
	for _, wait := range running {
		require.NoError(t, wait())
	}
	r.commented("stranger", "/bench")
	require.Zero(t, r.run().code)
	assert.Contains(t, r.answerTo("stranger"), "it needs write permission")
	assert.Len(t, r.comments(), jobs+1+1)
}

func TestWrongInputsAreToldToWhoCommands(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.inputs["provider"], r.inputs["model"], r.inputs["order"] = "opencode", "openai/m", "random"
	r.commented("stranger", "/bench run")
	assert.Zero(t, r.run().code)
	assert.Contains(t, r.answerTo("stranger"), "it needs write permission")
	r.commented("writer", "/bench run")
	ended := r.run()
	assert.Equal(t, 2, ended.code, ended.log)
	for _, says := range []string{"the inputs of the workflow", "- input order: ", "- input model-api-key: "} {
		assert.Contains(t, r.answerTo("writer"), says)
	}
	assert.Empty(t, r.checks())
	r.commented("writer", "/bench help")
	assert.Zero(t, r.run().code)
	assert.Contains(t, r.comments()[len(r.comments())-1], "/bench approve")
}
func TestACommandIsAboutTheCommitThatItsAuthorSaw(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.commented("writer", "/bench run")
	pushed := r.world.As("owner").Do("PUT", sandboxtest.Path+"/contents/b", `{"message":"pushed meanwhile","content":"eA==","branch":"change"}`)
	r.head = pushed.Text("commit.sha")
	r.world.AddToken("another-ci", sandbox.Token{App: "github-actions", Permissions: map[string]string{"checks": "write"}})
	suite := r.world.With("another-ci").Do("POST", sandboxtest.Path+"/check-runs", map[string]string{"name": "other", "head_sha": r.head})
	require.Equal(t, 201, suite.Status, suite.Body)
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Len(t, r.checks(), 1, "the other one's alone")
	require.Len(t, r.comments(), 2)
	assert.Contains(t, r.comments()[1], "there was a push after your comment")
}
