package rest

import "github.com/ghx-dev/bench-action/internal/sandbox/model"

// moderationRoutes lock conversations.
func moderationRoutes() []route {
	const lock = reposPath + "/issues/{number}/lock"
	return []route{
		{"PUT " + lock, onIssue(lockIssue)},
		{"DELETE " + lock, onIssue(unlockIssue)},
	}
}

func lockIssue(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	var in struct {
		LockReason string `json:"lock_reason"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.s.Lock(c.actor, i, in.LockReason); err != nil {
		return reply{}, err
	}
	return noContent()
}

func unlockIssue(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	if err := c.s.Unlock(c.actor, i); err != nil {
		return reply{}, err
	}
	return noContent()
}
