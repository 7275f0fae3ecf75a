package target_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	worldfile "github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/scenarios"
)

// shipped makes a variation of a world that ships with the program.
func shipped(t testing.TB, name string, v bench.Variation) *target.Made {
	t.Helper()
	file, err := worldfile.Load(scenarios.Files, name)
	require.NoError(t, err)
	made, err := target.MakeWorld(t.Context(), file, v, nil)
	require.NoError(t, err)
	return made
}

// telltale are words that would tell an agent that it is measured.
var telltale = regexp.MustCompile(`(?i)bench|scenario|ghx|fixture|seed_id|sandbox\.example`)

func TestTheShippedWorldIsLikeARealOne(t *testing.T) {
	for n := range 2 {
		made := shipped(t, "parcelkit", bench.Variation{Seed: 7, Number: n})
		made.Look(func(s *model.State) {
			repo := s.Repo("northquay", "parcelkit")
			head, _ := s.BranchHead(repo, "main")
			commits, err := repo.Git.Log(head, "", 0)
			require.NoError(t, err)
			assert.GreaterOrEqual(t, len(commits), 180)
			authors := map[string]bool{}
			for _, c := range commits {
				authors[c.Author.Name] = true
			}
			assert.GreaterOrEqual(t, len(authors), 6)
			assert.Greater(t, commits[0].Author.When.Sub(commits[len(commits)-1].Author.When), 180*24*time.Hour)

			issues := s.Issues.Where(func(i *model.Issue) bool { return i.Pull == nil })
			pulls := s.Issues.Where(func(i *model.Issue) bool { return i.Pull != nil })
			assert.GreaterOrEqual(t, len(issues), 60)
			assert.GreaterOrEqual(t, len(pulls), 15)
			titles := map[string]bool{}
			for _, i := range issues {
				assert.False(t, titles[i.Title], "%s is there twice", i.Title)
				titles[i.Title] = true
			}
			ends, longest := map[model.Conclusion]int{}, 0
			for r := range s.Runs.All() {
				ends[r.Current().Conclusion]++
			}
			for j := range s.Jobs.All() {
				longest = max(longest, strings.Count(j.Log(), "\n"))
			}
			assert.Greater(t, ends[model.Success], 30)
			assert.GreaterOrEqual(t, ends[model.Failure], 5)
			assert.Greater(t, longest, 2000)
			assert.Len(t, s.ReleasesOf(s.User("ilse-brandt").ID, repo), 5)
		})
		var saved bytes.Buffer
		require.NoError(t, made.Save(&saved))
		assert.Less(t, saved.Len(), 1<<20)
		assertTellsNothing(t, made.World)
	}
}

// assertTellsNothing looks for words that tell of a benchmark in all that a
// world has.
func assertTellsNothing(t *testing.T, w *sandbox.World) {
	t.Helper()
	w.Look(func(s *model.State) {
		for i := range s.Issues.All() {
			assert.NotRegexp(t, telltale, i.Title+i.Body)
		}
		for c := range s.Comments.All() {
			assert.NotRegexp(t, telltale, c.Body)
		}
		for c := range s.ReviewComments.All() {
			assert.NotRegexp(t, telltale, c.Body)
		}
		for j := range s.Jobs.All() {
			assert.Empty(t, telltale.FindString(j.Log()), j.Name)
		}
		for u := range s.Users.All() {
			assert.NotRegexp(t, telltale, u.Login+u.Name)
		}
		for r := range s.Repos.All() {
			head, _ := s.BranchHead(r, r.DefaultBranch)
			tree, err := r.Git.Tree(head, true)
			assert.NoError(t, err)
			for _, e := range tree {
				if text, err := r.Git.Blob(e.Hash); err == nil {
					assert.Empty(t, telltale.FindString(e.Path+string(text)), e.Path)
				}
			}
		}
	})
}

// Every variation can be built, has one pull request that conflicts, and is
// unlike the others.
func TestS15VariationsOfTheShippedWorld(t *testing.T) {
	seen := map[string]bool{}
	for n := range 8 {
		made := shipped(t, "parcelkit", bench.Variation{Seed: 3, Number: n})
		of := func(path string) string {
			value, err := made.Manifest.Lookup("resources." + path)
			require.NoError(t, err)
			return fmt.Sprint(value)
		}
		made.Look(func(s *model.State) {
			var conflicting []string
			for i := range s.Issues.All() {
				if i.Pull != nil && !i.Closed {
					if state, err := s.MergeState(i); err == nil && state == model.MergeDirty {
						conflicting = append(conflicting, fmt.Sprint(i.Number))
					}
				}
			}
			assert.Equal(t, []string{of("pr_conflicting.number")}, conflicting)
		})
		constants := strings.Join([]string{of("pr_failing.test"), of("pr_failing.line"), of("pr_failing.expected"), of("pr_failing.number"), of("pr_network.number"), of("pr_conflicting.number"), of("issue_original.number")}, " ")
		assert.False(t, seen[constants], constants)
		seen[constants] = true
	}
}

func BenchmarkShippedWorld(b *testing.B) {
	made := shipped(b, "parcelkit", bench.Variation{Seed: 1})
	b.Run("draw and build", func(b *testing.B) {
		for b.Loop() {
			shipped(b, "parcelkit", bench.Variation{Seed: 1})
		}
	})
	b.Run("clone", func(b *testing.B) {
		for b.Loop() {
			made.Clone()
		}
	})
}
