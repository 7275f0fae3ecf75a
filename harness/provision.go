package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/harness/child"
	"github.com/ghx-dev/bench-action/harness/internal/state"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Source is a repository at a commit.
type Source struct {
	URL string
	// Revision is a commit's full hash or the name of a branch or tag.
	Revision string
	// Folders are those that are needed; without any, all are.
	Folders []string
}

// Tau2 is the source of tau-bench's data, at the commit whose code is run.
func Tau2() Source {
	return Source{
		URL: "https://github.com/sierra-research/tau2-bench.git", Revision: "73dc24445d28762075e69465d966aee4a9dcbfcb",
		Folders: []string{"data/tau2/domains", "data/tau2/user_simulator"},
	}
}

// BirdADK is the source of BIRD-Interact-ADK.
func BirdADK() Source {
	return Source{
		URL: "https://github.com/bird-bench/BIRD-Interact.git", Revision: "451fe2c3518ee1cf908d8139e2913483bd519381",
		Folders: []string{BirdADKName},
	}
}

// BirdDataset is the source of a dataset of BIRD-Interact, "lite" or "full".
func BirdDataset(name string) Source {
	return Source{URL: "https://huggingface.co/datasets/birdsql/bird-interact-" + name, Revision: "main"}
}

// Provisioner provides what benchmarks need.
type Provisioner struct {
	Host Host
	// Sayf is told what is done, a line each.
	Sayf func(format string, args ...any)
}

// Keys returns an error of kind invalid unless the environment has all
// variables.
func (p Provisioner) Keys(variables ...string) error {
	var missing []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(variables))) {
		if p.Host.Getenv(name) == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fault.Invalidf("missing environment variables: %s", strings.Join(missing, ", "))
	}
	return nil
}

// Program returns an error of kind invalid, with the mend, unless a program is
// a file that can be run or on PATH.
func (p Provisioner) Program(name, mend string) error {
	path := p.Host.LookPath(name)
	if strings.ContainsRune(name, filepath.Separator) {
		if _, err := os.Stat(p.Host.Path(name)); err == nil {
			path = p.Host.Path(name)
		}
	}
	if path == "" {
		return fault.Invalidf("%s is not found: %s", name, mend)
	}
	p.Sayf("%s found: %s", filepath.Base(name), path)
	return nil
}

// fetched marks folders that are being filled.
const fetched = "fetch"

// fetch brings a folder of a repository to a place that is not there yet. What
// a fetch that was broken off has left beside the place is removed.
func (p Provisioner) fetch(ctx context.Context, from Source, folder, to string) error {
	parent := filepath.Dir(to)
	if err := state.Prune(parent, fetched); err != nil {
		return err
	}
	work := filepath.Join(parent, ".fetch-"+filepath.Base(to))
	if err := state.Make(work, fetched); err != nil {
		return err
	}
	err := p.clone(ctx, from, filepath.Join(work, "repository"))
	if err == nil {
		err = move(filepath.Join(work, "repository", folder), to)
	}
	if pruneErr := state.Prune(parent, fetched); err == nil {
		err = pruneErr
	}
	if err != nil {
		return fmt.Errorf("fetch %s: %w", from.URL, err)
	}
	return nil
}

// clone brings one commit of a repository, with its large files where Git
// fetches those, into a new folder.
func (p Provisioner) clone(ctx context.Context, from Source, to string) error {
	if err := os.Mkdir(to, 0o755); err != nil {
		return fault.Infraf("%w", err)
	}
	fetch := []string{"fetch", "--quiet", "--depth", "1", "origin", from.Revision}
	steps := [][]string{{"init", "--quiet"}, {"remote", "add", "origin", from.URL}, fetch}
	if len(from.Folders) > 0 {
		// What is not needed is not sent.
		steps[2] = slices.Insert(fetch, 1, "--filter=blob:none")
		steps = append(steps, append([]string{"sparse-checkout", "set"}, from.Folders...))
	}
	for _, args := range append(steps, []string{"checkout", "--quiet", "FETCH_HEAD"}) {
		if err := p.run(ctx, to, "git", args...); err != nil {
			return err
		}
	}
	return nil
}

func move(from, to string) error {
	if _, err := os.Stat(from); err != nil {
		return fault.Infraf("the repository has no folder %s", filepath.Base(from))
	}
	if err := os.Rename(from, to); err != nil {
		return fault.Infraf("%w", err)
	}
	return nil
}

// run runs a program of the user's in a folder; what it prints is logged.
func (p Provisioner) run(ctx context.Context, dir, name string, args ...string) error {
	path := p.Host.LookPath(name)
	if filepath.IsAbs(name) {
		path = name
	}
	if path == "" {
		return fault.Invalidf("%s is not on PATH: install it", name)
	}
	log := p.Host.Stream("[prepare] ")
	err := child.Run(ctx, child.Command{
		Path: path, Args: args, Dir: dir, Stdout: log, Stderr: log,
		// Nobody is there to be asked for a password.
		Env: p.Host.ProgramEnv([]string{"SSH_AUTH_SOCK", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CERT"}, map[string]string{"GIT_TERMINAL_PROMPT": "0"}),
	})
	log.Close()
	if err != nil {
		return fault.Infraf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err, log.Tail())
	}
	return nil
}
