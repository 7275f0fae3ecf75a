package target

import (
	"cmp"
	"context"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// review plans a review and what follows.
func (p *pulling) review(r *world.Review) {
	p.then(r.Place, r.When.Time, quoted("review", p.plan.Title), func(ctx context.Context) error { return p.writeReview(ctx, r) })
	for i := range r.Threads {
		t := &r.Threads[i]
		end := r.When.Time
		for n := range t.Replies {
			c := &t.Replies[n]
			end = c.When.Time
			p.then(c.Place, c.When.Time, quoted("answer in", p.plan.Title), func(ctx context.Context) error { return p.reply(ctx, t, c) })
		}
		if t.Resolved != "" {
			p.then(t.Place, end, quoted("resolve a thread of", p.plan.Title), func(ctx context.Context) error { return p.resolve(ctx, t) })
		}
	}
}

// reviewEvents are what reviews are called by the API.
func reviewEvents() map[string]string {
	return map[string]string{"approve": "APPROVE", "request_changes": "REQUEST_CHANGES", "comment": "COMMENT"}
}

// writeReview writes a review with its threads. What the author of the pull
// request cannot say of it becomes a comment.
func (p *pulling) writeReview(ctx context.Context, r *world.Review) error {
	event, body := reviewEvents()[r.State], r.Body
	if p.login(r.By) == p.login(p.author()) && r.State != "comment" {
		if err := p.leaveOut(r.By+"'s review of "+p.plan.Title, "%s is who opened the pull request: it becomes a comment", p.login(r.By)); err != nil {
			return err
		}
		event, body = "COMMENT", cmp.Or(body, "Looked through it.")
	}
	request := &gh.PullRequestReviewRequest{Body: p.text(body), Event: gh.String(event)}
	for i := range r.Threads {
		t := &r.Threads[i]
		line, err := p.lineOf(ctx, t)
		if err != nil {
			return placed{err, t.Place}
		}
		request.Comments = append(request.Comments, &gh.DraftReviewComment{
			Path: gh.String(t.Path), Line: gh.Int(line), Side: gh.String("RIGHT"), Body: p.text(t.Body),
		})
	}
	var made *gh.PullRequestReview
	err := p.write(ctx, func() (err error) {
		made, _, err = p.rest(r.By).PullRequests.CreateReview(ctx, p.owner, p.name, p.number, request)
		return err
	})
	if err != nil {
		return err
	}
	p.export(r.As, map[string]any{"id": made.GetID(), "node_id": made.GetNodeID(), "url": made.GetHTMLURL()})
	if len(r.Threads) == 0 {
		return nil
	}
	return p.takeThreads(ctx, r, made.GetID())
}

const threadsQuery = `query($id: ID!) { node(id: $id) { ... on PullRequest { reviewThreads(first: 100) { nodes { id comments(first: 1) { nodes { databaseId pullRequestReview { databaseId } } } } } } } }`

// takeThreads finds out what the threads of a review are called.
func (p *pulling) takeThreads(ctx context.Context, r *world.Review, review int64) error {
	var reply struct {
		Node struct {
			ReviewThreads struct {
				Nodes []struct {
					ID       string
					Comments struct {
						Nodes []struct {
							DatabaseID        int64
							PullRequestReview struct{ DatabaseID int64 }
						}
					}
				}
			}
		}
	}
	if err := p.Main.GraphQL(ctx, threadsQuery, map[string]any{"id": p.nodeID}, &reply); err != nil {
		return err
	}
	n := 0
	for _, there := range reply.Node.ReviewThreads.Nodes {
		first := there.Comments.Nodes
		if len(first) == 0 || first[0].PullRequestReview.DatabaseID != review || n == len(r.Threads) {
			continue
		}
		t := &r.Threads[n]
		n++
		p.threads[t] = thread{there.ID, first[0].DatabaseID}
		p.export(t.As, map[string]any{"id": there.ID, "comment_id": first[0].DatabaseID, "path": t.Path, "line": int(t.Line)})
	}
	return nil
}

// lineOf returns the line that a thread is about.
func (p *pulling) lineOf(ctx context.Context, t *world.Thread) (int, error) {
	if t.On == "" {
		return int(t.Line), nil
	}
	text, err := p.fileAt(ctx, p.branches[p.plan.Branch], t.Path)
	if err != nil {
		return 0, err
	}
	found := 0
	for n, line := range strings.Split(text, "\n") {
		if !strings.Contains(line, t.On) {
			continue
		}
		if found > 0 {
			return 0, fault.Invalidf("%s has %q in the lines %d and %d: want one", t.Path, clipped(t.On), found, n+1)
		}
		found = n + 1
	}
	if found == 0 {
		return 0, fault.Invalidf("%s has no line with %q", t.Path, clipped(t.On))
	}
	t.Line = world.Number(found)
	return found, nil
}

func (p *pulling) reply(ctx context.Context, t *world.Thread, c *world.Comment) error {
	var made *gh.PullRequestComment
	err := p.write(ctx, func() (err error) {
		made, _, err = p.rest(p.by(c.By)).PullRequests.CreateCommentInReplyTo(ctx, p.owner, p.name, p.number, *p.text(c.Body), p.threads[t].comment)
		return err
	})
	if err == nil {
		p.export(c.As, map[string]any{"id": made.GetID(), "node_id": made.GetNodeID(), "url": made.GetHTMLURL()})
	}
	return err
}

const resolveThread = `mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { clientMutationId } }`

func (p *pulling) resolve(ctx context.Context, t *world.Thread) error {
	return p.mutate(ctx, p.writer(t.Resolved), resolveThread, map[string]any{"id": p.threads[t].nodeID}, nil)
}
