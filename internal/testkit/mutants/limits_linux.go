package main

import (
	"os/exec"
	"syscall"
)

// apart has a command see no processes but its own, and mount what nothing else sees.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID}
}
