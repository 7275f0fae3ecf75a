package github

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// InstallationFor returns the id of the App's installation that a repository,
// "owner/name", is in. An error is of kind invalid if there is none.
func (a *App) InstallationFor(ctx context.Context, repo string) (int64, error) {
	owner, name, _ := strings.Cut(repo, "/")
	found, _, err := a.client.REST.Apps.FindRepositoryInstallation(ctx, owner, name)
	if StatusOf(err) == http.StatusNotFound {
		return 0, fault.Invalidf("App %d is not installed in %s: install it there, or name another repository", a.settings.AppID, repo)
	}
	if err != nil {
		return 0, Explain(fmt.Sprintf("find the installation of App %d in %s", a.settings.AppID, repo), err)
	}
	return found.GetID(), nil
}

// AppFacts are what GitHub says of an App.
type AppFacts struct {
	Slug        string            `json:"slug"`
	Permissions map[string]string `json:"permissions"`
	Events      []string          `json:"events"`
}

// Facts asks GitHub about the App itself. An error is of kind invalid if GitHub
// does not accept its key.
func (a *App) Facts(ctx context.Context) (AppFacts, error) {
	request, err := a.client.REST.NewRequest(http.MethodGet, "app", nil)
	if err != nil {
		return AppFacts{}, fault.Internalf("make request: %w", err)
	}
	var facts AppFacts
	_, err = a.client.REST.Do(ctx, request, &facts)
	if StatusOf(err) == http.StatusUnauthorized {
		return AppFacts{}, fault.Invalidf("GitHub does not accept the key of App %d: its id and its private key do not belong together, or the clock of this machine is wrong", a.settings.AppID)
	}
	return facts, Explain("ask GitHub about the App", err)
}
