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
