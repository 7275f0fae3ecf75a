// Package publish puts a verdict on GitHub: a check run that is open while the
// work goes on, one comment that is kept up to date, and reactions to commands.
//
// What cannot be published never hides the verdict: it comes back as a
// [Notice], for the log and the summary. What has to be said at the end is said
// although the work's context has ended.
package publish

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// Publisher publishes in one repository. It is safe for concurrent use.
type Publisher struct {
	client      *github.Client
	owner, name string
}

// New returns a publisher for the repository owner/name.
func New(client *github.Client, owner, name string) *Publisher {
	return &Publisher{client: client, owner: owner, name: name}
}

// Notice is something that could not be published.
type Notice struct {
	// Err says what and why; its public text names the mend, where there is
	// one.
	Err error
}

// String returns what may be shown to anyone.
func (n Notice) String() string { return fault.Public(n.Err) }

// noticed returns the notice of an error, none for nil.
func noticed(doing string, err error) []Notice {
	if err == nil {
		return nil
	}
	return []Notice{{github.Explain(doing, err)}}
}

// grace is how long publishing goes on after the work was cancelled. A
// cancelled workflow's processes have about ten seconds.
const grace = 5 * time.Second

// outliving returns a context that lives on for the grace after its parent.
func outliving(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() { time.AfterFunc(grace, cancel) })
	return ctx, func() {
		stop()
		cancel()
	}
}

// unclear reports whether a request that failed may have had its effect. One
// that waited for a rate limit in vain has not.
func unclear(err error) bool {
	if _, ours := errors.AsType[*fault.Error](err); err == nil || ours {
		return false
	}
	status := github.StatusOf(err)
	return status == 0 || status >= http.StatusInternalServerError
}

// refused reports whether the token may not do something, or the thing is not
// there for it.
func refused(err error) bool {
	if github.Limited(err) {
		return false
	}
	status := github.StatusOf(err)
	return status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusNotFound
}
