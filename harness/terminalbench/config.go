package terminalbench

import (
	"path/filepath"
	"strings"

	"github.com/ghx-dev/bench-action/harness"
)

// config is harbor's JobConfig, as far as flags do not say it.
type config struct {
	Agents      []agentConfig     `json:"agents"`
	Datasets    []datasetConfig   `json:"datasets"`
	Environment environmentConfig `json:"environment"`
}

type agentConfig struct {
	Name       string `json:"name,omitempty"`
	ImportPath string `json:"import_path,omitempty"`
	ModelName  string `json:"model_name"`
	// MaxTimeoutSec is the most that the agent gets for a task.
	MaxTimeoutSec float64 `json:"max_timeout_sec"`
}

type datasetConfig struct {
	Path    string `json:"path,omitempty"`
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	Ref     string `json:"ref,omitempty"`
	// TaskNames are patterns as of Python's fnmatch; none is all tasks.
	TaskNames []string `json:"task_names,omitempty"`
}

type environmentConfig struct {
	Type       string `json:"type,omitempty"`
	ImportPath string `json:"import_path,omitempty"`
}

// isClass reports whether a text is a Python class as module:Class.
func isClass(text string) bool { return strings.Contains(text, ":") }

func (r *Runner) config(taskIDs []string) config {
	o := r.options
	agent := agentConfig{ModelName: o.Agent.Model, MaxTimeoutSec: o.PerTaskTimeout.Seconds()}
	if isClass(o.AgentImportPath) {
		agent.ImportPath = o.AgentImportPath
	} else {
		agent.Name = o.AgentImportPath
	}
	environment := environmentConfig{Type: o.EnvProvider}
	if isClass(o.EnvProvider) {
		environment = environmentConfig{ImportPath: o.EnvProvider}
	}
	dataset := parseDataset(o.Host, o.Dataset)
	for _, id := range taskIDs {
		dataset.TaskNames = append(dataset.TaskNames, escape(id))
	}
	return config{Agents: []agentConfig{agent}, Datasets: []datasetConfig{dataset}, Environment: environment}
}

// parseDataset returns a dataset by what [Options.Dataset] has.
func parseDataset(h harness.Host, dataset string) datasetConfig {
	for _, prefix := range []string{"./", "../", "/"} {
		if strings.HasPrefix(dataset, filepath.FromSlash(prefix)) {
			return datasetConfig{Path: h.Path(dataset)}
		}
	}
	name, version, _ := strings.Cut(dataset, "@")
	if strings.Contains(name, "/") {
		return datasetConfig{Name: name, Ref: version}
	}
	return datasetConfig{Name: name, Version: version}
}

// escape returns the pattern that matches an id and nothing else.
func escape(id string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(id)
}
