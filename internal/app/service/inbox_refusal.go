package service

import (
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// refusals remember when each kind of refusal was last logged, so that who is
// refused cannot fill the log.
type refusals struct {
	mu   sync.Mutex
	last map[Outcome]*refusal
}

type refusal struct {
	logged time.Time
	silent int
}

// note reports whether to log a refusal, and how many were not since the last.
func (r *refusals) note(outcome Outcome, now time.Time) (silent int, log bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.last[outcome]
	if known == nil {
		known = &refusal{}
		r.last[outcome] = known
	}
	if now.Sub(known.logged) < logEvery {
		known.silent++
		return 0, false
	}
	silent = known.silent
	*known = refusal{logged: now}
	return silent, true
}

// answerRefusal refuses a request. Neither the answer nor the log repeat what
// was sent, but for the names of events and ids that have been checked.
func (r *Receiver) answerRefusal(w http.ResponseWriter, request *http.Request, head header, err error) {
	why := &refusalError{Busy, http.StatusInternalServerError, "internal error"}
	errors.As(err, &why)
	event := head.event
	if !head.matters {
		event = "" // anybody can make up names
	}
	r.opts.Count(event, why.outcome)
	if silent, log := r.refused.note(why.outcome, r.opts.Now()); log {
		level, said := slog.LevelWarn, "a delivery was refused"
		if why.outcome == NotSetUp {
			level, said = slog.LevelInfo, "a delivery came before the App was set up and is not taken; GitHub's first one, a ping, often does"
		}
		r.opts.Log.Log(request.Context(), level, said,
			slog.String("reason", string(why.outcome)), slog.String("message", why.message), slog.String("event", event),
			slog.Int("status", why.status), slog.Int("more_since_last", silent))
	}
	switch why.status {
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", retryAfter)
	}
	http.Error(w, why.message, why.status)
}
