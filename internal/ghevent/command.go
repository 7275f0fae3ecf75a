package ghevent

import (
	"strings"

	"github.com/ghx-dev/bench-action/internal/comment/command"
)

// Request is what a comment asks for. Whether its author may is still to be asked.
type Request struct {
	Command command.Command
	// Mistake is the error of a command that cannot be read, to be answered.
	Mistake error
}

// NoRequest is a word for why a comment asks for nothing, empty if it does.
type NoRequest string

// Why a comment asks for nothing.
const (
	// OnIssue: commands work on pull requests.
	OnIssue NoRequest = "issue"
	// ByBot: bots and Apps give none, nor does an App in a person's name.
	ByBot NoRequest = "bot"
	// Edited: a comment is read once, when its author has written it. Others may
	// edit it.
	Edited NoRequest = "edited"
	// Talk: it does not begin with /bench.
	Talk NoRequest = "talk"
)

// Request returns what the comment of an [IssueComment] event asks for.
func (e Event) Request() (Request, NoRequest) {
	c := e.Comment
	switch {
	case e.Action != "created":
		return Request{}, Edited
	case !c.OnPull:
		return Request{}, OnIssue
	case c.Author.Bot || e.Sender.Bot:
		return Request{}, ByBot
	case c.Edited || !strings.EqualFold(c.Author.Login, e.Sender.Login):
		return Request{}, Edited
	}
	asked, is, err := command.Parse(c.Body)
	if !is {
		return Request{}, Talk
	}
	return Request{Command: asked, Mistake: err}, ""
}
