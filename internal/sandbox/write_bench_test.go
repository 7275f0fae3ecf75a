package sandbox_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// grown is a world with so many issues, each of which has labels, a comment, a
// reaction and a timeline, and with some pull requests.
func grown(t testing.TB, issues int) *sandboxtest.World {
	t.Helper()
	const pulls, each = 20, 100
	w := sandboxtest.New(t)
	for from := 0; from < issues; from += each {
		w.Change(func(s *model.State, repo *model.Repo) {
			if from == 0 {
				s.AddMilestone(repo, model.NewMilestone{Title: "m"})
			}
			for n := from; n < from+each; n++ {
				i, err := s.OpenIssue(repo.OwnerID, repo, model.NewIssue{
					Title: fmt.Sprintf("issue %d", n), Body: "a text", Labels: []string{"bug", fmt.Sprintf("area %d", n%10)}, Assignees: []string{"writer"}, Milestone: 1,
				})
				require.NoError(t, err)
				c, err := s.CreateComment(repo.OwnerID, repo, i, "a comment")
				require.NoError(t, err)
				_, _, err = s.React(repo.OwnerID, repo, c.ID, "heart")
				require.NoError(t, err)
			}
		})
	}
	for n := range pulls {
		propose(t, w, fmt.Sprintf("open-%d", n))
	}
	return w
}

// propose opens a pull request from a new branch, and returns its number.
func propose(t testing.TB, w *sandboxtest.World, branch string) (number int) {
	t.Helper()
	w.Change(func(s *model.State, repo *model.Repo) {
		main, _ := s.BranchHead(repo, "main")
		require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/"+branch, main))
		_, err := s.WriteFile(repo.OwnerID, repo, model.FileWrite{Path: branch + ".txt", Message: "add it", Content: []byte(branch), Branch: branch})
		require.NoError(t, err)
		i, err := s.OpenPull(repo.OwnerID, repo, model.NewPull{Title: branch, Body: fmt.Sprintf("closes #%d", s.LastID%50+1), Head: branch, Base: "main"})
		require.NoError(t, err)
		number = i.Number
	})
	return number
}

// writes are requests that write, each with what is needed for it; the nth has
// a number of its own.
var writes = []struct {
	name, method string
	request      func(t testing.TB, w *sandboxtest.World, n int) (path string, body any)
}{
	{"create an issue", http.MethodPost, func(_ testing.TB, _ *sandboxtest.World, n int) (string, any) {
		return "/issues", map[string]any{"title": fmt.Sprintf("new %d", n), "body": "text", "labels": []string{"bug"}, "assignees": []string{"writer"}}
	}},
	{"edit an issue", http.MethodPatch, func(_ testing.TB, _ *sandboxtest.World, n int) (string, any) {
		return fmt.Sprintf("/issues/%d", n%80+1), map[string]any{"title": fmt.Sprintf("edited %d", n), "state": []string{"open", "closed"}[n%2]}
	}},
	{"label", http.MethodPost, func(_ testing.TB, _ *sandboxtest.World, n int) (string, any) {
		return fmt.Sprintf("/issues/%d/labels", n%80+1), map[string]any{"labels": []string{fmt.Sprintf("area %d", n%10)}}
	}},
	{"comment", http.MethodPost, func(_ testing.TB, _ *sandboxtest.World, n int) (string, any) {
		return fmt.Sprintf("/issues/%d/comments", n%80+1), map[string]any{"body": "a comment"}
	}},
	{"merge", http.MethodPut, func(t testing.TB, w *sandboxtest.World, n int) (string, any) {
		return fmt.Sprintf("/pulls/%d/merge", propose(t, w, fmt.Sprintf("topic-%d", n))), map[string]any{"merge_method": "squash"}
	}},
}

// BenchmarkWrites reports the median of how long a request takes that writes,
// over HTTP on loopback, in worlds of three sizes.
func BenchmarkWrites(b *testing.B) {
	for _, size := range []int{100, 10_000, 100_000} {
		w := grown(b, size)
		owner := w.As("owner")
		count := 0
		for _, write := range writes {
			b.Run(fmt.Sprintf("%s/%d", write.name, size), func(b *testing.B) {
				var took []time.Duration
				for b.Loop() {
					b.StopTimer()
					path, body := write.request(b, w, count)
					count++
					b.StartTimer()
					began := time.Now()
					reply := owner.Do(write.method, sandboxtest.Path+path, body)
					took = append(took, time.Since(began))
					require.Less(b, reply.Status, http.StatusMultipleChoices, reply.Body)
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			})
		}
	}
}
