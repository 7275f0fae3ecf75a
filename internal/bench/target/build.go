package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// Clients are the accounts that build.
type Clients struct {
	// Main does what nobody else can; it may administer the repositories.
	Main *github.Client
	// People are clients of the world's accounts, by the login that the world
	// has for them. Main stands in for those who are not there.
	People map[string]*github.Client
}

// Options say where and how a world is built.
type Options struct {
	// Repo is "owner/name" of the repository that is to be the world's first;
	// empty means the one of that name. It must have no commit yet.
	Repo string
	// Clock sets GitHub's clock, where that can be done; nil leaves it alone.
	Clock func(time.Time)
	// Wait pauses between questions about workflow runs; nil means that they
	// end at once, as in a sandbox.
	Wait func(ctx context.Context, d time.Duration) error
	// Pace is asked before every write, to keep below rate limits; nil means
	// not to.
	Pace func(ctx context.Context) error
	// Skipped is told what is left out because the accounts cannot do it, such
	// as an author's approval of his own pull request. Nil means that this is
	// an error.
	Skipped func(what string, reason error)
}

// Build makes a plan's world and returns the manifest that names its objects.
// An error is of kind invalid where the plan cannot be carried out, of kind
// infrastructure where GitHub failed. What was made until then stays.
func Build(ctx context.Context, plan *world.Plan, clients Clients, opts Options) (bench.Manifest, error) {
	b := &builder{
		plan: plan, Clients: clients, Options: opts, logins: map[string]string{}, ids: map[string]string{},
		repos: map[string]*repository{}, contents: map[string]string{}, numbers: map[string]int{}, resources: map[string]map[string]any{},
	}
	if err := b.meet(ctx); err != nil {
		return bench.Manifest{}, err
	}
	for i := range plan.Repositories {
		if err := b.repository(ctx, i); err != nil {
			return bench.Manifest{}, err
		}
	}
	b.projects()
	if err := b.carryOut(ctx); err != nil {
		return bench.Manifest{}, err
	}
	return b.manifest(ctx)
}

// builder is a building under way.
type builder struct {
	Clients
	Options
	plan *world.Plan
	// logins and ids are what GitHub calls the world's accounts.
	logins, ids map[string]string
	// repos are by the names that the plan has for them.
	repos map[string]*repository
	// contents are the node ids of issues and pull requests by name, numbers
	// their numbers.
	contents  map[string]string
	numbers   map[string]int
	events    []event
	resources map[string]map[string]any
	// told completes the resources when all is made.
	told []act
}

// act is something that is done: of what in the world's file, in words, and how.
type act struct {
	of   world.Place
	what string
	do   func(ctx context.Context) error
}

// event is something that is done at a time.
type event struct {
	act
	at time.Time
	// repo is the repository whose default branch gets a commit by the event,
	// nil for another one.
	repo *repository
	// pushes is true for a commit that is pushed although another one follows.
	pushes bool
}

// then adds an event.
func (b *builder) then(of world.Place, at time.Time, what string, do func(ctx context.Context) error) {
	b.events = append(b.events, event{act: act{of, what, do}, at: at})
}

// placed is an error about a part of what is made.
type placed struct {
	error
	of world.Place
}

// Unwrap returns the error.
func (p placed) Unwrap() error { return p.error }

// explain tells what has failed. What GitHub does not do, here or later, is wrong
// in the file, and told with its place there.
func (b *builder) explain(a act, err error) error {
	if part, ok := errors.AsType[placed](err); ok {
		a.of, err = part.of, part.error
	}
	told := github.Explain(a.what, err)
	if told == nil || fault.KindOf(told) != fault.Invalid && !github.Refused(err) {
		return told
	}
	return b.plan.Misfit(a.of, fault.Public(told))
}

// carryOut does everything in the order of its time.
func (b *builder) carryOut(ctx context.Context) error {
	slices.SortStableFunc(b.events, func(a, b event) int { return a.at.Compare(b.at) })
	for n, e := range b.events {
		if err := b.moveTo(ctx, e.at); err != nil {
			return err
		}
		err := e.do(ctx)
		if err == nil && e.repo != nil && (e.pushes || n+1 == len(b.events) || b.events[n+1].repo != e.repo) {
			err = e.repo.push(ctx)
		}
		if err != nil {
			return b.explain(e.act, err)
		}
	}
	return nil
}

