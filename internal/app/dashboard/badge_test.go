package dashboard_test

import (
	"encoding/xml"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/bench"
)

func badged(t *testing.T) *runs {
	t.Helper()
	source := example(t)
	for _, repo := range []string{"aryeko/ghx", "secret/other"} {
		source.all = append(source.all, dashboard.Detail{Run: dashboard.Run{
			ID: "base " + repo, Repo: repo, Kind: dashboard.Baseline, State: dashboard.Finished, Verdict: bench.VerdictPass, Created: now,
		}})
	}
	return source
}

const badgeAt = "/repos/aryeko/ghx/badge.svg"

func TestTheBadgeOfAPublicRepositoryIsForEverybody(t *testing.T) {
	t.Parallel()
	source := badged(t)
	s := open(t, source)
	s.public = "Aryeko/ghx"
	answer, body := s.ask(t, "", badgeAt)
	assert.Equal(t, http.StatusOK, answer.StatusCode)
	assert.Equal(t, "image/svg+xml", answer.Header.Get("Content-Type"))
	assert.Equal(t, "public, max-age=300", answer.Header.Get("Cache-Control"))
	assert.Contains(t, body, `aria-label="bench: pass"`)
	require.NoError(t, xml.Unmarshal([]byte(body), new(struct{})), "it is a picture")
	assert.Equal(t, dashboard.Filter{Repos: []string{"aryeko/ghx"}, Kind: dashboard.Baseline, State: dashboard.Finished, Limit: 1}, source.filter, "what a pull request tried is not how the repository is")

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+badgeAt, nil)
	require.NoError(t, err)
	request.Header.Set("If-None-Match", answer.Header.Get("ETag"))
	again, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, again.Body.Close())
	assert.Equal(t, http.StatusNotModified, again.StatusCode)
	assert.Equal(t, 1, s.askedPublic, "GitHub is asked every now and then")

	source.all = nil
	_, body = s.ask(t, "", badgeAt)
	assert.Contains(t, body, "bench: no verdict")
}

// A README's picture must not tell strangers of a repository that is not public.
func TestABadgeTellsNobodyOfWhatIsNotPublic(t *testing.T) {
	t.Parallel()
	s := open(t, badged(t))
	private, hidden := s.ask(t, "", "/repos/secret/other/badge.svg")
	missing, nothing := s.ask(t, "", "/repos/no/such/badge.svg")
	assert.Equal(t, http.StatusNotFound, private.StatusCode)
	assert.Equal(t, nothing, hidden)
	for _, header := range []*http.Response{private, missing} {
		header.Header.Del("Date")
	}
	assert.Equal(t, missing.Header, private.Header)
	assert.Equal(t, 2, s.askedPublic, "and GitHub is asked of both")

	s.login(t)
	status, body := s.get(t, badgeAt)
	assert.Equal(t, http.StatusOK, status, "who sees the repository sees it")
	assert.Contains(t, body, "bench: pass")
	status, body = s.get(t, "/repos/secret/other/badge.svg")
	assert.Equal(t, []any{http.StatusNotFound, nothing}, []any{status, body})
}

func TestARepositoryThatIsPublicNoMoreLosesItsBadge(t *testing.T) {
	t.Parallel()
	s := open(t, badged(t))
	status := func() int {
		t.Helper()
		answer, _ := s.ask(t, "", badgeAt)
		return answer.StatusCode
	}
	s.public = "aryeko/ghx"
	require.Equal(t, http.StatusOK, status())
	s.away, s.now = assert.AnError, s.now.Add(30*time.Minute)
	assert.Equal(t, http.StatusOK, status(), "GitHub is away, and was asked not long ago")
	s.now = s.now.Add(2 * time.Hour)
	assert.Equal(t, http.StatusNotFound, status())
	s.away, s.public = nil, ""
	assert.Equal(t, http.StatusNotFound, status())
	s.public, s.now = "aryeko/ghx", s.now.Add(11*time.Minute)
	require.Equal(t, http.StatusOK, status())
	s.public, s.now = "", s.now.Add(11*time.Minute)
	assert.Equal(t, http.StatusNotFound, status(), "it was made private")
}

func TestABadgeWhoseDatabaseIsAwayIsNotKept(t *testing.T) {
	t.Parallel()
	source := badged(t)
	s := open(t, source)
	s.public = "aryeko/ghx"
	source.err = assert.AnError
	answer, body := s.ask(t, "", badgeAt)
	assert.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	assert.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
	assert.False(t, strings.Contains(body, assert.AnError.Error()))
}
