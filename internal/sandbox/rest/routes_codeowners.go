package rest

import (
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// codeOwnerRoutes tell what is wrong in a file of code owners.
func codeOwnerRoutes() []route {
	return []route{{"GET " + reposPath + "/codeowners/errors", onCommits(listOwnersErrors)}}
}

func listOwnersErrors(c *call, repo *model.Repo) (reply, error) {
	at, err := repo.Git.Resolve(orDefault(c.URL.Query().Get("ref"), repo.DefaultBranch))
	if err != nil {
		return reply{}, errNotFound
	}
	wrong, err := c.s.OwnersErrors(repo, at)
	if err != nil {
		return reply{}, err
	}
	shown := []map[string]any{}
	for _, e := range wrong {
		mend := fmt.Sprintf("make sure %s exists and has write access to the repository", e.Owner)
		if strings.Contains(e.Owner, "/") {
			mend = fmt.Sprintf("make sure the team %s exists, is publicly visible, and has write access to the repository", e.Owner)
		}
		const kind = "Unknown owner"
		shown = append(shown, map[string]any{
			"line": e.Line, "column": e.Column, "kind": kind, "source": e.Source, "suggestion": mend, "path": e.Path,
			"message": fmt.Sprintf("%s on line %d: %s\n\n  %s\n  %s^", kind, e.Line, mend, e.Source, strings.Repeat(" ", e.Column-1)),
		})
	}
	return ok(map[string]any{"errors": shown})
}
