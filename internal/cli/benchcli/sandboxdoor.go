package benchcli

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// door is the way by which unmodified programs reach a sandbox under GitHub's
// names: a proxy with a certificate authority of its own.
type door struct {
	proxy   *egress.Proxy
	attempt *egress.Attempt
	served  chan error
	// env leads programs to the proxy, as NAME=value.
	env []string
}

// placeFile writes a file that programs read, and returns its path.
type placeFile func(name string, content []byte) (string, error)

// inFolder writes files into a folder.
func inFolder(folder string) placeFile {
	return func(name string, content []byte) (string, error) {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return "", fault.Infraf("write the sandbox's files: %w", err)
		}
		return path, nil
	}
}

// openDoor serves a proxy that leads to GitHub's handler, and to the hosts that
// are allowed besides.
func (a *app) openDoor(listener net.Listener, github http.Handler, allow []string, place placeFile) (*door, error) {
	proxy, err := egress.New(egress.Options{Allow: allow, Now: a.now})
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	d := &door{proxy: proxy, attempt: proxy.Begin(github), served: make(chan error, 1)}
	go func() { d.served <- proxy.Serve(listener) }()
	bundle, err := proxy.Bundle("")
	if err != nil {
		return nil, errors.Join(fault.Infraf("read the system's certificate authorities: %w", err), d.close())
	}
	authority, err := place("ca.pem", proxy.CACert())
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	all, err := place("bundle.pem", bundle)
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	d.env = proxy.Env(listener.Addr(), authority, all)
	return d, nil
}

// close ends the proxy.
func (d *door) close() error { return errors.Join(d.proxy.Close(), <-d.served) }

// homeDoor is a door for programs that run where the user is, with a home folder
// of their own.
type homeDoor struct {
	*door
	folder string
	// home leads programs to the home folder, as NAME=value.
	home []string
}

// openHome makes a home folder and opens a door.
func (a *app) openHome(ctx context.Context, github http.Handler, allow []string) (_ *homeDoor, err error) {
	folder, err := os.MkdirTemp("", "bench-sandbox-")
	if err != nil {
		return nil, fault.Infraf("make a folder for the command: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	home, temp := filepath.Join(folder, "home"), filepath.Join(folder, "tmp")
	if err := errors.Join(os.Mkdir(home, 0o700), os.Mkdir(temp, 0o700)); err != nil {
		return nil, fault.Infraf("make a folder for the command: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fault.Infraf("serve the sandbox's proxy on loopback: %w", err)
	}
	d, err := a.openDoor(listener, github, allow, inFolder(folder))
	if err != nil {
		return nil, err
	}
	return &homeDoor{d, folder, atHome(home, temp)}, nil
}

// close ends the proxy and removes the folder.
func (h *homeDoor) close() error { return errors.Join(h.door.close(), os.RemoveAll(h.folder)) }
