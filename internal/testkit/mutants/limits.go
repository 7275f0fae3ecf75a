package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// limits hold the tests of a mutant, with all that comes of them, in control
// groups of their own: a mutant may be what a limit of the code was, and start
// processes without end, or end and remove what is somebody else's. All of them have
// the processor as often as another program has it. Nil limits nothing.
type limits struct {
	// tasks is how many processes and threads there may be at a time, memory is
	// in bytes.
	tasks, memory int64
	// parents are the folders of the kernel's that groups are made in.
	parents []string
	folders
	made atomic.Int64
}

// folders are all that tests see of those for temporary files: the module and what is
// built, which they read, and one that they write to.
type folders struct{ tested, built, written string }

// controllers are those of the kernel's that limit.
var controllers = []string{"pids", "memory", "cpu"}

// What the tests of one process may have. Some start two thousand processes to see
// those held.
const (
	maxTasks  = 4096
	maxMemory = 4 << 30
)

// errTasks is of tests that wanted to have more tasks than they may.
var errTasks = errors.New("they have more processes and threads than a group may")

// limitsHere returns the limits that can be kept here. An error says why there
// are none; the mend is a kernel with control groups that we may write to, as
// root may outside of containers.
func limitsHere(ctx context.Context, tasks, memory int64, see folders) (*limits, error) {
	const tells = "/proc/self/cgroup"
	ours, err := os.ReadFile(tells)
	if err != nil {
		return nil, err
	}
	l := &limits{tasks: tasks, memory: memory, folders: see}
	for _, controller := range controllers {
		parent, err := l.parent(controller, placesOf(string(ours), controller))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(l.parents, parent) {
			l.parents = append(l.parents, parent)
		}
	}
	return l, l.run(exec.CommandContext(ctx, "/bin/true"))
}

// placesOf returns where groups of a controller may be made, by what the kernel
// tells of ours: below our own, or where none is. See cgroups(7).
func placesOf(ours, controller string) []string {
	const mount = "/sys/fs/cgroup"
	var places []string
	for line := range strings.Lines(ours) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(parts) != 3:
		case slices.Contains(strings.Split(parts[1], ","), controller):
			// The first version has a tree for each controller.
			tree := filepath.Join(mount, controller)
			return []string{filepath.Join(tree, parts[2]), tree}
		case parts[1] == "":
			places = []string{filepath.Join(mount, parts[2]), mount}
		}
	}
	return places
}

// parent returns the first of some places where a controller limits groups.
func (l *limits) parent(controller string, places []string) (string, error) {
	failure := fmt.Errorf("there is no control group for %s", controller)
	for _, place := range places {
		probe := filepath.Join(place, l.name())
		if err := os.Mkdir(probe, folderPerm); err != nil {
			failure = err
			continue
		}
		limited, err := l.limit(probe)
		_ = os.Remove(probe)
		wanted := []string{controller}
		if _, err := os.Stat(filepath.Join(place, "cgroup.controllers")); err == nil {
			// The second version has one group for all of them.
			wanted = controllers
		}
		missing := func(wanted string) bool { return !slices.Contains(limited, wanted) }
		if err == nil && !slices.ContainsFunc(wanted, missing) {
			return place, nil
		}
		failure = errors.Join(err, fmt.Errorf("groups of %s do not limit %s", place, strings.Join(wanted, " and ")))
	}
	return "", failure
}

const (
	folderPerm = 0o755
	// usualWeight and usualShares are what groups begin with.
	usualWeight, usualShares = 100, 1024
)

func (l *limits) name() string {
	return fmt.Sprintf("mutants-%d-%d", os.Getpid(), l.made.Add(1))
}

