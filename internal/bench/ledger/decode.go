package ledger

import (
	"encoding/json"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// slot is a row together with the places that its pointers point at, so that
// decoding into it again allocates little.
type slot struct {
	row bench.Row
	has required

	scenarioSet, sessionID, modelMode, repo, commit, tree string

	sdkLatency float64
	timing     bench.TimingBreakdown
	err        bench.RowError
	api        bench.APIRequests
	wire       bench.WireUsage
	order      bench.Order
	variation  bench.Variation

	judged, routeOK bool

	// line counts from 1; text is the whole line. cell and sum identify the
	// row's cell and its line.
	line      int
	text      []byte
	cell, sum uint64
}

// decode reads a row into s. Unknown fields are checked and dropped. The
// result, also an error, is what encoding/json makes of the line: whatever is
// not written as rows usually are is left to it.
func (s *slot) decode(line []byte, seen *interner) error {
	s.row, s.has = bench.Row{}, 0
	p := &parser{line: line, seen: seen}
	if p.rowTo(s) && p.end() {
		return nil
	}
	if err := s.decodeWhole(line, seen); err != nil {
		return err
	}
	s.row.Extra = nil
	return nil
}

// rowTo reads what a row needs; other fields are left to furtherTo.
func (p *parser) rowTo(s *slot) bool {
	r := &s.row
	return p.object(func(name []byte) bool {
		switch string(name) {
		case "run_id":
			return p.need(s, hasRunID) && p.stringTo(&r.RunID)
		case "mode":
			return p.need(s, hasMode) && p.stringTo((*string)(&r.Mode))
		case "scenario_id":
			return p.need(s, hasScenarioID) && p.stringTo(&r.ScenarioID)
		case "iteration":
			return p.need(s, hasIteration) && intTo(p, &r.Iteration)
		case "success":
			return p.need(s, hasSuccess) && p.boolTo(&r.Success)
		case "output_valid":
			return p.need(s, hasOutputValid) && p.boolTo(&r.OutputValid)
		case "latency_ms_wall":
			return p.need(s, hasLatency) && p.floatTo(&r.LatencyMSWall)
		case "tokens":
			return p.need(s, hasTokens) && p.tokensTo(&r.Tokens)
		case "cost":
			return p.need(s, hasCost) && p.floatTo(&r.Cost)
		case "tool_calls":
			return p.need(s, hasToolCalls) && intTo(p, &r.ToolCalls)
		case "model":
			return p.need(s, hasModel) && p.modelTo(&r.Model, s)
		default:
			return p.furtherTo(s, name)
		}
	})
}

// need notes that a field which rows must have is there, unless it is null.
func (p *parser) need(s *slot, field required) bool {
	p.space()
	if p.at < len(p.line) && p.line[p.at] != 'n' {
		s.has |= field
	}
	return true
}

// furtherTo reads the other fields of the original harness.
func (p *parser) furtherTo(s *slot, name []byte) bool {
	r := &s.row
	switch string(name) {
	case "timestamp":
		return p.uniqueTo(&r.Timestamp)
	case "scenario_set":
		return p.stringRefTo(&r.ScenarioSet, &s.scenarioSet)
	case "session_id":
		return p.stringRefTo(&r.SessionID, &s.sessionID)
	case "sdk_latency_ms":
		return p.floatRefTo(&r.SDKLatencyMS, &s.sdkLatency)
	case "timing_breakdown":
		return p.timingTo(s)
	case "api_calls":
		return intTo(p, &r.APICalls)
	case "internal_retry_count":
		return intTo(p, &r.InternalRetryCount)
	case "external_retry_count":
		return intTo(p, &r.ExternalRetryCount)
	case "git":
		return p.gitTo(&r.Git, s)
	case "error":
		return p.errorTo(&r.Error, &s.err)
	default:
		return p.ownTo(s, name)
	}
}

// ownTo reads the fields that the original harness does not have.
func (p *parser) ownTo(s *slot, name []byte) bool {
	r := &s.row
	switch string(name) {
	case "schema_version":
		return intTo(p, &r.SchemaVersion)
	case "attempts":
		return sliceTo(p, &r.Attempts, p.attemptTo)
	case "checkpoints":
		return sliceTo(p, &r.Checkpoints, p.checkpointTo)
	case "turns":
		return intTo(p, &r.Turns)
	case "tool_errors":
		return intTo(p, &r.ToolErrors)
	case "tool_use":
		return sliceTo(p, &r.ToolUse, p.toolUseTo)
	case "api_requests":
		return p.apiRequestsTo(s)
	case "refused_hosts":
		return sliceTo(p, &r.RefusedHosts, p.stringTo)
	case "unsupported":
		return sliceTo(p, &r.Unsupported, p.stringTo)
	case "continuations":
		return intTo(p, &r.Continuations)
	case "seed_id":
		return p.stringTo(&r.SeedID)
	case "order":
		return p.orderTo(s)
	case "variation":
		return p.variationTo(s)
	case "wire":
		return p.wireTo(s)
	case "tools":
		return p.stringsTo(&r.Tools)
	case "simulated":
		return p.boolTo(&r.Simulated)
	case "scenario_hash":
		return p.stringTo(&r.ScenarioHash)
	case "changes":
		return p.rawTo(&r.Changes)
	case "footprint_judged":
		return p.boolRefTo(&r.FootprintJudged, &s.judged)
	case "footprint_unjudged":
		return p.stringTo(&r.FootprintUnjudged)
	case "route_ok":
		return p.boolRefTo(&r.RouteOK, &s.routeOK)
	default:
		return p.unknown(name)
	}
}

// decodeWhole is decode, but keeps unknown fields and shares nothing with
// other rows.
func (s *slot) decodeWhole(line []byte, _ *interner) error {
	s.row = bench.Row{}
	if err := json.Unmarshal(line, &s.row); err != nil {
		return err
	}
	var err error
	s.has, err = presentIn(line)
	return err
}
