package confine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/confine"
)

// secrets makes a folder with files that everyone may read, outside of /tmp where
// there is such a place.
func secrets(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("/var/lib", "confine-test-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	for _, path := range []string{"runner/event", "runner/env", "other/file", "checkout/.git/config", "checkout/tool", "checkout/.npmrc"} {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, filepath.Dir(path)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, path), []byte("secret"), 0o644))
	}
	require.NoError(t, os.Chmod(folder, 0o755))
	return folder
}

func TestAViewHasNothingOfWhatIsHidden(t *testing.T) {
	if os.Geteuid() != 0 || !mayAdminister() {
		t.Skip("SKIPPED: a network namespace needs CAP_SYS_ADMIN")
	}
	folder, shared := secrets(t), base(t)
	require.NoError(t, os.Chmod(shared, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(shared, "left"), []byte("x"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(shared, "tool"), []byte("#!/bin/sh\necho a tool of ours\n"), 0o755))
	before, err := os.ReadFile("/proc/self/mounts")
	require.NoError(t, err)
	for _, network := range []confine.Network{confine.Namespace, confine.Landlock, confine.Unlimited} {
		t.Run(string(network), func(t *testing.T) {
			under := base(t)
			s, err := confine.Open(confine.Options{Name: "test", Base: under, User: confine.OwnUser, Network: network, View: &confine.View{
				Hide: []string{folder, filepath.Join(folder, "checkout/.git"), filepath.Join(folder, "checkout/.npmrc"), filepath.Join(folder, "other"), "/no/such/file"},
				Keep: []string{filepath.Join(folder, "checkout"), filepath.Join(folder, "runner/event"), filepath.Join(folder, "other")},
			}})
			require.NoError(t, err)
			assert.Equal(t, confine.OwnMounts, s.Isolation().Files, s.Isolation().Why())
			assert.Contains(t, s.Isolation().String(), "files: mount namespace")
			assert.Equal(t, []string{"checkout", "other", "runner", "secretsecret"}, run(t, s, shell("ls -A "+folder+"; cat "+folder+"/runner/* "+folder+"/other/*")))
			assert.Equal(t, []string{".git", ".npmrc", "tool", "secret"}, run(t, s, shell("cd "+folder+"/checkout; ls -A; cat tool .npmrc; ls -A .git")))
			assert.Equal(t, []string{"none"}, run(t, s, shell("ls "+shared+"/left 2>/dev/null || echo none")))
			assert.Equal(t, []string{"fine"}, run(t, s, shell("for f in /tmp /var/tmp /dev/shm $HOME; do echo mine > $f/of-the-view || exit; done; echo x > "+s.Temp()+"/x; echo fine")))
			assert.NoFileExists(t, "/tmp/of-the-view")
			assert.FileExists(t, filepath.Join(s.Temp(), "x"))
			// A program of ours is in /tmp, too, and is brought along.
			assert.Contains(t, run(t, s, role(t, s, "read", "/tmp/of-the-view", filepath.Join(shared, "left"))), "yes")
			tool, err := s.Stage(filepath.Join(shared, "tool"))
			require.NoError(t, err)
			assert.Equal(t, []string{"a tool of ours"}, run(t, s, confine.Command{Path: tool}))
			assert.Equal(t, []string{"held"}, run(t, s, shell("umount /tmp 2>/dev/null || unshare -rm umount /tmp 2>/dev/null || echo held")))
			after, err := os.ReadFile("/proc/self/mounts")
			require.NoError(t, err)
			assert.Equal(t, string(before), string(after), "nothing of it is mounted here")
			require.NoError(t, s.Close())
			left, err := os.ReadDir(under)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}
