package world

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// repositoryChecker checks one repository.
type repositoryChecker struct {
	*checker
	repo *Repository
	// labels are in small letters.
	labels, milestones, branches, tagged map[string]bool
	// workflows are by the names of their files.
	workflows map[string]workflow
}

func newRepositoryChecker(c *checker, r *Repository) *repositoryChecker {
	return &repositoryChecker{
		checker: c, repo: r, labels: map[string]bool{}, milestones: map[string]bool{}, branches: map[string]bool{r.Branch(): true},
		workflows: map[string]workflow{}, tagged: map[string]bool{},
	}
}

func (c *repositoryChecker) check() {
	c.identity()
	c.files()
	c.lists()
	c.history()
	for i := range c.repo.Issues {
		c.conversation(&c.repo.Issues[i].Conversation, named{kind: KindIssue, fields: c.repo.Issues[i].Optional()})
	}
	c.pullBranches()
	for i := range c.repo.Pulls {
		c.pull(&c.repo.Pulls[i])
	}
	c.issueRelations()
	c.mentions()
	c.actions()
	c.releases()
}

// object is something of this repository.
func (c *repositoryChecker) object(kind Kind) named {
	return named{kind: kind, repository: c.repo.Name}
}

func (c *repositoryChecker) identity() {
	owner, _, _ := strings.Cut(c.repo.Name, "/")
	if _, isOrganization := c.organizations[owner]; !isOrganization {
		if _, isPerson := c.people[owner]; !isPerson {
			known := append(sortedKeys(c.people), sortedKeys(c.organizations)...)
			c.problem(c.repo.Place, "name", "there is no account %q%s", owner, jsondoc.DidYouMean(owner, known))
		}
	}
	for _, login := range sortedKeys(c.repo.Collaborators) {
		c.person(c.repo.Place, "collaborators/"+login, login)
	}
}

// files checks the first commit, and notes which workflows there are.
func (c *repositoryChecker) files() {
	if len(c.repo.Files) == 0 {
		c.problem(c.repo.Place, "files", "is missing: a repository needs files for its first commit")
	}
	c.changes(c.repo.Files)
	for _, commit := range c.repo.History {
		c.changes(commit.Changes)
	}
}

func (c *repositoryChecker) changes(changes []Change) {
	seen := map[string]bool{}
	for _, change := range changes {
		if strings.HasPrefix(change.Path, workflowFolder) {
			c.workflow(change)
		}
		ways := 0
		for _, given := range []bool{change.Text != nil, change.From != "", change.Find != "", change.Delete} {
			if given {
				ways++
			}
		}
		if ways != 1 {
			c.problem(change.Place, "", "must have one of \"text\", \"from\", \"find\" and \"delete\", has %d", ways)
		}
		if _, exists := c.world.files[change.From]; change.From != "" && !exists {
			c.missingFile(change.Place, "from", change.From)
		}
		if seen[change.Path] && change.Find == "" {
			c.problem(change.Place, "path", "%q is changed twice by one commit", change.Path)
		}
		seen[change.Path] = true
	}
}

// lists checks labels and milestones.
func (c *repositoryChecker) lists() {
	for _, l := range c.repo.Labels {
		if c.labels[strings.ToLower(l.Name)] {
			c.problem(l.Place, "name", "the label %q is there twice", l.Name)
		}
		c.labels[strings.ToLower(l.Name)] = true
		c.name(l.Place, "as", l.As, c.object(KindLabel))
	}
	for _, m := range c.repo.Milestones {
		if c.milestones[m.Title] {
			c.problem(m.Place, "title", "the milestone %q is there twice", m.Title)
		}
		c.milestones[m.Title] = true
		c.name(m.Place, "as", m.As, c.object(KindMilestone))
	}
}

func (c *repositoryChecker) history() {
	for _, commit := range c.repo.History {
		if g := commit.Grow; g != nil {
			for _, login := range g.Authors {
				c.person(g.Place, "authors", login)
			}
			continue
		}
		c.commit(commit)
	}
	for _, b := range c.repo.Branches {
		c.newBranch(b.Place, "name", b.Name)
		c.author(b.Place, b.By)
		c.name(b.Place, "as", b.As, c.object(KindBranch))
		for _, commit := range b.Commits {
			c.commit(commit)
			c.changes(commit.Changes)
		}
	}
	for _, b := range c.repo.Branches {
		if b.From != "" && !c.branches[b.From] {
			c.problem(b.Place, "from", "there is no branch %q%s", b.From, meant(c.checker, b.From, c.branches))
		}
	}
	c.branchOrder()
}

