package benchcli

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox"
)

// The clocks that a sandbox can have.
const (
	// clockFrozen moves with every write, and stands still between them.
	clockFrozen = "frozen"
	// clockWall is this machine's.
	clockWall = "wall"
)

func (f *worldFlags) addClock(flags *pflag.FlagSet) {
	flags.StringVar(&f.clock, "clock", "", fmt.Sprintf("tell times by this `CLOCK`: %q, which only writes move, so that the same commands make the same times, or %q, this machine's (default %s, and %s with what needs time to pass)", clockFrozen, clockWall, clockFrozen, clockWall))
}

// outside is what a world takes from this machine. needing names a flag for which
// time has to pass, and is empty where none was given.
func (a *app) outside(clock, needing string) (sandbox.Outside, error) {
	wall := sandbox.Outside{Now: a.now}
	switch {
	case clock == "" && needing != "", clock == clockWall:
		return wall, nil
	case clock == "":
	case clock != clockFrozen:
		return sandbox.Outside{}, fault.Invalidf("--clock is %q, want %s or %s", clock, clockFrozen, clockWall)
	case needing != "":
		return sandbox.Outside{}, fault.Invalidf("--clock %s and %s exclude each other: time has to pass; leave --clock away", clockFrozen, needing)
	}
	return sandbox.Outside{Clients: a.now}, nil
}

// needsTime names the flag for which time has to pass, empty if there is none.
func (f troubleFlags) needsTime() string {
	if f.enforceLimits {
		return "--enforce-limits"
	}
	return ""
}
