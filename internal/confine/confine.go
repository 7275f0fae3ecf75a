// Package confine holds the processes of an untrusted agent.
//
// A [Space] belongs to one worker. What is started in it runs under a user of
// its own where we are root, reaches nothing on the network but what [Space.Listen]
// listens on where the kernel lets us see to that, owns folders that nobody
// else can enter, and is ended to the last daemon by [Space.Kill].
// [Isolation] tells which of that could be had.
//
// Ways of keeping an agent off the network, strongest first:
//
//   - [Namespace]: a network namespace with a loopback interface and nothing
//     else. Two things pass it by: servers that listen on a Unix socket in the
//     file system which every user may connect to, such as systemd-resolved's,
//     and a virtual machine's vsock.
//   - [Landlock]: the kernel refuses TCP connections to any port but the
//     listener's. It does not know addresses, so that port is open on other
//     hosts too; it is drawn at random, which keeps honest tools away from
//     it. UDP, with it DNS, raw sockets, Multipath TCP and TCP Fast Open, which
//     it does not cover, are refused by a filter of system calls. A server
//     that an agent starts for itself on loopback cannot be reached by it
//     either.
//   - [Advisory]: the agent is asked, by its environment, to use the proxy.
package confine

import (
	"fmt"
	"slices"
	"strings"
)

// User is the way in which a space's processes are told from all others.
type User string

const (
	// OwnUser is a user id that no other process has. It needs root.
	OwnUser User = "own user"
	// ProcessGroup is our own user. Processes are found by their session, by
	// a mark in their environment and by ancestry, and can read and change
	// what we can.
	ProcessGroup User = "process group"
)

// Network is the way in which a space's processes are kept off the network.
type Network string

// The ways are described in the package's comment.
const (
	Namespace Network = "namespace"
	Landlock  Network = "landlock"
	Advisory  Network = "advisory"
	// Unlimited is for what may use the network as we do.
	Unlimited Network = "unlimited"
)

// Files is the way in which a space's processes are kept from files.
type Files string

const (
	// OwnMounts is a mount namespace with a [View] of its own.
	OwnMounts Files = "mount namespace"
	// Permissions are those of files against a user of its own.
	Permissions Files = "permissions"
	// OurFiles are all that we can read.
	OurFiles Files = "none"
)

// View is what processes see of the file system other than we do. The folders
// where everyone may write, as /tmp, are their own and gone with them.
type View struct {
	// Hide are files and folders in whose place there is nothing.
	Hide []string
	// Keep are files and folders that are there as we see them, also inside of those.
	Keep []string
}

// CageOptions say how a [Cage] holds what it starts.
type CageOptions struct {
	// Base is the folder in which the cage has what is written to folders of
	// a view.
	Base string
	// Network demands a way of holding the network; the zero value takes the
	// strongest that can be had.
	Network Network
	// View is had where there can be a mount namespace. Nil is for none.
	View *View
	// OwnUser says that what is started runs under a user that nothing else
	// runs under, so that its processes are bounded.
	OwnUser bool
	// Umask is the file mode mask, 0 for ours.
	Umask int
}

// Options say what kind of space to open.
type Options struct {
	// Name is part of the name of the space's folder: small letters, digits
	// and hyphens.
	Name string
	// Base is the folder in which the space makes its own. Where the space
	// has a user of its own, everyone must be able to enter Base.
	Base string
	// User and Network demand a way of holding the processes; the zero value
	// takes the strongest that can be had.
	User    User
	Network Network
	// View is what is seen of the file system: see [CageOptions].
	View *View
}

// Isolation tells how a space's processes are held.
type Isolation struct {
	User User
	// UID is the user id of the processes.
	UID int
	// UserWhy is a sentence that says why no stronger way was taken, empty if
	// there is none.
	UserWhy string

	Network Network
	// NetworkWhy is UserWhy for the network.
	NetworkWhy string

	// Files is empty where no view was asked for.
	Files Files
	// FilesWhy is UserWhy for files.
	FilesWhy string
}

// String returns all ways in one line.
func (i Isolation) String() string {
	text := fmt.Sprintf("processes: %s, egress: %s", i.User, i.Network)
	if i.Files != "" {
		text += fmt.Sprintf(", files: %s", i.Files)
	}
	return text
}

// Enforced reports whether the kernel sees to both: processes of a user of their own,
// kept off the network by a namespace, or by Landlock and a filter of system calls.
func (i Isolation) Enforced() bool { return i.User == OwnUser && i.Network != Advisory }

// Why is a sentence for each that could not be had, empty if there are none.
func (i Isolation) Why() string {
	return strings.Join(slices.DeleteFunc([]string{i.UserWhy, i.NetworkWhy, i.FilesWhy}, func(why string) bool { return why == "" }), "; ")
}

// Entry is a process.
type Entry struct {
	PID int
	// Name is that of the program, cut to 15 bytes by the kernel.
	Name string
	// start tells the process from a later one with the same number, in clock
	// ticks since boot.
	start uint64
}

// is reports whether e and other are the same process, which may have turned
// to another program.
func (e Entry) is(other Entry) bool { return e.PID == other.PID && e.start == other.start }
