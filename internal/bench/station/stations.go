// Package station is where agents work: a place for the agent of each worker
// in each mode, which holds its processes, has its programs, and lets it reach
// GitHub and its model and nothing else.
//
// It puts together what other packages do: package confine holds processes,
// package egress is what they reach, package toolset knows their programs.
// [Stations.Target] stands between a runner and its target, so that an
// attempt's place on GitHub is what the attempt's agent reaches;
// [Stations.Host] is where an agent's program is started.
package station

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Options say how agents work.
type Options struct {
	// Tools are the programs of the modes.
	Tools *toolset.Set
	// Model is the API of the agents' model.
	Model *egress.Model
	// Allow lists further hosts that agents may reach, see [egress.Options].
	Allow []string
	// Token is what agents show GitHub: a placeholder, which is worth nothing
	// outside of a station. Login is who they are there, and Repo, as
	// "owner/name", where they work.
	Token, Login, Repo string
	// User and Network demand a way of holding processes; the zero value
	// takes the strongest that can be had.
	User    confine.User
	Network confine.Network
	// View is what agents see of the file system: see [confine.CageOptions].
	View *confine.View
	// Base is the folder in which stations have theirs; empty means the one
	// for temporary files.
	Base string
	Now  func() time.Time
	// OnRefused is told the hosts that agents were kept from. It may be nil.
	OnRefused func(host string)
}

// Stations makes stations as they are asked for. It is safe for concurrent
// use; one station is used by one attempt at a time.
type Stations struct {
	options Options
	base    string
	close   func() error

	mu     sync.Mutex
	closed bool
	all    map[key]*station
}

type key struct {
	mode   bench.Mode
	worker int
}

// basePerm lets the users of agents pass through to their folders.
const basePerm = 0o711

// New returns stations, none of which is there yet. The caller closes them.
func New(options Options) (*Stations, error) {
	base, err := os.MkdirTemp(options.Base, "bench-")
	if err != nil {
		return nil, fault.Infraf("make a folder for agents: %w", err)
	}
	if err := os.Chmod(base, basePerm); err != nil {
		return nil, fault.Infraf("make a folder for agents: %w", errors.Join(err, os.Remove(base)))
	}
	s := &Stations{options: options, base: base, all: map[key]*station{}}
	s.close = sync.OnceValue(s.shutDown)
	return s, nil
}

// station returns the station of a worker in a mode.
func (s *Stations) station(mode bench.Mode, worker int) (*station, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fault.Internalf("the stations of agents are closed")
	}
	at := key{mode, worker}
	if s.all[at] == nil {
		opened, err := s.open(mode, worker)
		if err != nil {
			return nil, err
		}
		s.all[at] = opened
	}
	return s.all[at], nil
}

// Env returns the environment of an agent, as NAME=value, which is the same in
// each of its attempts.
func (s *Stations) Env(mode bench.Mode, worker int) ([]string, error) {
	st, err := s.station(mode, worker)
	if err != nil {
		return nil, err
	}
	return slices.Clone(st.env), nil
}

// Isolation tells how a mode's agents are held.
func (s *Stations) Isolation(mode bench.Mode) (confine.Isolation, error) {
	st, err := s.station(mode, 0)
	if err != nil {
		return confine.Isolation{}, err
	}
	return st.space.Isolation(), nil
}

// ModelURL returns the base URL of the model as agents are to be told it,
// empty if the stations have none.
func (s *Stations) ModelURL(mode bench.Mode) (string, error) {
	st, err := s.station(mode, 0)
	if err != nil {
		return "", err
	}
	return st.proxy.ModelURL(), nil
}

// Run returns what runs commands as a mode's agent would, outside of attempts:
// GitHub cannot be reached.
func (s *Stations) Run(mode bench.Mode) toolset.Run {
	return func(ctx context.Context, words ...string) (string, error) {
		st, err := s.station(mode, 0)
		if err != nil {
			return "", err
		}
		return st.run(ctx, words...)
	}
}

// Target returns a target whose agents reach its places by their stations.
func (s *Stations) Target(t target.Target) target.Target { return routed{t, s} }

// routed is a target behind stations.
type routed struct {
	target.Target
	stations *Stations
}

// Prepare prepares a place and leads the agent's station to it. A place of no
// mode is led to by nothing.
func (r routed) Prepare(ctx context.Context, needs target.Needs) (*target.Place, error) {
	needs.Token = cmp.Or(needs.Token, r.stations.options.Token)
	if needs.Mode == "" {
		return r.Target.Prepare(ctx, needs)
	}
	st, err := r.stations.station(needs.Mode, needs.Worker)
	if err != nil {
		return nil, err
	}
	if needs.Task != nil {
		// Its provider has emptied that when a session begins.
		task := *needs.Task
		task.Folder = st.space.Work()
		needs.Task = &task
	}
	place, err := r.Target.Prepare(ctx, needs)
	if err != nil {
		return nil, err
	}
	attempt := st.proxy.BeginWatched(place.GitHub, egress.ModelWatch{Allow: needs.MayAsk, Used: needs.Used})
	led := *place
	led.Env = slices.Clone(st.env)
	led.Usage = func() target.Usage { return usage(attempt.Usage()) }
	led.Close = func() error {
		attempt.End()
		return place.Close()
	}
	return &led, nil
}

func usage(u egress.Usage) target.Usage {
	return target.Usage{
		Requests:     bench.APIRequests{REST: u.REST, GraphQL: u.GraphQL, Bytes: u.Bytes},
		RefusedHosts: u.Refused,
		Model: &target.ModelUsage{
			WireUsage: bench.WireUsage{Calls: u.Model, Answers: u.Answers, Untold: u.Answers - u.Told, Tokens: u.Tokens},
			Failures:  u.ModelFailures,
		},
	}
}

// Close ends what agents have left running, and removes their folders. It may
// be called more than once.
func (s *Stations) Close() error { return s.close() }

func (s *Stations) shutDown() error {
	s.mu.Lock()
	s.closed = true
	all := slices.Collect(maps.Values(s.all))
	s.mu.Unlock()
	var problems []error
	for _, st := range all {
		problems = append(problems, st.close())
	}
	return errors.Join(append(problems, os.RemoveAll(s.base))...)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
