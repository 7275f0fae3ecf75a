package actions

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// The names of the events that lead to something.
const (
	EventPullRequest       = "pull_request"
	EventPullRequestTarget = "pull_request_target"
	EventIssueComment      = "issue_comment"
	EventWorkflowRun       = "workflow_run"
	EventMergeGroup        = "merge_group"
	EventWorkflowDispatch  = "workflow_dispatch"
	EventPush              = "push"
)

// Event is what started the workflow, and where it runs. Fields that an event
// does not have are empty.
type Event struct {
	// Name is the event's, Action what happened, such as "opened".
	Name, Action string
	// Owner and Repository name the repository that the workflow belongs to.
	Owner, Repository string
	// DefaultBranch is the name of that repository's.
	DefaultBranch string
	// Actor is the login of who started the run.
	Actor string
	// Ref is the full ref of a push or a dispatch, such as "refs/heads/main".
	Ref string
	// HeadSHA is the commit to judge and to report on: of a pull request its
	// head, not the merge commit that GITHUB_SHA is. A comment carries none;
	// it has to be asked for. BaseSHA is what it is a change to, if that is
	// known.
	HeadSHA, BaseSHA string
	// HeadRepository is the full name of the repository that the head comes
	// from, HeadBranch its branch. The repository is empty where it was
	// deleted.
	HeadRepository, HeadBranch string
	// Fork is true if the head comes from another repository, so that the
	// token may read only and there are no secrets.
	Fork bool
	// CommitMessage is that of the head commit, of events that carry it: a
	// pull request does not.
	CommitMessage string

	Pull    PullRequest
	Comment Comment
	Run     WorkflowRun
	// Inputs are those of a dispatch.
	Inputs map[string]string

	Place Place
}

// PullRequest is the pull request of an event.
type PullRequest struct {
	// Number is 0 if the event is about none, or does not say about which.
	Number      int
	Title, Body string
	Labels      []string
	// Closed is true of merged ones too.
	Draft, Closed, Merged bool
}

// Comment is the comment of an event of that kind.
type Comment struct {
	ID   int64
	Body string
	// Author is the login of who wrote it. Association is what GitHub says of
	// them, and no permission: members may be shown as CONTRIBUTOR.
	Author, Association string
	// At is when it was written, zero if that is not said.
	At time.Time
	// Bot is true if a bot or an App wrote it, or sent the event.
	Bot bool
	// OnPull is true if it was written to a pull request, false to an issue.
	OnPull bool
}

// WorkflowRun is the run that an event of that kind is about.
type WorkflowRun struct {
	ID int64
	// Conclusion is how it ended, Event what started it.
	Conclusion, Event string
	// Pulls are the numbers of the pull requests that the event names. For a
	// head in a fork there are none: which pull request it is has then to be
	// asked from the API, by HeadSHA, HeadRepository and HeadBranch. Nothing
	// that the run itself has written may say so: code of the fork wrote it.
	Pulls []int
}

// Place is where the workflow runs.
type Place struct {
	// APIURL, GraphQLURL and ServerURL are those of the GitHub instance.
	// GraphQLURL is empty where the runner does not tell it: then it is beside
	// APIURL.
	APIURL, GraphQLURL, ServerURL string
	// RunURL is the page of this run.
	RunURL string
	// RunID is the number of the run, empty outside of one.
	RunID string
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
	e := Event{Name: getenv("GITHUB_EVENT_NAME"), Actor: getenv("GITHUB_ACTOR"), Place: readPlace(getenv)}
	if e.Name == "" {
		return Event{}, fault.Infraf("GITHUB_EVENT_NAME is not set: this is not a workflow of GitHub Actions")
	}
	p, err := readPayload(getenv("GITHUB_EVENT_PATH"))
	if err != nil {
		return Event{}, fault.Infraf("read event %s: %w", e.Name, err)
	}
	full := cmp.Or(getenv("GITHUB_REPOSITORY"), p.Repository.FullName)
	e.Owner, e.Repository, _ = strings.Cut(full, "/")
	if e.Owner == "" || e.Repository == "" {
		return Event{}, fault.Infraf("GITHUB_REPOSITORY is %q, want owner/name", full)
	}
	if err := p.fill(&e, getenv); err != nil {
		return Event{}, fault.Infraf("read event %s: %w", e.Name, err)
	}
	return e, nil
}

// FullName is the repository's owner and name, as GitHub writes them.
func (e Event) FullName() string { return e.Owner + "/" + e.Repository }

func readPlace(getenv func(string) string) Place {
	p := Place{
		APIURL:     cmp.Or(getenv("GITHUB_API_URL"), defaultAPIURL),
		GraphQLURL: getenv("GITHUB_GRAPHQL_URL"),
		ServerURL:  cmp.Or(getenv("GITHUB_SERVER_URL"), defaultServerURL),
		RunID:      getenv("GITHUB_RUN_ID"),
		Workspace:  getenv("GITHUB_WORKSPACE"),
	}
	if repository := getenv("GITHUB_REPOSITORY"); p.RunID != "" && repository != "" {
		p.RunURL = fmt.Sprintf("%s/%s/actions/runs/%s", p.ServerURL, repository, p.RunID)
		if attempt := getenv("GITHUB_RUN_ATTEMPT"); attempt != "" && attempt != "1" {
			p.RunURL += "/attempts/" + attempt
		}
	}
	return p
}

func readPayload(path string) (payload, error) {
	if path == "" {
		return payload{}, fmt.Errorf("GITHUB_EVENT_PATH is not set")
	}
	file, err := os.Open(path)
	if err != nil {
		return payload{}, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxPayload+1))
	if err != nil {
		return payload{}, err
	}
	if len(data) > maxPayload {
		return payload{}, fmt.Errorf("the payload in %s has more than %d MiB", path, maxPayload>>20)
	}
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		return payload{}, fmt.Errorf("the payload in %s is no JSON object as GitHub sends it: %w", path, err)
	}
	return p, nil
}
