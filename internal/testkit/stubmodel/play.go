package stubmodel

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
)

// answer is a step that is being played.
type answer struct {
	out     http.ResponseWriter
	step    Step
	request Request
	// told is called when the usage has been told.
	told func()
	// sent counts chunks.
	sent int
}

var errCut = errors.New("the connection is dropped")

// answerID is the id of every answer.
const answerID = "chatcmpl-stub"

// play sends the answer. It returns an error where the connection is to be
// dropped or has been.
func (a *answer) play(ctx context.Context) error {
	calls, err := a.step.calls(a.request.Step())
	if err != nil {
		refuse(a.out, http.StatusInternalServerError, err.Error(), "stub_plan")
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

// stream sends the answer in chunks: what the model says, why it ends, and
// what is charged.
func (a *answer) stream(ctx context.Context, calls []toolCall) error {
	finish := a.step.finish()
	var chunks []completion
	for _, m := range a.step.chunks(calls) {
		chunks = append(chunks, a.chunk(choice{Delta: &m}))
	}
	chunks = append(chunks, a.chunk(choice{Delta: &message{}, Finish: &finish}), a.chunk())
	chunks[len(chunks)-1].Usage = a.step.Usage.wire()
	for _, chunk := range chunks {
		data, err := json.Marshal(chunk)
		if err != nil {
			return err
		}
		ended, err := a.send(ctx, string(data))
		if ended || err != nil {
			return err
		}
	}
	a.told()
	_, err := a.send(ctx, "[DONE]")
	return err
}

func (a *answer) chunk(choices ...choice) completion {
	if choices == nil {
		choices = []choice{}
	}
	return completion{ID: answerID, Object: "chat.completion.chunk", Model: a.request.Model, Choices: choices}
}

// garbage is not JSON.
const garbage = `{"id": <garbage>`

// send sends a chunk as a server-sent event, with whatever the step does to
// it. ended is true if nothing may follow.
func (a *answer) send(ctx context.Context, data string) (ended bool, err error) {
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
	switch {
	case damage == nil:
	case damage.How == End:
		return true, nil
	case damage.How == Cut:
		if err := a.write("data: " + data[:len(data)/2]); err != nil {
			return false, err
		}
		return false, errCut
	default:
		data = garbage
	}
	return false, a.write("data: " + data + "\n\n")
}

// whole sends an answer that is not streamed.
func (a *answer) whole(ctx context.Context, calls []toolCall) error {
	if a.step.Hang != nil {
		if err := a.step.Hang.wait(ctx); err != nil {
			return err
		}
	}
	finish := a.step.finish()
	body, err := json.Marshal(completion{
		ID: answerID, Object: "chat.completion", Model: a.request.Model, Usage: a.step.Usage.wire(),
		Choices: []choice{{Finish: &finish, Message: &message{
			Role: roleAssistant, Reasoning: quoted(a.step.Reasoning), Content: quoted(a.step.Text), Calls: calls,
		}}},
	})
	switch {
	case err != nil:
		return err
	case a.step.Break == nil:
		a.told()
	case a.step.Break.How == Cut:
		if err := a.write(string(body[:len(body)/2])); err != nil {
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

func (a *answer) write(text string) error {
	if _, err := io.WriteString(a.out, text); err != nil {
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
