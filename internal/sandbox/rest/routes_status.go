package rest

import (
	"cmp"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// statusRoutes are those of commit statuses; lists of them are below commits.
func statusRoutes() []route {
	return []route{{"POST " + reposPath + "/statuses/{sha}", onRepo(createStatus)}}
}

func createStatus(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		State                *model.StatusState
		Context, Description *string
		TargetURL            *string `json:"target_url"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.State == nil {
		return reply{}, missing("state")
	}
	status, err := c.s.CreateStatus(c.actor, repo, c.PathValue("sha"), model.NewStatus{
		State: *in.State, Context: deref(in.Context), Description: deref(in.Description), TargetURL: deref(in.TargetURL),
	})
	if err != nil {
		return reply{}, err
	}
	return created(c.status(status))
}

// deref returns the text that was given, empty if none was.
func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// listStatuses lists all that was said about a commit, newest first.
func listStatuses(c *call, repo *model.Repo, commit gitstore.Hash) (reply, error) {
	statuses := c.s.StatusesAt(repo, commit.String())
	slices.Reverse(statuses)
	return list(c, statuses, c.status)
}

// combinedStatus answers for the latest status of each context. Checks do not
// count here, as on GitHub.
func combinedStatus(c *call, repo *model.Repo, commit gitstore.Hash) (reply, error) {
	sha, api := commit.String(), c.repoURL(repo.ID)
	latest := model.Rollup{Statuses: c.s.Rollup(repo, sha).Statuses}
	answer, err := list(c, latest.Statuses, func(status *model.CommitStatus) simpleStatusView { return c.status(status).simpleStatusView })
	answer.body = map[string]any{
		"state": cmp.Or(latest.State(), "pending"), "statuses": answer.body, "sha": sha, "total_count": latest.Total(), "repository": c.minimalRepo(repo),
		"commit_url": api + "/commits/" + sha, "url": api + "/commits/" + sha + "/status",
	}
	return answer, err
}

type simpleStatusView struct {
	URL         string            `json:"url"`
	AvatarURL   *string           `json:"avatar_url"`
	ID          model.ID          `json:"id"`
	NodeID      string            `json:"node_id"`
	State       model.StatusState `json:"state"`
	Description *string           `json:"description"`
	TargetURL   *string           `json:"target_url"`
	Context     string            `json:"context"`
	CreatedAt   stamp             `json:"created_at"`
	UpdatedAt   stamp             `json:"updated_at"`
}

type statusView struct {
	simpleStatusView
	Creator *userView `json:"creator"`
}

func (v *view) status(c *model.CommitStatus) statusView {
	shown := statusView{
		simpleStatusView: simpleStatusView{
			URL: v.repoURL(c.RepoID) + "/statuses/" + c.CommitSHA, ID: c.ID, NodeID: model.NodeID(model.NodeStatus, c.RepoID, c.ID),
			State: c.State, Description: optional(c.Description), TargetURL: optional(c.TargetURL), Context: c.Context,
			CreatedAt: at(c.CreatedAt), UpdatedAt: at(c.UpdatedAt),
		},
		Creator: v.user(c.CreatorID),
	}
	if shown.Creator != nil {
		shown.AvatarURL = &shown.Creator.AvatarURL
	}
	return shown
}

// statusOf adds a status with its commit and the branches that have it as their
// tip.
func (v *payloadView) statusOf(body map[string]any) error {
	shown, repo := v.status(v.h.Status), v.h.Repo
	commit, err := repo.Git.Commit(plumbing.NewHash(v.h.Status.CommitSHA))
	if err != nil {
		return err
	}
	branches := []any{}
	for _, ref := range repo.Git.Refs(headsPrefix) {
		if ref.Hash == commit.Hash {
			branches = append(branches, map[string]any{
				"name": ref.Name[len(headsPrefix):], "protected": false,
				"commit": map[string]any{"sha": commit.Hash.String(), "url": v.repoURL(repo.ID) + "/commits/" + commit.Hash.String()},
			})
		}
	}
	for key, value := range map[string]any{
		"id": shown.ID, "sha": v.h.Status.CommitSHA, "name": v.s.FullName(repo), "target_url": shown.TargetURL, "avatar_url": shown.AvatarURL,
		"context": shown.Context, "description": shown.Description, "state": shown.State, "commit": v.commit(repo, commit), "branches": branches,
		"created_at": shown.CreatedAt, "updated_at": shown.UpdatedAt,
	} {
		body[key] = value
	}
	return nil
}
