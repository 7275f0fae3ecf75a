package ghxbuild_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// lookedAt has a build be looked at as often as that can be, each time so much later
// than the last.
func lookedAt(b *ghxbuild.Builder, step time.Duration) {
	b.Ticks = func() (<-chan time.Time, func()) {
		ticks, done := make(chan time.Time), make(chan struct{})
		go func() {
			for now := time.Now(); ; now = now.Add(step) {
				select {
				case ticks <- now:
				case <-done:
					return
				}
			}
		}()
		return ticks, func() { close(done) }
	}
}

const ages = 1000 * time.Hour

func TestABuildStaysInItsBounds(t *testing.T) {
	testkit.NeedComplete(t)
	const hog = `hog() { awk -v n="$1" 'BEGIN { s = "x"; while (length(s) < n) s = s s; system("sleep 1000") }'; }; `
	for i, c := range []struct {
		name, script string
		step         time.Duration
		bounds       ghxbuild.Bounds
		says         string
		long         bool
	}{
		{"a hang", "sleep 1000", time.Minute, ghxbuild.Bounds{Time: 5 * time.Minute, Setting: "a-setting"},
			"it took more than 5 minutes, and was ended: have it do less, or raise a-setting", false},
		{"a disk that fills between two lines of the log", "head -c 60000000 /dev/zero > big; sleep 1000", 0, ghxbuild.Bounds{Disk: 40e6},
			"it wrote more than 40 MB, and was ended", false},
		{"memory", hog + "hog 60000000", time.Second, ghxbuild.Bounds{Time: ages, Memory: 40e6},
			"its processes had more than 40 MB of memory together, and were ended", false},
		{"memory of several", hog + "hog 30000000 & hog 30000000 & hog 30000000 & wait", time.Second, ghxbuild.Bounds{Time: ages, Memory: 90e6},
			"its processes had more than 90 MB of memory together", true},
		{"a disk that fills", "head -c 60000000 /dev/zero > big; sleep 1000", time.Second, ghxbuild.Bounds{Time: ages, Disk: 40e6},
			"it wrote more than 40 MB, and was ended", false},
		{"the folder for temporary files", "head -c 60000000 /dev/zero > /var/tmp/big-of-a-build; sleep 1000", time.Second, ghxbuild.Bounds{Time: ages, Disk: 40e6},
			"it wrote more than 40 MB, and was ended", false},
		{"many small files", "i=0; while true; do mkdir -p d/$i; echo > d/$i/file; i=$((i+1)); done", time.Second, ghxbuild.Bounds{Time: ages, Disk: 1e6},
			"it wrote more than 1 MB, and was ended", true},
		{"processes without end", `grep -q 'Max processes  *2048' /proc/self/limits; printf '#!/bin/sh\n"$0" & "$0" & wait\n' > bomb; chmod +x bomb; ./bomb 2> said || true; exec sleep 1000`, time.Second, ghxbuild.Bounds{Time: time.Minute},
			"it took more than 1 minute, and was ended: have it do less", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.long {
				testkit.NeedComplete(t)
			}
			t.Parallel()
			uid := uint32(59200 + i)
			b := hostileBuilder(t, uid)
			var log bytes.Buffer
			b.Output, b.Bounds = &log, c.bounds
			lookedAt(b, c.step)
			_, err := b.Build(t.Context(), ghxbuild.Wanted{Script: c.script})
			require.ErrorContains(t, err, c.says, log.String())
			assert.Contains(t, err.Error(), "build ghx with")
			assert.Equal(t, fault.Tool, fault.KindOf(err), err)
			assert.NotContains(t, err.Error(), "see the log")
			assert.Empty(t, runningAs(t, uid))
			left, err := filepath.Glob("/var/tmp/big-of-a-build")
			require.NoError(t, err)
			assert.True(t, len(left) == 0 || !strings.Contains(c.script, left[0]), "it is removed")
			assert.Contains(t, log.String(), "The build is held: network: unlimited, files: ")
		})
	}
}

func TestALongBuildShowsThatItLives(t *testing.T) {
	b := ownBuilder(t, t.TempDir())
	var log bytes.Buffer
	b.Output = &log
	lookedAt(b, 20*time.Second)
	b.Bounds.Time = 4 * time.Minute
	_, err := b.Build(t.Context(), ghxbuild.Wanted{Script: "printf 'a line'; sleep 1000"})
	require.ErrorContains(t, err, "more than 4 minutes")
	assert.NotContains(t, err.Error(), "raise", "nothing raises it")
	for _, minutes := range []string{"1 minute", "2 minutes", "3 minutes"} {
		assert.Regexp(t, `(?m)^building for `+minutes+`: \d+ MB of memory, \d+ MB of disk$`, log.String())
	}
	assert.LessOrEqual(t, strings.Count(log.String(), "building for"), 4, "once a minute")
}

