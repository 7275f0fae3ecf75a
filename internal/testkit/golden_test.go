package testkit

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// probe is a test that keeps its failures to itself.
type probe struct {
	testing.TB
	name   string
	fatal  string
	failed string
}

func (p *probe) Helper()                           {}
func (p *probe) Name() string                      { return p.name }
func (p *probe) Errorf(format string, args ...any) { p.failed = fmt.Sprintf(format, args...) }
func (p *probe) Fatalf(format string, args ...any) {
	p.fatal = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// run calls check as a test of that name would.
func run(name string, write bool, reason, path, got string) *probe {
	p := &probe{name: name}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(p, write, reason, path, []byte(got))
	}()
	<-done
	return p
}

func TestCheckGolden(t *testing.T) {
	t.Run("the same bytes pass", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a.txt")
		require.NoError(t, os.WriteFile(path, []byte("as ever\n"), filePerm))
		p := run(t.Name(), false, "shows equality", path, "as ever\n")
		assert.Empty(t, p.failed)
		assert.Empty(t, p.fatal)
	})
	t.Run("other bytes fail, with reason and mend", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a.txt")
		require.NoError(t, os.WriteFile(path, []byte("old\n"), filePerm))
		p := run(t.Name(), false, "shows a difference", path, "new\n")
		assert.Contains(t, p.failed, "shows a difference")
		assert.Contains(t, p.failed, "-update")
		assert.Contains(t, p.failed, "+new")
	})
	t.Run("of a long file the lines are told that differ", func(t *testing.T) {
		for name, c := range map[string]struct{ was, is, line, shown, hidden string }{
			"changed":           {"=one\n=two\n=three\n", "=one\n2\n=three\n", "line 2", "+2", "=three"},
			"added":             {"=one\n=two\n", "=one\n1.5\n=two\n", "line 2", "+1.5", "=two"},
			"added once more":   {"=one\n=one\n=two\n", "=one\n=one\n=one\n=two\n", "line 3", "+=one", "=two"},
			"removed":           {"=one\n=two\n=three\n", "=one\n=three\n", "line 2", "-=two", "=three"},
			"without its end":   {"=one\n=two\n", "=one\n=two", "line 2", `"=two\n"`, "=one"},
			"nothing any more":  {"=one\n", "", "line 1", "-=one", "+=one"},
			"nothing was there": {"", "=one\n", "line 1", "+=one", "-=one"},
		} {
			path := filepath.Join(t.TempDir(), "a.txt")
			require.NoError(t, os.WriteFile(path, []byte(c.was), filePerm))
			p := run(t.Name(), false, "shows a difference", path, c.is)
			assert.Contains(t, p.failed, c.line+" on", name)
			assert.Contains(t, p.failed, c.shown, name)
			assert.NotContains(t, p.failed, c.hidden, name)
		}
	})
	t.Run("a missing file says how to write it", func(t *testing.T) {
		p := run(t.Name(), false, "is not there", filepath.Join(t.TempDir(), "none.txt"), "x")
		assert.Contains(t, p.fatal, "none.txt")
		assert.Contains(t, p.fatal, "-update")
	})
	t.Run("update writes the file and its folder", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "new", "a.txt")
		p := run(t.Name(), true, "is new", path, "fresh")
		require.Empty(t, p.fatal)
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "fresh", string(got))
	})
	t.Run("a case without a reason is refused", func(t *testing.T) {
		p := run(t.Name(), true, "", filepath.Join(t.TempDir(), "a.txt"), "x")
		assert.Contains(t, p.fatal, "reason")
	})
	t.Run("a path that another test uses is refused", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a.txt")
		require.Empty(t, run("TestOne", true, "first", path, "x").fatal)
		p := run("TestTwo", true, "second", filepath.Join(filepath.Dir(path), ".", "a.txt"), "x")
		assert.Contains(t, p.fatal, "TestOne")
		assert.Contains(t, p.fatal, "TestTwo")
	})
	t.Run("a test that runs again may use its path again", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a.txt")
		require.Empty(t, run("TestOne", true, "first run", path, "x").fatal)
		assert.Empty(t, run("TestOne", false, "second run", path, "x").fatal)
	})
}
