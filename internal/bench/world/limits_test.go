package world_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// A small file can ask for a world that no machine holds: it is refused in one
// sentence, with the place, before that is made.
func TestAWorldThatIsTooLargeIsRefused(t *testing.T) {
	testkit.NeedComplete(t)
	cases := []struct{ name, text, want string }{
		{"issues with 100,000 comments", head + repo + "  issues: [{repeat: 5000, title: a, comments: [{repeat: 5000, body: b}]}]\n",
			"repositories[0].issues[0].comments[0].repeat: makes a world of more than 10000 objects: want less"},
		{"69,000 issues one by one", head + repo + "  issues:\n" + strings.Repeat("  - {title: a}\n", 69_000), "repositories[0].issues[9994]: makes a world of more than 10000 objects: want less"},
		{"more objects than there are numbers", head + repo + "  issues: [{repeat: '{{x}}', title: a}]\ndraw: [{name: x, pick: ['9223372036854775807']}]\n", "makes a world of more than 10000 objects"},
		{"100,000 commits", head + repo + "  history: [{grow: {folder: src, commits: 100000, from: 1d, to: 2d, authors: [ana]}}]\n", "history[0].grow.commits: must be a whole number from 0 to 10000, is 100000"},
		{"a run again and again", head + repo + "  dispatches: [{workflow: ci.yml, reruns: 51}]\n", "dispatches[0].reruns: must be a whole number from 0 to 50, is 51"},
		{"labels of labels", head + repo + "  labels: [{name: a}]\n  issues: [{repeat: 5000, title: a, labels: [" + strings.Repeat("a, ", 5000) + "a]}]\n", "makes a world of more than 32 MiB of text: want less"},
		{"logs of logs", head + repo + "  outcomes: [{repeat: 100, workflow: ci.yml, steps: [{name: a, log: [{lines: 100000, of: [" + strings.Repeat("x", 100) + "]}]}]}]\n",
			"outcomes[0].steps[0].log[0].of[0]: makes a world of more than 32 MiB of text: want less"},
		{"a log that is read from a file again and again", head + repo + "  outcomes: [{repeat: 2000, workflow: ci.yml, steps: [{name: a, log: [{file: long.txt}]}]}]\n", "steps[0].log: makes a world of more than 32 MiB of files: want less"},
		{"files of files", head + repo + "  history: [{repeat: 2000, message: 'm{{n}}', changes: [{path: 'p{{n}}', from: long.txt}]}]\n", "changes[0].from: makes a world of more than 32 MiB of files: want less"},
		{"an asset of gigabytes", head + repo + "  releases: [{tag: a, assets: [{name: b, text: " + strings.Repeat("x", 100) + ", times: 1000000}]}]\n", "assets[0].text: makes a world of more than 32 MiB of files: want less"},
		{"words that grow", head + repo + "  issues: [{title: '{{word.w0}}'}]\nwords: {" + growing(`w%d: ["%s"], `, "{{word.w%d}}", 1) + "w12: [x]}\n", "issues[0].title: makes a world of more than 32 MiB of text: want less"},
		{"draws that grow", head + repo + "  issues: [{title: a}]\ndraw: [{name: t0, text: x}, " + strings.TrimSuffix(growing(`{name: t%d, text: "%s"}, `, "{{t%d}}", -1), ", ") + "]\n", "makes a world of more than 32 MiB of text: want less"},
		{"lists that grow", head + repo + "  issues: [{title: a}]\ndraw: [{name: t0, pick: [[x]]}, " + strings.TrimSuffix(growing(`{name: t%d, pick: [[%s]]}, `, "'{{t%d}}', ", -1), ", ") + "]\n", "makes a world of more than 32 MiB of text: want less"},
		{"words in a circle", head + repo + "  issues: [{title: a}]\nwords: {a: ['x {{ word.b }}'], b: [{of: ['{{word.a}}']}]}\n", "w.yaml:8:12: words.a: goes in a circle: a → b → a"},
		{"a number beyond what numbers can be", head + repo + "  issues: [{title: '{{number: 0-9223372036854775807}}'}]\n", "is no range of numbers"},
		{"bounds beyond what numbers can be", head + repo + "  issues: [{title: a}]\ndraw: [{name: x, number: [-9007199254740993, 1]}]\n", "must be the least and the greatest number"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w, err := load(t, c.text, map[string]string{"long.txt": strings.Repeat("line\n", 10_000)})
			if err == nil {
				_, err = w.Draw(bench.Variation{})
			}
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
			assert.Regexp(t, `^worlds/w\.yaml:\d+:\d+: [^\n]+$`, err.Error())
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

// growing are twelve things of a form, each of ten that are next to it.
func growing(form, one string, next int) string {
	var text strings.Builder
	for n := range 12 {
		n -= min(next, 0)
		fmt.Fprintf(&text, form, n, strings.Repeat(fmt.Sprintf(one, n+next), 10))
	}
	return text.String()
}
