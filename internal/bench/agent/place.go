package agent

import (
	"context"
	"io"
	"net"
)

// Host is where the agent of one worker runs in one mode. It may give the
// agent a user and a network of its own.
type Host interface {
	// Folders returns the agent's folders, which are there and belong to its
	// user.
	Folders() Folders
	// Start starts a program. The context is that of the start alone.
	Start(ctx context.Context, command Command) (Process, error)
	// Dial connects to an address as the host's programs see it.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	// Close ends whatever runs on the host and removes its folders.
	Close() error
}

// Folders are absolute paths.
type Folders struct {
	// Home is the agent's home folder, Work the one that it works in, Temp the
	// one for temporary files. They are emptied before each session, so they
	// hold nothing else, and none is in another.
	Home, Work, Temp string
}

// Command is a program to start in the work folder of a host.
type Command struct {
	Path string
	Args []string
	// Env is the whole environment, as NAME=value; of two entries with a name
	// the last one counts.
	Env []string
	// Input is standard input; nil has nothing to read. A file is the program's
	// own; what else is read from goes on being read until it ends.
	Input io.Reader
	// Output takes standard output, and standard error too if Errors is nil.
	Output, Errors io.Writer
}

// StandardError returns what takes standard error.
func (c Command) StandardError() io.Writer {
	if c.Errors == nil {
		return c.Output
	}
	return c.Errors
}

// Process is a program that was started.
type Process interface {
	// Done is closed when the program has ended.
	Done() <-chan struct{}
	// Sweep ends what was started on the host besides the program, by it or by
	// what it started.
	Sweep() error
	// End ends the program too. It may be called more than once.
	End() error
}
