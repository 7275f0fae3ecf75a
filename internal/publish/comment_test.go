package publish_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/publish"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// said is a run to comment on; [place.comments] shows its id.
func said(id string) comment.Run {
	return comment.Run{Suite: "bench", ID: id, Phase: comment.Stopped, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

const bot = "github-actions[bot]: "

func TestOneComment(t *testing.T) {
	p := newPlace(t)
	publisher := p.publisher(everything)
	p.comment("owner", comment.Comment(said("not yours")))
	first, notices := publisher.Comment(t.Context(), p.number, comment.Always, said("one"))
	require.Empty(t, notices)
	assert.True(t, first.Written)
	assert.Contains(t, first.URL, "#issuecomment-")
	second, notices := publisher.Comment(t.Context(), p.number, comment.Always, said("two"))
	require.Empty(t, notices)
	assert.Equal(t, first, second)
	before := p.wire.count()
	third, notices := publisher.Comment(t.Context(), p.number, comment.Always, said("two"))
	require.Empty(t, notices)
	assert.Equal(t, publish.Posted{URL: first.URL}, third, "what is the same is not written")
	assert.Equal(t, 1, p.wire.count()-before)
	assert.Equal(t, []string{"owner: not yours", bot + "two"}, p.comments(), "a marker in a comment of others means nothing")
}

func TestTheCommentThatStandsIsOurs(t *testing.T) {
	p := newPlace(t)
	publisher := p.publisher(everything)
	p.comment("owner", comment.Comment(said("not yours")))
	marker, err := publisher.Standing(t.Context(), p.number, "bench")
	require.NoError(t, err)
	assert.Nil(t, marker, "a marker in a comment of others means nothing")
	_, notices := publisher.Comment(t.Context(), p.number, comment.Always, said("ours"))
	require.Empty(t, notices)
	marker, err = publisher.Standing(t.Context(), p.number, "bench")
	require.NoError(t, err)
	assert.Equal(t, said("ours").Marker(), *marker)
	marker, err = publisher.Standing(t.Context(), p.number, "another suite")
	require.NoError(t, err)
	assert.Nil(t, marker)
}

func TestEachSuiteHasItsComment(t *testing.T) {
	p := newPlace(t)
	other := said("two")
	other.Suite = "bench (partial)"
	for _, run := range []comment.Run{said("one"), other, said("three")} {
		_, notices := p.publisher(everything).Comment(t.Context(), p.number, comment.Always, run)
		require.Empty(t, notices)
	}
	assert.Equal(t, []string{bot + "three", bot + "two"}, p.comments())
}

func TestTheCommentSaysWhatTheLastRunCameTo(t *testing.T) {
	p := newPlace(t)
	for _, run := range []comment.Run{judged("one", bench.VerdictFail), judged("two", bench.VerdictPass)} {
		_, notices := p.publisher(everything).Comment(t.Context(), p.number, comment.Always, run)
		require.Empty(t, notices)
	}
	p.Look(func(s *model.State) {
		for c := range s.Comments.All() {
			assert.Contains(t, c.Body, "Verdict: pass, after fail in the last run")
		}
	})
}

func TestARunThatWasSkippedHasNoComment(t *testing.T) {
	p := newPlace(t)
	skipped := said("one")
	skipped.Phase, skipped.Skip = comment.Skipped, comment.SkipDraft
	for number, run := range map[int]comment.Run{p.number: skipped, 0: said("one")} {
		posted, notices := p.publisher(everything).Comment(t.Context(), number, comment.Always, run)
		assert.Empty(t, notices)
		assert.Empty(t, posted)
	}
	assert.Zero(t, p.wire.count())
}

// A user's token and an App's have their own comments.
func TestCommentsOfEveryKindOfToken(t *testing.T) {
	p := newPlace(t)
	p.Change(func(s *model.State, repo *model.Repo) {
		s.AddApp(model.NewApp{Slug: "gate", Owner: repo.OwnerID, Repos: []model.ID{repo.ID}})
	})
	p.AddToken("app", sandbox.Token{App: "gate", Permissions: everything})
	p.AddToken("user", sandbox.Token{User: "writer", Scopes: []string{"repo"}})
	for _, publisher := range []*publish.Publisher{p.publisher(everything), p.with("app", p.URL), p.with("user", p.URL)} {
		for _, text := range []string{"one", "two"} {
			_, notices := publisher.Comment(t.Context(), p.number, comment.Always, said(text))
			require.Empty(t, notices)
		}
	}
	assert.Equal(t, []string{bot + "two", "gate[bot]: two", "writer: two"}, p.comments())
}

// A bot's comment is its own by its name too.
func TestCommentsOfBotsByName(t *testing.T) {
	p := newPlace(t)
	next := p.wire.next
	p.wire.next = roundTrip(func(r *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(r)
		if err != nil || r.URL.Path != "/graphql" {
			return response, err
		}
		body, err := io.ReadAll(response.Body)
		body = bytes.ReplaceAll(body, []byte(`"viewerDidAuthor":true`), []byte(`"viewerDidAuthor":false`))
		response.Body = io.NopCloser(bytes.NewReader(body))
		return response, err
	})
	p.Change(func(s *model.State, _ *model.Repo) { s.AddUser(model.NewUser{Login: "github-actions"}) })
	p.comment("github-actions", comment.Comment(said("a user of that name")))
	for _, text := range []string{"one", "two"} {
		_, notices := p.publisher(everything).Comment(t.Context(), p.number, comment.Always, said(text))
		require.Empty(t, notices)
	}
	assert.Equal(t, []string{"github-actions: a user of that name", bot + "two"}, p.comments())
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestACommentBehindManyOthers(t *testing.T) {
	p := newPlace(t)
	publisher := p.publisher(everything)
	_, notices := publisher.Comment(t.Context(), p.number, comment.Always, said("one"))
	require.Empty(t, notices)
	for i := range 210 {
		p.comment("owner", fmt.Sprint(i))
	}
	_, notices = publisher.Comment(t.Context(), p.number, comment.Always, said("two"))
	require.Empty(t, notices)
	assert.Equal(t, bot+"two", p.comments()[0])
	assert.Len(t, p.comments(), 211)
}

// judged is a run with a verdict, and with one check that failed.
func judged(id string, verdict bench.Verdict, failed ...bench.CheckName) comment.Run {
	run := said(id)
	run.Phase, run.Summary = comment.Finished, &bench.Summary{Gate: bench.Gate{Verdict: verdict}}
	for _, name := range []bench.CheckName{bench.CheckSuccessRate, bench.CheckCoverage} {
		run.Summary.Gate.Checks = append(run.Summary.Gate.Checks, bench.Check{Name: name, Passed: !slices.Contains(failed, name)})
	}
	return run
}

func TestWhenAComment(t *testing.T) {
	const pass, fail = bench.VerdictPass, bench.VerdictFail
	for _, c := range []struct {
		name       string
		when       comment.When
		prior, now *comment.Run
		want       string
	}{
		{"always: the first one", comment.Always, nil, new(judged("now", pass)), "now"},
		{"never: none", comment.Never, nil, new(judged("now", fail)), ""},
		{"never: one that is there stays", comment.Never, new(judged("prior", pass)), new(judged("now", fail)), "prior"},
		{"on change: the first one", comment.OnChange, nil, new(judged("now", pass)), "now"},
		{"on change: another verdict", comment.OnChange, new(judged("prior", pass)), new(judged("now", fail)), "now"},
		{"on change: the same verdict", comment.OnChange, new(judged("prior", pass)), new(judged("now", pass)), "prior"},
		{"on change: it failed for another reason", comment.OnChange, new(judged("prior", fail, bench.CheckCoverage)), new(judged("now", fail, bench.CheckSuccessRate)), "now"},
		{"on failure: a pass", comment.OnFailure, nil, new(judged("now", pass)), ""},
		{"on failure: a failure", comment.OnFailure, nil, new(judged("now", fail)), "now"},
		{"on failure: a pass after a failure", comment.OnFailure, new(judged("prior", fail)), new(judged("now", pass)), "now"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			publisher := p.publisher(everything)
			if c.prior != nil {
				_, notices := publisher.Comment(t.Context(), p.number, comment.Always, *c.prior)
				require.Empty(t, notices)
			}
			posted, notices := publisher.Comment(t.Context(), p.number, c.when, *c.now)
			assert.Empty(t, notices)
			if c.want == "" {
				assert.Empty(t, p.comments())
				assert.Equal(t, publish.Posted{}, posted)
				return
			}
			assert.Equal(t, []string{bot + c.want}, p.comments())
		})
	}
}

func TestCommentsThatAreThereTwice(t *testing.T) {
	p := newPlace(t)
	publisher := p.publisher(everything)
	p.Change(func(s *model.State, repo *model.Repo) {
		for _, text := range []string{"oldest", "older", "old"} {
			_, err := s.CreateComment(s.App("github-actions").BotID, repo, s.Pull(repo, p.number), comment.Comment(said(text)))
			require.NoError(t, err)
		}
	})
	_, notices := publisher.Comment(t.Context(), p.number, comment.Always, said("now"))
	require.Empty(t, notices)
	assert.Equal(t, []string{bot + "now"}, p.comments())
}

func TestASecondCommentThatSaysTheSameIsDeleted(t *testing.T) {
	for name, c := range map[string]struct {
		status, notices, left int
	}{
		"it is":             {0, 0, 1},
		"somebody else did": {http.StatusNotFound, 0, 2},
		"it cannot be":      {http.StatusForbidden, 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			publisher := p.publisher(everything)
			run := judged("first", bench.VerdictPass)
			p.Change(func(s *model.State, repo *model.Repo) {
				for range 2 {
					_, err := s.CreateComment(s.App("github-actions").BotID, repo, s.Pull(repo, p.number), comment.Comment(run))
					require.NoError(t, err)
				}
			})
			if c.status != 0 {
				p.wire.fail(rule{method: http.MethodDelete, path: comments, status: c.status, body: "no", times: 1})
			}
			posted, notices := publisher.Comment(t.Context(), p.number, comment.OnChange, judged("second", bench.VerdictPass))
			assert.Len(t, notices, c.notices)
			assert.Len(t, p.comments(), c.left)
			assert.Equal(t, bot+"first", p.comments()[0], "nothing has changed, and the oldest stands")
			assert.NotEmpty(t, posted.URL)
			assert.False(t, posted.Written)
		})
	}
}

// Two runs that find no comment both write one; each looks again afterwards.
func TestCommentsThatAreMadeAtTheSameTime(t *testing.T) {
	p := newPlace(t)
	p.wire.fail(rule{method: "POST", path: comments, times: 1, before: func() {
		_, notices := p.publisher(everything).Comment(t.Context(), p.number, comment.Always, said("of the other run"))
		assert.Empty(t, notices)
	}})
	posted, notices := p.publisher(everything).Comment(t.Context(), p.number, comment.Always, said("of this run"))
	require.Empty(t, notices)
	assert.Equal(t, []string{bot + "of this run"}, p.comments())
	var url string
	p.Look(func(s *model.State) {
		for c := range s.Comments.All() {
			url = fmt.Sprintf("https://github.com/owner/hello/pull/%d#issuecomment-%d", p.number, c.ID)
		}
	})
	assert.Equal(t, url, posted.URL, "the one that is left")
}

func TestACommentThatIsDeletedMeanwhile(t *testing.T) {
	p := newPlace(t)
	publisher := p.publisher(everything)
	_, notices := publisher.Comment(t.Context(), p.number, comment.Always, said("one"))
	require.Empty(t, notices)
	p.wire.fail(rule{method: "PATCH", path: comments, times: 1, before: func() {
		p.Change(func(s *model.State, _ *model.Repo) {
			for c := range s.Comments.All() {
				assert.NoError(t, s.DeleteComment(c.AuthorID, c))
			}
		})
	}})
	posted, notices := publisher.Comment(t.Context(), p.number, comment.Always, said("two"))
	require.Empty(t, notices)
	assert.True(t, posted.Written)
	assert.Equal(t, []string{bot + "two"}, p.comments())
}

func TestALockedConversation(t *testing.T) {
	p := newPlace(t)
	p.Change(func(s *model.State, repo *model.Repo) { s.Pull(repo, p.number).Locked = true })
	p.wire.fail(rule{method: "POST", path: comments, status: 403, body: "Unable to create comment because issue is locked.", times: 1})
	posted, notices := p.publisher(everything).Comment(t.Context(), p.number, comment.Always, said("one"))
	assert.Empty(t, posted)
	require.Len(t, notices, 1)
	assert.Equal(t, "write comment: GitHub refuses it (403): Unable to create comment because issue is locked.", notices[0].String())
}

func TestACommentAlthoughTheWorkWasCancelled(t *testing.T) {
	p := newPlace(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, notices := p.publisher(everything).Comment(ctx, p.number, comment.Always, said("stopped"))
	assert.Empty(t, notices)
	assert.Equal(t, []string{bot + "stopped"}, p.comments())
}

func TestFaultsOfComments(t *testing.T) {
	const first, second = bot + "one", bot + "two"
	for _, c := range []struct {
		name    string
		rule    rule
		notices int
		want    []string
	}{
		{"looking fails", rule{method: "POST", path: "/graphql", status: 500, times: 1}, 1, []string{first}},
		{"looking breaks", rule{method: "POST", path: "/graphql", status: broken, times: 1}, 1, []string{first}},
		{"editing fails once", rule{method: "PATCH", path: comments, status: 500, times: 1}, 0, []string{second}},
		{"editing breaks after it was done", rule{method: "PATCH", path: comments, status: broken, times: 1, done: true}, 0, []string{second}},
		{"editing fails for good", rule{method: "PATCH", path: comments, status: 500, times: 9}, 1, []string{first}},
		{"editing is limited", rule{method: "PATCH", path: comments, status: 429, times: 9}, 1, []string{first}},
		{"editing is refused", rule{method: "PATCH", path: comments, status: 403, times: 9}, 1, []string{first}},
		{"editing is refused as invalid", rule{method: "PATCH", path: comments, status: 422, times: 9}, 1, []string{first}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			publisher := p.publisher(everything)
			_, notices := publisher.Comment(t.Context(), p.number, comment.Always, said("one"))
			require.Empty(t, notices)
			p.wire.fail(c.rule)
			_, notices = publisher.Comment(t.Context(), p.number, comment.Always, said("two"))
			assert.Len(t, notices, c.notices)
			assert.Equal(t, c.want, p.comments())
		})
	}
}

func TestFaultsOfNewComments(t *testing.T) {
	one := []string{bot + "one"}
	for _, c := range []struct {
		name    string
		rule    rule
		notices int
		want    []string
	}{
		{"writing fails once", rule{method: "POST", path: comments, status: 502, times: 1}, 0, one},
		{"writing breaks after it was done", rule{method: "POST", path: comments, status: broken, times: 1, done: true}, 0, one},
		{"looking again fails", rule{method: "POST", path: comments, times: 1, status: broken, done: true, then: &rule{method: "POST", path: "/graphql", status: 500, times: 1}}, 1, one},
		{"writing fails for good", rule{method: "POST", path: comments, status: 500, times: 9}, 1, nil},
		{"the issue is gone", rule{method: "POST", path: comments, status: 410, times: 9}, 1, nil},
		{"writing is limited", rule{method: "POST", path: comments, status: 429, times: 9}, 1, nil},
		{"writing is refused as invalid", rule{method: "POST", path: comments, status: 422, times: 9}, 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.wire.fail(c.rule)
			_, notices := p.publisher(everything).Comment(t.Context(), p.number, comment.Always, said("one"))
			assert.Len(t, notices, c.notices)
			assert.Equal(t, c.want, p.comments())
		})
	}
}

