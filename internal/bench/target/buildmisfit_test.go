package target_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestWhatDoesNotFitTheFilesIsToldWithItsObject(t *testing.T) {
	const text = `start: 2025-09-01T08:00:00Z
agent: noor
accounts: [{login: noor}]
repositories:
- name: noor/ledger
  files: [{path: README.md, text: "a\na\n"}, {path: .github/workflows/ci.yml, text: "on: {push: {branches: [no]}}\njobs: {all: {steps: [{run: x}]}}"}]
`
	const pull = "  pulls: [{title: t, branch: x, commits: [{message: m, changes: [{path: p, text: \"a\\nb\\n\"}]}], "
	for name, c := range map[string][2]string{
		"a text that is there twice":        {"  history: [{message: Change it, changes: [{path: README.md, find: a, replace: b}]}]\n", `history[0].changes[0]: commit "Change it": README.md has the text to be replaced, "a", 2 times: want it once`},
		"a file that is not there":          {"  history: [{message: Change it, changes: [{path: NOTES.md, find: a, replace: b}]}]\n", `history[0].changes[0]: commit "Change it": there is no file NOTES.md on the branch at that time`},
		"a file that cannot be deleted":     {"  history: [{message: Drop it, changes: [{path: README.md, text: a}, {path: NOTES.md, delete: true}]}]\n", `history[0].changes[1]: commit "Drop it": there is no file NOTES.md on the branch at that time`},
		"a line that is not there":          {pull + "reviews: [{by: noor, state: comment, threads: [{path: p, on: c, body: b}]}]}]\n", `pulls[0].reviews[0].threads[0]: review "t": p has no line with "c"`},
		"a line that is there twice":        {strings.Replace(pull, "b\\n", "a\\n", 1) + "reviews: [{by: noor, state: comment, threads: [{path: p, on: a, body: b}]}]}]\n", `pulls[0].reviews[0].threads[0]: review "t": p has "a" in the lines 1 and 2: want one`},
		"a line beyond the file":            {pull + "reviews: [{by: noor, state: comment, threads: [{path: p, line: 9, body: b}]}]}]\n", `pulls[0].reviews[0]: review "t": GitHub does not accept what was sent (422): Validation Failed: pull_request_review_thread.line must be part of the diff`},
		"a run that nothing starts":         {pull + "runs: [{workflow: ci.yml, as: run}]}]\n", `pulls[0].runs[0]: look up the run of "ci.yml": nothing has started the workflow ci.yml`},
		"a base whose branch comes later":   {"  pulls: [{title: t, branch: x, base: y, at: 1d, commits: [{message: m, changes: [{path: p, text: a}]}]}, {title: u, branch: y, at: 2d, commits: [{message: n, changes: [{path: q, text: a}]}]}]\n", `pulls[0].commits[0]: commit "m": there is no branch y yet`},
		"a job that the workflow has none":  {"  history: [{message: Add CI, changes: [{path: .github/workflows/ci.yml, text: \"on: push\\njobs: {test: {steps: [{run: x}]}}\\n\"}], runs: [{workflow: ci.yml, jobs: {build: job}}]}]\n", `history[0].runs[0]: look up the run of "ci.yml": the run of ci.yml has no job "build"`},
		"a merge that conflicts":            {"  pulls:\n" + merged("x", "1d") + merged("y", "2d"), `pulls[1].merged: merge "y": GitHub refuses it (405): Pull Request is not mergeable`},
		"more parts than an issue can have": {"  issues: [{title: e, as: e}, {repeat: 101, title: \"s{{n}}\", parent: e}]\n", `issues[1]: relate issue "s101": GitHub says: `},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := world.Load(fstest.MapFS{"worlds/w.yaml": {Data: []byte(text + c[0])}}, "w")
			require.NoError(t, err)
			plan, err := w.Draw(bench.Variation{})
			require.NoError(t, err)
			_, _, err = target.BuildWorld(t.Context(), plan)
			require.Error(t, err)
			assert.Regexp(t, `^worlds/w\.yaml:\d+:\d+: repositories\[0\]\.[^\n]+$`, err.Error())
			assert.Contains(t, err.Error(), "repositories[0]."+c[1])
			assert.Equal(t, fault.Invalid, fault.KindOf(err))

			found, err := target.CheckWorld(t.Context(), w)
			require.NoError(t, err)
			require.Len(t, found, 1, "whoever checks the file learns it, too")
			assert.Contains(t, found[0].Path+": "+found[0].Message, c[1])
		})
	}
}

// merged is a pull request that changes the whole README and is merged a week
// later.
func merged(branch, at string) string {
	return fmt.Sprintf("  - {title: %[1]s, branch: %[1]s, at: %s, commits: [{message: m, changes: [{path: README.md, text: %[1]s}]}], merged: {method: merge, at: 7%[2]s}}\n", branch, at)
}

// An issue that nothing refers to can have a parent and blockers, too.
func TestS18IssuesWithoutANameHaveRelations(t *testing.T) {
	file, err := world.Load(fstest.MapFS{"worlds/w.yaml": {Data: []byte(`start: 2025-09-01T08:00:00Z
agent: noor
accounts: [{login: noor}]
repositories:
- name: noor/ledger
  files: [{path: README.md, text: a}]
  issues: [{title: e, as: e}, {repeat: 2, title: "{{n}}", parent: e, blocked_by: [e]}]
`)}}, "w")
	require.NoError(t, err)
	plan, err := file.Draw(bench.Variation{})
	require.NoError(t, err)
	made, _, err := target.BuildWorld(t.Context(), plan)
	require.NoError(t, err)
	made.Look(func(s *model.State) {
		all := s.Issues.Where(func(*model.Issue) bool { return true })
		assert.Equal(t, []model.ID{all[1].ID, all[2].ID}, all[0].SubIssues)
		assert.Equal(t, []model.ID{all[0].ID}, all[2].BlockedBy)
	})
}
