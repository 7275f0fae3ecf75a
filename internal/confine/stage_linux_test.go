package confine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// tree makes a folder that only we can enter, with files of the given content
// and mode, and links, whose content begins with "-> ".
func tree(t *testing.T, files map[string]string, mode os.FileMode) string {
	dir := filepath.Join(base(t), "root")
	require.NoError(t, os.Mkdir(dir, 0o700))
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if link, isLink := strings.CutPrefix(content, "-> "); isLink {
			require.NoError(t, os.Symlink(strings.ReplaceAll(link, "DIR", dir), path))
			continue
		}
		require.NoError(t, os.WriteFile(path, []byte(content), mode))
		require.NoError(t, os.Chmod(path, mode))
	}
	return dir
}

func TestStageMakesAToolUsable(t *testing.T) {
	for name, mode := range map[string]os.FileMode{
		"one that everyone may read, if they could reach it": 0o755,
		"one that is its owner's alone":                      0o700,
		"one that others may write":                          0o777,
		"one that would change the user":                     0o755 | os.ModeSetuid,
	} {
		t.Run(name, func(t *testing.T) {
			s := ways[1].open(t)
			dir := tree(t, map[string]string{"lib/tool": "#!/bin/sh\necho run as $(id -u)", "bin/tool": "-> ../lib/tool"}, mode)
			path, err := s.Stage(dir + "/bin/tool")
			require.NoError(t, err)
			assert.Equal(t, "tool", filepath.Base(path))

			uid := run(t, s, shell("id -u"))[0]
			assert.Equal(t, []string{"run as " + uid}, run(t, s, confine.Command{Path: path, Env: []string{"PATH=/bin:/usr/bin"}}))
			assert.Equal(t, []string{"refused"}, run(t, s, shell("(echo x > "+path+" || rm -f "+path+") 2>/dev/null || echo refused")))

			again, err := s.Stage(dir + "/bin/tool")
			require.NoError(t, err)
			assert.Equal(t, path, again)
		})
	}
}

func TestStageLeavesWhatCanBeReached(t *testing.T) {
	s := ways[1].open(t)
	path, err := s.Stage("/bin/sh")
	require.NoError(t, err)
	assert.Equal(t, "/bin/sh", path)

	dir := tree(t, map[string]string{"sh": "-> /usr/bin/env"}, 0)
	path, err = s.Stage(dir + "/sh")
	require.NoError(t, err)
	assert.Equal(t, "/usr/bin/env", path, "a link in a closed folder to an open one")

	group := ways[3].open(t)
	path, err = group.Stage(dir + "/sh")
	require.NoError(t, err)
	assert.Equal(t, dir+"/sh", path, "for our own user there is nothing to stage")
}

func TestStageTreeKeepsAProgramTogether(t *testing.T) {
	s := ways[1].open(t)
	outside, err := os.MkdirTemp("", "outside-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(outside)) })
	require.NoError(t, os.Chmod(outside, 0o755))
	require.NoError(t, os.WriteFile(outside+"/common", []byte("from outside"), 0o644))
	require.NoError(t, os.WriteFile(outside+"/ours", []byte("a secret"), 0o600))
	dir := tree(t, map[string]string{
		"stolen":       "-> " + outside + "/ours",
		"environment":  "-> /proc/self/environ",
		"command line": "-> /proc/self/cmdline",
		"lib/main.sh":  ". \"$(dirname \"$0\")/../lib/part.sh\"",
		"lib/part.sh":  "echo part; cat \"$(dirname \"$0\")/../common\"",
		"bin/program":  "-> ../lib/main.sh",
		"common":       "-> " + outside + "/common",
		"lib/dangling": "-> nowhere",
	}, 0o600)
	staged, err := s.StageTree(dir)
	require.NoError(t, err)
	assert.Equal(t, []string{"part", "from outside"}, run(t, s, shell("sh "+staged+"/bin/program")))
	assert.Equal(t, []string{"bin", "common", "lib"}, run(t, s, shell("ls "+staged)), "what is ours alone is left out")

	dir = tree(t, map[string]string{"lib": "-> " + outside}, 0)
	_, err = s.StageTree(dir)
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.ErrorContains(t, err, outside)
}

func TestStageRefusesPathsThatAreNone(t *testing.T) {
	s := ways[1].open(t)
	for name, path := range map[string]string{"a file that is not there": "/nowhere/gh", "a relative path": "stage_test.go"} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Stage(path)
			require.Equal(t, fault.Invalid, fault.KindOf(err), err)
		})
	}
}

// What the kernel shows whoever reads it may be that one's secret.
func TestStageRefusesWhatTheKernelShows(t *testing.T) {
	s := ways[1].open(t)
	dir := tree(t, map[string]string{
		"file": "-> /proc/self/environ", "open file": "-> /proc/self/cmdline", "folder": "-> /proc/self", "device": "-> /sys/kernel",
		"link": "-> DIR/file", "mine": "x",
	}, 0o644)
	for _, path := range []string{
		"/proc/self/environ", "/proc/self/cmdline", "/proc/../proc/self/environ", "/proc", "/sys/kernel", "/proc/self/root" + dir + "/mine",
		dir + "/file", dir + "/open file", dir + "/link", dir + "/folder/environ", dir + "/device",
	} {
		for name, stage := range map[string]func(string) (string, error){"as a file": s.Stage, "as a tree": s.StageTree} {
			t.Run(path+" "+name, func(t *testing.T) {
				staged, err := stage(path)
				require.Equal(t, fault.Invalid, fault.KindOf(err), "it is at %s: %v", staged, err)
			})
		}
	}
	_, err := s.Stage(dir + "/mine")
	require.NoError(t, err)
}

func TestAProvidedFileCanBeReadAndNotChanged(t *testing.T) {
	inEveryWay(t, func(t *testing.T, s *confine.Space) {
		_, err := s.Provide("ca.pem", []byte("one"))
		require.NoError(t, err)
		path, err := s.Provide("ca.pem", []byte("two"))
		require.NoError(t, err)
		assert.Equal(t, []string{"two"}, run(t, s, shell("cat "+path)))
		if s.Isolation().User == confine.OwnUser {
			assert.Equal(t, []string{"refused"}, run(t, s, shell("(echo x > "+path+") 2>/dev/null || echo refused")))
		}
		_, err = s.Provide("../ca.pem", nil)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
	})
}
