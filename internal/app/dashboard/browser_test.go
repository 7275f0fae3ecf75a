package dashboard_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// A phone shows every page without scrolling sideways, and a person gets from
// the login to a run's checks by the links alone.
func TestABrowserShowsThePages(t *testing.T) {
	ctx := testkit.OpenBrowser(t)
	s := open(t, example(t))
	var overview string
	require.NoError(t, chromedp.Run(ctx,
		chromedp.EmulateViewport(390, 844),
		chromedp.Navigate(s.URL+"/"),
		chromedp.Click(`a.button`, chromedp.NodeVisible),
		chromedp.WaitVisible(`.runs`),
		chromedp.Text(`.runs`, &overview),
	))
	assert.Contains(t, overview, "aryeko/ghx #11")
	for _, page := range []string{"/", "/runs/r4", "/runs/r5", "/repos/aryeko/ghx", "/accounts/aryeko", "/runs/r4/scenarios/pr-view-001", "/runs/r4/scenarios/pr-view-001/ghx/1"} {
		for _, width := range []int64{390, 1200} {
			var wide bool
			require.NoError(t, chromedp.Run(ctx,
				chromedp.EmulateViewport(width, 844),
				chromedp.Navigate(s.URL+page),
				chromedp.Evaluate(`document.documentElement.scrollWidth > window.innerWidth`, &wide),
			))
			assert.False(t, wide, "%s is wider than a screen of %d", page, width)
		}
		light, dark := colours(ctx, t, s.URL+page, "light"), colours(ctx, t, s.URL+page, "dark")
		for part, colour := range light {
			assert.NotEqual(t, colour, dark[part], "the %s of %s", part, page)
			assert.NotEqual(t, "rgba(0, 0, 0, 0)", colour, "the style sheet is allowed by the page's own policy")
		}
	}
	checksAreNamed(ctx, t, s)
	chartsLeadToRuns(ctx, t, s)
}

// colours returns what a page looks like to somebody who prefers a colour
// scheme: what we have painted, and what the browser does by itself, such as
// buttons and scroll bars.
func colours(ctx context.Context, t *testing.T, page, scheme string) map[string]string {
	t.Helper()
	var found map[string]string
	require.NoError(t, chromedp.Run(ctx,
		testkit.PreferScheme(scheme),
		chromedp.Navigate(page),
		chromedp.Evaluate(`(() => {
			const probe = document.body.appendChild(document.createElement("div"))
			probe.style.backgroundColor = "Canvas"
			const colour = of => getComputedStyle(of).backgroundColor
			return {page: colour(document.body), card: colour(document.querySelector(".card")), canvas: colour(probe)}
		})()`, &found),
	))
	require.Len(t, found, 3)
	return found
}

func checksAreNamed(ctx context.Context, t *testing.T, s *site) {
	t.Helper()
	var title string
	var names []string
	require.NoError(t, chromedp.Run(ctx,
		chromedp.Navigate(s.URL+"/"),
		chromedp.Click(`a[href="/runs/r4"]`, chromedp.NodeVisible),
		chromedp.WaitVisible(`.checks`),
		chromedp.Title(&title),
		chromedp.Evaluate(`[...document.querySelectorAll(".checks tbody th")].filter(e => e.checkVisibility()).map(e => e.innerText)`, &names),
	))
	assert.True(t, strings.HasPrefix(title, "Run r4"))
	require.Len(t, names, len(bench.CheckNames()))
	for i, name := range bench.CheckNames() {
		assert.True(t, strings.HasPrefix(names[i], name.Label()), "%q is %q", names[i], name.Label())
	}
}

func chartsLeadToRuns(ctx context.Context, t *testing.T, s *site) {
	t.Helper()
	var titles []string
	var links [][]string
	require.NoError(t, chromedp.Run(ctx,
		chromedp.Navigate(s.URL+"/repos/aryeko/ghx"),
		chromedp.Evaluate(`[...document.querySelectorAll(".chart b")].map(e => e.innerText)`, &titles),
		chromedp.Evaluate(`[...document.querySelectorAll(".chart svg")].map(chart => [...chart.querySelectorAll("a:has(circle)")].map(a => a.getAttribute("href")))`, &links),
	))
	require.Equal(t, []string{"Success rate, difference", "Active tokens, reduction", "Cost of a run"}, titles, "what the runs have figures of")
	for _, dots := range links {
		require.Equal(t, []string{"/runs/c0", "/runs/c1", "/runs/c2", "/runs/c3", "/runs/r4"}, dots, "each dot is a run, the newest on the right")
	}
	var title string
	require.NoError(t, chromedp.Run(ctx,
		chromedp.Click(`.chart a:last-of-type circle`, chromedp.NodeVisible),
		chromedp.WaitVisible(`.checks`),
		chromedp.Title(&title),
	))
	assert.True(t, strings.HasPrefix(title, "Run r4"), "a dot leads to its run")
}