// branchOrder checks that branches are made of those that are there already.
func (c *repositoryChecker) branchOrder() {
	from, index := map[string][]string{}, map[string]int{}
	for i, b := range c.repo.Branches {
		from[b.Name], index[b.Name] = []string{b.From}, i
	}
	if found := cycle(from); found != nil {
		c.problem(c.repo.Branches[index[found[0]]].Place, "from", "goes in a circle: %s", strings.Join(found, " → "))
		return
	}
	for i, b := range c.repo.Branches {
		at, is := index[b.From]
		if is && cmp.Or(c.repo.Branches[at].When.Time.Compare(b.When.Time), at-i) > 0 {
			c.problem(b.Place, "from", "the branch %q is made later: put this one after it, or say when", b.From)
		}
	}
}

func (c *repositoryChecker) newBranch(at Place, field, name string) {
	if c.branches[name] {
		c.problem(at, field, "the branch %q is there twice", name)
	}
	c.branches[name] = true
}

func (c *repositoryChecker) commit(commit Commit) {
	if commit.Message == "" {
		c.problem(commit.Place, "message", "is missing")
	}
	if len(commit.Changes) == 0 {
		c.problem(commit.Place, "changes", "is missing: a commit changes something")
	}
	c.author(commit.Place, commit.By)
	c.name(commit.Place, "as", commit.As, c.object(KindCommit))
	c.runs(commit.Runs)
}

func (c *repositoryChecker) runs(runs []Run) {
	for _, r := range runs {
		c.knownWorkflow(r.Place, r.Workflow)
		c.name(r.Place, "as", r.As, c.object(KindRun))
		for _, job := range sortedKeys(r.Jobs) {
			c.name(r.Place, "jobs/"+job, r.Jobs[job], c.object(KindJob))
		}
	}
}

func (c *repositoryChecker) conversation(i *Conversation, object named) {
	object.repository = c.repo.Name
	c.name(i.Place, "as", i.As, object)
	c.author(i.Place, i.By)
	for _, label := range i.Labels {
		if !c.labels[strings.ToLower(label)] {
			c.problem(i.Place, "labels", "the repository has no label %q%s", label, meant(c.checker, label, c.labels))
		}
	}
	for _, login := range i.Assignees {
		if c.person(i.Place, "assignees", login) && !c.writes(login) && c.repo.Collaborators[login] != "triage" {
			c.problem(i.Place, "assignees", "%s may not be assigned in %s: want a collaborator who may at least triage", login, c.repo.Name)
		}
	}
	if i.Milestone != "" && !c.milestones[i.Milestone] {
		c.problem(i.Place, "milestone", "the repository has no milestone %q%s", i.Milestone, meant(c.checker, i.Milestone, c.milestones))
	}
	c.comments(i.Comments)
	if i.Closed != nil {
		c.author(i.Closed.Place, i.Closed.By)
	}
}

func (c *repositoryChecker) comments(comments []Comment) {
	for _, comment := range comments {
		c.author(comment.Place, comment.By)
		c.name(comment.Place, "as", comment.As, c.object(KindComment))
	}
}

// pullBranches notes the branches of pull requests, and that their bases do
// not go in a circle.
func (c *repositoryChecker) pullBranches() {
	for _, p := range c.repo.Pulls {
		c.newBranch(p.Place, "branch", p.Branch)
	}
	bases, places := map[string][]string{}, map[string]Place{}
	for _, p := range c.repo.Pulls {
		if p.Base == "" {
			continue
		}
		if !c.branches[p.Base] {
			c.problem(p.Place, "base", "there is no branch %q%s", p.Base, meant(c.checker, p.Base, c.branches))
		}
		bases[p.Branch], places[p.Branch] = []string{p.Base}, p.Place
	}
	if found := cycle(bases); found != nil {
		c.problem(places[found[0]], "base", "goes in a circle: %s", strings.Join(found, " → "))
	}
}

// writes reports whether an account may push to the repository.
func (c *repositoryChecker) writes(login string) bool {
	owner, _, _ := strings.Cut(c.repo.Name, "/")
	return login == owner || c.organizations[owner].Members[login] == "owner" ||
		slices.Contains([]string{"write", "maintain", "admin"}, c.repo.Collaborators[login])
}

