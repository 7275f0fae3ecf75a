package service

import (
	"maps"
	"sync"
	"time"
)

// forgotten is after how long an age that nobody asks for is not kept any more.
const forgotten = time.Hour

// ages tells how old is what was dated by the clock, also when somebody sets the clock:
// once an age was asked for, it grows by a clock that nobody sets. The zero value knows
// none yet.
type ages struct {
	mu    sync.Mutex
	known map[dated]*age
}

// dated is what an age is of.
type dated struct {
	run   string
	since int64 // in nanoseconds of Unix time
}

// age is how old something was when it was asked for first, with the elapsed times of
// then and of when it was asked for last.
type age struct {
	first       time.Duration
	begun, last time.Duration
}

// of returns how long ago since was. Now is the time by the clock, elapsed a reading of
// the one that nobody sets.
func (a *ages) of(run string, since, now time.Time, elapsed time.Duration) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	what := dated{run, since.UnixNano()}
	known := a.known[what]
	if known == nil {
		maps.DeleteFunc(a.known, func(_ dated, old *age) bool { return elapsed-old.last > forgotten })
		if a.known == nil {
			a.known = map[dated]*age{}
		}
		known = &age{first: max(now.Sub(since), 0), begun: elapsed}
		a.known[what] = known
	}
	known.last = elapsed
	return known.first + elapsed - known.begun
}
