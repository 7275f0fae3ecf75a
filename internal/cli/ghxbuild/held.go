package ghxbuild

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// held is what holds a command of the builder's user while it runs.
type held struct {
	began   time.Time
	bounds  Bounds
	reserve int64
	// cage is nil where the command is not held.
	cage *confine.Cage
	// proxy is nil where the network is not limited, and served gets the error
	// that it ended with.
	proxy  *egress.Proxy
	served chan error
}

// Start starts a command as the builder's user where it sees of this machine's
// files no more than it takes, with the network as we have it. When it was waited
// for, and [Builder.Sweep] was called, end gives back what it takes to hold it.
func (b *Builder) Start(cmd *exec.Cmd) (end func() error, err error) {
	h, err := b.hold(cmd, nil, nil)
	if err != nil {
		return nil, err
	}
	return h.end, nil
}

// hold starts a command, which reaches the hosts alone if they are not nil. The log
// is told how it is held; it may be nil.
func (b *Builder) hold(cmd *exec.Cmd, hosts []string, log *buildLog) (_ *held, err error) {
	h := &held{began: time.Now()}
	h.bounds, h.reserve = b.Bounds.settled(memoryHere(), diskFree(b.Home))
	if b.InPlace {
		return h, cmd.Start()
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.end())
		}
	}()
	options := confine.CageOptions{
		Base: os.TempDir(), Network: confine.Unlimited, OwnUser: b.User != nil,
		View: &confine.View{Hide: append([]string{b.Workspace}, b.Hide...), Keep: []string{b.Home, cmd.Path}},
	}
	if hosts != nil {
		options.Network = ""
	}
	cage, isolation, err := confine.OpenCage(options)
	if err != nil {
		return nil, err
	}
	h.cage = cage
	if hosts != nil {
		if err := h.limit(b, cmd, isolation, hosts, log); err != nil {
			return nil, err
		}
	}
	if log != nil {
		log.say(fmt.Sprintf("The build is held: network: %s, %s; %s", isolation.Network, filesOf(isolation), h.bounds))
	}
	if err := cage.Start(cmd); err != nil {
		return nil, fault.Infraf("start %s: %w", cmd.Path, err)
	}
	preferToEnd(cmd.Process.Pid)
	return h, nil
}

// filesOf says how a build is kept from files.
func filesOf(i confine.Isolation) string {
	text := "files: " + string(i.Files)
	if i.FilesWhy != "" {
		text += " (" + i.FilesWhy + ")"
	}
	return text
}

// limit has the command use a proxy, which reaches the hosts alone. Where a build
// could go by it, that is an error of kind invalid.
func (h *held) limit(b *Builder, cmd *exec.Cmd, isolation confine.Isolation, hosts []string, log *buildLog) (err error) {
	if isolation.Network == confine.Advisory {
		return fault.Invalidf("build-hosts: the network of builds cannot be limited here (%s): leave it out, or use a runner with Linux 6.7 or newer", isolation.NetworkWhy)
	}
	h.proxy, err = egress.New(egress.Options{
		Allow: hosts, Tunnels: "a build reaches the hosts of build-hosts only", Now: time.Now, Dial: b.Dial,
		OnRefused: func(host string) { log.say("The build is kept from " + host + ", which build-hosts does not name.") },
	})
	if err != nil {
		return err
	}
	listener, err := h.cage.Listen()
	if err != nil {
		return fault.Infraf("listen for the build: %w", err)
	}
	h.proxy.Begin(nil) // each refused host is told once
	h.served = make(chan error, 1)
	go func() { h.served <- h.proxy.Serve(listener) }()
	cmd.Env = append(cmd.Env, h.proxy.ProxyEnv(listener.Addr())...)
	return nil
}

// end gives everything back. The command, and what came of it, has ended.
func (h *held) end() error {
	var problems []error
	if h.proxy != nil {
		problems = append(problems, h.proxy.Close())
	}
	if h.served != nil { // what serves closes the listener
		problems = append(problems, <-h.served)
	}
	if h.cage != nil {
		problems = append(problems, h.cage.Close())
	}
	return errors.Join(problems...)
}
