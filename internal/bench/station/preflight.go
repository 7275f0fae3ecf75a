package station

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// BrokenTool is the error of a mode whose own tool does not work, where those of
// the other modes do.
type BrokenTool struct {
	Mode bench.Mode
	Err  error
}

// Error says what the tool does.
func (b *BrokenTool) Error() string { return b.Err.Error() }

// Unwrap returns what the tool does.
func (b *BrokenTool) Unwrap() error { return b.Err }

// Preflight finds out whether the modes' programs work where agents work: they
// keep to the proxy, gh is logged in, and each mode's own tool has the
// capabilities and asks GitHub by the proxy (rules N2 and N9). It returns what the
// ghx of each mode calls them. Errors are of kind invalid where another program is
// needed, of kind infrastructure where one fails, and a [BrokenTool] where one
// mode's own alone does.
func (s *Stations) Preflight(ctx context.Context, place *target.Place, modes []bench.Mode, capabilities []string) (map[bench.Mode]scenario.Names, error) {
	if _, err := eachMode(modes, func(mode bench.Mode) error {
		if place.GitHub == nil && len(s.options.Allow) == 0 {
			return nil // there is nothing that a program could reach by the proxy
		}
		for _, p := range s.options.Tools.Programs(mode) {
			if err := toolset.CheckRuntime(ctx, s.Run(mode), p); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if err := s.preflights(ctx, place, modes); err != nil {
		return nil, err
	}
	return s.ownTools(ctx, place, modes, capabilities)
}

// ownTools has the tool of each mode tell its capabilities and ask GitHub.
func (s *Stations) ownTools(ctx context.Context, place *target.Place, modes []bench.Mode, capabilities []string) (map[bench.Mode]scenario.Names, error) {
	var mu sync.Mutex
	all := map[bench.Mode]scenario.Names{}
	broken, err := eachMode(modes, func(mode bench.Mode) error {
		file := s.options.Tools.File(mode)
		if file.Has(toolset.Listed) {
			names, err := toolset.CheckCapabilities(ctx, s.Run(mode), capabilities)
			if err != nil {
				return fmt.Errorf("mode %s: %w", mode, err)
			}
			mu.Lock()
			all[mode] = names
			mu.Unlock()
		}
		return s.canaries(ctx, place, mode)
	})
	switch {
	case err == nil:
		return all, nil
	case len(broken) == 1 && ctx.Err() == nil && s.worksElsewhere(broken[0], modes, err):
		return nil, &BrokenTool{broken[0], err}
	default:
		return nil, err
	}
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
	if _, err := s.tried(ctx, place, mode, line); err != nil {
		return fault.Infraf("mode %s: its preflight `%s` fails where the agent works: %w", mode, line, err)
	}
	return nil
}

// tried runs a command of a mode that can reach GitHub, and tells what it asked
// for.
func (s *Stations) tried(ctx context.Context, place *target.Place, mode bench.Mode, line string) (egress.Usage, error) {
	st, err := s.station(mode, 0)
	if err != nil {
		return egress.Usage{}, err
	}
	attempt := st.proxy.Begin(place.GitHub)
	defer attempt.End()
	_, err = st.run(ctx, "/bin/sh", "-c", line)
	return attempt.Usage(), err
}

// Versions returns the versions of the modes' programs, by name; a program of
// which modes have different ones is named by its mode, as the ghx of the base
// commit is, "ghx@base", or by both: "mode/name".
func (s *Stations) Versions(ctx context.Context, modes []bench.Mode) (map[string]string, error) {
	var mu sync.Mutex
	versions := map[string]string{}
	failing := "" // the program that does not tell its version, if one does not
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
	broken, err := eachMode(modes, func(mode bench.Mode) error {
		for _, p := range s.options.Tools.Programs(mode) {
			name := s.options.Tools.VersionName(mode, p, modes)
			if !take(name) {
				continue
			}
			version, err := p.Version(ctx, s.Run(mode))
			if err != nil {
				mu.Lock()
				failing = p.Name
				mu.Unlock()
				return fault.Wrap(fault.Infrastructure, err)
			}
			mu.Lock()
			versions[name] = version
			mu.Unlock()
		}
		return nil
	})
	switch {
	case err == nil:
		return versions, nil
	case len(broken) == 1 && len(modes) > 1 && ctx.Err() == nil && s.isOwn(broken[0], failing, modes):
		return nil, &BrokenTool{broken[0], err}
	default:
		return nil, err
	}
}

// isOwn reports whether a program is of one mode alone, or each has its own.
func (s *Stations) isOwn(mode bench.Mode, name string, modes []bench.Mode) bool {
	start := s.options.Tools.Starts(mode, name)
	return !slices.ContainsFunc(modes, func(other bench.Mode) bool {
		return other != mode && slices.Equal(start, s.options.Tools.Starts(other, name))
	})
}

// eachMode calls f for all modes at once, each of which has a station of its
// own. It returns the modes that have an error, and that of the first of them.
func eachMode(modes []bench.Mode, f func(bench.Mode) error) (failed []bench.Mode, err error) {
	problems := make([]error, len(modes))
	var working sync.WaitGroup
	for i, mode := range modes {
		working.Go(func() { problems[i] = f(mode) })
	}
	working.Wait()
	for i, problem := range problems {
		if problem != nil {
			failed = append(failed, modes[i])
		}
	}
	return failed, cmp.Or(problems...)
}
