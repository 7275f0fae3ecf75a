package rest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// environmentPath is that of an environment of a repository.
const environmentPath = reposPath + "/environments/{environment}"

// deploymentRoutes are those of deployments, of environments, and of events from
// outside.
func deploymentRoutes() []route {
	const (
		deployments = reposPath + "/deployments"
		statuses    = deployments + "/{id}/statuses"
		policies    = environmentPath + "/deployment-branch-policies"
		protections = environmentPath + "/deployment_protection_rules"
	)
	return []route{
		{"GET " + deployments, onRepo(listDeployments)},
		{"POST " + deployments, onRepo(createDeployment)},
		{"GET " + deployments + "/{id}", onDeployment(func(c *call, d *model.Deployment) (reply, error) { return ok(c.deployment(d)) })},
		{"DELETE " + deployments + "/{id}", onDeployment(func(c *call, d *model.Deployment) (reply, error) {
			return noContentOr(c.s.DeleteDeployment(c.actor, d))
		})},
		{"GET " + statuses, onDeployment(func(c *call, d *model.Deployment) (reply, error) {
			return list(c, c.s.StatusesOf(d), c.deploymentStatus)
		})},
		{"POST " + statuses, onDeployment(createDeploymentStatus)},
		{"GET " + statuses + "/{status}", onDeployment(getDeploymentStatus)},
		{"GET " + reposPath + "/environments", onRepo(func(c *call, repo *model.Repo) (reply, error) {
			return wrapped(c, "environments", c.s.EnvironmentsOf(repo), c.environment)
		})},
		{"GET " + environmentPath, onEnvironment(func(c *call, e *model.Environment) (reply, error) { return ok(c.environment(e)) })},
		{"PUT " + environmentPath, onRepo(setEnvironment)},
		{"DELETE " + environmentPath, onEnvironment(func(c *call, e *model.Environment) (reply, error) {
			return noContentOr(c.s.DeleteEnvironment(c.actor, e))
		})},
		{"GET " + policies, onEnvironment(func(c *call, e *model.Environment) (reply, error) {
			return wrapped(c, "branch_policies", e.Policies, branchPolicy)
		})},
		{"POST " + policies, onEnvironment(setPolicy)},
		{"GET " + policies + "/{policy}", onEnvironment(getPolicy)},
		{"PUT " + policies + "/{policy}", onEnvironment(setPolicy)},
		{"DELETE " + policies + "/{policy}", onEnvironment(func(c *call, e *model.Environment) (reply, error) {
			return noContentOr(c.s.DeletePolicy(c.actor, e, c.policyID()))
		})},
		{"GET " + protections, onEnvironment(func(c *call, _ *model.Environment) (reply, error) {
			return wrapped(c, "custom_deployment_protection_rules", []struct{}{}, same)
		})},
		{"GET " + protections + "/apps", onEnvironment(func(c *call, _ *model.Environment) (reply, error) {
			return wrapped(c, "available_custom_deployment_protection_rule_integrations", []struct{}{}, same)
		})},
		{"POST " + reposPath + "/dispatches", onRepo(dispatchRepository)},
	}
}

func onDeployment(handle func(c *call, d *model.Deployment) (reply, error)) func(*call) (reply, error) {
	return onRow(func(s *model.State) *model.Table[model.Deployment] { return &s.Deployments },
		func(d *model.Deployment) model.ID { return d.RepoID }, handle)
}

// ofEnvironment makes a handler of one that needs the environment that the path
// names.
func ofEnvironment(handle listHandler) func(*call, *model.Repo) (reply, error) {
	return func(c *call, repo *model.Repo) (reply, error) {
		e := c.s.Environment(repo, c.PathValue("environment"))
		if e == nil {
			return reply{}, errNotFound
		}
		return handle(c, repo, e)
	}
}

func onEnvironment(handle func(c *call, e *model.Environment) (reply, error)) func(*call) (reply, error) {
	return onRepo(ofEnvironment(func(c *call, _ *model.Repo, e *model.Environment) (reply, error) { return handle(c, e) }))
}

func listDeployments(c *call, repo *model.Repo) (reply, error) {
	query := c.URL.Query()
	fits := func(name, value string) bool {
		return !query.Has(name) || query.Get(name) == value || query.Get(name) == "none"
	}
	return list(c, c.s.DeploymentsOf(repo, func(d *model.Deployment) bool {
		return fits("sha", d.CommitSHA) && fits("ref", d.Ref) && fits("task", d.Task) && fits("environment", d.Environment)
	}), c.deployment)
}

