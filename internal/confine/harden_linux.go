package confine

import (
	"golang.org/x/sys/unix"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// HardenSelf keeps processes of our own user from reading this process's
// memory and environment through /proc and from tracing it, and makes orphans
// of its descendants its children. It is called once, early.
func HardenSelf() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fault.Infraf("make this process unreadable for others: %w", err)
	}
	return becomeReaper()
}

func becomeReaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fault.Infraf("become the parent of orphans: %w", err)
	}
	return nil
}
