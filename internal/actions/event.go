package actions

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

// Event is what started the workflow, and where it runs.
type Event struct {
	ghevent.Event
	// HeadSHA is the commit to judge and to report on: of a pull request its
	// head, not the merge commit that GITHUB_SHA is. A comment carries none;
	// it has to be asked for. BaseSHA is what it is a change to, if that is
	// known.
	HeadSHA, BaseSHA string
	// Fork is true if the head comes from another repository, so that the
	// token may read only and there are no secrets.
	Fork bool
	// Dependabot is true if it started the run.
	Dependabot bool
	// PullNumber is the pull request's, 0 if the event is about none, or does not
	// say about which.
	PullNumber int

	Place Place
}

// Place is where the workflow runs.
type Place struct {
	// APIURL, GraphQLURL and ServerURL are those of the GitHub instance.
	// GraphQLURL is empty where the runner does not tell it: then it is beside
	// APIURL.
	APIURL, GraphQLURL, ServerURL string
	// RunURL is the page of this run.
	RunURL string
	// RunID is the number of the run, empty outside of one, and Attempt its attempt's,
	// from 1.
	RunID   string
	Attempt int
	// Workflow is the file and ref of the workflow.
	Workflow string
	// Workspace is the folder of the checkout.
	Workspace string
}

const (
	defaultAPIURL    = "https://api.github.com"
	defaultServerURL = "https://github.com"
)

// maxPayload is in bytes. GitHub sends no larger ones.
// https://docs.github.com/webhooks/webhook-events-and-payloads#payload-cap
const maxPayload = 25 << 20

// ReadEvent reads the event from the environment and the payload's file. The
// error is of kind infrastructure: workflows do not write either.
func ReadEvent(getenv func(string) string) (Event, error) {
	e := Event{Place: readPlace(getenv)}
	name := getenv("GITHUB_EVENT_NAME")
	if name == "" {
		return Event{}, fault.Infraf("GITHUB_EVENT_NAME is not set: this is not a workflow of GitHub Actions")
	}
	payload, err := readPayload(getenv("GITHUB_EVENT_PATH"))
	if err == nil {
		e.Event, err = ghevent.Parse(name, payload)
	}
	if err != nil {
		return Event{}, fault.Infraf("read event %s: %w", name, err)
	}
	if full := getenv("GITHUB_REPOSITORY"); full != "" {
		e.Repo.Owner, e.Repo.Name, _ = strings.Cut(full, "/")
	}
	if e.Repo.Owner == "" || e.Repo.Name == "" {
		return Event{}, fault.Infraf("GITHUB_REPOSITORY is %q, want owner/name", getenv("GITHUB_REPOSITORY"))
	}
	e.judge(getenv("GITHUB_SHA"))
	e.Dependabot = getenv("GITHUB_ACTOR") == "dependabot[bot]"
	return e, nil
}

// Secretless reports whether GitHub gives the run none of the repository's secrets:
// of a fork, or started by Dependabot, which has secrets of its own.
// https://docs.github.com/code-security/dependabot/troubleshooting-dependabot/troubleshooting-dependabot-on-github-actions
func (e Event) Secretless() bool {
	return e.Name == ghevent.PullRequest && e.Fork || e.Dependabot && (e.Name == ghevent.PullRequest || e.Name == ghevent.Push)
}

// judge sets what is to be judged. The commit is that of the workflow.
func (e *Event) judge(commit string) {
	switch {
	case e.Name == ghevent.WorkflowDispatch:
		e.HeadSHA = cmp.Or(e.Commit, commit)
	case e.Comment != nil && e.Comment.OnPull:
		e.PullNumber = e.Pull.Number
	case e.Comment != nil:
	case e.Pull != nil:
		e.HeadSHA, e.BaseSHA, e.PullNumber = e.Pull.HeadSHA, e.Pull.BaseSHA, e.Pull.Number
		e.Fork = !e.Repo.Owns(e.Pull.HeadRepo)
		e.Pull.Fork = e.Fork
	case e.Run != nil:
		e.HeadSHA, e.Fork = e.Run.HeadSHA, !e.Repo.Owns(e.Run.HeadRepo)
		if len(e.Run.Pulls) == 1 {
			e.PullNumber = e.Run.Pulls[0]
		}
	case e.Group != nil:
		e.HeadSHA, e.BaseSHA = e.Group.HeadSHA, e.Group.BaseSHA
	case e.Pushed != nil:
		e.HeadSHA, e.BaseSHA = e.Pushed.HeadSHA, e.Pushed.BaseSHA
	}
}

func readPlace(getenv func(string) string) Place {
	p := Place{
		APIURL:     cmp.Or(getenv("GITHUB_API_URL"), defaultAPIURL),
		GraphQLURL: getenv("GITHUB_GRAPHQL_URL"),
		ServerURL:  cmp.Or(getenv("GITHUB_SERVER_URL"), defaultServerURL),
		RunID:      getenv("GITHUB_RUN_ID"),
		Workspace:  getenv("GITHUB_WORKSPACE"),
		Workflow:   getenv("GITHUB_WORKFLOW_REF"),
		Attempt:    1,
	}
	if attempt, err := strconv.Atoi(getenv("GITHUB_RUN_ATTEMPT")); err == nil {
		p.Attempt = attempt
	}
	if repository := getenv("GITHUB_REPOSITORY"); p.RunID != "" && repository != "" {
		p.RunURL = fmt.Sprintf("%s/%s/actions/runs/%s", p.ServerURL, repository, p.RunID)
		if p.Attempt > 1 {
			p.RunURL += "/attempts/" + strconv.Itoa(p.Attempt)
		}
	}
	return p
}

func readPayload(path string) ([]byte, error) {
	if path == "" {
		return nil, fmt.Errorf("GITHUB_EVENT_PATH is not set")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxPayload+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxPayload {
		return nil, fmt.Errorf("the payload in %s has more than %d MiB", path, maxPayload>>20)
	}
	return data, nil
}
