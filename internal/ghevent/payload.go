package ghevent

import (
	"slices"
	"strings"
	"time"
)

// payload is what is read of the payloads, in GitHub's form.
// https://docs.github.com/webhooks/webhook-events-and-payloads
type payload struct {
	Action       string `json:"action"`
	Installation struct {
		ID int64 `json:"id"`
	} `json:"installation"`
	Repository  repository    `json:"repository"`
	Sender      account       `json:"sender"`
	PullRequest *pull         `json:"pull_request"`
	Issue       *issue        `json:"issue"`
	Comment     *issueComment `json:"comment"`
	CheckRun    *checkRun     `json:"check_run"`
	CheckSuite  *checkSuite   `json:"check_suite"`
	MergeGroup  *mergeGroup   `json:"merge_group"`
	WorkflowRun *workflowRun  `json:"workflow_run"`
	HeadCommit  *headCommit   `json:"head_commit"`
	Ref         string        `json:"ref"`
	Commits     []headCommit  `json:"commits"`
	Before      string        `json:"before"`
	After       string        `json:"after"`
	Label       *label        `json:"label"`
	Changes     struct {
		Base *struct{} `json:"base"`
	} `json:"changes"`
	RequestedAction     *button      `json:"requested_action"`
	RepositoriesRemoved []repository `json:"repositories_removed"`
	// Inputs are those of a dispatch, of any type.
	Inputs map[string]any `json:"inputs"`
}

type repository struct {
	ID            int64  `json:"id"`
	FullName      string `json:"full_name"`
	DefaultBranch string `json:"default_branch"`
}

type account struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

// bot is the type of accounts that are none of people.
const bot = "Bot"

func (a account) account() Account { return Account{Login: a.Login, Bot: a.Type == bot} }

type label struct {
	Name string `json:"name"`
}

type button struct {
	Identifier string `json:"identifier"`
}

type pull struct {
	Number int     `json:"number"`
	User   account `json:"user"`
	State  string  `json:"state"`
	Draft  bool    `json:"draft"`
	Labels []label `json:"labels"`
	Head   end     `json:"head"`
	Base   end     `json:"base"`

	UpdatedAt string `json:"updated_at"`
}

type end struct {
	SHA  string      `json:"sha"`
	Ref  string      `json:"ref"`
	Repo *repository `json:"repo"`
}

type issue struct {
	Number      int       `json:"number"`
	State       string    `json:"state"`
	Draft       bool      `json:"draft"`
	Labels      []label   `json:"labels"`
	PullRequest *struct{} `json:"pull_request"`
}

type issueComment struct {
	ID        int64   `json:"id"`
	Body      string  `json:"body"`
	User      account `json:"user"`
	CreatedAt string  `json:"created_at"`
	UpdatedAt string  `json:"updated_at"`
	// App is there if an App wrote it, as itself or for a person.
	App *struct {
		ID int64 `json:"id"`
	} `json:"performed_via_github_app"`
}

type checkRun struct {
	ID           int64         `json:"id"`
	HeadSHA      string        `json:"head_sha"`
	App          app           `json:"app"`
	PullRequests []pullMention `json:"pull_requests"`
}

type checkSuite struct {
	HeadSHA      string        `json:"head_sha"`
	App          app           `json:"app"`
	PullRequests []pullMention `json:"pull_requests"`
}

type app struct {
	ID int64 `json:"id"`
}

type pullMention struct {
	Number int `json:"number"`
	Base   end `json:"base"`
}

type mergeGroup struct {
	HeadSHA string `json:"head_sha"`
	BaseSHA string `json:"base_sha"`
	BaseRef string `json:"base_ref"`
}

type workflowRun struct {
	ID             int64         `json:"id"`
	DisplayTitle   string        `json:"display_title"`
	Event          string        `json:"event"`
	Conclusion     string        `json:"conclusion"`
	HeadSHA        string        `json:"head_sha"`
	HeadBranch     string        `json:"head_branch"`
	RunAttempt     int           `json:"run_attempt"`
	Path           string        `json:"path"`
	HeadRepository *repository   `json:"head_repository"`
	PullRequests   []pullMention `json:"pull_requests"`
}

type headCommit struct {
	Message  string   `json:"message"`
	Added    []string `json:"added"`
	Removed  []string `json:"removed"`
	Modified []string `json:"modified"`
}

