package ghxbuild

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Bounds are what a build may use.
type Bounds struct {
	// Time is how long it may take, 0 for [DefaultTime]. Setting is the name of
	// what raises that, empty where nothing does.
	Time    time.Duration
	Setting string
	// Memory is that of its processes together, Disk what it writes, in bytes. 0
	// is three quarters of what the machine, or the container, has, and of what
	// is free.
	Memory, Disk int64
}

// DefaultTime is how long a build may take.
const DefaultTime = 30 * time.Minute

const (
	lookEvery = time.Second
	beatEvery = time.Minute
	// share of the memory, and of the disk's free space, are a build's; it is
	// ended, too, where no more than a reserve of that space is left.
	shareOf, share, reserve = 16, 12, 1
)

// use is what a build uses, and what is left of the disk, in bytes. What is not
// known is 0, and as much as there can be of what is left.
type use struct{ memory, disk, left int64 }

// watch keeps a build in its bounds.
type watch struct {
	bounds Bounds
	// reserve is what has to be left of the disk, in bytes.
	reserve int64
	began   time.Time
	beaten  time.Time
	// look returns what is used. It may know the disk of before: whole has it
	// look anew.
	look func(whole bool) use
	say  func(line string)
	// doing is what goes on, as "building".
	doing string
}

// Guard keeps what goes on as the builder's user in the bounds until the returned
// function is called: what goes beyond is told to end, as an error of kind tool, and
// where the machine is full of kind infrastructure. The log is told every minute how much
// is used. Doing is a word for what goes on, such as "running".
func (b *Builder) Guard(doing string, log io.Writer, end func(error)) (unguard func()) {
	h := &held{began: time.Now()}
	h.bounds, h.reserve = b.Bounds.settled(memoryHere(), diskFree(b.Home))
	return b.watch(h, 0, doing, &buildLog{to: log}, end)
}

// watch looks after a build that has been started, or what else goes on, which the first thing beyond
// its bounds ends, until the returned function is called.
func (b *Builder) watch(h *held, group int, doing string, log *buildLog, end func(error)) (unwatch func()) {
	if b.InPlace {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	w := &watch{bounds: h.bounds, reserve: h.reserve, look: b.meter(h, group, done), say: log.say, doing: doing, began: h.began, beaten: h.began}
	ticks, stop := b.ticks()
	go func() {
		defer close(ended)
		for {
			select {
			case now := <-ticks:
				if err := w.tick(now); err != nil {
					end(err)
					return
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		stop()
	}
}

func (b *Builder) ticks() (<-chan time.Time, func()) {
	if b.Ticks != nil {
		return b.Ticks()
	}
	ticker := time.NewTicker(lookEvery)
	return ticker.C, ticker.Stop
}

// tick looks at the build once. The error says what is beyond its bounds, and the
// mend.
func (w *watch) tick(now time.Time) error {
	beat := now.Sub(w.beaten) >= beatEvery
	used, took := w.look(beat), now.Sub(w.began)
	if beat {
		w.beaten = now
		w.say(fmt.Sprintf("%s for %s: %s of memory, %s of disk", w.doing, inMinutes(took), inBytes(used.memory), inBytes(used.disk)))
	}
	switch {
	case took > w.bounds.Time:
		mend := "have it do less"
		if w.bounds.Setting != "" {
			mend += ", or raise " + w.bounds.Setting
		}
		return fault.Toolf("it took more than %s, and was ended: %s", inMinutes(w.bounds.Time), mend)
	case used.memory > w.bounds.Memory:
		return fault.Toolf("its processes had more than %s of memory together, and were ended: have it do less at once, or use a larger runner", inBytes(w.bounds.Memory))
	case used.disk > w.bounds.Disk:
		return fault.Toolf("it wrote more than %s, and was ended: have it keep less, or use a larger runner", inBytes(w.bounds.Disk))
	case used.left < w.reserve:
		return fault.Infraf("it was ended, as %s of this machine's disk were left: use a larger runner, or remove what is not needed before", inBytes(used.left))
	}
	return nil
}

// settled returns the bounds on a machine that has so much memory and free disk, and
// what has to be left of that. What is not known, which is 0, bounds nothing.
func (b Bounds) settled(memory, free int64) (settled Bounds, left int64) {
	b.Time = cmp.Or(b.Time, DefaultTime)
	b.Memory = cmp.Or(b.Memory, memory/shareOf*share, math.MaxInt64)
	b.Disk = cmp.Or(b.Disk, free/shareOf*share, math.MaxInt64)
	return b, free / shareOf * reserve
}

// String tells the bounds in a few words.
func (b Bounds) String() string {
	text := "at most " + inMinutes(b.Time)
	if b.Memory < math.MaxInt64 {
		text += ", " + inBytes(b.Memory) + " of memory"
	}
	if b.Disk < math.MaxInt64 {
		text += ", " + inBytes(b.Disk) + " of disk"
	}
	return text
}

func inMinutes(d time.Duration) string {
	if tenths := d.Round(6 * time.Second).Minutes(); tenths != 1 {
		return fmt.Sprintf("%.4g minutes", tenths)
	}
	return "1 minute"
}

// inBytes is a size as people read it: "1.1 GB", "300 MB".
func inBytes(n int64) string {
	const giga, mega = 1e9, 1e6
	if n >= giga {
		return fmt.Sprintf("%.1f GB", float64(n)/giga)
	}
	return fmt.Sprintf("%d MB", n/mega)
}

// buildLog is where a build's output goes, but for what is too much of it, and what
// is said of it meanwhile.
type buildLog struct {
	to io.Writer

	mu sync.Mutex
	// left is how much more is shown, in bytes.
	left   int
	inLine bool
	full   bool
}

// Write shows what a build writes.
func (l *buildLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	shown := p[:min(len(p), l.left)]
	l.left -= len(shown)
	if err := l.write(shown); err != nil {
		return 0, err
	}
	if len(shown) < len(p) && !l.full {
		l.full = true
		return len(p), l.line("The build writes more than is shown here: its further output is left out.")
	}
	return len(p), nil
}

func (l *buildLog) write(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	l.inLine = p[len(p)-1] != '\n'
	_, err := l.to.Write(p)
	return err
}

func (l *buildLog) line(text string) error {
	if l.inLine {
		text = "\n" + text
	}
	return l.write([]byte(text + "\n"))
}

// say writes a line of ours.
func (l *buildLog) say(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.line(text) // the build itself is told of an error, by its own output
}
