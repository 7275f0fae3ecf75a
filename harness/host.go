package harness

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Host is what a runner has of the machine that it is on.
type Host struct {
	// Dir is the experiment's folder, in which relative paths begin; empty is
	// the current folder.
	Dir string
	// Environ is our own environment, as of [os.Environ]. What of it a child
	// process gets is for [AgentEnv] to say.
	Environ []string
	// Log takes lines about the run and what children print, redacted; nil
	// drops them.
	Log io.Writer
	// Observe is told when a task is done; calls do not overlap. It may be
	// nil.
	Observe func(Progress)
	// Epoch is the how many-th time it is, from 1, that the tasks are done; 0 is not
	// known. Benchmarks that draw from a seed draw anew in each epoch.
	Epoch int
	// Hidden are further texts that no log may have.
	Hidden []string
	// Planned is told which tasks are run, as soon as that is known, before the
	// first of them is done; it may be nil.
	Planned func(taskIDs []string)
}

// Progress is a task that is done.
type Progress struct {
	TaskID  string
	Outcome Outcome
	// Measured is what is known of the task beside its outcome.
	Measured Measured
	// Done tasks of Total; Total is 0 while it is not known.
	Done, Total int
}

// Path returns the absolute path of a path of the configuration, which begins
// in Dir unless it is absolute.
func (h Host) Path(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(h.Dir, path)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		// Our own folder is gone; the path as it was given is all there is.
		return path
	}
	return absolute
}

// Getenv returns the value of an environment variable, empty if there is none.
func (h Host) Getenv(name string) string {
	for _, entry := range slices.Backward(h.Environ) {
		if value, is := strings.CutPrefix(entry, name+"="); is {
			return value
		}
	}
	return ""
}

// Done tells of a task that is done.
func (h Host) Done(p Progress) {
	if h.Observe != nil {
		h.Observe(p)
	}
}

// Plan tells which tasks are run.
func (h Host) Plan(taskIDs []string) {
	if h.Planned != nil {
		h.Planned(taskIDs)
	}
}
