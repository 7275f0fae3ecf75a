package rest

import (
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

type repoView struct {
	ID               int64     `json:"id"`
	NodeID           string    `json:"node_id"`
	Name             string    `json:"name"`
	FullName         string    `json:"full_name"`
	Private          bool      `json:"private"`
	Owner            *userView `json:"owner"`
	HTMLURL          string    `json:"html_url"`
	Description      *string   `json:"description"`
	Fork             bool      `json:"fork"`
	URL              string    `json:"url"`
	ForksURL         string    `json:"forks_url"`
	KeysURL          string    `json:"keys_url"`
	CollaboratorsURL string    `json:"collaborators_url"`
	TeamsURL         string    `json:"teams_url"`
	HooksURL         string    `json:"hooks_url"`
	IssueEventsURL   string    `json:"issue_events_url"`
	EventsURL        string    `json:"events_url"`
	AssigneesURL     string    `json:"assignees_url"`
	BranchesURL      string    `json:"branches_url"`
	TagsURL          string    `json:"tags_url"`
	BlobsURL         string    `json:"blobs_url"`
	GitTagsURL       string    `json:"git_tags_url"`
	GitRefsURL       string    `json:"git_refs_url"`
	TreesURL         string    `json:"trees_url"`
	StatusesURL      string    `json:"statuses_url"`
	LanguagesURL     string    `json:"languages_url"`
	StargazersURL    string    `json:"stargazers_url"`
	ContributorsURL  string    `json:"contributors_url"`
	SubscribersURL   string    `json:"subscribers_url"`
	SubscriptionURL  string    `json:"subscription_url"`
	CommitsURL       string    `json:"commits_url"`
	GitCommitsURL    string    `json:"git_commits_url"`
	CommentsURL      string    `json:"comments_url"`
	IssueCommentURL  string    `json:"issue_comment_url"`
	ContentsURL      string    `json:"contents_url"`
	CompareURL       string    `json:"compare_url"`
	MergesURL        string    `json:"merges_url"`
	ArchiveURL       string    `json:"archive_url"`
	DownloadsURL     string    `json:"downloads_url"`
	IssuesURL        string    `json:"issues_url"`
	PullsURL         string    `json:"pulls_url"`
	MilestonesURL    string    `json:"milestones_url"`
	NotificationsURL string    `json:"notifications_url"`
	LabelsURL        string    `json:"labels_url"`
	ReleasesURL      string    `json:"releases_url"`
	DeploymentsURL   string    `json:"deployments_url"`
	*repoDetails
	*repoSettings
}

// repoDetails is what a repository shows beyond its minimal form.
type repoDetails struct {
	CreatedAt       stamp           `json:"created_at"`
	UpdatedAt       stamp           `json:"updated_at"`
	PushedAt        stamp           `json:"pushed_at"`
	GitURL          string          `json:"git_url"`
	SSHURL          string          `json:"ssh_url"`
	CloneURL        string          `json:"clone_url"`
	SVNURL          string          `json:"svn_url"`
	Homepage        *string         `json:"homepage"`
	Size            int             `json:"size"`
	StargazersCount int             `json:"stargazers_count"`
	WatchersCount   int             `json:"watchers_count"`
	Language        *string         `json:"language"`
	HasIssues       bool            `json:"has_issues"`
	HasProjects     bool            `json:"has_projects"`
	HasDownloads    bool            `json:"has_downloads"`
	HasWiki         bool            `json:"has_wiki"`
	HasPages        bool            `json:"has_pages"`
	HasDiscussions  bool            `json:"has_discussions"`
	ForksCount      int             `json:"forks_count"`
	MirrorURL       *string         `json:"mirror_url"`
	Archived        bool            `json:"archived"`
	Disabled        bool            `json:"disabled"`
	OpenIssuesCount int             `json:"open_issues_count"`
	License         *licenseView    `json:"license"`
	AllowForking    bool            `json:"allow_forking"`
	IsTemplate      bool            `json:"is_template"`
	Topics          []string        `json:"topics"`
	Visibility      string          `json:"visibility"`
	SignedOff       bool            `json:"web_commit_signoff_required"`
	Forks           int             `json:"forks"`
	OpenIssues      int             `json:"open_issues"`
	Watchers        int             `json:"watchers"`
	DefaultBranch   string          `json:"default_branch"`
	Permissions     map[string]bool `json:"permissions,omitempty"`
}

// repoSettings is what only a repository's own page shows.
type repoSettings struct {
	NetworkCount        int  `json:"network_count"`
	SubscribersCount    int  `json:"subscribers_count"`
	AllowMergeCommit    bool `json:"allow_merge_commit"`
	AllowSquashMerge    bool `json:"allow_squash_merge"`
	AllowRebaseMerge    bool `json:"allow_rebase_merge"`
	AllowAutoMerge      bool `json:"allow_auto_merge"`
	DeleteBranchOnMerge bool `json:"delete_branch_on_merge"`
	AllowUpdateBranch   bool `json:"allow_update_branch"`

	UseSquashPRTitle         bool   `json:"use_squash_pr_title_as_default"`
	SquashMergeCommitTitle   string `json:"squash_merge_commit_title"`
	SquashMergeCommitMessage string `json:"squash_merge_commit_message"`
	MergeCommitTitle         string `json:"merge_commit_title"`
	MergeCommitMessage       string `json:"merge_commit_message"`
	// Parent and Source are a fork's.
	Parent *repoView `json:"parent,omitempty"`
	Source *repoView `json:"source,omitempty"`
	// Template is what it was generated from.
	Template *repoView `json:"template_repository,omitempty"`
}

// minimalRepo is the repository as other objects show it.
func (v *view) minimalRepo(r *model.Repo) *repoView {
	full := v.s.FullName(r)
	api, html := apiURL+"/repos/"+full, htmlURL+"/"+full
	return &repoView{
		ID: r.ID, NodeID: model.NodeID(model.NodeRepo, 0, r.ID), Name: r.Name, FullName: full, Private: r.Private,
		Owner: v.user(r.OwnerID), HTMLURL: html, Description: optional(r.Description), Fork: r.ParentID != 0, URL: api,
		ForksURL: api + "/forks", KeysURL: api + "/keys{/key_id}", CollaboratorsURL: api + "/collaborators{/collaborator}",
		TeamsURL: api + "/teams", HooksURL: api + "/hooks", IssueEventsURL: api + "/issues/events{/number}",
		EventsURL: api + "/events", AssigneesURL: api + "/assignees{/user}", BranchesURL: api + "/branches{/branch}",
		TagsURL: api + "/tags", BlobsURL: api + "/git/blobs{/sha}", GitTagsURL: api + "/git/tags{/sha}",
		GitRefsURL: api + "/git/refs{/sha}", TreesURL: api + "/git/trees{/sha}", StatusesURL: api + "/statuses/{sha}",
		LanguagesURL: api + "/languages", StargazersURL: api + "/stargazers", ContributorsURL: api + "/contributors",
		SubscribersURL: api + "/subscribers", SubscriptionURL: api + "/subscription", CommitsURL: api + "/commits{/sha}",
		GitCommitsURL: api + "/git/commits{/sha}", CommentsURL: api + "/comments{/number}",
		IssueCommentURL: api + "/issues/comments{/number}", ContentsURL: api + "/contents/{+path}",
		CompareURL: api + "/compare/{base}...{head}", MergesURL: api + "/merges",
		ArchiveURL: api + "/{archive_format}{/ref}", DownloadsURL: api + "/downloads", IssuesURL: api + "/issues{/number}",
		PullsURL: api + "/pulls{/number}", MilestonesURL: api + "/milestones{/number}",
		NotificationsURL: api + "/notifications{?since,all,participating}", LabelsURL: api + "/labels{/name}",
		ReleasesURL: api + "/releases{/id}", DeploymentsURL: api + "/deployments",
	}
}

// repo is the repository as lists and pull requests show it.
func (v *view) repo(r *model.Repo) *repoView {
	view := v.minimalRepo(r)
	open := v.s.OpenIssues(r)
	visibility := "public"
	if r.Private {
		visibility = "private"
	}
	view.repoDetails = &repoDetails{
		CreatedAt: at(r.CreatedAt), UpdatedAt: at(r.UpdatedAt), PushedAt: at(r.PushedAt),
		GitURL: "git://github.com/" + view.FullName + ".git", SSHURL: "git@github.com:" + view.FullName + ".git",
		CloneURL: view.HTMLURL + ".git", SVNURL: view.HTMLURL, Homepage: optional(r.Homepage), Language: optional(r.Language()),
		StargazersCount: len(r.Stargazers), WatchersCount: len(r.Stargazers), Watchers: len(r.Stargazers),
		HasIssues: r.HasIssues, HasProjects: model.Offers(r.HasProjects), HasDownloads: true, HasWiki: model.Offers(r.HasWiki), HasDiscussions: r.HasDiscussions, IsTemplate: r.IsTemplate, SignedOff: r.SignedOff,
		ForksCount: r.ForkCount, Forks: r.ForkCount, Archived: r.Archived,
		OpenIssuesCount: open, OpenIssues: open, AllowForking: true, Topics: append([]string{}, r.Topics...),
		Visibility: visibility, DefaultBranch: r.DefaultBranch, Permissions: v.permissions(r),
	}
	if head, exists := v.s.BranchHead(r, r.DefaultBranch); exists {
		if _, l, licensed := licenseIn(r.Git, head); licensed {
			view.License = license(l)
		}
	}
	return view
}

// fullRepo is the repository's own page.
func (v *view) fullRepo(r *model.Repo) *repoView {
	view := v.repo(r)
	texts := r.MergeTexts.Complete()
	view.repoSettings = &repoSettings{
		NetworkCount: r.ForkCount, SubscribersCount: len(r.Watchers), AllowMergeCommit: r.AllowMerge,
		AllowSquashMerge: r.AllowSquash, AllowRebaseMerge: r.AllowRebase, AllowAutoMerge: r.AllowAutoMerge,
		DeleteBranchOnMerge: r.DeleteBranchOnMerge, AllowUpdateBranch: r.AllowUpdating,
		UseSquashPRTitle: texts.SquashTitle == "PR_TITLE", SquashMergeCommitTitle: texts.SquashTitle, SquashMergeCommitMessage: texts.SquashMessage,
		MergeCommitTitle: texts.MergeTitle, MergeCommitMessage: texts.MergeMessage,
	}
	if parent := v.s.Repos.Get(r.ParentID); parent != nil && v.s.Permission(v.actor, parent) >= model.PermRead {
		view.Parent, view.Source = v.repo(parent), v.repo(v.s.Source(r))
	}
	if template := v.s.Repos.Get(r.TemplateID); template != nil && v.s.Permission(v.actor, template) >= model.PermRead {
		view.Template = v.repo(template)
	}
	return view
}

func (v *view) permissions(r *model.Repo) map[string]bool {
	if v.actor == 0 {
		return nil
	}
	return permissionFlags(v.s.Permission(v.actor, r))
}
