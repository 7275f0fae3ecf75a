package benchcli

import (
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox"
)

// troubleFlags say what goes wrong in a sandbox.
type troubleFlags struct {
	faults        string
	latency       time.Duration
	enforceLimits bool
}

func (f *troubleFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.faults, "faults", "", "have go wrong what this JSON `FILE` says")
	flags.DurationVar(&f.latency, "latency", 0, "have every request take this long, for example 50ms")
	flags.BoolVar(&f.enforceLimits, "enforce-limits", false, "refuse what goes beyond GitHub's rate limits")
}

// apply has a world go wrong as the flags say.
func (f troubleFlags) apply(w *sandbox.World) error {
	if f.latency < 0 {
		return fault.Invalidf("--latency is %s, want 0s or more, for example 50ms", f.latency)
	}
	if f.faults != "" {
		file, err := os.Open(f.faults)
		if err != nil {
			return fault.Invalidf("faults cannot be read: %w", err)
		}
		defer file.Close()
		if err := w.ReadFaults(file); err != nil {
			return fault.Invalidf("faults file %s: %w", f.faults, err)
		}
	}
	if f.latency > 0 {
		w.Faults().SetLatency(f.latency)
	}
	if f.enforceLimits {
		w.EnforceLimits(sandbox.Limits{})
	}
	return nil
}
