package birdinteract

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/child"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// agentService is the one with the agent's code.
const agentService = "system_agent"

// service is one of the three programs that the orchestrator talks to.
type service struct {
	name string
	// module is the Python module with the service, identity what it says of
	// itself at /health.
	module, identity string
	port             int
	env              []string

	process *child.Process
	log     *harness.Stream
	file    *os.File
	saved   *harness.Stream
	notes   *notes
}

// services are those that were started.
type services struct {
	all          []*service
	orchestrator *harness.Stream
	once         sync.Once
	// database says why the database cannot be used, empty if it can, or that is not
	// known.
	database func() string
}

// agentModule has the experiment's agent.
const agentModule = "agent.helpers.bird_interact.bird_service"

func (r *Runner) planned() []*service {
	o := r.options
	module, identity := agentModule, "auto_harness_bird_system_agent"
	if o.OwnAgent == ADKAgent {
		module, identity = "system_agent.server", "system_agent"
	}
	return []*service{
		{name: agentService, module: module, identity: identity, port: o.SystemAgentPort, env: r.agentEnv()},
		{name: "user_simulator", module: "user_simulator.server", identity: "user_simulator", port: o.UserSimPort, env: r.userEnv()},
		{name: "db_environment", module: "db_environment.server", identity: "db_environment", port: o.DBEnvPort, env: r.databaseEnv()},
	}
}

// startServices starts the services and waits until each is well. Those that
// were started are returned with an error too, to be stopped.
func (r *Runner) startServices(ctx context.Context, logs string) (*services, error) {
	started := &services{database: sync.OnceValue(func() string { return r.askDatabase(ctx) })}
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return started, fault.Infraf("make folder for logs: %w", err)
	}
	for _, s := range r.planned() {
		if err := free(ctx, s); err != nil {
			return started, err
		}
		if err := r.startService(ctx, s, logs); err != nil {
			return started, err
		}
		started.all = append(started.all, s)
	}
	waiting, cancel := context.WithTimeoutCause(ctx, r.options.HealthTime, errTooLong)
	defer cancel()
	for _, s := range started.all {
		if err := s.await(waiting, r.options.Poll); err != nil {
			return started, err
		}
	}
	return started, nil
}

// free returns an error if somebody else has the service's port: an earlier
// run's service would run the agent as it was then.
func free(ctx context.Context, s *service) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.address())
	if err != nil {
		return fault.Invalidf("the port of BIRD-Interact's %s is in use: end what has it, or say another one with %s_port: %w", s.name, portKeys()[s.name], err)
	}
	// Nothing was written to it.
	_ = listener.Close()
	return nil
}

// portKeys are the names of the ports in a configuration.
func portKeys() map[string]string {
	return map[string]string{agentService: "system_agent", "user_simulator": "user_sim", "db_environment": "db_env"}
}

func (s *service) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

func (r *Runner) startService(ctx context.Context, s *service, logs string) (err error) {
	o := r.options
	if s.file, err = os.Create(filepath.Join(logs, s.name+".log")); err != nil {
		return fault.Infraf("make log: %w", err)
	}
	toFile := o.Host
	toFile.Log = s.file
	s.log, s.saved = o.Host.Stream("["+s.name+"] ", r.secrets()...), toFile.Stream("", r.secrets()...)
	s.notes = newNotes()
	out := io.MultiWriter(s.log, s.saved, s.notes)
	s.process, err = child.Start(ctx, child.Command{
		Path: r.python, Dir: r.adk, Env: s.env, Stdout: out, Stderr: out,
		Args:  []string{"-m", "uvicorn", s.module + ":app", "--host", "127.0.0.1", "--port", strconv.Itoa(s.port), "--log-level", "warning"},
		Grace: ServiceGrace, After: o.After,
	})
	if err != nil {
		s.closeLogs()
	}
	return err
}

// stop ends the services, all at once. It may be called more than once.
func (s *services) stop() {
	s.once.Do(func() {
		var ended sync.WaitGroup
		for _, one := range s.all {
			ended.Go(func() {
				one.process.Stop()
				one.closeLogs()
			})
		}
		ended.Wait()
	})
}

func (s *service) closeLogs() {
	s.log.Close()
	s.saved.Close()
	// What is lost of a log is no reason for anything.
	_ = s.file.Close()
}

