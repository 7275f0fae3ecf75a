package gitstore_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

func save(tb testing.TB, s *gitstore.Store) []byte {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, s.Save(&b))
	return b.Bytes()
}

func TestLoadReadsWhatSaveWrote(t *testing.T) {
	w := newWorld(t, 1)
	all := w.history(20)
	saved := save(t, w.store)
	loaded, err := gitstore.Load(bytes.NewReader(saved))
	require.NoError(t, err)
	assert.Equal(t, w.store.Refs(""), loaded.Refs(""))
	assert.Equal(t, saved, save(t, loaded), "saving again gives the same bytes")
	first, last := all[0].commit, all[len(all)-1].commit
	assert.Equal(t, diffText(t, w.store, first, last), diffText(t, loaded, first, last))
}

func TestSaveOfEqualContentGivesEqualBytes(t *testing.T) {
	build := func(order ...string) []byte {
		s := gitstore.New()
		for _, content := range order {
			_, err := s.WriteBlob([]byte(content))
			require.NoError(t, err)
		}
		for _, content := range order {
			h := tree(t, s, map[string]string{"f": content})
			require.NoError(t, s.SetRef("refs/tags/"+content, h))
		}
		return save(t, s)
	}
	assert.Equal(t, build("a", "b", "c"), build("c", "a", "b", "a"))
}

func TestAnEmptyStoreIsSavedAndLoaded(t *testing.T) {
	loaded, err := gitstore.Load(bytes.NewReader(save(t, gitstore.New())))
	require.NoError(t, err)
	assert.Empty(t, loaded.Refs(""))
}

func TestGitReadsASavedStore(t *testing.T) {
	g := findGit(t)
	w := newWorld(t, 1)
	head := w.history(20)[19].commit
	require.NoError(t, w.store.SetRef("refs/heads/main", head))
	g.write("saved.bundle", string(save(t, w.store)))
	g.run(nil, "bundle", "verify", "saved.bundle")
	g.run(nil, "fetch", "-q", "saved.bundle", "refs/heads/main:refs/heads/fetched")
	assert.Equal(t, []string{head.String()}, g.words("rev-parse", "refs/heads/fetched"))
}

// Git's own packfiles have deltas of both kinds.
func TestReadPackReadsWhatGitPacks(t *testing.T) {
	eachHistory(t, func(*world) {}, func(t *testing.T, w *world, _ []snapshot, g *realGit) {
		for _, options := range [][]string{{"--delta-base-offset"}, {}} {
			pack := g.run(nil, append([]string{"pack-objects", "-q", "--all", "--no-reuse-object", "--stdout"}, options...)...)
			s := gitstore.New()
			require.NoError(t, s.ReadPack(strings.NewReader(pack)))
			for _, r := range w.store.Refs("") {
				require.NoError(t, s.SetRef(r.Name, r.Hash))
			}
			assert.True(t, bytes.Equal(save(t, w.store), save(t, s)), options)
		}
	})
}

func TestReadPackTakesAThinPack(t *testing.T) {
	w := newWorld(t, 1)
	w.plain = true
	old := w.first()
	s := w.store.Clone()
	head := w.next(w.next(old))
	g := materialise(t, w.store)
	pack := g.run(bytes.NewBufferString(fmt.Sprintf("%s\n^%s\n", head.commit, old.commit)),
		"pack-objects", "-q", "--revs", "--thin", "--stdout")
	require.Error(t, gitstore.New().ReadPack(strings.NewReader(pack)), "without its base")
	require.NoError(t, s.ReadPack(strings.NewReader(pack)))
	assert.Equal(t, diffText(t, w.store, old.commit, head.commit), diffText(t, s, old.commit, head.commit))
}

