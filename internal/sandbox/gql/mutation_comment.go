package gql

import (
	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func commentMutations() map[string]mutator {
	return map[string]mutator{
		"updateIssueComment": change("id", "issueComment", typed[*model.Comment], func(q *query, c *model.Comment, in graphql.Args) error {
			return q.s.EditComment(q.actor, c, in.String("body"))
		}),
	}
}
