package benchcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	shellquote "github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/page"
)

// serveFlags are the flags of `bench sandbox serve`.
type serveFlags struct {
	worldFlags
	troubleFlags
	hookFlags
	port     int
	proxy    bool
	allow    []string
	save     string
	untilEOF bool
	json     bool
}

func (a *app) sandboxServeCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a GitHub on this machine until Ctrl-C",
		Long: `serve answers on loopback as api.github.com does, and prints where, with a token
for each account, a page that shows what agents did, and the environment for
clients that can be told an address, such as octokit.

With --proxy, the environment leads programs that cannot be told one, such as gh
and git, to the sandbox under GitHub's own names, and to nothing else.

With --app, it is github.com for the server of a GitHub App too: the App is made,
installed and signed in to in the browser, by whoever opens it, as any account.

All that it tells is by one clock. That moves with every write and stands still
between them, unless --clock wall makes it this machine's; --app and
--enforce-limits do so too.

The seeded fixtures are served unless --empty, --world or --snapshot says otherwise. With
--until-eof it ends when standard input does, so that a test that has started it
cannot leave it behind.`,
		Example: `  bench sandbox serve --proxy
  bench sandbox serve --empty --latency 100ms --enforce-limits
  bench sandbox serve --snapshot world.sandbox --save world.sandbox
  bench sandbox serve --world my-scenarios/worlds/shop.yaml --variation 3
  bench sandbox serve --webhooks-to http://127.0.0.1:3000/webhook
  bench sandbox serve --app http://127.0.0.1:8080
  bench sandbox serve --json --until-eof`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serveSandbox(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	f.worldFlags.add(flags)
	f.addAs(flags)
	f.addClock(flags)
	f.troubleFlags.add(flags)
	f.hookFlags.add(flags)
	flags.IntVar(&f.port, "port", 0, "serve on this `PORT` of 127.0.0.1 (default: one that is free)")
	flags.BoolVar(&f.proxy, "proxy", false, "serve under GitHub's names too, behind a proxy")
	flags.StringArrayVar(&f.allow, "allow-host", nil, "a further `HOST` that the proxy lets through, *.name for all below it; may be given several times")
	flags.StringVar(&f.save, "save", "", "write the world to this `FILE` at the end")
	flags.BoolVar(&f.untilEOF, "until-eof", false, "end when standard input ends")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

// served is what `bench sandbox serve` prints.
type served struct {
	// API is the REST API's address, without a final slash.
	API     string `json:"api"`
	GraphQL string `json:"graphql"`
	// Page lets a person in. Control is where faults are set, with
	// ControlToken as a bearer token.
	Page         string `json:"page"`
	Control      string `json:"control"`
	ControlToken string `json:"control_token"`
	// Proxy is empty without --proxy.
	Proxy    string    `json:"proxy,omitempty"`
	Accounts []account `json:"accounts"`
	// Agent is the account whose token the environment has.
	Agent         string `json:"agent"`
	WebhookSecret string `json:"webhook_secret,omitempty"`
	// Environment is by the variables' names.
	Environment map[string]string `json:"environment"`
	// Fixtures are those of the seeded world, as in a manifest.
	Fixtures *bench.Manifest `json:"fixtures,omitempty"`

	variables []string
}

// serveSandbox serves a world until the context ends.
func (a *app) serveSandbox(ctx context.Context, f serveFlags) (err error) {
	if len(f.allow) > 0 && !f.proxy {
		return fault.Invalidf("--allow-host is for the proxy: add --proxy")
	}
	needing := f.needsTime()
	if f.appAt != "" {
		needing = "--app"
	}
	w, err := a.openWorld(ctx, f.worldFlags, needing)
	if err != nil {
		return err
	}
	if err := f.troubleFlags.apply(w.World); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port)))
	if err != nil {
		return fault.Invalidf("--port %d cannot be had: %w", f.port, err)
	}
	s := newServing(w, listener, page.Options{World: w.World, Token: a.random() + a.random(), Style: report.Style(), Links: f.appAt != ""})
	defer func() { err = errors.Join(err, s.close()) }()
	if f.proxy {
		if err := a.addDoor(ctx, s, f.allow); err != nil {
			return err
		}
	}
	stop, err := f.hookFlags.apply(w)
	if err != nil {
		return err
	}
	defer stop()
	if f.webhooksTo != "" {
		s.told.WebhookSecret = f.webhookSecret
	}
	if err := a.tellServed(s.told, f.json); err != nil {
		return err
	}
	a.untilEnd(ctx, f.untilEOF)
	if f.save == "" {
		return nil
	}
	if err := writeWorld(f.save, w.World); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "bench: saved as %s\n", f.save)
	return nil
}

