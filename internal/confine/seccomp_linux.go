package confine

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data of the kernel's linux/seccomp.h; of arguments those
// of their lower halves, on machines with small ends first.
const (
	seccompCall = 0
	seccompArch = 4
	seccompArg0 = 16
	seccompArg1 = 24
	seccompArg2 = 32
	seccompArg3 = 40
)

// What the filter answers.
const (
	seccompAllow  = unix.SECCOMP_RET_ALLOW
	seccompRefuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
)

const (
	// x32Calls is the bit of system calls of amd64's third calling convention, which
	// have numbers of their own.
	x32Calls = 0x40000000
	// socketKind masks the flags of a socket's type.
	socketKind = 0xf
	// fastOpen sends data, and connects, without a call to connect.
	fastOpen = unix.MSG_FASTOPEN
)

// auditArch is the machine in the words of the kernel's linux/audit.h, 0 for one that
// is not known here.
func auditArch() uint32 {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64
	default:
		return 0
	}
}

// socketFilter refuses whatever would reach the network past the rules for TCP
// connections, which are Landlock's: sockets of the internet's that are not plain TCP
// (UDP, and DNS with it, raw ones, Multipath TCP), those of other machines or the
// hardware, TCP Fast Open, io_uring, which makes sockets past all filters, and calls in
// other conventions than the machine's own.
func socketFilter(arch uint32) []bpf.Instruction {
	refuse, allow := bpf.RetConstant{Val: seccompRefuse}, bpf.RetConstant{Val: seccompAllow}
	load := func(offset uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: offset, Size: 4} }
	// unless goes on where the loaded value is another one, and past the next ones.
	unless := func(value uint32, past uint8) bpf.Instruction {
		return bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: value, SkipTrue: past}
	}
	program := []bpf.Instruction{
		load(seccompArch), bpf.JumpIf{Cond: bpf.JumpEqual, Val: arch, SkipTrue: 1}, refuse,
		load(seccompCall), bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: x32Calls, SkipFalse: 1}, refuse,
		unless(unix.SYS_IO_URING_SETUP, 1), refuse,
	}
	for _, send := range []struct{ call, flags uint32 }{
		{unix.SYS_SENDTO, seccompArg3}, {unix.SYS_SENDMSG, seccompArg2}, {unix.SYS_SENDMMSG, seccompArg3},
	} {
		program = append(program,
			load(seccompCall), unless(send.call, 4),
			load(send.flags), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: fastOpen, SkipFalse: 1}, refuse, allow,
		)
	}
	return append(program,
		load(seccompCall), bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKET, SkipTrue: 1}, allow,
		load(seccompArg0),
		unless(unix.AF_UNIX, 1), allow,
		unless(unix.AF_NETLINK, 1), allow, // it tells of interfaces
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET6, SkipTrue: 1}, refuse,
		load(seccompArg1), bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: socketKind},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_STREAM, SkipTrue: 1}, refuse,
		load(seccompArg2),
		unless(0, 1), allow,
		unless(unix.IPPROTO_TCP, 1), allow,
		refuse,
	)
}

// filterSockets has the calling thread, which has no_new_privs, and what it starts make
// sockets for TCP alone.
func filterSockets() error {
	arch := auditArch()
	if arch == 0 {
		return fmt.Errorf("no filter of system calls is known for %s", runtime.GOARCH)
	}
	raw, err := bpf.Assemble(socketFilter(arch))
	if err != nil {
		return fmt.Errorf("assemble the filter of system calls: %w", err)
	}
	filters := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filters[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	program := unix.SockFprog{Len: uint16(len(filters)), Filter: &filters[0]}
	err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0) //nolint:gosec // the kernel reads the struct
	runtime.KeepAlive(filters)
	if err != nil {
		return fmt.Errorf("filter system calls: %w", err)
	}
	return nil
}
