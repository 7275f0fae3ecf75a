package dashboard

import (
	"context"
	"net/http"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/github"
)

// Users asks GitHub about those who have logged in.
type Users struct {
	// APIURL is that of GitHub's REST API.
	APIURL    string
	Transport http.RoundTripper
}

// Lookup returns whose token a user's token is, and the repositories that the
// user and the App both see. The error is [ErrLoggedOut] if GitHub does not take
// the token any more.
func (u Users) Lookup(ctx context.Context, token string) (Account, error) {
	client, err := github.New(github.Options{RESTURL: u.APIURL, Transport: u.Transport, Token: token})
	if err != nil {
		return Account{}, err
	}
	account, err := lookUp(ctx, client)
	if github.StatusOf(err) == http.StatusUnauthorized {
		return Account{}, ErrLoggedOut
	}
	if err != nil {
		return Account{}, github.Explain("ask what a user may see", err)
	}
	return account, nil
}

// MayRead reports whether a token may read a repository. The error is [ErrLoggedOut] if
// GitHub does not take the token.
func (u Users) MayRead(ctx context.Context, token, repo string) (bool, error) {
	owner, name, _ := strings.Cut(repo, "/")
	client, err := github.New(github.Options{RESTURL: u.APIURL, Transport: u.Transport, Token: token})
	if err != nil {
		return false, err
	}
	_, _, err = client.REST.Repositories.Get(ctx, owner, name)
	switch status := github.StatusOf(err); {
	case err == nil:
		return true, nil
	case status == http.StatusUnauthorized:
		return false, ErrLoggedOut
	case github.NotFound(err) || status == http.StatusForbidden && !github.Limited(err):
		return false, nil
	default:
		return false, github.Explain("ask whether a token may read a repository", err)
	}
}

// Revoke ends a user's token at GitHub, with the App's client id and secret. One that
// has ended already is no error.
// https://docs.github.com/rest/apps/oauth-applications#delete-an-app-token
func (u Users) Revoke(ctx context.Context, clientID, secret, token string) error {
	basic := &gh.BasicAuthTransport{Username: clientID, Password: secret, Transport: u.Transport}
	client, err := github.New(github.Options{RESTURL: u.APIURL, Transport: basic})
	if err != nil {
		return err
	}
	_, err = client.REST.Authorizations.Revoke(ctx, clientID, token)
	if github.StatusOf(err) == http.StatusUnprocessableEntity {
		return nil
	}
	return github.Explain("end a user's token", err)
}

func lookUp(ctx context.Context, client *github.Client) (Account, error) {
	user, _, err := client.REST.Users.Get(ctx, "")
	if err != nil {
		return Account{}, err
	}
	account := Account{Login: user.GetLogin()}
	installations := github.Pages(func(at gh.ListOptions) ([]*gh.Installation, *gh.Response, error) {
		return client.REST.Apps.ListUserInstallations(ctx, &at)
	})
	for installation, err := range installations {
		if err != nil {
			return Account{}, err
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
				return Account{}, err
			}
			account.Repos = append(account.Repos, repo.GetFullName())
		}
	}
	return account, nil
}
