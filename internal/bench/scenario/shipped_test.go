package scenario_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/scenarios"
)

// seeded returns a manifest with the resources that fixtures have.
func seeded() bench.Manifest {
	return bench.Manifest{
		Version: bench.ManifestVersion,
		Repo:    bench.ManifestRepo{Owner: "aryeko", Name: "ghx-bench-fixtures", FullName: "aryeko/ghx-bench-fixtures", DefaultBranch: "main"},
		Resources: map[string]map[string]any{
			"issue":           with(seededIssue(1), object{"comment_count": 2, "comment_count_then": 3}),
			"pr":              seededPull(2, object{"comment_count": 0, "comment_count_then": 1}),
			"pr_with_checks":  seededPull(3, object{"run_id": 17345678901}),
			"workflow_run":    {"id": 17345678902, "failed_job": "flaky"},
			"workflow_job":    {"id": 48345678903},
			"check_run":       {"id": 48345678903},
			"pr_mergeable":    seededPull(4, nil),
			"pr_to_check":     seededPull(4, nil),
			"pr_with_reviews": seededPull(5, object{"thread_count": 4, "unresolved_count": 3, "unresolved": []any{"PRRT_1", "PRRT_3", "PRRT_4"}}),
			"pr_thread":       {"id": "PRRT_1"},
			"release": {
				"id": 31, "tag_name": "bench-s.v1.1.0", "unused_tag_name": "bench-s.v1.2.0",
				"url": "https://github.com/aryeko/ghx-bench-fixtures/releases/tag/untagged-1",
			},
			"project": {
				"id": "PVT_1", "number": 1, "owner": "aryeko", "item_id": "PVTI_1", "draft_item_id": "PVTI_2", "field_id": "PVTSSF_1", "option": "High", "pr_number": 2, "option_id": "aa",
				"draft_title": "Collect ideas", "item_count": 2, "item_count_without": 1,
			},
			"org_project":       {"id": "PVT_2", "number": 1, "owner": "acme"},
			"repo_with_types":   {"owner": "acme", "name": "handbook", "type_count": 3},
			"release_published": {"id": 30, "tag_name": "bench-s.v1.0.0"},
			"parent_issue":      seededIssue(41),
			"blocker_issue":     seededIssue(42),
			"child_issue":       with(seededIssue(43), object{"parent_id": "I_41", "parent_number": 41, "blocker_id": "I_42", "blocker_number": 42}),
			"issue_for_triage": with(seededIssue(44), object{
				"label": "bug", "labels": []any{"bench-fixture", "bench-seed:s"}, "labels_then": []any{"bench-fixture", "bench-seed:s", "bug"},
				"labels_triaged": []any{"bench-fixture", "bench-seed:s", "bug"},
			}),
			"issue_to_close": seededIssue(45),
			"closed_issue":   seededIssue(46),
			"issue_prepared": with(seededIssue(47), object{
				"label": "bug", "assignee": "aryeko", "assignees": []any{"aryeko"}, "milestone_number": 1,
				"labels": []any{"bench-fixture", "bench-seed:s", "bug"}, "labels_left": []any{"bench-fixture", "bench-seed:s"}, "labels_to_remove": []any{"bug"},
			}),
			"linked_issue": with(seededIssue(48), object{"pr_number": 58}),
			"milestone":    {"id": "MI_1", "number": 1, "title": "[bench:s] First milestone"},

			"pr_linked":             seededPull(58, nil),
			"pr_with_mixed_threads": seededPull(51, object{"thread_count": 4, "unresolved_count": 2}),
			"pr_thread_resolved":    {"id": "PRRT_2"},
			"pr_with_bugs":          seededPull(52, object{"path": "src/utils/paginate.ts", "wrong_lines": []any{3, 8}}),
			"pr_behind":             seededPull(53, object{"head_sha": "53a", "path": "src/constants.ts", "file_sha": "53b"}),
			"pr_failing_checks": seededPull(54, object{
				"run_id": 17345678904, "failed_job": "test", "assertion_pattern": `\b1 !== 1\.01\b`, "job_pattern": `(?s)\btest\b.*\bTest\b|\bTest\b.*\btest\b`,
			}),
			"pr_assigned":       seededPull(55, object{"assignee": "aryeko", "assignees": []any{"aryeko"}}),
			"pr_with_reactions": seededPull(56, object{"comment_id": 61, "reaction_count": 2}),

			"workflow":               {"id": 71, "file": "bench-rerun-failed.yml", "name": "Bench rerun failed", "failing_job": "flaky", "input": "seed_id", "value": "s", "inputs": object{"seed_id": "s"}},
			"workflow_run_running":   {"id": 17345678905},
			"workflow_run_artifacts": {"id": 17345678906, "artifact_count": 1},

			"texts": with(fixture.Plain("s").Texts, object{
				"labels_to_add": []any{"bug"}, "labels_to_set": []any{"bench-fixture", "enhancement"}, "bug_label": "bug", "feature_label": "enhancement",
				"assignees": []any{"aryeko"}, "reviewers": []any{"linnea-berg"},
			}),
			"missing": fixture.Plain("s").Missing,

			"metadata": {"seed_id": "s", "generated_at": "2026-01-01T00:00:00.000Z", "run_id": "r"},
		},
	}
}

