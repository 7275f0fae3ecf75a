package report_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
)

// opened are a report as a folder and as one page, opened from a disk in a browser, whose
// complaints are told at the end of the test.
func opened(t *testing.T) (ctx context.Context, pages []string) {
	t.Helper()
	ctx = testkit.OpenBrowser(t)
	var mu sync.Mutex
	var complaints []string
	complain := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		complaints = append(complaints, text)
	}
	chromedp.ListenTarget(ctx, func(event any) {
		switch event := event.(type) {
		case *runtime.EventExceptionThrown:
			complain(event.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			complain("console: " + string(event.Type))
		case *log.EventEntryAdded:
			complain(event.Entry.Text)
		}
	})
	require.NoError(t, chromedp.Run(ctx, log.Enable()))
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		assert.Empty(t, complaints, "what the browser complains about")
	})
	one := filepath.Join(t.TempDir(), "one.html")
	require.NoError(t, os.WriteFile(one, []byte(inOnePage(t, failing())), 0o600))
	return ctx, []string{"file://" + filepath.Join(inFolder(t, failing()), "index.html"), "file://" + one}
}

const ready = `#attempts[data-ready]`

// fresh opens an address anew, also where only what is behind its # is another.
func fresh(address string) chromedp.Action {
	return chromedp.Tasks{chromedp.Navigate("about:blank"), chromedp.Navigate(address), chromedp.WaitReady(ready, chromedp.ByQuery)}
}

// Who did not write the run gets from a failed check to the call that failed in three
// clicks.
func TestACheckLeadsToTheCallThatFailedInThreeClicks(t *testing.T) {
	ctx, pages := opened(t)
	for _, page := range pages {
		var faint, count, focused, why, address string
		var evils bool
		require.NoError(t, chromedp.Run(ctx,
			fresh(page),
			chromedp.Click(`.checks tbody th a[href*="outcome=failed"]`, chromedp.ByQuery, chromedp.NodeVisible),
			chromedp.WaitVisible(`#title`, chromedp.ByQuery),
			chromedp.Text(`#count`, &count, chromedp.ByQuery),
			chromedp.Text(`a.cell.aside`, &faint, chromedp.ByQuery),
			chromedp.Click(`a.cell.bad`, chromedp.ByQuery, chromedp.NodeVisible),
			chromedp.WaitVisible(`#shown .alert pre`, chromedp.ByQuery),
			chromedp.Text(`#shown .alert pre`, &why, chromedp.ByQuery),
			chromedp.Click(`.trouble a`, chromedp.ByQuery, chromedp.NodeVisible),
			chromedp.Evaluate(`document.activeElement.innerText`, &focused),
			chromedp.Evaluate(`location.hash`, &address),
			chromedp.Evaluate(`document.querySelectorAll("#shown img, #shown script").length > 0`, &evils),
		))
		assert.Equal(t, "3 attempts of 18, in 3 scenarios", count, "the candidate's that failed")
		assert.NotEmpty(t, faint, "the others are there to compare with")
		assert.Contains(t, why, "not merged: </script><script>evil()</script>⟨U+2028⟩", "as it was written")
		assert.Contains(t, focused, "gh pr view 5")
		assert.Contains(t, focused, "failed")
		assert.True(t, strings.HasSuffix(address, "/ghx/2/call-1"), "the call has an address: %s", address)
		assert.False(t, evils)
		var again string
		require.NoError(t, chromedp.Run(ctx,
			fresh(page+address), chromedp.WaitVisible(`#shown details`, chromedp.ByQuery),
			chromedp.Evaluate(`document.activeElement.closest("details")?.id ?? document.activeElement.outerHTML`, &again),
		))
		assert.True(t, strings.HasSuffix(again, "-call-1"), "who is sent the address is at the call: %s", again)
	}
}

// Addresses lead to what they name, also those that name nothing.
func TestWhatIsShownHasAnAddress(t *testing.T) {
	ctx, pages := opened(t)
	id := failing().Scenarios[0].ID
	for hash, want := range map[string]string{
		"": "Every attempt", "#attempts?mode=ghx&outcome=failed": "3 attempts of 18, in 3 scenarios", "#attempts?tool=nothing": "0 attempts of 18, in 0 scenarios",
		"#attempts?class=tool": "3 attempts of 18", "#attempts?mark=call": "3 attempts of 18", "#attempts?scenario=" + id: "6 attempts of 18",
		"#scenario/" + id: "6 attempts of 18, in 1 scenario", "#scenario/none": "0 attempts",
		"#attempt/" + id + "/ghx/2": "Side by side with agent_direct", "#attempt/" + id + "/ghx/99": "There is no attempt",
		"#pair/" + id + "/2/agent_direct/ghx": "repetition 2: agent_direct and ghx", "#pair/" + id + "/2/ghx": "There are no two attempts", "#attempt/%": "Every attempt", "#missing": "Every attempt",
	} {
		for _, page := range pages {
			var text string
			require.NoError(t, chromedp.Run(ctx, fresh(page+hash), chromedp.Text(`body`, &text, chromedp.ByQuery)))
			assert.Contains(t, text, want, hash)
		}
	}
	var sides []string
	require.NoError(t, chromedp.Run(ctx, fresh(pages[0]+"#pair/"+id+"/2/agent_direct/ghx"),
		chromedp.Evaluate(`[...document.querySelectorAll(".side > h2")].map(h => h.innerText)`, &sides)))
	assert.Equal(t, []string{"agent_direct ✓ passed", "ghx ✕ failed"}, sides)
}

