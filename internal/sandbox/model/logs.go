package model

import (
	"archive/zip"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// Log returns what a job printed, step after step; empty if nothing was kept.
func (j *Job) Log() string {
	var log strings.Builder
	for _, step := range j.Steps {
		log.WriteString(step.Log)
	}
	return log.String()
}

// DeleteLogs removes the logs of all attempts of a run.
func (s *State) DeleteLogs(actor ID, run *Run) error {
	if err := s.require(actor, s.Repos.Get(run.RepoID), PermWrite); err != nil {
		return err
	}
	if run.Current().Status != Completed {
		return &Problem{Kind: Conflict, Message: "Cannot delete logs of a workflow run that is not completed."}
	}
	s.Advance()
	for _, job := range s.Jobs.with(jobByRun, key{of: run.ID}) {
		job.Steps = slices.Clone(job.Steps)
		for n := range job.Steps {
			job.Steps[n].Log = ""
		}
	}
	return nil
}

// LoggedJobs returns the jobs of an attempt that have a log.
func (s *State) LoggedJobs(a Attempt) []*Job {
	var logged []*Job
	for _, id := range a.Jobs {
		if job := s.Jobs.Get(id); job.Log() != "" {
			logged = append(logged, job)
		}
	}
	return logged
}

// WriteLogs writes the logs of jobs as the archive that Actions makes of them:
// one file for each job, and one for each of its steps in a folder that has
// the job's name.
func WriteLogs(w io.Writer, jobs []*Job) error {
	archive := zip.NewWriter(w)
	for n, job := range jobs {
		name := logName(job.Name)
		if err := addFile(archive, fmt.Sprintf("%d_%s.txt", n, name), job.Log()); err != nil {
			return err
		}
		for _, step := range job.Steps {
			if step.Log == "" {
				continue
			}
			if err := addFile(archive, fmt.Sprintf("%s/%d_%s.txt", name, step.Number, logName(step.Name)), step.Log); err != nil {
				return err
			}
		}
	}
	return archive.Close()
}

func addFile(archive *zip.Writer, name, content string) error {
	file, err := archive.Create(name)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, content)
	return err
}

// maxLogName is the longest name of a job in an archive of logs, in UTF-16
// code units.
const maxLogName = 90

// logName returns the name of a job or step as archives of logs have it.
func logName(name string) string {
	units := utf16.Encode([]rune(strings.NewReplacer("/", "", ":", "").Replace(name)))
	return strings.TrimSpace(string(utf16.Decode(units[:min(len(units), maxLogName)])))
}
