package model

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// Imported is a repository as it was on another GitHub. People are named by
// login; accounts that are not there are made.
type Imported struct {
	Owner, Name, Description string
	// OwnerType is [TypeUser] if empty.
	OwnerType UserType
	// DefaultBranch is one of the branches.
	DefaultBranch string
	// Git has the objects and refs; of those, branches and tags are kept.
	Git        *gitstore.Store
	Labels     []NewLabel
	Milestones []Milestone
	Issues     []ImportedIssue
	Comments   []ImportedComment
}

// ImportedIssue is an issue or pull request. Its ids, and those of whom and what it is
// about, are given when it is imported.
type ImportedIssue struct {
	Issue
	Author, Closer, Merger       string
	Assignees, Labels, Reviewers []string
	// Milestone is a number, 0 for none.
	Milestone int
	// HeadOwner is whose fork a pull request comes from, empty for none; HeadGone says
	// that it comes from one that is no more.
	HeadOwner string
	HeadGone  bool
}

// ImportedComment is a comment on the issue or pull request of a number.
type ImportedComment struct {
	Number           int
	Author, Body     string
	Created, Updated time.Time
}

// Left is what is not in the world after an import, by its number.
type Left struct {
	// Headless are pull requests whose commits git does not have.
	Headless []int
	// Stray are numbers that comments are about, and nothing else.
	Stray []int
}

// importer brings one repository into a world.
type importer struct {
	*State
	from       Imported
	repo       *Repo
	users      map[string]ID
	labels     map[string]ID
	milestones map[int]ID
	// last is the highest number.
	last int
	left Left
}

// Import adds a repository as it was elsewhere, with numbers and times. Nothing
// follows from it: nobody is told, nothing runs. The clock is set on to the newest of
// its times. The name must be free.
func (s *State) Import(from Imported) (*Repo, Left) {
	m := &importer{State: s, from: from, users: map[string]ID{}, labels: map[string]ID{}, milestones: map[int]ID{}}
	for u := range s.Users.All() {
		m.users[strings.ToLower(u.Login)] = u.ID
	}
	owner := m.user(from.Owner)
	if from.OwnerType == TypeOrganization {
		s.Users.Get(owner).Type = TypeOrganization
	}
	m.repo = s.AddRepo(NewRepo{Owner: owner, Name: from.Name, Description: from.Description, DefaultBranch: from.DefaultBranch})
	m.takeGit()
	for _, l := range from.Labels {
		m.label(l)
	}
	for _, ms := range from.Milestones {
		m.milestone(ms)
	}
	byNumber := map[int]*Issue{}
	for _, i := range from.Issues {
		if made := m.issue(i); made != nil {
			byNumber[i.Number] = made
		}
	}
	for _, c := range from.Comments {
		m.comment(byNumber[c.Number], c)
	}
	repo := s.Repos.Get(m.repo.ID)
	repo.LastNumber, repo.UpdatedAt = m.last, s.Now
	return repo, m.left
}

// at sets the clock on to a time.
func (m *importer) at(t time.Time) time.Time {
	if t.After(m.Now) {
		m.Now = t.UTC().Truncate(time.Second)
	}
	return t.UTC()
}

// user returns the account of a login, that of nobody for none.
func (m *importer) user(login string) ID {
	if login == "" {
		login = ghost
	}
	id, known := m.users[strings.ToLower(login)]
	if !known {
		kind := TypeUser
		if strings.HasSuffix(login, "[bot]") {
			kind = TypeBot
		}
		id = m.AddUser(NewUser{Login: login, Type: kind}).ID
		m.users[strings.ToLower(login)] = id
	}
	return id
}

func (m *importer) all(logins []string) (ids []ID) {
	for _, login := range logins {
		ids = append(ids, m.user(login))
	}
	return ids
}

