package gql

import (
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// autoMergeOf resolves how a pull request is to be merged by itself.
func autoMergeOf(_ *query, i *model.Issue) any {
	if i.Pull.AutoMerge == nil {
		return nil
	}
	return autoMerge{i}
}

// autoMerge is a pull request that is to be merged by itself.
type autoMerge struct{ pull *model.Issue }

func autoMergeFields() map[string]graphql.Resolver {
	of := func(get func(*model.AutoMerge) any) graphql.Resolver {
		return prop(func(_ *query, a autoMerge) any { return get(a.pull.Pull.AutoMerge) })
	}
	return map[string]graphql.Resolver{
		"AutoMergeRequest.authorEmail":    constant(nil),
		"AutoMergeRequest.commitBody":     of(func(a *model.AutoMerge) any { return orNil(a.Merge.Message) }),
		"AutoMergeRequest.commitHeadline": of(func(a *model.AutoMerge) any { return orNil(a.Merge.Title) }),
		"AutoMergeRequest.enabledAt":      of(func(a *model.AutoMerge) any { return a.EnabledAt }),
		"AutoMergeRequest.enabledBy":      prop(func(q *query, a autoMerge) any { return present(q.s.Users.Get(a.pull.Pull.AutoMerge.ByID)) }),
		"AutoMergeRequest.mergeMethod":    of(func(a *model.AutoMerge) any { return strings.ToUpper(string(a.Merge.Method)) }),
		"AutoMergeRequest.pullRequest":    prop(func(_ *query, a autoMerge) any { return a.pull }),
	}
}
