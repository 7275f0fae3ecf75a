package checkpoint

import "context"

const relationsQuery = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issue(number: $number) {
      id number
      parent { id number }
      subIssues(first: 100) { nodes { id number } }
      blockedBy(first: 50) { nodes { id number } }
    }
  }
}`

// relative is an issue that another one has to do with.
type relative struct {
	ID     string `json:"id"`
	Number int    `json:"number"`
}

// relationsAnswer is the answer of issue.relations.view.
type relationsAnswer struct {
	Issue relative `json:"issue"`
	// Parent is nil without one.
	Parent    *relative  `json:"parent"`
	Children  []relative `json:"children"`
	BlockedBy []relative `json:"blockedBy"`
}

// issueRelations reads what an issue is under, has under it and waits for.
func issueRelations(ctx context.Context, r *GitHubReader, in input) (any, error) {
	vars, err := in.variables("issueNumber")
	if err != nil {
		return nil, err
	}
	var reply struct {
		Repository struct {
			Issue struct {
				relative
				Parent               *relative
				SubIssues, BlockedBy nodes[relative]
			}
		}
	}
	if err := r.client.GraphQL(ctx, relationsQuery, vars, &reply); err != nil {
		return nil, err
	}
	i := reply.Repository.Issue
	return relationsAnswer{
		Issue: i.relative, Parent: i.Parent,
		Children: listed(i.SubIssues, same).Items, BlockedBy: listed(i.BlockedBy, same).Items,
	}, nil
}
