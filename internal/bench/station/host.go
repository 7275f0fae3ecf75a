package station

import (
	"context"
	"net"
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/confine"
)

// Host returns a station as the host of an agent's programs.
func (s *Stations) Host(mode bench.Mode, worker int) (agent.Host, error) {
	st, err := s.station(mode, worker)
	if err != nil {
		return nil, err
	}
	return host{st}, nil
}

// endTime bounds the ending of processes.
const endTime = 20 * time.Second

// host is a station. It implements [agent.Host].
type host struct{ st *station }

// Folders returns the agent's folders.
func (h host) Folders() agent.Folders {
	space := h.st.space
	return agent.Folders{Home: space.Home(), Work: space.Work(), Temp: space.Temp()}
}

// Start starts a program, where the agent's user can reach it.
func (h host) Start(ctx context.Context, command agent.Command) (agent.Process, error) {
	path, err := h.st.space.Stage(command.Path)
	if err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	// The program outlives the context, which is that of its start.
	started, err := h.st.space.Start(context.WithoutCancel(ctx), confine.Command{
		Path: path, Args: command.Args, Env: command.Env, Stdin: command.Input, Stdout: command.Output, Stderr: command.StandardError(),
	})
	if err != nil {
		return nil, err
	}
	return process{started, h.st.space}, nil
}

// Dial connects to a program of the station's.
func (h host) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return h.st.space.Dial(ctx, network, address)
}

// Close ends every process. The rest of the station goes with [Stations.Close].
func (h host) Close() error { return endAll(h.st.space) }

// process is a program in a station. It implements [agent.Process].
type process struct {
	*confine.Process
	space *confine.Space
}

// Sweep ends every process of the station but this one.
func (p process) Sweep() error {
	running, err := p.space.Processes()
	if err != nil {
		return err
	}
	self := slices.DeleteFunc(running, func(e confine.Entry) bool { return e.PID != p.PID() })
	return endAll(p.space, self...)
}

// End ends every process of the station.
func (p process) End() error { return endAll(p.space) }

func endAll(space *confine.Space, keep ...confine.Entry) error {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	return space.Kill(ctx, keep...)
}