func seededIssue(number int) object {
	return object{
		"id": fmt.Sprintf("I_%d", number), "number": number,
		"url": fmt.Sprintf("https://github.com/aryeko/ghx-bench-fixtures/issues/%d", number),
	}
}

func seededPull(number int, more object) object {
	return with(object{
		"id": fmt.Sprintf("PR_%d", number), "number": number, "head_branch": fmt.Sprintf("bench-fixture/s/%d", number),
		"url": fmt.Sprintf("https://github.com/aryeko/ghx-bench-fixtures/pull/%d", number),
	}, more)
}

// with adds fields to a resource.
func with(resource, more object) object {
	maps.Copy(resource, more)
	return resource
}

func shipped(t *testing.T) *scenario.Library {
	t.Helper()
	library, err := loadShipped()
	require.NoError(t, err)
	return library
}

var loadShipped = sync.OnceValues(func() (*scenario.Library, error) { return scenario.Load(scenarios.Files) })

func TestShippedScenariosHaveNothingWrong(t *testing.T) {
	report := scenario.Check(scenarios.Files, fixture.Made())
	assert.Empty(t, report.Problems)
	assert.Empty(t, report.Warnings)
}

func TestS10ShippedSets(t *testing.T) {
	library := shipped(t)
	tasks := func(set string) []string {
		members, err := library.Set(set)
		require.NoError(t, err)
		var tasks []string
		for _, s := range members {
			tasks = append(tasks, s.Capabilities()[0])
		}
		return tasks
	}
	assert.Equal(t, []string{"repo.view", "issue.view", "issue.list", "issue.comments.list", "pr.view", "pr.list"}, tasks("default"))
	assert.Equal(t, []string{"pr.checks.rerun.all", "pr.merge"}, tasks("ci-verify-pr"))
	assert.Equal(t, []string{"pr.checks.rerun.all", "pr.merge", "pr.checks.rerun.failed", "pr.assignees.add", "pr.reviews.submit"}, tasks("ci-verify-release"))
	assert.Equal(t, []string{"release.list", "release.view", "release.create", "release.update", "release.publish"}, tasks("release-delivery"))
	assert.Subset(t, tasks("projects-v2"), []string{
		"project_v2.user.view", "project_v2.org.view", "project_v2.fields.list", "project_v2.items.list",
		"project_v2.items.issue.add", "project_v2.items.issue.remove", "project_v2.items.field.update",
	})
	assert.Equal(t, []string{"workflow.job.logs.view"}, tasks("ci-log-analysis"))
	workflows, err := library.Set("workflows")
	require.NoError(t, err)
	for _, s := range library.All() {
		if s.Type == bench.Workflow && s.World() == "" {
			assert.Contains(t, ids(workflows), s.ID, "every workflow on the fixtures is in the set that is named after them")
		}
	}
}

