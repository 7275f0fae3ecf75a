package benchcli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target/live"
	"github.com/ghx-dev/bench-action/internal/github"
)

// remove removes what an agent has made, the last first. It tries everything.
// What is gone already is no error.
func (r *remote) remove(ctx context.Context, made []live.Made) error {
	var problems []error
	for _, m := range slices.Backward(made) {
		if err := r.removeOne(ctx, m); err != nil && !github.NotFound(err) {
			problems = append(problems, github.Explain(fmt.Sprintf("remove the %s that an agent has made", m.Kind), err))
		}
	}
	return errors.Join(problems...)
}

func (r *remote) removeOne(ctx context.Context, m live.Made) error {
	owner, name, _ := strings.Cut(r.repo, "/")
	rest, number := r.seeder.REST, int(m.Number)
	var err error
	switch m.Kind {
	case live.MadeIssue:
		return r.removeIssue(ctx, number)
	case live.MadePull:
		_, _, err = rest.Issues.Edit(ctx, owner, name, number, &gh.IssueRequest{State: gh.String("closed")})
	case live.MadeMilestone:
		_, err = rest.Issues.DeleteMilestone(ctx, owner, name, number)
	case live.MadeLabel:
		_, err = rest.Issues.DeleteLabel(ctx, owner, name, m.Name)
	case live.MadeRef:
		return r.removeRef(ctx, m.Name)
	case live.MadeRun:
		return r.removeRuns(ctx, m.Name)
	case live.MadeRelease:
		if _, err = rest.Repositories.DeleteRelease(ctx, owner, name, m.Number); err == nil && !slices.Contains(r.tags, m.Name) {
			return r.removeRef(ctx, "refs/tags/"+m.Name)
		}
	}
	return err
}

func (r *remote) removeRef(ctx context.Context, ref string) error {
	owner, name, _ := strings.Cut(r.repo, "/")
	_, err := r.seeder.REST.Git.DeleteRef(ctx, owner, name, ref)
	if github.StatusOf(err) == http.StatusUnprocessableEntity {
		// So GitHub answers about a ref that is not there.
		return nil
	}
	return err
}

// removeRuns deletes the runs of a workflow that were started by hand on the
// default branch and are called after the seeding. The seeder starts its own
// on other branches.
func (r *remote) removeRuns(ctx context.Context, workflow string) error {
	owner, name, _ := strings.Cut(r.repo, "/")
	request, err := r.seeder.REST.NewRequest(http.MethodGet,
		fmt.Sprintf("repos/%s/%s/actions/workflows/%s/runs?event=workflow_dispatch&per_page=%d", owner, name, url.PathEscape(workflow), github.PageSize), nil)
	if err != nil {
		return err
	}
	var runs gh.WorkflowRuns
	if _, err := r.seeder.REST.Do(ctx, request, &runs); err != nil {
		return err
	}
	for _, run := range runs.WorkflowRuns {
		if !strings.HasSuffix(run.GetDisplayTitle(), " "+r.seedID) || strings.HasPrefix(run.GetHeadBranch(), fixture.BranchPrefix) {
			continue
		}
		if run.GetStatus() != "completed" {
			// What has ended meanwhile cannot be cancelled.
			_, _ = r.seeder.REST.Actions.CancelWorkflowRunByID(ctx, owner, name, run.GetID())
		}
		if _, err := r.seeder.REST.Actions.DeleteWorkflowRun(ctx, owner, name, run.GetID()); err != nil && !github.NotFound(err) {
			return err
		}
	}
	return nil
}

const deleteIssue = `mutation($id: ID!) { deleteIssue(input: {issueId: $id}) { clientMutationId } }`

// removeIssue deletes an issue, or closes it where the account may not.
func (r *remote) removeIssue(ctx context.Context, number int) error {
	owner, name, _ := strings.Cut(r.repo, "/")
	issue, _, err := r.seeder.REST.Issues.Get(ctx, owner, name, number)
	if err != nil {
		return err
	}
	err = r.seeder.GraphQL(ctx, deleteIssue, map[string]any{"id": issue.GetNodeID()}, nil)
	if _, refused := errors.AsType[github.GraphQLErrors](err); refused {
		_, _, err = r.seeder.REST.Issues.Edit(ctx, owner, name, number, &gh.IssueRequest{State: gh.String("closed")})
	}
	return err
}

// noteTags notes the tags that there are, which stay.
func (r *remote) noteTags(ctx context.Context) error {
	owner, name, _ := strings.Cut(r.repo, "/")
	refs, _, err := r.seeder.REST.Git.ListMatchingRefs(ctx, owner, name, &gh.ReferenceListOptions{Ref: "tags/"})
	if err != nil {
		return github.Explain("list the tags of "+r.repo, err)
	}
	for _, ref := range refs {
		r.tags = append(r.tags, strings.TrimPrefix(ref.GetRef(), "refs/tags/"))
	}
	return nil
}
