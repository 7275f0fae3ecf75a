package ghxbuild

import (
	"bufio"
	"bytes"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestWhatIsSaidOfABuildHasLinesOfItsOwn(t *testing.T) {
	var out bytes.Buffer
	log := &buildLog{to: &out, left: 10}
	write := func(text string) {
		t.Helper()
		n, err := log.Write([]byte(text))
		require.NoError(t, err)
		assert.Equal(t, len(text), n)
	}
	write("")
	write("begun")
	log.say("a word")
	write("end\n")
	log.say("another")
	write("x")
	assert.Equal(t, "begun\na word\nend\nanother\nx", out.String(), "all that may be shown is")
	for range 2 {
		write("more\n")
	}
	assert.Equal(t, "begun\na word\nend\nanother\nx\nThe build writes more than is shown here: its further output is left out.\n", out.String())
}

// It is looked at a build every second.
func TestABuildIsLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ticks, stop := new(Builder).ticks()
		defer stop()
		<-ticks
		<-ticks
		assert.Equal(t, 2*time.Second, time.Since(began))
	})
}

// What is guarded is told to end once, and not after nobody guards it any more.
func TestWhatGoesOnIsGuarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticks, ended := make(chan time.Time), make(chan error, 1)
		b := &Builder{Home: t.TempDir(), Bounds: Bounds{Time: 2 * time.Minute}, Ticks: func() (<-chan time.Time, func()) { return ticks, func() {} }}
		read, log := io.Pipe()
		guard := func() func() { return b.Guard("running", log, func(err error) { ended <- err }) }

		unguard := guard()
		ticks <- time.Now().Add(90 * time.Second)
		unguarded := false
		go func() {
			unguard()
			unguarded = true
		}()
		synctest.Wait()
		assert.False(t, unguarded, "it is at it")
		line, err := bufio.NewReader(read).ReadString('\n')
		require.NoError(t, err)
		assert.Regexp(t, `^running for 1\.5 minutes: \d+ MB of memory, \d+ MB of disk\n$`, line)
		synctest.Wait()
		assert.True(t, unguarded)

		unguard = guard()
		go func() { _, _ = io.Copy(io.Discard, read) }()
		ticks <- time.Now().Add(3 * time.Minute)
		err = <-ended
		synctest.Wait()
		select {
		case ticks <- time.Now():
			t.Error("it was told already")
		default:
		}
		unguard()
		require.ErrorContains(t, err, "it took more than 2 minutes, and was ended")
		assert.Equal(t, fault.Tool, fault.KindOf(err))
		require.NoError(t, log.Close())
	})
}

func TestSizesAreReadable(t *testing.T) {
	for n, want := range map[int64]string{0: "0 MB", 999_999_999: "999 MB", 1e9: "1.0 GB", 12_345_000_000: "12.3 GB"} {
		assert.Equal(t, want, inBytes(n))
	}
	for d, want := range map[time.Duration]string{time.Minute: "1 minute", 90 * time.Second: "1.5 minutes", 6 * time.Second: "0.1 minutes", 2 * time.Hour: "120 minutes"} {
		assert.Equal(t, want, inMinutes(d))
	}
}

func TestBoundsOfABuild(t *testing.T) {
	const giga = 1_000_000_000
	bounds, reserve := Bounds{}.settled(16*giga, 160*giga)
	assert.Equal(t, "at most 30 minutes, 12.0 GB of memory, 120.0 GB of disk", bounds.String())
	assert.EqualValues(t, 10*giga, reserve)
	unknown, none := Bounds{}.settled(0, 0)
	assert.Equal(t, "at most 30 minutes", unknown.String())
	assert.Zero(t, none)

	fine := use{memory: 12 * giga, disk: 120 * giga, left: 10 * giga}
	for name, c := range map[string]struct {
		after time.Duration
		used  use
		kind  fault.Kind
		says  string
	}{
		"all that it may use":   {30 * time.Minute, fine, 0, ""},
		"more time":             {30*time.Minute + time.Second, fine, fault.Tool, "it took more than 30 minutes"},
		"more memory":           {time.Minute, use{memory: fine.memory + 1, left: fine.left}, fault.Tool, "more than 12.0 GB of memory together"},
		"more disk":             {time.Minute, use{disk: fine.disk + 1, left: fine.left}, fault.Tool, "it wrote more than 120.0 GB"},
		"a disk that is filled": {time.Minute, use{left: fine.left - 1}, fault.Infrastructure, "as 10.0 GB of this machine's disk were left"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Unix(0, 0)
			w := &watch{
				bounds: bounds, reserve: reserve, began: began, beaten: began.Add(c.after),
				look: func(bool) use { return c.used }, say: func(string) { t.Error("it was silent for no minute") },
			}
			err := w.tick(began.Add(c.after))
			if c.says == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, c.says)
			assert.Equal(t, c.kind, fault.KindOf(err))
		})
	}
}
