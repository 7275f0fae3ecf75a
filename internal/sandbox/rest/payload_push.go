package rest

import (
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// maxPushed is how many commits of a push are shown, the last ones.
const maxPushed = 2048

type pushedCommit struct {
	ID        string       `json:"id"`
	TreeID    string       `json:"tree_id"`
	Distinct  bool         `json:"distinct"`
	Message   string       `json:"message"`
	Timestamp string       `json:"timestamp"`
	URL       string       `json:"url"`
	Author    pushedSigner `json:"author"`
	Committer pushedSigner `json:"committer"`
	Added     []string     `json:"added"`
	Removed   []string     `json:"removed"`
	Modified  []string     `json:"modified"`
}

type pushedSigner struct {
	Name     string `json:"name"`
	Email    string `json:"email"`
	Username string `json:"username,omitempty"`
}

func (v *payloadView) push(body map[string]any) error {
	h, repo := v.h, v.h.Repo
	zero := gitstore.Hash{}.String()
	before, after := orDefault(h.Before, zero), orDefault(h.After, zero)
	commits, err := v.pushed(repo, h)
	if err != nil {
		return err
	}
	pusher := v.s.Users.Get(h.ActorID)
	shown := fieldsOf(v.fullRepo(repo))
	shown["created_at"], shown["pushed_at"] = unix(repo.CreatedAt), unix(repo.PushedAt)
	shown["stargazers"], shown["master_branch"] = len(repo.Stargazers), repo.DefaultBranch
	body["repository"] = shown
	body["ref"], body["before"], body["after"], body["base_ref"] = h.Ref, before, after, nil
	body["created"], body["deleted"], body["forced"] = h.Before == "", h.After == "", h.Forced
	body["compare"] = v.repoHTML(repo.ID) + "/compare/" + before[:12] + "..." + after[:12]
	body["pusher"] = map[string]any{"name": v.s.Login(h.ActorID), "email": v.s.Signature(h.ActorID).Email}
	if pusher != nil && pusher.Email != "" {
		body["pusher"] = map[string]any{"name": pusher.Login, "email": pusher.Email}
	}
	body["commits"], body["head_commit"] = commits, nil
	if h.After == "" {
		return nil
	}
	tip, err := repo.Git.Resolve(h.After)
	if err != nil {
		return err
	}
	if head, err := repo.Git.Commit(tip); err == nil {
		body["head_commit"], err = v.pushedCommit(repo, head)
		return err
	}
	return nil
}

// pushed returns the commits that a push of a branch brought, oldest first; of
// a new branch those that the default branch has not.
func (v *payloadView) pushed(repo *model.Repo, h model.Happening) ([]pushedCommit, error) {
	shown := []pushedCommit{}
	branch, isBranch := strings.CutPrefix(h.Ref, headsPrefix)
	if !isBranch || h.After == "" {
		return shown, nil
	}
	base := plumbing.NewHash(h.Before)
	if tip, known := v.s.BranchHead(repo, repo.DefaultBranch); h.Before == "" && known && branch != repo.DefaultBranch {
		base = tip
	}
	commits, err := between(repo, base, plumbing.NewHash(h.After))
	if err != nil {
		return nil, err
	}
	for _, c := range commits[max(0, len(commits)-maxPushed):] {
		one, err := v.pushedCommit(repo, c)
		if err != nil {
			return nil, err
		}
		shown = append(shown, one)
	}
	return shown, nil
}

// between returns the commits that head has and base has not, oldest first; a
// zero base has none.
func between(repo *model.Repo, base, head gitstore.Hash) ([]gitstore.Commit, error) {
	if !base.IsZero() {
		return repo.Git.Between(base, head)
	}
	commits, err := repo.Git.Log(head, "", maxPushed)
	slices.Reverse(commits)
	return commits, err
}

func (v *payloadView) pushedCommit(repo *model.Repo, c gitstore.Commit) (pushedCommit, error) {
	view := pushedCommit{
		ID: c.Hash.String(), TreeID: c.Tree.String(), Distinct: true, Message: c.Message,
		Timestamp: c.Committer.When.Format("2006-01-02T15:04:05-07:00"), URL: v.repoHTML(repo.ID) + "/commit/" + c.Hash.String(),
		Author: v.pushedSigner(c.Author), Committer: v.pushedSigner(c.Committer), Added: []string{}, Removed: []string{}, Modified: []string{},
	}
	files, err := repo.Git.Diff(parentOf(c), c.Hash)
	for _, f := range files {
		switch f.Status {
		case "added", "copied":
			view.Added = append(view.Added, f.Path)
		case "removed":
			view.Removed = append(view.Removed, f.Path)
		case "renamed":
			view.Added, view.Removed = append(view.Added, f.Path), append(view.Removed, f.PreviousPath)
		default:
			view.Modified = append(view.Modified, f.Path)
		}
	}
	return view, err
}

func (v *payloadView) pushedSigner(g gitstore.Signature) pushedSigner {
	signer := pushedSigner{Name: g.Name, Email: g.Email}
	if u := v.signer(g); u != nil {
		signer.Username = u.Login
	}
	return signer
}

// ref adds what events of new and deleted branches and tags have.
func (v *payloadView) ref(body map[string]any) error {
	repo := v.h.Repo
	name, isBranch := strings.CutPrefix(v.h.Ref, headsPrefix)
	body["ref_type"] = "branch"
	if !isBranch {
		name, body["ref_type"] = strings.TrimPrefix(v.h.Ref, "refs/tags/"), "tag"
	}
	body["ref"], body["full_ref"], body["pusher_type"] = name, v.h.Ref, "user"
	if v.h.Event == "create" {
		body["master_branch"], body["description"] = repo.DefaultBranch, optional(repo.Description)
	}
	return nil
}
