package comment_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/testkit/golden"
)

func TestRepliesAreAsTheyWere(t *testing.T) {
	_, is, mistake := command.Parse("/bench rnu @octocat")
	require.True(t, is)
	require.Error(t, mistake)
	for _, c := range []struct{ name, reason, reply string }{
		{"accepted", "the plan, the commit and the estimate are what was agreed to", comment.Accepted(command.Run, queued())},
		{"cancelled", "a run that is being stopped has no plan any more", comment.Accepted(command.Cancel, running())},
		{"mistaken", "a misspelt command is answered with the likely one and all others", comment.Mistaken(mistake)},
		{"status", "how far the run is and what the last one came to", comment.StatusReply(running())},
		{"explained", "a scenario's figures and errors in each mode", comment.Explained(failing(), bench.Cell{ScenarioID: "pr-merge-001"})},
		{"help", "what an Action can do", comment.Helped(command.Run, command.Status, command.Help)},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden.Check(t, c.reason, "testdata/reply-"+c.name+".md", []byte(c.reply))
		})
	}
}

func TestARefusalSaysWhyAndWhatToDo(t *testing.T) {
	for _, why := range []comment.Refusal{
		comment.NoPermission, comment.UnknownCommit, comment.Outdated, comment.NotApproved, comment.NothingToDo, comment.Closed,
		comment.OverBudget, comment.NotHere,
	} {
		reply := comment.Refused(command.Run, why)
		assert.True(t, strings.HasPrefix(reply, "👎 `/bench run`: "), reply)
		assert.Greater(t, strings.Count(reply, " "), 10, "the reason is put into words: %s", reply)
	}
	assert.Equal(t, "👎 `/bench run`: the moon is full.\n", comment.Refused(command.Run, "the moon is full"))
}

func TestNoReplyIsACommandItself(t *testing.T) {
	for _, reply := range []string{
		comment.Accepted(command.Run, queued()), comment.Refused(command.Run, comment.Closed), comment.Mistaken(errors.New("/bench run")),
		comment.Helped(), comment.StatusReply(running()), comment.Explained(failing(), bench.Cell{ScenarioID: "/bench run"}), comment.Comment(passing()),
	} {
		_, is, err := command.Parse(reply)
		assert.NoError(t, err)
		assert.False(t, is, reply)
	}
}

func TestExplainKnowsTheModeOfACell(t *testing.T) {
	reply := comment.Explained(failing(), bench.Cell{ScenarioID: "pr-merge-001", Mode: bench.GHX, Iteration: 3})
	assert.Contains(t, reply, "| `ghx` | 7/10 |")
	assert.NotContains(t, reply, "agent_direct")
	assert.Equal(t, "👎 The last run has no scenario `other-001`.\n", comment.Explained(failing(), bench.Cell{ScenarioID: "other-001"}))
	assert.Contains(t, comment.Explained(running(), bench.Cell{ScenarioID: "other-001"}), "has no scenario", "a run without a summary")
}
