package testkit

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The flag and the paths used so far belong to the test binary, which is why
// they are the package's own: a golden file is wrong if two tests share it,
// and only something above all tests can see that.
var (
	update = flag.Bool("update", false, "write golden files instead of comparing with them")
	used   sync.Map // path → the testing.TB that uses it
)

// filePerm and dirPerm are the permissions of what -update creates.
const (
	filePerm = 0o644
	dirPerm  = 0o755
)

// Updating says that files that tests compare with are to be written instead.
func Updating() bool { return *update }

// CheckGolden fails the test if got is not what the file at path holds. The path is
// relative to the package's folder, "testdata/<name>" by habit. The reason is
// one sentence that says what the file is there to show; a case without one,
// or a path that another case uses, ends the test. With -update the file is
// written instead.
func CheckGolden(t testing.TB, reason, path string, got []byte) {
	t.Helper()
	check(t, Updating(), reason, path, got)
}

func check(t testing.TB, write bool, reason, path string, got []byte) {
	t.Helper()
	if reason == "" {
		t.Fatalf("golden file %s: say for what reason it is there", path)
	}
	claim(t, path)
	if write {
		save(t, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("golden file %s (%s): %v; run the test with -update to write it", path, reason, err)
	}
	if bytes.Equal(want, got) {
		return
	}
	line, before, now := differing(string(want), string(got))
	assert.Equal(t, before, now,
		"%s is not as it was from line %d on (%s); if the change is meant, run the test with -update", path, line, reason)
}

// differing returns two texts without the lines that both begin and end with, and the
// number of the first line that is left: what is alike may be thousands of lines.
func differing(a, b string) (line int, ofA, ofB string) {
	linesA, linesB := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	most, begin, end := min(len(linesA), len(linesB)), 0, 0
	for begin < most && linesA[begin] == linesB[begin] {
		begin++
	}
	for end < most-begin && linesA[len(linesA)-1-end] == linesB[len(linesB)-1-end] {
		end++
	}
	return begin + 1, strings.Join(linesA[begin:len(linesA)-end], ""), strings.Join(linesB[begin:len(linesB)-end], "")
}

// claim ends the test if path was used before, by this test or another. The
// same test run once more (-count) comes with a new t, and may.
func claim(t testing.TB, path string) {
	t.Helper()
	before, taken := used.Swap(filepath.Clean(path), t)
	if !taken {
		return
	}
	if owner := before.(testing.TB); owner == t || owner.Name() != t.Name() {
		t.Fatalf("golden file %s is used twice, by %s and %s: give each case its own", path, owner.Name(), t.Name())
	}
}

func save(t testing.TB, path string, got []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), dirPerm); err != nil {
		t.Fatalf("golden file %s: %v", path, err)
	}
	if err := os.WriteFile(path, got, filePerm); err != nil {
		t.Fatalf("golden file %s: %v", path, err)
	}
}
