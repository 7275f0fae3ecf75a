package ledger

import (
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func (p *parser) tokensTo(t *bench.Tokens) bool {
	return p.structTo(func(name []byte) bool {
		switch string(name) {
		case "input":
			return intTo(p, &t.Input)
		case "output":
			return intTo(p, &t.Output)
		case "reasoning":
			return intTo(p, &t.Reasoning)
		case "cache_read":
			return intTo(p, &t.CacheRead)
		case "cache_write":
			return intTo(p, &t.CacheWrite)
		case "total":
			return intTo(p, &t.Total)
		default:
			return p.unknown(name)
		}
	})
}

func (p *parser) modelTo(m *bench.ModelRef, s *slot) bool {
	return p.structTo(func(name []byte) bool {
		switch string(name) {
		case "provider_id":
			return p.stringTo(&m.ProviderID)
		case "model_id":
			return p.stringTo(&m.ModelID)
		case "mode":
			return p.stringRefTo(&m.Mode, &s.modelMode)
		default:
			return p.unknown(name)
		}
	})
}

func (p *parser) gitTo(g *bench.GitRef, s *slot) bool {
	return p.structTo(func(name []byte) bool {
		switch string(name) {
		case "repo":
			return p.stringRefTo(&g.Repo, &s.repo)
		case "commit":
			return p.stringRefTo(&g.Commit, &s.commit)
		case "tree":
			return p.stringRefTo(&g.Tree, &s.tree)
		default:
			return p.unknown(name)
		}
	})
}

func (p *parser) timingTo(s *slot) bool {
	t := &s.timing
	return structRefTo(p, &s.row.TimingBreakdown, t, func(name []byte) bool {
		switch string(name) {
		case "assistant_total_ms":
			return p.floatTo(&t.AssistantTotalMS)
		case "assistant_pre_reasoning_ms":
			return p.floatTo(&t.AssistantPreReasoningMS)
		case "assistant_reasoning_ms":
			return p.floatTo(&t.AssistantReasoningMS)
		case "assistant_between_reasoning_and_tool_ms":
			return p.floatTo(&t.AssistantBetweenReasoningAndToolMS)
		case "assistant_post_tool_ms":
			return p.floatTo(&t.AssistantPostToolMS)
		case "tool_total_ms":
			return p.floatTo(&t.ToolTotalMS)
		case "tool_bash_ms":
			return p.floatTo(&t.ToolBashMS)
		case "tool_structured_output_ms":
			return p.floatTo(&t.ToolStructuredOutputMS)
		case "observed_assistant_turns":
			return intTo(p, &t.ObservedAssistantTurns)
		default:
			return p.unknown(name)
		}
	})
}

func (p *parser) errorTo(to **bench.RowError, e *bench.RowError) bool {
	return structRefTo(p, to, e, func(name []byte) bool {
		switch string(name) {
		case "type":
			return p.stringTo((*string)(&e.Type))
		case "message":
			return p.uniqueTo(&e.Message)
		default:
			return p.unknown(name)
		}
	})
}

func (p *parser) attemptTo(a *bench.Attempt) bool {
	return p.structTo(func(name []byte) bool {
		switch string(name) {
		case "error":
			if p.null() {
				a.Error = nil
				return true
			}
			if a.Error == nil {
				a.Error = new(bench.RowError)
			}
			return p.errorTo(&a.Error, a.Error)
		case "latency_ms_wall":
			return p.floatTo(&a.LatencyMSWall)
		case "tokens":
			return p.tokensTo(&a.Tokens)
		case "cost":
			return p.floatTo(&a.Cost)
		case "class":
			return p.stringTo((*string)(&a.Class))
		case "part":
			return p.stringTo((*string)(&a.Part))
		case "unreported_usd":
			return p.floatTo(&a.UnreportedUSD)
		case "provider_failure":
			return p.stringTo(&a.ProviderFailure)
		default:
			return p.unknown(name)
		}
	})
}

func (p *parser) checkpointTo(c *bench.CheckpointResult) bool {
	return p.structTo(func(name []byte) bool {
		switch string(name) {
		case "name":
			return p.stringTo(&c.Name)
		case "kind":
			return p.stringTo((*string)(&c.Kind))
		case "passed":
			return p.boolTo(&c.Passed)
		case "detail":
			return p.stringTo(&c.Detail)
		default:
			return p.unknown(name)
		}
	})
}

func (p *parser) toolUseTo(u *bench.ToolUse) bool {
	return p.structTo(func(name []byte) bool {
		switch string(name) {
		case "name":
			return p.stringTo(&u.Name)
		case "calls":
			return intTo(p, &u.Calls)
		case "errors":
			return intTo(p, &u.Errors)
		case "bad_arguments":
			return intTo(p, &u.BadArguments)
		case "retries":
			return intTo(p, &u.Retries)
		case "dead_ends":
			return intTo(p, &u.DeadEnds)
		case "bytes":
			return intTo(p, &u.Bytes)
		default:
			return p.unknown(name)
		}
	})
}

func (p *parser) wireTo(s *slot) bool {
	w := &s.wire
	return structRefTo(p, &s.row.Wire, w, func(name []byte) bool {
		switch string(name) {
		case "calls":
			return intTo(p, &w.Calls)
		case "answers":
			return intTo(p, &w.Answers)
		case "untold":
			return intTo(p, &w.Untold)
		case "tokens":
			return p.tokensTo(&w.Tokens)
		default:
			return p.unknown(name)
		}
	})
}

func (p *parser) apiRequestsTo(s *slot) bool {
	a := &s.api
	return structRefTo(p, &s.row.APIRequests, a, func(name []byte) bool {
		switch string(name) {
		case "rest":
			return intTo(p, &a.REST)
		case "graphql":
			return intTo(p, &a.GraphQL)
		case "bytes":
			return intTo(p, &a.Bytes)
		default:
			return p.unknown(name)
		}
	})
}

func (p *parser) orderTo(s *slot) bool {
	o := &s.order
	return structRefTo(p, &s.row.Order, o, func(name []byte) bool {
		switch string(name) {
		case "kind":
			return p.stringTo(&o.Kind)
		case "seed":
			return p.uintTo(&o.Seed)
		case "position":
			return intTo(p, &o.Position)
		default:
			return p.unknown(name)
		}
	})
}

func (p *parser) variationTo(s *slot) bool {
	v := &s.variation
	return structRefTo(p, &s.row.Variation, v, func(name []byte) bool {
		switch string(name) {
		case "seed":
			return p.uintTo(&v.Seed)
		case "number":
			return intTo(p, &v.Number)
		default:
			return p.unknown(name)
		}
	})
}

// unknown reads the value of a field that rows do not have. It takes no name
// that differs from a known one by case alone, because encoding/json takes it
// for the known one.
func (p *parser) unknown(name []byte) bool {
	lower := true
	for _, c := range name {
		lower = lower && c < utf8.RuneSelf && (c < 'A' || c > 'Z')
	}
	if !lower {
		for _, known := range knownNames() {
			if strings.EqualFold(known, string(name)) {
				return false
			}
		}
	}
	return p.skip(0)
}

// knownNames returns the names of all fields in a row.
var knownNames = sync.OnceValue(func() []string {
	return fieldNames(nil, reflect.TypeFor[bench.Row]())
})

func fieldNames(to []string, t reflect.Type) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return to
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		to = fieldNames(append(to, name), t.Field(i).Type)
	}
	return to
}
