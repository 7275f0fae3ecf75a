package appcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/ghx-dev/bench-action/internal/app"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// fileVariable names the file of settings where no flag does.
const fileVariable = "BENCH_APP_CONFIG"

const fileHelp = "YAML file with settings; the environment goes before it ($" + fileVariable + ")"

func (p *program) serveCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve until SIGTERM or SIGINT",
		Long: `serve receives webhooks and works on what they start. When it is told to end it
takes no more, stores what it has and waits for its jobs; a second signal ends
it at once. Jobs that did not end are done by the next process.

Without credentials of an App it serves /setup, which makes one: the address
with its token is in the log.

Settings, in the environment and by their names in a file:
` + settings.ServerHelp(),
		Example: `  bench-app serve
  PORT=3000 BENCH_APP_PUBLIC_URL=https://bench.example.com bench-app serve
  bench-app serve --config bench-app.yml`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := p.settings(file)
			if err != nil {
				return err
			}
			return p.serve(cmd.Context(), c)
		},
	}
	cmd.Flags().StringVar(&file, "config", "", fileHelp)
	return cmd
}

func (p *program) checkCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the settings, the database and the App at GitHub, and end",
		Long: `check reads the settings as serve does, opens the database, and asks GitHub
which permissions and events the App has. It names all problems at once, and
what works less for want of something. A server may be at work meanwhile. The
exit code is 0 if serve would serve, 2 if a setting is wrong and 3 if the
database does not answer.`,
		Example: "  bench-app check\n  bench-app check --config bench-app.yml",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := p.settings(file)
			if err != nil {
				return err
			}
			return p.check(cmd.Context(), cmd.OutOrStdout(), c)
		},
	}
	cmd.Flags().StringVar(&file, "config", "", fileHelp)
	return cmd
}

// check asks what the server depends on, and writes a line about each, then
// what works less. The error is about what would keep the server from serving.
func (p *program) check(ctx context.Context, out io.Writer, c settings.Server) error {
	data, noData := databaseState(ctx, c.Database)
	app := "not set up: serve leads through it at /setup"
	if !c.Credentials.Empty() {
		app = strconv.FormatInt(c.Credentials.AppID, 10)
	}
	hub, lacks, noApp := p.askGitHub(ctx, c)
	_, err := fmt.Fprintf(out, "settings: fine, %d workers\ndatabase: %s\nApp: %s\nGitHub: %s\n%s", c.Workers, data, app, hub, together(append(lacks, p.lacks(c)...)))
	return errors.Join(noData, noApp, checkBuilder(c.Local), err)
}

// databaseState says in a few words how it stands with a database that the
// settings have. One of SQLite that a server uses is as it should be.
func databaseState(ctx context.Context, address string) (string, error) {
	db, err := queue.OpenDB(ctx, address)
	switch {
	case err == nil:
		return db.Dialect().String(), db.Close()
	case fault.KindOf(err) == fault.Invalid: // the settings refuse any address that is none, so it is locked
		return queue.SQLite.String() + ", in use by a server", nil
	default:
		return "cannot be used", err
	}
}

// settings reads the settings, and keeps the secrets among them out of all
// that is written. There is a data folder then.
func (p *program) settings(file string) (settings.Server, error) {
	if file == "" {
		file = p.getenv(fileVariable)
	}
	c, err := settings.ReadServer(p.getenv, file)
	for _, secret := range c.Secrets() {
		p.secrets.Add(secret)
	}
	if err != nil {
		return c, err
	}
	return c, makeDataFolder(c.DataDir)
}

func makeDataFolder(path string) error {
	const ownerOnly = 0o700
	err := os.MkdirAll(path, ownerOnly)
	if err == nil {
		err = unix.Access(path, unix.W_OK|unix.X_OK)
	}
	if err != nil {
		return fault.Invalidf("the data folder %s cannot be used: %w; set BENCH_APP_DATA_DIR to one that the server may write to", path, err)
	}
	return nil
}

// serve runs a server until the context ends.
func (p *program) serve(ctx context.Context, c settings.Server) (err error) {
	if err := checkBuilder(c.Local); err != nil {
		return err
	}
	host, err := p.hostname()
	if err != nil {
		return fault.Infraf("find this machine's name: %w", err)
	}
	log := slog.New(newCalm(slog.NewJSONHandler(p.stderr, &slog.HandlerOptions{Level: c.LogLevel}), p.now))
	server, err := app.New(ctx, app.Options{
		Config: c, Events: service.Events(), Process: host + "-" + p.random(), Log: log, Secrets: p.secrets, Now: p.now, Random: p.random,
		Version: version(), Transport: p.gitHub,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if err := p.wire(ctx, server, c, log); err != nil {
		return err
	}
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", c.Address)
	if err != nil {
		return fault.Invalidf("listen on %s: %w; set PORT or BENCH_APP_ADDR to another one", c.Address, err)
	}
	log.Info("the server listens", slog.String("address", listener.Addr().String()), slog.String("database", server.DB().Dialect().String()))
	return server.Serve(ctx, listener)
}
