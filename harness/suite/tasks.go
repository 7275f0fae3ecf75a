package suite

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/internal/state"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// tasksFile has, by split, the tasks that its scores are of.
const tasksFile = "tasks.json"

// FixTasks notes which tasks a split has, unless that is known already: scores
// of other tasks are not comparable.
func (w Workspace) FixTasks(split string, results harness.Results) error {
	known := map[string][]string{}
	if _, err := state.ReadJSON(w.path(tasksFile), &known); err != nil {
		return err
	}
	if len(known[split]) > 0 {
		return nil
	}
	known[split] = results.IDs()
	return state.WriteJSON(w.path(tasksFile), known)
}

// Tasks returns the tasks of a split as [Workspace.FixTasks] has noted them, nil
// if it has not.
func (w Workspace) Tasks(split string) ([]string, error) {
	known := map[string][]string{}
	_, err := state.ReadJSON(w.path(tasksFile), &known)
	return known[split], err
}

// sameTasks holds a run to the tasks that earlier scores are of, if they are
// known: one that it lacks has failed, and one that they lack is an error of kind
// invalid.
func (w Workspace) sameTasks(split string, tasks []string, results harness.Results) (harness.Results, error) {
	if len(tasks) == 0 {
		return results, nil
	}
	known := map[string]bool{}
	for _, id := range tasks {
		known[id] = true
	}
	var extra []string
	for id := range results {
		if !known[id] {
			extra = append(extra, id)
		}
	}
	if slices.Sort(extra); len(extra) > 0 {
		const shown = 5
		named := strings.Join(extra[:min(shown, len(extra))], ", ")
		if len(extra) > shown {
			named += ", …"
		}
		return nil, fault.Invalidf("split %q has %d tasks that earlier scores are not of: %s; scores of other tasks cannot be compared: go back to the %d tasks before, or remove %s and %s to begin anew",
			split, len(extra), named, len(tasks), w.path(tasksFile), w.path(resultsFile))
	}
	return harness.Complete(tasks, results)
}
