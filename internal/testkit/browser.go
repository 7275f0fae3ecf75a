package testkit

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// timeout bounds what a test does in the browser.
const timeout = time.Minute

// OpenBrowser starts a browser until the test ends, and returns the context for
// chromedp. Where there is none, or `go test` is to be quick, the test is skipped, and
// says so.
func OpenBrowser(t testing.TB) context.Context {
	t.Helper()
	NeedComplete(t)
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("NOT TESTED: pages in a browser: install chromium")
	}
	// A browser's first start takes long on a busy machine.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WSURLReadTimeout(timeout))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, timeout)
	t.Cleanup(cancel)
	return ctx
}

// Axe returns the source of axe-core, https://github.com/dequelabs/axe-core. The test is
// skipped, loudly, where it is not there.
func Axe(t testing.TB) string {
	t.Helper()
	const variable = "BENCH_AXE"
	if os.Getenv(variable) == "" {
		t.Skip("NOT TESTED: whether pages are for everybody: run `make clients`, or set " + variable + " to axe-core's axe.min.js")
	}
	source, err := os.ReadFile(os.Getenv(variable))
	require.NoError(t, err)
	return string(source)
}

// Violations are what axe, which the page has, finds on the page that is shown.
func Violations(ctx context.Context, t testing.TB, options string) (found []string) {
	t.Helper()
	require.NoError(t, chromedp.Run(ctx, chromedp.Evaluate(
		`axe.run(document, `+options+`).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html.slice(0, 200) + " " + n.any.map(a => a.message).join("; "))))`, &found,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) },
	)))
	return found
}

// PreferScheme has the browser prefer a colour scheme.
func PreferScheme(scheme string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		features := []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}
		return chromedp.FromContext(ctx).Target.Execute(ctx, "Emulation.setEmulatedMedia", map[string]any{"features": features}, nil)
	})
}
