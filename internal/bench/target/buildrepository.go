package target

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// repository is one that is being built.
type repository struct {
	*builder
	plan        *world.Repository
	owner, name string
	// branches are the tips of branches as far as they were made here.
	branches map[string]*tip
	// pushed is the commit of the default branch that GitHub has, pusher who
	// brings the next ones.
	pushed, pusher string
	// commits are the hashes of those that were made.
	commits    map[*world.Commit]string
	milestones map[string]int
}

// tip is where a branch is.
type tip struct {
	commit, tree string
	// files are the texts that the commit has, as far as they are known.
	files map[string]string
}

// repository plans what is made in a repository.
func (b *builder) repository(ctx context.Context, i int) error {
	plan := &b.plan.Repositories[i]
	full := plan.Name
	if i == 0 {
		full = cmp.Or(b.Repo, full)
	}
	r := &repository{builder: b, plan: plan, branches: map[string]*tip{}, commits: map[*world.Commit]string{}, milestones: map[string]int{}}
	r.owner, r.name, _ = strings.Cut(full, "/")
	b.repos[plan.Name] = r
	there, _, err := b.Main.REST.Repositories.Get(ctx, r.owner, r.name)
	if err != nil {
		return github.Explain("look up repository "+full, err)
	}
	commits, response, err := b.Main.REST.Repositories.ListCommits(ctx, r.owner, r.name, &gh.CommitsListOptions{ListOptions: gh.ListOptions{PerPage: 1}})
	if err != nil && (response == nil || response.StatusCode != http.StatusConflict) {
		return github.Explain("look for commits in "+full, err)
	}
	if len(commits) > 0 {
		return fault.Invalidf("repository %s has commits: a world needs one that is empty", full)
	}
	if is := there.GetDefaultBranch(); is != plan.Branch() {
		return fault.Invalidf("the default branch of %s is %s, and the world's is %s: name it so in the repository's settings", full, is, plan.Branch())
	}
	r.begin()
	r.history()
	r.otherBranches()
	r.issues()
	r.pulls()
	r.dispatches()
	r.releases()
	return nil
}

// maintainer is the login of who does what nobody is named for: the owner, or
// the first administrator.
func (r *repository) maintainer() string {
	owner, _, _ := strings.Cut(r.plan.Name, "/")
	account := r.account(owner)
	if !account.Organization() {
		return owner
	}
	for _, login := range slices.Sorted(maps.Keys(r.plan.Collaborators)) {
		if r.plan.Collaborators[login] == "admin" {
			return login
		}
	}
	for _, login := range slices.Sorted(maps.Keys(account.Members)) {
		if account.Members[login] == "owner" {
			return login
		}
	}
	return owner
}

// by returns who does something.
func (r *repository) by(login string) string { return cmp.Or(login, r.maintainer()) }

// may returns who may do what needs write access: the one who is to do it, or
// the maintainer.
func (r *repository) may(login string, permissions ...string) string {
	login = r.by(login)
	owner, _, _ := strings.Cut(r.plan.Name, "/")
	if login == owner || r.account(owner).Members[login] == "owner" || slices.Contains(permissions, r.plan.Collaborators[login]) {
		return login
	}
	return r.maintainer()
}

// writer and triager are [repository.may] for two permissions.
func (r *repository) writer(login string) string {
	return r.may(login, "write", "maintain", "admin")
}

func (r *repository) triager(login string) string {
	return r.may(login, "triage", "write", "maintain", "admin")
}

// rest returns the REST client of an account.
func (r *repository) rest(login string) *gh.Client { return r.client(login).REST }

// begin makes the first commits, labels and milestones.
func (r *repository) begin() {
	r.then(r.plan.Place, r.builder.plan.Start, "begin the history of "+r.plan.Name, r.firstCommits)
	r.then(r.plan.Place, r.builder.plan.Start, "make the labels of "+r.plan.Name, r.labels)
	for i := range r.plan.Milestones {
		m := &r.plan.Milestones[i]
		r.then(m.Place, m.When.Time, quoted("make milestone", m.Title), func(ctx context.Context) error { return r.milestone(ctx, m) })
	}
}

