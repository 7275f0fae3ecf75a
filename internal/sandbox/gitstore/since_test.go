package gitstore_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

func TestWhatHasComeSince(t *testing.T) {
	s := gitstore.New()
	write := func(to *gitstore.Store, from, until int) {
		for n := from; n < until; n++ {
			_, err := to.WriteBlob([]byte{byte(n), byte(n >> 8)})
			require.NoError(t, err)
		}
	}
	write(s, 0, 3000)
	before := s.Objects()
	added, grown := s.Since(before)
	assert.Equal(t, []any{0, true}, []any{added, grown})
	write(s, 3000, 3500)
	added, grown = s.Since(before)
	assert.Equal(t, []any{500, true}, []any{added, grown})
	added, grown = s.Since(gitstore.Objects{})
	assert.Equal(t, []any{3500, true}, []any{added, grown}, "of none all")

	other := gitstore.New()
	write(other, 1000, 2000)
	added, grown = other.Since(before)
	assert.Equal(t, []any{0, false}, []any{added, grown}, "some are gone")
	write(other, 5000, 5001)
	added, grown = other.Since(before)
	assert.Equal(t, []any{1, false}, []any{added, grown})

	var whole, rest bytes.Buffer
	base := gitstore.New()
	write(base, 0, 3000)
	require.NoError(t, base.WritePack(&whole))
	require.NoError(t, s.WritePackSince(&rest, before))
	joined := gitstore.New()
	require.NoError(t, joined.ReadPack(&whole))
	require.NoError(t, joined.ReadPack(&rest))
	added, grown = joined.Since(s.Objects())
	assert.Equal(t, []any{0, true}, []any{added, grown}, "both packs together are all")
}
