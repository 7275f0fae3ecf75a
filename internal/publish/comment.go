package publish

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/github"
)

// Posted is the comment as it is now.
type Posted struct {
	// URL is empty if there is no comment.
	URL string
	// Written is false if it was left as it was.
	Written bool
}

// Comment says in a conversation, of a pull request or an issue by its number, what
// there is to say of a run: in one comment of the run's suite, which is kept up to
// date unless when or its sameness speaks against it; what is there of it besides is
// deleted. A run that was skipped has none. It goes on for a moment after ctx has
// ended.
func (p *Publisher) Comment(ctx context.Context, number int, when comment.When, run comment.Run) (Posted, []Notice) {
	if number == 0 || when == comment.Never || run.Phase == comment.Skipped {
		return Posted{}, nil
	}
	ctx, cancel := outliving(ctx)
	defer cancel()
	ours, err := p.ours(ctx, number, of(run.Suite), maxCommentPages)
	if err != nil {
		return Posted{}, noticed("look for our comment", err)
	}
	w := &writing{publisher: p, number: number, marked: of(run.Suite), when: when, run: run}
	if len(ours) > 0 {
		marker, _ := comment.ParseMarker(ours[0].Body) // it was found by it
		w.run.Previous = &marker
	}
	w.body = comment.Comment(w.run)
	if len(ours) == 0 {
		if when == comment.OnFailure && run.Conclusion() != comment.Failure {
			return Posted{}, nil
		}
		err = w.create(ctx)
	} else {
		err = w.update(ctx, ours)
	}
	return w.posted, append(noticed("write comment", err), w.notices...)
}

// Answer says something in the one comment of ours in a conversation that has a mark,
// and is not read by programs: the comment is changed, or written if there is none.
func (p *Publisher) Answer(ctx context.Context, number int, mark, body string) error {
	w := &writing{publisher: p, number: number, marked: func(body string) bool { return strings.Contains(body, mark) }, body: body + "\n" + mark + "\n"}
	ours, err := p.ours(ctx, number, w.marked, answerPages)
	if err == nil {
		err = w.put(ctx, ours)
	}
	return github.Explain("reply to the command", err)
}

// of finds the comments of a suite by their marker.
func of(suite string) func(body string) bool {
	return func(body string) bool {
		marker, is := comment.ParseMarker(body)
		return is && marker.IsOf(suite)
	}
}

// Standing returns what our comment of a suite says in a conversation, nil if there
// is none.
func (p *Publisher) Standing(ctx context.Context, number int, suite string) (*comment.Marker, error) {
	ours, err := p.ours(ctx, number, of(suite), maxCommentPages)
	if err != nil {
		return nil, github.Explain("look for our comment", err)
	}
	if len(ours) == 0 {
		return nil, nil
	}
	marker, _ := comment.ParseMarker(ours[0].Body) // it was found by it
	return &marker, nil
}

// writing is a comment on its way.
type writing struct {
	publisher *Publisher
	number    int
	// marked finds what is there of the comment.
	marked  func(body string) bool
	when    comment.When
	run     comment.Run
	body    string
	posted  Posted
	notices []Notice
}

// create writes a new comment and, because another run may have done the same
// at the same time, looks whether it is the only one.
func (w *writing) create(ctx context.Context) error {
	err := w.add(ctx)
	if err != nil && !unclear(err) {
		return err
	}
	newest, findErr := w.publisher.ours(ctx, w.number, w.marked, 1)
	switch {
	case findErr != nil && err == nil:
		// The next run will find what is there twice.
		return nil
	case findErr != nil:
		return err
	case len(newest) == 0:
		return w.add(ctx)
	default:
		return w.edit(ctx, newest)
	}
}

func (w *writing) add(ctx context.Context) error {
	p := w.publisher
	made, _, err := p.client.REST.Issues.CreateComment(ctx, p.owner, p.name, w.number, &gh.IssueComment{Body: &w.body})
	if err == nil {
		w.posted = Posted{made.GetHTMLURL(), true}
	}
	return err
}

// update rewrites the oldest of our comments where that is asked for.
func (w *writing) update(ctx context.Context, ours []found) error {
	if w.when == comment.OnChange && w.run.Marker().SameOutcome(*w.run.Previous) {
		w.posted.URL = ours[0].URL
		w.clear(ctx, ours[1:])
		return nil
	}
	return w.put(ctx, ours)
}