// moveTo sets the clock, unless the building has been stopped.
func (b *builder) moveTo(ctx context.Context, at time.Time) error {
	if b.Clock != nil {
		b.Clock(at)
	}
	return ctx.Err()
}

// meet finds out who the clients are.
func (b *builder) meet(ctx context.Context) error {
	known := map[*github.Client]*gh.User{}
	for _, account := range b.plan.Accounts {
		if account.Organization() {
			continue
		}
		client := b.client(account.Login)
		if known[client] == nil {
			user, _, err := client.REST.Users.Get(ctx, "")
			if err != nil {
				return github.Explain("look up the account that is "+account.Login, err)
			}
			known[client] = user
		}
		b.logins[account.Login] = known[client].GetLogin()
		b.ids[account.Login] = known[client].GetNodeID()
	}
	return nil
}

// client returns the client of an account.
func (b *builder) client(login string) *github.Client {
	if client := b.People[login]; client != nil {
		return client
	}
	return b.Main
}

// login returns what GitHub calls an account.
func (b *builder) login(login string) string { return cmp.Or(b.logins[login], login) }

func (b *builder) loginsOf(logins []string) []string {
	var known []string
	for _, login := range logins {
		if is := b.login(login); !slices.Contains(known, is) {
			known = append(known, is)
		}
	}
	return known
}

// account returns an account of the plan.
func (b *builder) account(login string) world.Account {
	at := slices.IndexFunc(b.plan.Accounts, func(a world.Account) bool { return a.Login == login })
	if at < 0 {
		return world.Account{Login: login}
	}
	return b.plan.Accounts[at]
}

// write does something that changes GitHub.
func (b *builder) write(ctx context.Context, do func() error) error {
	if b.Pace != nil {
		if err := b.Pace(ctx); err != nil {
			return err
		}
	}
	return do()
}

// mutate changes something with GraphQL.
func (b *builder) mutate(ctx context.Context, by, mutation string, variables map[string]any, out any) error {
	return b.write(ctx, func() error { return b.client(by).GraphQL(ctx, mutation, variables, out) })
}

// leaveOut tells what is left out, or that this is an error.
func (b *builder) leaveOut(what string, format string, args ...any) error {
	reason := fault.Invalidf(format, args...)
	if b.Skipped == nil {
		return reason
	}
	b.Skipped(what, reason)
	return nil
}

// export gives the fields of an object's resource, now or when all is made.
func (b *builder) export(as string, fields map[string]any) {
	if as != "" {
		b.resources[as] = fields
	}
}

// finally has a function complete the resources when all is made.
func (b *builder) finally(of world.Place, what string, tell func(ctx context.Context) error) {
	b.told = append(b.told, act{of, what, tell})
}

func (b *builder) manifest(ctx context.Context) (bench.Manifest, error) {
	for _, c := range b.told {
		if err := c.do(ctx); err != nil {
			return bench.Manifest{}, b.explain(c, err)
		}
	}
	for name, r := range b.plan.Resources {
		fields := map[string]any{}
		maps.Copy(fields, b.resources[r.Is])
		maps.Copy(fields, r.With)
		b.resources[name] = fields
	}
	m := bench.Manifest{Version: bench.ManifestVersion, Resources: b.resources}
	if len(b.plan.Repositories) > 0 {
		r := b.repos[b.plan.Repositories[0].Name]
		m.Repo = bench.ManifestRepo{Owner: r.owner, Name: r.name, FullName: r.owner + "/" + r.name, DefaultBranch: r.plan.Branch()}
	}
	return m, nil
}

// subject is the first line of a message.
func subject(message string) string {
	first, _, _ := strings.Cut(message, "\n")
	return first
}

// text is what is written in an issue or pull request, which may refer to
// others of its repository.
func (b *builder) text(written string) *string {
	return gh.String(world.Refer(written, func(name string) string { return fmt.Sprintf("#%d", b.numbers[name]) }))
}

func quoted(what, title string) string { return fmt.Sprintf("%s %q", what, title) }
