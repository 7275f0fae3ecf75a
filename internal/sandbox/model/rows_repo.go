package model

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// UserType is what kind of account a user is.
type UserType string

// The account types.
const (
	TypeUser         UserType = "User"
	TypeOrganization UserType = "Organization"
	TypeBot          UserType = "Bot"
)

// User is a person, an organization or an App's bot.
type User struct {
	ID    ID
	Login string
	Name  string
	Email string
	Type  UserType
	// Members are those of an organization; nil for others.
	Members map[ID]OrgRole
	// Invitations are those into an organization that wait for an answer.
	Invitations []OrgInvitation `json:",omitempty"`
	// IssueTypes are what issues of an organization's repositories may be, in
	// order of creation; nil for others.
	IssueTypes []IssueType
	// LastProject is the highest number of a project.
	LastProject int
	// Keys are the SSH keys with which a user signs in, SigningKeys those of his commits.
	Keys        []Key
	SigningKeys []Key `json:",omitempty"`
	// SocialAccounts are addresses of profiles elsewhere.
	SocialAccounts []string `json:",omitempty"`
	// Blog, Twitter, Company, Location and Bio are what a user tells of himself;
	// Hireable is nil for one who does not tell.
	Blog, Twitter, Company, Location, Bio string
	Hireable                              *bool
	// Description is an organization's; users have a bio.
	Description string `json:",omitempty"`
	// Secrets and Variables are those of an organization's Actions, DependabotSecrets
	// those of its Dependabot, in order of their names.
	Secrets, Variables, DependabotSecrets []Setting `json:",omitempty"`
	// Following are the accounts that a user follows, the first one first.
	Following []ID
	CreatedAt time.Time
	UpdatedAt time.Time
}

func (u *User) clone() *User {
	c := *u
	c.Members = maps.Clone(u.Members)
	c.IssueTypes, c.Invitations = slices.Clone(u.IssueTypes), slices.Clone(u.Invitations)
	for n, i := range c.Invitations {
		c.Invitations[n].Teams = slices.Clone(i.Teams)
	}
	c.SigningKeys, c.SocialAccounts = slices.Clone(u.SigningKeys), slices.Clone(u.SocialAccounts)
	c.Keys, c.Following = slices.Clone(u.Keys), slices.Clone(u.Following)
	c.Hireable = copyOf(u.Hireable)
	c.Secrets, c.Variables, c.DependabotSecrets = copySettings(u.Secrets), copySettings(u.Variables), copySettings(u.DependabotSecrets)
	return &c
}

// Page returns the path of the account's page; that of a bot is its App's.
func (u *User) Page() string {
	if app, isBot := strings.CutSuffix(u.Login, "[bot]"); isBot {
		return "/apps/" + app
	}
	return "/" + u.Login
}