func createDeployment(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		Ref, Task, Environment string
		Description            *string
		AutoMerge              *bool    `json:"auto_merge"`
		RequiredContexts       []string `json:"required_contexts"`
		Payload                json.RawMessage
		Transient              bool  `json:"transient_environment"`
		Production             *bool `json:"production_environment"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Ref == "" {
		return reply{}, missing("ref")
	}
	if text := strings.TrimSpace(string(in.Payload)); text != "" && text[0] != '{' && text[0] != '"' {
		in.Payload = nil
	}
	d, merged, err := c.s.CreateDeployment(c.actor, repo, model.NewDeployment{
		Ref: in.Ref, Task: in.Task, Environment: in.Environment, Description: deref(in.Description), KeepsRef: in.AutoMerge != nil && !*in.AutoMerge,
		Contexts: in.RequiredContexts, Payload: in.Payload, Transient: in.Transient, Production: in.Production,
	})
	switch {
	case err != nil:
		return reply{}, err
	case d == nil:
		return reply{status: http.StatusAccepted, body: map[string]string{"message": merged}}, nil
	default:
		return created(c.deployment(d))
	}
}

func createDeploymentStatus(c *call, d *model.Deployment) (reply, error) {
	var in struct {
		State, Description, Environment string
		TargetURL                       string `json:"target_url"`
		LogURL                          string `json:"log_url"`
		EnvironmentURL                  string `json:"environment_url"`
		AutoInactive                    *bool  `json:"auto_inactive"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.State == "" {
		return reply{}, missing("state")
	}
	status, err := c.s.CreateDeploymentStatus(c.actor, d, model.NewDeploymentStatus{
		State: in.State, Description: in.Description, Environment: in.Environment, LogURL: orDefault(in.LogURL, in.TargetURL),
		EnvironmentURL: in.EnvironmentURL, KeepsOthers: in.AutoInactive != nil && !*in.AutoInactive,
	})
	if err != nil {
		return reply{}, err
	}
	return created(c.deploymentStatus(status))
}

func getDeploymentStatus(c *call, d *model.Deployment) (reply, error) {
	id, err := strconv.ParseInt(c.PathValue("status"), 10, 64)
	status := c.s.DeploymentStatuses.Get(id)
	if err != nil || status == nil || status.DeploymentID != d.ID {
		return reply{}, errNotFound
	}
	return ok(c.deploymentStatus(status))
}

// setEnvironment makes or changes an environment. What has deployments wait is
// refused: nothing here would hold them.
func setEnvironment(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		WaitTimer int `json:"wait_timer"`
		Reviewers []json.RawMessage
		Policy    *struct {
			ProtectedBranches bool `json:"protected_branches"`
			Custom            bool `json:"custom_branch_policies"`
		} `json:"deployment_branch_policy"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.WaitTimer != 0 || len(in.Reviewers) > 0 {
		return reply{}, c.lacks("wait_timer or reviewers")
	}
	protected, custom := false, false
	if in.Policy != nil {
		if protected, custom = in.Policy.ProtectedBranches, in.Policy.Custom; protected == custom {
			return reply{}, &model.Problem{Kind: model.Invalid, Message: "protected_branches and custom_branch_policies cannot have the same value"}
		}
	}
	e, err := c.s.SetEnvironment(c.actor, repo, c.PathValue("environment"), protected, custom)
	if err != nil {
		return reply{}, err
	}
	return ok(c.environment(e))
}

func (c *call) policyID() model.ID {
	// What is no number is nobody's id.
	id, _ := strconv.ParseInt(c.PathValue("policy"), 10, 64)
	return id
}

func getPolicy(c *call, e *model.Environment) (reply, error) {
	for _, p := range e.Policies {
		if p.ID == c.policyID() {
			return ok(branchPolicy(p))
		}
	}
	return reply{}, errNotFound
}

func setPolicy(c *call, e *model.Environment) (reply, error) {
	var in struct{ Name, Type string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if c.Method == http.MethodPut && c.policyID() == 0 {
		return reply{}, errNotFound
	}
	known := len(e.Policies)
	p, err := c.s.SetPolicy(c.actor, e, c.policyID(), in.Name, orDefault(in.Type, model.TargetBranch))
	switch {
	case err != nil:
		return reply{}, err
	case c.Method == http.MethodPost && len(e.Policies) == known:
		return reply{status: http.StatusSeeOther, body: branchPolicy(*p)}, nil
	default:
		return ok(branchPolicy(*p))
	}
}

func dispatchRepository(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		EventType     string          `json:"event_type"`
		ClientPayload json.RawMessage `json:"client_payload"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if string(in.ClientPayload) == "null" {
		in.ClientPayload = nil
	}
	return noContentOr(c.s.DispatchRepository(c.actor, repo, in.EventType, in.ClientPayload))
}

type deploymentView struct {
	URL                 string          `json:"url"`
	ID                  model.ID        `json:"id"`
	NodeID              string          `json:"node_id"`
	SHA                 string          `json:"sha"`
	Ref                 string          `json:"ref"`
	Task                string          `json:"task"`
	Payload             json.RawMessage `json:"payload"`
	OriginalEnvironment string          `json:"original_environment"`
	Environment         string          `json:"environment"`
	Description         *string         `json:"description"`
	Creator             *userView       `json:"creator"`
	CreatedAt           stamp           `json:"created_at"`
	UpdatedAt           stamp           `json:"updated_at"`
	StatusesURL         string          `json:"statuses_url"`
	RepositoryURL       string          `json:"repository_url"`
	Transient           bool            `json:"transient_environment"`
	Production          bool            `json:"production_environment"`
	App                 *appView        `json:"performed_via_github_app"`
}

