package gql

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// rollup is the checks of a commit.
type rollup struct {
	repo *model.Repo
	sha  string
	model.Rollup
}

// rollup returns a commit's checks, nil if it has none.
func (q *query) rollup(r *model.Repo, sha string) any {
	checks := q.s.Rollup(r, sha)
	if checks.Total() == 0 {
		return nil
	}
	return rollup{r, sha, checks}
}

// contexts is a page of a commit's checks and statuses, with all of them.
type contexts struct {
	graphql.Page[any]
	all model.Rollup
}

func contextsOf(r model.Rollup, args graphql.Args) (any, error) {
	var each []any
	for _, c := range r.Runs {
		each = append(each, c)
	}
	for _, c := range r.Statuses {
		each = append(each, c)
	}
	page, err := graphql.Paginate(each, args)
	return contexts{page, r}, err
}

// stateCount is how many checks are in a state.
type stateCount struct {
	state string
	count int
}

// upper writes a status or conclusion as GraphQL does; empty is null.
func upper[T ~string](value T) any { return orNil(strings.ToUpper(string(value))) }

// checkFields resolves checks and what a commit's come to.
func checkFields() map[string]graphql.Resolver {
	of := func(get func(*model.CheckRun) any) graphql.Resolver {
		return prop(func(_ *query, c *model.CheckRun) any { return get(c) })
	}
	return map[string]graphql.Resolver{
		"Commit.statusCheckRollup": prop(func(q *query, c commit) any { return q.rollup(c.repo, c.Hash.String()) }),
		"StatusCheckRollup.id":     prop(func(_ *query, r rollup) any { return named("SCR", r.repo.ID, r.sha) }),
		"StatusCheckRollup.commit": prop(func(_ *query, r rollup) any { return commitOf(r.repo, r.sha) }),
		"StatusCheckRollup.state":  prop(func(_ *query, r rollup) any { return rollupState(r.State()) }),
		"StatusCheckRollup.contexts": field(func(_ *query, r rollup, args graphql.Args) (any, error) {
			return contextsOf(r.Rollup, args)
		}),
		"StatusCheckRollupContextConnection.checkRunCount": prop(func(_ *query, c contexts) any { return len(c.all.Runs) }),
		"StatusCheckRollupContextConnection.checkRunCountsByState": prop(func(_ *query, c contexts) any {
			return countByState(c.all.Runs, stateOfCheck)
		}),
		"StatusCheckRollupContextConnection.statusContextCount": prop(func(_ *query, c contexts) any { return len(c.all.Statuses) }),
		"StatusCheckRollupContextConnection.statusContextCountsByState": prop(func(_ *query, c contexts) any {
			return countByState(c.all.Statuses, stateOfStatus)
		}),
		"CheckRunStateCount.count":           prop(func(_ *query, s stateCount) any { return s.count }),
		"CheckRunStateCount.state":           prop(func(_ *query, s stateCount) any { return s.state }),
		"CheckRun.name":                      of(func(c *model.CheckRun) any { return c.Name }),
		"CheckRun.status":                    of(func(c *model.CheckRun) any { return upper(c.Status) }),
		"CheckRun.conclusion":                of(func(c *model.CheckRun) any { return upper(c.Conclusion) }),
		"CheckRun.startedAt":                 of(func(c *model.CheckRun) any { return c.StartedAt }),
		"CheckRun.completedAt":               of(func(c *model.CheckRun) any { return c.CompletedAt }),
		"CheckRun.detailsUrl":                of(func(c *model.CheckRun) any { return orNil(c.DetailsURL) }),
		"CheckRun.externalId":                of(func(c *model.CheckRun) any { return orNil(c.ExternalID) }),
		"CheckRun.title":                     of(func(c *model.CheckRun) any { return orNil(c.Output.Title) }),
		"CheckRun.summary":                   of(func(c *model.CheckRun) any { return orNil(c.Output.Summary) }),
		"CheckRun.text":                      of(func(c *model.CheckRun) any { return orNil(c.Output.Text) }),
		"CheckRun.checkSuite":                prop(func(q *query, c *model.CheckRun) any { return q.s.CheckSuites.Get(c.SuiteID) }),
		"RequirableByPullRequest.isRequired": field(isRequired),
	}
}