func TestShippedFilesNameTheirSchemaForEditors(t *testing.T) {
	files, err := fs.Glob(scenarios.Files, "*/*.json")
	require.NoError(t, err)
	for _, file := range append(files, scenario.SetsFile) {
		data, err := scenarios.Files.ReadFile(file)
		require.NoError(t, err)
		var content struct {
			Schema string `json:"$schema"`
		}
		require.NoError(t, json.Unmarshal(data, &content))
		_, err = fs.Stat(scenarios.Files, path.Join(path.Dir(file), content.Schema))
		assert.NoError(t, err, file)
	}
}

// standIn returns a manifest that has what a scenario in a world of its own
// names: numbers, of runs and jobs as ids too, and texts.
func standIn(t *testing.T, s bench.Scenario) bench.Manifest {
	t.Helper()
	m := bench.Manifest{
		Repo:      bench.ManifestRepo{Owner: "northquay", Name: "parcelkit", FullName: "northquay/parcelkit", DefaultBranch: "main"},
		Resources: map[string]map[string]any{},
	}
	for _, name := range s.Requires() {
		m.Resources[name] = map[string]any{}
	}
	text, err := json.Marshal(s)
	require.NoError(t, err)
	for _, named := range regexp.MustCompile(`resources\.(\w+)\.(\w+)`).FindAllStringSubmatch(string(text), -1) {
		require.Contains(t, m.Resources, named[1])
		m.Resources[named[1]][named[2]] = "seven"
		if named[2] == "number" || regexp.MustCompile("^(run|job)_").MatchString(named[1]) {
			m.Resources[named[1]][named[2]] = 7
		}
	}
	return m
}

func TestShippedScenariosCanBeBound(t *testing.T) {
	for _, s := range shipped(t).All() {
		t.Run(s.ID, func(t *testing.T) {
			m := seeded()
			if s.World() != "" {
				m = standIn(t, s)
			}
			resolved, err := scenario.Resolve(s, m)
			require.NoError(t, err)
			assert.NotContains(t, resolved.Prompt, "{{")
			assert.Contains(t, resolved.Prompt, m.Repo.FullName)
			if s.Type == bench.Workflow {
				return
			}
			assert.Contains(t, resolved.Prompt, s.Task)
			for _, field := range s.Assertions.RequiredDataFields {
				assert.Contains(t, resolved.Prompt, `"`+field+`"`, "the agent is told what the fields of its result mean")
			}
			capability, known := scenario.FindCapability(s.Task)
			require.True(t, known)
			if s.Assertions.Outcome() == bench.OutcomeSuccess {
				assert.Subset(t, slices.Concat(capability.Output, capability.OptionalOutput), s.Assertions.RequiredDataFields)
				require.NotNil(t, s.Assertions.ExpectedData, "S13: what is reported is compared")
				for _, field := range s.Assertions.RequiredDataFields {
					assert.Contains(t, s.Assertions.ExpectedData.Fields, field)
				}
			}
		})
	}
}

