package gql

import (
	"encoding/base64"
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func languageFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"Repository.primaryLanguage": prop(func(_ *query, r *model.Repo) any {
			if len(r.Languages) == 0 {
				return nil
			}
			return r.Languages[0]
		}),
		"Repository.languages": field(func(_ *query, r *model.Repo, args graphql.Args) (any, error) {
			return languagesOf(r, args)
		}),
		"Language.name":  prop(func(_ *query, l model.Language) any { return l.Name }),
		"Language.color": prop(func(_ *query, l model.Language) any { return orNil(l.Color) }),
		"Language.id": prop(func(_ *query, l model.Language) any {
			return "LA_" + base64.RawURLEncoding.EncodeToString([]byte(l.Name))
		}),
		"LanguageEdge.size":            prop(func(_ *query, e graphql.Edge[model.Language]) any { return e.Node.Bytes }),
		"LanguageConnection.totalSize": prop(func(_ *query, p languagePage) any { return p.total }),
	}
}

// languagePage is a page of languages with the size of all.
type languagePage struct {
	graphql.Page[model.Language]
	total int64
}

// languagesOf pages through languages, the least used one first unless the
// order says otherwise.
func languagesOf(r *model.Repo, args graphql.Args) (any, error) {
	all := slices.Clone(r.Languages)
	slices.Reverse(all)
	page, err := graphql.Paginate(directed(all, args.Object("orderBy")), args)
	shown := languagePage{Page: page}
	for _, l := range all {
		shown.total += l.Bytes
	}
	return shown, err
}
