package checkpoint

import (
	"context"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

const pageSize = 100

// runAnswer is the answer of workflow.run.view: a run as of its current
// attempt.
type runAnswer struct {
	ID           int64       `json:"id"`
	WorkflowName *string     `json:"workflowName"`
	Status       *string     `json:"status"`
	Conclusion   *string     `json:"conclusion"`
	HeadBranch   *string     `json:"headBranch"`
	HeadSHA      *string     `json:"headSha"`
	Event        *string     `json:"event"`
	URL          *string     `json:"url"`
	Attempt      int         `json:"attempt"`
	Jobs         []jobAnswer `json:"jobs"`
}

type jobAnswer struct {
	ID         int64   `json:"id"`
	Name       *string `json:"name"`
	Status     *string `json:"status"`
	Conclusion *string `json:"conclusion"`
	URL        *string `json:"url"`
	// Attempt is the attempt of the run that ran this job.
	Attempt int64 `json:"attempt"`
}

func runView(ctx context.Context, r *GitHubReader, in input) (any, error) {
	id, err := in.number("runId")
	if err != nil {
		return nil, err
	}
	owner, name := in.text("owner"), in.text("name")
	run, _, err := r.client.REST.Actions.GetWorkflowRunByID(ctx, owner, name, id)
	if err != nil {
		return nil, err
	}
	answer := runAnswer{
		ID: run.GetID(), WorkflowName: run.Name, Status: run.Status, Conclusion: run.Conclusion,
		HeadBranch: run.HeadBranch, HeadSHA: run.HeadSHA, Event: run.Event, URL: run.HTMLURL,
		Attempt: run.GetRunAttempt(), Jobs: []jobAnswer{},
	}
	opts := &gh.ListWorkflowJobsOptions{Filter: "latest", ListOptions: gh.ListOptions{PerPage: pageSize}}
	for {
		jobs, response, err := r.client.REST.Actions.ListWorkflowJobs(ctx, owner, name, id, opts)
		if err != nil {
			return nil, err
		}
		for _, j := range jobs.Jobs {
			answer.Jobs = append(answer.Jobs, jobAnswer{
				ID: j.GetID(), Name: j.Name, Status: j.Status, Conclusion: j.Conclusion, URL: j.HTMLURL, Attempt: j.GetRunAttempt(),
			})
		}
		if response.NextPage == 0 {
			return answer, nil
		}
		opts.Page = response.NextPage
	}
}

const checksQuery = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      statusCheckRollup {
        contexts(first: 100) {
          nodes {
            ... on CheckRun { name status conclusion detailsUrl checkSuite { workflowRun { workflow { name } } } }
          }
        }
      }
    }
  }
}`

type checkNode struct {
	Name, Status, Conclusion, DetailsURL string
	CheckSuite                           struct {
		WorkflowRun *struct{ Workflow struct{ Name string } }
	}
}

type checkAnswer struct {
	Name     string  `json:"name"`
	State    string  `json:"state"`
	Workflow *string `json:"workflow"`
	Link     string  `json:"link"`
}

type checkSummary struct {
	Total   int `json:"total"`
	Failed  int `json:"failed"`
	Pending int `json:"pending"`
	Passed  int `json:"passed"`
}

type checksAnswer struct {
	Items   []checkAnswer `json:"items"`
	Summary checkSummary  `json:"summary"`
}

// pullChecks lists the checks of a pull request's head; an input "state" of
// failed, pending or passed leaves out the others.
func pullChecks(ctx context.Context, r *GitHubReader, in input) (any, error) {
	vars, err := in.variables("prNumber")
	if err != nil {
		return nil, err
	}
	var reply struct {
		Repository struct {
			PullRequest struct {
				StatusCheckRollup *struct{ Contexts struct{ Nodes []checkNode } }
			}
		}
	}
	if err := r.client.GraphQL(ctx, checksQuery, vars, &reply); err != nil {
		return nil, err
	}
	answer := checksAnswer{Items: []checkAnswer{}}
	rollup := reply.Repository.PullRequest.StatusCheckRollup
	if rollup == nil {
		return answer, nil
	}
	for _, n := range rollup.Contexts.Nodes {
		state := answer.Summary.count(n)
		if want := in.text("state"); want != "" && want != state {
			continue
		}
		item := checkAnswer{Name: n.Name, State: n.state(), Link: n.DetailsURL}
		if run := n.CheckSuite.WorkflowRun; run != nil {
			item.Workflow = &run.Workflow.Name
		}
		answer.Items = append(answer.Items, item)
	}
	return answer, nil
}

func (n checkNode) state() string {
	if n.Conclusion != "" {
		return n.Conclusion
	}
	return n.Status
}

// count adds a check to the summary and returns which count it went into.
func (s *checkSummary) count(n checkNode) string {
	s.Total++
	switch strings.ToLower(n.Conclusion) {
	case "":
		s.Pending++
		return "pending"
	case "success", "neutral", "skipped":
		s.Passed++
		return "passed"
	default:
		s.Failed++
		return "failed"
	}
}
