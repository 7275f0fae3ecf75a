package rest

import (
	"fmt"
	"mime"
	"net/url"
	"path"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func gistRoutes() []route {
	return []route{
		{"GET /gists", listGists},
		{"GET /users/{username}/gists", onLogin(func(c *call, u *model.User) (reply, error) {
			return list(c, publicOnly(c.s.GistsOf(c.actor, u.ID)), func(g *model.Gist) gistView { return c.gist(g, false) })
		})},
		{"POST /gists", createGist},
		{"GET /gists/{gist}", onGist(func(c *call, g *model.Gist) (reply, error) { return ok(c.gist(g, true)) })},
		{"PATCH /gists/{gist}", onGist(editGist)},
		// So gh changes one; where PATCH is, GitHub takes POST, too.
		{"POST /gists/{gist}", onGist(editGist)},
		{"DELETE /gists/{gist}", onGist(deleteGist)},
	}
}

func publicOnly(gists []*model.Gist) []*model.Gist {
	return slices.DeleteFunc(gists, func(g *model.Gist) bool { return !g.Public })
}

// onGist makes a handler of one that needs the gist that the path names.
func onGist(handle func(c *call, g *model.Gist) (reply, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		g := c.s.Gist(c.PathValue("gist"))
		if g == nil {
			return reply{}, errNotFound
		}
		return handle(c, g)
	}
}

type gistFileView struct {
	Filename string `json:"filename"`
	Type     string `json:"type"`
	Language string `json:"language"`
	RawURL   string `json:"raw_url"`
	Size     int    `json:"size"`
	*gistFileContent
}

// gistFileContent is what only a gist's own page shows.
type gistFileContent struct {
	Truncated bool   `json:"truncated"`
	Content   string `json:"content"`
	Encoding  string `json:"encoding"`
}

type gistView struct {
	URL         string                  `json:"url"`
	ForksURL    string                  `json:"forks_url"`
	CommitsURL  string                  `json:"commits_url"`
	ID          string                  `json:"id"`
	NodeID      string                  `json:"node_id"`
	GitPullURL  string                  `json:"git_pull_url"`
	GitPushURL  string                  `json:"git_push_url"`
	HTMLURL     string                  `json:"html_url"`
	Files       map[string]gistFileView `json:"files"`
	Public      bool                    `json:"public"`
	CreatedAt   stamp                   `json:"created_at"`
	UpdatedAt   stamp                   `json:"updated_at"`
	Description *string                 `json:"description"`
	Comments    int                     `json:"comments"`
	User        *userView               `json:"user"`
	CommentsURL string                  `json:"comments_url"`
	Owner       *userView               `json:"owner"`
	Truncated   bool                    `json:"truncated"`
	*gistRelations
}

// gistRelations are what else only a gist's own page shows.
type gistRelations struct {
	ForkOf  *gistView          `json:"fork_of,omitempty"`
	Forks   []map[string]any   `json:"forks"`
	History []gistRevisionView `json:"history"`
}

const (
	gistHTMLURL = "https://gist.github.com"
	gistRawURL  = "https://gist.githubusercontent.com"
)

// gist shows a gist, with the contents of its files or without.
func (c *call) gist(g *model.Gist, full bool) gistView {
	api, html := apiURL+"/gists/"+g.Name, gistHTMLURL+"/"+c.s.Login(g.OwnerID)+"/"+g.Name
	view := gistView{
		URL: api, ForksURL: api + "/forks", CommitsURL: api + "/commits", ID: g.Name, NodeID: model.NodeID(model.NodeGist, 0, g.ID),
		GitPullURL: gistHTMLURL + "/" + g.Name + ".git", GitPushURL: gistHTMLURL + "/" + g.Name + ".git", HTMLURL: html,
		Files: map[string]gistFileView{}, Public: g.Public, CreatedAt: at(g.CreatedAt), UpdatedAt: at(g.UpdatedAt),
		Description: &g.Description, CommentsURL: api + "/comments", Owner: c.user(g.OwnerID), Comments: len(c.s.CommentsOfGist(g)),
	}
	if full {
		view.gistRelations = &gistRelations{Forks: []map[string]any{}, History: c.gistHistory(g)}
		if parent := c.s.Gists.Get(g.ParentID); parent != nil {
			of := c.gist(parent, false)
			view.ForkOf = &of
		}
		for _, f := range c.s.ForksOfGist(g) {
			view.Forks = append(view.Forks, map[string]any{
				"id": f.Name, "url": apiURL + "/gists/" + f.Name, "user": c.account(c.s.Users.Get(f.OwnerID), false), "created_at": at(f.CreatedAt), "updated_at": at(f.UpdatedAt),
			})
		}
	}
	for _, f := range g.Files {
		shown := gistFileView{
			Filename: f.Name, Type: orDefault(mime.TypeByExtension(path.Ext(f.Name)), "text/plain"), Language: orDefault(model.LanguageOf(f.Name), "Text"),
			RawURL: fmt.Sprintf("%s/%s/%s/raw/%s/%s", gistRawURL, c.s.Login(g.OwnerID), g.Name, plumbing.ComputeHash(plumbing.BlobObject, []byte(f.Text)), url.PathEscape(f.Name)), Size: len(f.Text),
		}
		if full {
			shown.gistFileContent = &gistFileContent{Content: f.Text, Encoding: "utf-8"}
		}
		view.Files[f.Name] = shown
	}
	return view
}

func listGists(c *call) (reply, error) {
	if c.actor == 0 {
		return reply{}, errNoUser
	}
	return c.listGists(func(g *model.Gist) bool { return g.OwnerID == c.actor })
}

type gistInput struct {
	Description *string
	Public      any
	Files       map[string]*struct {
		Content  string
		Filename string
	}
}

func (in gistInput) edit() model.GistEdit {
	edit := model.GistEdit{Description: in.Description, Files: map[string]*model.GistFile{}}
	for name, f := range in.Files {
		edit.Files[name] = nil
		if f != nil {
			edit.Files[name] = &model.GistFile{Name: f.Filename, Text: f.Content}
		}
	}
	return edit
}

func createGist(c *call) (reply, error) {
	var in gistInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Files == nil {
		return reply{}, missing("files")
	}
	// Clients may say "true" in quotes.
	g, err := c.s.CreateGist(c.actor, in.Public == true || in.Public == "true", in.edit())
	if err != nil {
		return reply{}, err
	}
	return created(c.gist(g, true))
}

func editGist(c *call, g *model.Gist) (reply, error) {
	var in gistInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.s.EditGist(c.actor, g, in.edit()); err != nil {
		return reply{}, err
	}
	return ok(c.gist(g, true))
}

func deleteGist(c *call, g *model.Gist) (reply, error) {
	if err := c.s.DeleteGist(c.actor, g); err != nil {
		return reply{}, err
	}
	return noContent()
}