// Repo is a repository.
type Repo struct {
	ID            ID
	OwnerID       ID
	Name          string
	Description   string
	Homepage      string
	Private       bool
	Archived      bool
	DefaultBranch string
	Topics        []string
	HasIssues     bool
	// AllowMerge, AllowSquash and AllowRebase are the merge methods allowed.
	AllowMerge, AllowSquash, AllowRebase bool
	AllowAutoMerge                       bool
	DeleteBranchOnMerge                  bool
	// AllowUpdating offers to update the branches of pull requests.
	AllowUpdating bool
	// IsTemplate offers it as what others begin with.
	IsTemplate bool
	// HasWiki and HasProjects are nil for GitHub's own choice, which is yes.
	HasWiki, HasProjects *bool
	// HasDiscussions offers discussions, of the categories in their order.
	HasDiscussions       bool
	DiscussionCategories []DiscussionCategory
	// SignedOff asks for a sign-off in what is committed in the browser.
	SignedOff bool
	Actions   ActionsSettings
	// FormerNames are those that it had before it was renamed.
	FormerNames []string
	// FormerPlaces are the full names that it had with former owners.
	FormerPlaces []string
	// FormerBranches maps names that branches had, and none has now, to those that they
	// were given.
	FormerBranches map[string]string `json:",omitempty"`
	// TransferTo is the account that is asked to take it over, 0 for none.
	TransferTo ID
	MergeTexts MergeTexts
	Autolinks  []Autolink
	Safety     Safety
	// Transferred are the issues that were moved to another repository, by
	// their numbers here.
	Transferred map[int]ID
	// Secrets and Variables are those of Actions, in order of their names.
	Secrets, Variables []Setting
	// DependabotSecrets and CodespacesSecrets are those of others.
	DependabotSecrets, CodespacesSecrets []Setting `json:",omitempty"`
	// Languages are what the default branch is written in, most of it first.
	Languages []Language
	// Keys are the deploy keys.
	Keys       []Key
	Stargazers []ID
	// StarredAt says when, for those who starred it through the API.
	StarredAt map[ID]time.Time
	// Watchers and Ignorers are told of everything, or of nothing at all.
	Watchers, Ignorers []ID
	// WatchedAt says since when, for those who said so through the API.
	WatchedAt map[ID]time.Time
	ForkCount int
	// ParentID is the repository that it was forked from, 0 for none.
	ParentID ID
	// TemplateID is the template that it was generated from, 0 for none.
	TemplateID ID
	// Collaborators holds who may do what, besides the owner.
	Collaborators map[ID]Permission
	// LastNumber is the highest number of an issue or pull request.
	LastNumber int
	// LastRunNumber maps a workflow's id to its highest run number.
	LastRunNumber map[ID]int
	// Protection maps branches, or patterns of them, to their rules.
	Protection map[string]Protection
	// Rulesets are in order of creation.
	Rulesets []Ruleset
	// Pushers maps a branch's ref to who has pushed to it last.
	Pushers map[string]ID

	CreatedAt, UpdatedAt, PushedAt time.Time

	// Git holds the repository's objects and refs. It is saved apart.
	Git *gitstore.Store `json:"-"`
}

// clone returns a copy that shares the git objects and refs.
func (r *Repo) clone() *Repo {
	c := *r
	c.Languages = slices.Clone(r.Languages)
	c.Topics, c.FormerNames = slices.Clone(r.Topics), slices.Clone(r.FormerNames)
	c.Transferred = maps.Clone(r.Transferred)
	c.FormerPlaces, c.Autolinks = slices.Clone(r.FormerPlaces), slices.Clone(r.Autolinks)
	c.DiscussionCategories = slices.Clone(r.DiscussionCategories)
	c.HasWiki, c.HasProjects, c.Actions = copyOf(r.HasWiki), copyOf(r.HasProjects), r.Actions.copy()
	c.Secrets, c.Variables, c.Keys = copySettings(r.Secrets), copySettings(r.Variables), slices.Clone(r.Keys)
	c.DependabotSecrets, c.CodespacesSecrets = copySettings(r.DependabotSecrets), copySettings(r.CodespacesSecrets)
	c.Stargazers = slices.Clone(r.Stargazers)
	c.StarredAt = maps.Clone(r.StarredAt)
	c.Watchers, c.Ignorers = slices.Clone(r.Watchers), slices.Clone(r.Ignorers)
	c.WatchedAt = maps.Clone(r.WatchedAt)
	c.Collaborators = maps.Clone(r.Collaborators)
	c.LastRunNumber = maps.Clone(r.LastRunNumber)
	c.Protection = make(map[string]Protection, len(r.Protection))
	for branch, rule := range r.Protection {
		c.Protection[branch] = rule.Copy()
	}
	c.Rulesets = slices.Clone(r.Rulesets)
	for n := range c.Rulesets {
		c.Rulesets[n] = c.Rulesets[n].Copy()
	}
	c.Pushers, c.FormerBranches = maps.Clone(r.Pushers), maps.Clone(r.FormerBranches)
	return &c
}

// record has the changes of the repository's git recorded.
func (r *Repo) record() { r.Git.Record() }

// Label is a repository's label.
type Label struct {
	ID          ID
	RepoID      ID
	Name        string
	Color       string
	Description string
	Default     bool
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

func (l *Label) clone() *Label { return copyOf(l) }

// Milestone is a repository's milestone.
type Milestone struct {
	ID          ID
	RepoID      ID
	Number      int
	Title       string
	Description string
	CreatorID   ID
	Closed      bool
	DueOn       *time.Time
	CreatedAt   time.Time
	UpdatedAt   time.Time
	ClosedAt    *time.Time
}

func (m *Milestone) clone() *Milestone {
	c := *m
	c.DueOn, c.ClosedAt = copyOf(m.DueOn), copyOf(m.ClosedAt)
	return &c
}
