package publish_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const mark = "<!-- of octocat -->"

// answers returns our comments with the mark.
func (p *place) answers() (all []string) {
	for _, c := range p.comments() {
		if body, ours := strings.CutPrefix(c, "github-actions[bot]: "); ours && strings.Contains(body, mark) {
			all = append(all, body)
		}
	}
	return all
}

func TestAnAnswerIsKeptUpToDate(t *testing.T) {
	p := newPlace(t)
	publisher := p.publisher(everything)
	require.Equal(t, http.StatusCreated, p.As("stranger").Do("POST", sandboxtest.Path+"/issues/1/comments", `{"body":"mine `+mark+`"}`).Status)
	for _, body := range []string{"no", "no", "it is no command"} {
		require.NoError(t, publisher.Answer(t.Context(), p.number, mark, body))
		assert.Equal(t, []string{body + "\n" + mark + "\n"}, p.answers())
	}
	require.NoError(t, publisher.Answer(t.Context(), p.number, "<!-- of mona -->", "no"))
	assert.Len(t, p.answers(), 1, "others have their own")
	assert.Len(t, p.comments(), 3, "what the stranger wrote is not touched")
}

func TestAnswersThatAreGivenAtOnceAreOne(t *testing.T) {
	p := newPlace(t)
	publisher := p.publisher(everything)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { assert.NoError(t, publisher.Answer(t.Context(), p.number, mark, "no")) })
	}
	all.Wait()
	require.NoError(t, publisher.Answer(t.Context(), p.number, mark, "no"))
	assert.Len(t, p.answers(), 1)
}

func TestAnAnswerWhoseAnswerIsLostIsGivenOnce(t *testing.T) {
	p := newPlace(t)
	_, err := p.Faults().Add(faults.Rule{Kind: faults.LostAnswer, Method: http.MethodPost, Path: "/repos/{owner}/{repo}/issues/{number}/comments", Count: 1})
	require.NoError(t, err)
	require.NoError(t, p.publisher(everything).Answer(t.Context(), p.number, mark, "no"))
	assert.Len(t, p.answers(), 1)
	assert.ErrorContains(t, p.publisher(map[string]string{"contents": "read"}).Answer(t.Context(), p.number, "<!-- of mona -->", "no"), "reply to the command")
}

func TestAJobsCheckIsNoneOfOurs(t *testing.T) {
	p := newPlace(t)
	publisher := p.publisher(everything)
	ours := func(id string) bool { return id == "run 1" }
	checked := func() bool {
		t.Helper()
		is, err := publisher.Checked(t.Context(), p.head, "bench", ours)
		require.NoError(t, err)
		return is
	}
	assert.False(t, checked())
	other := p.start()
	other.ExternalID = "0c5c5b5e-job"
	_, notices := publisher.StartCheck(t.Context(), other, working("a job of the same name"))
	require.Empty(t, notices)
	assert.False(t, checked())
	named := p.start()
	named.Name = "bench (partial)"
	_, notices = publisher.StartCheck(t.Context(), named, working("another name"))
	require.Empty(t, notices)
	assert.False(t, checked())
	_, notices = publisher.StartCheck(t.Context(), p.start(), working("ours"))
	require.Empty(t, notices)
	assert.True(t, checked())
	_, err := publisher.Checked(t.Context(), "no-commit", "bench", ours)
	assert.ErrorContains(t, err, "look for check runs")
}
