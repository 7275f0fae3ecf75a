package checkpoint

import "context"

const mergeStatusQuery = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      mergeable mergeStateStatus reviewDecision isDraft state changedFiles baseRef { name } headRef { name }
    }
  }
}`

const comparisonQuery = `query($owner: String!, $name: String!, $number: Int!, $head: String!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { baseRef { compare(headRef: $head) { aheadBy behindBy } } }
  }
}`

// mergeStatus is whether a pull request can be merged.
type mergeStatus struct {
	Mergeable        *string `json:"mergeable"`
	MergeStateStatus *string `json:"mergeStateStatus"`
	ReviewDecision   *string `json:"reviewDecision"`
	IsDraft          bool    `json:"isDraft"`
	State            string  `json:"state"`
	ChangedFiles     int     `json:"changedFiles"`
}

// mergeStatusAnswer is the answer of pr.merge.status. How many commits the head
// is ahead of and behind the base is nil once one of the branches is gone.
type mergeStatusAnswer struct {
	mergeStatus
	AheadBy  *int `json:"aheadBy"`
	BehindBy *int `json:"behindBy"`
}

type refName *struct{ Name string }

func pullMergeStatus(ctx context.Context, r *GitHubReader, in input) (any, error) {
	vars, err := in.variables("prNumber")
	if err != nil {
		return nil, err
	}
	var status struct {
		Repository struct {
			PullRequest struct {
				mergeStatus
				BaseRef, HeadRef refName
			}
		}
	}
	if err := r.client.GraphQL(ctx, mergeStatusQuery, vars, &status); err != nil {
		return nil, err
	}
	pr := status.Repository.PullRequest
	answer := mergeStatusAnswer{mergeStatus: pr.mergeStatus}
	if pr.BaseRef == nil || pr.HeadRef == nil {
		return answer, nil
	}
	vars["head"] = pr.HeadRef.Name
	var comparison struct {
		Repository struct {
			PullRequest struct {
				BaseRef struct {
					Compare struct{ AheadBy, BehindBy int }
				}
			}
		}
	}
	if err := r.client.GraphQL(ctx, comparisonQuery, vars, &comparison); err != nil {
		return nil, err
	}
	compared := comparison.Repository.PullRequest.BaseRef.Compare
	answer.AheadBy, answer.BehindBy = &compared.AheadBy, &compared.BehindBy
	return answer, nil
}
