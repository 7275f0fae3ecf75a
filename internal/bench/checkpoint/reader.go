package checkpoint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// GitHubReader reads GitHub's state through its APIs. Its answers have the
// fields of ghx's capabilities of the same name, and some more.
type GitHubReader struct{ client *github.Client }

// NewGitHubReader returns a reader that asks as the client's account.
func NewGitHubReader(client *github.Client) *GitHubReader { return &GitHubReader{client} }

// read is one of the reader's tasks.
type read func(ctx context.Context, r *GitHubReader, in input) (any, error)

func reads() map[string]read {
	return map[string]read{
		"repo.view":             repoView,
		"issue.view":            issueView,
		"issue.list":            issueList,
		"issue.comments.list":   issueComments,
		"issue.relations.view":  issueRelations,
		"pr.view":               pullView,
		"pr.list":               pullList,
		"pr.merge.status":       pullMergeStatus,
		"pr.checks.list":        pullChecks,
		"pr.reviews.list":       pullReviews,
		"pr.threads.list":       pullThreads,
		"project_v2.items.list": projectItems,
		"release.view":          releaseView,
		"release.list":          releaseList,
		"workflow.run.view":     runView,

		"workflow.job.logs.raw":       jobLog,
		"workflow.job.logs.view":      jobSummary,
		"workflow.list":               workflowList,
		"workflow.run.artifacts.list": runArtifacts,
		"workflow.runs.list":          workflowRuns,
		"workflow.view":               workflowView,
	}
}

// Tasks returns the names of the reads that there are, sorted.
func Tasks() []string {
	var names []string
	for name := range reads() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Read answers a read. What does not exist is nil. The error is of kind
// invalid for a task that there is not and for a wrong input, of kind
// infrastructure where GitHub refused.
func (r *GitHubReader) Read(ctx context.Context, read bench.Read) (any, error) {
	task, in := read.Task, read.Input
	ask, known := reads()[task]
	if !known {
		return nil, fault.Invalidf("verification task %q is unknown: use one of %s", task, strings.Join(Tasks(), ", "))
	}
	answer, err := ask(ctx, r, in)
	switch {
	case github.NotFound(err):
		return nil, nil
	case err != nil:
		return nil, fault.Wrap(fault.Infrastructure, fmt.Errorf("read %s: %w", task, err))
	default:
		return answer, nil
	}
}

// input is a verification input.
type input map[string]any

// number returns a whole number of the input.
func (in input) number(name string) (int64, error) {
	switch n := in[name].(type) {
	case int:
		return int64(n), nil
	case int64:
		return n, nil
	case float64:
		if n == float64(int64(n)) {
			return int64(n), nil
		}
	}
	return 0, fault.Invalidf("verification input %q is %v, want a whole number", name, in[name])
}

func (in input) text(name string) string {
	text, _ := in[name].(string)
	return text
}

func (in input) flag(name string, otherwise bool) bool {
	if flag, given := in[name].(bool); given {
		return flag
	}
	return otherwise
}

// defaultPage is how many items a list has if the input does not say.
const defaultPage = 30

// largestPage is how many items GitHub returns at most at a time.
const largestPage = 100

// variables returns the GraphQL variables of the input: owner and name always,
// the number under "number" if its name is not empty, and the size of lists.
func (in input) variables(number string) (map[string]any, error) {
	vars := map[string]any{"owner": in.text("owner"), "name": in.text("name")}
	if number != "" {
		n, err := in.number(number)
		if err != nil {
			return nil, err
		}
		vars["number"] = n
	}
	return vars, nil
}

// listVariables adds the page of a list to [input.variables].
func (in input) listVariables(number string) (map[string]any, error) {
	vars, err := in.variables(number)
	if err != nil {
		return nil, err
	}
	vars["first"] = int64(defaultPage)
	if in["first"] != nil {
		if vars["first"], err = in.number("first"); err != nil {
			return nil, err
		}
	}
	if after := in.text("after"); after != "" {
		vars["after"] = after
	}
	return vars, nil
}

// pageInfo is where a page of a list ends.
type pageInfo struct {
	HasNextPage bool    `json:"hasNextPage"`
	EndCursor   *string `json:"endCursor"`
}

// list is the answer of a list capability.
type list[T any] struct {
	Items    []T      `json:"items"`
	PageInfo pageInfo `json:"pageInfo"`
}

// nodes is a connection in GitHub's reply.
type nodes[T any] struct {
	Nodes    []T
	PageInfo pageInfo
}

func listed[N, T any](from nodes[N], show func(N) T) list[T] {
	out := list[T]{Items: make([]T, 0, len(from.Nodes)), PageInfo: from.PageInfo}
	for _, n := range from.Nodes {
		out.Items = append(out.Items, show(n))
	}
	return out
}

// actor is who did something; nil for accounts that are gone.
type actor *struct{ Login string }

func login(a actor) *string {
	if a == nil {
		return nil
	}
	return &a.Login
}

// named are labels, or other things with a name.
type named struct{ Nodes []struct{ Name string } }

func (n named) names() []string {
	names := make([]string, 0, len(n.Nodes))
	for _, one := range n.Nodes {
		names = append(names, one.Name)
	}
	return names
}
