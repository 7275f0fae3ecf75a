package model

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// workflowFolder is where a repository keeps its workflows.
const workflowFolder = ".github/workflows"

// What a workflow file may have at most: the YAML parser takes time with the
// square of size and depth.
const (
	maxWorkflow = 64 << 10
	maxBrackets = 100
)

// definition is a workflow file, as far as the sandbox plays it.
type definition struct {
	Name    string        `yaml:"name"`
	RunName string        `yaml:"run-name"`
	On      any           `yaml:"on"`
	Jobs    yaml.MapSlice `yaml:"jobs"`

	// jobs are those of Jobs, in the order of the file.
	jobs []jobDefinition
}

type jobDefinition struct {
	Key   string `yaml:"-"`
	Name  string `yaml:"name"`
	Needs any    `yaml:"needs"`
	// Environment is a name, or an object with a name and a url.
	Environment any              `yaml:"environment"`
	Steps       []stepDefinition `yaml:"steps"`
}

type stepDefinition struct {
	Name string `yaml:"name"`
	Uses string `yaml:"uses"`
	Run  string `yaml:"run"`
}

type dispatchInput struct {
	Required bool     `yaml:"required"`
	Default  any      `yaml:"default"`
	Type     string   `yaml:"type"`
	Options  []string `yaml:"options"`
}

// readWorkflows adds the workflows of the default branch's new tip that are
// not known yet, as GitHub does when they are pushed there. Files that are no
// workflow are left out.
func (s *State) readWorkflows(repo *Repo, tip gitstore.Hash) {
	for _, file := range workflowFiles(repo, tip) {
		def, err := s.readDefinition(repo, tip, file)
		if err != nil {
			continue
		}
		w := s.workflowAt(repo, file)
		if w == nil {
			w = &Workflow{ID: s.newID(), RepoID: repo.ID, Path: file, CreatedAt: s.Now}
			s.Workflows.Add(w.ID, w)
		}
		if name := orElse(def.Name, file); w.Name != name {
			w.Name, w.UpdatedAt = name, s.Now
		}
	}
}

func (s *State) workflowAt(repo *Repo, file string) *Workflow {
	return s.Workflows.firstOf(workflowByRepo, key{of: repo.ID}, func(w *Workflow) bool { return w.Path == file })
}

// WorkflowByRef returns a repository's workflow by id or file name, nil if
// there is none.
func (s *State) WorkflowByRef(repo *Repo, ref string) *Workflow {
	id, err := strconv.ParseInt(ref, 10, 64)
	return s.Workflows.First(func(w *Workflow) bool {
		return w.RepoID == repo.ID && (err == nil && w.ID == id || path.Base(w.Path) == ref)
	})
}

func workflowFiles(repo *Repo, commit gitstore.Hash) []string {
	folder, err := repo.Git.Entry(commit, workflowFolder)
	if err != nil {
		return nil
	}
	entries, err := repo.Git.Tree(folder.Hash, false)
	if err != nil {
		return nil
	}
	var files []string
	for _, e := range entries {
		if ext := path.Ext(e.Name); e.Type == "blob" && (ext == ".yml" || ext == ".yaml") {
			files = append(files, workflowFolder+"/"+e.Name)
		}
	}
	return files
}

// definitions are workflow files that were read, by their blobs. They are shared
// by copies of a world; nil keeps none.
type definitions struct {
	mu   sync.Mutex
	read map[gitstore.Hash]definition
}

// maxDefinitions is how many are kept.
const maxDefinitions = 64

func (d *definitions) known(blob gitstore.Hash) (def definition, known bool) {
	if d == nil {
		return def, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	def, known = d.read[blob]
	return def, known
}

func (d *definitions) keep(blob gitstore.Hash, def definition) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.read) >= maxDefinitions {
		clear(d.read)
	}
	d.read[blob] = def
}

// readDefinition reads a workflow file. The error is about a file that is not
// there, or is no workflow.
func (s *State) readDefinition(repo *Repo, commit gitstore.Hash, file string) (definition, error) {
	entry, err := repo.Git.Entry(commit, file)
	if err != nil {
		return definition{}, err
	}
	if def, known := s.definitions.known(entry.Hash); known {
		return def, nil
	}
	content, err := repo.Git.Blob(entry.Hash)
	if err != nil {
		return definition{}, err
	}
	def, err := parseDefinition(content)
	if err == nil {
		s.definitions.keep(entry.Hash, def)
	}
	return def, err
}

func parseDefinition(content []byte) (definition, error) {
	var def definition
	if len(content) > maxWorkflow || brackets(content) > maxBrackets {
		return def, errors.New("the file is too large or too deep")
	}
	if err := yaml.Unmarshal(content, &def); err != nil {
		return def, err
	}
	return def, def.readJobs()
}

