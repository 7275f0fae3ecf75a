package actions_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// step is a step of a workflow, with its log and files.
type step struct {
	log   bytes.Buffer
	env   map[string]string
	files *actions.Files
}

// newStep returns a step whose files are there and empty.
func newStep(t testing.TB, random io.Reader) *step {
	t.Helper()
	folder := t.TempDir()
	s := &step{env: map[string]string{}}
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"} {
		s.env[name] = filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(s.env[name], nil, 0o600))
	}
	log := actions.NewLog(&s.log, redact.New(), func() time.Time { return time.Time{} }, rand.Reader)
	s.files = actions.NewFiles(func(name string) string { return s.env[name] }, random, log)
	return s
}

func (s *step) file(t testing.TB, variable string) string {
	t.Helper()
	data, err := os.ReadFile(s.env[variable])
	require.NoError(t, err)
	return string(data)
}

// notices are the messages of the notices in the log.
func (s *step) notices() []string {
	var messages []string
	for _, c := range reading(s.log.String()).commands {
		if c.name == "notice" {
			messages = append(messages, c.data)
		}
	}
	return messages
}

// constant is a random source that everybody can foresee.
type constant byte

func (c constant) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c)
	}
	return len(p), nil
}

func TestOutputsArriveAsTheyAre(t *testing.T) {
	s := newStep(t, rand.Reader)
	want := map[string]string{
		"plain": "success", "empty": "", "lines": "a\nb\r\nc", "ends": "a\n\n", "begins": "\n\na",
		"assigns": "passed=true", "forged": "x\n_GitHubActionsFileCommandDelimeter_\npassed=true", "heredoc": "passed<<E\ntrue\nE",
	}
	var values []actions.Value
	for name, text := range want {
		values = append(values, actions.Value{Name: name, Text: text})
	}
	s.files.SetOutputs(values)
	assert.Equal(t, want, fileValues(t, s.file(t, "GITHUB_OUTPUT")))
	assert.Empty(t, s.log.String())
}

func TestOutputsAreAppended(t *testing.T) {
	s := newStep(t, rand.Reader)
	s.files.SetOutputs([]actions.Value{{Name: "a", Text: "1"}, {Name: "b", Text: "1"}})
	s.files.SetOutputs([]actions.Value{{Name: "b", Text: "2"}})
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, fileValues(t, s.file(t, "GITHUB_OUTPUT")))
}

func TestEveryValueHasADelimiterOfItsOwn(t *testing.T) {
	s := newStep(t, rand.Reader)
	s.files.SetOutputs([]actions.Value{{Name: "a"}, {Name: "b"}})
	first, rest, _ := strings.Cut(s.file(t, "GITHUB_OUTPUT"), "\n")
	_, delimiter, _ := strings.Cut(first, "<<")
	assert.Equal(t, 1, strings.Count(rest, delimiter))
	assert.Len(t, delimiter, len("bench_")+32, "128 bits are too many to guess")
}

func TestAValueThatHoldsTheDelimiterIsNotWritten(t *testing.T) {
	s := newStep(t, constant(0))
	s.files.SetOutputs([]actions.Value{{Name: "good", Text: "1"}, {Name: "bad", Text: "x\nbench_" + strings.Repeat("0", 32) + "\npassed=true"}})
	assert.Empty(t, s.file(t, "GITHUB_OUTPUT"), "all or none")
	assert.Contains(t, s.notices()[0], "the value of bad holds every delimiter drawn for it")

	luckier := newStep(t, io.MultiReader(bytes.NewReader(make([]byte, 16)), rand.Reader))
	luckier.files.SetOutputs([]actions.Value{{Name: "bad", Text: "bench_" + strings.Repeat("0", 32)}})
	assert.Equal(t, map[string]string{"bad": "bench_" + strings.Repeat("0", 32)}, fileValues(t, luckier.file(t, "GITHUB_OUTPUT")), "another one is drawn")
}

