package verify

import (
	"context"
	"errors"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/github"
)

// SeededSandbox returns a sandbox with the fixtures of one variation or, without
// one in the options, with those that do not vary.
func SeededSandbox(ctx context.Context, opts fixture.Options) (*target.Sandbox, error) {
	sandbox, err := target.NewSandbox(opts.Variation)
	if err != nil {
		return nil, err
	}
	if _, err := SeedSandbox(ctx, sandbox, opts); err != nil {
		return nil, err
	}
	return sandbox, nil
}

// SeedSandbox seeds a sandbox over its API, and has it use what was made.
func SeedSandbox(ctx context.Context, sandbox *target.Sandbox, opts fixture.Options) (m bench.Manifest, err error) {
	keys, err := sandbox.Open(ctx)
	if err != nil {
		return bench.Manifest{}, err
	}
	defer func() { err = errors.Join(err, keys.Close()) }()
	clients, err := clientsOf(keys)
	if err != nil {
		return bench.Manifest{}, err
	}
	if m, err = fixture.Seed(ctx, clients, opts); err != nil {
		return bench.Manifest{}, err
	}
	sandbox.Use(m)
	return m, nil
}

// VariedSandbox returns a sandbox that seeds a world for each variation. Of the
// options, Variation is not used.
func VariedSandbox(opts fixture.Options) *target.Sandbox {
	return target.NewVariedSandbox(func(ctx context.Context, keys *target.Keys, v bench.Variation) (bench.Manifest, error) {
		clients, err := clientsOf(keys)
		if err != nil {
			return bench.Manifest{}, err
		}
		seeding := opts
		seeding.Variation = &v
		return fixture.Seed(ctx, clients, seeding)
	})
}

func clientsOf(keys *target.Keys) (clients fixture.Clients, err error) {
	if clients.Owner, err = Client(keys.Owner); err != nil {
		return fixture.Clients{}, err
	}
	clients.Reviewer, err = Client(keys.Reviewer)
	return clients, err
}

// Client returns a client for an access that a target gave.
func Client(a target.Access) (*github.Client, error) {
	return github.New(github.Options{RESTURL: a.RESTURL, GraphQLURL: a.GraphQLURL, Token: a.Token, Transport: a.Transport})
}
