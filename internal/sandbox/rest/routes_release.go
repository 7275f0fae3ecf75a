package rest

import "github.com/ghx-dev/bench-action/internal/sandbox/model"

// releaseRoutes answer for releases, of which a sandbox has none.
func releaseRoutes() []route {
	return []route{{"GET " + reposPath + "/releases", onRepo(func(c *call, _ *model.Repo) (reply, error) {
		return list(c, []string{}, same)
	})}}
}