// takeGit has the repository hold git's objects, branches and tags, and what its
// default branch says.
func (m *importer) takeGit() {
	git := m.from.Git.Clone()
	for _, ref := range git.Refs("") {
		if !strings.HasPrefix(ref.Name, headsPrefix) && !strings.HasPrefix(ref.Name, tagsPrefix) {
			git.DeleteRef(ref.Name)
		}
	}
	m.repo.Git = git
	tip, known := m.BranchHead(m.repo, m.repo.DefaultBranch)
	if !known {
		return
	}
	if commit, err := git.Commit(tip); err == nil {
		m.repo.PushedAt = m.at(commit.Committer.When)
	}
	m.readWorkflows(m.repo, tip)
	readLanguages(m.repo, tip)
}

func (m *importer) label(in NewLabel) ID {
	name := strings.ToLower(in.Name)
	id, known := m.labels[name]
	if !known {
		in.Color = cmp.Or(in.Color, "ededed")
		id = m.addLabel(m.repo, in).ID
		m.labels[name] = id
	}
	return id
}

func (m *importer) milestone(in Milestone) {
	in.ID, in.RepoID, in.CreatorID = m.newID(), m.repo.ID, m.repo.OwnerID
	m.milestones[in.Number] = m.Milestones.Add(in.ID, &in).ID
}

// issue adds an issue, or a pull request whose head git has.
func (m *importer) issue(in ImportedIssue) *Issue {
	i := in.Issue.clone()
	author := m.user(in.Author)
	if i.Pull != nil && !m.pull(i, in) {
		m.left.Headless = append(m.left.Headless, in.Number)
		return nil
	}
	i.ID, i.RepoID, i.AuthorID, i.Assignees = m.newID(), m.repo.ID, author, m.all(in.Assignees)
	for _, name := range in.Labels {
		i.Labels = append(i.Labels, m.label(NewLabel{Name: name}))
	}
	slices.Sort(i.Labels)
	i.Labels = slices.Compact(i.Labels)
	i.MilestoneID = m.milestones[in.Milestone]
	i.CreatedAt, i.UpdatedAt = m.at(i.CreatedAt), m.at(i.UpdatedAt)
	if in.Closer != "" {
		i.ClosedBy = m.user(in.Closer)
	}
	m.last = max(m.last, i.Number)
	return m.Issues.Add(i.ID, i)
}

// pull completes what a pull request has beyond an issue. It reports whether git has
// the commits.
func (m *importer) pull(i *Issue, in ImportedIssue) bool {
	p, git := i.Pull, m.repo.Git
	if _, known := git.Type(plumbing.NewHash(p.HeadSHA)); !known {
		return false
	}
	if _, known := git.Type(plumbing.NewHash(p.BaseSHA)); !known {
		tip, known := m.BranchHead(m.repo, p.BaseRef)
		if !known {
			return false
		}
		p.BaseSHA = tip.String()
	}
	p.ID, p.RequestedReviewers = m.newID(), m.all(in.Reviewers)
	if in.Merger != "" {
		p.MergedBy = m.user(in.Merger)
	}
	switch {
	case in.HeadGone:
		p.HeadRepoID = m.newID()
	case in.HeadOwner == "" || strings.EqualFold(in.HeadOwner, m.from.Owner):
		return true
	default:
		p.HeadRepoID = m.fork(in.HeadOwner)
	}
	if fork := m.Repos.Get(p.HeadRepoID); !i.Closed && fork != nil {
		// A name that git refuses is one that GitHub would not have had.
		_ = fork.Git.SetRef(headsPrefix+p.HeadRef, plumbing.NewHash(p.HeadSHA))
	}
	return true
}

// fork returns the id of somebody's fork.
func (m *importer) fork(login string) ID {
	owner := m.user(login)
	fork, err := m.Fork(owner, m.repo, owner, "", false)
	if err != nil {
		return m.newID() // as of one that is gone
	}
	return fork.ID
}

func (m *importer) comment(on *Issue, in ImportedComment) {
	if on == nil {
		if !slices.Contains(m.left.Headless, in.Number) && !slices.Contains(m.left.Stray, in.Number) {
			m.left.Stray = append(m.left.Stray, in.Number)
		}
		return
	}
	c := &Comment{
		ID: m.newID(), RepoID: m.repo.ID, IssueID: on.ID, AuthorID: m.user(in.Author), Body: in.Body,
		CreatedAt: m.at(in.Created), UpdatedAt: m.at(in.Updated),
	}
	m.Comments.Add(c.ID, c)
}
