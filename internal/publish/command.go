package publish

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/github"
)

// The permissions in a repository that let somebody command, from the least.
const (
	Write    = "write"
	Maintain = "maintain"
	Admin    = "admin"
)

// commanders are the roles that count, from the least. Roles of an
// organization's own count as what they are built on.
func commanders() []string { return []string{Write, Maintain, Admin} }

// MayCommand reports whether a user may give commands: those who may write to
// the repository.
func (p *Publisher) MayCommand(ctx context.Context, login string) (bool, error) {
	return p.Permitted(ctx, login, Write)
}

// Permitted reports whether a user has at least a permission. GitHub is asked,
// because what an event says about its author is not what he may do. Bots and
// unknown users have none.
func (p *Publisher) Permitted(ctx context.Context, login, least string) (bool, error) {
	var level struct {
		Permission string `json:"permission"`
		RoleName   string `json:"role_name"`
	}
	path := fmt.Sprintf("repos/%s/%s/collaborators/%s/permission", p.owner, p.name, url.PathEscape(login))
	request, err := p.client.REST.NewRequest(http.MethodGet, path, nil)
	if err == nil {
		_, err = p.client.REST.Do(ctx, request, &level)
	}
	if github.StatusOf(err) == http.StatusNotFound {
		return false, nil
	}
	if err != nil {
		return false, github.Explain("ask what "+login+" may do", err)
	}
	// The permission knows only read, write and admin; the role says more.
	has := max(slices.Index(commanders(), level.Permission), slices.Index(commanders(), level.RoleName))
	return has >= 0 && has >= slices.Index(commanders(), least), nil
}

// PushedAfter reports whether a commit came to GitHub after a time, as far as
// that can be told: its check suites were created when it was pushed. The
// dates in a commit are its author's, and say nothing. Suites of the App that
// is named, whose check runs are ours, may be younger and do not count.
func (p *Publisher) PushedAfter(ctx context.Context, sha string, at time.Time, besides int64) (bool, error) {
	suites, _, err := p.client.REST.Checks.ListCheckSuitesForRef(ctx, p.owner, p.name, sha, nil)
	if err != nil {
		return false, github.Explain("ask when commit "+sha+" was pushed", err)
	}
	after := false
	for _, suite := range suites.CheckSuites {
		if suite.GetApp().GetID() == besides {
			continue
		}
		after = true
		if created := suite.GetCreatedAt(); !created.After(at) {
			return false, nil
		}
	}
	return after && !at.IsZero(), nil
}

// Said reports whether one of the last comments of a conversation is ours and
// contains a text.
func (p *Publisher) Said(ctx context.Context, number int, text string) (bool, error) {
	ours, err := p.ours(ctx, number, func(body string) bool { return strings.Contains(body, text) }, answerPages)
	if err != nil {
		return false, github.Explain("look for an answer", err)
	}
	return len(ours) > 0, nil
}

// answerPages is how many pages of comments are looked through for an answer, the
// last ones first.
const answerPages = 3

// Reply writes a new comment in a conversation.
func (p *Publisher) Reply(ctx context.Context, number int, body string) error {
	_, _, err := p.client.REST.Issues.CreateComment(ctx, p.owner, p.name, number, &gh.IssueComment{Body: &body})
	return github.Explain("reply to the command", err)
}

// React adds a reaction to a comment: +1, -1, eyes, rocket and so on.
func (p *Publisher) React(ctx context.Context, comment int64, content string) []Notice {
	_, _, err := p.client.REST.Reactions.CreateIssueCommentReaction(ctx, p.owner, p.name, comment, content)
	return noticed("react to comment", err)
}
