package harness

import (
	"context"
	"path/filepath"

	"github.com/ghx-dev/bench-action/harness/internal/state"
	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	// Tau2DataVariable is the environment variable with the folder of
	// tau-bench's data.
	Tau2DataVariable = "TAU2_DATA_DIR"
	// DefaultTau2Data is that folder if the variable is not set.
	DefaultTau2Data = "tau2_data"
)

// Tau2DataDir returns the absolute path of the folder of tau-bench's data:
// that of TAU2_DATA_DIR, else ./tau2_data.
func Tau2DataDir(h Host) string {
	dir := h.Getenv(Tau2DataVariable)
	if dir == "" {
		dir = DefaultTau2Data
	}
	return h.Path(dir)
}

// Tau2Data sees to it that tau-bench's data of a domain is there.
func (p Provisioner) Tau2Data(ctx context.Context, from Source, domain string) error {
	dir := Tau2DataDir(p.Host)
	data := filepath.Join(dir, "tau2")
	there, err := state.Exists(data)
	if err != nil {
		return err
	}
	if !there {
		p.Sayf("tau2 data not found at %s — fetching %s ...", dir, from.URL)
		if err := p.fetch(ctx, from, "data/tau2", data); err != nil {
			return err
		}
	}
	tasks := filepath.Join(data, "domains", domain, "tasks.json")
	if there, err = state.Exists(tasks); err != nil {
		return err
	}
	if !there {
		return fault.Invalidf("tau2's data has no %s: is domain %q right?", tasks, domain)
	}
	p.Sayf("tau2 data OK: %s (domain=%s)", dir, domain)
	return nil
}
