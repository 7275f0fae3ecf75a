package child

import (
	"math"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// watchdog is a process that outlives ours: its standard input ends when we are gone,
// however that came about. It then sends SIGTERM to the program's group and, after
// the grace, kills what is left of it and what has the program's mark.
//
// The first argument is the group, the second the mark, the third the grace in
// seconds.
const watchdog = `trap '' TERM INT HUP
read -r _
kill -TERM -- "-$1"
left=$3
while [ "$left" -gt 0 ] && kill -0 -- "-$1"; do sleep 1; left=$((left - 1)); done
kill -KILL -- "-$1"
for process in /proc/[0-9]*; do
	if grep -qaF "$2" "$process/environ"; then kill -KILL "${process#/proc/}"; fi
done`

// guard starts the watchdog of a program, and returns how to end it. Without a shell
// there is none, and the program has the signal at our death alone.
func (p *Process) guard(grace time.Duration) (end func()) {
	none := func() {}
	read, write, err := os.Pipe()
	if err != nil {
		return none
	}
	defer read.Close()
	seconds := strconv.Itoa(int(math.Ceil(grace.Seconds())))
	cmd := exec.Command("/bin/sh", "-c", watchdog, "watchdog", strconv.Itoa(p.PID()), p.mark, seconds) //nolint:noctx,gosec // it outlives every context
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	cmd.Stdin, cmd.SysProcAttr = read, &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		_ = write.Close()
		return none
	}
	return func() {
		// It is ended before its input is.
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = write.Close()
	}
}
