package rest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// peopleRoutes tell who has to do with a repository, and a few more of its
// parts that are read alone.
func peopleRoutes() []route {
	return []route{
		{"GET " + reposPath + "/contributors", onRepo(listContributors)},
		{"GET " + reposPath + "/stargazers", onRepo(listStargazers)},
		{"GET " + reposPath + "/stargazers/count", onRepo(func(_ *call, repo *model.Repo) (reply, error) {
			return ok(map[string]int{"count": len(repo.Stargazers)})
		})},
		{"GET " + reposPath + "/assignees/{assignee}", onRepo(isAssignable)},
		{"GET " + reposPath + "/milestones/{number}/labels", onRepo(listMilestoneLabels)},
		{"GET " + reposPath + "/pulls/comments", onRepo(listAllReviewComments)},
		{"GET " + reposPath + "/pulls/{number}/requested_reviewers", onPull(listRequested)},
		{"GET " + reposPath + "/statuses/{sha}", onCommits(statusesByPath)},
		{"GET " + reposPath + "/issue-types", onRepo(func(c *call, repo *model.Repo) (reply, error) {
			return list(c, c.s.Users.Get(repo.OwnerID).IssueTypes, issueType)
		})},
		{"GET " + reposPath + "/hash-algorithm", onRepo(func(*call, *model.Repo) (reply, error) { return ok(map[string]string{"hash_algorithm": "sha1"}) })},
		{"GET " + reposPath + "/community/profile", onRepo(communityProfile)},
		{"GET " + reposPath + "/readme/{dir...}", onCommits(getReadmeIn)},
		{"GET /issues", ownIssues(func(*call, *model.Repo) bool { return true })},
		{"GET /user/issues", ownIssues(func(c *call, r *model.Repo) bool {
			return c.s.Collaborates(c.actor, r) || c.s.Users.Get(r.OwnerID).Members[c.actor] != ""
		})},
		{"GET /orgs/{org}/issues", onLogin(func(c *call, org *model.User) (reply, error) {
			return ownIssues(func(_ *call, r *model.Repo) bool { return r.OwnerID == org.ID })(c)
		})},
	}
}

type contributorView struct {
	*userView
	Type          string `json:"type"`
	Contributions int    `json:"contributions"`
	// Name and Email are those of people without an account.
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
}

// contribution is how many commits somebody has written.
type contribution struct {
	user    *model.User
	by      gitstore.Signature
	commits int
}

// contributions counts the commits of the default branch by who wrote them, the
// most first. People without an account are told apart by their address.
func (c *call) contributions(repo *model.Repo) ([]*contribution, error) {
	authors, err := c.s.Contributors(repo)
	if authors == nil {
		return nil, err
	}
	known := map[string]*contribution{}
	var all []*contribution
	for _, author := range authors.All {
		u, name := c.s.Signer(author.By), author.By.Email
		if u != nil {
			name = u.Login
		}
		if known[name] == nil {
			known[name] = &contribution{user: u, by: author.By}
			all = append(all, known[name])
		}
		known[name].commits += author.Commits
	}
	slices.SortStableFunc(all, func(a, b *contribution) int { return cmp.Compare(b.commits, a.commits) })
	return all, nil
}

func listContributors(c *call, repo *model.Repo) (reply, error) {
	all, err := c.contributions(repo)
	if err != nil {
		return reply{}, err
	}
	if all == nil {
		return noContent()
	}
	if anon := c.URL.Query().Get("anon"); anon != "1" && anon != "true" {
		all = slices.DeleteFunc(all, func(one *contribution) bool { return one.user == nil })
	}
	return list(c, all, func(one *contribution) contributorView {
		if one.user == nil {
			return contributorView{Type: "Anonymous", Contributions: one.commits, Name: one.by.Name, Email: one.by.Email}
		}
		return contributorView{userView: c.user(one.user.ID), Type: string(one.user.Type), Contributions: one.commits}
	})
}

