package rest

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"strconv"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func logRoutes() []route {
	const base = " " + reposPath + "/actions"
	return []route{
		{"GET" + base + "/jobs/{id}/logs", onJob(jobLogs)},
		{"GET" + base + "/runs/{id}/logs", onRun(runLogs)},
		{"GET" + base + "/runs/{id}/attempts/{attempt}/logs", onRun(attemptLogs)},
		{"DELETE" + base + "/runs/{id}/logs", onRun(deleteLogs)},
		{"GET" + base + "/runs/{id}/timing", onRun(timing)},
	}
}

// The paths of logs, which [API.Logs] answers to.
const (
	jobLogsPath = "/jobs/%d/logs.txt"
	runLogsPath = "/runs/%d/attempts/%d/logs.zip"
)

// The hosts that the API sends clients on to.
const (
	// LogsHost has the logs of Actions.
	LogsHost = "results-receiver.actions.githubusercontent.com"
	// ArchiveHost has archives of repositories.
	ArchiveHost = "codeload.github.com"
)

// found sends a client on to a path of one of these hosts.
func (c *call) found(host, format string, args ...any) (reply, error) {
	address := c.downloads(host, fmt.Sprintf(format, args...))
	return reply{status: http.StatusFound, header: http.Header{"Location": {address}}}, nil
}

// jobLogs sends on to a job's log, which is there once the job has ended.
func jobLogs(c *call, j *model.Job) (reply, error) {
	if j.Status != model.Completed || j.Log() == "" {
		return reply{}, errNotFound
	}
	return c.found(LogsHost, jobLogsPath, j.ID)
}

func runLogs(c *call, r *model.Run) (reply, error) { return c.logsOf(r, len(r.Attempts)) }

func attemptLogs(c *call, r *model.Run) (reply, error) {
	n, err := c.attempt(r)
	if err != nil {
		return reply{}, err
	}
	return c.logsOf(r, n)
}

func (c *call) logsOf(r *model.Run, attempt int) (reply, error) {
	a := r.Attempts[attempt-1]
	if a.Status != model.Completed || len(c.s.LoggedJobs(a)) == 0 {
		return reply{}, errNotFound
	}
	return c.found(LogsHost, runLogsPath, r.ID, attempt)
}

func deleteLogs(c *call, r *model.Run) (reply, error) {
	if err := c.s.DeleteLogs(c.actor, r); err != nil {
		return reply{}, err
	}
	return noContent()
}

// timing answers how long a run took. Nothing is billed in a sandbox.
func timing(c *call, r *model.Run) (reply, error) {
	a := r.Current()
	body := map[string]any{"billable": struct{}{}}
	end := a.StartedAt
	for _, id := range a.Jobs {
		if done := c.s.Jobs.Get(id).CompletedAt; done != nil && done.After(end) {
			end = *done
		}
	}
	if a.Status == model.Completed {
		body["run_duration_ms"] = end.Sub(a.StartedAt).Milliseconds()
	}
	return ok(body)
}

var (
	jobLogsForm = regexp.MustCompile(`^/jobs/(\d+)/logs\.txt$`)
	runLogsForm = regexp.MustCompile(`^/runs/(\d+)/attempts/(\d+)/logs\.zip$`)
)

// Logs answers a request for logs or an artifact at [LogsHost], by its path.
func (a *API) Logs(s *model.State, path string) Response {
	if m := jobLogsForm.FindStringSubmatch(path); m != nil {
		if job := s.Jobs.Get(idOf(m[1])); job != nil {
			return downloaded("text/plain; charset=utf-8", []byte(job.Log()))
		}
	}
	if m := runLogsForm.FindStringSubmatch(path); m != nil {
		if run, n := s.Runs.Get(idOf(m[1])), int(idOf(m[2])); run != nil && n >= 1 && n <= len(run.Attempts) {
			var archive bytes.Buffer
			if err := model.WriteLogs(&archive, s.LoggedJobs(run.Attempts[n-1])); err != nil {
				return errorResponse(err)
			}
			return downloaded("application/zip", archive.Bytes())
		}
	}
	if m := artifactForm.FindStringSubmatch(path); m != nil {
		if a := s.Artifacts.Get(idOf(m[1])); a != nil {
			return archived(a)
		}
	}
	return errorResponse(errNotFound)
}

// idOf reads digits; what is too long to be an id is 0.
func idOf(digits string) model.ID {
	id, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0
	}
	return id
}

func downloaded(contentType string, body []byte) Response {
	return Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {contentType}}, Body: body}
}