// Scenarios are judged by states of their own object: as seeded, which is what
// an agent leaves that does nothing or acts on another object; after something
// that is like the work; and after the work. That every mutating scenario fails
// for agents that do nothing or act on another object is tested where there are
// agents.
func TestS6CheckpointsTellWhetherTheWorkIsDone(t *testing.T) {
	const review = "Thank you for the change. I have read it and leave this comment without a verdict."
	run := func(attempt, first, second int, status, conclusion string) string {
		text, err := json.Marshal(object{
			"attempt": attempt, "status": status, "conclusion": conclusion,
			"jobs": []any{object{"attempt": first}, object{"attempt": second}},
		})
		require.NoError(t, err)
		return string(text)
	}
	pr := func(fields string) string { return `{"number": 4, ` + fields + `}` }
	release := func(name, body string, draft, prerelease bool) string {
		text, err := json.Marshal(object{
			"id": 31, "name": name, "body": body, "isDraft": draft, "isPrerelease": prerelease, "targetCommitish": "main",
		})
		require.NoError(t, err)
		return string(text)
	}
	const firstNotes = "Adds retries.\n\nThanks to everybody who reported problems."
	const revised, revisedNotes = "Second release, revised", "Adds a changelog and fixes links."
	tests := map[string]struct {
		before, after string
		alike         map[string]string
	}{
		"pr-checks-rerun-all-001": {
			before: run(1, 1, 1, "completed", "success"), after: run(2, 2, 2, "queued", ""),
			alike: map[string]string{
				"one job alone is run again":   run(2, 2, 1, "queued", ""),
				"the other alone is run again": run(2, 1, 2, "queued", ""),
			},
		},
		"pr-checks-rerun-failed-001": {
			before: run(1, 1, 1, "completed", "failure"), after: run(2, 1, 2, "completed", "success"),
			alike: map[string]string{"the second attempt is cancelled": run(2, 1, 2, "completed", "cancelled")},
		},
		"pr-merge-001": {
			before: pr(`"state": "OPEN", "mergeCommitParents": null`), after: pr(`"state": "MERGED", "mergeCommitParents": 1, "proposed": true`),
			alike: map[string]string{
				"it is closed":                   pr(`"state": "CLOSED", "mergeCommitParents": null`),
				"it is merged, but not squashed": pr(`"state": "MERGED", "mergeCommitParents": 2, "proposed": true`),
				"its message is another one":     pr(`"state": "MERGED", "mergeCommitParents": 1, "proposed": false`),
			},
		},
		"pr-assignees-add-001": {
			before: pr(`"assignees": []`), after: pr(`"assignees": ["octocat", "aryeko"]`),
			alike: map[string]string{"someone else is assigned": pr(`"assignees": ["octocat"]`)},
		},
		"pr-reviews-submit-comment-001": {
			before: `{"items": [{"state": "COMMENTED", "body": "Looks fine."}]}`,
			after:  `{"items": [{"state": "COMMENTED", "body": "Looks fine."}, {"state": "COMMENTED", "body": "` + review + `"}]}`,
			alike: map[string]string{
				"it is an approval":   `{"items": [{"state": "APPROVED", "body": "` + review + `"}]}`,
				"it is not submitted": `{"items": [{"state": "PENDING", "body": "` + review + `"}]}`,
			},
		},
		"release-create-001": {
			before: `null`, after: release("Third release", firstNotes, true, false),
			alike: map[string]string{
				"it is published":      release("Third release", firstNotes, false, false),
				"it has no notes":      release("Third release", "", true, false),
				"it is a prerelease":   release("Third release", firstNotes, true, true),
				"it has another title": release("bench-s.v1.2.0", firstNotes, true, false),
			},
		},
		"release-update-001": {
			before: release("Second release", "Adds a changelog.", true, false), after: release(revised, revisedNotes, true, true),
			alike: map[string]string{
				"it is published too":           release(revised, revisedNotes, false, true),
				"it is no prerelease":           release(revised, revisedNotes, true, false),
				"another one has the same name": `{"id": 30, "name": "` + revised + `", "body": "` + revisedNotes + `", "isDraft": true, "isPrerelease": true}`,
			},
		},
		"release-publish-001": {
			before: release("Second release", "Adds a changelog.", true, false), after: release("Second release", "Adds a changelog.", false, false),
			alike: map[string]string{"another release of the tag is published": `{"id": 32, "isDraft": false}`},
		},
		"project-v2-items-issue-add-001": {
			before: `{"items": [{"id": "PVTI_1", "contentType": "PULL_REQUEST", "contentUrl": "https://github.com/aryeko/ghx-bench-fixtures/pull/2"}]}`,
			after:  `{"items": [{"id": "PVTI_1"}, {"id": "PVTI_3", "contentType": "ISSUE", "contentUrl": "https://github.com/aryeko/ghx-bench-fixtures/issues/1"}]}`,
			alike: map[string]string{
				"a draft of it is made":     `{"items": [{"id": "PVTI_3", "contentType": "DRAFT_ISSUE", "contentTitle": "Document the configuration file"}]}`,
				"another issue is on board": `{"items": [{"id": "PVTI_3", "contentType": "ISSUE", "contentUrl": "https://github.com/aryeko/ghx-bench-fixtures/issues/11"}]}`,
			},
		},
		"project-v2-items-issue-remove-001": {
			before: `{"items": [{"id": "PVTI_1"}, {"id": "PVTI_2"}]}`, after: `{"items": [{"id": "PVTI_2"}]}`,
			alike: map[string]string{"the other one is removed": `{"items": [{"id": "PVTI_1"}]}`, "both are removed": `{"items": []}`},
		},
		"project-v2-items-field-update-001": {
			before: `{"items": [{"id": "PVTI_1", "fields": {}}, {"id": "PVTI_2", "fields": {}}]}`,
			after:  `{"items": [{"id": "PVTI_1", "fields": {"Priority": "High"}}, {"id": "PVTI_2", "fields": {}}]}`,
			alike: map[string]string{
				"another option is set":        `{"items": [{"id": "PVTI_1", "fields": {"Priority": "Low"}}]}`,
				"it is set for the other item": `{"items": [{"id": "PVTI_1", "fields": {}}, {"id": "PVTI_2", "fields": {"Priority": "High"}}]}`,
				"another field is set":         `{"items": [{"id": "PVTI_1", "fields": {"Status": "High"}}]}`,
			},
		},
	}
	library := shipped(t)
	for id, states := range tests {
		s, err := library.Scenario(id)
		require.NoError(t, err)
		bound, err := scenario.Resolve(s, seeded())
		require.NoError(t, err)
		passes := func(state string) bool {
			var answer any
			require.NoError(t, json.Unmarshal([]byte(state), &answer))
			return !slices.ContainsFunc(bound.Scenario.Assertions.Checkpoints, func(c bench.Checkpoint) bool {
				passed, _ := checkpoint.Evaluate(c, answer)
				return !passed
			})
		}
		assert.False(t, passes(states.before), "%s: nothing is done", s.ID)
		for name, state := range states.alike {
			assert.False(t, passes(state), "%s: %s", s.ID, name)
		}
		assert.True(t, passes(states.after), "%s: the work is done", s.ID)
	}
}

