package publish

import (
	"context"
	"net/http"
	"net/url"

	"github.com/ghx-dev/bench-action/internal/github"
)

// MayCommand reports whether a user may give commands: those who may write to
// the repository. GitHub is asked, because what an event says about its author
// is not what he may do. Bots and unknown users may not.
func (p *Publisher) MayCommand(ctx context.Context, login string) (bool, error) {
	level, _, err := p.client.REST.Repositories.GetPermissionLevel(ctx, p.owner, p.name, url.PathEscape(login))
	if github.StatusOf(err) == http.StatusNotFound {
		return false, nil
	}
	if err != nil {
		return false, github.Explain("ask what "+login+" may do", err)
	}
	permission := level.GetPermission()
	return permission == "write" || permission == "admin", nil
}

// React adds a reaction to a comment: +1, -1, eyes, rocket and so on.
func (p *Publisher) React(ctx context.Context, comment int64, content string) []Notice {
	_, _, err := p.client.REST.Reactions.CreateIssueCommentReaction(ctx, p.owner, p.name, comment, content)
	return noticed("react to comment", err)
}