func (p payload) event(name string) Event {
	e := Event{
		Name: name, Action: p.Action, InstallationID: p.Installation.ID, Sender: p.Sender.account(),
		Repo: p.Repository.repo(), Rebased: p.Changes.Base != nil, Commit: p.commit(),
	}
	if p.PullRequest != nil {
		e.Pull = p.PullRequest.pull(e.Repo)
	}
	if p.Issue != nil && p.Comment != nil {
		e.Pull, e.Comment = p.Issue.pull(), p.Comment.comment(p.Issue.PullRequest != nil)
	}
	if c := p.CheckRun; c != nil {
		e.Check = &Check{ID: c.ID, AppID: c.App.ID, HeadSHA: c.HeadSHA, Pulls: p.numbers(c.PullRequests)}
	}
	if c := p.CheckSuite; c != nil {
		e.Suite = &Suite{AppID: c.App.ID, HeadSHA: c.HeadSHA, Pulls: p.numbers(c.PullRequests)}
	}
	if g := p.MergeGroup; g != nil {
		e.Group = &Group{HeadSHA: g.HeadSHA, BaseSHA: g.BaseSHA, BaseRef: g.BaseRef}
	}
	if name == Push {
		e.Pushed = &Pushed{Ref: p.Ref, HeadSHA: orNone(p.After), BaseSHA: orNone(p.Before)}
		if p.HeadCommit != nil {
			e.Pushed.Message = p.HeadCommit.Message
		}
		for _, c := range p.Commits {
			e.Pushed.Files = slices.Concat(e.Pushed.Files, c.Added, c.Removed, c.Modified)
		}
	}
	if r := p.WorkflowRun; r != nil {
		e.Run = &Run{
			ID: r.ID, Title: r.DisplayTitle, Event: r.Event, Conclusion: r.Conclusion, HeadSHA: r.HeadSHA, HeadRepo: r.HeadRepository.name(),
			HeadBranch: r.HeadBranch, Attempt: r.RunAttempt, Path: r.Path, Pulls: p.numbers(r.PullRequests),
		}
	}
	if p.Label != nil {
		e.Label = p.Label.Name
	}
	if p.RequestedAction != nil {
		e.Button = p.RequestedAction.Identifier
	}
	for _, r := range p.RepositoriesRemoved {
		e.RemovedRepos = append(e.RemovedRepos, r.FullName)
	}
	return e
}

func (r repository) repo() Repo {
	owner, name, _ := strings.Cut(r.FullName, "/")
	return Repo{Owner: owner, Name: name, DefaultBranch: r.DefaultBranch}
}

// name is the full one, empty where the repository was deleted.
func (r *repository) name() string {
	if r == nil {
		return ""
	}
	return r.FullName
}

func (p *pull) pull(base Repo) *Pull {
	out := &Pull{
		Number: p.Number, ByBot: p.User.account().Bot, Draft: p.Draft, Closed: p.State == closed, Labels: names(p.Labels),
		HeadSHA: p.Head.SHA, BaseSHA: p.Base.SHA, BaseRef: p.Base.Ref, HeadRepo: p.Head.Repo.name(),
	}
	out.Fork = !base.Owns(out.HeadRepo)
	// A time that cannot be read is none.
	out.UpdatedAt, _ = time.Parse(time.RFC3339, p.UpdatedAt)
	return out
}

// closed is the state of pull requests that are not open.
const closed = "closed"

func (i *issue) pull() *Pull {
	return &Pull{Number: i.Number, Draft: i.Draft, Closed: i.State == closed, Labels: names(i.Labels)}
}

func (c *issueComment) comment(onPull bool) *Comment {
	author := c.User.account()
	author.Bot = author.Bot || c.App != nil
	// A time that cannot be read is none.
	at, _ := time.Parse(time.RFC3339, c.CreatedAt)
	return &Comment{ID: c.ID, Body: c.Body, Author: author, At: at, Edited: c.UpdatedAt != c.CreatedAt, OnPull: onPull}
}

func names(labels []label) []string {
	var out []string
	for _, l := range labels {
		out = append(out, l.Name)
	}
	return out
}

// numbers returns the pull requests into the event's own repository: a branch
// may be the head of one into another.
func (p payload) numbers(mentions []pullMention) []int {
	var out []int
	for _, m := range mentions {
		if m.Base.Repo != nil && m.Base.Repo.ID == p.Repository.ID {
			out = append(out, m.Number)
		}
	}
	return out
}

// commitInput is the input of a dispatch that names the commit to judge, where
// it is not the one of the workflow: the App dispatches a workflow of the
// default branch for the head of a pull request.
const commitInput = "sha"

// commit returns the commit that a dispatch names by its whole hash, empty if it
// names none.
func (p payload) commit() string {
	const sha1, sha256 = 40, 64
	text, _ := p.Inputs[commitInput].(string)
	if len(text) != sha1 && len(text) != sha256 || strings.Trim(text, "0123456789abcdef") != "" {
		return ""
	}
	return orNone(text)
}

// orNone returns a hash, nothing for the one of zeros, which stands for none.
func orNone(sha string) string {
	if strings.Trim(sha, "0") == "" {
		return ""
	}
	return sha
}
