package sandboxtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Main runs the tests of a package, and has each write of each world checked:
// the log must tell how the state differs from a copy of what it was, and what
// is refused must leave all of the state as it was. Answers of the API are
// compared with what GitHub has published of it, those of REST with its
// description in a file, unless the path of that is empty. It returns the exit status. Benchmarks are run without.
func Main(m *testing.M, openAPI string) int {
	openAPIFile = openAPI
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() != "" {
		return m.Run()
	}
	var found complaints
	sandbox.ProveWrites(found.begin)
	judge := referee{heard: map[string]int{}, said: map[string]bool{}}
	sandbox.HearAnswers(judge.hear)
	code := m.Run()
	for _, complaint := range slices.Sorted(maps.Keys(judge.said)) {
		fmt.Fprintf(os.Stderr, "--- an answer that GitHub would not give:\n%s\n", complaint)
		code = 1
	}
	for _, complaint := range found.texts {
		fmt.Fprintf(os.Stderr, "--- a write that the log does not tell as it was:\n%s\n", complaint)
		code = 1
	}
	return code
}

// complaints are what is wrong with writes.
type complaints struct {
	// writes counts those of large worlds.
	writes atomic.Int64

	mu    sync.Mutex
	texts []string
}

// large is how many rows a world has of which not every write is checked but
// one of so many.
const (
	large = 1000
	oneOf = 100
)

// begin takes a copy of a state before a write that is to be checked.
func (c *complaints) begin(s *model.State) func(sandbox.Write) {
	rows := s.Users.Len() + s.Issues.Len() + s.Comments.Len() + s.Labels.Len() + s.Events.Len() + s.Runs.Len() + s.ProjectItems.Len()
	if rows > large && c.writes.Add(1)%oneOf != 0 {
		return nil
	}
	before := s.Clone()
	return func(w sandbox.Write) { c.check(before, w) }
}

func (c *complaints) check(before *model.State, w sandbox.Write) {
	if err := Check(before, w); err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if text := w.What + caller() + ": " + err.Error(); !slices.Contains(c.texts, text) {
			c.texts = append(c.texts, text)
		}
	}
}

// caller is the place in a test from which the world is set up, empty for what
// comes over HTTP.
func caller() string {
	const most = 64
	places := make([]uintptr, most)
	frames := runtime.CallersFrames(places[:runtime.Callers(1, places)])
	for more := true; more; {
		var frame runtime.Frame
		if frame, more = frames.Next(); strings.HasSuffix(frame.File, "_test.go") {
			return fmt.Sprintf(" in %s:%d", path.Base(frame.File), frame.Line)
		}
	}
	return ""
}

// Check compares what the log tells of a write with how the state differs from
// what it was before.
func Check(before *model.State, w sandbox.Write) error {
	if err := w.After.CheckIndexes(); err != nil {
		return err
	}
	if !w.Kept {
		return same(before, w.After)
	}
	told, really := plain(changes.Net(w.Events)), plain(Between(before, w.After))
	if reflect.DeepEqual(told, really) {
		return nil
	}
	onlyIn := func(list, other []changes.Change) []changes.Change {
		return slices.DeleteFunc(slices.Clone(list), func(c changes.Change) bool {
			return slices.ContainsFunc(other, func(o changes.Change) bool { return reflect.DeepEqual(c, o) })
		})
	}
	return fmt.Errorf("the log tells\n%sbut really it is\n%s", lines(onlyIn(told, really)), lines(onlyIn(really, told)))
}

// plain puts changes and their fields in order of their names.
func plain(list []changes.Change) []changes.Change {
	list = slices.Clone(list)
	for n := range list {
		list[n].Fields = slices.SortedFunc(slices.Values(list[n].Fields), func(a, b changes.Field) int { return cmp.Compare(a.Name, b.Name) })
	}
	slices.SortStableFunc(list, func(a, b changes.Change) int {
		return cmp.Or(cmp.Compare(a.Object.Kind, b.Object.Kind), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Name, b.Name))
	})
	return list
}

func lines(list []changes.Change) []byte {
	var out bytes.Buffer
	for _, c := range list {
		// What changes hold can be written as JSON.
		line, _ := json.Marshal(c)
		out.Write(append(line, '\n'))
	}
	return out.Bytes()
}

// same compares all that is saved of two states.
func same(before, after *model.State) error {
	if !before.Now.Equal(after.Now) || before.LastID != after.LastID || !reflect.DeepEqual(before.Scripts, after.Scripts) {
		return fmt.Errorf("nothing was kept, but the clock, the last id or the scripts are not what they were")
	}
	was, is := tables(before), tables(after)
	for n := range was {
		if !reflect.DeepEqual(was[n].all(), is[n].all()) {
			return fmt.Errorf("nothing was kept, but %s are not what they were: %s", was[n].name, lines(Between(before, after)))
		}
	}
	return nil
}