// put rewrites the oldest of our comments, or writes one if there is none.
func (w *writing) put(ctx context.Context, ours []found) error {
	if len(ours) == 0 {
		return w.create(ctx)
	}
	err := w.edit(ctx, ours)
	if github.StatusOf(err) == http.StatusNotFound {
		// Somebody has deleted it meanwhile.
		w.posted = Posted{}
		return w.add(ctx)
	}
	return err
}

// edit gives the oldest comment the text, if it has another one, and deletes
// the others.
func (w *writing) edit(ctx context.Context, ours []found) error {
	oldest := ours[0]
	w.posted.URL = oldest.URL
	if !sameText(oldest.Body, w.body) {
		if err := w.rewrite(ctx, oldest.DatabaseID); err != nil {
			return err
		}
		w.posted.Written = true
	}
	w.clear(ctx, ours[1:])
	return nil
}

// rewrite changes a comment's text; doing so twice does no harm.
func (w *writing) rewrite(ctx context.Context, id int64) error {
	p := w.publisher
	edit := func() error {
		_, _, err := p.client.REST.Issues.EditComment(ctx, p.owner, p.name, id, &gh.IssueComment{Body: &w.body})
		return err
	}
	err := edit()
	if unclear(err) {
		err = edit()
	}
	return err
}

// clear deletes comments that say the same as another one.
func (w *writing) clear(ctx context.Context, surplus []found) {
	p := w.publisher
	for _, one := range surplus {
		_, err := p.client.REST.Issues.DeleteComment(ctx, p.owner, p.name, one.DatabaseID)
		if !github.NotFound(err) {
			w.notices = append(w.notices, noticed("delete a second comment of ours", err)...)
		}
	}
}

// sameText compares what was written with what GitHub made of it.
func sameText(a, b string) bool {
	plain := func(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) }
	return plain(a) == plain(b)
}

// maxCommentPages is how many pages of a conversation are read, of 100 comments
// each.
const maxCommentPages = 50

// found is a comment as GraphQL shows it.
type found struct {
	DatabaseID      int64
	URL             string
	Body            string
	ViewerDidAuthor bool
	Author          account
}

// account is who wrote a comment, or who asks.
type account struct {
	Login    string
	Typename string `json:"__typename"`
}

// by reports whether a comment is of the account that asks. GraphQL names an
// App's bot "name" as an author and "name[bot]" as the viewer.
func (f found) by(viewer account) bool {
	return f.ViewerDidAuthor || f.Author.Typename == "Bot" && f.Author.Login+"[bot]" == viewer.Login
}

// commentsQuery asks for comments, newest first, and which of them are the
// token's own. REST has no answer for the tokens of Apps and of Actions, which
// cannot read /user; GraphQL's viewer is their bot.
const commentsQuery = `query($owner: String!, $name: String!, $number: Int!, $before: String) {
  viewer { login }
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) {
      ... on Issue { comments(last: 100, before: $before) { ...page } }
      ... on PullRequest { comments(last: 100, before: $before) { ...page } }
    }
  }
}
fragment page on IssueCommentConnection {
  pageInfo { hasPreviousPage startCursor }
  nodes { databaseId url body viewerDidAuthor author { __typename login } }
}`

// ours returns the comments that are marked and that the token's own user wrote,
// oldest first, of the newest pages.
func (p *Publisher) ours(ctx context.Context, number int, marked func(body string) bool, pages int) ([]found, error) {
	var all []found
	variables := map[string]any{"owner": p.owner, "name": p.name, "number": number}
	for range pages {
		var reply struct {
			Viewer     account
			Repository struct {
				IssueOrPullRequest struct {
					Comments struct {
						PageInfo struct {
							HasPreviousPage bool
							StartCursor     string
						}
						Nodes []found
					}
				}
			}
		}
		if err := p.client.GraphQL(ctx, commentsQuery, variables, &reply); err != nil {
			return nil, err
		}
		comments := reply.Repository.IssueOrPullRequest.Comments
		for _, one := range comments.Nodes {
			if one.by(reply.Viewer) && marked(one.Body) {
				all = append(all, one)
			}
		}
		if !comments.PageInfo.HasPreviousPage {
			break
		}
		variables["before"] = comments.PageInfo.StartCursor
	}
	slices.SortFunc(all, func(a, b found) int { return cmp.Compare(a.DatabaseID, b.DatabaseID) })
	return all, nil
}
