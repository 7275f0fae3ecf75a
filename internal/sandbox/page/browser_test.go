package page_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
)

// A person gets from the printed address to what an agent wrote by the links
// alone; a phone shows every page without scrolling sideways, with text that is
// long, wide and hostile; and no page runs what it shows.
func TestABrowserShowsThePages(t *testing.T) {
	testkit.NeedComplete(t)
	ctx := testkit.OpenBrowser(t)
	text := hostile + strings.Repeat("W", 130)
	s := open(t, inhabited(t, text)).enter()
	s.ask("PATCH", "/repos/octocat/hello/issues/1", `{"body": "`+strings.Repeat("x", 300)+`"}`)
	var heading string
	require.NoError(t, chromedp.Run(ctx,
		chromedp.Navigate(s.pages.Address(s.url)),
		chromedp.Click(`a[href="/_sandbox/repos/octocat/hello"]`, chromedp.NodeVisible),
		chromedp.Click(`a[href="/_sandbox/repos/octocat/hello/pulls"]`, chromedp.NodeVisible),
		chromedp.Click(`a[href="/_sandbox/repos/octocat/hello/issues/2"]`, chromedp.NodeVisible),
		chromedp.WaitVisible(`.thread`),
		chromedp.Text(`h1`, &heading),
	))
	assert.Contains(t, heading, "<script>document.title='stolen'</script>")
	number := 0
	for path := range s.all() {
		if strings.HasSuffix(path, ".css") || strings.Contains(path, "account=") {
			continue
		}
		for _, width := range []int64{360, 1200} {
			var wide bool
			var backdrop, title string
			require.NoError(t, chromedp.Run(ctx,
				chromedp.EmulateViewport(width, 844),
				chromedp.Navigate(s.url+path),
				chromedp.Evaluate(`document.documentElement.scrollWidth > window.innerWidth`, &wide),
				chromedp.Evaluate(`getComputedStyle(document.body).backgroundColor`, &backdrop),
				chromedp.Title(&title),
			))
			assert.False(t, wide, "%s is wider than a screen of %d", path, width)
			assert.NotEqual(t, "rgba(0, 0, 0, 0)", backdrop, "the style sheet is allowed by the page's own policy")
			assert.NotEqual(t, "stolen", title, path)
		}
		number++
	}
	assert.Greater(t, number, 10)
}
