package dashboard_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit/browser"
)

// A phone shows every page without scrolling sideways, and a person gets from
// the login to a run's checks by the links alone.
func TestABrowserShowsThePages(t *testing.T) {
	ctx := browser.Open(t)
	s := open(t, example(t))
	var title, overview string
	require.NoError(t, chromedp.Run(ctx,
		chromedp.EmulateViewport(390, 844),
		chromedp.Navigate(s.URL+"/"),
		chromedp.Click(`a.button`, chromedp.NodeVisible),
		chromedp.WaitVisible(`.runs`),
		chromedp.Text(`.runs`, &overview),
	))
	assert.Contains(t, overview, "aryeko/ghx #11")
	for _, page := range []string{"/", "/runs/r4", "/runs/r5", "/repos/aryeko/ghx"} {
		for _, width := range []int64{390, 1200} {
			var wide bool
			var backdrop string
			require.NoError(t, chromedp.Run(ctx,
				chromedp.EmulateViewport(width, 844),
				chromedp.Navigate(s.URL+page),
				chromedp.Evaluate(`document.documentElement.scrollWidth > window.innerWidth`, &wide),
				chromedp.Evaluate(`getComputedStyle(document.body).backgroundColor`, &backdrop),
			))
			assert.False(t, wide, "%s is wider than a screen of %d", page, width)
			assert.NotEqual(t, "rgba(0, 0, 0, 0)", backdrop, "the style sheet is allowed by the page's own policy")
		}
	}
	require.NoError(t, chromedp.Run(ctx,
		chromedp.Navigate(s.URL+"/"),
		chromedp.Click(`a[href="/runs/r4"]`, chromedp.NodeVisible),
		chromedp.WaitVisible(`.checks`),
		chromedp.Title(&title),
	))
	assert.True(t, strings.HasPrefix(title, "Run r4"))
}
