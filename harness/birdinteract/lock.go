package birdinteract

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/harness/internal/state"
)

// lock takes the ports and the databases, whose names are the same in every
// run, for this run.
func (r *Runner) lock() (release func(), err error) {
	o := r.options
	host, port := o.PGHost, strconv.Itoa(o.PGPort)
	if host == "" {
		host = o.Host.Getenv("PG_HOST")
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	if o.PGPort == 0 {
		port = o.Host.Getenv("PG_PORT")
	}
	if port == "" {
		port = "5432"
	}
	names := []string{"postgresql-" + strings.ReplaceAll(host, "/", "_") + "-" + port}
	for _, port := range []int{o.SystemAgentPort, o.UserSimPort, o.DBEnvPort} {
		names = append(names, fmt.Sprintf("port-%d", port))
	}
	var held []func()
	release = func() {
		for _, release := range held {
			release()
		}
	}
	for _, name := range names {
		one, err := state.Lock(filepath.Join(o.lockDir(), name+".lock"), fmt.Sprintf("a run of BIRD-Interact in %s (process %d)", o.Host.Path("."), os.Getpid()))
		if err != nil {
			release()
			return nil, err
		}
		held = append(held, one)
	}
	return release, nil
}

func (o Options) lockDir() string {
	if o.LockDir != "" {
		return o.Host.Path(o.LockDir)
	}
	temporary := o.Host.Getenv("TMPDIR")
	if temporary == "" {
		temporary = "/tmp"
	}
	return filepath.Join(temporary, fmt.Sprintf("bench-harness-%d", os.Getuid()))
}