func (r *repository) labels(ctx context.Context) error {
	maintainer := r.rest(r.maintainer())
	for _, l := range r.plan.Labels {
		wanted := &gh.Label{Name: gh.String(l.Name), Color: gh.String(cmp.Or(strings.ToLower(l.Color), "ededed")), Description: gh.String(l.Description)}
		var made *gh.Label
		err := r.write(ctx, func() (err error) {
			made, _, err = maintainer.Issues.CreateLabel(ctx, r.owner, r.name, wanted)
			return err
		})
		if github.StatusOf(err) == http.StatusUnprocessableEntity {
			// A new repository has some labels already.
			err = r.write(ctx, func() (err error) {
				made, _, err = maintainer.Issues.EditLabel(ctx, r.owner, r.name, l.Name, wanted)
				return err
			})
		}
		if err != nil {
			return err
		}
		r.export(l.As, map[string]any{"id": made.GetNodeID(), "name": made.GetName()})
	}
	return nil
}

func (r *repository) milestone(ctx context.Context, m *world.Milestone) error {
	wanted := &gh.Milestone{Title: gh.String(m.Title), Description: gh.String(m.Description)}
	if !m.Due.Time.IsZero() {
		wanted.DueOn = &gh.Timestamp{Time: m.Due.Time}
	}
	var made *gh.Milestone
	err := r.write(ctx, func() (err error) {
		made, _, err = r.rest(r.maintainer()).Issues.CreateMilestone(ctx, r.owner, r.name, wanted)
		return err
	})
	if err != nil {
		return err
	}
	number := made.GetNumber()
	r.milestones[m.Title] = number
	r.export(m.As, map[string]any{"id": made.GetNodeID(), "number": number, "title": made.GetTitle()})
	if m.Closed {
		r.finally(m.Place, quoted("close milestone", m.Title), func(ctx context.Context) error {
			return r.write(ctx, func() error {
				_, _, err := r.rest(r.maintainer()).Issues.EditMilestone(ctx, r.owner, r.name, number, &gh.Milestone{State: gh.String("closed")})
				return err
			})
		})
	}
	return nil
}

// history plans the commits of the default branch.
func (r *repository) history() {
	for i := range r.plan.History {
		c := &r.plan.History[i]
		r.events = append(r.events, event{
			act: act{c.Place, quoted("commit", subject(c.Message)), func(ctx context.Context) error {
				return r.commit(ctx, r.plan.Branch(), c, r.maintainer())
			}},
			at: c.When.Time, repo: r, pushes: len(c.Runs) > 0 || c.Push,
		})
		r.nameRuns(c.Runs, func() string { return r.commits[c] })
	}
}

// otherBranches plans the branches that are no pull request's.
func (r *repository) otherBranches() {
	for i := range r.plan.Branches {
		br := &r.plan.Branches[i]
		from := cmp.Or(br.From, r.plan.Branch())
		r.then(br.Place, br.When.Time, quoted("make branch", br.Name), func(ctx context.Context) error {
			return r.branch(ctx, br.Name, from, r.writer(br.By))
		})
		for n := range br.Commits {
			c := &br.Commits[n]
			r.then(c.Place, c.When.Time, quoted("commit", subject(c.Message)), func(ctx context.Context) error {
				if err := r.commit(ctx, br.Name, c, br.By); err != nil {
					return err
				}
				return r.moveBranch(ctx, br.Name, r.writer(cmp.Or(c.By, br.By)))
			})
			r.nameRuns(c.Runs, func() string { return r.commits[c] })
		}
		r.finally(br.Place, quoted("look up branch", br.Name), func(context.Context) error {
			r.export(br.As, map[string]any{"name": br.Name, "sha": r.branches[br.Name].commit})
			return nil
		})
	}
}

// dated is who did something, and when.
func (b *builder) dated(login string, at time.Time) *gh.CommitAuthor {
	a := b.account(login)
	return &gh.CommitAuthor{Name: gh.String(a.Signer()), Email: gh.String(a.Address()), Date: &gh.Timestamp{Time: at}}
}