func (c *repositoryChecker) pull(p *Pull) {
	if _, known := c.people[p.By]; known && !c.writes(p.By) {
		c.problem(p.Place, "by", "%s may not push to %s, so there is no branch of theirs: want a collaborator who may write", p.By, c.repo.Name)
	}
	c.conversation(&p.Conversation, named{kind: KindPull, fields: p.Optional()})
	if len(p.Commits) == 0 {
		c.problem(p.Place, "commits", "is missing: a pull request needs one")
	}
	for _, commit := range p.Commits {
		c.commit(commit)
		c.changes(commit.Changes)
	}
	for _, login := range p.Reviewers {
		switch {
		case !c.person(p.Place, "reviewers", login):
		case login == p.By:
			c.problem(p.Place, "reviewers", "%s is the author, who cannot review it", login)
		case !c.writes(login) && c.repo.Collaborators[login] == "":
			c.problem(p.Place, "reviewers", "%s may not be asked for a review in %s: want a collaborator", login, c.repo.Name)
		}
	}
	for _, r := range p.Reviews {
		c.author(r.Place, r.By)
		c.name(r.Place, "as", r.As, c.object(KindReview))
		if r.By == p.By && r.State != "comment" {
			c.problem(r.Place, "by", "%s is the author, who can comment alone", r.By)
		}
		c.threads(r)
	}
	if p.Merged != nil {
		c.author(p.Merged.Place, p.Merged.By)
		if p.Closed != nil {
			c.problem(p.Place, "closed", "does not go with merged: a pull request that is merged is closed")
		}
	}
	c.runs(p.Runs)
}

func (c *repositoryChecker) threads(r Review) {
	if r.State == "comment" && r.Body == "" && len(r.Threads) == 0 {
		c.problem(r.Place, "body", "is missing: a review that comments needs a body or threads")
	}
	for _, t := range r.Threads {
		if (t.On == "") == (t.Line == 0) {
			c.problem(t.Place, "", "must have one of \"on\" and \"line\"")
		}
		c.name(t.Place, "as", t.As, c.object(KindThread))
		c.comments(t.Replies)
		if t.Resolved != "" {
			c.person(t.Place, "resolved", t.Resolved)
		}
	}
}

// issueRelations checks that parents and blockers are issues, and do not go in
// circles.
func (c *repositoryChecker) issueRelations() {
	parents, blockers, places := map[string][]string{}, map[string][]string{}, map[string]Place{}
	for n, i := range c.repo.Issues {
		key := i.As
		if key == "" {
			// Nothing refers to it, so it is in no circle.
			key = fmt.Sprintf("/%d", n)
		}
		places[key] = i.Place
		if i.Parent != "" && c.issueNamed(i.Place, "parent", i.Parent) {
			parents[key] = []string{i.Parent}
		}
		for _, name := range i.BlockedBy {
			if c.issueNamed(i.Place, "blocked_by", name) {
				blockers[key] = append(blockers[key], name)
			}
		}
	}
	if found := cycle(parents); found != nil {
		c.problem(places[found[0]], "parent", "goes in a circle: %s", strings.Join(found, " → "))
	}
	if found := cycle(blockers); found != nil {
		c.problem(places[found[0]], "blocked_by", "goes in a circle: %s", strings.Join(found, " → "))
	}
}

func (c *repositoryChecker) issueNamed(at Place, field, name string) bool {
	object, known := c.known(at, field, name)
	if known && (object.kind != KindIssue || object.repository != c.repo.Name) {
		c.problem(at, field, "%q is %s of %s: want an issue of this repository", name, object.kind.article(), object.repository)
		return false
	}
	return known
}

func (c *repositoryChecker) releases() {
	for _, r := range c.repo.Releases {
		c.author(r.Place, r.By)
		if c.tagged[r.Tag] {
			c.problem(r.Place, "tag", "the tag %q is there twice", r.Tag)
		}
		c.tagged[r.Tag] = true
		if r.Target != "" && !c.branches[r.Target] {
			c.problem(r.Place, "target", "there is no branch %q%s", r.Target, meant(c.checker, r.Target, c.branches))
		}
		c.name(r.Place, "as", r.As, c.object(KindRelease))
		var names []string
		for _, a := range r.Assets {
			if slices.Contains(names, a.Name) {
				c.problem(a.Place, "name", "the asset %q is there twice", a.Name)
			}
			names = append(names, a.Name)
			c.holds(a.Place, "text", len(a.Text)*max(1, int(a.Times)))
			c.name(a.Place, "as", a.As, c.object(KindAsset))
		}
	}
}
