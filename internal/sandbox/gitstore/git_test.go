package gitstore_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// The random histories that are compared with git: how many for each test, and
// the seed of the first. More of them are worth running after a change.
var (
	rounds    = flag.Uint64("rounds", 2, "random histories that each test compares with git")
	firstSeed = flag.Uint64("seed", 1, "seed of the first random history")
)

// eachHistory calls a subtest with random histories, and git's view of them.
func eachHistory(t *testing.T, prepare func(w *world), check func(t *testing.T, w *world, all []snapshot, g *realGit)) {
	t.Helper()
	for seed := *firstSeed; seed < *firstSeed+*rounds; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			w := newWorld(t, seed)
			prepare(w)
			all := w.history(40)
			check(t, w, all, materialise(t, w.store))
		})
	}
}

// realGit is a bare repository on disk with a Store's content, and the git
// program to compare with.
type realGit struct {
	tb      testing.TB
	program string
	dir     string
	env     []string
}

// findGit returns a real, empty repository. It skips the test where there is no
// git.
func findGit(tb testing.TB) *realGit {
	tb.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		tb.Skip("NOT COMPARED WITH GIT: there is no git on PATH")
	}
	g := &realGit{tb: tb, program: program, dir: tb.TempDir()}
	g.env = []string{
		"GIT_DIR=" + g.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C", "TZ=UTC",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.com",
	}
	for _, dir := range []string{"objects/pack", "refs"} {
		require.NoError(tb, os.MkdirAll(filepath.Join(g.dir, dir), 0o755))
	}
	g.write("HEAD", "ref: refs/heads/main\n")
	g.write("config", "[core]\n\trepositoryformatversion = 0\n")
	return g
}

// materialise gives a Store's content to git, which checks it.
func materialise(tb testing.TB, s *gitstore.Store) *realGit {
	tb.Helper()
	g := findGit(tb)
	var pack bytes.Buffer
	require.NoError(tb, s.WritePack(&pack))
	g.run(&pack, "index-pack", "--stdin", "--strict", "--fsck-objects")
	var refs strings.Builder
	refs.WriteString("# pack-refs with: sorted \n")
	for _, r := range s.Refs("") {
		fmt.Fprintf(&refs, "%s %s\n", r.Hash, r.Name)
	}
	g.write("packed-refs", refs.String())
	return g
}

// needMerges skips the test unless git has merge-tree --stdin and compares
// files in a merge as git 2.39 to 2.53 do. Later ones look once more at lines
// that occur several times.
func (g *realGit) needMerges(tb testing.TB) {
	tb.Helper()
	var major, minor int
	_, err := fmt.Sscanf(g.run(nil, "version"), "git version %d.%d", &major, &minor)
	require.NoError(tb, err)
	if major != 2 || minor < 39 || minor > 53 {
		tb.Skipf("MERGES NOT COMPARED WITH GIT: git %d.%d merges in another way than git 2.39 to 2.53", major, minor)
	}
}

func (g *realGit) write(name, content string) {
	g.tb.Helper()
	require.NoError(g.tb, os.WriteFile(filepath.Join(g.dir, name), []byte(content), 0o644))
}

// run returns what git prints, with nothing of the machine's settings. Git must
// succeed, or say by exit code 1 that there are differences or conflicts.
func (g *realGit) run(stdin *bytes.Buffer, args ...string) string {
	g.tb.Helper()
	cmd := exec.Command(g.program, args...)
	cmd.Dir = g.dir
	cmd.Env = append(cmd.Environ(), g.env...)
	if stdin != nil {
		cmd.Stdin = stdin
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil
	}
	require.NoError(g.tb, err, "git %s: %s", strings.Join(args, " "), errs.String())
	return out.String()
}

// succeeds reports whether git exits with code 0.
func (g *realGit) succeeds(args ...string) bool {
	cmd := exec.Command(g.program, args...)
	cmd.Env = append(cmd.Environ(), g.env...)
	return cmd.Run() == nil
}

// words returns the words that git prints.
func (g *realGit) words(args ...string) []string {
	g.tb.Helper()
	return strings.Fields(g.run(nil, args...))
}

// sameText fails with the first lines that differ.
func sameText(t *testing.T, want, got string, what ...any) {
	t.Helper()
	if want == got {
		return
	}
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	show := func(l []string) string { return strings.Join(l[max(0, i-8):min(len(l), i+12)], "\n") }
	assert.Fail(t, fmt.Sprint(what...), "git, from line %d:\n%s\n\nours:\n%s", max(0, i-8)+1, show(a), show(b))
}