// serving is a world that is served.
type serving struct {
	world  *localWorld
	server *http.Server
	done   chan struct{}
	door   *door // nil without a proxy
	folder string
	told   served
	// unlisten ends that the world keeps folders for git.
	unlisten func()
}

// headerTime is how long a client may take to send a request's header, endTime
// how long requests that are under way at the end.
const (
	headerTime = 30 * time.Second
	endTime    = 2 * time.Second
)

// newServing serves a world with these pages, whose token controls it too.
func newServing(w *localWorld, listener net.Listener, shown page.Options) *serving {
	w.EnableControl(shown.Token)
	pages := page.New(shown)
	api := "http://" + listener.Addr().String()
	s := &serving{
		world: w, server: &http.Server{Handler: pages.Before(w), ReadHeaderTimeout: headerTime}, done: make(chan struct{}), unlisten: w.Listened(),
		told: served{
			API: api, GraphQL: api + "/graphql", Page: pages.Address(api), Control: api + "/_sandbox/faults", ControlToken: shown.Token,
			Accounts: w.accounts, Agent: w.agent.Login, Fixtures: w.manifest,
		},
	}
	s.told.set(append(w.identity(), "GITHUB_API_URL="+s.told.API+"/api/v3", "GITHUB_GRAPHQL_URL="+s.told.API+"/api/graphql", "GITHUB_SERVER_URL="+s.told.API))
	go func() {
		defer close(s.done)
		// Serve always returns an error; that of a closed server is expected
		// and any other shows in the clients' requests.
		_ = s.server.Serve(listener)
	}()
	return s
}

// set takes the environment's variables.
func (s *served) set(variables []string) {
	s.variables = variables
	s.Environment = environment(variables)
}

// addDoor has a world served under GitHub's names too.
func (a *app) addDoor(ctx context.Context, s *serving, allow []string) error {
	folder, err := os.MkdirTemp("", "bench-sandbox-")
	if err != nil {
		return fault.Infraf("make a folder for the sandbox's files: %w", err)
	}
	s.folder = folder
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fault.Infraf("serve the sandbox's proxy on loopback: %w", err)
	}
	s.told.Proxy = listener.Addr().String()
	if s.door, err = a.openDoor(listener, s.world, allow, inFolder(folder)); err != nil {
		return err
	}
	s.told.set(append(s.world.identity(), s.door.env...))
	return nil
}

// close ends the serving, with what is under way.
func (s *serving) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		// Who has not finished by now is cut off.
		_ = s.server.Close()
	}
	<-s.done
	s.unlisten()
	var err error
	if s.door != nil {
		err = s.door.close()
	}
	if s.folder != "" {
		err = errors.Join(err, os.RemoveAll(s.folder))
	}
	return err
}

// untilEnd waits for the end of the context and, if that is asked for, of
// standard input.
func (a *app) untilEnd(ctx context.Context, untilEOF bool) {
	ended := make(chan struct{})
	if untilEOF && a.console.in != nil {
		go func() {
			defer close(ended)
			// Whatever ends it, it has ended.
			_, _ = io.Copy(io.Discard, a.console.in)
		}()
	}
	select {
	case <-ctx.Done():
	case <-ended:
	}
}

func (a *app) tellServed(s served, asJSON bool) error {
	out := a.programs().out
	if asJSON {
		return writeJSON(out, s)
	}
	fmt.Fprintf(out, "A GitHub of your own, on this machine alone. Ctrl-C ends it.\n\n")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "API\t%s\nGraphQL\t%s\nPage\t%s\n", s.API, s.GraphQL, s.Page)
	if s.Fixtures != nil {
		fmt.Fprintf(table, "Fixtures\t%s\n", s.Fixtures.Repo.FullName)
	}
	fmt.Fprintf(table, "\nAccount\tToken\n")
	for _, who := range s.Accounts {
		fmt.Fprintf(table, "%s\t%s\n", who.Login, who.Token)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	about := "Clients that can be told an address find the sandbox with this; for gh and git, add --proxy:"
	if s.Proxy != "" {
		about = "Programs that have this in their environment find the sandbox under GitHub's names:"
	}
	fmt.Fprintf(out, "\n%s\n\n", about)
	for _, variable := range s.variables {
		name, value := split(variable)
		fmt.Fprintf(out, "export %s=%s\n", name, shellquote.Join(value))
	}
	return nil
}
