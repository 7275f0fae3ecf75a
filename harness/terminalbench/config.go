package terminalbench

import (
	"maps"
	"path/filepath"
	"strings"

	"github.com/ghx-dev/bench-action/harness"
)

// config is harbor's JobConfig, as far as flags do not say it.
type config map[string]any

// isClass reports whether a text is a Python class as module:Class.
func isClass(text string) bool { return strings.Contains(text, ":") }

func (r *Runner) config(taskIDs []string) config {
	o := r.options
	agent := o.Settings.Below("agent")
	agent["model_name"] = o.Agent.Model
	agent["max_timeout_sec"] = o.PerTaskTimeout.Seconds()
	agent[place("name", o.AgentImportPath)] = o.AgentImportPath
	environment := o.Settings.Below("environment")
	environment[place("type", o.EnvProvider)] = o.EnvProvider
	dataset := o.Settings.Below("dataset")
	maps.Copy(dataset, parseDataset(o.Host, o.Dataset))
	if taskIDs != nil {
		// They are what is run, whatever else is said.
		delete(dataset, "n_tasks")
		delete(dataset, "exclude_task_names")
		names := make([]string, 0, len(taskIDs))
		for _, id := range taskIDs {
			names = append(names, escape(id))
		}
		dataset["task_names"] = names
	}
	whole := config(o.Settings.Below(""))
	for _, group := range []string{"retry", "verifier"} {
		if said := o.Settings.Below(group); len(said) > 0 {
			whole[group] = said
		}
	}
	whole["agents"], whole["datasets"], whole["environment"] = []any{agent}, []any{dataset}, environment
	return whole
}

// place is where harbor takes a name: a class is not among its own.
func place(own, name string) string {
	if isClass(name) {
		return "import_path"
	}
	return own
}

// parseDataset returns a dataset by what [Options.Dataset] has.
func parseDataset(h harness.Host, dataset string) map[string]any {
	for _, prefix := range []string{"./", "../", "/"} {
		if strings.HasPrefix(dataset, filepath.FromSlash(prefix)) {
			return map[string]any{"path": h.Path(dataset)}
		}
	}
	name, version, versioned := strings.Cut(dataset, "@")
	said := map[string]any{"name": name}
	switch {
	case versioned && strings.Contains(name, "/"):
		said["ref"] = version
	case versioned:
		said["version"] = version
	}
	return said
}

// escape returns the pattern that matches an id and nothing else.
func escape(id string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(id)
}
