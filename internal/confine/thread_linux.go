package confine

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// OnPlainThread runs f locked to a thread that ends with it. The main thread
// cannot end, and other programs take its state for that of the process, so
// f is not run on it.
func OnPlainThread(f func()) {
	// Not unlocked: a goroutine that ends locked takes its thread with it.
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		f()
	}()
	<-done
	runtime.UnlockOSThread()
}