// limit sets the limits of a group, and returns the controllers that have one.
func (l *limits) limit(folder string) (limited []string, err error) {
	for _, file := range []struct {
		name string
		most int64
	}{
		{"pids.max", l.tasks},
		{"memory.max", l.memory}, {"memory.swap.max", 0},
		{"memory.limit_in_bytes", l.memory}, {"memory.memsw.limit_in_bytes", l.memory},
		{"cpu.weight", usualWeight}, {"cpu.shares", usualShares},
	} {
		path := filepath.Join(folder, file.name)
		if _, err := os.Stat(path); err != nil {
			continue // it is of another controller, or version
		}
		if err := writeTo(path, strconv.FormatInt(file.most, 10)); err != nil {
			return nil, err
		}
		controller, _, _ := strings.Cut(file.name, ".")
		limited = append(limited, controller)
	}
	return limited, nil
}

// writeTo writes to a file of the kernel's.
func writeTo(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// enter is what a shell does in namespaces of its own before it runs a command: it
// goes to the groups, and has folders for temporary files of its own, with those that
// it sees in them.
const enter = `
while [ "$1" != -- ]; do echo 0 > "$1/cgroup.procs" || exit 1; shift; done; shift
exec 7< "$1" 8< "$2" 9< "$3"
mount --make-rprivate / && mount -t proc proc /proc || exit 1
for folder in /tmp /var/tmp /dev/shm /run/lock; do
	[ ! -d $folder ] || mount -t tmpfs -o mode=1777 tmpfs $folder || exit 1
done
bound=7
for folder in "$1" "$2" "$3"; do
	mkdir -p "$folder" && mount -c --bind /proc/self/fd/$bound "$folder" || exit 1
	[ $bound = 9 ] || mount -c -o remount,bind,ro "$folder" || exit 1
	bound=$((bound+1))
done
shift 3
cd "$PWD" && "$@" 7<&- 8<&- 9<&-
`

// run runs a command within the limits, and ends what it has left running. An
// error is [errTasks] where it wanted too many tasks.
func (l *limits) run(cmd *exec.Cmd) error {
	if l == nil {
		return cmd.Run()
	}
	groups, err := l.make()
	if err != nil {
		return err
	}
	arguments := slices.Concat([]string{"/bin/sh", "-c", enter, "sh"}, groups, []string{"--", l.tested, l.built, l.written, cmd.Path}, cmd.Args[1:])
	cmd.Path, cmd.Args, cmd.Dir = arguments[0], arguments, cmp.Or(cmd.Dir, l.tested)
	apart(cmd)
	failure := cmd.Run()
	wanted := slices.ContainsFunc(groups, wantedMore)
	for _, group := range groups {
		if err := end(group); err != nil {
			return err
		}
	}
	if wanted {
		return errTasks
	}
	return failure
}

// make makes the groups of one run.
func (l *limits) make() ([]string, error) {
	name := l.name()
	var groups []string
	for _, parent := range l.parents {
		group := filepath.Join(parent, name)
		if err := os.Mkdir(group, folderPerm); err != nil {
			return nil, err
		}
		if _, err := l.limit(group); err != nil {
			return nil, err
		}
		groups = append(groups, group)
	}
	return groups, nil
}

// wantedMore reports whether tasks of a group could not be started.
func wantedMore(group string) bool {
	events, err := os.ReadFile(filepath.Join(group, "pids.events"))
	return err == nil && !strings.Contains(string(events), "max 0\n")
}

const (
	// endTime is for how long it is tried to end what is in a group, endPause
	// the time between two attempts.
	endTime  = 10 * time.Second
	endPause = 2 * time.Millisecond
)

// end ends all processes in a group, and removes it.
func end(group string) error {
	// None starts another one. There is no such file in a group for memory.
	_ = writeTo(filepath.Join(group, "pids.max"), "0")
	for deadline := time.Now().Add(endTime); ; time.Sleep(endPause) {
		left, err := os.ReadFile(filepath.Join(group, "cgroup.procs"))
		if err != nil {
			return err
		}
		for pid := range strings.FieldsSeq(string(left)) {
			if process, err := os.FindProcess(atoi(pid)); err == nil {
				_ = process.Kill() // it may have ended
			}
		}
		err = os.Remove(group)
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}
