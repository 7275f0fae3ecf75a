package dashboard_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// axe returns the source of axe-core, https://github.com/dequelabs/axe-core. The test is
// skipped, loudly, where it is not there.
func axe(t *testing.T) string {
	t.Helper()
	const variable = "BENCH_AXE"
	if os.Getenv(variable) == "" {
		t.Skip("NOT TESTED: whether pages are for everybody: run `make clients`, or set " + variable + " to axe-core's axe.min.js")
	}
	source, err := os.ReadFile(os.Getenv(variable))
	require.NoError(t, err)
	return string(source)
}

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
	script := axe(t)
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
				prefer("light"),
				chromedp.Navigate(s.URL+at),
				chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => d.open = true)`, nil),
				chromedp.Evaluate(script+"; 0", nil),
			))
			assert.Empty(t, violations(ctx, t, "{}"), "in light")
			require.NoError(t, chromedp.Run(ctx, prefer("dark")))
			assert.Empty(t, violations(ctx, t, `{runOnly: ["color-contrast"]}`), "in dark")
		})
	}
}

// violations are what axe finds on the page that is shown.
func violations(ctx context.Context, t *testing.T, options string) (found []string) {
	t.Helper()
	require.NoError(t, chromedp.Run(ctx, chromedp.Evaluate(
		`axe.run(document, `+options+`).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html.slice(0, 200) + " " + n.any.map(a => a.message).join("; "))))`, &found,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) },
	)))
	return found
}

// prefer has the browser prefer a colour scheme.
func prefer(scheme string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		features := []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}
		return chromedp.FromContext(ctx).Target.Execute(ctx, "Emulation.setEmulatedMedia", map[string]any{"features": features}, nil)
	})
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
