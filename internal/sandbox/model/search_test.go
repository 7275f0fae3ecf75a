package model_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Whatever is searched for, there is an answer or GitHub's refusal.
func FuzzSearches(f *testing.F) {
	for _, query := range []string{
		"", ":", `"`, `label:"a b",c`, "-", "--", "NOT", "AND OR", "created:..", "comments:>", "repo:", "in:", "sort:-", "a:b:c", "is:open label:bug no:assignee created:2026-01-01..*",
	} {
		f.Add(query)
	}
	s := model.New()
	owner := s.AddUser(model.NewUser{Login: "owner"}).ID
	repo := s.AddRepo(model.NewRepo{Owner: owner, Name: "hello"})
	if _, err := s.OpenIssue(owner, repo, model.NewIssue{Title: "x", Labels: []string{"bug"}}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, search := range []func() error{
			func() error { _, err := s.SearchIssues(owner, query, model.SearchOrder{}); return err },
			func() error { _, err := s.SearchCode(owner, query); return err },
			func() error { _, err := s.SearchCommits(owner, query); return err },
			func() error { _, err := s.SearchUsers(query); return err },
		} {
			if err := search(); err != nil {
				_, refused := errors.AsType[*model.Problem](err)
				assert.True(t, refused, "%v", err)
			}
		}
	})
}
