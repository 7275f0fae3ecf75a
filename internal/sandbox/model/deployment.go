package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Deployment is a request to bring a commit into an environment.
type Deployment struct {
	ID        ID
	RepoID    ID
	CreatorID ID
	// Ref is the branch, tag or commit that was asked for, CommitSHA what it was
	// then.
	Ref, CommitSHA string
	Task           string
	// Payload is a JSON value: an object or a text.
	Payload               string
	Environment           string
	Description           string
	Transient, Production bool
	CreatedAt, UpdatedAt  time.Time
	OriginalEnvironment   string
}

func (d *Deployment) clone() *Deployment { return copyOf(d) }

// DeploymentStatus is what somebody says about a deployment. The last one
// counts.
type DeploymentStatus struct {
	ID           ID
	RepoID       ID
	DeploymentID ID
	CreatorID    ID
	// State is one of [deploymentStates].
	State                  string
	Description            string
	Environment            string
	LogURL, EnvironmentURL string
	CreatedAt, UpdatedAt   time.Time
}

func (d *DeploymentStatus) clone() *DeploymentStatus { return copyOf(d) }

const (
	deploymentActive   = "success"
	deploymentInactive = "inactive"
	deploymentResource = "Deployment"
	statusResource     = "DeploymentStatus"
)

var deploymentStates = []string{"error", "failure", deploymentInactive, "in_progress", "queued", "pending", deploymentActive}

// maxDeploymentDescription is the longest description of a deployment and of its
// statuses, in characters.
const maxDeploymentDescription = 140

// NewDeployment asks for a deployment. Empty texts and nil mean GitHub's own.
type NewDeployment struct {
	Ref, Task, Environment, Description string
	// KeepsRef deploys a branch as it is, even if it lacks what the default
	// branch has.
	KeepsRef bool
	// Contexts are the statuses and checks that must have passed; nil means all
	// that there are.
	Contexts   []string
	Payload    json.RawMessage
	Transient  bool
	Production *bool
}

// CreateDeployment asks for a deployment. Where the ref is a branch that lacks
// what the default branch has, that is merged into it instead: the deployment is
// nil then, and merged says so.
func (s *State) CreateDeployment(actor ID, repo *Repo, in NewDeployment) (d *Deployment, merged string, err error) {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return nil, "", err
	}
	at, err := repo.Git.Resolve(in.Ref)
	if err != nil {
		return nil, "", unprocessable("No ref found for: %s", in.Ref)
	}
	if utf8.RuneCountInString(in.Description) > maxDeploymentDescription {
		return nil, "", custom(deploymentResource, "description", "description is too long (maximum is %d characters)", maxDeploymentDescription)
	}
	if merged, err = s.mergedForDeployment(actor, repo, in); merged != "" || err != nil {
		return nil, merged, err
	}
	if err := s.checkContexts(repo, in, at.String()); err != nil {
		return nil, "", err
	}
	s.Advance()
	return s.addDeployment(actor, repo, in, at.String()), "", nil
}

// addDeployment adds a deployment of a commit, and its environment if that is not
// there.
func (s *State) addDeployment(actor ID, repo *Repo, in NewDeployment, sha string) *Deployment {
	now := s.Now
	d := &Deployment{
		ID: s.newID(), RepoID: repo.ID, CreatorID: actor, Ref: in.Ref, CommitSHA: sha, Task: orElse(in.Task, "deploy"),
		Payload: orElse(string(in.Payload), `""`), Environment: orElse(in.Environment, "production"), Description: in.Description,
		Transient: in.Transient, CreatedAt: now, UpdatedAt: now,
	}
	d.OriginalEnvironment = d.Environment
	d.Production = d.Environment == "production"
	assign(&d.Production, in.Production)
	if s.Environment(repo, d.Environment) == nil {
		e := &Environment{ID: s.newID(), RepoID: repo.ID, Name: d.Environment, CreatedAt: now, UpdatedAt: now}
		s.Environments.Add(e.ID, e)
		s.follows(e.ID, CauseDeployment)
	}
	return s.Deployments.Add(d.ID, d)
}

// mergedForDeployment merges the default branch into a branch that is to be
// deployed and lacks something of it, and says so.
func (s *State) mergedForDeployment(actor ID, repo *Repo, in NewDeployment) (string, error) {
	branch := strings.TrimPrefix(in.Ref, headsPrefix)
	tip, isBranch := s.BranchHead(repo, branch)
	base, known := s.BranchHead(repo, repo.DefaultBranch)
	if in.KeepsRef || !isBranch || !known || branch == repo.DefaultBranch || contains(repo, tip, base) {
		return "", nil
	}
	_, err := s.MergeBranch(actor, repo, BranchMerge{Base: branch, Head: repo.DefaultBranch})
	if problem, is := err.(*Problem); is && problem.Kind == Conflict { //nolint:errorlint // it is not wrapped
		problem.Message = fmt.Sprintf("Conflict merging %s into %s.", repo.DefaultBranch, branch)
	}
	return fmt.Sprintf("Auto-merged %s into %s on deployment.", repo.DefaultBranch, branch), err
}

// checkContexts refuses to deploy a commit of which something has not passed.
func (s *State) checkContexts(repo *Repo, in NewDeployment, sha string) error {
	passed := map[string]bool{}
	rollup := s.Rollup(repo, sha)
	for _, c := range rollup.Statuses {
		passed[c.Context] = c.State == StatusSuccess
	}
	for _, c := range rollup.Runs {
		passed[c.Name] = c.Passed()
	}
	wanted := in.Contexts
	if wanted == nil {
		for name := range passed {
			wanted = append(wanted, name)
		}
	}
	if slices.ContainsFunc(wanted, func(name string) bool { return !passed[name] }) {
		return &Problem{Kind: Conflict, Message: fmt.Sprintf("Conflict: Commit status checks failed for %s.", in.Ref)}
	}
	return nil
}

