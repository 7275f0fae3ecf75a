package benchcli_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestOneSeedingIsRemovedByItsName(t *testing.T) {
	r := newRemote(t)
	for _, name := range []string{"mine", "yours"} {
		_, err := r.bench(t.Context(), "fixtures", "seed", "--seed-id", name, "--resource", "issue,pr", "--out", t.TempDir()+"/manifest.json")
		require.NoError(t, err)
	}
	both := len(r.left())
	_, err := r.bench(t.Context(), "fixtures", "cleanup", "--seed-id", "mine", "--json")
	require.NoError(t, err)
	assert.Contains(t, r.stdout.String(), `"issues": 1`)
	assert.Len(t, r.left(), both/2)
	assert.Contains(t, r.left(), "label bench-seed:yours")
	_, err = r.bench(t.Context(), "fixtures", "cleanup", "--seed-id", "mine")
	require.NoError(t, err, "twice is fine")
	assert.Contains(t, r.stdout.String(), "Removed from aryeko/ghx-bench-fixtures: 0 issues, 0 pull requests")

	for says, args := range map[string][]string{
		"leave --all and --out out":   {"--seed-id", "yours", "--all"},
		"leave --all and --out":       {"--seed-id", "yours", "--out", "manifest.json"},
		"is no name of a seeding":     {"--seed-id", "Yours/../mine"},
		"--repo is for --seed-id":     {"--repo", "aryeko/ghx-bench-fixtures"},
		"--older-than and --repo are": {"--seed-id", "yours", "--older-than", "1h"},
	} {
		_, err := r.bench(t.Context(), append([]string{"fixtures", "cleanup"}, args...)...)
		require.ErrorContains(t, err, says)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	}
	assert.Len(t, r.left(), both/2)
}
