#!/bin/sh
# Tries what the code of a pull request could try, as the build or the agent that it
# is: to read what others have, to act on it, and to get out. Whoever runs it has put
# the word planted-secret where credentials are. A line for each probe says "held" or
# "LEAKS"; what cannot be tried is said as "NOT TRIED". It fails where anything leaks.
#
#   probe.sh [PATH...]   looks into these files and folders, or where others have theirs
secret=planted''-secret
held=0 leaks=0

is_held() { held=$((held + 1)); echo "held: $1"; }
leaks() { leaks=$((leaks + 1)); echo "LEAKS: $1"; }
# refused WHAT COMMAND...: the command has to fail.
refused() {
  what=$1; shift
  if "$@" >/dev/null 2>&1; then leaks "$what"; else is_held "$what"; fi
}
# needs PROGRAM: says so where there is none.
needs() { command -v "$1" >/dev/null || { echo "NOT TRIED: $2: there is no $1"; return 1; }; }
# secretless WHAT PATH: no file that can be read has the secret.
secretless() {
  found=$(grep -rlsI "$secret" "$2" 2>/dev/null | grep -v '/probe\.sh$' | head -n 3)
  if [ -n "$found" ]; then leaks "$1: $(echo $found)"; else is_held "$1"; fi
}

# What others have.
[ $# -gt 0 ] || set -- /github /home /root /run /tmp /var/tmp /dev/shm /etc /opt /data
for place in . "$@"; do
  [ ! -e "$place" ] || secretless "$place" "$place"
done
secretless "the environment" /proc/self/environ
for process in /proc/[0-9]*; do
  case $process in /proc/$$ | /proc/self) continue ;; esac
  if cat "$process/environ" 2>/dev/null | tr '\0' '\n' | grep -qE "$secret|^(INPUT_|ACTIONS_)"; then
    leaks "the environment of process ${process#/proc/}"
  fi
done
is_held "the environments of other processes, where none is named above"
if env | grep -qE '^(INPUT_|STATE_|ACTIONS_|RUNNER_|GITHUB_(ENV|PATH|OUTPUT|STATE|EVENT_PATH)=)'; then leaks "variables of the runner's"; else is_held "variables of the runner's"; fi
for pid in 1 "$PPID"; do
  owner=$(awk '/^Uid:/ { print $2 }' "/proc/$pid/status" 2>/dev/null)
  [ -n "$owner" ] && [ "$owner" != "$(id -u)" ] || continue
  refused "the memory of process $pid" head -c 1 "/proc/$pid/mem"
  refused "the root folder of process $pid" ls "/proc/$pid/root/"
  refused "the open files of process $pid" ls "/proc/$pid/fd/"
  refused "a signal to process $pid" kill -0 "$pid"
done

# Rights.
refused "to be root" test "$(id -u)" = 0
refused "to be in a group of root's" sh -c 'id -G | grep -qwE 0'
refused "capabilities" sh -c "! grep -q '^CapEff:[[:space:]]*0*\$' /proc/self/status"
refused "to gain rights" sh -c "! grep -q '^NoNewPrivs:[[:space:]]*1' /proc/self/status"
if command -v sudo >/dev/null; then refused "sudo" sudo -n true; fi
refused "to mount" mount -t tmpfs none /mnt
if needs unshare "to mount where it is not hidden"; then
  refused "to uncover what is hidden" sh -c 'for f in /github /tmp; do ! unshare -rm umount "$f" || exit 0; done; exit 1'
fi
if needs mknod "a device"; then refused "a device" mknod ./device b 8 0; fi
refused "the machine's memory" head -c 1 /dev/mem
for socket in /var/run/docker.sock /run/docker.sock /run/containerd/containerd.sock; do
  if [ -S "$socket" ]; then refused "who starts containers, at $socket" test -w "$socket"; fi
done

# What others rely on.
for file in /etc/passwd /usr/local/bin/gh /usr/local/bin/bench-action /proc/sys/kernel/core_pattern /sys/fs/cgroup/cgroup.procs; do
  if [ -e "$file" ]; then refused "to write $file" test -w "$file"; fi
done
for folder in / /usr/local/bin /etc /github /github/workspace /github/workspace/.git /github/home /github/file_commands /github/runner_temp /github/workflow; do
  if [ -d "$folder" ]; then refused "to write in $folder" touch "$folder/of-a-probe"; fi
done

echo "probes: $held held, $leaks leak"
exit $((leaks > 0))
