package appcli_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// outageVariable is how long GitHub is down in the test of that, such as 10m.
// Without it that is until it was asked in vain a few times.
const outageVariable = "BENCH_APP_TEST_OUTAGE"

// asksInVain are more than one request makes with its own attempts.
const asksInVain = 12

// afterOutage is longer than the longest pause between two attempts.
const afterOutage = 3 * time.Minute

// line is the way to GitHub, which can be cut.
type line struct {
	*httptest.Server
	cut     atomic.Bool
	refused chan struct{}
}

func newLine(t *testing.T, address string) *line {
	t.Helper()
	to, err := url.Parse(address)
	require.NoError(t, err)
	l := &line{refused: make(chan struct{}, asksInVain)}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if l.cut.Load() {
			select {
			case l.refused <- struct{}{}:
			default: // nobody counts that many
			}
			panic(http.ErrAbortHandler) // the connection is closed without an answer
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(l.Close)
	return l
}

// down cuts the line for as long as the test's outage is.
func (l *line) down(t *testing.T, meanwhile func()) {
	t.Helper()
	l.cut.Store(true)
	meanwhile()
	if set := os.Getenv(outageVariable); set != "" {
		length, err := time.ParseDuration(set)
		require.NoError(t, err)
		<-time.After(length)
	}
	for range asksInVain {
		select {
		case <-l.refused:
		case <-time.After(soon):
			require.Fail(t, "nobody asks GitHub")
		}
	}
	l.cut.Store(false)
}

// While GitHub is down a run ends and there is a push. Neither the verdict nor
// the push is lost. How long that takes afterwards is logged.
func TestAnOutageOfGitHubLosesNothing(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	w := newWorld(t, longer)
	l := newLine(t, w.URL)
	s := w.serve("GITHUB_API_URL="+l.URL, "BENCH_APP_PARALLEL=1")
	w.open()
	w.until("a check run that is in progress", func() bool {
		c := w.last()
		return c != nil && c.Status == model.InProgress
	})
	first := w.head
	l.down(t, func() { w.push("src/b.ts") })
	up := time.Now()
	w.within(afterOutage, "both check runs completed", func() bool {
		done := map[string]bool{}
		for _, c := range w.checks() {
			if c.Status == model.Completed {
				done[c.HeadSHA] = true
			}
		}
		return done[first] && done[w.head]
	})
	t.Logf("both were shown %s after the outage", time.Since(up).Round(time.Millisecond))
	assert.Len(t, w.checks(), 2)
	assert.Zero(t, s.stop(t), s.out)
}
