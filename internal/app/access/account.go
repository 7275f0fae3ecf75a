package access

import (
	"context"
	"net/http"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/github"
)

// Account returns whose token a user's token is, and the repositories that the
// user and the App both see. The error is [dashboard.ErrLoggedOut] if GitHub
// does not take the token any more.
func (a *Access) Account(ctx context.Context, token string) (dashboard.Account, error) {
	client, err := github.New(github.Options{RESTURL: a.opts.APIURL, Transport: a.opts.Transport, Token: token})
	if err != nil {
		return dashboard.Account{}, err
	}
	account, err := lookUp(ctx, client)
	if github.StatusOf(err) == http.StatusUnauthorized {
		return dashboard.Account{}, dashboard.ErrLoggedOut
	}
	if err != nil {
		return dashboard.Account{}, github.Explain("ask what a user may see", err)
	}
	return account, nil
}

// Revoke ends a user's token at GitHub, with the App's client id and secret. One that
// has ended already is no error.
// https://docs.github.com/rest/apps/oauth-applications#delete-an-app-token
func (a *Access) Revoke(ctx context.Context, clientID, secret, token string) error {
	basic := &gh.BasicAuthTransport{Username: clientID, Password: secret, Transport: a.opts.Transport}
	client, err := github.New(github.Options{RESTURL: a.opts.APIURL, Transport: basic})
	if err != nil {
		return err
	}
	_, err = client.REST.Authorizations.Revoke(ctx, clientID, token)
	if github.StatusOf(err) == http.StatusUnprocessableEntity {
		return nil
	}
	return github.Explain("end a user's token", err)
}

func lookUp(ctx context.Context, client *github.Client) (dashboard.Account, error) {
	user, _, err := client.REST.Users.Get(ctx, "")
	if err != nil {
		return dashboard.Account{}, err
	}
	account := dashboard.Account{Login: user.GetLogin()}
	installations := github.Pages(func(at gh.ListOptions) ([]*gh.Installation, *gh.Response, error) {
		return client.REST.Apps.ListUserInstallations(ctx, &at)
	})
	for installation, err := range installations {
		if err != nil {
			return dashboard.Account{}, err
		}
		if installation.SuspendedAt != nil {
			continue // its repositories are not listed
		}
		repos := github.Pages(func(at gh.ListOptions) ([]*gh.Repository, *gh.Response, error) {
			page, response, err := client.REST.Apps.ListUserRepos(ctx, installation.GetID(), &at)
			if err != nil {
				return nil, response, err
			}
			return page.Repositories, response, nil
		})
		for repo, err := range repos {
			if err != nil {
				return dashboard.Account{}, err
			}
			account.Repos = append(account.Repos, repo.GetFullName())
		}
	}
	return account, nil
}