func rollupState(c model.Conclusion) string {
	if c == "" {
		return "PENDING"
	}
	return strings.ToUpper(string(c))
}

func stateOfCheck(c *model.CheckRun) string {
	if c.Status == model.Completed {
		return strings.ToUpper(string(c.Conclusion))
	}
	return strings.ToUpper(string(c.Status))
}

func countByState[T any](all []T, stateOf func(T) string) []stateCount {
	var counts []stateCount
	for _, c := range all {
		state := stateOf(c)
		at := slices.IndexFunc(counts, func(s stateCount) bool { return s.state == state })
		if at < 0 {
			at = len(counts)
			counts = append(counts, stateCount{state: state})
		}
		counts[at].count++
	}
	return counts
}

// isRequired reports whether a pull request needs a check or status to pass.
func isRequired(q *query, obj any, args graphql.Args) (any, error) {
	name, app := "", model.ID(0)
	switch c := obj.(type) {
	case *model.CheckRun:
		name, app = c.Name, c.AppID
	case *model.CommitStatus:
		name = c.Context
	}
	repo := q.s.Repos.Get(q.facts(obj).repo)
	i := q.s.Pull(repo, args.Int("pullRequestNumber"))
	if args.Has("pullRequestId") {
		var err error
		if i, err = pullByID(q, args.String("pullRequestId")); err != nil {
			return nil, err
		}
	}
	return i != nil && i.RepoID == repo.ID && q.s.Requires(i, name, app), nil
}

// actionsFields resolves check suites, workflows and their runs.
func actionsFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"CheckSuite.status":     prop(func(q *query, c *model.CheckSuite) any { return q.suite(c).status }),
		"CheckSuite.conclusion": prop(func(q *query, c *model.CheckSuite) any { return q.suite(c).conclusion }),
		"CheckSuite.app":        prop(func(q *query, c *model.CheckSuite) any { return present(q.s.Apps.Get(c.AppID)) }),
		"CheckSuite.branch": prop(func(q *query, c *model.CheckSuite) any {
			return refNamed(q.s.Repos.Get(c.RepoID), headsPrefix+c.HeadBranch)
		}),
		"CheckSuite.commit":      prop(func(q *query, c *model.CheckSuite) any { return commitOf(q.s.Repos.Get(c.RepoID), c.HeadSHA) }),
		"CheckSuite.workflowRun": prop(func(q *query, c *model.CheckSuite) any { return present(q.runOf(c)) }),
		"App.name":               prop(func(_ *query, a *model.App) any { return a.Name }),
		"App.slug":               prop(func(_ *query, a *model.App) any { return a.Slug }),
		"WorkflowRun.runNumber":  prop(func(_ *query, r *model.Run) any { return r.Number }),
		"WorkflowRun.event":      prop(func(_ *query, r *model.Run) any { return r.Event }),
		"WorkflowRun.workflow":   prop(func(q *query, r *model.Run) any { return q.s.Workflows.Get(r.WorkflowID) }),
		"WorkflowRun.checkSuite": prop(func(q *query, r *model.Run) any { return q.s.CheckSuites.Get(r.SuiteID) }),
		"Workflow.name":          prop(func(_ *query, w *model.Workflow) any { return w.Name }),
		"Workflow.state": prop(func(_ *query, w *model.Workflow) any {
			if w.Disabled {
				return "DISABLED_MANUALLY"
			}
			return "ACTIVE"
		}),
	}
}

// runOf returns the workflow run of a check suite, nil if it has none.
func (q *query) runOf(c *model.CheckSuite) *model.Run {
	return q.s.ActionsRun(c)
}

// suiteState is a check suite's status and conclusion; a nil conclusion means
// that there is none yet.
type suiteState struct{ status, conclusion any }

// suite returns the state of a check suite: that of its workflow run, or of
// its check runs together.
func (q *query) suite(c *model.CheckSuite) suiteState {
	if r := q.runOf(c); r != nil {
		return suiteState{upper(r.Current().Status), upper(r.Current().Conclusion)}
	}
	checks := model.Rollup{Runs: q.s.ChecksOf(c)}
	if state := checks.State(); state != "" {
		return suiteState{upper(model.Completed), upper(state)}
	}
	return suiteState{status: upper(model.Queued)}
}
