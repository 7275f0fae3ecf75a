package ghevent_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

func TestACommentOfAPersonMayAskForSomething(t *testing.T) {
	bot := ghevent.Account{Login: "octocat", Bot: true}
	for name, c := range map[string]struct {
		body   string
		change func(*ghevent.Event)
		want   ghevent.NoRequest
	}{
		"a command":                    {"/bench retry", nil, ""},
		"talk":                         {"What does /bench do?", nil, ghevent.Talk},
		"a command in a code block":    {"```\n/bench retry\n```", nil, ghevent.Talk},
		"a login that ends as a bot's": {"/bench retry", func(e *ghevent.Event) { e.Sender.Login, e.Comment.Author.Login = "x[bot]", "x[bot]" }, ""},
		"logins are without case":      {"/bench retry", func(e *ghevent.Event) { e.Sender.Login = "OctoCat" }, ""},
		"a bot wrote it":               {"/bench retry", func(e *ghevent.Event) { e.Comment.Author = bot }, ghevent.ByBot},
		"a bot sent it":                {"/bench retry", func(e *ghevent.Event) { e.Sender = bot }, ghevent.ByBot},
		"another one sent it":          {"/bench retry", func(e *ghevent.Event) { e.Sender.Login = "mallory" }, ghevent.Edited},
		"it was changed since":         {"/bench retry", func(e *ghevent.Event) { e.Comment.Edited = true }, ghevent.Edited},
		"an edit is no new comment":    {"/bench retry", func(e *ghevent.Event) { e.Action = "edited" }, ghevent.Edited},
		"on an issue":                  {"/bench retry", func(e *ghevent.Event) { e.Comment.OnPull = false }, ghevent.OnIssue},
	} {
		t.Run(name, func(t *testing.T) {
			person := ghevent.Account{Login: "octocat"}
			e := ghevent.Event{Name: ghevent.IssueComment, Action: "created", Sender: person, Comment: &ghevent.Comment{Body: c.body, Author: person, OnPull: true}}
			if c.change != nil {
				c.change(&e)
			}
			asked, no := e.Request()
			assert.Equal(t, c.want, no)
			if c.want == "" {
				assert.Equal(t, ghevent.Request{Command: command.Command{Name: command.Retry}}, asked)
				return
			}
			assert.Zero(t, asked)
		})
	}
}

func TestAMistakeIsARequest(t *testing.T) {
	asked, no := ghevent.Event{Action: "created", Comment: &ghevent.Comment{Body: "/bench rnu", OnPull: true}}.Request()
	assert.Empty(t, no)
	require.ErrorContains(t, asked.Mistake, "did you mean `run`?")
}
