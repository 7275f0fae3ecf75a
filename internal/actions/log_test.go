package actions_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// newLog returns a log whose clock goes on by 1.26 s whenever it is looked at.
func newLog(to io.Writer) *actions.Log {
	var at time.Time
	now := func() time.Time { at = at.Add(1260 * time.Millisecond); return at }
	return actions.NewLog(to, redact.New("hunter2-hunter2"), now, rand.Reader)
}

func TestAnnotationsHaveTheirPlace(t *testing.T) {
	var out bytes.Buffer
	log := newLog(&out)
	log.Error(actions.Position{Title: "a: b, c", File: "scenarios/pr,1.json", Line: 7}, "100 % wrong\n::error::x")
	log.Warning(actions.Position{File: "a.go"}, "careful")
	log.Notice(actions.Position{Line: 7}, "%s is no format, ##[error] no command")
	assert.Equal(t, []command{
		{"error", "file=scenarios/pr%2C1.json,line=7,title=a%3A b%2C c", "100 % wrong\n::error::x"},
		{"warning", "file=a.go", "careful"},
		{"notice", "", "%s is no format, ##[error] no command"},
	}, reading(out.String()).commands, "a line without a file is nowhere")
}

func TestGroupsSayWhereItCanBeSeenHowLongTheyTook(t *testing.T) {
	var out bytes.Buffer
	err := newLog(&out).Group("Build\nghx", func() error { return errors.New("no compiler") })
	require.EqualError(t, err, "no compiler")
	assert.Equal(t, "::group::Build ghx\n::endgroup::\nBuild ghx took 1.3s.\n", out.String())
}

func TestGroupsEndOnPanic(t *testing.T) {
	var out bytes.Buffer
	assert.Panics(t, func() { _ = newLog(&out).Group("Build", func() error { panic("x") }) })
	assert.Contains(t, out.String(), "::endgroup::\n")
}

func TestMasksReachTheRunnerAndNothingElseDoes(t *testing.T) {
	var out bytes.Buffer
	log := newLog(&out)
	log.Mask("sk-01%23456789", "-----BEGIN KEY-----\nMIIEvQIBADANBg\nxy\n", "", "short")
	log.Line("the key is sk-01%23456789")
	log.Notice(actions.Position{Title: "sk-01%23456789"}, "sk-01%23456789 and hunter2-hunter2 and MIIEvQIBADANBg")
	r := reading(out.String())
	assert.Equal(t, []command{
		{"add-mask", "", "sk-01%23456789"}, {"add-mask", "", "-----BEGIN KEY-----"}, {"add-mask", "", "MIIEvQIBADANBg"},
		{"notice", "title=[redacted]", "[redacted] and [redacted] and [redacted]"},
	}, r.commands)
	assert.Equal(t, []string{"the key is [redacted]", ""}, r.shown)
}

// hostile are texts that a runner obeys.
var hostile = []string{
	"::error::x", "::ERROR::x", "::set-output name=passed::true", "  ::error::x", "\t::add-mask::e", "\u00a0\u3000::error::x", "\u0085::error::x", "\v::error::x", "\u2028::error::x",
	"x\r::error::x", "x\r\n::error::x", "x\n\n::stop-commands::t", "\x1b::error::x", "\x00::error::x",
	"##[error]x", "harmless ##[error]x", "###[error]x", "##[group]##[group]", "##[add-mask]a", "#\u200b#[error]x", "##\u00ad[error]x",
	"\u200b::error::x", ":\u200b:error::x", "\ufeff::error::x", ":\ufe0f:error::x", "::\u200berror::x", ":\u034f:error::x",
}

// suspicious are texts that a runner may obey once something is taken out.
var suspicious = []string{":::error::x", "::::error::x", "##[##[error]x", "\x1b[0m::error::x", ":##[::error::x", "# #[error]x", "\xff::error::x"}

func TestTextOfOthersIsNoCommand(t *testing.T) {
	var out bytes.Buffer
	log := newLog(&out)
	for i, text := range append(slices.Clone(hostile), suspicious...) {
		log.Line(text)
		log.Progress(i, len(hostile), text)
	}
	r := reading(out.String())
	assert.Empty(t, r.commands)
	assert.Empty(t, r.stopped)
}

func TestHostileTextIsHostile(t *testing.T) {
	for _, text := range hostile {
		r := reading(text)
		assert.True(t, len(r.commands) > 0 || r.stopped != "", "%q", text)
	}
}

func TestHarmlessTextStaysAsItIs(t *testing.T) {
	var out bytes.Buffer
	log := newLog(&out)
	log.Line("\tstd::vector<int> # [x] größe 例 🙂 a::b")
	log.Line("two\nlines\n")
	log.Progress(3, 16, "pr-merge-001/ghx/1 passed in 12.4 s")
	assert.Equal(t, "\tstd::vector<int> # [x] größe 例 🙂 a::b\ntwo\nlines\n[3/16] pr-merge-001/ghx/1 passed in 12.4 s\n", out.String())
}

func TestACommandIsShownAsText(t *testing.T) {
	for text, want := range map[string]string{
		"::error::x":    ": :error::x\n",
		"  ::error::x":  "  : :error::x\n",
		"a ##[group]x":  "a ## [group]x\n",
		"a\r::error::x": "a\n: :error::x\n",
		"a\r\nb":        "a\nb\n",
		"":              "\n",
	} {
		var out bytes.Buffer
		newLog(&out).Line(text)
		assert.Equal(t, want, out.String(), "%q", text)
	}
}

