package checkpoint

import (
	"context"
	"slices"
	"strings"
)

const pullQuery = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      id number title state url body isDraft merged mergedAt baseRefName headRefName headRefOid reviewDecision
      labels(first: 100) { nodes { name } }
      assignees(first: 100) { nodes { login } }
      reviewRequests(first: 100) { nodes { requestedReviewer { ... on User { login } } } }
      headRef { name }
      mergeCommit { oid parents(first: 2) { totalCount } }
    }
  }
}`

// pull is a pull request as GitHub describes it.
type pull struct {
	ID             string  `json:"id"`
	Number         int     `json:"number"`
	Title          string  `json:"title"`
	State          string  `json:"state"`
	URL            string  `json:"url"`
	Body           string  `json:"body"`
	IsDraft        bool    `json:"isDraft"`
	Merged         bool    `json:"merged"`
	MergedAt       *string `json:"mergedAt"`
	BaseRefName    string  `json:"baseRefName"`
	HeadRefName    string  `json:"headRefName"`
	HeadRefOid     string  `json:"headRefOid"`
	ReviewDecision *string `json:"reviewDecision"`
}

// pullAnswer is the answer of pr.view. The merge commit's fields are nil
// unless the pull request is merged.
type pullAnswer struct {
	pull
	Labels    []string `json:"labels"`
	Assignees []string `json:"assignees"`
	// RequestedReviewers are the users who are asked for a review, without
	// teams.
	RequestedReviewers []string `json:"requestedReviewers"`
	HeadRefExists      bool     `json:"headRefExists"`
	MergeCommitOid     *string  `json:"mergeCommitOid"`
	MergeCommitParents *int     `json:"mergeCommitParents"`
}

func pullView(ctx context.Context, r *GitHubReader, in input) (any, error) {
	vars, err := in.variables("prNumber")
	if err != nil {
		return nil, err
	}
	var reply struct {
		Repository struct {
			PullRequest struct {
				pull
				Labels         named
				Assignees      struct{ Nodes []struct{ Login string } }
				ReviewRequests struct {
					Nodes []struct{ RequestedReviewer actor }
				}
				HeadRef     *struct{ Name string }
				MergeCommit *struct {
					Oid     string
					Parents struct{ TotalCount int }
				}
			}
		}
	}
	if err := r.client.GraphQL(ctx, pullQuery, vars, &reply); err != nil {
		return nil, err
	}
	pr := reply.Repository.PullRequest
	answer := pullAnswer{
		pull: pr.pull, Labels: pr.Labels.names(), Assignees: []string{}, RequestedReviewers: []string{}, HeadRefExists: pr.HeadRef != nil,
	}
	for _, a := range pr.Assignees.Nodes {
		answer.Assignees = append(answer.Assignees, a.Login)
	}
	for _, r := range pr.ReviewRequests.Nodes {
		if r.RequestedReviewer != nil && r.RequestedReviewer.Login != "" {
			answer.RequestedReviewers = append(answer.RequestedReviewers, r.RequestedReviewer.Login)
		}
	}
	if c := pr.MergeCommit; c != nil {
		answer.MergeCommitOid, answer.MergeCommitParents = &c.Oid, &c.Parents.TotalCount
	}
	return answer, nil
}

const pullsQuery = `query($owner: String!, $name: String!, $first: Int!, $after: String, $states: [PullRequestState!]) {
  repository(owner: $owner, name: $name) {
    pullRequests(first: $first, after: $after, states: $states, orderBy: {field: CREATED_AT, direction: DESC}) {
      nodes { id number title state url body isDraft baseRefName headRefName }
      pageInfo { hasNextPage endCursor }
    }
  }
}`

// listedPull is a pull request in a list.
type listedPull struct {
	brief
	Body        string `json:"body"`
	IsDraft     bool   `json:"isDraft"`
	BaseRefName string `json:"baseRefName"`
	HeadRefName string `json:"headRefName"`
}

// brief is an issue or pull request in a list.
type brief struct {
	ID     string `json:"id"`
	Number int    `json:"number"`
	Title  string `json:"title"`
	State  string `json:"state"`
	URL    string `json:"url"`
}

func same[T any](v T) T { return v }

func pullList(ctx context.Context, r *GitHubReader, in input) (any, error) {
	vars, err := in.listVariables("")
	if err != nil {
		return nil, err
	}
	vars["states"] = states(in, "OPEN", "CLOSED", "MERGED")
	var reply struct {
		Repository struct{ PullRequests nodes[listedPull] }
	}
	if err := r.client.GraphQL(ctx, pullsQuery, vars, &reply); err != nil {
		return nil, err
	}
	return listed(reply.Repository.PullRequests, same), nil
}

// states returns the states that an input's state asks for: open ones without
// it, all of them for "all".
func states(in input, all ...string) []string {
	switch state := strings.ToUpper(in.text("state")); state {
	case "":
		return all[:1]
	case "ALL":
		return all
	default:
		return []string{state}
	}
}

const reviewsQuery = `query($owner: String!, $name: String!, $number: Int!, $first: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviews(first: $first, after: $after) {
        nodes { id author { login } body state submittedAt url commit { oid } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`

type reviewNode struct {
	ID, Body, State, URL string
	Author               actor
	SubmittedAt          *string
	Commit               *struct{ Oid string }
}

type reviewAnswer struct {
	ID          string  `json:"id"`
	AuthorLogin *string `json:"authorLogin"`
	Body        string  `json:"body"`
	State       string  `json:"state"`
	SubmittedAt *string `json:"submittedAt"`
	URL         string  `json:"url"`
	CommitOid   *string `json:"commitOid"`
}

func pullReviews(ctx context.Context, r *GitHubReader, in input) (any, error) {
	vars, err := in.listVariables("prNumber")
	if err != nil {
		return nil, err
	}
	var reply struct {
		Repository struct {
			PullRequest struct{ Reviews nodes[reviewNode] }
		}
	}
	if err := r.client.GraphQL(ctx, reviewsQuery, vars, &reply); err != nil {
		return nil, err
	}
	return listed(reply.Repository.PullRequest.Reviews, func(n reviewNode) reviewAnswer {
		answer := reviewAnswer{
			ID: n.ID, AuthorLogin: login(n.Author), Body: n.Body, State: n.State, SubmittedAt: n.SubmittedAt, URL: n.URL,
		}
		if n.Commit != nil {
			answer.CommitOid = &n.Commit.Oid
		}
		return answer
	}), nil
}

const threadsQuery = `query($owner: String!, $name: String!, $number: Int!, $first: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: $first, after: $after) {
        nodes {
          id path line isResolved isOutdated resolvedBy { login }
          comments(first: 100) { nodes { id author { login } body createdAt url } }
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`

type threadNode struct {
	ID                     string
	Path                   *string
	Line                   *int
	IsResolved, IsOutdated bool
	ResolvedBy             actor
	Comments               struct{ Nodes []commentNode }
}

type commentNode struct {
	ID, Body, CreatedAt, URL string
	Author                   actor
}

type threadAnswer struct {
	ID              string          `json:"id"`
	Path            *string         `json:"path"`
	Line            *int            `json:"line"`
	IsResolved      bool            `json:"isResolved"`
	IsOutdated      bool            `json:"isOutdated"`
	ResolvedByLogin *string         `json:"resolvedByLogin"`
	Comments        []commentAnswer `json:"comments"`
}

type commentAnswer struct {
	ID          string  `json:"id"`
	AuthorLogin *string `json:"authorLogin"`
	Body        string  `json:"body"`
	CreatedAt   string  `json:"createdAt"`
	URL         string  `json:"url"`
}

func (n commentNode) answer() commentAnswer {
	return commentAnswer{ID: n.ID, AuthorLogin: login(n.Author), Body: n.Body, CreatedAt: n.CreatedAt, URL: n.URL}
}

// pullThreads leaves out resolved threads unless unresolvedOnly is false, and
// outdated ones unless includeOutdated is true, as ghx does.
func pullThreads(ctx context.Context, r *GitHubReader, in input) (any, error) {
	vars, err := in.listVariables("prNumber")
	if err != nil {
		return nil, err
	}
	var reply struct {
		Repository struct {
			PullRequest struct{ ReviewThreads nodes[threadNode] }
		}
	}
	if err := r.client.GraphQL(ctx, threadsQuery, vars, &reply); err != nil {
		return nil, err
	}
	threads := reply.Repository.PullRequest.ReviewThreads
	threads.Nodes = slices.DeleteFunc(threads.Nodes, func(n threadNode) bool {
		return n.IsResolved && in.flag("unresolvedOnly", true) || n.IsOutdated && !in.flag("includeOutdated", false)
	})
	return listed(threads, func(n threadNode) threadAnswer {
		answer := threadAnswer{
			ID: n.ID, Path: n.Path, Line: n.Line, IsResolved: n.IsResolved, IsOutdated: n.IsOutdated,
			ResolvedByLogin: login(n.ResolvedBy), Comments: []commentAnswer{},
		}
		for _, c := range n.Comments.Nodes {
			answer.Comments = append(answer.Comments, c.answer())
		}
		return answer
	}), nil
}
