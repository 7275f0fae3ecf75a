package target

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Made is a world that was made of a file.
type Made struct {
	*sandbox.World
	Plan     *world.Plan
	Manifest bench.Manifest
}

// Setup runs the script of a world in it, and adds the resources that the script
// tells of to the manifest.
type Setup func(ctx context.Context, file *world.World, made *Made) error

// MakeWorld makes the world of a variation. Its script, if it has one, is run by
// setup, which may be nil for a world without. An error is of kind invalid where
// the file is wrong.
func MakeWorld(ctx context.Context, file *world.World, v bench.Variation, setup Setup) (*Made, error) {
	plan, err := file.Draw(v)
	if err != nil {
		return nil, err
	}
	made := &Made{Plan: plan}
	if made.World, made.Manifest, err = BuildWorld(ctx, plan); err != nil || plan.Setup == nil {
		return made, err
	}
	if setup == nil {
		return nil, fault.Invalidf("the world %q has a script, which cannot be run here", plan.Name)
	}
	if err := setup(ctx, file, made); err != nil {
		return nil, err
	}
	// Tokens that the script had, and what it asked, are nobody's business.
	made.World = made.Clone()
	return made, nil
}

// CheckWorld draws some variations of a world and makes one of them, without its
// script, and returns what is wrong. An error is of another kind than invalid.
func CheckWorld(ctx context.Context, file *world.World) (jsondoc.Problems, error) {
	if problems := file.Check(); len(problems) > 0 {
		return problems, nil
	}
	plan, err := file.Draw(bench.Variation{})
	if err == nil {
		_, _, err = BuildWorld(ctx, plan)
	}
	if problems, told := errors.AsType[jsondoc.Problems](err); told {
		return problems, nil
	}
	return nil, err
}

// BuildWorld makes a world of a plan, and the manifest that names its objects.
// Equal plans make equal worlds. An error is of kind invalid where the plan
// cannot be carried out.
func BuildWorld(ctx context.Context, plan *world.Plan) (*sandbox.World, bench.Manifest, error) {
	made, err := sandbox.New()
	if err != nil {
		return nil, bench.Manifest{}, err
	}
	if err := made.Setup(func(s *model.State) error { return addAccounts(s, plan) }); err != nil {
		return nil, bench.Manifest{}, err
	}
	clients := Clients{People: map[string]*github.Client{}}
	for _, account := range plan.Accounts {
		if account.Organization() {
			continue
		}
		token := NewToken()
		made.AddToken(token, sandbox.Token{User: account.Login, Scopes: tokenScopes()})
		client, err := github.New(github.Options{Token: token, Transport: within{made}})
		if err != nil {
			return nil, bench.Manifest{}, err
		}
		clients.People[account.Login] = client
		if clients.Main == nil {
			clients.Main = client
		}
	}
	manifest, err := Build(ctx, plan, clients, Options{Clock: func(at time.Time) { setClock(made, at) }})
	if _, told := errors.AsType[jsondoc.Problems](err); told {
		return nil, bench.Manifest{}, err
	}
	if err != nil {
		return nil, bench.Manifest{}, fmt.Errorf("build the world %q: %w", plan.Name, err)
	}
	// A copy has no tokens and no log of what was asked.
	return made.Clone(), manifest, nil
}

// setClock moves a world's clock on; it never goes back.
func setClock(w *sandbox.World, at time.Time) {
	// The change has no way to fail.
	_ = w.Setup(func(s *model.State) error {
		if at.After(s.Now) {
			s.Now = at
		}
		return nil
	})
}

// addAccounts adds what has no API: accounts, empty repositories, and how jobs
// end.
func addAccounts(s *model.State, plan *world.Plan) error {
	s.Now = plan.Start
	s.LastID += firstID(plan.Variation)
	for _, a := range plan.Accounts {
		kind := model.TypeUser
		if a.Organization() {
			kind = model.TypeOrganization
		}
		s.AddUser(model.NewUser{Login: a.Login, Name: a.Name, Email: a.Email, Type: kind})
	}
	for _, a := range plan.Accounts {
		for _, login := range slices.Sorted(maps.Keys(a.Members)) {
			role := model.OrgMember
			if a.Members[login] == "owner" {
				role = model.OrgOwner
			}
			s.SetMember(s.User(a.Login), s.User(login).ID, role)
		}
	}
	for _, r := range plan.Repositories {
		owner, name, _ := strings.Cut(r.Name, "/")
		repo := s.AddRepo(model.NewRepo{
			Owner: s.User(owner).ID, Name: name, Description: r.Description, Private: r.Private, DefaultBranch: r.Branch(),
		})
		for _, login := range slices.Sorted(maps.Keys(r.Collaborators)) {
			repo.Collaborators[s.User(login).ID] = permissions()[r.Collaborators[login]]
		}
		for _, o := range r.Outcomes {
			s.Scripts = append(s.Scripts, script(o))
		}
	}
	return nil
}

func permissions() map[string]model.Permission {
	return map[string]model.Permission{
		"read": model.PermRead, "triage": model.PermTriage, "write": model.PermWrite, "maintain": model.PermMaintain, "admin": model.PermAdmin,
	}
}

// script is what a world says of a job's end, as the sandbox takes it.
func script(o world.Outcome) model.Script {
	s := model.Script{Workflow: o.Workflow, Job: o.Job, Branch: o.Branch, Title: o.Title, FailingStep: o.Step, Hanging: o.Hangs, Waiting: o.Waits}
	for _, end := range o.Ends {
		s.Outcomes = append(s.Outcomes, model.Conclusion(end))
	}
	for _, step := range o.Steps {
		s.Steps = append(s.Steps, model.ScriptStep{Name: step.Name, When: model.Conclusion(step.When), Log: step.Text, Seconds: int(step.Seconds)})
	}
	for _, u := range o.Uploads {
		s.Uploads = append(s.Uploads, model.Upload{Name: u.Name, File: u.File, Text: u.Text})
	}
	return s
}

// within answers requests in this process.
type within struct{ handler http.Handler }

// RoundTrip asks the handler.
func (w within) RoundTrip(r *http.Request) (*http.Response, error) {
	// What a server gets has a host, a body, if an empty one, and the name of the client.
	r = r.Clone(r.Context())
	r.Host = r.URL.Host
	if _, has := r.Header["User-Agent"]; !has {
		r.Header.Set("User-Agent", "bench-action")
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	answer := &written{header: http.Header{}, status: http.StatusOK}
	w.handler.ServeHTTP(answer, r)
	return &http.Response{
		Status: http.StatusText(answer.status), StatusCode: answer.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: answer.header, Body: io.NopCloser(&answer.body), ContentLength: int64(answer.body.Len()), Request: r,
	}, nil
}

// written is an answer that is kept.
type written struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the headers, to be set.
func (w *written) Header() http.Header { return w.header }

// WriteHeader takes the status.
func (w *written) WriteHeader(status int) { w.status = status }

// Write takes a part of the body.
func (w *written) Write(data []byte) (int, error) { return w.body.Write(data) }
