package confine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/platform"
)

const (
	// killTime is how long Close tries to end a space's processes.
	killTime = 20 * time.Second
	// killPause is the time between two looks at processes that are ending.
	killPause = 2 * time.Millisecond
	// shownLeft is how many processes an error names.
	shownLeft = 5
)

// Processes lists the space's living processes.
func (s *Space) Processes() ([]Entry, error) {
	entries, _, err := s.look()
	return entries, err
}

// look is Processes; sure is false if it may have missed one.
func (s *Space) look() (entries []Entry, sure bool, err error) {
	entries, sure, err = s.hold.living()
	if err != nil {
		return nil, false, fault.Infraf("list the agent's processes: %w", err)
	}
	return entries, sure, nil
}

// Kill ends every process of the space but those to keep, as listed by
// [Space.Processes], and returns when none is left, or with an error of kind
// infrastructure when ctx has ended. The space can be used again.
//
// All are stopped before the first is killed, so that none can start another
// in place of one that was killed, and a fork bomb fills its own limit.
func (s *Space) Kill(ctx context.Context, keep ...Entry) error {
	for {
		left, err := s.freeze(ctx, keep)
		if err != nil {
			return err
		}
		if len(left) == 0 {
			break
		}
		for _, e := range left {
			s.hold.signal(e, syscall.SIGKILL)
		}
		if !pause(ctx) {
			return errLeft(ctx, left)
		}
	}
	s.hold.reap()
	return s.awaitEnded(ctx, keep)
}

// freeze stops all processes but those to keep, and returns them.
//
// The list of processes is no snapshot: one that forks and ends while it is
// read leaves a child that it lacks. So an empty one is believed at the second
// time, and one that is not when there is nothing new in it.
func (s *Space) freeze(ctx context.Context, keep []Entry) ([]Entry, error) {
	frozen := map[int]uint64{}
	fresh := true
	for {
		all, sure, err := s.look()
		if err != nil {
			return nil, err
		}
		left := slices.DeleteFunc(all, func(e Entry) bool { return slices.ContainsFunc(keep, e.is) })
		again := fresh && len(left) == 0 || !sure
		fresh = false
		for _, e := range left {
			if frozen[e.PID] != e.start {
				frozen[e.PID], fresh = e.start, true
				s.hold.signal(e, platform.Stop)
			}
		}
		switch {
		case fresh && ctx.Err() != nil:
			return nil, errLeft(ctx, left)
		case fresh:
		case !again:
			return left, nil
		case !pause(ctx) && (len(left) > 0 || !sure):
			return nil, errLeft(ctx, left)
		}
	}
}

// awaitEnded waits until the started processes that were not kept are done,
// which means that nothing of them runs in our own process either.
func (s *Space) awaitEnded(ctx context.Context, keep []Entry) error {
	s.mu.Lock()
	var ended []*Process
	for p := range s.processes {
		if !slices.ContainsFunc(keep, func(e Entry) bool { return e.PID == p.pid }) {
			ended = append(ended, p)
		}
	}
	s.mu.Unlock()
	for _, p := range ended {
		select {
		case <-p.done:
		case <-ctx.Done():
			return errLeft(ctx, []Entry{{PID: p.pid}})
		}
	}
	return nil
}

// pause waits for a moment and reports whether ctx goes on.
func pause(ctx context.Context) bool {
	timer := time.NewTimer(killPause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func errLeft(ctx context.Context, left []Entry) error {
	var names []string
	for _, e := range left[:min(len(left), shownLeft)] {
		names = append(names, fmt.Sprintf("%d %s", e.PID, e.Name))
	}
	return fault.Infraf("end the agent's processes: %d are left (%s): %w",
		len(left), strings.Join(names, ", "), context.Cause(ctx))
}
