package benchcli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func (a *app) viewCommand() *cobra.Command {
	var j judgeFlags
	var dir, expectations string
	var port int
	cmd := &cobra.Command{
		Use:   "view [RUN]",
		Short: "Show a run in the browser, also one that is going on",
		Long: `view serves the report of a run on this machine until Ctrl-C, and prints where: the
verdict, every attempt, and what was said and done in it. While the run goes on the page
shows how far it is, and what is new. RUN is a run's id, a folder with runs, a ledger, or
a commit that the history knows; without one it is the newest run.

The address has a word that cannot be guessed, and leads nowhere from other machines.
It is judged as it was run, unless flags say otherwise.`,
		Example: `  bench view
  bench view 20260225T120000Z-k3v9qa --port 8080`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			how, err := j.judging()
			if err != nil {
				return err
			}
			if how.Expectations, err = a.expectationsFrom(expectations); err != nil {
				return err
			}
			if how.History, _, err = ledger.ReadHistory(a.historyIn(dir)); err != nil {
				return err
			}
			find := func() (verify.Source, error) {
				if len(args) > 0 {
					return verify.SourceNamed(args[0], dir, how.History)
				}
				folder, err := ledger.NewestRun(dir)
				if err != nil {
					return verify.Source{}, err
				}
				return verify.SourceOf(folder)
			}
			source, err := find()
			if err != nil {
				return err
			}
			if len(source.Folders()) > 0 { // it stays with this run when another begins
				args = []string{source.Folders()[0]}
				if len(source.Folders()) > 1 {
					args = []string{filepath.Dir(source.Folders()[0])}
				}
			}
			asRun(&how, source, cmd.Flags().Changed)
			return a.serveView(cmd.Context(), port, &viewed{find: find, how: how, now: a.now})
		},
	}
	j.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&expectations, "expectations-config", "", "thresholds and prices `FILE` (default: built in)")
	flags.StringVar(&dir, "output-dir", verify.DefaultDir, "look for runs below this `DIR`")
	flags.IntVar(&port, "port", 0, "serve on this `PORT` of 127.0.0.1 (default: one that is free)")
	return cmd
}

// serveView serves a report on loopback until the context ends.
func (a *app) serveView(ctx context.Context, port int, shown *viewed) (err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return fault.Invalidf("--port %d cannot be had: %w", port, err)
	}
	shown.word, shown.host = a.random(), listener.Addr().String()
	if err := shown.open(); err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, shown.close()) }()
	server := &http.Server{Handler: shown, ReadHeaderTimeout: headerTime}
	ended := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer ended()
	fmt.Fprintf(a.stdout, "http://%s/%s/\n", shown.host, shown.word)
	fmt.Fprintln(a.stderr, "bench: open the address above; Ctrl-C ends this")
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fault.Infraf("serve the report: %w", err)
	}
	return nil
}
