package verify_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
)

// opened returns what this process has open, as Linux tells it; nil elsewhere.
func opened(t *testing.T) (links []string) {
	t.Helper()
	const folder = "/proc/self/fd"
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		link, err := os.Readlink(folder + "/" + entry.Name())
		if err == nil { // it was not the one of the folder itself
			links = append(links, link)
		}
	}
	return links
}

// listening counts this process's sockets that wait for connections.
func listening(t *testing.T) (count int) {
	t.Helper()
	const listens, stateField, inodeField = "0A", 3, 9
	table, _ := os.ReadFile("/proc/self/net/tcp")
	open := opened(t)
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) > inodeField && fields[stateField] == listens {
			for _, link := range open {
				if link == "socket:["+fields[inodeField]+"]" {
					count++
				}
			}
		}
	}
	return count
}

// Where a world is filled over the network, its owner's access ends with that: no
// agent finds it on the loopback interface later.
func TestASandboxIsServedToBeSeededAndNoLonger(t *testing.T) {
	before := listening(t)
	opts := fixture.Options{Repo: target.FixturesRepo, SeedID: fixture.DefaultSeedID, Resources: []string{"issue"}}
	seeded, err := verify.SeededSandbox(t.Context(), opts)
	require.NoError(t, err)
	assert.Contains(t, seeded.Manifest().Resources, "issue")
	assert.Equal(t, before, listening(t))
	place, err := seeded.Prepare(t.Context(), target.Needs{Resources: []string{"issue"}})
	require.NoError(t, err)
	if before != listening(t) {
		assert.Equal(t, before+1, listening(t), "a place is served")
	}
	require.NoError(t, place.Close())
	made, err := verify.SeedSandbox(t.Context(), seeded, opts)
	require.NoError(t, err)
	assert.Equal(t, seeded.Manifest(), made)
}

func TestASandboxThatCannotBeSeededIsAnError(t *testing.T) {
	before := listening(t)
	good := fixture.Options{Repo: target.FixturesRepo, SeedID: fixture.DefaultSeedID, Resources: []string{"issue"}}
	unknown := good
	unknown.Resources = []string{"no-such"}
	over, end := context.WithCancel(t.Context())
	end()
	for name, c := range map[string]struct {
		ctx  context.Context
		opts fixture.Options
		says string
	}{
		"an object that no scene has": {t.Context(), unknown, "no-such"},
		"a run that was stopped":      {over, good, "it was stopped"},
	} {
		sandbox, err := verify.SeededSandbox(c.ctx, c.opts)
		require.ErrorContains(t, err, c.says, name)
		assert.Nil(t, sandbox, name)
		fresh, err := target.NewSandbox(nil)
		require.NoError(t, err)
		made, err := verify.SeedSandbox(c.ctx, fresh, c.opts)
		require.ErrorContains(t, err, c.says, name)
		assert.Empty(t, made, name)
		assert.Empty(t, fresh.Manifest().Resources, name)
		require.NoError(t, fresh.Close())
	}
	assert.Equal(t, before, listening(t))

	varied := verify.VariedSandbox(unknown)
	_, err := varied.Prepare(t.Context(), target.Needs{Variation: &bench.Variation{Seed: 7, Number: 1}})
	require.ErrorContains(t, err, "no-such")
	require.NoError(t, varied.Close())
}

func TestAClientIsOfTheAddressesOfItsAccess(t *testing.T) {
	client, err := verify.Client(target.Access{RESTURL: "http://127.0.0.1:1/api", GraphQLURL: "http://127.0.0.1:1/queries", Token: "t"})
	require.NoError(t, err)
	assert.Equal(t, "http://127.0.0.1:1/queries", client.GraphQLURL())
}