// Who uses no mouse filters, goes from attempt to attempt, opens one, and comes back.
func TestAttemptsAreReachedByKeys(t *testing.T) {
	ctx, pages := opened(t)
	var first, second, below, title, back string
	const focused = `document.activeElement.getAttribute("aria-label") ?? document.activeElement.outerHTML`
	require.NoError(t, chromedp.Run(ctx,
		fresh(pages[0]),
		chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter), // skips to the attempts
		chromedp.Evaluate(`document.querySelector("a.cell[tabindex='0']").focus()`, nil),
		chromedp.Evaluate(focused, &first),
		chromedp.KeyEvent(kb.ArrowRight), chromedp.Evaluate(focused, &second),
		chromedp.KeyEvent(kb.ArrowDown), chromedp.Evaluate(focused, &below),
		chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(`#shown .attempt`, chromedp.ByQuery),
		chromedp.Evaluate(`document.activeElement.innerText`, &title),
		chromedp.NavigateBack(), chromedp.WaitVisible(`#overview`, chromedp.ByQuery), chromedp.Evaluate(`location.hash`, &back),
	))
	assert.Equal(t, "agent_direct, repetition 1: passed", first)
	assert.Equal(t, "agent_direct, repetition 2: passed", second)
	assert.Equal(t, "ghx, repetition 2: failed", below)
	assert.Equal(t, "issue-triage-comment-wf-001, ghx, repetition 2", title, "who listens is told where he is")
	assert.Empty(t, back)
	var stops int
	require.NoError(t, chromedp.Run(ctx, chromedp.Evaluate(`document.querySelectorAll("a.cell[tabindex='0']").length`, &stops)))
	assert.Equal(t, 1, stops, "the matrix is one stop")
	var count, hash string
	require.NoError(t, chromedp.Run(ctx,
		chromedp.Focus(`[name=tool]`, chromedp.ByQuery), chromedp.SendKeys(`[name=tool]`, "gh pr", chromedp.ByQuery),
		chromedp.Text(`#count`, &count, chromedp.ByQuery), chromedp.Evaluate(`location.hash`, &hash),
	))
	assert.Equal(t, "18 attempts of 18, in 3 scenarios", count)
	assert.Equal(t, "#attempts?tool=gh%20pr", hash, "what was typed has an address")
}

// views are the kinds of pages that there are.
func views(page string) []string {
	id := failing().Scenarios[0].ID
	return []string{page, page + "#attempts?outcome=failed", page + "#scenario/" + id, page + "#attempt/" + id + "/ghx/2/call-1", page + "#pair/" + id + "/2/agent_direct/ghx"}
}

// A phone shows everything without scrolling sideways, and who prefers dark has it dark.
func TestAttemptsAreShownOnAPhoneAndInTheDark(t *testing.T) {
	ctx, pages := opened(t)
	for _, view := range views(pages[0]) {
		for _, width := range []int64{375, 1200} {
			var wide bool
			require.NoError(t, chromedp.Run(ctx, chromedp.EmulateViewport(width, 800), fresh(view), chromedp.Evaluate(`document.documentElement.scrollWidth > window.innerWidth`, &wide)))
			assert.False(t, wide, "%s is wider than %d", view, width)
		}
		var looks []string
		for _, scheme := range []string{"light", "dark"} {
			var look string
			require.NoError(t, chromedp.Run(ctx, testkit.PreferScheme(scheme), fresh(view), chromedp.Evaluate(`getComputedStyle(document.body).backgroundColor`, &look)))
			looks = append(looks, look)
		}
		assert.Len(t, slices.Compact(looks), 2, view)
	}
}

func TestAttemptsAreForEverybody(t *testing.T) {
	testkit.NeedComplete(t)
	script := testkit.Axe(t)
	ctx, pages := opened(t)
	for _, view := range views(pages[0]) {
		require.NoError(t, chromedp.Run(ctx, testkit.PreferScheme("light"), fresh(view),
			chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => d.open = true)`, nil), chromedp.Evaluate(script+"; 0", nil)))
		assert.Empty(t, testkit.Violations(ctx, t, "{}"), "%s in light", view)
		require.NoError(t, chromedp.Run(ctx, testkit.PreferScheme("dark")))
		assert.Empty(t, testkit.Violations(ctx, t, `{runOnly: ["color-contrast"]}`), "%s in dark", view)
	}
}