func listStargazers(c *call, repo *model.Repo) (reply, error) {
	if !c.accepts("star") {
		return list(c, repo.Stargazers, c.user)
	}
	type starView struct {
		StarredAt stamp     `json:"starred_at"`
		User      *userView `json:"user"`
	}
	return list(c, repo.Stargazers, func(id model.ID) starView {
		when, told := repo.StarredAt[id]
		if !told {
			when = repo.CreatedAt
		}
		return starView{at(when), c.user(id)}
	})
}

func isAssignable(c *call, repo *model.Repo) (reply, error) {
	return c.assignable(repo, c.PathValue("assignee"))
}

// assignable tells whether a user can be assigned in a repository.
func (c *call) assignable(repo *model.Repo, login string) (reply, error) {
	if slices.ContainsFunc(c.s.Assignable(repo), func(u *model.User) bool { return strings.EqualFold(u.Login, login) }) {
		return noContent()
	}
	return reply{}, errNotFound
}

// listMilestoneLabels lists the labels of a milestone's issues.
func listMilestoneLabels(c *call, repo *model.Repo) (reply, error) {
	n, err := c.number("number")
	if err != nil {
		return reply{}, err
	}
	m := c.s.Milestone(repo, n)
	if m == nil {
		return reply{}, errNotFound
	}
	used := map[model.ID]bool{}
	for _, i := range c.s.Issues.Where(func(i *model.Issue) bool { return i.MilestoneID == m.ID }) {
		for _, id := range i.Labels {
			used[id] = true
		}
	}
	labels := slices.DeleteFunc(c.s.LabelsOf(repo), func(l *model.Label) bool { return !used[l.ID] })
	return list(c, labels, c.label)
}

// listAllReviewComments lists what was said on the code of all pull requests.
func listAllReviewComments(c *call, repo *model.Repo) (reply, error) {
	query := c.URL.Query()
	from, err := timeOf(query.Get("since"))
	if err != nil {
		return reply{}, err
	}
	comments := c.s.ReviewComments.Where(func(rc *model.ReviewComment) bool {
		return rc.RepoID == repo.ID && !rc.UpdatedAt.Before(from) && c.s.Reviews.Get(rc.ReviewID).VisibleTo(c.actor)
	})
	sortReviewComments(comments, commentOrdering.of(query))
	shown, header := page(c, comments)
	views := make([]reviewCommentView, len(shown))
	for n, rc := range shown {
		if views[n], err = c.reviewComment(rc); err != nil {
			return reply{}, err
		}
	}
	return reply{status: http.StatusOK, body: views, header: header}, nil
}

func sortReviewComments(comments []*model.ReviewComment, by order) {
	slices.SortStableFunc(comments, func(a, b *model.ReviewComment) int {
		if by.by == "updated" {
			return a.UpdatedAt.Compare(b.UpdatedAt)
		}
		return cmp.Compare(a.ID, b.ID)
	})
	if by.descending {
		slices.Reverse(comments)
	}
}

func listRequested(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	return ok(map[string]any{"users": c.users(i.Pull.RequestedReviewers), "teams": c.teams(i.Pull.RequestedTeams)})
}

// statusesByPath answers at the older address of a commit's statuses.
func statusesByPath(c *call, repo *model.Repo) (reply, error) {
	commit, err := repo.Git.Resolve(c.PathValue("sha"))
	if err != nil {
		return reply{}, errNotFound
	}
	return listStatuses(c, repo, commit)
}

