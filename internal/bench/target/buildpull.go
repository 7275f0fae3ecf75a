package target

import (
	"cmp"
	"context"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/bench/world"
)

// pulls plans the pull requests.
func (r *repository) pulls() {
	for i := range r.plan.Pulls {
		p := &pulling{repository: r, plan: &r.plan.Pulls[i], threads: map[*world.Thread]thread{}}
		for n := range p.plan.Commits {
			c := &p.plan.Commits[n]
			r.then(c.Place, c.When.Time, quoted("commit", subject(c.Message)), func(ctx context.Context) error { return p.commit(ctx, c) })
			r.nameRuns(c.Runs, func() string { return r.commits[c] })
		}
		last := &p.plan.Commits[len(p.plan.Commits)-1]
		r.then(p.plan.Place, p.plan.When.Time, quoted("open pull request", p.plan.Title), p.open)
		r.discussion(&p.plan.Conversation, &p.discussed)
		r.nameRuns(p.plan.Runs, func() string { return r.commits[last] })
		for n := range p.plan.Reviews {
			p.review(&p.plan.Reviews[n])
		}
		p.ending()
		r.finally(p.plan.Place, quoted("look up", p.plan.Title), p.tell)
	}
}

// pulling is a pull request that is being made.
type pulling struct {
	*repository
	discussed
	plan *world.Pull
	// begun is true once the branch is there.
	begun   bool
	threads map[*world.Thread]thread
}

// thread is one that was made: its node id, and the first comment's id.
type thread struct {
	nodeID  string
	comment int64
}

// author is who opened it.
func (p *pulling) author() string { return p.by(p.plan.By) }

// base is the branch that it is to be merged into.
func (p *pulling) base() string { return cmp.Or(p.plan.Base, p.repository.plan.Branch()) }

// commit makes a commit on the branch, which the first one begins.
func (p *pulling) commit(ctx context.Context, c *world.Commit) error {
	by := p.writer(cmp.Or(c.By, p.author()))
	if !p.begun {
		at, err := p.tipOf(ctx, p.base())
		if err != nil {
			return err
		}
		p.branches[p.plan.Branch] = at
	}
	if err := p.repository.commit(ctx, p.plan.Branch, c, p.author()); err != nil {
		return err
	}
	if p.begun {
		return p.moveBranch(ctx, p.plan.Branch, by)
	}
	p.begun = true
	return p.createRef(ctx, p.plan.Branch, p.branches[p.plan.Branch].commit, by)
}

func (p *pulling) open(ctx context.Context) error {
	var made *gh.PullRequest
	err := p.write(ctx, func() (err error) {
		made, _, err = p.rest(p.writer(p.author())).PullRequests.Create(ctx, p.owner, p.name, &gh.NewPullRequest{
			Title: gh.String(p.plan.Title), Body: p.text(p.plan.Body), Head: gh.String(p.plan.Branch), Base: gh.String(p.base()), Draft: gh.Bool(p.plan.Draft),
		})
		return err
	})
	if err != nil {
		return err
	}
	p.number, p.nodeID = made.GetNumber(), made.GetNodeID()
	p.fields = map[string]any{
		"id": p.nodeID, "database_id": made.GetID(), "number": p.number, "url": made.GetHTMLURL(), "title": p.plan.Title, "author": made.GetUser().GetLogin(),
		"head_branch": p.plan.Branch, "base_branch": p.base(),
	}
	p.noted(&p.plan.Conversation, &p.discussed)
	if sorted := p.sorting(&p.plan.Conversation); sorted != nil {
		if err := p.editIssue(ctx, p.triager(p.author()), &p.discussed, sorted); err != nil {
			return err
		}
	}
	return p.ask(ctx)
}

// ask requests the reviews. Nobody is asked to review what is his own.
func (p *pulling) ask(ctx context.Context) error {
	var asked []string
	for _, login := range p.plan.Reviewers {
		if p.login(login) == p.login(p.author()) {
			if err := p.leaveOut("a request of a review by "+login, "%s is who opened the pull request", p.login(login)); err != nil {
				return err
			}
			continue
		}
		asked = append(asked, p.login(login))
	}
	if len(asked) == 0 {
		return nil
	}
	return p.write(ctx, func() error {
		_, _, err := p.rest(p.writer(p.author())).PullRequests.RequestReviewers(ctx, p.owner, p.name, p.number, gh.ReviewersRequest{Reviewers: asked})
		return err
	})
}

// ending plans how it is merged or closed.
func (p *pulling) ending() {
	if m := p.plan.Merged; m != nil {
		p.then(m.Place, m.When.Time, quoted("merge", p.plan.Title), func(ctx context.Context) error { return p.merge(ctx, m) })
	}
	if c := p.plan.Closed; c != nil {
		p.then(c.Place, c.When.Time, quoted("close", p.plan.Title), func(ctx context.Context) error {
			return p.editIssue(ctx, p.writer(cmp.Or(c.By, p.author())), &p.discussed, &gh.IssueRequest{State: gh.String("closed")})
		})
	}
}

func (p *pulling) merge(ctx context.Context, m *world.Merging) error {
	by := p.rest(p.writer(m.By))
	var result *gh.PullRequestMergeResult
	err := p.write(ctx, func() (err error) {
		result, _, err = by.PullRequests.Merge(ctx, p.owner, p.name, p.number, "", &gh.PullRequestOptions{MergeMethod: m.Method})
		return err
	})
	if err != nil {
		return err
	}
	p.fields[world.FieldMergeCommit] = result.GetSHA()
	// What the base has now, GitHub knows.
	delete(p.branches, p.base())
	if m.KeepBranch {
		return nil
	}
	return p.write(ctx, func() error {
		_, err := by.Git.DeleteRef(ctx, p.owner, p.name, "heads/"+p.plan.Branch)
		return err
	})
}

// tell completes the resource.
func (p *pulling) tell(context.Context) error {
	threads, unresolved := 0, 0
	for _, r := range p.plan.Reviews {
		threads += len(r.Threads)
		for _, t := range r.Threads {
			if t.Resolved == "" {
				unresolved++
			}
		}
	}
	p.fields["head_sha"] = p.commits[&p.plan.Commits[len(p.plan.Commits)-1]]
	p.fields["thread_count"], p.fields["unresolved_count"] = threads, unresolved
	return nil
}