// tail returns the last lines of all that was running.
func (s *services) tail() string {
	var tails []string
	if s.orchestrator != nil {
		tails = append(tails, s.orchestrator.Tail())
	}
	for _, one := range s.all {
		if tail := one.log.Tail(); tail != "" {
			tails = append(tails, one.name+": "+tail)
		}
	}
	return strings.Join(tails, "\n")
}

var errTooLong = errors.New("it did not begin in time")

// await waits until the service answers and is the one that it should be.
func (s *service) await(ctx context.Context, poll time.Duration) error {
	const answerTime = 2 * time.Second
	client := &http.Client{Timeout: answerTime, Transport: &http.Transport{DisableKeepAlives: true}}
	again := time.NewTicker(poll)
	defer again.Stop()
	for {
		select {
		case <-s.process.Done():
			return fault.Infraf("start BIRD-Interact's %s: it ended at once: %w; its last lines are:\n%s", s.name, s.process.Wait(), s.log.Tail())
		case <-ctx.Done():
			return fault.Infraf("start BIRD-Interact's %s: %w; its last lines are:\n%s", s.name, context.Cause(ctx), s.log.Tail())
		case <-again.C:
		}
		if well, err := s.well(ctx, client); well || err != nil {
			return err
		}
	}
}

// well reports whether the service answers. The error says that it never will
// as it should.
func (s *service) well(ctx context.Context, client *http.Client) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address()+"/health", nil)
	if err != nil {
		return false, fault.Internalf("ask %s: %w", s.name, err)
	}
	answer, err := client.Do(request)
	if err != nil {
		return false, nil //nolint:nilerr // nobody listens yet
	}
	defer answer.Body.Close()
	var said struct {
		Service string `json:"service"`
		Detail  any    `json:"detail"`
	}
	const enough = 1 << 16
	err = json.NewDecoder(io.LimitReader(answer.Body, enough)).Decode(&said)
	switch {
	case answer.StatusCode == http.StatusServiceUnavailable:
		return false, fault.Invalidf("BIRD-Interact's %s cannot run: %v", s.name, said.Detail)
	case answer.StatusCode != http.StatusOK || err != nil:
		return false, nil //nolint:nilerr // it is about to begin
	case said.Service != s.identity:
		return false, fault.Invalidf("port %d is answered by %q, not by BIRD-Interact's %s: end what has it, or say another port", s.port, said.Service, s.name)
	}
	return true, nil
}

// unreachable is how PostgreSQL says that it cannot be asked.
var unreachable = regexp.MustCompile(`(?i)OperationalError|could not connect|connection .*(refused|failed|closed)|server closed|FATAL: |too many clients`)

// clients is how Python says that one of PostgreSQL's programs has failed, whose own
// message it keeps to itself.
var clients = regexp.MustCompile(`CalledProcessError: Command .*(psql|createdb|dropdb)`)

// explain adds what the services said of a failure that looks like an agent's, or
// whose message does not name its cause: what grading has failed in, and what a
// service has raised that answered a request with status 500. That of the agent's own
// code is the agent's failure, and a database that cannot be reached is none of it.
func (s *services) explain(h harness.Host, r result, o harness.Outcome) harness.Outcome {
	for _, one := range s.all {
		why := one.notes.submit(r.id())
		raised, traceback := one.notes.failure()
		switch {
		case o.Rewarded() && o.Reason == "" && unreachable.MatchString(why):
			o = harness.NoReward(harness.Infrastructure, "grading failed: "+why)
		case o.Rewarded() && o.Reason == "" && why != "":
			o.Reason = "grading failed at least once: " + why
		case o.Status != harness.Infrastructure || raised == "" || !strings.Contains(o.Reason, ":"+strconv.Itoa(one.port)+"/"):
		case one.name == agentService && harness.RaisedByAgent(traceback, h.InExperiment):
			return harness.NoReward(harness.Crashed, "the agent raised "+raised)
		case clients.MatchString(raised) && s.database() != "":
			return harness.NoReward(harness.Infrastructure, "PostgreSQL cannot be used: "+s.database())
		default:
			return harness.NoReward(harness.Infrastructure, one.name+" failed: "+raised)
		}
	}
	return o
}
