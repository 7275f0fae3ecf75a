package birdinteract

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/harness/child"
	"github.com/ghx-dev/bench-action/harness/internal/state"
)

// lock takes the ports and the databases, whose names are the same in every
// run, for this run.
func (r *Runner) lock() (release func(), err error) {
	o := r.options
	host, port := o.database()
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

// database returns the place of the PostgreSQL server.
func (o Options) database() (host, port string) {
	host, port = o.PGHost, strconv.Itoa(o.PGPort)
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
	return host, port
}

// askTime is how long the server has to answer.
const askTime = 10 * time.Second

// askDatabase returns what PostgreSQL says to one who wants in, empty if it lets them.
func (r *Runner) askDatabase(ctx context.Context) string {
	o := r.options
	host, port := o.database()
	user, password := cmp.Or(o.PGUser, o.Host.Getenv("PG_USER"), "root"), cmp.Or(o.PGPassword, o.Host.Getenv("PG_PASSWORD"), "123123")
	var said bytes.Buffer
	err := child.Run(ctx, child.Command{
		Path: cmp.Or(o.Host.LookPath("psql"), "psql"), Args: []string{"-w", "-X", "-h", host, "-p", port, "-U", user, "-d", "postgres", "-c", "SELECT 1"},
		Env: o.Host.ProgramEnv(nil, map[string]string{"PGPASSWORD": password}), Stderr: &said, Deadline: askTime, Grace: time.Second,
	})
	if err == nil {
		return ""
	}
	text, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(said.String()), "psql: error: "), "\n")
	return cmp.Or(text, err.Error())
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