func TestTheShortestSecretIsMasked(t *testing.T) {
	var out bytes.Buffer
	log := newLog(&out)
	log.Mask("123456", "12345", "two lines\nof them")
	log.Line("123456 12345, two lines, \"two lines\\nof them\"")
	r := reading(out.String())
	assert.Equal(t, []command{{"add-mask", "", "123456"}, {"add-mask", "", "two lines"}, {"add-mask", "", "of them"}}, r.commands)
	assert.Equal(t, []string{"[redacted] 12345, [redacted], \"[redacted]\"", ""}, r.shown)
}

func TestForeignOutputIsShownAndNotObeyed(t *testing.T) {
	var out bytes.Buffer
	log := newLog(&out)
	err := log.Foreign(func(w io.Writer) error {
		for _, text := range hostile {
			fmt.Fprintln(w, text)
		}
		fmt.Fprint(w, "the secret is hunter2-")
		fmt.Fprint(w, "hunter2, without a line end")
		return errors.New("exit status 1")
	})
	require.EqualError(t, err, "exit status 1")
	log.Notice(actions.Position{}, "after")
	r := reading(out.String())
	assert.Equal(t, []command{{"notice", "", "after"}}, r.commands)
	assert.Contains(t, r.shown, "::set-output name=passed::true")
	assert.Contains(t, r.shown, "the secret is [redacted], without a line end")
}

func TestForeignOutputCannotKnowItsEnd(t *testing.T) {
	var tokens []string
	for range 2 {
		var out bytes.Buffer
		require.NoError(t, newLog(&out).Foreign(func(io.Writer) error { return nil }))
		first, second, _ := strings.Cut(out.String(), "\n")
		token := strings.TrimPrefix(first, "::stop-commands::")
		assert.Equal(t, "::"+token+"::\n", second)
		assert.Len(t, token, 32)
		tokens = append(tokens, token)
	}
	assert.NotEqual(t, tokens[0], tokens[1])
}

func TestWithoutATokenNothingForeignIsPassedOn(t *testing.T) {
	var out bytes.Buffer
	log := actions.NewLog(&out, redact.New(), time.Now, iotest.ErrReader(errors.New("no entropy")))
	err := log.Foreign(func(io.Writer) error { t.Error("it was done"); return nil })
	require.ErrorContains(t, err, "no entropy")
	assert.Empty(t, out.String())
}

func TestCommandsAreReadAgainAfterAPanic(t *testing.T) {
	var out bytes.Buffer
	log := newLog(&out)
	assert.Panics(t, func() {
		_ = log.Foreign(func(w io.Writer) error { fmt.Fprint(w, "half a line"); panic("x") })
	})
	log.Error(actions.Position{}, "it crashed")
	assert.Equal(t, []command{{"error", "", "it crashed"}}, reading(out.String()).commands)
}

func TestCommandsWaitForTheEndOfForeignOutput(t *testing.T) {
	var out bytes.Buffer
	log := newLog(&out)
	require.NoError(t, log.Foreign(func(outer io.Writer) error {
		fmt.Fprint(outer, "half")
		log.Mask("s3cr3t-token")
		log.Warning(actions.Position{}, "meanwhile")
		log.Line("s3cr3t-token is a line")
		require.NoError(t, log.Foreign(func(inner io.Writer) error { fmt.Fprintln(inner, "::error::x"); return nil }))
		fmt.Fprintln(outer, "::error::y")
		return nil
	}))
	r := reading(out.String())
	assert.Equal(t, []command{{"add-mask", "", "s3cr3t-token"}, {"warning", "", "meanwhile"}}, r.commands, "a mask that is not read would show the secret")
	assert.Equal(t, []string{"half", "[redacted] is a line", "::error::x", "::error::y", ""}, r.shown)
}

func TestManyMayLogAtOnce(t *testing.T) {
	var out bytes.Buffer
	log := newLog(&out)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 50 {
				log.Line("line")
				log.Notice(actions.Position{}, "notice")
				assert.NoError(t, log.Foreign(func(w io.Writer) error { _, err := fmt.Fprintf(w, "::error::%d\n", i); return err }))
			}
		})
	}
	all.Wait()
	r := reading(out.String())
	assert.Len(t, r.commands, 400)
	for _, c := range r.commands {
		require.Equal(t, command{"notice", "", "notice"}, c)
	}
}

func TestALogThatNobodyReadsIsNoReasonToStop(t *testing.T) {
	log := newLog(iotest.TruncateWriter(failing{}, 0))
	assert.NotPanics(t, func() {
		log.Notice(actions.Position{}, "x")
		log.Line("x")
		assert.NoError(t, log.Foreign(func(w io.Writer) error { _, err := io.WriteString(w, "x\n"); return err }))
	})
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("closed") }

func FuzzTextOfOthersIsNoCommand(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		log := newLog(&out)
		log.Line(text)
		log.Progress(1, 2, text)
		require.NoError(t, log.Foreign(func(w io.Writer) error { _, err := io.WriteString(w, text); return err }))
		log.Notice(actions.Position{}, "after")
		r := reading(out.String())
		require.Equal(t, []command{{"notice", "", "after"}}, r.commands)
	})
}
