// Package suite is the loop around a benchmark: a regression suite, a gate of
// three steps that a change of the agent has to pass, and the record of what
// has passed. All of it is files in a workspace.
package suite

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/internal/state"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Dir is the workspace's folder in that of the experiment.
const Dir = "workspace"

// The files of a workspace.
const (
	suiteFile     = "suite.json"
	resultsFile   = "results.tsv"
	learningsFile = "learnings.md"
	gateFile      = "gate.json"
	lockFile      = ".lock"
	resultsEnd    = "_results.json"
)

// Workspace is a folder with what is known of an experiment. Files are
// written whole or not at all.
type Workspace struct {
	// Dir is the folder.
	Dir string
	// Now returns the time.
	Now func() time.Time
}

func (w Workspace) path(name string) string { return filepath.Join(w.Dir, name) }

// timestamp returns the time as files have it: RFC 3339 in UTC, in seconds.
func (w Workspace) timestamp() string {
	return w.Now().UTC().Format("2006-01-02T15:04:05+00:00")
}

// Lock keeps other processes from changing the workspace until the returned
// function is called. The error is of kind invalid if another one is at it.
func (w Workspace) Lock(who string) (release func(), err error) {
	return state.Lock(w.path(lockFile), who)
}

// Suite is the regression suite: tasks that must not be lost again.
type Suite struct {
	Tasks []string `json:"tasks"`
	// Threshold is the share of the tasks that must pass, from 0 to 1.
	Threshold float64 `json:"threshold"`
	// LastResults are rewards, null for none.
	LastResults map[string]*float64 `json:"last_results"`
}

// Suite returns the regression suite; without a file it is empty, with this
// threshold.
func (w Workspace) Suite(threshold float64) (Suite, error) {
	suite := Suite{Threshold: threshold}
	if _, err := state.ReadJSON(w.path(suiteFile), &suite); err != nil {
		return Suite{}, err
	}
	if !(suite.Threshold >= 0 && suite.Threshold <= 1) {
		return Suite{}, fault.Invalidf("%s: threshold is %g, want a number from 0 to 1", w.path(suiteFile), suite.Threshold)
	}
	return suite, nil
}

// SaveSuite writes the regression suite.
func (w Workspace) SaveSuite(suite Suite) error {
	if suite.Tasks == nil {
		suite.Tasks = []string{}
	}
	if suite.LastResults == nil {
		suite.LastResults = map[string]*float64{}
	}
	return state.WriteJSON(w.path(suiteFile), suite)
}

// resultsOf is how results are saved: as the original harness has them, with
// the outcomes beside.
type resultsOf struct {
	Split     *string             `json:"split"`
	Timestamp *string             `json:"timestamp"`
	Results   map[string]*float64 `json:"results"`
	Outcomes  harness.Results     `json:"outcomes,omitempty"`
}

// ResultFiles returns where the results of a split are saved:
// <split>_results.json, and train_results.json if it is the one that is
// trained on: what the gate promotes from must not know of other tasks. The
// error, of kind invalid, is about a split that cannot be saved.
func (w Workspace) ResultFiles(split string, training bool) ([]string, error) {
	name := split
	if split == harness.WholeDataset {
		name = "all"
	}
	files := []string{w.path(name + resultsEnd)}
	if training && name != harness.TrainSplit {
		files = append(files, w.path(harness.TrainSplit+resultsEnd))
	}
	for _, file := range files {
		if is, err := os.Stat(file); err == nil && is.IsDir() {
			return nil, state.IsFolder(file)
		}
	}
	switch {
	case name == "" || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, "."):
		return nil, fault.Invalidf("split %q cannot be the name of a file of results", split)
	case name == harness.TrainSplit && !training:
		return nil, fault.Invalidf("split %q is not what is trained on: its results would be taken for such", split)
	default:
		return files, nil
	}
}

// SaveResults writes the results of a split to its files, as
// [Workspace.ResultFiles] has them, and returns those.
func (w Workspace) SaveResults(split string, training bool, results harness.Results) ([]string, error) {
	files, err := w.ResultFiles(split, training)
	if err != nil {
		return nil, err
	}
	now := w.timestamp()
	for _, file := range files {
		if err := state.WriteJSON(file, resultsOf{&split, &now, results.Plain(), results}); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// CheckMerge returns the error that [Workspace.MergeResults] would end with after the
// tasks are run: what is known of other tasks cannot be read.
func (w Workspace) CheckMerge(split string, training bool) error {
	files, err := w.ResultFiles(split, training)
	if err == nil {
		_, err = w.results(files[0], split)
	}
	return err
}

// MergeResults is [Workspace.SaveResults] for some tasks of a split: what is known of
// its other tasks stays.
func (w Workspace) MergeResults(split string, training bool, results harness.Results) ([]string, error) {
	files, err := w.ResultFiles(split, training)
	if err != nil {
		return nil, err
	}
	known, err := w.results(files[0], split)
	if err != nil {
		return nil, err
	}
	if known == nil {
		known = harness.Results{}
	}
	maps.Copy(known, results)
	return w.SaveResults(split, training, known)
}

// TrainResults returns the last results of the split that is trained on, none
// if there are none yet. Results of another split are an error of kind invalid.
func (w Workspace) TrainResults(split string) (harness.Results, error) {
	return w.results(w.path(harness.TrainSplit+resultsEnd), split)
}

func (w Workspace) results(file, split string) (harness.Results, error) {
	var saved struct {
		Split   *string         `json:"split"`
		Results harness.Results `json:"results"`
		// Outcomes are richer than Results, where they are there.
		Outcomes harness.Results `json:"outcomes"`
	}
	found, err := state.ReadJSON(file, &saved)
	switch {
	case err != nil:
		return nil, err
	case !found || saved.Split == nil:
		return nil, nil
	case *saved.Split != split:
		return nil, fault.Invalidf("%s has the results of split %q, not of %q: run `bench harness run --split %s` again", file, *saved.Split, split, split)
	}
	results := harness.Results{}
	maps.Copy(results, saved.Results)
	maps.Copy(results, saved.Outcomes)
	return results, nil
}

// Init makes the workspace's files that are not there yet, and tells of each
// file whether it was made.
func (w Workspace) Init(threshold float64, tell func(file string, made bool)) error {
	var none resultsOf
	none.Results = map[string]*float64{}
	files := []struct {
		name string
		make func(path string) error
	}{
		{suiteFile, func(string) error { return w.SaveSuite(Suite{Threshold: threshold}) }},
		{learningsFile, func(path string) error { return state.Write(path, []byte("# Learnings\n\n")) }},
		{resultsFile, func(path string) error { return state.Write(path, []byte(header+"\n")) }},
		{harness.TrainSplit + resultsEnd, func(path string) error { return state.WriteJSON(path, none) }},
	}
	for _, f := range files {
		path := w.path(f.name)
		there, err := state.Exists(path)
		if err != nil {
			return err
		}
		if !there {
			if err := f.make(path); err != nil {
				return err
			}
		}
		tell(path, !there)
	}
	return nil
}
