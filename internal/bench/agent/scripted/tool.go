package scripted

import (
	"context"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/jq"
)

// bashTool is the tool that runs commands.
const bashTool = "bash"

// toolUse is one use of a tool, with the requests of the client behind it.
type toolUse struct {
	by    *performance
	turn  *turn
	scope scope
	// onlyLook breaks the use off before the first request that writes.
	onlyLook bool

	call       agent.ToolCall
	start, end time.Time
	traffic    traffic
	// bodies are those of the responses, as they came.
	bodies []string
}

func (p *performance) newToolUse(t *turn, s scope, onlyLook bool) *toolUse {
	u := &toolUse{by: p, turn: t, scope: s, onlyLook: onlyLook, call: agent.ToolCall{Name: t.Tool}, traffic: p.detour}
	p.detour = traffic{}
	return u
}

// run uses the tool. The error is a [failure] if the tool call failed.
func (u *toolUse) run(ctx context.Context) error {
	u.start = u.by.now()
	u.by.prompt.Notify(agent.EventToolStart)
	err := u.use(ctx)
	u.by.prompt.Notify(agent.EventToolEnd)
	u.end = u.by.now()
	if err != nil {
		u.call.Error = err.Error()
	}
	return err
}

func (u *toolUse) use(ctx context.Context) error {
	if err := u.writeInput(ctx); err != nil {
		return err
	}
	broken, err := u.requests(ctx)
	if err != nil {
		return err
	}
	u.call.Output, err = u.output(ctx, broken)
	return err
}

func (u *toolUse) part() agent.Part {
	return agent.Part{Type: agent.PartTool, Start: u.start, End: u.end, Tool: &u.call}
}

// writeInput makes the tool's input.
func (u *toolUse) writeInput(ctx context.Context) error {
	input, err := u.turn.Arguments.object(ctx, u.scope)
	if err != nil {
		return err
	}
	if u.turn.Tool == bashTool {
		if input["command"], err = u.turn.Command.render(ctx, u.scope); err != nil {
			return err
		}
	}
	u.call.Input, err = jq.Marshal(input)
	return err
}

// requests sends the requests, and reports whether it broke off before one
// that writes.
func (u *toolUse) requests(ctx context.Context) (broken bool, err error) {
	for i := range u.turn.Calls {
		c := &u.turn.Calls[i]
		if u.onlyLook && c.writes() {
			return true, nil
		}
		if !c.Each.there() {
			if err := u.request(ctx, c, u.scope); err != nil {
				return false, err
			}
			continue
		}
		items, err := c.Each.list(ctx, u.scope)
		if err != nil {
			return false, err
		}
		u.scope.expectList(c.As)
		for _, item := range items {
			if err := u.request(ctx, c, u.scope.with(fieldItem, item)); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// request sends one request and keeps its response.
func (u *toolUse) request(ctx context.Context, c *call, s scope) error {
	value, body, err := u.response(ctx, c, s)
	if err != nil {
		return err
	}
	s.keep(c.As, value, u.turn.Each.there() || c.Each.there())
	if body != "" {
		u.bodies = append(u.bodies, body)
	}
	return nil
}

func (u *toolUse) response(ctx context.Context, c *call, s scope) (value any, body string, err error) {
	if c.Query.there() {
		query, err := c.Query.render(ctx, s)
		if err != nil {
			return nil, "", err
		}
		variables, err := c.Variables.object(ctx, s)
		if err != nil {
			return nil, "", err
		}
		return u.by.client.graphql(ctx, query, variables, &u.traffic)
	}
	path, err := c.Path.render(ctx, s)
	if err != nil {
		return nil, "", err
	}
	var content any
	if c.Body.there() {
		if content, err = c.Body.value(ctx, s); err != nil {
			return nil, "", err
		}
	}
	return u.by.client.rest(ctx, request{method: c.Method, path: path, accept: c.Accept}, content, &u.traffic)
}

// output returns what the tool shows to the agent. A use that was broken off
// has no more to show than the responses.
func (u *toolUse) output(ctx context.Context, broken bool) (string, error) {
	if broken || !u.turn.Shows.there() {
		return strings.Join(u.bodies, "\n"), nil
	}
	value, err := u.turn.Shows.value(ctx, u.scope)
	if err != nil {
		return "", err
	}
	return jq.Show(value)
}