// A server builds for months.
func TestABuildThatHasEndedIsLookedAtNoMore(t *testing.T) {
	b := ownBuilder(t, t.TempDir())
	stopped := false
	b.Ticks = func() (<-chan time.Time, func()) { return nil, func() { stopped = true } }
	_, err := b.Build(t.Context(), ghxbuild.Wanted{Script: "true"})
	require.NoError(t, err)
	assert.True(t, stopped)
}

func TestABuildThatWritesWithoutEndFillsNoLog(t *testing.T) {
	b := ownBuilder(t, t.TempDir())
	var log bytes.Buffer
	b.Output = &log
	_, err := b.Build(t.Context(), ghxbuild.Wanted{Script: "yes | head -c 40000000; echo the end; exit 3"})
	require.ErrorContains(t, err, "the end")
	assert.Less(t, log.Len(), 17<<20)
	assert.Equal(t, 1, strings.Count(log.String(), "its further output is left out"))
}

// needMounts skips where there are no mount namespaces.
func needMounts(t *testing.T) {
	t.Helper()
	cage, isolation, err := confine.OpenCage(confine.CageOptions{Base: t.TempDir(), Network: confine.Unlimited, View: &confine.View{}})
	require.NoError(t, err)
	require.NoError(t, cage.Close())
	if isolation.Files != "mount namespace" {
		t.Skip("SKIPPED: a network namespace needs CAP_SYS_ADMIN")
	}
}

// The runner's files are ours to read, not a build's.
func TestABuildSeesNothingOfTheRunner(t *testing.T) {
	const uid = 59220
	b := hostileBuilder(t, uid)
	needMounts(t)
	var log bytes.Buffer
	b.Output = &log
	// Not in /tmp, which is a build's own in any case.
	folder, err := os.MkdirTemp("/var/lib", "ghxbuild-test-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	require.NoError(t, os.Chmod(folder, 0o755))
	b.Workspace = filepath.Join(folder, "workspace")
	write(t, b.Workspace, "file", "of the workspace")
	write(t, folder, "runner/secret", "hunter2")
	secret := filepath.Join(folder, "runner/secret")
	require.NoError(t, os.Chmod(secret, 0o644))
	b.Hide = []string{filepath.Dir(secret)}
	// Other processes that were killed may have left some.
	before, err := filepath.Glob(filepath.Join(os.TempDir(), "view-*", "*", "x"))
	require.NoError(t, err)
	_, err = b.Build(t.Context(), ghxbuild.Wanted{Script: "cat file; cat " + secret + " || true; ls " + b.Workspace + " || true; ls -A /tmp; echo x > /tmp/x"})
	require.NoError(t, err)
	assert.Contains(t, log.String(), "files: mount namespace; at most 30 minutes, ")
	assert.Contains(t, log.String(), "of the workspace")
	assert.NotContains(t, log.String(), "hunter2")
	assert.NotContains(t, log.String(), "\nfile\n")
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "view-*", "*", "x"))
	require.NoError(t, err)
	assert.ElementsMatch(t, before, left, "what the build writes to /tmp is not kept")
}

func TestABuildReachesTheHostsThatAreNamed(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("NOT TESTED: a build's network: there is no curl")
	}
	const uid = 59230
	b := hostileBuilder(t, uid)
	var log bytes.Buffer
	b.Output = &log
	named, other := newServer(t, "of the registry"), newServer(t, "of another")
	b.Hosts, b.Dial = []string{"registry.example"}, named.dial
	script := strings.ReplaceAll(`
		CURL https://registry.example/x; echo
		CURL https://elsewhere.example/ || echo refused
		CURL https://elsewhere.example/ || echo refused
		CURL http://elsewhere.example/
		CURL --noproxy '*' https://127.0.0.1:PORT/ || echo unreachable
	`, "CURL", curl+" -sSk --max-time 20")
	_, err = b.Build(t.Context(), ghxbuild.Wanted{Script: strings.ReplaceAll(script, "PORT", other.port)})
	require.NoError(t, err)
	assert.Regexp(t, `The build is held: network: (namespace|landlock), `, log.String())
	assert.Contains(t, log.String(), "of the registry")
	assert.Equal(t, 2, strings.Count(log.String(), "\nrefused"), log.String())
	assert.Equal(t, 1, strings.Count(log.String(), "The build is kept from elsewhere.example, which build-hosts does not name."))
	assert.Contains(t, log.String(), "a build reaches the hosts of build-hosts only")
	assert.Contains(t, log.String(), "\nunreachable")
	assert.NotContains(t, log.String(), "of another")

	b.Hosts = []string{"not a host"}
	_, err = b.Build(t.Context(), ghxbuild.Wanted{Script: "true"})
	require.ErrorContains(t, err, "it must be a host's name")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}