func TestWithoutAFileOutputsAreInTheLog(t *testing.T) {
	cases := []struct {
		name   string
		random io.Reader
		spoil  func(*testing.T, *step)
		want   string
	}{
		{"the variable is missing", rand.Reader, func(_ *testing.T, s *step) { clear(s.env) }, "GITHUB_OUTPUT is not set"},
		{"the file cannot be opened", rand.Reader, func(t *testing.T, s *step) { s.env["GITHUB_OUTPUT"] = t.TempDir() }, "open the file in GITHUB_OUTPUT"},
		{"the disk is full", rand.Reader, func(_ *testing.T, s *step) { s.env["GITHUB_OUTPUT"] = "/dev/full" }, "write the file in GITHUB_OUTPUT"},
		{"there is no randomness", iotest.ErrReader(errors.New("no entropy")), func(*testing.T, *step) {}, "no entropy"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newStep(t, c.random)
			c.spoil(t, s)
			s.files.SetOutputs([]actions.Value{{Name: "conclusion", Text: "success"}, {Name: "run-id", Text: "a\n::error::b"}})
			require.Len(t, s.notices(), 1)
			assert.Contains(t, s.notices()[0], c.want)
			assert.Contains(t, s.notices()[0], "\nconclusion=success\nrun-id=a\n::error::b")
			assert.Len(t, reading(s.log.String()).commands, 1, "a value in the log is no command")
		})
	}
}

func TestStateReachesThePostStep(t *testing.T) {
	s := newStep(t, rand.Reader)
	s.files.SaveState("check_run", "17\n18")
	saved := fileValues(t, s.file(t, "GITHUB_STATE"))
	// The runner gives the post step what was saved in variables of this name.
	post := func(name string) string { return saved[strings.TrimPrefix(name, "STATE_")] }
	assert.Equal(t, "17\n18", actions.State(post, "check_run"))
	assert.Empty(t, actions.State(post, "other"))

	clear(s.env)
	s.files.SaveState("check_run", "17")
	assert.Equal(t, []string{"The post step is not told of check_run: GITHUB_STATE is not set"}, s.notices())
}

func TestTheJobSummaryIsAppended(t *testing.T) {
	s := newStep(t, rand.Reader)
	s.files.AddSummary("# One")
	s.files.AddSummary("# Two\n")
	assert.Equal(t, "# One\n# Two\n", s.file(t, "GITHUB_STEP_SUMMARY"))

	clear(s.env)
	s.files.AddSummary("# Three")
	assert.Equal(t, []string{"There is no job summary: GITHUB_STEP_SUMMARY is not set"}, s.notices())
}

func TestTheJobSummaryStaysWithinTheLimitOfTheRunner(t *testing.T) {
	const limit = 1 << 20
	line := strings.Repeat("ä", 50) + "\n"
	s := newStep(t, rand.Reader)
	s.files.AddSummary(strings.Repeat(line, 2*limit/len(line)))
	got := s.file(t, "GITHUB_STEP_SUMMARY")
	assert.Less(t, len(got), limit)
	assert.Greater(t, len(got), limit*9/10, "no more is cut than need be")
	body, note, cut := strings.Cut(got, "\n\n_The rest is longer")
	assert.True(t, cut)
	assert.Contains(t, note, "the files of the run have it")
	for line := range strings.Lines(body + "\n") {
		require.Len(t, line, 101, "a line is whole")
	}
	s.files.AddSummary(strings.Repeat("more\n", 1000))
	assert.True(t, got == s.file(t, "GITHUB_STEP_SUMMARY"), "the runner would drop all of it")
	assert.Equal(t, []string{"There is no job summary: the file in GITHUB_STEP_SUMMARY is full"}, s.notices())

	oneLine := newStep(t, rand.Reader)
	oneLine.files.AddSummary(strings.Repeat("ä", limit))
	assert.True(t, utf8.ValidString(oneLine.file(t, "GITHUB_STEP_SUMMARY")), "no character is cut in two")
}

func FuzzOutputsArriveAsTheyAre(f *testing.F) {
	f.Add("a\nb", "x<<y")
	f.Add("\n", "bench_\nbench_")
	f.Fuzz(func(t *testing.T, one, two string) {
		if !utf8.ValidString(one) || !utf8.ValidString(two) {
			t.Skip("the runner reads UTF-8")
		}
		s := newStep(t, rand.Reader)
		s.files.SetOutputs([]actions.Value{{Name: "one", Text: one}, {Name: "two", Text: two}})
		assert.Equal(t, map[string]string{"one": one, "two": two}, fileValues(t, s.file(t, "GITHUB_OUTPUT")))
	})
}
