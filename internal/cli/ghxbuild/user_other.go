//go:build !linux

package ghxbuild

import (
	"errors"
	"math"
	"os/exec"

	"github.com/ghx-dev/bench-action/internal/platform"
)

// endUser ends all processes of a user.
func endUser(user *platform.User) error {
	// -1 is every process that this user may signal, the shell included.
	killer := exec.Command("/bin/sh", "-c", "kill -KILL -1")
	killer.Env, killer.SysProcAttr = []string{}, platform.GroupLeader(user)
	var exit *exec.ExitError
	if err := killer.Run(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return nil
}

// removeLeft does nothing: the image, in which builds have a user of their own,
// is one of Linux.
func removeLeft(*platform.User, string) {}

// memoryHere and diskFree are not known on this system, nor is what a build uses.
func memoryHere() int64 { return 0 }

func diskFree(string) int64 { return 0 }

func (b *Builder) meter(*held, int, <-chan struct{}) func(bool) use {
	return func(bool) use { return use{left: math.MaxInt64} }
}

// preferToEnd does nothing.
func preferToEnd(int) {}
