package dashboard_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// everyPage are the pages that octocat may see, and some that there are not.
func everyPage() []string {
	return append(slices.DeleteFunc(below("r4"), func(at string) bool { return strings.HasSuffix(at, "/log") }), "/", "/?state=stopped&q=nothing", "/runs/r5", "/runs/r3", "/repos/aryeko/ghx", "/accounts/aryeko", "/runs/nothing")
}

// varied is a source whose pages have all that pages can have.
func varied(t *testing.T) *runs {
	t.Helper()
	source := example(t)
	source.series = []dashboard.Series{{Name: "a/b · pr · ghx against gh", Runs: 3, Last: now}, {Name: "c/d · pr", Runs: 1, Last: now}}
	for i := range source.course {
		source.course[i].DefaultBranch = i != 1
	}
	return source
}

func TestPagesAreForEverybody(t *testing.T) {
	testkit.NeedComplete(t)
	script := testkit.Axe(t)
	for _, page := range append(everyPage(), "logged out", "broken") {
		t.Run(page, func(t *testing.T) {
			source := varied(t)
			s := open(t, source)
			ctx := testkit.OpenBrowser(t)
			at := page
			switch page {
			case "logged out":
				at = "/"
			case "broken":
				require.NoError(t, chromedp.Run(ctx, chromedp.Navigate(s.URL+"/login")))
				at, source.err = "/", errors.New("the database is away")
			default:
				require.NoError(t, chromedp.Run(ctx, chromedp.Navigate(s.URL+"/login")))
			}
			require.NoError(t, chromedp.Run(ctx,
				testkit.PreferScheme("light"),
				chromedp.Navigate(s.URL+at),
				chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => d.open = true)`, nil),
				chromedp.Evaluate(script+"; 0", nil),
			))
			assert.Empty(t, testkit.Violations(ctx, t, "{}"), "in light")
			require.NoError(t, chromedp.Run(ctx, testkit.PreferScheme("dark")))
			assert.Empty(t, testkit.Violations(ctx, t, `{runOnly: ["color-contrast"]}`), "in dark")
		})
	}
}

// Who uses no mouse is at the first run within ten keys, on pages with plots too.
func TestTheFirstRunIsAFewKeysAway(t *testing.T) {
	ctx := testkit.OpenBrowser(t)
	s := open(t, varied(t))
	require.NoError(t, chromedp.Run(ctx, chromedp.Navigate(s.URL+"/login")))
	for _, page := range []string{"/", "/repos/aryeko/ghx"} {
		var first string
		require.NoError(t, chromedp.Run(ctx,
			chromedp.Navigate(s.URL+page),
			chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Tab),
			chromedp.Evaluate(`document.activeElement.getAttribute("href") || document.activeElement.outerHTML`, &first),
		))
		assert.Equal(t, "/runs/r5", first, page)
	}
}
