package github

import (
	"iter"

	"github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	// PageSize is how many items a page has: the most that GitHub gives.
	PageSize = 100
	// maxPages is how many pages of a list are read.
	maxPages = 100
)

// Pages yields the items of a list over all of its pages, which list gets one
// by one. After an error it ends; a list of more than a hundred pages is one,
// of kind infrastructure.
func Pages[T any](list func(github.ListOptions) ([]T, *github.Response, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		at := github.ListOptions{Page: 1, PerPage: PageSize}
		for range maxPages {
			items, response, err := list(at)
			if err != nil {
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if response.NextPage <= at.Page {
				return
			}
			at.Page = response.NextPage
		}
		yield(none, fault.Infraf("GitHub's list has more than %d pages of %d items", maxPages, PageSize))
	}
}
