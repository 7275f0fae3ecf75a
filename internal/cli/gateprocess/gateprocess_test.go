package gateprocess_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/cli/gateprocess"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestFilesOfTheAgentsAreTakenIfTheyAreFiles(t *testing.T) {
	folder, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret.jsonl")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "rows.jsonl"), []byte("rows"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "large.jsonl"), []byte("too large"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "other.txt"), []byte("not"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "link.jsonl")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(folder, "pipe.jsonl"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "folder.jsonl"), 0o700))
	found := map[string]string{}
	take := func(name string, text []byte) error {
		found[name] = string(text)
		return nil
	}
	wanted := func(name string) bool { return strings.HasSuffix(name, ".jsonl") }
	require.NoError(t, gateprocess.EachFile(folder, ".", 8, wanted, take))
	assert.Equal(t, map[string]string{"rows.jsonl": "rows"}, found)

	clear(found)
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(folder, ".bench")))
	require.NoError(t, os.Symlink("folder.jsonl", filepath.Join(folder, "inside")))
	for _, out := range []string{".bench", "..", filepath.Join("..", filepath.Base(filepath.Dir(outside))), filepath.Dir(outside)} {
		require.NoError(t, gateprocess.EachFile(folder, out, 8, wanted, take), out)
	}
	assert.Empty(t, found, "no link leads out")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "folder.jsonl", "more.jsonl"), []byte("more"), 0o600))
	require.NoError(t, gateprocess.EachFile(folder, "inside", 8, wanted, take))
	assert.Equal(t, map[string]string{"more.jsonl": "more"}, found)

	require.NoError(t, gateprocess.EachFile(filepath.Join(folder, "none"), ".", 8, wanted, take), "there are none")
	require.NoError(t, gateprocess.EachFile(folder, "none", 8, wanted, take), "nor here")
	require.NoError(t, gateprocess.EachFile(folder, "rows.jsonl", 8, wanted, take), "nor in a file")
	err := gateprocess.EachFile(folder, ".", 8, wanted, func(string, []byte) error { return io.ErrShortWrite })
	require.ErrorIs(t, err, io.ErrShortWrite)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

func TestTheEndOfAGateIsWhatItSays(t *testing.T) {
	var told [][2]int
	follow := func(text string) *gateprocess.End {
		told = nil
		return gateprocess.Follow(strings.NewReader(text), func(done, total int) { told = append(told, [2]int{done, total}) })
	}
	for name, c := range map[string]struct {
		says string
		kind fault.Kind
	}{
		"a mistake":         {`{"end": {"code": 2, "problem": "no"}}`, fault.Invalid},
		"an agent's defect": {`{"end": {"code": 1, "problem": "no"}}`, fault.Tool},
		"an outage":         {`{"end": {"code": 3, "problem": "no"}}`, fault.Infrastructure},
	} {
		t.Run(name, func(t *testing.T) {
			end := follow(`{"done": 1}` + "\n" + `{"done": 2, "total": 4}` + "\n" + c.says)
			require.NotNil(t, end)
			require.EqualError(t, end.Err(), "no")
			assert.Equal(t, c.kind, fault.KindOf(end.Err()))
			assert.Equal(t, [][2]int{{1, 0}, {2, 4}}, told)
		})
	}
	require.NoError(t, follow(`{"end": {"code": 0, "run_id": "r"}}`).Err())
	assert.Nil(t, follow(`{"done": 1}`), "it was ended before")
	assert.Nil(t, follow(`what an agent writes`))
}

func TestTheCommandLineSaysWhatIsAsked(t *testing.T) {
	assert.Equal(t, "harness gate --config c.yaml", strings.Join(gateprocess.Gate{Config: "c.yaml", Shard: "1/2"}.Arguments(), " "))
	all := gateprocess.Gate{
		Config: "c.yaml", MaxCostUSD: 2.5, Shard: "1/2", Evidence: &gateprocess.Evidence{Epochs: "2..10", MarginSuccess: 15, MarginLatency: 1.25},
		Against: &gateprocess.Against{Commit: "a", BaseDir: "../base", BaseCommit: "b", BaseTree: "t"},
	}
	assert.Equal(t, "harness gate --config c.yaml --max-cost-usd 2.5 --policy evidence --epochs 2..10 --margin-success 15 --margin-latency 1.25 "+
		"--git-commit a --base-dir ../base --base-commit b --base-tree t --shard 1/2", strings.Join(all.Arguments(), " "))
}
