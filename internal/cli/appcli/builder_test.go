package appcli_test

import (
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
)

// serveBuilding is [world.serve] for a server that builds: everybody can enter
// its folders, as those of the image. As root it needs the user bench; where
// there is none, it sees files of accounts that have one.
func (w *world) serveBuilding(env ...string) *server {
	w.t.Helper()
	require.NoError(w.t, os.Chmod(filepath.Dir(w.folder), 0o755))
	cmd, out := command(append(append(w.env(), "BENCH_APP_ADDR=127.0.0.1:0"), env...), "serve")
	testkit.Builder(w.t, cmd)
	s := start(w.t, cmd, out)
	w.servers = append(w.servers, s)
	w.hook(s)
	return s
}