// thread is a review thread with so many comments.
type thread struct {
	comments int
	resolved bool
}

func threadList(threads []thread, unresolvedOnly bool) object {
	items := []any{}
	for n, th := range threads {
		if !unresolvedOnly || !th.resolved {
			items = append(items, object{"id": fmt.Sprintf("PRRT_%d", n), "isResolved": th.resolved, "comments": make([]object, th.comments)})
		}
	}
	return object{"items": items}
}

func TestS6TheReviewWorkflowNeedsEveryThreadAnsweredAndResolved(t *testing.T) {
	s, err := shipped(t).Scenario("pr-fix-review-comments-wf-001")
	require.NoError(t, err)
	m := seeded()
	m.Resources["pr_with_reviews"]["unresolved"] = []any{"PRRT_1", "PRRT_2", "PRRT_3"}
	bound, err := scenario.Resolve(s, m)
	require.NoError(t, err)
	open, answered, closed, done := thread{1, false}, thread{2, false}, thread{1, true}, thread{2, true}
	tests := []struct {
		name string
		// threads are those after the first, which is seeded as resolved.
		threads []thread
		want    bool
	}{
		{"all are answered and resolved", []thread{done, done, done}, true},
		{"nothing is done, or something elsewhere", []thread{open, open, open}, false},
		{"all are resolved without an answer", []thread{closed, closed, closed}, false},
		{"the second is resolved without an answer", []thread{closed, done, done}, false},
		{"the third is resolved without an answer", []thread{done, closed, done}, false},
		{"the fourth is resolved without an answer", []thread{done, done, closed}, false},
		{"all answers are in one thread", []thread{{4, true}, closed, closed}, false},
		{"all are answered, none is resolved", []thread{answered, answered, answered}, false},
		{"one is left", []thread{done, open, done}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			threads := append([]thread{closed}, tt.threads...)
			failed := slices.ContainsFunc(bound.Scenario.Assertions.Checkpoints, func(c bench.Checkpoint) bool {
				passed, _ := checkpoint.Evaluate(c, threadList(threads, c.VerificationInput["unresolvedOnly"].(bool)))
				return !passed
			})
			assert.Equal(t, tt.want, !failed)
		})
	}
}

func TestS18AtLeastTwelveScenariosOfTheEvidenceAreInTheLargeWorld(t *testing.T) {
	set, err := shipped(t).Set("ci-evidence")
	require.NoError(t, err)
	in := 0
	for _, s := range set {
		if s.World() == "parcelkit" {
			in++
		}
	}
	assert.GreaterOrEqual(t, in, 12)
}
