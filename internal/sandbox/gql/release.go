package gql

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// releaseAsset is a file with the release that it belongs to.
type releaseAsset struct {
	release *model.Release
	model.Asset
}

// releaseFields resolves releases and a repository's lists of them.
func releaseFields() map[string]graphql.Resolver {
	release := func(get func(*model.Release) any) graphql.Resolver {
		return prop(func(_ *query, r *model.Release) any { return get(r) })
	}
	fields := map[string]graphql.Resolver{
		"Repository.latestRelease": prop(func(q *query, r *model.Repo) any { return present(q.s.LatestRelease(r)) }),
		"Repository.release":       lookup(releaseOf),
		"Repository.releases":      connection(releasesOf),
		"Release.tagName":          release(func(r *model.Release) any { return r.TagName }),
		"Release.tag":              prop(func(q *query, r *model.Release) any { return refNamed(q.s.Repos.Get(r.RepoID), tagsPrefix+r.TagName) }),
		"Release.tagCommit": prop(func(q *query, r *model.Release) any {
			return commitNamed(q.s.Repos.Get(r.RepoID), tagsPrefix+r.TagName)
		}),
		"Release.name":         release(func(r *model.Release) any { return orNil(r.Name) }),
		"Release.description":  release(func(r *model.Release) any { return orNil(r.Body) }),
		"Release.author":       prop(func(q *query, r *model.Release) any { return present(q.s.Users.Get(r.AuthorID)) }),
		"Release.publishedAt":  release(func(r *model.Release) any { return r.PublishedAt }),
		"Release.isDraft":      release(func(r *model.Release) any { return r.Draft }),
		"Release.isPrerelease": release(func(r *model.Release) any { return r.Prerelease }),
		"Release.isLatest": prop(func(q *query, r *model.Release) any {
			return q.s.LatestRelease(q.s.Repos.Get(r.RepoID)) == r
		}),
		"Release.releaseAssets": connection(func(_ *query, r *model.Release, args graphql.Args) ([]releaseAsset, error) {
			return assetsOf(r, args.String("name")), nil
		}),
	}
	maps.Copy(fields, assetFields())
	return fields
}

func releaseOf(q *query, repo *model.Repo, args graphql.Args) any {
	tag := args.String("tagName")
	if published := q.s.PublishedRelease(repo, tag); published != nil {
		return published
	}
	drafts := q.s.ReleasesOf(q.actor, repo)
	if at := slices.IndexFunc(drafts, func(r *model.Release) bool { return r.TagName == tag }); at >= 0 {
		return drafts[at]
	}
	return nil
}

func releasesOf(q *query, repo *model.Repo, args graphql.Args) ([]*model.Release, error) {
	releases, order := q.s.ReleasesOf(q.actor, repo), args.Object("orderBy")
	if order == nil {
		return releases, nil
	}
	slices.Reverse(releases)
	if order.Enum("field") == "NAME" {
		slices.SortStableFunc(releases, func(a, b *model.Release) int { return strings.Compare(a.Name, b.Name) })
	}
	return directed(releases, order), nil
}

func assetsOf(r *model.Release, name string) []releaseAsset {
	var found []releaseAsset
	for _, a := range r.Assets {
		if isOr(name, a.Name) {
			found = append(found, releaseAsset{r, a})
		}
	}
	return found
}

func assetFields() map[string]graphql.Resolver {
	asset := func(get func(releaseAsset) any) graphql.Resolver {
		return prop(func(_ *query, a releaseAsset) any { return get(a) })
	}
	address := prop(func(q *query, a releaseAsset) any { return webURL + q.facts(a).path })
	return map[string]graphql.Resolver{
		"ReleaseAsset.name":          asset(func(a releaseAsset) any { return a.Name }),
		"ReleaseAsset.contentType":   asset(func(a releaseAsset) any { return a.ContentType }),
		"ReleaseAsset.size":          asset(func(a releaseAsset) any { return len(a.Content) }),
		"ReleaseAsset.downloadCount": constant(0),
		"ReleaseAsset.downloadUrl":   address,
		"ReleaseAsset.url":           address,
		"ReleaseAsset.uploadedBy":    prop(func(q *query, a releaseAsset) any { return present(q.s.Users.Get(a.UploaderID)) }),
		"ReleaseAsset.release":       asset(func(a releaseAsset) any { return a.release }),
	}
}

// factsOfReleases are those of releases and their files.
func (q *query) factsOfReleases(obj any) facts {
	switch o := obj.(type) {
	case *model.Release:
		f := inRepo(model.NodeRelease, o.RepoID, o.ID, o.CreatedAt, o.UpdatedAt)
		f.path = q.s.ReleasePage(o)
		return f
	case releaseAsset:
		f := inRepo(model.NodeReleaseAsset, o.release.RepoID, o.ID, o.CreatedAt, o.CreatedAt)
		f.path = q.path(o.release.RepoID, fmt.Sprintf("/releases/download/%s/%s", o.release.TagName, url.PathEscape(o.Name)))
		return f
	default:
		return q.factsOfProjects(obj)
	}
}

// assetByID returns a file of any release, nil if there is none.
func (q *query) assetByID(id model.ID) any {
	for r := range q.s.Releases.All() {
		if at := slices.IndexFunc(r.Assets, func(a model.Asset) bool { return a.ID == id }); at >= 0 {
			return releaseAsset{r, r.Assets[at]}
		}
	}
	return nil
}
