package actioncli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
)

// Agents read the workspace only where what they run is in it, and then neither its
// .git nor what has credentials by its name.
func TestTheWorkspaceIsClosedToAgentsThatNeedIt(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can become another user")
	}
	for name, c := range map[string]struct {
		ghx   ghxbuild.Built
		modes []string
		open  bool
	}{
		"what was built":                      {ghxbuild.Built{Command: "x", Folder: "/elsewhere"}, []string{"x"}, false},
		"the installed one":                   {ghxbuild.Built{}, nil, false},
		"a command in the workspace":          {ghxbuild.Built{Command: "x"}, nil, true},
		"the base's command in the workspace": {ghxbuild.Built{Base: "x"}, nil, true},
		"a mode of the workspace":             {ghxbuild.Built{}, []string{"x"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			workspace, outside := t.TempDir(), filepath.Join(t.TempDir(), "system")
			t.Chdir(workspace)
			t.Setenv("TMPDIR", t.TempDir())
			for path, perm := range map[string]os.FileMode{".git/config": 0o644, ".npmrc": 0o644, "tool": 0o755, outside: 0o644} {
				if !filepath.IsAbs(path) {
					path = filepath.Join(workspace, path)
				}
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, nil, perm))
				require.NoError(t, os.Chmod(path, perm))
			}
			require.NoError(t, os.Symlink(outside, filepath.Join(workspace, ".netrc")))
			require.NoError(t, os.Chmod(workspace, 0o755))
			if c.ghx.Folder == "" {
				c.ghx.Folder = workspace
			}
			perm := func(path string) os.FileMode {
				info, err := os.Stat(path)
				require.NoError(t, err)
				return info.Mode().Perm()
			}
			a := &action{getenv: func(string) string { return "" }}
			require.NoError(t, a.seclude())
			assert.Equal(t, os.FileMode(0o700), perm("."))
			view, err := a.admit(c.ghx, c.modes)
			require.NoError(t, err)
			assert.Equal(t, c.open, perm(".") == 0o755)
			if c.open {
				assert.Contains(t, view.Keep, workspace)
			} else {
				assert.NotContains(t, view.Keep, workspace)
			}
			assert.Contains(t, view.Hide, workspace)
			assert.Contains(t, view.Hide, filepath.Join(workspace, ".git"))
			assert.Equal(t, os.FileMode(0o700), perm(".git"))
			assert.Equal(t, os.FileMode(0o600), perm(".npmrc"))
			assert.Equal(t, os.FileMode(0o644), perm(outside), "a link may be the proposal's")
			a.open()
			assert.Equal(t, []os.FileMode{0o755, 0o755, 0o644}, []os.FileMode{perm("."), perm(".git"), perm(".npmrc")})
		})
	}
}
