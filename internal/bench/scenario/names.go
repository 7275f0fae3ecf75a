package scenario

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Names says what an installed ghx calls capabilities, by the names that
// scenarios have. A capability that it does not have keeps its name, so nil
// changes nothing.
type Names map[string]string

// NamesIn returns what a ghx that lists these capabilities calls the wanted
// ones, and those of them that it lists under none of their names.
func NamesIn(listed, wanted []string) (names Names, missing []string) {
	names = Names{}
	older := olderNames()
	for _, id := range wanted {
		if slices.Contains(listed, id) {
			continue
		}
		at := slices.IndexFunc(older[id], func(name string) bool { return slices.Contains(listed, name) })
		if at < 0 {
			missing = append(missing, id)
			continue
		}
		names[id] = older[id][at]
	}
	return names, missing
}

// Of returns the name of a capability.
func (n Names) Of(id string) string {
	if name, other := n[id]; other {
		return name
	}
	return id
}

// Resolve is [Resolve] for an agent whose ghx has these names: what the agent
// is told, the task and the expected capabilities have them.
func (n Names) Resolve(s bench.Scenario, m bench.Manifest) (Resolved, error) {
	resolved, err := resolve(s, m, n)
	if err != nil {
		return Resolved{}, unbound(s, err)
	}
	expected := slices.Clone(s.ExpectedCapabilities)
	for i, id := range expected {
		expected[i] = n.Of(id)
	}
	resolved.Scenario.ExpectedCapabilities = expected
	resolved.Scenario.Task = n.Of(s.Task)
	return resolved, nil
}

// olderNames returns the names that capabilities had in older versions of ghx,
// back to 0.1, the newest first. A capability is left out if what it does was
// done by several.
func olderNames() map[string][]string {
	return map[string][]string{
		"issue.assignees.set":               {"issue.assignees.update"},
		"issue.comments.create":             {"issue.comment.create"},
		"issue.labels.set":                  {"issue.labels.update"},
		"issue.relations.blocked_by.add":    {"issue.blocked_by.add"},
		"issue.relations.blocked_by.remove": {"issue.blocked_by.remove"},
		"issue.relations.parent.remove":     {"issue.parent.remove"},
		"issue.relations.parent.set":        {"issue.parent.set"},
		"issue.relations.prs.list":          {"issue.linked_prs.list"},
		"issue.relations.view":              {"issue.relations.get"},
		"pr.assignees.add":                  {"pr.assignees.update"},
		"pr.checks.list":                    {"pr.status.checks"},
		"pr.checks.rerun.all":               {"pr.checks.rerun_all"},
		"pr.checks.rerun.failed":            {"pr.checks.rerun_failed"},
		"pr.diff.files":                     {"pr.diff.list_files"},
		"pr.merge":                          {"pr.merge.execute"},
		"pr.merge.status":                   {"pr.mergeability.view"},
		"pr.reviews.request":                {"pr.reviewers.request"},
		"pr.threads.list":                   {"pr.comments.list"},
		"pr.threads.reply":                  {"pr.comment.reply"},
		"pr.threads.resolve":                {"pr.comment.resolve"},
		"pr.threads.unresolve":              {"pr.comment.unresolve"},
		"project_v2.items.field.update":     {"project_v2.item.field.update"},
		"project_v2.items.issue.add":        {"project_v2.item.add_issue"},
		"project_v2.org.view":               {"project_v2.org.get"},
		"project_v2.user.view":              {"project_v2.user.get"},
		"release.create":                    {"release.create_draft"},
		"release.publish":                   {"release.publish_draft"},
		"release.view":                      {"release.get"},
		"workflow.dispatch":                 {"workflow.dispatch-run", "workflow_dispatch.run"},
		"workflow.job.logs.raw":             {"workflow_job.logs.get"},
		"workflow.job.logs.view":            {"workflow_job.logs.analyze"},
		"workflow.run.artifacts.list":       {"workflow_run.artifacts.list"},
		"workflow.run.cancel":               {"workflow_run.cancel"},
		"workflow.run.rerun.all":            {"workflow_run.rerun_all"},
		"workflow.run.rerun.failed":         {"workflow_run.rerun_failed"},
		"workflow.run.view":                 {"workflow_run.get"},
		"workflow.runs.list":                {"workflow_runs.list"},
		"workflow.view":                     {"workflow.get"},
	}
}