// brackets returns how many brackets and braces are open at most.
func brackets(content []byte) int {
	open, most := 0, 0
	for _, c := range content {
		switch c {
		case '[', '{':
			open++
			most = max(most, open)
		case ']', '}':
			open--
		}
	}
	return most
}

func (d *definition) readJobs() error {
	if len(d.Jobs) == 0 {
		return errors.New("the workflow has no jobs")
	}
	for _, item := range d.Jobs {
		text, err := yaml.Marshal(item.Value)
		if err != nil {
			return err
		}
		job := jobDefinition{Key: fmt.Sprint(item.Key)}
		if err := yaml.Unmarshal(text, &job); err != nil {
			return err
		}
		job.Name = orElse(job.Name, job.Key)
		d.jobs = append(d.jobs, job)
	}
	return nil
}

// trigger returns the settings of an event that starts the workflow; ok is
// false where the event does not.
func (d definition) trigger(event string) (settings map[string]any, ok bool) {
	switch on := d.On.(type) {
	case string:
		return nil, on == event
	case []any:
		return nil, slices.Contains(on, any(event))
	case map[string]any:
		value, ok := on[event]
		settings, _ = value.(map[string]any)
		return settings, ok
	default:
		return nil, false
	}
}

// startedBy reports whether the workflow runs on a trigger, by its event,
// action and branch. Filters by path are not played: such a workflow runs
// whatever has changed.
func (d definition) startedBy(t trigger) bool {
	settings, ok := d.trigger(t.event)
	if !ok {
		return false
	}
	branch := t.branch
	if t.pull != nil {
		branch = t.pull.Pull.BaseRef
		types := stringList(settings["types"])
		if len(types) == 0 {
			types = []string{"opened", "synchronize", "reopened"}
		}
		if !slices.Contains(types, t.action) {
			return false
		}
	}
	if types := stringList(settings["types"]); t.event == "repository_dispatch" && len(types) > 0 && !slices.Contains(types, t.action) {
		return false
	}
	switch {
	case settings["branches"] != nil:
		return matchesAny(stringList(settings["branches"]), branch)
	case settings["branches-ignore"] != nil:
		return !matchesAny(stringList(settings["branches-ignore"]), branch)
	default:
		// A workflow for tags alone does not run for branches.
		return settings["tags"] == nil && settings["tags-ignore"] == nil
	}
}

func stringList(value any) []string {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		var texts []string
		for _, v := range value {
			if text, ok := v.(string); ok {
				texts = append(texts, text)
			}
		}
		return texts
	default:
		return nil
	}
}

// needs returns the keys of the jobs that must pass before this one.
func (j jobDefinition) needs() []string { return stringList(j.Needs) }

func (st stepDefinition) title() string {
	switch {
	case st.Name != "":
		return st.Name
	case st.Uses != "":
		return "Run " + st.Uses
	default:
		first, _, _ := strings.Cut(st.Run, "\n")
		return "Run " + first
	}
}

// dispatchInputs returns the inputs that workflow_dispatch declares.
func (d definition) dispatchInputs() (map[string]dispatchInput, error) {
	settings, _ := d.trigger("workflow_dispatch")
	declared, ok := settings["inputs"]
	if !ok {
		return nil, nil
	}
	text, err := yaml.Marshal(declared)
	if err != nil {
		return nil, err
	}
	var inputs map[string]dispatchInput
	return inputs, yaml.Unmarshal(text, &inputs)
}

// completeInputs checks dispatch inputs against the declared ones and adds the
// defaults.
func (d definition) completeInputs(given map[string]string) (map[string]string, error) {
	declared, err := d.dispatchInputs()
	if err != nil {
		return nil, unprocessable("Workflow inputs cannot be read: %s", err)
	}
	var unexpected []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := declared[name]; !ok {
			unexpected = append(unexpected, strconv.Quote(name))
		}
	}
	if len(unexpected) > 0 {
		return nil, unprocessable("Unexpected inputs provided: [%s]", strings.Join(unexpected, ", "))
	}
	inputs := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		input := declared[name]
		value, ok := given[name]
		if !ok && input.Default != nil {
			value, ok = fmt.Sprint(input.Default), true
		}
		switch {
		case !ok && input.Required:
			return nil, unprocessable("Required input '%s' not provided", name)
		case ok && input.Type == "choice" && !slices.Contains(input.Options, value):
			return nil, unprocessable("Provided value '%s' for input '%s' not in the list of allowed values", value, name)
		case ok:
			inputs[name] = value
		}
	}
	return inputs, nil
}

// title returns what a run of the workflow is called: its run-name with inputs
// filled in, else the fallback.
func (d definition) title(inputs map[string]string, fallback string) string {
	if d.RunName == "" {
		return fallback
	}
	title := d.RunName
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		for _, expression := range []string{"inputs." + name, "github.event.inputs." + name} {
			title = strings.ReplaceAll(title, "${{ "+expression+" }}", inputs[name])
		}
	}
	return title
}
