package event

import "time"

// payload is what is read of the payloads, in GitHub's form.
// https://docs.github.com/webhooks/webhook-events-and-payloads
type payload struct {
	Action       string `json:"action"`
	Installation struct {
		ID int64 `json:"id"`
	} `json:"installation"`
	Repository  repository   `json:"repository"`
	Sender      account      `json:"sender"`
	PullRequest *pull        `json:"pull_request"`
	Issue       *issue       `json:"issue"`
	Comment     *comment     `json:"comment"`
	CheckRun    *checkRun    `json:"check_run"`
	CheckSuite  *checkSuite  `json:"check_suite"`
	MergeGroup  *mergeGroup  `json:"merge_group"`
	WorkflowRun *workflowRun `json:"workflow_run"`
	Label       *label       `json:"label"`
	Changes     struct {
		Base *struct{} `json:"base"`
	} `json:"changes"`
	RequestedAction     *button      `json:"requested_action"`
	RepositoriesRemoved []repository `json:"repositories_removed"`
}

type repository struct {
	ID            int64   `json:"id"`
	Name          string  `json:"name"`
	FullName      string  `json:"full_name"`
	DefaultBranch string  `json:"default_branch"`
	Owner         account `json:"owner"`
}

type account struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

func (a account) account() Account { return Account{Login: a.Login, Bot: a.Type == "Bot"} }

type label struct {
	Name string `json:"name"`
}

type button struct {
	Identifier string `json:"identifier"`
}

type pull struct {
	Number int     `json:"number"`
	State  string  `json:"state"`
	Draft  bool    `json:"draft"`
	User   account `json:"user"`
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
	User        account   `json:"user"`
	Labels      []label   `json:"labels"`
	PullRequest *struct{} `json:"pull_request"`
}

type comment struct {
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
	Name         string        `json:"name"`
	HeadSHA      string        `json:"head_sha"`
	ExternalID   string        `json:"external_id"`
	App          app           `json:"app"`
	PullRequests []pullMention `json:"pull_requests"`
}

type checkSuite struct {
	ID           int64         `json:"id"`
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
	HeadRef string `json:"head_ref"`
	BaseSHA string `json:"base_sha"`
	BaseRef string `json:"base_ref"`
}

type workflowRun struct {
	ID           int64  `json:"id"`
	RunAttempt   int    `json:"run_attempt"`
	Path         string `json:"path"`
	DisplayTitle string `json:"display_title"`
	Event        string `json:"event"`
	Conclusion   string `json:"conclusion"`
	HeadSHA      string `json:"head_sha"`
}

func (p payload) event(name string) Event {
	e := Event{
		Name: name, Action: p.Action, InstallationID: p.Installation.ID, Sender: p.Sender.account(),
		Repo: Repo{ID: p.Repository.ID, Owner: p.Repository.Owner.Login, Name: p.Repository.Name, DefaultBranch: p.Repository.DefaultBranch},
	}
	if p.PullRequest != nil {
		e.Pull = p.PullRequest.pull(p.Repository.FullName)
	}
	if p.Issue != nil && p.Comment != nil {
		e.Pull, e.Comment = p.Issue.pull(), p.Comment.comment(p.Issue.PullRequest != nil)
	}
	if c := p.CheckRun; c != nil {
		e.Check = &Check{ID: c.ID, AppID: c.App.ID, Name: c.Name, ExternalID: c.ExternalID, HeadSHA: c.HeadSHA, Pulls: p.numbers(c.PullRequests)}
	}
	if c := p.CheckSuite; c != nil {
		e.Suite = &Suite{ID: c.ID, AppID: c.App.ID, HeadSHA: c.HeadSHA, Pulls: p.numbers(c.PullRequests)}
	}
	if g := p.MergeGroup; g != nil {
		e.Group = &Group{HeadSHA: g.HeadSHA, HeadRef: g.HeadRef, BaseSHA: g.BaseSHA, BaseRef: g.BaseRef}
	}
	if r := p.WorkflowRun; r != nil {
		e.Run = &Run{ID: r.ID, Attempt: r.RunAttempt, Path: r.Path, Title: r.DisplayTitle, Event: r.Event, Conclusion: r.Conclusion, HeadSHA: r.HeadSHA}
	}
	e.Rebased = p.Changes.Base != nil
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

func (p *pull) pull(base string) *Pull {
	out := &Pull{
		Number: p.Number, Author: p.User.account(), Draft: p.Draft, Closed: p.State == "closed", Labels: names(p.Labels),
		HeadSHA: p.Head.SHA, HeadRef: p.Head.Ref, BaseSHA: p.Base.SHA, BaseRef: p.Base.Ref,
	}
	if p.Head.Repo != nil {
		out.HeadRepo = p.Head.Repo.FullName
	}
	// A time that cannot be read is none.
	out.UpdatedAt, _ = time.Parse(time.RFC3339, p.UpdatedAt)
	// A head whose repository was deleted was a fork's.
	out.Fork = !sameRepo(out.HeadRepo, base)
	return out
}

func (i *issue) pull() *Pull {
	return &Pull{Number: i.Number, Author: i.User.account(), Draft: i.Draft, Closed: i.State == "closed", Labels: names(i.Labels)}
}

func (c *comment) comment(onPull bool) *Comment {
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
		if m.Base.Repo == nil || m.Base.Repo.ID == 0 || m.Base.Repo.ID == p.Repository.ID {
			out = append(out, m.Number)
		}
	}
	return out
}
