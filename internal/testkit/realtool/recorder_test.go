package realtool

import (
	"context"
	"runtime"
)

// RunChecks runs every check on a new harness each and returns the names of
// those that failed.
func RunChecks(ctx context.Context, newHarness func() Harness) (failed []string) {
	for _, c := range checks() {
		h := newHarness()
		r := &recorder{ctx: ctx}
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.run(r, h)
		}()
		<-done
		_ = h.Provider.Close()
		if r.failed {
			failed = append(failed, c.name)
		}
	}
	return failed
}

// recorder is a tester that only remembers whether it failed.
type recorder struct {
	ctx    context.Context
	failed bool
}

func (r *recorder) Helper() {}

func (r *recorder) Context() context.Context { return r.ctx }

func (r *recorder) Errorf(string, ...any) { r.failed = true }

// FailNow ends the check's goroutine, as that of [testing.T] does.
func (r *recorder) FailNow() {
	r.failed = true
	runtime.Goexit()
}
