package rest

import "github.com/ghx-dev/bench-action/internal/sandbox/model"

// orgPage is an organization as its own page shows it.
type orgPage struct {
	userView
	HooksURL                string  `json:"hooks_url"`
	IssuesURL               string  `json:"issues_url"`
	MembersURL              string  `json:"members_url"`
	PublicMembersURL        string  `json:"public_members_url"`
	Description             *string `json:"description"`
	Name                    string  `json:"name,omitempty"`
	Email                   string  `json:"email,omitempty"`
	HasOrganizationProjects bool    `json:"has_organization_projects"`
	HasRepositoryProjects   bool    `json:"has_repository_projects"`
	PublicRepos             int     `json:"public_repos"`
	PublicGists             int     `json:"public_gists"`
	Followers               int     `json:"followers"`
	Following               int     `json:"following"`
	CreatedAt               stamp   `json:"created_at"`
	UpdatedAt               stamp   `json:"updated_at"`
	ArchivedAt              *stamp  `json:"archived_at"`
}

func (v *view) orgPageOf(org *model.User) orgPage {
	account, api := v.account(org, false), apiURL+"/orgs/"+org.Login
	shown := orgPage{
		userView: account.userView, HooksURL: api + "/hooks", IssuesURL: api + "/issues", MembersURL: api + "/members{/member}",
		PublicMembersURL: api + "/public_members{/member}", Name: org.Name, Email: org.Email, HasOrganizationProjects: true, HasRepositoryProjects: true,
		PublicRepos: account.PublicRepos, CreatedAt: account.CreatedAt, UpdatedAt: account.UpdatedAt,
	}
	shown.URL, shown.ReposURL, shown.EventsURL = api, api+"/repos", api+"/events"
	return shown
}
