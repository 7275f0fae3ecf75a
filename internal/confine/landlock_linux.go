package confine

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock's interface is in the kernel's Documentation/userspace-api/landlock.rst.
const (
	// landlockTCP is the first version with rules for TCP, landlockScopes the
	// first that keeps signals and abstract Unix sockets in.
	landlockTCP    = 4
	landlockScopes = 6
	// landlockThreadsErratum is the bit of the mend that lets threads of one
	// process signal each other, which Go needs.
	landlockThreadsErratum = 1 << 1

	landlockRuleNetPort = 2
)

// landlockNetPort is struct landlock_net_port_attr.
type landlockNetPort struct {
	allowed uint64
	port    uint64
}

// landlockUsable tells why TCP connections cannot be restricted.
func landlockUsable() error {
	version, err := landlockQuery(unix.LANDLOCK_CREATE_RULESET_VERSION)
	if err != nil {
		return err
	}
	if version < landlockTCP {
		return fmt.Errorf("the kernel has version %d, TCP needs %d", version, landlockTCP)
	}
	return nil
}

func landlockQuery(flag uintptr) (int, error) {
	answer, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, flag)
	if errno != 0 {
		return 0, errno
	}
	return int(answer), nil
}

// landlockThread lets the calling thread, which has no_new_privs, and what it
// starts connect over TCP to the ports only. Where the kernel can, it also
// keeps them from signalling processes outside and from abstract sockets.
// They cannot trace outside processes either, nor read their memory.
func landlockThread(ports []uint16) error {
	attr := unix.LandlockRulesetAttr{Access_net: unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, Scoped: landlockScope()}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0) //nolint:gosec // the kernel reads the struct
	if errno != 0 {
		return errno
	}
	defer func() { _ = unix.Close(int(fd)) }()
	for _, port := range ports {
		rule := landlockNetPort{allowed: unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, port: uint64(port)}
		_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE,
			fd, landlockRuleNetPort, uintptr(unsafe.Pointer(&rule)), 0, 0, 0) //nolint:gosec // the kernel reads the struct
		if errno != 0 {
			return errno
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// landlockScope returns the scopes that the kernel can hold without harm.
func landlockScope() uint64 {
	version, err := landlockQuery(unix.LANDLOCK_CREATE_RULESET_VERSION)
	if err != nil || version < landlockScopes {
		return 0
	}
	scope := uint64(unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET)
	errata, err := landlockQuery(unix.LANDLOCK_CREATE_RULESET_ERRATA)
	if err == nil && errata&landlockThreadsErratum != 0 {
		scope |= unix.LANDLOCK_SCOPE_SIGNAL
	}
	return scope
}
