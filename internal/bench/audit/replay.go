package audit

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/target"
)

// player is an agent that does what a recording says, whatever GitHub answers,
// and the target that it does it on: it hands the requests to GitHub itself.
// Worlds are deterministic, so ids in them are right. It is for one attempt.
type player struct {
	target.Target
	recording
	place *target.Place
	// played is true once the requests were sent.
	played bool
}

// Prepare makes a place, and has the agent act there.
func (p *player) Prepare(ctx context.Context, needs target.Needs) (place *target.Place, err error) {
	needs.Token = agentToken()
	p.place, err = p.Target.Prepare(ctx, needs)
	return p.place, err
}

// Describe says that no model is involved.
func (p *player) Describe() agent.Info { return agent.Info{Name: "audit", Simulated: true} }

// Start begins the one session.
func (p *player) Start(context.Context, agent.Setup) (agent.Session, error) { return session{p}, nil }

// Close has nothing to end.
func (p *player) Close() error { return nil }

type session struct{ *player }

// Prompt sends the requests, once, and answers.
func (s session) Prompt(ctx context.Context, prompt agent.Prompt) (agent.Turn, error) {
	prompt.Notify(agent.EventAnswer)
	if !s.played {
		s.played = true
		for _, r := range s.requests {
			// That GitHub refuses one is as good as leaving it out.
			r.send(ctx, s.place.GitHub)
		}
	}
	return agent.Turn{Text: s.answer}, nil
}

// send has a handler answer the request.
func (r request) send(ctx context.Context, to http.Handler) *answer {
	// What was recorded, or made, is an address.
	at, _ := url.Parse("http://" + r.host + r.uri)
	in := (&http.Request{
		Method: r.method, URL: at, RequestURI: r.uri, Host: r.host, Header: r.header.Clone(), RemoteAddr: "127.0.0.1:1",
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: io.NopCloser(bytes.NewReader(r.body)), ContentLength: int64(len(r.body)),
	}).WithContext(ctx)
	if in.Header.Get("Authorization") == "" {
		in.Header.Set("Authorization", "token "+agentToken())
	}
	if in.UserAgent() == "" {
		in.Header.Set("User-Agent", "bench-action")
	}
	out := &answer{header: http.Header{}, status: http.StatusOK}
	to.ServeHTTP(out, in)
	return out
}

// answer is GitHub's answer to a request.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the answer's header.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader takes the status.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write takes a part of the body.
func (a *answer) Write(part []byte) (int, error) { return a.body.Write(part) }

// Transcript is that of the recording.
func (s session) Transcript(context.Context) (agent.Transcript, error) { return s.transcript, nil }

// Close has nothing to end.
func (s session) Close() error { return nil }
