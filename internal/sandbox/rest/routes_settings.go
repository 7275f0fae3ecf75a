package rest

import (
	"net/http"
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// settingsRoutes make, change and remove repositories.
func settingsRoutes() []route {
	return []route{
		{"PATCH " + reposPath, onRepo(editRepo)},
		{"DELETE " + reposPath, onRepo(deleteRepo)},
		{"POST " + reposPath + "/generate", onRepo(generateRepo)},
		{"GET " + reposPath + "/topics", onRepo(listTopics)},
		{"PUT " + reposPath + "/topics", onRepo(setTopics)},
		{"GET " + reposPath + "/languages", onRepo(listLanguages)},
		{"POST " + reposPath + "/merge-upstream", onRepo(syncFork)},
		{"GET /user/repos", listOwnRepos},
		{"POST /user/repos", func(c *call) (reply, error) { return c.createRepo(c.s.Users.Get(c.actor)) }},
		{"GET /users/{username}/repos", onLogin(listReposOfUser)},
		{"GET /orgs/{org}/repos", onLogin(listReposOfOrg)},
		{"POST /orgs/{org}/repos", onLogin(func(c *call, u *model.User) (reply, error) { return c.createRepo(u) })},
	}
}

// onLogin makes a handler of one that needs the account that the path names.
func onLogin(handle func(c *call, u *model.User) (reply, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		u := c.s.User(c.PathValue("org") + c.PathValue("username"))
		if u == nil || c.PathValue("org") != "" && u.Type != model.TypeOrganization {
			return reply{}, errNotFound
		}
		return handle(c, u)
	}
}

type newRepo struct {
	Name, Description, Homepage, Visibility string
	Private                                 bool
	HasIssues                               *bool `json:"has_issues"`
	AutoInit                                bool  `json:"auto_init"`
	IsTemplate                              bool  `json:"is_template"`
	// TeamID is a team of the organization that may read it, 0 for none.
	TeamID              model.ID `json:"team_id"`
	HasDiscussions      bool     `json:"has_discussions"`
	AllowMergeCommit    *bool    `json:"allow_merge_commit"`
	AllowSquashMerge    *bool    `json:"allow_squash_merge"`
	AllowRebaseMerge    *bool    `json:"allow_rebase_merge"`
	AllowAutoMerge      *bool    `json:"allow_auto_merge"`
	DeleteBranchOnMerge *bool    `json:"delete_branch_on_merge"`
	HasWiki             *bool    `json:"has_wiki"`
	HasProjects         *bool    `json:"has_projects"`
	mergeTexts
	// Gitignore and License name templates of files to begin with.
	Gitignore string `json:"gitignore_template"`
	License   string `json:"license_template"`
}

// edit are the settings that a new repository is to have.
func (in newRepo) edit() model.RepoEdit {
	return model.RepoEdit{
		AllowMerge: in.AllowMergeCommit, AllowSquash: in.AllowSquashMerge, AllowRebase: in.AllowRebaseMerge, AllowAutoMerge: in.AllowAutoMerge,
		DeleteBranchOnMerge: in.DeleteBranchOnMerge, HasWiki: in.HasWiki, HasProjects: in.HasProjects, MergeTexts: in.mergeTexts.edit(),
	}
}

func (c *call) createRepo(account *model.User) (reply, error) {
	var in newRepo
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	private := in.Visibility == "private" || in.Private
	files, err := c.beginning(in)
	if err != nil {
		return reply{}, err
	}
	repo, err := c.s.CreateRepo(c.actor, model.NewRepo{
		Owner: account.ID, Name: in.Name, Description: in.Description, Private: private,
	}, files...)
	if err != nil {
		return reply{}, err
	}
	if in.TeamID != 0 {
		t := c.s.Teams.Get(in.TeamID)
		if t == nil || t.OrgID != account.ID {
			return reply{}, &model.Problem{Kind: model.Invalid, Message: "Validation Failed", Errors: []model.FieldError{{Resource: "Repository", Field: "team_id", Code: "invalid"}}}
		}
		if err := c.s.GiveTeam(c.actor, t, repo, model.PermRead); err != nil {
			return reply{}, err
		}
	}
	repo.Homepage, repo.IsTemplate = in.Homepage, in.IsTemplate
	if in.HasDiscussions {
		c.s.OfferDiscussions(repo, true)
	}
	if edit := in.edit(); edit != (model.RepoEdit{}) {
		if err := c.s.EditRepo(c.actor, repo, edit); err != nil {
			return reply{}, err
		}
	}
	if in.HasIssues != nil {
		repo.HasIssues = *in.HasIssues
	}
	return created(c.fullRepo(repo))
}

// generateRepo makes a repository with the files of a template.
func generateRepo(c *call, template *model.Repo) (reply, error) {
	var in struct {
		Owner, Name, Description string
		Private                  bool
		AllBranches              bool `json:"include_all_branches"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	owner := c.s.Users.Get(c.actor)
	if in.Owner != "" {
		owner = c.s.User(in.Owner)
	}
	if owner == nil {
		return reply{}, errNotFound
	}
	repo, err := c.s.GenerateRepo(c.actor, template, model.NewRepo{Owner: owner.ID, Name: in.Name, Description: in.Description, Private: in.Private}, in.AllBranches)
	if err != nil {
		return reply{}, err
	}
	return created(c.fullRepo(repo))
}

type repoEdit struct {
	Name, Description, Homepage, Visibility *string
	Private, Archived                       *bool
	DefaultBranch                           *string `json:"default_branch"`
	HasIssues                               *bool   `json:"has_issues"`
	AllowMergeCommit                        *bool   `json:"allow_merge_commit"`
	AllowSquashMerge                        *bool   `json:"allow_squash_merge"`
	AllowRebaseMerge                        *bool   `json:"allow_rebase_merge"`
	AllowAutoMerge                          *bool   `json:"allow_auto_merge"`
	AllowUpdateBranch                       *bool   `json:"allow_update_branch"`
	DeleteBranchOnMerge                     *bool   `json:"delete_branch_on_merge"`
	HasWiki                                 *bool   `json:"has_wiki"`
	HasProjects                             *bool   `json:"has_projects"`
	IsTemplate                              *bool   `json:"is_template"`
	SignedOff                               *bool   `json:"web_commit_signoff_required"`
	HasDiscussions                          *bool   `json:"has_discussions"`
	mergeTexts
}

// mergeTexts are what commits of merges are to say.
type mergeTexts struct {
	SquashTitle   *string `json:"squash_merge_commit_title"`
	SquashMessage *string `json:"squash_merge_commit_message"`
	MergeTitle    *string `json:"merge_commit_title"`
	MergeMessage  *string `json:"merge_commit_message"`
	// PullTitle is the older word for a title.
	PullTitle *bool `json:"use_squash_pr_title_as_default"`
}

func (in mergeTexts) edit() model.MergeTextsEdit {
	edit := model.MergeTextsEdit{SquashTitle: in.SquashTitle, SquashMessage: in.SquashMessage, MergeTitle: in.MergeTitle, MergeMessage: in.MergeMessage}
	if in.PullTitle != nil && in.SquashTitle == nil {
		edit.SquashTitle = new(map[bool]string{true: "PR_TITLE", false: "COMMIT_OR_PR_TITLE"}[*in.PullTitle])
	}
	return edit
}

func editRepo(c *call, repo *model.Repo) (reply, error) {
	var in repoEdit
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Visibility != nil {
		private := *in.Visibility != "public"
		in.Private = &private
	}
	if err := c.s.EditRepo(c.actor, repo, in.edit()); err != nil {
		return reply{}, err
	}
	return ok(c.fullRepo(repo))
}

func (in repoEdit) edit() model.RepoEdit {
	return model.RepoEdit{
		Name: in.Name, Description: in.Description, Homepage: in.Homepage, DefaultBranch: in.DefaultBranch, Private: in.Private,
		Archived: in.Archived, HasIssues: in.HasIssues, AllowMerge: in.AllowMergeCommit, AllowSquash: in.AllowSquashMerge,
		AllowRebase: in.AllowRebaseMerge, AllowAutoMerge: in.AllowAutoMerge, AllowUpdating: in.AllowUpdateBranch,
		DeleteBranchOnMerge: in.DeleteBranchOnMerge, HasWiki: in.HasWiki, HasProjects: in.HasProjects, IsTemplate: in.IsTemplate, SignedOff: in.SignedOff, HasDiscussions: in.HasDiscussions, MergeTexts: in.mergeTexts.edit(),
	}
}

// deleteRepo removes a repository. A classic token needs a scope of its own
// for that.
func deleteRepo(c *call, repo *model.Repo) (reply, error) {
	const scope = "delete_repo"
	if c.scopes != nil && !slices.Contains(c.scopes, scope) {
		return reply{
			status: http.StatusForbidden, header: http.Header{"X-Accepted-Oauth-Scopes": {scope}},
			body: errorBody{Message: "Must have admin rights to Repository.", DocumentationURL: documentation, Status: "403"},
		}, nil
	}
	if err := c.s.DeleteRepo(c.actor, repo); err != nil {
		return reply{}, err
	}
	return noContent()
}

type topicsView struct {
	Names []string `json:"names"`
}

func (c *call) topics(repo *model.Repo) topicsView {
	return topicsView{append([]string{}, repo.Topics...)}
}

func listTopics(c *call, repo *model.Repo) (reply, error) {
	names, header := page(c, repo.Topics)
	return reply{status: http.StatusOK, body: topicsView{append([]string{}, names...)}, header: header}, nil
}

func setTopics(c *call, repo *model.Repo) (reply, error) {
	var in topicsView
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Names == nil {
		return reply{}, missing("names")
	}
	if err := c.s.SetTopics(c.actor, repo, in.Names); err != nil {
		return reply{}, err
	}
	return ok(c.topics(repo))
}

func listLanguages(_ *call, repo *model.Repo) (reply, error) {
	bytes := map[string]int64{}
	for _, l := range repo.Languages {
		bytes[l.Name] = l.Bytes
	}
	return ok(bytes)
}

func syncFork(c *call, repo *model.Repo) (reply, error) {
	var in struct{ Branch string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Branch == "" {
		return reply{}, missing("branch")
	}
	done, err := c.s.SyncFork(c.actor, repo, in.Branch)
	if err != nil {
		return reply{}, err
	}
	return ok(map[string]string{"message": done.Message, "merge_type": done.Kind, "base_branch": done.Upstream})
}

// moved answers for what has another address now.
func moved(c *call, address string) reply {
	status := http.StatusMovedPermanently
	if c.Method != http.MethodGet && c.Method != http.MethodHead {
		status = http.StatusTemporaryRedirect
	}
	if query := c.URL.RawQuery; query != "" {
		address += "?" + query
	}
	return reply{
		status: status, header: http.Header{"Location": {address}},
		body: map[string]string{"message": "Moved Permanently", "url": address, "documentation_url": documentation},
	}
}
