package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// gistPartRoutes are those of what belongs to gists.
func gistPartRoutes() []route {
	const (
		gist     = "/gists/{gist}"
		star     = " " + gist + "/star"
		comments = " " + gist + "/comments"
		comment  = comments + "/{id}"
	)
	return []route{
		{"GET /gists/starred", onSelf(func(c *call, u *model.User) (reply, error) {
			return c.listGists(func(g *model.Gist) bool { return slices.Contains(g.Stargazers, u.ID) })
		})},
		{"GET " + gist + "/{sha}", onGist(gistAt)},
		{"GET " + gist + "/commits", onGist(func(c *call, g *model.Gist) (reply, error) { return list(c, c.gistHistory(g), same) })},
		{"GET " + gist + "/forks", onGist(func(c *call, g *model.Gist) (reply, error) {
			return list(c, c.s.ForksOfGist(g), func(f *model.Gist) gistView { return c.gist(f, false) })
		})},
		{"POST " + gist + "/forks", onGist(func(c *call, g *model.Gist) (reply, error) {
			fork, err := c.s.ForkGist(c.actor, g)
			if err != nil {
				return reply{}, err
			}
			return created(c.gist(fork, false))
		})},
		{"GET" + star, func(c *call) (reply, error) {
			if g := c.s.Gist(c.PathValue("gist")); g == nil || !slices.Contains(g.Stargazers, c.actor) {
				return reply{status: http.StatusNotFound, body: struct{}{}}, nil
			}
			return noContent()
		}},
		{"PUT" + star, onGist(starGist(true))},
		{"DELETE" + star, onGist(starGist(false))},
		{"GET" + comments, onGist(func(c *call, g *model.Gist) (reply, error) { return list(c, c.s.CommentsOfGist(g), c.gistComment) })},
		{"POST" + comments, onGist(func(c *call, g *model.Gist) (reply, error) {
			body, err := c.newBody()
			if err != nil {
				return reply{}, err
			}
			comment, err := c.s.CommentOnGist(c.actor, g, body)
			if err != nil {
				return reply{}, err
			}
			return created(c.gistComment(comment))
		})},
		{"GET" + comment, onGistComment(func(c *call, comment *model.GistComment) (reply, error) { return ok(c.gistComment(comment)) })},
		{"PATCH" + comment, onGistComment(func(c *call, comment *model.GistComment) (reply, error) {
			body, err := c.newBody()
			if err != nil {
				return reply{}, err
			}
			if err := c.s.EditGistComment(c.actor, comment, body); err != nil {
				return reply{}, err
			}
			return ok(c.gistComment(comment))
		})},
		{"DELETE" + comment, onGistComment(func(c *call, comment *model.GistComment) (reply, error) {
			return noContentOr(c.s.DeleteGistComment(c.actor, comment))
		})},
	}
}

// listGists lists the gists for which keep is true, newest first.
func (c *call) listGists(keep func(*model.Gist) bool) (reply, error) {
	since, err := timeOf(c.URL.Query().Get("since"))
	if err != nil {
		return reply{}, err
	}
	gists := c.s.Gists.Where(func(g *model.Gist) bool { return keep(g) && !g.UpdatedAt.Before(since) })
	slices.Reverse(gists)
	return list(c, gists, func(g *model.Gist) gistView { return c.gist(g, false) })
}

func starGist(on bool) func(*call, *model.Gist) (reply, error) {
	return func(c *call, g *model.Gist) (reply, error) {
		c.s.StarGist(c.actor, g, on)
		return noContent()
	}
}

// onGistComment makes a handler of one that needs the comment that the path
// names, on the gist that it names.
func onGistComment(handle func(c *call, comment *model.GistComment) (reply, error)) func(*call) (reply, error) {
	return onGist(func(c *call, g *model.Gist) (reply, error) {
		id, err := c.idOf("id")
		if err != nil {
			return reply{}, err
		}
		comment := c.s.GistComments.Get(id)
		if comment == nil || comment.GistID != g.ID {
			return reply{}, errNotFound
		}
		return handle(c, comment)
	})
}

func (v *view) gistComment(comment *model.GistComment) map[string]any {
	association := "NONE"
	if v.s.Gists.Get(comment.GistID).OwnerID == comment.AuthorID {
		association = "OWNER"
	}
	return map[string]any{
		"id": comment.ID, "node_id": model.NodeID("GC", 0, comment.ID), "url": fmt.Sprintf("%s/gists/%s/comments/%d", apiURL, v.s.GistName(comment.GistID), comment.ID),
		"body": comment.Body, "user": v.user(comment.AuthorID), "author_association": association, "created_at": at(comment.CreatedAt), "updated_at": at(comment.UpdatedAt),
	}
}

type gistRevisionView struct {
	User         *userView      `json:"user"`
	Version      string         `json:"version"`
	CommittedAt  stamp          `json:"committed_at"`
	ChangeStatus map[string]int `json:"change_status"`
	URL          string         `json:"url"`
}

// gistHistory shows a gist's revisions, newest first.
func (v *view) gistHistory(g *model.Gist) []gistRevisionView {
	views := []gistRevisionView{}
	history := g.History()
	for n, r := range history {
		var before []model.GistFile
		if n+1 < len(history) {
			before = history[n+1].Files
		}
		added, deleted := gistLines(before, r.Files)
		views = append(views, gistRevisionView{
			User: v.user(r.UserID), Version: r.Version, CommittedAt: at(r.At), URL: apiURL + "/gists/" + g.Name + "/" + r.Version,
			ChangeStatus: map[string]int{"total": added + deleted, "additions": added, "deletions": deleted},
		})
	}
	return views
}

// gistLines counts the lines of files that were not there before, and of those
// before that are there no more.
func gistLines(before, after []model.GistFile) (added, deleted int) {
	lines := map[string]int{}
	count := func(files []model.GistFile, by int) {
		for _, f := range files {
			for line := range strings.Lines(f.Text) {
				lines[f.Name+"\x00"+strings.TrimSuffix(line, "\n")] += by
			}
		}
	}
	count(after, 1)
	count(before, -1)
	for _, n := range lines {
		added, deleted = added+max(n, 0), deleted+max(-n, 0)
	}
	return added, deleted
}

// gistAt shows a gist as it was in a revision.
func gistAt(c *call, g *model.Gist) (reply, error) {
	for _, r := range g.History() {
		if r.Version == c.PathValue("sha") {
			was := *g
			was.Files = r.Files
			return ok(c.gist(&was, true))
		}
	}
	return reply{}, errNotFound
}
