package scene_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scene"
)

// many are the scenes of many variations.
func many() (scenes []*scene.Scene) {
	for number := range 60 {
		scenes = append(scenes, scene.Draw(bench.Variation{Seed: uint64(7 + number/20), Number: number % 20}))
	}
	return scenes
}

func text(t *testing.T, s *scene.Scene) string {
	t.Helper()
	plain := *s
	plain.Variation = nil
	written, err := json.Marshal(plain)
	require.NoError(t, err)
	return string(written)
}

func TestS15EqualVariationsAreDrawnEqually(t *testing.T) {
	v := bench.Variation{Seed: 42, Number: 3}
	assert.Equal(t, scene.Draw(v), scene.Draw(v))
	seen := map[string]bool{}
	for _, s := range many() {
		seen[text(t, s)] = true
	}
	assert.Len(t, seen, 60, "no two others are equal")
}

// What an agent may see tells nothing of a benchmark.
func TestS15NothingDrawnTellsOfABenchmark(t *testing.T) {
	telling := regexp.MustCompile(`(?i)bench|fixture|seed[^ =]|scenario|sandbox|iteration|harness|ghx|«|»`)
	for _, s := range many() {
		s.Ground.Files = slices.DeleteFunc(s.Ground.Files, func(f scene.File) bool { return f.Path == "src/utils/random.ts" })
		assert.Empty(t, telling.FindAllString(text(t, s), -1))
	}
}

// A marked line has the number that is told, whatever stands before it.
func TestS15LinesAreWhereTheyAreToldToBe(t *testing.T) {
	wrong := []string{
		"Math.floor(items / size)", "page * size, (page + 1)", "pages - 1", "last - first", "> low &&", "||", "/ values.length", ".sort()[", "Math.max(most", "ms / 1000", "% 4", "> now",
	}
	seen := map[string]bool{}
	for _, s := range many() {
		p, known := s.Pull("pr_with_bugs")
		require.True(t, known)
		lines := strings.Split(p.File, "\n")
		told, _ := p.Facts["wrong_lines"].([]any)
		require.Len(t, told, 2)
		for _, number := range told {
			line := lines[number.(int)-1]
			at := slices.IndexFunc(wrong, func(part string) bool { return strings.Contains(line, part) })
			require.GreaterOrEqual(t, at, 0, "%s:\n%s", line, p.File)
			seen[wrong[at]] = true
		}
		for _, resource := range []string{"pr_with_reviews", "pr_with_mixed_threads"} {
			p, _ := s.Pull(resource)
			for _, thread := range p.Threads {
				assert.NotEmpty(t, strings.TrimSpace(strings.Split(p.File, "\n")[thread.Line-1]), "%d of\n%s", thread.Line, p.File)
			}
		}
	}
	assert.Len(t, seen, len(wrong), "each may be drawn")
}

func TestS15WhatScenariosCountOnIsDrawnToo(t *testing.T) {
	kinds, verdicts, unresolved := map[string]bool{}, map[string]bool{}, func(p scene.Pull) (n int) {
		for _, thread := range p.Threads {
			if !thread.Resolved {
				n++
			}
		}
		return n
	}
	for _, s := range many() {
		reviewed, _ := s.Pull("pr_with_reviews")
		mixed, _ := s.Pull("pr_with_mixed_threads")
		assert.Equal(t, []int{3, 2}, []int{unresolved(reviewed), unresolved(mixed)})
		assert.Greater(t, len(reviewed.Threads), 3, "some are resolved")

		triage, _ := s.Issue("issue_for_triage")
		assert.NotContains(t, triage.Labels, triage.Kind)
		assert.NotContains(t, triage.Labels, s.Adding[0])
		assert.Equal(t, triage.Kind == s.Kinds[0], strings.Contains(triage.Body, "instead of"), "a bug is told from a wish: %s", triage.Body)
		kinds[fmt.Sprint(triage.Kind == s.Kinds[0])] = true

		prepared, _ := s.Issue("issue_prepared")
		assert.Equal(t, s.Kinds[0], prepared.Labels[0])
		assert.GreaterOrEqual(t, len(prepared.Labels), 2)

		check, _ := s.Pull("pr_to_check")
		verdicts[fmt.Sprint(check.Draft, check.Conflicts, check.Verdict)] = true

		assert.Contains(t, s.Board.Options, s.Board.Chosen)
		assert.ElementsMatch(t, slices.Compact(slices.Sorted(slices.Values(s.Branches()))), s.Branches(), "each has a branch of its own")
		assert.NotContains(t, s.Tags(), s.Missing["tag_name"])
		tests, _ := s.Pull("pr_failing_checks")
		var printed string
		for _, script := range s.Ground.Scripts {
			if script.Branch == tests.Branch {
				printed = script.Log
			}
		}
		assert.Regexp(t, tests.Facts["assertion_pattern"], printed)
	}
	assert.Len(t, kinds, 2)
	assert.Greater(t, len(verdicts), 6)
}
