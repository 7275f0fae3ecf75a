package world

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// Plan is a world as it is drawn for one variation: everything that is to be
// made, with nothing left to chance.
type Plan struct {
	// Name is the world's, as scenarios name it.
	Name      string          `json:"-"`
	Variation bench.Variation `json:"-"`
	// Start is the time that offsets count from.
	Start time.Time `json:"start"`
	// Agent is the login of the account that agents work as.
	Agent        string              `json:"agent"`
	Accounts     []Account           `json:"accounts"`
	Repositories []Repository        `json:"repositories"`
	Projects     []Project           `json:"projects"`
	Resources    map[string]Resource `json:"resources"`
	Setup        *Setup              `json:"setup"`

	doc *jsondoc.Document
}

// Misfit is the error of kind invalid that something of the plan's file cannot be
// made, with its place there.
func (p *Plan) Misfit(at Place, why string) error {
	return jsondoc.Problems{p.doc.Problem(at.At, "%s", why)}.Err()
}

// Account is a person or an organization.
type Account struct {
	Place
	Login string `json:"login"`
	Name  string `json:"name"`
	Email string `json:"email"`
	// Type is "user" or "organization"; empty means a user.
	Type string `json:"type"`
	// Members of an organization are "owner" or "member" by login.
	Members map[string]string `json:"members"`
}

// Verifier returns the login of an account that may see what the agent sees and
// is not the agent, the agent if there is none.
func (p *Plan) Verifier() string {
	var known []string
	for _, r := range p.Repositories {
		owner, _, _ := strings.Cut(r.Name, "/")
		known = append(known, owner)
		for _, a := range p.Accounts {
			if a.Login == owner {
				known = append(known, sortedKeys(a.Members)...)
			}
		}
		for _, login := range sortedKeys(r.Collaborators) {
			if r.Collaborators[login] != "read" && r.Collaborators[login] != "triage" {
				known = append(known, login)
			}
		}
	}
	for _, login := range known {
		at := slices.IndexFunc(p.Accounts, func(a Account) bool { return a.Login == login && !a.Organization() })
		if at >= 0 && login != p.Agent {
			return login
		}
	}
	return p.Agent
}

// Organization reports whether the account is no person's.
func (a Account) Organization() bool { return a.Type == "organization" }

// Address is the e-mail address of the account's commits.
func (a Account) Address() string {
	if a.Email != "" {
		return a.Email
	}
	return a.Login + "@users.noreply.github.com"
}

// Signer is the name of the account's commits.
func (a Account) Signer() string {
	if a.Name != "" {
		return a.Name
	}
	return a.Login
}

// Place says where in its file a part of a world comes from.
type Place struct {
	// At is the path in the file, for problems.
	At []string `json:"$at"`
}

// Repository is one repository with all that is in it. The first of a world is
// the one that its manifest is about.
type Repository struct {
	Place
	// Name is "owner/name".
	Name          string `json:"name"`
	Description   string `json:"description"`
	Private       bool   `json:"private"`
	DefaultBranch string `json:"default_branch"`
	// Collaborators are permissions by login: read, triage, write, maintain or
	// admin.
	Collaborators map[string]string `json:"collaborators"`
	// Files are those of the first commit.
	Files      []Change    `json:"files"`
	History    []Commit    `json:"history"`
	Branches   []Branch    `json:"branches"`
	Labels     []Label     `json:"labels"`
	Milestones []Milestone `json:"milestones"`
	Issues     []Issue     `json:"issues"`
	Pulls      []Pull      `json:"pulls"`
	Outcomes   []Outcome   `json:"outcomes"`
	Dispatches []Dispatch  `json:"dispatches"`
	Releases   []Release   `json:"releases"`
}

// Branch returns the name of the default branch.
func (r Repository) Branch() string {
	if r.DefaultBranch == "" {
		return "main"
	}
	return r.DefaultBranch
}

// Change is what a commit does to one file: it writes Text, or what From names
// in the world's folder, replaces the only place that has Find, or deletes it.
type Change struct {
	Place
	Path    string  `json:"path"`
	Text    *string `json:"text"`
	From    string  `json:"from"`
	Find    string  `json:"find"`
	Replace string  `json:"replace"`
	Delete  bool    `json:"delete"`
}

// Commit is one commit.
type Commit struct {
	Place
	As      string   `json:"as"`
	Message string   `json:"message"`
	By      string   `json:"by"`
	When    Moment   `json:"at"`
	Changes []Change `json:"changes"`
	Runs    []Run    `json:"runs"`
	// Grow stands for many commits in place of one.
	Grow *Growth `json:"grow"`
	// Push is true if the branch is pushed with it although more follows.
	Push bool `json:"-"`
}

// Branch is a branch besides the default one.
type Branch struct {
	Place
	As   string `json:"as"`
	Name string `json:"name"`
	// From is the branch that it begins at; empty means the default one.
	From    string   `json:"from"`
	By      string   `json:"by"`
	When    Moment   `json:"at"`
	Commits []Commit `json:"commits"`
}

// Label is a label of a repository.
type Label struct {
	Place
	As          string `json:"as"`
	Name        string `json:"name"`
	Color       string `json:"color"`
	Description string `json:"description"`
}

