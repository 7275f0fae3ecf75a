package opencode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// checkVersion reads the server's version and refuses one that may not run.
func (s *server) checkVersion(ctx context.Context) error {
	var health struct {
		Version string `json:"version"`
	}
	if err := s.api.call(ctx, http.MethodGet, "/global/health", nil, &health); err != nil {
		if errors.Is(err, errNoEndpoint) {
			return unsupported("of an unknown version", err.Error())
		}
		return err
	}
	s.version = health.Version
	if !slices.Contains(s.options.Versions, s.version) {
		return unsupported(s.version, "this is made for another version")
	}
	return nil
}

// check finds out whether the server has what sessions need: its events, the
// model, the MCP servers, and a turn from its beginning to its end.
func (s *server) check(ctx context.Context) error {
	if err := s.listen(ctx); err != nil {
		return err
	}
	if err := s.checkModel(ctx); err != nil {
		return err
	}
	if err := s.checkMCP(ctx); err != nil {
		return err
	}
	if s.setup.Shell {
		if err := s.api.call(ctx, http.MethodGet, configPath, nil, &s.config); err != nil {
			return err
		}
	}
	return s.warmUp(ctx)
}

// The paths of what outlasts a session.
const (
	configPath      = "/config"
	allSessionsPath = "/experimental/session?archived=true"
)

// unspoilt returns an error unless the server is as it was before its first
// session. An agent with a shell has the server's password: it can change the
// configuration, and begin sessions of its own, which work on when its attempt
// is over.
func (s *server) unspoilt(ctx context.Context) error {
	var config json.RawMessage
	if err := s.api.call(ctx, http.MethodGet, configPath, nil, &config); err != nil {
		return err
	}
	if !bytes.Equal(config, s.config) {
		return errors.New("the agent has changed the configuration of OpenCode")
	}
	var sessions []json.RawMessage
	if err := s.api.call(ctx, http.MethodGet, allSessionsPath, nil, &sessions); err != nil {
		return err
	}
	if len(sessions) > 0 {
		return errors.New("the agent has begun other sessions of OpenCode")
	}
	return nil
}

// modelInfo is what OpenCode knows of a model.
type modelInfo struct {
	Cost struct {
		Input  float64 `json:"input"`
		Output float64 `json:"output"`
		Cache  struct {
			Read  float64 `json:"read"`
			Write float64 `json:"write"`
		} `json:"cache"`
	} `json:"cost"`
	Variants map[string]struct{} `json:"variants"`
}

// checkModel finds the model and its price.
func (s *server) checkModel(ctx context.Context) error {
	var list struct {
		Providers []struct {
			ID     string               `json:"id"`
			Models map[string]modelInfo `json:"models"`
		} `json:"providers"`
	}
	if err := s.api.call(ctx, http.MethodGet, "/config/providers", nil, &list); err != nil {
		return err
	}
	model := s.options.Model
	for _, p := range list.Providers {
		if p.ID != model.ProviderID {
			continue
		}
		info, known := p.Models[model.ModelID]
		if !known {
			break
		}
		if _, known := info.Variants[variant(model)]; !known && model.Mode != nil {
			return fault.Invalidf("model %s has no variant %q in OpenCode %s (it has %q): %w", model.Key(), variant(model), s.version,
				slices.Sorted(maps.Keys(info.Variants)), agent.ErrStopSuite)
		}
		s.price = info.price()
		return nil
	}
	return fault.Invalidf("OpenCode %s knows no model %s: check its name, or give the address of an endpoint that has it: %w",
		s.version, model.Key(), agent.ErrStopSuite)
}

func variant(model bench.ModelRef) string {
	if model.Mode == nil {
		return ""
	}
	return *model.Mode
}

// price returns what the model costs, nil if that is not known.
func (m modelInfo) price() *bench.Price {
	price := bench.Price{
		Input: cost(m.Cost.Input), Output: cost(m.Cost.Output),
		CacheRead: cost(m.Cost.Cache.Read), CacheWrite: cost(m.Cost.Cache.Write),
	}
	if price == (bench.Price{}) {
		return nil
	}
	return &price
}

// checkMCP waits for the MCP servers.
func (s *server) checkMCP(ctx context.Context) error {
	wanted := slices.Sorted(maps.Keys(s.setup.MCP))
	if len(wanted) == 0 {
		return nil
	}
	var servers map[string]struct {
		Status string `json:"status"`
		Error  string `json:"error"`
	}
	if err := s.api.call(ctx, http.MethodGet, "/mcp", nil, &servers); err != nil {
		return err
	}
	for _, name := range wanted {
		if server := servers[name]; server.Status != "connected" {
			return fault.Infraf("MCP server %q is not connected: its status is %q %s: %w", name, server.Status, shorten(server.Error), agent.ErrTool)
		}
	}
	return nil
}

// warmUp has a turn with the canned model, in a session that goes the way of
// all others.
func (s *server) warmUp(ctx context.Context) error {
	warm, err := s.open(ctx, warmUpModel(), "Answer.")
	if err != nil {
		return err
	}
	turn, err := warm.Prompt(ctx, agent.Prompt{Text: "Say " + warmUpAnswer + "."})
	if err != nil {
		return err
	}
	if turn.Text != warmUpAnswer {
		return fault.Infraf("OpenCode answered %q in a turn that ends in %q", shorten(turn.Text), warmUpAnswer)
	}
	read, err := warm.read(ctx)
	if err != nil {
		return err
	}
	if said := (agent.Transcript{Messages: read}).Answer(); said != warmUpAnswer {
		return fault.Infraf("OpenCode tells %q of a turn that ended in %q", shorten(said), warmUpAnswer)
	}
	if err := warm.abort(ctx); err != nil {
		return err
	}
	if err := warm.Close(); err != nil {
		return err
	}
	if !s.works() {
		return fmt.Errorf("remove a session: %w", s.reason())
	}
	return nil
}
