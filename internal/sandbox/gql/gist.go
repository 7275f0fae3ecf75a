package gql

import (
	"net/url"
	"path"
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

const gistURL = "https://gist.github.com"

func gistFields() map[string]graphql.Resolver {
	page := prop(func(q *query, g *model.Gist) any { return gistURL + q.facts(g).path })
	return map[string]graphql.Resolver{
		"User.gists": connection(gistsOf),
		"User.gist": lookup(func(q *query, u *model.User, args graphql.Args) any {
			if g := q.s.Gist(args.String("name")); g != nil && g.OwnerID == u.ID {
				return g
			}
			return nil
		}),
		"Gist.description":      prop(func(_ *query, g *model.Gist) any { return orNil(g.Description) }),
		"Gist.isPublic":         prop(func(_ *query, g *model.Gist) any { return g.Public }),
		"Gist.isFork":           prop(func(_ *query, g *model.Gist) any { return g.ParentID != 0 }),
		"Gist.name":             prop(func(_ *query, g *model.Gist) any { return g.Name }),
		"Gist.owner":            prop(func(q *query, g *model.Gist) any { return present(q.s.Users.Get(g.OwnerID)) }),
		"Gist.pushedAt":         prop(func(_ *query, g *model.Gist) any { return g.UpdatedAt }),
		"Gist.stargazerCount":   prop(func(_ *query, g *model.Gist) any { return len(g.Stargazers) }),
		"Gist.viewerHasStarred": prop(func(q *query, g *model.Gist) any { return slices.Contains(g.Stargazers, q.actor) }),
		"Gist.url":              page,
		"Gist.files": lookup(func(_ *query, g *model.Gist, args graphql.Args) any {
			return slices.Clone(g.Files[:min(len(g.Files), max(0, args.Int("limit")))])
		}),
		"GistFile.encodedName": prop(func(_ *query, f model.GistFile) any { return url.PathEscape(f.Name) }),
		"GistFile.encoding":    constant("UTF-8"),
		"GistFile.extension":   prop(func(_ *query, f model.GistFile) any { return path.Ext(f.Name) }),
		"GistFile.isImage":     constant(false),
		"GistFile.isTruncated": constant(false),
		"GistFile.name":        prop(func(_ *query, f model.GistFile) any { return f.Name }),
		"GistFile.size":        prop(func(_ *query, f model.GistFile) any { return len(f.Text) }),
		"GistFile.text":        prop(func(_ *query, f model.GistFile) any { return f.Text }),
	}
}

func gistsOf(q *query, u *model.User, args graphql.Args) ([]*model.Gist, error) {
	// Without a wish there are the public ones.
	wanted := args.Enum("privacy")
	gists := slices.DeleteFunc(q.s.GistsOf(q.actor, u.ID), func(g *model.Gist) bool {
		return wanted != "ALL" && g.Public == (wanted == "SECRET")
	})
	slices.Reverse(gists)
	return directed(gists, args.Object("orderBy")), nil
}
