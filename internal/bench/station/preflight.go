package station

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Preflight finds out whether the modes' programs work where agents work: they
// keep to the proxy, gh is logged in, and ghx has the capabilities (rule N2).
// It returns what the ghx of each mode calls them. Errors are of kind invalid
// where another program is needed, of kind infrastructure where one fails.
func (s *Stations) Preflight(ctx context.Context, place *target.Place, modes []bench.Mode, capabilities []string) (map[bench.Mode]scenario.Names, error) {
	err := eachMode(modes, func(mode bench.Mode) error {
		for _, p := range s.options.Tools.Programs(mode) {
			if err := toolset.CheckRuntime(ctx, s.Run(mode), p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := s.preflights(ctx, place, modes); err != nil {
		return nil, err
	}
	return s.names(ctx, modes, capabilities)
}

// names asks the ghx of each mode for its capabilities.
func (s *Stations) names(ctx context.Context, modes []bench.Mode, capabilities []string) (map[bench.Mode]scenario.Names, error) {
	var mu sync.Mutex
	all := map[bench.Mode]scenario.Names{}
	err := eachMode(modes, func(mode bench.Mode) error {
		if !s.options.Tools.File(mode).Has(toolset.Listed) {
			return nil
		}
		names, err := toolset.CheckCapabilities(ctx, s.Run(mode), capabilities)
		if err != nil {
			return fmt.Errorf("mode %s: %w", mode, err)
		}
		mu.Lock()
		defer mu.Unlock()
		all[mode] = names
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// preflights runs the preflight commands of modes, each once for all modes in
// which it runs the same program.
func (s *Stations) preflights(ctx context.Context, place *target.Place, modes []bench.Mode) error {
	done := map[string]bool{}
	for _, mode := range modes {
		line := s.options.Tools.File(mode).Preflight
		same := line + "\x00" + strings.Join(s.options.Tools.Starts(mode, line), "\x00")
		if line == "" || done[same] {
			continue
		}
		done[same] = true
		if err := s.preflight(ctx, place, mode, line); err != nil {
			return err
		}
	}
	return nil
}

// preflight runs a command of a mode, which can reach GitHub.
func (s *Stations) preflight(ctx context.Context, place *target.Place, mode bench.Mode, line string) error {
	st, err := s.station(mode, 0)
	if err != nil {
		return err
	}
	attempt := st.proxy.Begin(place.GitHub)
	defer attempt.End()
	if _, err := st.run(ctx, "/bin/sh", "-c", line); err != nil {
		return fault.Infraf("mode %s: `%s` fails where the agent works: %w", mode, line, err)
	}
	return nil
}

// Versions returns the versions of the modes' programs, by name; a program of
// which modes have different ones is named by its mode, as the ghx of the base
// commit is, "ghx@base", or by both: "mode/name".
func (s *Stations) Versions(ctx context.Context, modes []bench.Mode) (map[string]string, error) {
	var mu sync.Mutex
	versions := map[string]string{}
	// take reports whether nobody else asks a program.
	take := func(name string) bool {
		mu.Lock()
		defer mu.Unlock()
		_, asked := versions[name]
		if !asked {
			versions[name] = ""
		}
		return !asked
	}
	err := eachMode(modes, func(mode bench.Mode) error {
		for _, p := range s.options.Tools.Programs(mode) {
			name := s.options.Tools.VersionName(mode, p, modes)
			if !take(name) {
				continue
			}
			version, err := p.Version(ctx, s.Run(mode))
			if err != nil {
				return fault.Wrap(fault.Infrastructure, err)
			}
			mu.Lock()
			versions[name] = version
			mu.Unlock()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return versions, nil
}

// eachMode calls f for all modes at once, each of which has a station of its
// own. The error is that of the first mode which has one.
func eachMode(modes []bench.Mode, f func(bench.Mode) error) error {
	problems := make([]error, len(modes))
	var working sync.WaitGroup
	for i, mode := range modes {
		working.Go(func() { problems[i] = f(mode) })
	}
	working.Wait()
	return cmp.Or(problems...)
}
