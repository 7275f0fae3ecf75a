package checkpoint

import (
	"context"
	"slices"
)

const repoQuery = `query($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) {
    id name nameWithOwner isPrivate stargazerCount forkCount url defaultBranchRef { name }
  }
}`

type repoAnswer struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	NameWithOwner  string `json:"nameWithOwner"`
	IsPrivate      bool   `json:"isPrivate"`
	StargazerCount int    `json:"stargazerCount"`
	ForkCount      int    `json:"forkCount"`
	URL            string `json:"url"`
	// DefaultBranch is nil in an empty repository.
	DefaultBranch *string `json:"defaultBranch"`
}

func repoView(ctx context.Context, r *GitHubReader, in input) (any, error) {
	vars, err := in.variables("")
	if err != nil {
		return nil, err
	}
	var reply struct {
		Repository struct {
			repoAnswer
			DefaultBranchRef *struct{ Name string }
		}
	}
	if err := r.client.GraphQL(ctx, repoQuery, vars, &reply); err != nil {
		return nil, err
	}
	answer := reply.Repository.repoAnswer
	if ref := reply.Repository.DefaultBranchRef; ref != nil {
		answer.DefaultBranch = &ref.Name
	}
	return answer, nil
}

const issueQuery = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issue(number: $number) {
      id number title state stateReason url body
      labels(first: 100) { nodes { name } }
      assignees(first: 100) { nodes { login } }
      milestone { number }
    }
  }
}`

type issueAnswer struct {
	brief
	StateReason *string `json:"stateReason"`
	Body        string  `json:"body"`
	// Labels and Assignees are sorted.
	Labels    []string `json:"labels"`
	Assignees []string `json:"assignees"`
	// MilestoneNumber is nil without a milestone.
	MilestoneNumber *int `json:"milestoneNumber"`
}

func issueView(ctx context.Context, r *GitHubReader, in input) (any, error) {
	vars, err := in.variables("issueNumber")
	if err != nil {
		return nil, err
	}
	var reply struct {
		Repository struct {
			Issue struct {
				brief
				StateReason *string
				Body        string
				Labels      named
				Assignees   struct{ Nodes []struct{ Login string } }
				Milestone   *struct{ Number int }
			}
		}
	}
	if err := r.client.GraphQL(ctx, issueQuery, vars, &reply); err != nil {
		return nil, err
	}
	i := reply.Repository.Issue
	answer := issueAnswer{brief: i.brief, StateReason: i.StateReason, Body: i.Body, Labels: i.Labels.names(), Assignees: []string{}}
	for _, a := range i.Assignees.Nodes {
		answer.Assignees = append(answer.Assignees, a.Login)
	}
	slices.Sort(answer.Labels)
	slices.Sort(answer.Assignees)
	if i.Milestone != nil {
		answer.MilestoneNumber = &i.Milestone.Number
	}
	return answer, nil
}

const issuesQuery = `query($owner: String!, $name: String!, $first: Int!, $after: String, $states: [IssueState!]) {
  repository(owner: $owner, name: $name) {
    issues(first: $first, after: $after, states: $states, orderBy: {field: CREATED_AT, direction: DESC}) {
      nodes { id number title state url body }
      pageInfo { hasNextPage endCursor }
    }
  }
}`

// issueItem is an issue in a list.
type issueItem struct {
	brief
	Body string `json:"body"`
}

func issueList(ctx context.Context, r *GitHubReader, in input) (any, error) {
	vars, err := in.listVariables("")
	if err != nil {
		return nil, err
	}
	vars["states"] = states(in, "OPEN", "CLOSED")
	var reply struct {
		Repository struct{ Issues nodes[issueItem] }
	}
	if err := r.client.GraphQL(ctx, issuesQuery, vars, &reply); err != nil {
		return nil, err
	}
	return listed(reply.Repository.Issues, same), nil
}

const issueCommentsQuery = `query($owner: String!, $name: String!, $number: Int!, $first: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) {
      ... on Issue { comments(first: $first, after: $after) { ...page } }
      ... on PullRequest { comments(first: $first, after: $after) { ...page } }
    }
  }
}
fragment page on IssueCommentConnection {
  nodes { id author { login } body createdAt url }
  pageInfo { hasNextPage endCursor }
}`

// issueComments reads the comments of an issue or of a pull request.
func issueComments(ctx context.Context, r *GitHubReader, in input) (any, error) {
	vars, err := in.listVariables("issueNumber")
	if err != nil {
		return nil, err
	}
	var reply struct {
		Repository struct {
			IssueOrPullRequest struct{ Comments nodes[commentNode] }
		}
	}
	if err := r.client.GraphQL(ctx, issueCommentsQuery, vars, &reply); err != nil {
		return nil, err
	}
	return listed(reply.Repository.IssueOrPullRequest.Comments, commentNode.answer), nil
}
