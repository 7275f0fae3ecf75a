package benchcli_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// seed makes the fixtures anew.
func seed(t testing.TB) (snapshot, manifest []byte) {
	t.Helper()
	made, err := target.NewSandbox(nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = made.Close() })
	m, err := verify.SeedSandbox(t.Context(), made, fixture.Options{
		Repo: target.FixturesRepo, SeedID: fixture.DefaultSeedID, RunID: "sandbox", Now: model.Epoch,
	})
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, made.Save(&out))
	manifest, err = json.MarshalIndent(m, "", "  ")
	require.NoError(t, err)
	return out.Bytes(), append(manifest, '\n')
}

// state returns the state of a snapshot.
func state(t testing.TB, snapshot []byte) *model.State {
	t.Helper()
	world, err := sandbox.Load(snapshot)
	require.NoError(t, err)
	var copied *model.State
	world.Look(func(s *model.State) { copied = s.Clone() })
	return copied
}

func TestTheWorldThatIsEmbeddedIsWhatSeedingMakes(t *testing.T) {
	const file = "sandboxworld/fixtures.sandbox"
	snapshot, manifest := seed(t)
	testkit.CheckGolden(t, "the fixtures' names and numbers, as `bench sandbox serve --json` tells them", "sandboxworld/fixtures.json", manifest)
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.WriteFile(file, snapshot, 0o644))
	}
	embedded, err := os.ReadFile(file)
	require.NoError(t, err)
	kept, made := state(t, embedded), state(t, snapshot)
	assert.Empty(t, sandboxtest.Between(kept, made), "seeding makes another world than %s has: write it anew with -update", file)
	assert.Equal(t, made.LastID, kept.LastID)
	assert.Equal(t, made.Now, kept.Now)
}

func TestASnapshotIsTheSameEveryTime(t *testing.T) {
	first, _ := seed(t)
	second, _ := seed(t)
	assert.Equal(t, first, second)
}
