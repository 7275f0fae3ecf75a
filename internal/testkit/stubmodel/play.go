package stubmodel

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// answer is a step that is being played.
type answer struct {
	out     http.ResponseWriter
	step    Step
	request Request
	wire    protocol
	// told is called when the usage has been told.
	told func()
	// sent counts chunks.
	sent int
}

var errCut = errors.New("the connection is dropped")

// play sends the answer. It returns an error where the connection is to be
// dropped or has been.
func (a *answer) play(ctx context.Context) error {
	calls, err := a.step.calls(a.request)
	if err != nil {
		a.wire.refuse(a.out, http.StatusInternalServerError, err.Error(), "stub_plan")
		return nil
	}
	if err := pause(ctx, a.step.Latency); err != nil {
		return err
	}
	if a.request.Stream {
		return a.stream(ctx, calls)
	}
	return a.whole(ctx, calls)
}

// stream sends the answer in chunks.
func (a *answer) stream(ctx context.Context, calls []toolCall) error {
	for _, c := range a.wire.stream(a, calls) {
		ended, err := a.send(ctx, c)
		if ended || err != nil {
			return err
		}
	}
	return nil
}

// garbage is not JSON.
const garbage = `{"id": <garbage>`

// send sends a chunk, with whatever the step does to it. ended is true if
// nothing may follow.
func (a *answer) send(ctx context.Context, c chunk) (ended bool, err error) {
	if a.sent > 0 {
		if err := pause(ctx, a.step.Pause); err != nil {
			return false, err
		}
	}
	if hang := a.step.Hang; hang != nil && hang.Before == a.sent {
		if err := hang.wait(ctx); err != nil {
			return false, err
		}
	}
	damage := a.step.Break
	if damage != nil && damage.At != a.sent {
		damage = nil
	}
	a.out.Header().Set("Content-Type", "text/event-stream")
	a.sent++
	if damage != nil && damage.How == End {
		return true, nil
	}
	text, err := c.encode(damage != nil && damage.How == Garbage)
	if err != nil {
		return false, err
	}
	if damage != nil && damage.How == Cut {
		if err := a.write(text[:len(text)/2]); err != nil {
			return false, err
		}
		return false, errCut
	}
	// Once a client can have read the usage, it is charged.
	if c.charges {
		a.told()
	}
	return false, a.write(text)
}

// whole sends an answer that is not streamed.
func (a *answer) whole(ctx context.Context, calls []toolCall) error {
	if a.step.Hang != nil {
		if err := a.step.Hang.wait(ctx); err != nil {
			return err
		}
	}
	body, err := json.Marshal(a.wire.whole(a, calls))
	switch {
	case err != nil:
		return err
	case a.step.Break == nil:
		a.told()
	case a.step.Break.How == Cut:
		if err := a.write(body[:len(body)/2]); err != nil {
			return err
		}
		return errCut
	case a.step.Break.How == End:
		body = body[:len(body)/2]
	default:
		body = []byte(garbage)
	}
	send(a.out, http.StatusOK, body)
	return nil
}

func (a *answer) write(text []byte) error {
	if _, err := a.out.Write(text); err != nil {
		return err
	}
	return http.NewResponseController(a.out).Flush()
}

func (h *Hang) wait(ctx context.Context) error {
	select {
	case <-h.Until:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