func TestLoadRefusesDamage(t *testing.T) {
	w := newWorld(t, 1)
	h := w.first().commit
	require.NoError(t, w.store.SetRef("refs/heads/main", h))
	saved := string(save(t, w.store))
	pack := saved[strings.Index(saved, "PACK"):]
	header := "# v2 git bundle\n"
	line := h.String() + " refs/heads/main\n"
	for name, input := range map[string]string{
		"nothing":                       "",
		"another version":               strings.Replace(saved, "v2", "v9", 1),
		"a header that does not end":    header + line,
		"a prerequisite":                header + "-" + line + "\n" + pack,
		"a line without a name":         header + h.String() + "\n\n" + pack,
		"a reference twice":             header + line + line + "\n" + pack,
		"a reference to nothing":        header + strings.Repeat("0", 40) + " refs/heads/x\n\n" + pack,
		"a bad name":                    header + h.String() + " refs/heads/..\n\n" + pack,
		"references in each other":      header + line + h.String() + " refs/heads/main/x\n\n" + pack,
		"a line that does not end":      header + strings.Repeat("x", 10000),
		"no packfile":                   header + line + "\n",
		"a packfile that is cut short":  saved[:len(saved)-30],
		"a packfile with a flipped bit": saved[:len(saved)-40] + string(saved[len(saved)-40]^1) + saved[len(saved)-39:],
		"bytes after the packfile":      saved + "x",
	} {
		_, err := gitstore.Load(strings.NewReader(input))
		require.Error(t, err, name)
		assert.Equal(t, fault.Invalid, fault.KindOf(err), name)
	}
}

func TestReadPackRefusesAsAWhole(t *testing.T) {
	for _, test := range []struct {
		name    string
		objects []rawObject
	}{
		{"a commit without a tree", []rawObject{{"blob", "x"}, {"commit", "hello"}}},
		{"a commit whose tree is missing", []rawObject{{"commit",
			"tree " + strings.Repeat("1", 40) + "\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nm"}}},
		{"a tree that names .git", []rawObject{{"blob", ""}, {"tree", "100644 .git\x00" + emptyBlob}}},
		{"a tree that names a path", []rawObject{{"blob", ""}, {"tree", "100644 a/b\x00" + emptyBlob}}},
		{"a tree out of order", []rawObject{{"blob", ""}, {"tree", "100644 b\x00" + emptyBlob + "100644 a\x00" + emptyBlob}}},
		{"a tree with a name twice", []rawObject{{"blob", ""}, {"tree", ""},
			{"tree", "100644 a\x00" + emptyBlob + "100644 a.b\x00" + emptyBlob + "40000 a\x00" + emptyTree}}},
		{"a tree with an odd mode", []rawObject{{"blob", ""}, {"tree", "100600 a\x00" + emptyBlob}}},
		{"a tree with a padded mode", []rawObject{{"blob", ""}, {"tree", "0100644 a\x00" + emptyBlob}}},
		{"a tree that says a blob is a tree", []rawObject{{"blob", ""}, {"tree", "40000 a\x00" + emptyBlob}}},
		{"a tree that is cut short", []rawObject{{"tree", "100644 a\x00123"}}},
		{"a tag of an unknown type", []rawObject{{"blob", ""}, {"tag", "object " + strings.Repeat("1", 40) + "\ntype x\ntag v\n\nm"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := gitstore.New()
			before := save(t, s)
			err := s.ReadPack(bytes.NewReader(rawPack(t, test.objects)))
			require.Error(t, err)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.Equal(t, before, save(t, s), "nothing of it is kept")
		})
	}
}

func FuzzLoad(f *testing.F) {
	w := newWorld(f, 1)
	w.history(6)
	f.Add(save(f, w.store))
	f.Add(save(f, gitstore.New()))
	f.Add([]byte("# v2 git bundle\n\nPACK\x00\x00\x00\x02\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, input []byte) {
		// The checksum would keep most mutations from being read any further.
		for _, data := range [][]byte{input, withChecksum(input)} {
			s, err := gitstore.Load(bytes.NewReader(data))
			if err != nil {
				assert.Equal(t, fault.Invalid, fault.KindOf(err))
				continue
			}
			again, err := gitstore.Load(bytes.NewReader(save(t, s)))
			require.NoError(t, err)
			assert.Equal(t, s.Refs(""), again.Refs(""))
			for _, r := range s.Refs("") {
				if c, err := s.Commit(r.Hash); err == nil {
					_, err = s.Diff(gitstore.Hash{}, c.Tree)
					require.NoError(t, err)
					_, err = s.Log(c.Hash, "", 0)
					require.NoError(t, err)
				}
			}
		}
	})
}