// Milestone is a milestone of a repository.
type Milestone struct {
	Place
	As          string `json:"as"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Due         Moment `json:"due"`
	Closed      bool   `json:"closed"`
	When        Moment `json:"at"`
}

// Comment is a comment on an issue or pull request, or an answer in a thread.
type Comment struct {
	Place
	As        string   `json:"as"`
	By        string   `json:"by"`
	When      Moment   `json:"at"`
	Body      string   `json:"body"`
	Reactions []string `json:"reactions"`
}

// Conversation is what issues and pull requests have in common.
type Conversation struct {
	Place
	As        string    `json:"as"`
	Title     string    `json:"title"`
	Body      string    `json:"body"`
	By        string    `json:"by"`
	When      Moment    `json:"at"`
	Labels    []string  `json:"labels"`
	Assignees []string  `json:"assignees"`
	Milestone string    `json:"milestone"`
	Comments  []Comment `json:"comments"`
	Reactions []string  `json:"reactions"`
	Closed    *Closing  `json:"closed"`
}

// Closing says who closed an issue or pull request, and when.
type Closing struct {
	Place
	By   string `json:"by"`
	When Moment `json:"at"`
	// Reason of an issue is "completed", "not_planned" or "duplicate".
	Reason string `json:"reason"`
}

// Issue is an issue.
type Issue struct {
	Conversation
	// Parent, BlockedBy name other issues of the repository by their names.
	Parent    string   `json:"parent"`
	BlockedBy []string `json:"blocked_by"`
}

// Pull is a pull request with its branch.
type Pull struct {
	Conversation
	Branch string `json:"branch"`
	// Base is the branch that it is to be merged into; empty means the default
	// one. It may be another pull request's branch.
	Base      string   `json:"base"`
	Draft     bool     `json:"draft"`
	Commits   []Commit `json:"commits"`
	Reviewers []string `json:"reviewers"`
	Reviews   []Review `json:"reviews"`
	Merged    *Merging `json:"merged"`
	Runs      []Run    `json:"runs"`
}

// Merging says who merged a pull request, when and how.
type Merging struct {
	Place
	By   string `json:"by"`
	When Moment `json:"at"`
	// Method is "merge", "squash" or "rebase".
	Method string `json:"method"`
	// KeepBranch leaves the head branch; else it is deleted.
	KeepBranch bool `json:"keep_branch"`
}

// Review is a review with its threads.
type Review struct {
	Place
	As   string `json:"as"`
	By   string `json:"by"`
	When Moment `json:"at"`
	// State is "approve", "request_changes" or "comment".
	State   string   `json:"state"`
	Body    string   `json:"body"`
	Threads []Thread `json:"threads"`
}

// Thread is a comment on a line of a review, with what followed.
type Thread struct {
	Place
	As   string `json:"as"`
	Path string `json:"path"`
	// On is the text of the line, which one line of the pull request's file
	// has; Line is its number instead.
	On      string    `json:"on"`
	Line    Number    `json:"line"`
	Body    string    `json:"body"`
	Replies []Comment `json:"replies"`
	// Resolved is the login of who resolved it; empty for nobody.
	Resolved string `json:"resolved"`
}

// Release is a release with its tag.
type Release struct {
	Place
	As    string `json:"as"`
	Tag   string `json:"tag"`
	Name  string `json:"name"`
	Body  string `json:"body"`
	By    string `json:"by"`
	When  Moment `json:"at"`
	Draft bool   `json:"draft"`
	// Target is the branch that is tagged; empty means the default one.
	Target     string  `json:"target"`
	Prerelease bool    `json:"prerelease"`
	Assets     []Asset `json:"assets"`
}

// Asset is a file of a release: Text, repeated where Repeat says so.
type Asset struct {
	Place
	As    string `json:"as"`
	Name  string `json:"name"`
	Type  string `json:"type"`
	Text  string `json:"text"`
	Times Number `json:"times"`
}

// Project is a board.
type Project struct {
	Place
	As          string  `json:"as"`
	Owner       string  `json:"owner"`
	Title       string  `json:"title"`
	Description string  `json:"description"`
	By          string  `json:"by"`
	When        Moment  `json:"at"`
	Public      bool    `json:"public"`
	Fields      []Field `json:"fields"`
	Items       []Item  `json:"items"`
}

// Field is a field of a board besides the built-in ones.
type Field struct {
	Place
	As   string `json:"as"`
	Name string `json:"name"`
	// Type is "text", "number", "date" or "single_select".
	Type    string   `json:"type"`
	Options []string `json:"options"`
}

// Item is an item of a board: what Of names, or a draft.
type Item struct {
	Place
	As     string         `json:"as"`
	Of     string         `json:"of"`
	Title  string         `json:"title"`
	Body   string         `json:"body"`
	Values map[string]any `json:"values"`
}

// Resource is a further name for an object, drawn values that scenarios may
// bind to, or both.
type Resource struct {
	Place
	// Is names the object; empty for none.
	Is string `json:"is"`
	// With are fields besides those of the object.
	With map[string]any `json:"with"`
}

// Setup is a script that goes on where the rest of a world ends.
type Setup struct {
	Place
	// Script is the file in the world's folder.
	Script string `json:"script"`
	// Makes are the fields of the resources that it tells of, by name.
	Makes map[string][]string `json:"makes"`
}

// Number is a whole number, which a placeholder may stand for.
type Number int

// UnmarshalJSON reads 3 and "3".
func (n *Number) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		text = string(data)
	}
	value, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("%s is no whole number", data)
	}
	*n = Number(value)
	return nil
}
