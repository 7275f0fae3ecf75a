package gitstore_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
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

	var whole, rest, index bytes.Buffer
	base := gitstore.New()
	write(base, 0, 3000)
	require.NoError(t, base.WritePack(&whole))
	require.NoError(t, s.WritePackSince(&rest, &index, before))
	joined := gitstore.New()
	require.NoError(t, joined.ReadPack(&whole))
	require.NoError(t, joined.ReadPack(&rest))
	added, grown = joined.Since(s.Objects())
	assert.Equal(t, []any{0, true}, []any{added, grown}, "both packs together are all")
}

// The index of a packfile is the one that git makes, also of what came in deltas and of
// what has come later, and git finds everything by it.
func TestIndexesOfPacks(t *testing.T) {
	eachHistory(t, func(*world) {}, func(t *testing.T, w *world, _ []snapshot, g *realGit) {
		s := gitstore.New()
		require.NoError(t, s.ReadPack(strings.NewReader(g.run(nil, "pack-objects", "-q", "--all", "--no-reuse-object", "--stdout"))))
		before := s.Objects()
		_, err := s.WriteBlob([]byte("later"))
		require.NoError(t, err)
		for name, since := range map[string]gitstore.Objects{"all": {}, "later": before, "nothing": s.Objects()} {
			var pack, index bytes.Buffer
			require.NoError(t, s.WritePackSince(&pack, &index, since))
			g.write(name+".pack", pack.String())
			g.run(nil, "index-pack", "-o", name+".want", name+".pack")
			want, err := os.ReadFile(filepath.Join(g.dir, name+".want"))
			require.NoError(t, err)
			assert.True(t, bytes.Equal(want, index.Bytes()), name)
		}

		require.NoError(t, os.RemoveAll(filepath.Join(g.dir, "objects", "pack")))
		require.NoError(t, os.Mkdir(filepath.Join(g.dir, "objects", "pack"), 0o755))
		var pack, index bytes.Buffer
		require.NoError(t, w.store.WritePackSince(&pack, &index, gitstore.Objects{}))
		g.write("objects/pack/pack-1.pack", pack.String())
		g.write("objects/pack/pack-1.idx", index.String())
		g.run(nil, "verify-pack", "objects/pack/pack-1.idx")
		g.run(nil, "fsck", "--full", "--strict")
		count, _ := w.store.Since(gitstore.Objects{})
		assert.Len(t, g.words("cat-file", "--batch-all-objects", "--batch-check=%(objectname)"), count)
	})
}