func TestWhoMayCommand(t *testing.T) {
	p := newPlace(t)
	publisher := p.publisher(everything)
	for login, want := range map[string]bool{
		"owner": true, "writer": true, "triager": false, "reader": false, "stranger": false, "nobody": false,
		"github-actions[bot]": false, "x/../owner": false, "writer?": false, "": false,
	} {
		got, err := publisher.MayCommand(t.Context(), login)
		require.NoError(t, err, login)
		assert.Equal(t, want, got, login)
	}
	p.AddToken("reader", sandbox.Token{User: "reader"})
	_, err := p.with("reader", p.URL).MayCommand(t.Context(), "owner")
	assert.ErrorContains(t, err, "Must have push access to view collaborator permission.")
}

func TestReactions(t *testing.T) {
	p := newPlace(t)
	id := p.comment("writer", "/bench")
	publisher := p.publisher(everything)
	for range 2 {
		assert.Empty(t, publisher.React(t.Context(), id, "eyes"))
	}
	reactions := p.As("reader").Get(fmt.Sprintf("%s/issues/comments/%d/reactions", sandboxtest.Path, id))
	assert.Equal(t, []any{"eyes", "github-actions[bot]", nil}, []any{reactions.Text("0.content"), reactions.Text("0.user.login"), reactions.At("1")})
	assert.Len(t, publisher.React(t.Context(), 1, "eyes"), 1)
}