func (v *view) deploymentURL(d *model.Deployment) string {
	return v.repoURL(d.RepoID) + "/deployments/" + strconv.FormatInt(d.ID, 10)
}

// performedVia is the App whose bot a user is, nil for people.
func (v *view) performedVia(user model.ID) *appView {
	if app := v.s.AppOfBot(user); app != nil {
		return v.app(app.ID)
	}
	return nil
}

func (v *view) deployment(d *model.Deployment) deploymentView {
	api := v.deploymentURL(d)
	return deploymentView{
		URL: api, ID: d.ID, NodeID: model.NodeID(model.NodeDeployment, d.RepoID, d.ID), SHA: d.CommitSHA, Ref: d.Ref, Task: d.Task,
		Payload: json.RawMessage(d.Payload), OriginalEnvironment: d.OriginalEnvironment, Environment: d.Environment, Description: optional(d.Description),
		Creator: v.user(d.CreatorID), CreatedAt: at(d.CreatedAt), UpdatedAt: at(d.UpdatedAt), StatusesURL: api + "/statuses",
		RepositoryURL: v.repoURL(d.RepoID), Transient: d.Transient, Production: d.Production, App: v.performedVia(d.CreatorID),
	}
}

type deploymentStatusView struct {
	URL            string    `json:"url"`
	ID             model.ID  `json:"id"`
	NodeID         string    `json:"node_id"`
	State          string    `json:"state"`
	Creator        *userView `json:"creator"`
	Description    string    `json:"description"`
	Environment    string    `json:"environment"`
	TargetURL      string    `json:"target_url"`
	CreatedAt      stamp     `json:"created_at"`
	UpdatedAt      stamp     `json:"updated_at"`
	DeploymentURL  string    `json:"deployment_url"`
	RepositoryURL  string    `json:"repository_url"`
	EnvironmentURL string    `json:"environment_url"`
	LogURL         string    `json:"log_url"`
	App            *appView  `json:"performed_via_github_app"`
}

func (v *view) deploymentStatus(s *model.DeploymentStatus) deploymentStatusView {
	of := v.deploymentURL(&model.Deployment{ID: s.DeploymentID, RepoID: s.RepoID})
	return deploymentStatusView{
		URL: of + "/statuses/" + strconv.FormatInt(s.ID, 10), ID: s.ID, NodeID: model.NodeID(model.NodeDeployStatus, s.RepoID, s.ID), State: s.State,
		Creator: v.user(s.CreatorID), Description: s.Description, Environment: s.Environment, TargetURL: s.LogURL, CreatedAt: at(s.CreatedAt),
		UpdatedAt: at(s.UpdatedAt), DeploymentURL: of, RepositoryURL: v.repoURL(s.RepoID), EnvironmentURL: s.EnvironmentURL, LogURL: s.LogURL,
		App: v.performedVia(s.CreatorID),
	}
}

func (v *view) environment(e *model.Environment) map[string]any {
	rules := []map[string]any{}
	shown := map[string]any{
		"id": e.ID, "node_id": model.NodeID(model.NodeEnvironment, e.RepoID, e.ID), "name": e.Name,
		"url":        v.repoURL(e.RepoID) + "/environments/" + url.PathEscape(e.Name),
		"html_url":   v.repoHTML(e.RepoID) + "/deployments/activity_log?environments_filter=" + url.QueryEscape(e.Name),
		"created_at": at(e.CreatedAt), "updated_at": at(e.UpdatedAt), "deployment_branch_policy": nil,
	}
	if e.ProtectedBranches || e.CustomPolicies {
		rules = append(rules, map[string]any{"id": e.ID + 1, "node_id": model.NodeID("GA", 0, e.ID), "type": "branch_policy"})
		shown["deployment_branch_policy"] = map[string]bool{"protected_branches": e.ProtectedBranches, "custom_branch_policies": e.CustomPolicies}
	}
	shown["protection_rules"] = rules
	return shown
}

func branchPolicy(p model.BranchPolicy) map[string]any {
	return map[string]any{"id": p.ID, "node_id": model.NodeID(model.NodeBranchPolicy, 0, p.ID), "name": p.Name, "type": p.Type}
}

// deployed shows a deployment, and what is said about it.
func (v *payloadView) deployed(body map[string]any) error {
	body["workflow"], body["workflow_run"] = nil, nil
	d, isDeployment := v.h.Subject.(*model.Deployment)
	if status, is := v.h.Subject.(*model.DeploymentStatus); is {
		d = v.s.Deployments.Get(status.DeploymentID)
		isDeployment = d != nil
		body["deployment_status"], body["check_run"] = v.deploymentStatus(status), nil
	}
	if !isDeployment {
		return errNotFound
	}
	body["deployment"] = v.deployment(d)
	return nil
}

// dispatchedFromOutside shows an event that the repository was told of.
func (v *payloadView) dispatchedFromOutside(body map[string]any) error {
	d, is := v.h.Subject.(*model.RepositoryDispatch)
	if !is {
		return errNotFound
	}
	body["branch"], body["client_payload"] = d.Branch, nil
	if d.Payload != nil {
		body["client_payload"] = d.Payload
	}
	return nil
}
