package ghxbuild

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// preferToEnd has the kernel end a process, and what comes of it, before any other
// where memory runs out.
func preferToEnd(pid int) {
	const first, perm = "1000", 0o644
	_ = os.WriteFile(filepath.Join("/proc", strconv.Itoa(pid), "oom_score_adj"), []byte(first), perm) // it may have ended
}

// kilo is how many bytes the kernel's "kB" are.
const kilo = 1024

// inKilo returns a field that counts in kB, in bytes; 0 if there is none.
func inKilo(status []byte, name string) int64 {
	number, _, _ := strings.Cut(field(status, name), " ")
	n, _ := strconv.ParseInt(number, 10, 64)
	return n * kilo
}

// memoryHere is the memory that this machine has, or that the container may use, in
// bytes.
func memoryHere() int64 { return memoryOfSystem(os.DirFS("/")) }

// memoryOfSystem is what a system says of its memory.
func memoryOfSystem(system fs.FS) int64 {
	info, _ := fs.ReadFile(system, "proc/meminfo")
	var limits []string
	for _, file := range []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		limit, _ := fs.ReadFile(system, file) // there is one, or none
		limits = append(limits, string(limit))
	}
	return leastOf(inKilo(info, "MemTotal"), limits)
}

// leastOf is the least of what a machine has and of the limits of a container.
func leastOf(most int64, limits []string) int64 {
	for _, text := range limits {
		// "max" is no limit, nor is what the machine does not have.
		if limit, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && limit > 0 {
			most = min(most, limit)
		}
	}
	return most
}

// diskFree is how much can be written to where a folder is, in bytes.
func diskFree(folder string) int64 {
	var is unix.Statfs_t
	if unix.Statfs(folder, &is) != nil {
		return 0
	}
	return freeOf(is)
}

// freeOf is how much can be written to a disk, in bytes, whose files are as large as it
// expects of them: one that has no room for more files is full.
func freeOf(is unix.Statfs_t) int64 {
	free := float64(is.Bavail)
	if is.Files > 0 { // not every file system has a number of them
		free = min(free, float64(is.Blocks)*float64(is.Ffree)/float64(is.Files))
	}
	return int64(free) * is.Bsize
}

// meter measures a build, whose processes are those of the builder's user or, where
// that is our own, of a group, until done is closed. Nothing that the build writes
// holds it up: its files are gone through beside, and what was found last counts.
func (b *Builder) meter(h *held, group int, done <-chan struct{}) func(whole bool) use {
	// They are gone through where enough was written for that to matter.
	some := h.bounds.Disk / shareOf
	found, looking := make(chan int64, 1), false
	var disk, freeThen int64
	return func(whole bool) use {
		select {
		case disk = <-found:
			looking = false
		default:
		}
		free := diskFree(b.Home)
		if !looking && (whole || freeThen-free > some || freeThen == 0) {
			looking, freeThen = true, free
			go func() { found <- diskOf(b.writable(h), done) }()
		}
		return use{memory: b.memoryOf(group), disk: disk, left: free}
	}
}

// writable are the folders, and files, that a build has written.
func (b *Builder) writable(h *held) []string {
	paths := []string{b.Home}
	if own := h.cage.Folder(); own != "" {
		return append(paths, own)
	}
	if b.User != nil {
		paths = append(paths, leftBy(b.User.Uid, b.Home)...)
	}
	return paths
}

// diskOf is how much of the disk files take, in bytes, as far as it comes before done is
// closed. One with several names counts once.
func diskOf(paths []string, done <-chan struct{}) (bytes int64) {
	const block = 512 // see stat(2)
	type file struct{ device, number uint64 }
	seen := map[file]bool{}
	for _, path := range paths {
		_ = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
			select {
			case <-done:
				return fs.SkipAll
			default:
			}
			if err != nil {
				return nil //nolint:nilerr // it is gone again
			}
			info, err := entry.Info()
			if err != nil {
				return nil //nolint:nilerr // it is gone again
			}
			is := info.Sys().(*syscall.Stat_t)
			this := file{is.Dev, is.Ino}
			if is.Nlink > 1 && !entry.IsDir() {
				if seen[this] {
					return nil
				}
				seen[this] = true
			}
			bytes += is.Blocks * block
			return nil
		})
	}
	return bytes
}

// memoryOf is what the processes of a build have written to memory, in bytes, and
// not what they read of files.
func (b *Builder) memoryOf(group int) (bytes int64) {
	_ = eachStatus(func(pid int, status []byte) {
		if b.User != nil && !isOf(status, b.User.Uid) {
			return
		}
		if b.User == nil {
			if of, err := unix.Getpgid(pid); err != nil || of != group {
				return
			}
		}
		bytes += memoryIn(status)
	})
	return bytes
}

// memoryIn is what a process has written to memory, in bytes, by its status.
func memoryIn(status []byte) int64 {
	return inKilo(status, "RssAnon") + inKilo(status, "RssShmem") + inKilo(status, "VmSwap")
}