// communityProfile tells which files a repository has that newcomers look for.
func communityProfile(c *call, repo *model.Repo) (reply, error) {
	type fileLink struct {
		URL     string `json:"url"`
		HTMLURL string `json:"html_url"`
	}
	files := map[string]any{
		"code_of_conduct": nil, "code_of_conduct_file": nil, "license": nil, "contributing": nil, "readme": nil, "issue_template": nil, "pull_request_template": nil,
	}
	found := 0
	head, exists := c.s.BranchHead(repo, repo.DefaultBranch)
	if exists {
		for name, path := range map[string]string{"contributing": "CONTRIBUTING.md", "readme": "README.md", "pull_request_template": ".github/pull_request_template.md", "code_of_conduct_file": "CODE_OF_CONDUCT.md"} {
			if e, err := repo.Git.Entry(head, path); err == nil {
				at := c.content(repo, repo.DefaultBranch, e)
				files[name] = fileLink{at.URL, at.HTMLURL}
				found++
			}
		}
		if e, l, licensed := licenseIn(repo.Git, head); licensed {
			files["license"] = struct {
				*licenseView
				HTMLURL string `json:"html_url"`
			}{license(l), c.content(repo, repo.DefaultBranch, e).HTMLURL}
			found++
		}
	}
	if repo.Description != "" {
		found++
	}
	const parts = 6
	return ok(map[string]any{
		"health_percentage": 100 * found / parts, "description": optional(repo.Description), "documentation": optional(repo.Homepage), "files": files,
		"updated_at": at(repo.UpdatedAt), "content_reports_enabled": false,
	})
}

func getReadmeIn(c *call, repo *model.Repo) (reply, error) {
	ref := orDefault(c.URL.Query().Get("ref"), repo.DefaultBranch)
	commit, err := repo.Git.Resolve(ref)
	if err != nil {
		return reply{}, &model.Problem{Kind: model.NotFound, Message: "No commit found for the ref " + ref}
	}
	if readme, found := readmeIn(repo.Git, commit, strings.Trim(c.PathValue("dir"), "/")); found {
		return fileContent(c, repo, ref, readme)
	}
	return reply{}, errNotFound
}

// ownIssues lists what the user has to do with in repositories: what is
// assigned to him, unless the query asks for others.
func ownIssues(in func(*call, *model.Repo) bool) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		if c.actor == 0 {
			return reply{}, errNoUser
		}
		wanted, err := c.issueFilter()
		if err != nil {
			return reply{}, err
		}
		has := c.involved(orDefault(c.URL.Query().Get("filter"), "assigned"))
		issues := c.s.Issues.Where(func(i *model.Issue) bool {
			repo := c.s.Repos.Get(i.RepoID)
			return in(c, repo) && has(i) && wanted.match(c.s, repo, i) && c.s.Permission(c.actor, repo) >= model.PermRead
		})
		c.sortIssues(issues, issueOrdering.of(c.URL.Query()))
		return list(c, issues, func(i *model.Issue) any {
			return with(fieldsOf(c.issue(i)), "repository", c.repo(c.s.Repos.Get(i.RepoID)))
		})
	}
}

// involved tells how the user has to do with an issue.
func (c *call) involved(filter string) func(*model.Issue) bool {
	me := c.s.Login(c.actor)
	switch filter {
	case "created":
		return func(i *model.Issue) bool { return i.AuthorID == c.actor }
	case "mentioned":
		return func(i *model.Issue) bool { return strings.Contains(strings.ToLower(i.Body), "@"+strings.ToLower(me)) }
	case "assigned":
		return func(i *model.Issue) bool { return slices.Contains(i.Assignees, c.actor) }
	default:
		return func(*model.Issue) bool { return true }
	}
}

// branchesAt lists the branches whose newest commit is one.
func branchesAt(c *call, repo *model.Repo, commit gitstore.Hash) (reply, error) {
	refs := slices.DeleteFunc(repo.Git.Refs(headsPrefix), func(r gitstore.Ref) bool { return r.Hash != commit })
	return list(c, refs, func(r gitstore.Ref) branchView {
		return c.branch(repo, strings.TrimPrefix(r.Name, headsPrefix), r.Hash)
	})
}

// idOf reads an id of the path; text that is none is not found.
func (c *call) idOf(name string) (model.ID, error) {
	id, err := strconv.ParseInt(c.PathValue(name), 10, 64)
	if err != nil {
		return 0, errNotFound
	}
	return id, nil
}
