package ghevent

import (
	"context"
	"slices"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/github"
)

// AskPull asks GitHub for a pull request: an event tells what it was.
func AskPull(ctx context.Context, client *github.Client, repo Repo, number int) (Pull, error) {
	p, _, err := client.REST.PullRequests.Get(ctx, repo.Owner, repo.Name, number)
	if err != nil {
		return Pull{}, github.Explain("read the pull request", err)
	}
	return pullOf(repo, p), nil
}

// AskPullsFrom asks GitHub for the open pull requests from a branch of a repository,
// this one or a fork, into a repository.
func AskPullsFrom(ctx context.Context, client *github.Client, repo Repo, owner, branch string) ([]Pull, error) {
	var pulls []Pull
	all := github.Pages(func(page gh.ListOptions) ([]*gh.PullRequest, *gh.Response, error) {
		return client.REST.PullRequests.List(ctx, repo.Owner, repo.Name, &gh.PullRequestListOptions{State: "open", Head: owner + ":" + branch, ListOptions: page})
	})
	for p, err := range all {
		if err != nil {
			return nil, github.Explain("look for the pull request from "+owner+":"+branch, err)
		}
		pulls = append(pulls, pullOf(repo, p))
	}
	return pulls, nil
}

// AskPullsAt asks GitHub for the open pull requests whose head is a commit.
func AskPullsAt(ctx context.Context, client *github.Client, repo Repo, sha string) ([]Pull, error) {
	var pulls []Pull
	all := github.Pages(func(page gh.ListOptions) ([]*gh.PullRequest, *gh.Response, error) {
		return client.REST.PullRequests.ListPullRequestsWithCommit(ctx, repo.Owner, repo.Name, sha, &page)
	})
	for p, err := range all {
		if err != nil {
			return nil, github.Explain("look for pull requests with commit "+sha, err)
		}
		if pull := pullOf(repo, p); pull.HeadSHA == sha && !pull.Closed {
			pulls = append(pulls, pull)
		}
	}
	return pulls, nil
}

// Contested asks GitHub for the other open pull requests that have the head of one, into
// other branches. A check is of a commit: what is said of that with the base of one counts
// for the others.
func Contested(ctx context.Context, client *github.Client, repo Repo, number int, sha string) ([]int, error) {
	pulls, err := AskPullsAt(ctx, client, repo, sha)
	if err != nil {
		return nil, err
	}
	var others []int
	own := slices.IndexFunc(pulls, func(p Pull) bool { return p.Number == number })
	for _, pull := range pulls {
		if own < 0 || pull.BaseRef != pulls[own].BaseRef {
			others = append(others, pull.Number)
		}
	}
	return others, nil
}

func pullOf(repo Repo, p *gh.PullRequest) Pull {
	pull := Pull{
		Number: p.GetNumber(), HeadSHA: p.GetHead().GetSHA(), BaseSHA: p.GetBase().GetSHA(), BaseRef: p.GetBase().GetRef(),
		HeadRepo: p.GetHead().GetRepo().GetFullName(), ByBot: p.GetUser().GetType() == bot, Draft: p.GetDraft(), Closed: p.GetState() == closed,
	}
	pull.Fork = !repo.Owns(pull.HeadRepo)
	for _, l := range p.Labels {
		pull.Labels = append(pull.Labels, l.GetName())
	}
	return pull
}

// Ask asks GitHub for what rules depend on besides the pull request. Changed files
// are asked for only if there are patterns for them.
func (r Rules) Ask(ctx context.Context, client *github.Client, repo Repo, pull Pull) (Head, error) {
	commit, _, err := client.REST.Git.GetCommit(ctx, repo.Owner, repo.Name, pull.HeadSHA)
	if err != nil {
		return Head{}, github.Explain("read the head commit", err)
	}
	h := Head{Pull: pull, CommitMessage: commit.GetMessage()}
	if len(r.Paths) == 0 {
		return h, nil
	}
	h.ChangedFiles = []string{}
	files := github.Pages(func(page gh.ListOptions) ([]*gh.CommitFile, *gh.Response, error) {
		return client.REST.PullRequests.ListFiles(ctx, repo.Owner, repo.Name, pull.Number, &page)
	})
	for file, err := range files {
		if err != nil {
			return Head{}, github.Explain("list the changed files", err)
		}
		h.ChangedFiles = append(h.ChangedFiles, file.GetFilename())
		if old := file.GetPreviousFilename(); old != "" {
			h.ChangedFiles = append(h.ChangedFiles, old)
		}
	}
	return h, nil
}