// DeploymentsOf returns a repository's deployments, newest first.
func (s *State) DeploymentsOf(repo *Repo, keep func(*Deployment) bool) []*Deployment {
	found := s.Deployments.whereOf(deploymentByRepo, key{of: repo.ID}, keep)
	slices.Reverse(found)
	return found
}

// StatusesOf returns what was said about a deployment, newest first.
func (s *State) StatusesOf(d *Deployment) []*DeploymentStatus {
	found := s.DeploymentStatuses.with(statusByDeployment, key{of: d.ID})
	slices.Reverse(found)
	return found
}

// stateOf is what was said last about a deployment, empty for nothing.
func (s *State) stateOf(d *Deployment) string {
	if all := s.StatusesOf(d); len(all) > 0 {
		return all[0].State
	}
	return ""
}

// NewDeploymentStatus is what a request says about a deployment.
type NewDeploymentStatus struct {
	State, Description, LogURL, EnvironmentURL string
	// Environment is another one for the deployment, if it is not empty.
	Environment string
	// KeepsOthers leaves earlier deployments to the environment active.
	KeepsOthers bool
}

// CreateDeploymentStatus says something about a deployment. Who may push may.
func (s *State) CreateDeploymentStatus(actor ID, d *Deployment, in NewDeploymentStatus) (*DeploymentStatus, error) {
	repo := s.Repos.Get(d.RepoID)
	if err := s.require(actor, repo, PermWrite); err != nil {
		return nil, err
	}
	switch {
	case !slices.Contains(deploymentStates, in.State):
		return nil, invalidValue(statusResource, "state", "custom", in.State)
	case utf8.RuneCountInString(in.Description) > maxDeploymentDescription:
		return nil, custom(statusResource, "description", "description is too long (maximum is %d characters)", maxDeploymentDescription)
	}
	d.UpdatedAt = s.Advance()
	if in.Environment != "" {
		d.Environment = in.Environment
	}
	status := s.addDeploymentStatus(actor, d, in)
	if in.State == deploymentActive && !in.KeepsOthers {
		s.because(CauseDeployment, func() { s.replaceDeployments(actor, repo, d) })
	}
	return status, nil
}

func (s *State) addDeploymentStatus(actor ID, d *Deployment, in NewDeploymentStatus) *DeploymentStatus {
	status := &DeploymentStatus{
		ID: s.newID(), RepoID: d.RepoID, DeploymentID: d.ID, CreatorID: actor, State: in.State, Description: in.Description,
		Environment: d.Environment, LogURL: in.LogURL, EnvironmentURL: in.EnvironmentURL, CreatedAt: s.Now, UpdatedAt: s.Now,
	}
	return s.DeploymentStatuses.Add(status.ID, status)
}

// replaceDeployments says of earlier deployments to the environment of one that
// they are not active any more, unless they go by themselves or are in production.
func (s *State) replaceDeployments(actor ID, repo *Repo, by *Deployment) {
	for _, d := range s.DeploymentsOf(repo, func(d *Deployment) bool {
		return d.ID < by.ID && d.Environment == by.Environment && !d.Transient && !d.Production
	}) {
		if s.stateOf(d) == deploymentActive {
			s.addDeploymentStatus(actor, d, NewDeploymentStatus{State: deploymentInactive})
		}
	}
}

// DeleteDeployment removes a deployment with what was said about it: one that is
// inactive, or the only one.
func (s *State) DeleteDeployment(actor ID, d *Deployment) error {
	repo := s.Repos.Get(d.RepoID)
	if err := s.require(actor, repo, PermWrite); err != nil {
		return err
	}
	if s.Deployments.count(deploymentByRepo, key{of: repo.ID}) > 1 && s.stateOf(d) != deploymentInactive {
		return unprocessable("We cannot delete an active deployment unless it is the only deployment in a given environment.")
	}
	s.Advance()
	s.because(CauseDeletion, func() {
		for _, status := range s.StatusesOf(d) {
			s.DeploymentStatuses.Delete(status.ID)
		}
	})
	s.Deployments.Delete(d.ID)
	return nil
}

// deployments checks the deployments of a world that was read from a file.
func (v *validation) deployments() {
	each(v, "environment", &v.s.Environments, func(e *Environment) ID { return e.ID }, func(e *Environment, must demand) {
		must(v.repo(e.RepoID), lacksRepo)
	})
	each(v, "deployment", &v.s.Deployments, func(d *Deployment) ID { return d.ID }, func(d *Deployment, must demand) {
		must(v.repo(d.RepoID), lacksRepo)
		must(json.Valid([]byte(d.Payload)), "has a payload that is no JSON")
	})
	each(v, "deployment status", &v.s.DeploymentStatuses, func(d *DeploymentStatus) ID { return d.ID }, func(d *DeploymentStatus, must demand) {
		of := v.s.Deployments.Get(d.DeploymentID)
		must(of != nil && of.RepoID == d.RepoID, "its deployment is missing")
	})
}

func tellDeployment(s *State, before, after *Deployment) {
	if before == nil && s.stays(after.RepoID) {
		s.emit(Happening{Event: "deployment", Action: "created", RepoID: after.RepoID, ActorID: after.CreatorID, Subject: after})
	}
}

func tellDeploymentStatus(s *State, before, after *DeploymentStatus) {
	if before == nil && s.stays(after.RepoID) {
		s.emit(Happening{Event: "deployment_status", Action: "created", RepoID: after.RepoID, ActorID: after.CreatorID, Subject: after})
	}
}
