package model

import (
	"fmt"
	"slices"
	"strings"
)

// DeploymentsRule asks for deployments that have succeeded.
type DeploymentsRule struct {
	Environments []string `json:"required_deployment_environments"`
}

// judgeDeployments asks for what a ref shall be to have been deployed: of a merge,
// for the head.
func judgeDeployments(s *State, c refChange, rule Rule) []string {
	if !c.moves() {
		return nil
	}
	var missing []string
	for _, environment := range rule.Deployments.Environments {
		if !s.deployed(c.repo, c.to.String(), environment) {
			missing = append(missing, environment)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Changes must be successfully deployed to %s.", inWords(missing))}
}

// deployed reports whether a commit was once brought into an environment.
func (s *State) deployed(repo *Repo, sha, environment string) bool {
	return s.Deployments.firstOf(deploymentByRepo, key{of: repo.ID}, func(d *Deployment) bool {
		return d.CommitSHA == sha && strings.EqualFold(d.Environment, environment) &&
			slices.ContainsFunc(s.StatusesOf(d), func(status *DeploymentStatus) bool { return status.State == deploymentActive })
	}) != nil
}

// environment is the name and the address of the environment that a job is in,
// with the inputs of its run filled in; empty for none, and for one that depends
// on what a sandbox does not evaluate.
func (j jobDefinition) environment(run *Run) (name, url string) {
	switch in := j.Environment.(type) {
	case string:
		name = in
	case map[string]any:
		name, _ = in["name"].(string)
		url, _ = in["url"].(string)
	}
	name, url = definition{RunName: name}.title(run.Inputs, ""), definition{RunName: url}.title(run.Inputs, "")
	if strings.Contains(name, "${{") {
		name = ""
	}
	if strings.Contains(url, "${{") {
		url = ""
	}
	return strings.TrimSpace(name), url
}

// mayDeploy reports whether the branch policies of an environment let a run into
// it.
func (s *State) mayDeploy(repo *Repo, run *Run, environment string) bool {
	e := s.Environment(repo, environment)
	switch {
	case e == nil:
		return true
	case e.ProtectedBranches:
		return repo.Protected(run.HeadBranch)
	case e.CustomPolicies:
		return slices.ContainsFunc(e.Policies, func(p BranchPolicy) bool { return p.Type != TargetTag && fnmatch(p.Name, run.HeadBranch) })
	default:
		return true
	}
}

// deploy makes the deployment of a job that has begun in an environment, and says
// how it stands.
func (s *State) deploy(run *Run, job *Job, def jobDefinition) {
	name, url := def.environment(run)
	if name == "" || len(job.Steps) == 0 {
		return
	}
	actions := s.Apps.Get(actionsAppID).BotID
	d := s.addDeployment(actions, s.Repos.Get(run.RepoID), NewDeployment{Ref: run.HeadBranch, Environment: name}, run.HeadSHA)
	s.follows(d.ID, CauseRun)
	job.DeploymentID, job.EnvironmentURL = d.ID, url
	s.jobDeployed(job)
}

// jobDeployed says of the deployment of a job, if it has one, how the job stands.
func (s *State) jobDeployed(job *Job) {
	d := s.Deployments.Get(job.DeploymentID)
	if d == nil {
		return
	}
	repo := s.Repos.Get(job.RepoID)
	in := NewDeploymentStatus{State: "failure", LogURL: fmt.Sprintf("https://github.com/%s/actions/runs/%d/job/%d", s.FullName(repo), job.RunID, job.ID)}
	switch {
	case job.Status != Completed:
		in.State = "in_progress"
	case job.Conclusion == Success:
		in.State = deploymentActive
	}
	if in.State != "failure" {
		in.EnvironmentURL = job.EnvironmentURL
	}
	actions := s.Apps.Get(actionsAppID).BotID
	s.follows(s.addDeploymentStatus(actions, d, in).ID, CauseRun)
	if in.State == deploymentActive {
		s.because(CauseDeployment, func() { s.replaceDeployments(actions, repo, d) })
	}
}

// mayDismiss refuses those who may write and may not dismiss reviews of a pull
// request: where a rule of its base restricts that.
func (s *State) mayDismiss(actor ID, repo *Repo, i *Issue) error {
	refused := forbidden("You are not authorized to dismiss reviews on this protected branch.")
	if s.Permission(actor, repo) >= PermAdmin {
		return nil
	}
	if _, rule, protected := repo.ProtectionOf(i.Pull.BaseRef); protected && rule.Dismissers != nil && !s.among(actor, *rule.Dismissers) {
		return refused
	}
	for _, set := range repo.RulesetsFor(headsPrefix + i.Pull.BaseRef) {
		for _, rule := range set.Rules {
			if rule.Pull == nil || rule.Pull.DismissalRestriction == nil || !rule.Pull.DismissalRestriction.Enabled {
				continue
			}
			if !slices.ContainsFunc(rule.Pull.DismissalRestriction.AllowedActors, func(side RuleSide) bool {
				return s.isBypass(actor, repo, BypassActor{ActorID: &side.ID, ActorType: side.Type})
			}) {
				return refused
			}
		}
	}
	return nil
}
