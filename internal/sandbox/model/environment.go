package model

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Environment is where a repository is deployed to.
type Environment struct {
	ID     ID
	RepoID ID
	Name   string
	// ProtectedBranches lets protected branches alone be deployed,
	// CustomPolicies those that Policies name. GitHub holds jobs to it, not the
	// API of deployments.
	ProtectedBranches, CustomPolicies bool
	Policies                          []BranchPolicy
	// Secrets and Variables are those of jobs in it, in order of their names.
	Secrets, Variables   []Setting
	CreatedAt, UpdatedAt time.Time
}

func (e *Environment) clone() *Environment {
	c := *e
	c.Policies, c.Secrets, c.Variables = slices.Clone(e.Policies), copySettings(e.Secrets), copySettings(e.Variables)
	return &c
}

// BranchPolicy is a pattern of branches or tags that may be deployed.
type BranchPolicy struct {
	ID   ID
	Name string
	// Type is [TargetBranch] or [TargetTag].
	Type string
}

// maxEnvironmentName is the longest name of an environment, in characters.
const maxEnvironmentName = 255

// Environment returns a repository's environment of a name, compared without
// case; nil if there is none.
func (s *State) Environment(repo *Repo, name string) *Environment {
	return s.Environments.firstOf(environmentByRepo, key{of: repo.ID}, func(e *Environment) bool { return strings.EqualFold(e.Name, name) })
}

// EnvironmentsOf returns a repository's environments, oldest first.
func (s *State) EnvironmentsOf(repo *Repo) []*Environment {
	return s.Environments.with(environmentByRepo, key{of: repo.ID})
}

// SetEnvironment makes an environment or changes which branches may be deployed
// there.
func (s *State) SetEnvironment(actor ID, repo *Repo, name string, protectedBranches, customPolicies bool) (*Environment, error) {
	if err := s.require(actor, repo, PermAdmin); err != nil {
		return nil, err
	}
	switch {
	case strings.TrimSpace(name) == "" || utf8.RuneCountInString(name) > maxEnvironmentName:
		return nil, custom("Environment", "name", "name must be between 1 and %d characters", maxEnvironmentName)
	case protectedBranches && customPolicies:
		return nil, unprocessable("protected_branches and custom_branch_policies cannot have the same value")
	}
	now := s.Advance()
	e := s.Environment(repo, name)
	if e == nil {
		e = &Environment{ID: s.newID(), RepoID: repo.ID, Name: name, CreatedAt: now}
		s.Environments.Add(e.ID, e)
	}
	e.ProtectedBranches, e.CustomPolicies, e.UpdatedAt = protectedBranches, customPolicies, now
	if !customPolicies {
		e.Policies = nil
	}
	return e, nil
}

// DeleteEnvironment removes an environment; deployments to it stay.
func (s *State) DeleteEnvironment(actor ID, e *Environment) error {
	if err := s.require(actor, s.Repos.Get(e.RepoID), PermAdmin); err != nil {
		return err
	}
	s.Advance()
	s.Environments.Delete(e.ID)
	return nil
}

// SetPolicy adds a pattern to an environment, or gives the one of an id another
// name. One that is there already is returned.
func (s *State) SetPolicy(actor ID, e *Environment, id ID, name, kind string) (*BranchPolicy, error) {
	if err := s.require(actor, s.Repos.Get(e.RepoID), PermAdmin); err != nil {
		return nil, err
	}
	switch {
	case !e.CustomPolicies:
		return nil, notFound()
	case strings.TrimSpace(name) == "":
		return nil, unsupplied("name")
	case kind != TargetBranch && kind != TargetTag:
		return nil, outside("type", kind)
	}
	if id != 0 {
		at := slices.IndexFunc(e.Policies, func(p BranchPolicy) bool { return p.ID == id })
		if at < 0 {
			return nil, notFound()
		}
		e.UpdatedAt = s.Advance()
		e.Policies[at].Name = name
		return &e.Policies[at], nil
	}
	if at := slices.IndexFunc(e.Policies, func(p BranchPolicy) bool { return p.Name == name && p.Type == kind }); at >= 0 {
		return &e.Policies[at], nil
	}
	e.UpdatedAt = s.Advance()
	e.Policies = append(e.Policies, BranchPolicy{ID: s.newID(), Name: name, Type: kind})
	return &e.Policies[len(e.Policies)-1], nil
}

// DeletePolicy removes a pattern from an environment.
func (s *State) DeletePolicy(actor ID, e *Environment, id ID) error {
	if err := s.require(actor, s.Repos.Get(e.RepoID), PermAdmin); err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(e.Policies), func(p BranchPolicy) bool { return p.ID == id })
	if len(left) == len(e.Policies) {
		return notFound()
	}
	e.UpdatedAt = s.Advance()
	e.Policies = left
	return nil
}
