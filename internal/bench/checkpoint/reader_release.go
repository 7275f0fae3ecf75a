package checkpoint

import (
	"context"

	gh "github.com/google/go-github/v60/github"
)

// releaseAnswer is a release, or the draft of one, which only those see who may
// write to the repository.
type releaseAnswer struct {
	ID              int64  `json:"id"`
	TagName         string `json:"tagName"`
	Name            string `json:"name"`
	Body            string `json:"body"`
	IsDraft         bool   `json:"isDraft"`
	IsPrerelease    bool   `json:"isPrerelease"`
	URL             string `json:"url"`
	TargetCommitish string `json:"targetCommitish"`
	// PublishedAt is nil for drafts.
	PublishedAt *gh.Timestamp `json:"publishedAt"`
}

func showRelease(r *gh.RepositoryRelease) releaseAnswer {
	return releaseAnswer{
		ID: r.GetID(), TagName: r.GetTagName(), Name: r.GetName(), Body: r.GetBody(), IsDraft: r.GetDraft(), IsPrerelease: r.GetPrerelease(),
		URL: r.GetHTMLURL(), TargetCommitish: r.GetTargetCommitish(), PublishedAt: r.PublishedAt,
	}
}

// releaseView reads the release of the input's releaseId, or else of its
// tagName, which may be a draft's.
func releaseView(ctx context.Context, r *GitHubReader, in input) (any, error) {
	if in["releaseId"] == nil {
		return releaseOfTag(ctx, r, in)
	}
	id, err := in.number("releaseId")
	if err != nil {
		return nil, err
	}
	release, _, err := r.client.REST.Repositories.GetRelease(ctx, in.text("owner"), in.text("name"), id)
	if err != nil {
		return nil, err
	}
	return showRelease(release), nil
}

func releaseOfTag(ctx context.Context, r *GitHubReader, in input) (any, error) {
	opts := &gh.ListOptions{PerPage: largestPage}
	for {
		releases, response, err := r.client.REST.Repositories.ListReleases(ctx, in.text("owner"), in.text("name"), opts)
		if err != nil {
			return nil, err
		}
		for _, release := range releases {
			if release.GetTagName() == in.text("tagName") {
				return showRelease(release), nil
			}
		}
		if response.NextPage == 0 {
			return nil, nil
		}
		opts.Page = response.NextPage
	}
}

// releaseList reads the newest releases.
func releaseList(ctx context.Context, r *GitHubReader, in input) (any, error) {
	vars, err := in.listVariables("")
	if err != nil {
		return nil, err
	}
	releases, response, err := r.client.REST.Repositories.ListReleases(ctx, in.text("owner"), in.text("name"), &gh.ListOptions{PerPage: int(vars["first"].(int64))})
	if err != nil {
		return nil, err
	}
	answer := list[releaseAnswer]{Items: []releaseAnswer{}, PageInfo: pageInfo{HasNextPage: response.NextPage != 0}}
	for _, release := range releases {
		answer.Items = append(answer.Items, showRelease(release))
	}
	return answer, nil
}
