package dashboard_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// Who sees a run has its report with every attempt, whose script the page's policy allows
// and nobody else's does.
func TestARunsAttemptsAreExplored(t *testing.T) {
	t.Parallel()
	s := open(t, example(t))
	s.login(t)
	answer, page := s.get(t, "/runs/r4/explore")
	assert.Equal(t, http.StatusOK, answer)
	assert.Contains(t, page, "Every attempt")
	assert.NotContains(t, page, "<script>alert")
	_, run := s.get(t, "/runs/r4")
	assert.Contains(t, run, `href="/runs/r4/explore"`)
	for _, none := range []string{"/runs/r3/explore", "/runs/r2/explore", "/runs/none/explore"} { // not judged, not seen, not there
		answer, _ := s.get(t, none)
		assert.Equal(t, http.StatusNotFound, answer, none)
	}
}

func TestABrowserExploresARunsAttempts(t *testing.T) {
	ctx := testkit.OpenBrowser(t)
	s := open(t, example(t))
	var said, policy string
	require.NoError(t, chromedp.Run(ctx,
		chromedp.Navigate(s.URL+"/login"),
		chromedp.Navigate(s.URL+"/runs/r4/explore#attempt/pr-view-001/ghx/1"),
		chromedp.WaitVisible(`#shown .message`, chromedp.ByQuery),
		chromedp.Text(`#shown`, &said, chromedp.ByQuery),
		chromedp.Evaluate(`document.querySelector("meta[http-equiv]").content`, &policy),
	))
	assert.Contains(t, said, "Merge pull request 5.")
	assert.Contains(t, said, "<script>alert(1)</script>", "what agents wrote is a text")
	assert.Equal(t, report.ExplorerPolicy(), policy)
}
